//! How does a file get to its place as a whole, and stay there?

use crate::error::{At, Error, Result};
use crate::key::{Digest, Hasher};
use lycosa_runtime::chance;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// How much of a file is in memory while it is copied or hashed.
const BUFFER: usize = 256 * 1024;

/// After how long an unfinished file is nobody's.
const ABANDONED: Duration = Duration::from_secs(24 * 3600);

/// Runs something that blocks where it holds up nobody.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(Error::Rejected(error.to_string())),
    }
}

/// Makes a folder's entries durable.
pub(crate) fn sync_folder(folder: &Path) -> Result<()> {
    File::open(folder).and_then(|file| file.sync_all()).at(folder)
}

/// Makes a folder and those above it, durably.
pub(crate) fn make_folder(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    if let Some(above) = folder.parent() {
        make_folder(above)?;
    }
    match fs::create_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(Error::io(folder, error)),
        Ok(()) => folder.parent().map_or(Ok(()), sync_folder),
    }
}

/// A file that is not finished. It is removed when this value goes, unless it was put in its place.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) path: PathBuf,
    file: File,
}

impl Draft {
    /// A new file in a folder for unfinished ones, on the same disk as its later place.
    pub(crate) fn new(folder: &Path) -> Result<Draft> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        make_folder(folder)?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("{}-{number}-{:016x}", std::process::id(), chance()));
        let file = File::options().create_new(true).read(true).write(true).open(&path).at(&path)?;
        Ok(Draft { path, file })
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).at(&self.path)
    }

    /// Copies a file into it, and tells the digest of what was copied.
    pub(crate) fn copy(&mut self, from: &Path) -> Result<Digest> {
        let mut source = File::open(from).at(from)?;
        let mut hasher = Hasher::default();
        each_part(&mut source, from, |part| {
            hasher.update(part);
            self.file.write_all(part).at(&self.path)
        })?;
        Ok(hasher.finish())
    }

    fn sync(&self, to: &Path) -> Result<PathBuf> {
        self.file.sync_all().at(&self.path)?;
        let folder = to.parent().unwrap_or(Path::new("."));
        make_folder(folder)?;
        Ok(folder.to_owned())
    }

    /// Puts it in its place, durably, whatever is there.
    pub(crate) fn replace(self, to: &Path) -> Result<()> {
        let folder = self.sync(to)?;
        fs::rename(&self.path, to).at(to)?;
        sync_folder(&folder)
    }

    /// Puts it in its place as a whole, whatever is there. A power failure may damage it.
    pub(crate) fn put_down(self, to: &Path) -> Result<()> {
        fs::rename(&self.path, to).at(to)
    }

    /// Puts it in its place, durably, unless something is there; then it says false.
    pub(crate) fn place(self, to: &Path) -> Result<bool> {
        let folder = self.sync(to)?;
        match fs::hard_link(&self.path, to) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
            // A file system without hard links: the same content may be put there twice, which is harmless.
            Err(_) => fs::rename(&self.path, to).at(to)?,
        }
        sync_folder(&folder)?;
        Ok(true)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        drop(fs::remove_file(&self.path));
    }
}

/// Removes unfinished files of processes that died long ago.
pub(crate) fn remove_abandoned(folder: &Path) -> Result<()> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let entry = entry.at(folder)?;
        let age = entry.metadata().and_then(|meta| meta.modified()).ok();
        let age = age.and_then(|at| SystemTime::now().duration_since(at).ok());
        if age.is_some_and(|age| age > ABANDONED) {
            drop(fs::remove_file(entry.path()));
        }
    }
    Ok(())
}

fn each_part(
    file: &mut File,
    path: &Path,
    mut take: impl FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let mut buffer = vec![0; BUFFER];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(read) => take(&buffer[..read])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::io(path, error)),
        }
    }
}

/// The digest and the size of a file.
pub(crate) fn digest_of(path: &Path) -> Result<(Digest, u64)> {
    let (mut hasher, mut bytes) = (Hasher::default(), 0);
    each_part(&mut File::open(path).at(path)?, path, |part| {
        hasher.update(part);
        bytes += part.len() as u64;
        Ok(())
    })?;
    Ok((hasher.finish(), bytes))
}
