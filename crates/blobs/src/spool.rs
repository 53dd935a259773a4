//! Where do files wait until they are in the store?
//!
//! Under the names of their keys, whole and durable, from the moment that they are taken until they are in the store
//! and somebody has made a record of it. A process that is killed finds them again.

use crate::blobs::{Blobs, size_of};
use crate::error::{At, Error, Result};
use crate::files::{Draft, blocking, digest_of, make_folder, sync_folder};
use crate::key::{Digest, Key};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Between the parts of a key in the name of a file; no key has it.
const SLASH: &str = "~";

/// A file that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// Under which it will be in the store.
    pub key: Key,
    /// Its size.
    pub bytes: u64,
}

/// A file that is in the store now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upload {
    /// Its key.
    pub key: Key,
    /// Its digest.
    pub digest: Digest,
    /// Its size.
    pub bytes: u64,
}

/// A folder of files that wait to be uploaded, with a limit. One process has it at a time.
#[derive(Debug, Clone)]
pub struct Spool {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    folder: PathBuf,
    limit: u64,
    bytes: Mutex<u64>,
    /// Held as long as the spool is open.
    _lock: File,
}

impl Spool {
    /// Opens a spool, and finds what an earlier process left. `limit` is in bytes.
    ///
    /// # Errors
    /// When the folder cannot be made or read, or another process has it.
    pub fn open(folder: &Path, limit: u64) -> Result<Spool> {
        for inner in ["", "drafts", "ready", "damaged"] {
            make_folder(&folder.join(inner))?;
        }
        let path = folder.join("lock");
        let lock =
            File::options().create(true).truncate(false).write(true).open(&path).at(&path)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::Locked(folder.display().to_string()));
            }
            Err(TryLockError::Error(error)) => return Err(Error::io(&path, error)),
        }
        // Unfinished copies: what they were copied from is still where it was.
        let drafts = folder.join("drafts");
        for entry in fs::read_dir(&drafts).at(&drafts)? {
            let path = entry.at(&drafts)?.path();
            fs::remove_file(&path).at(&path)?;
        }
        let bytes = waiting(folder)?.iter().map(|one| one.bytes).sum();
        let shared =
            Shared { folder: folder.to_owned(), limit, bytes: Mutex::new(bytes), _lock: lock };
        Ok(Spool { shared: Arc::new(shared) })
    }

    /// Bytes that wait.
    pub fn bytes(&self) -> u64 {
        *self.shared.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it has as much as it may have: whoever makes files stops until it has not.
    pub fn is_full(&self) -> bool {
        self.bytes() >= self.shared.limit
    }

    fn count(&self, more: u64, less: u64) {
        let mut bytes = self.shared.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        *bytes = (*bytes + more).saturating_sub(less);
    }

    fn ready(&self, key: &Key) -> PathBuf {
        self.shared.folder.join("ready").join(key.as_str().replace('/', SLASH))
    }

    /// Takes a finished file over: it is made durable, moved here, and waits under the key that `name` makes of
    /// its digest. It is taken even if the spool is full, since it is on a disk already.
    ///
    /// # Errors
    /// When it cannot be read or moved. It is then still where it was.
    pub async fn take(
        &self,
        file: &Path,
        name: impl FnOnce(&Digest) -> Result<Key>,
    ) -> Result<Waiting> {
        let path = file.to_owned();
        let (digest, bytes) = blocking(move || {
            File::open(&path).and_then(|file| file.sync_all()).at(&path)?;
            digest_of(&path)
        })
        .await?;
        let key = name(&digest)?;
        key.check(&digest)?;
        let (from, to) = (file.to_owned(), self.ready(&key));
        let (drafts, check) = (self.shared.folder.join("drafts"), key.clone());
        blocking(move || move_to(&from, &to, &drafts, &check)).await?;
        self.count(bytes, 0);
        Ok(Waiting { key, bytes })
    }

    /// Keeps bytes until they are uploaded.
    ///
    /// # Errors
    /// [`Error::SpoolFull`], or that the disk is full: nothing of it is left then.
    pub async fn keep(
        &self,
        content: impl Into<bytes::Bytes>,
        name: impl FnOnce(&Digest) -> Result<Key>,
    ) -> Result<Waiting> {
        if self.is_full() {
            return Err(Error::SpoolFull { bytes: self.bytes(), limit: self.shared.limit });
        }
        let content = content.into();
        let key = name(&Digest::of(&content))?;
        key.check(&Digest::of(&content))?;
        let (drafts, to) = (self.shared.folder.join("drafts"), self.ready(&key));
        let bytes = content.len() as u64;
        blocking(move || {
            let mut draft = Draft::new(&drafts)?;
            draft.write(&content)?;
            draft.replace(&to)
        })
        .await?;
        self.count(bytes, 0);
        Ok(Waiting { key, bytes })
    }

    /// What waits, the oldest first (by the time in its key).
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub async fn waiting(&self) -> Result<Vec<Waiting>> {
        let folder = self.shared.folder.clone();
        blocking(move || waiting(&folder)).await
    }

    /// Files that were not what their names say when they were to be uploaded. They lie aside, for a person.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn damaged(&self) -> Result<Vec<PathBuf>> {
        let folder = self.shared.folder.join("damaged");
        let entries = fs::read_dir(&folder).at(&folder)?;
        let mut found = Vec::new();
        for entry in entries {
            found.push(entry.at(&folder)?.path());
        }
        found.sort();
        Ok(found)
    }

    /// Uploads what waits, one after the other: each file is checked against its key, put into the store, told to
    /// `record`, and only then removed here. So a death anywhere in between repeats, and loses nothing. Returns
    /// how many there were.
    ///
    /// # Errors
    /// The first one of the store, after its patience, or of `record`: that file and those behind it still wait.
    pub async fn upload(
        &self,
        blobs: &Blobs,
        mut record: impl AsyncFnMut(&Upload) -> Result<()>,
    ) -> Result<usize> {
        let mut done = 0;
        for Waiting { key, bytes } in self.waiting().await? {
            let path = self.ready(&key);
            let file = path.clone();
            let (digest, _) = blocking(move || digest_of(&file)).await?;
            if !key.fits(&digest) {
                self.put_aside(&key, &path, bytes)?;
                continue;
            }
            blobs.put_file_if_absent(&key, &path).await?;
            record(&Upload { key: key.clone(), digest, bytes }).await?;
            let ready = self.shared.folder.join("ready");
            blocking(move || {
                fs::remove_file(&path).at(&path)?;
                sync_folder(&ready)
            })
            .await?;
            self.count(0, bytes);
            done += 1;
        }
        Ok(done)
    }

    fn put_aside(&self, key: &Key, path: &Path, bytes: u64) -> Result<()> {
        tracing::error!(%key, "a file of the spool is damaged and was put aside");
        let name = path.file_name().unwrap_or_default();
        fs::rename(path, self.shared.folder.join("damaged").join(name)).at(path)?;
        self.count(0, bytes);
        Ok(())
    }
}

fn waiting(folder: &Path) -> Result<Vec<Waiting>> {
    let ready = folder.join("ready");
    let mut found = Vec::new();
    for entry in fs::read_dir(&ready).at(&ready)? {
        let path = entry.at(&ready)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let Ok(key) = name.replace(SLASH, "/").parse::<Key>() else { continue };
        found.push(Waiting { key, bytes: size_of(&path)? });
    }
    let time = |one: &Waiting| one.key.as_str().rsplit('/').next().unwrap_or_default().to_owned();
    found.sort_by_key(time);
    Ok(found)
}

/// Moves a file, by a copy when it is on another disk.
fn move_to(from: &Path, to: &Path, drafts: &Path, key: &Key) -> Result<()> {
    match fs::rename(from, to) {
        Ok(()) => return to.parent().map_or(Ok(()), sync_folder),
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {}
        Err(error) => return Err(Error::io(from, error)),
    }
    let mut draft = Draft::new(drafts)?;
    key.check(&draft.copy(from)?)?;
    draft.replace(to)?;
    fs::remove_file(from).at(from)
}
