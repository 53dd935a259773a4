//! Whose data folder is it? One crawl at a time may write to it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Why a data folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// Another process writes to it.
    #[error("{} is in use by another lycosa process{}", .dir.display(), holder_text(.holder))]
    InUse {
        /// The folder.
        dir: PathBuf,
        /// What the holder wrote about itself.
        holder: Option<String>,
    },
    /// It cannot be made or written.
    #[error("cannot use {} as data folder: {source}", .dir.display())]
    Io {
        /// The folder.
        dir: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

fn holder_text(holder: &Option<String>) -> String {
    holder.as_ref().map(|pid| format!(" (process {pid})")).unwrap_or_default()
}

/// A data folder, held by this process until it is dropped. The lock belongs to the process and not to
/// the file's existence, so nothing stays behind after a kill.
#[derive(Debug)]
pub struct DataFolder {
    dir: PathBuf,
    _lock: File,
}

impl DataFolder {
    /// Makes the folder if needed and takes its lock.
    pub fn lock(dir: &Path) -> Result<DataFolder, FolderError> {
        let io = |source| FolderError::Io { dir: dir.to_owned(), source };
        fs::create_dir_all(dir).map_err(io)?;
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(dir.join("lock"))
            .map_err(io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                let read = file.read_to_string(&mut holder).is_ok();
                let holder = Some(holder.trim().to_owned()).filter(|pid| read && !pid.is_empty());
                return Err(FolderError::InUse { dir: dir.to_owned(), holder });
            }
            Err(TryLockError::Error(source)) => return Err(io(source)),
        }
        file.set_len(0).map_err(io)?;
        file.rewind().map_err(io)?;
        write!(file, "{}", std::process::id()).map_err(io)?;
        Ok(DataFolder { dir: dir.to_owned(), _lock: file })
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The broker's records.
    pub fn broker(&self) -> PathBuf {
        self.dir.join("broker")
    }

    /// The web archive.
    pub fn archive(&self) -> PathBuf {
        self.dir.join("archive")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_held_by_one_at_a_time() {
        let dir = tempfile::tempdir().expect("temp dir");
        let first = DataFolder::lock(dir.path()).expect("free");
        let second = DataFolder::lock(dir.path());
        let text = second.expect_err("held").to_string();
        assert!(text.contains(&format!("process {}", std::process::id())), "{text}");
        drop(first);
        DataFolder::lock(dir.path()).expect("free again");
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named() {
        let dir = tempfile::tempdir().expect("temp dir");
        let file = dir.path().join("file");
        fs::write(&file, "").expect("write");
        let text = DataFolder::lock(&file.join("data")).expect_err("not a folder").to_string();
        assert!(text.contains("file/data"), "{text}");
    }
}
