//! How is something that is known of the whole index kept in a file of its own, so that it is there whole or not at
//! all?

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::time::SystemTime;

/// Bytes of the digest behind the beginning.
const DIGEST: usize = 32;

/// A file in the folder of an index.
#[derive(Clone, Copy)]
pub(crate) struct Sealed {
    pub(crate) name: &'static str,
    /// How it begins; says what is in it.
    pub(crate) magic: &'static [u8],
}

impl Sealed {
    /// Writes the file in one step: whoever reads sees the old one or the new one.
    pub(crate) fn write(self, folder: &Path, content: &impl Serialize) -> io::Result<()> {
        let body = postcard::to_stdvec(content).map_err(io::Error::other)?;
        // A name of its own for each process: two of them may be at it.
        let draft = folder.join(format!("{}.{}.new", self.name, std::process::id()));
        let written =
            self.put(&draft, &body).and_then(|()| fs::rename(&draft, folder.join(self.name)));
        if written.is_err() {
            // Half a draft takes room that the disk may not have.
            let _ = fs::remove_file(&draft);
        }
        written
    }

    fn put(self, draft: &Path, body: &[u8]) -> io::Result<()> {
        let mut file = fs::File::create(draft)?;
        file.write_all(self.magic)?;
        file.write_all(blake3::hash(body).as_bytes())?;
        file.write_all(body)?;
        file.sync_all()
    }

    /// Removes what processes that died have left; for a file that nobody else writes now.
    pub(crate) fn sweep(self, folder: &Path) {
        let begins = format!("{}.", self.name);
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with(&begins) && name.ends_with(".new") {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// When the file was written; `None` where there is none.
    pub(crate) fn written_at(self, folder: &Path) -> Option<SystemTime> {
        fs::metadata(folder.join(self.name)).and_then(|data| data.modified()).ok()
    }

    /// Reads the file. One that is not whole, or begins otherwise, says nothing.
    pub(crate) fn read<T: DeserializeOwned>(self, folder: &Path) -> Option<T> {
        let bytes = fs::read(folder.join(self.name)).ok()?;
        let (digest, body) = bytes.strip_prefix(self.magic)?.split_at_checked(DIGEST)?;
        if blake3::hash(body).as_bytes() != digest {
            return None;
        }
        postcard::from_bytes(body).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let file = Sealed { name: "numbers.bin", magic: b"numbers 1\n" };
        assert_eq!(
            (file.read::<Vec<u64>>(folder.path()), file.written_at(folder.path())),
            (None, None)
        );
        file.write(folder.path(), &vec![1_u64, 2, 3]).unwrap();
        assert_eq!(file.read(folder.path()), Some(vec![1_u64, 2, 3]));
        assert!(file.written_at(folder.path()).is_some());
        let other = Sealed { magic: b"numbers 2\n", ..file };
        assert_eq!(other.read::<Vec<u64>>(folder.path()), None);
        let path = folder.path().join(file.name);
        let whole = fs::read(&path).unwrap();
        for end in 0..whole.len() {
            fs::write(&path, &whole[..end]).unwrap();
            assert_eq!(file.read::<Vec<u64>>(folder.path()), None, "torn at {end}");
        }
        let left = folder.path().join("numbers.bin.77.new");
        fs::write(&left, "half").unwrap();
        file.sweep(folder.path());
        assert!(!left.exists() && path.exists());
        // What cannot take the place of the file does not stay.
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(file.write(folder.path(), &vec![1_u64]).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
