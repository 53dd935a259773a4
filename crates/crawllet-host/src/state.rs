//! What does the host remember between two requests?
//!
//! Under CGI every request is a process of its own, so everything is a small file in one folder: sessions that
//! wait for their upload, those that were used, the slots of running jobs, counters of the minute and the day,
//! first messages that were seen. Each is bounded, each is changed under a lock of the kernel, and nothing is
//! held over a wait.

mod counters;
mod journal;

pub use counters::{Day, Pace};
pub use journal::{Entry, Journal};

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Sessions that wait for their upload.
pub const MAX_SESSIONS: usize = 64;

/// How long a session waits.
pub const SESSION_LIFE: Duration = Duration::from_secs(120);

/// How long the mark of a used session is kept: as long as somebody could come with its number.
const USED_LIFE: Duration = Duration::from_secs(600);

/// Marks of used sessions; the oldest go first.
const MAX_USED: usize = 1_024;

/// Directories of engines that are kept, and for how long at most.
const MAX_DIRECTORIES: usize = 256;
const DIRECTORY_LIFE: Duration = Duration::from_secs(3600);

/// Directories that are looked up in a minute.
const MAX_LOOKS_PER_MINUTE: u32 = 20;

/// The folder.
#[derive(Debug, Clone)]
pub struct State {
    folder: PathBuf,
}

/// The right to run one job; it ends when this goes away, also by death.
#[derive(Debug)]
pub struct Slot(#[expect(dead_code, reason = "held for its lock")] File);

/// Whether a session can be claimed.
#[derive(Debug, PartialEq, Eq)]
pub enum Claim {
    /// It is ours, with its bytes.
    Ours(Vec<u8>),
    /// Somebody was here before.
    Used,
    /// There is none of that number, or it waited too long.
    Unknown,
}

/// Folders in the folder.
pub const FOLDERS: [&str; 5] = ["sessions", "used", "slots", "directories", "compiled"];

impl State {
    /// Uses `folder`, and makes what is missing in it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn open(folder: &Path) -> io::Result<State> {
        for name in FOLDERS {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(folder.join(name))?;
        }
        Ok(State { folder: folder.to_owned() })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A file of the folder, opened to be read and written, and made if it is not there.
    fn file(&self, name: &str) -> io::Result<File> {
        let path = self.folder.join(name);
        OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path)
    }

    /// As [`State::file`], and ours alone until it is dropped. Whoever holds one does little and waits for nothing.
    fn locked(&self, name: &str) -> io::Result<File> {
        let file = self.file(name)?;
        file.lock()?;
        Ok(file)
    }

    /// A free slot of `jobs`, if there is one.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn slot(&self, jobs: u32) -> io::Result<Option<Slot>> {
        for number in 0..jobs {
            let file = self.file(&format!("slots/{number}"))?;
            match file.try_lock() {
                Ok(()) => return Ok(Some(Slot(file))),
                Err(fs::TryLockError::WouldBlock) => {}
                Err(fs::TryLockError::Error(error)) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Keeps a session until its upload comes. False if too many wait already.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn keep_session(&self, id: &str, bytes: &[u8]) -> io::Result<bool> {
        let _lock = self.locked("sessions.lock")?;
        let used = remove_older(&self.folder.join("used"), USED_LIFE)?;
        for (_, path) in used.iter().rev().skip(MAX_USED) {
            remove(path)?;
        }
        if remove_older(&self.folder.join("sessions"), SESSION_LIFE)?.len() >= MAX_SESSIONS {
            return Ok(false);
        }
        let path = self.folder.join("sessions").join(id);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        file.write_all(bytes)?;
        Ok(true)
    }

    /// What is kept about the directory of a domain, by a name that is made of hexadecimal digits.
    pub(crate) fn directory(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.folder.join("directories").join(name)).ok()
    }

    /// Keeps what was found at a domain; the oldest go when there are too many.
    pub(crate) fn keep_directory(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let folder = self.folder.join("directories");
        let kept = remove_older(&folder, DIRECTORY_LIFE)?;
        for (_, path) in kept.iter().rev().skip(MAX_DIRECTORIES - 1) {
            remove(path)?;
        }
        // In one step, so that nobody reads half of it.
        let beside = self.folder.join("directory.new");
        fs::write(&beside, bytes)?;
        fs::rename(beside, folder.join(name))
    }

    /// The right to look up one directory now, if nobody else does and there were not too many in this minute.
    pub(crate) fn turn_to_look(&self, now_ms: u64) -> io::Result<Option<Slot>> {
        let mut file = self.file("looks")?;
        match file.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => return Ok(None),
            Err(fs::TryLockError::Error(error)) => return Err(error),
        }
        let mut text = String::new();
        (&mut file).take(64).read_to_string(&mut text)?;
        let minute = now_ms / 60_000;
        let before = text.split_once(' ').and_then(|(at, count)| {
            let (at, count): (u64, u32) = (at.parse().ok()?, count.trim().parse().ok()?);
            (at == minute).then_some(count)
        });
        let count = before.unwrap_or(0) + 1;
        if count > MAX_LOOKS_PER_MINUTE {
            return Ok(None);
        }
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(format!("{minute} {count}").as_bytes())?;
        Ok(Some(Slot(file)))
    }

    /// Whether a session waits; nothing is changed.
    pub fn waits(&self, id: &str) -> bool {
        self.folder.join("sessions").join(id).exists()
    }

    /// Takes the session, once and for all: of many who try at one time, one succeeds.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn claim(&self, id: &str) -> io::Result<Claim> {
        let used = self.folder.join("used").join(id);
        match fs::rename(self.folder.join("sessions").join(id), &used) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(if used.exists() { Claim::Used } else { Claim::Unknown });
            }
            Err(error) => return Err(error),
        }
        let bytes = fs::read(&used)?;
        // Its number stays, its keys go.
        File::create(&used)?;
        Ok(Claim::Ours(bytes))
    }
}

/// Removes what is older, and gives the rest, oldest first.
fn remove_older(folder: &Path, life: Duration) -> io::Result<Vec<(SystemTime, PathBuf)>> {
    let now = SystemTime::now();
    let mut rest = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // It may have been claimed while we looked.
        let Ok(changed) = entry.metadata().and_then(|meta| meta.modified()) else { continue };
        if now.duration_since(changed).unwrap_or_default() > life {
            remove(&entry.path())?;
        } else {
            rest.push((changed, entry.path()));
        }
    }
    rest.sort();
    Ok(rest)
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
