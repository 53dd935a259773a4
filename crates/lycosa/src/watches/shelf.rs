//! What is kept of watches? One file for each in the data folder, written as a whole or not at all, and one with
//! the texts that are compared. Several processes may use them: a server, and people at terminals.

use crate::failure::Failure;
use lycosa_watch::Watch;
use std::collections::BTreeMap;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Where they are in the data folder.
pub(crate) const SHELF: &str = "agents/watches";

/// Watches of a data folder.
pub(crate) const MOST_WATCHES: usize = 1_000;

/// How often a lock that somebody else has is tried.
const LOOK: Duration = Duration::from_millis(20);

/// All watches of a data folder.
#[derive(Clone, Debug)]
pub(crate) struct Shelf {
    dir: PathBuf,
}

/// What only one at a time may do. It ends with the value, or with the process.
#[derive(Debug)]
pub(crate) struct Turn {
    _file: File,
}

/// Kinds of work of which only one at a time is done, by whichever process.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    /// Looking at a watch.
    Check,
    /// Telling somebody.
    Send,
}

impl Shelf {
    pub(crate) fn new(data: &Path) -> Shelf {
        Shelf { dir: data.join(SHELF) }
    }

    /// The data folder of the small crawls over pages that are watched.
    pub(crate) fn web(&self) -> PathBuf {
        self.dir.join("web")
    }

    /// Numbers of all watches, in order.
    pub(crate) fn ids(&self) -> Result<Vec<u64>, Failure> {
        let entries = match std::fs::read_dir(&self.dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed("read", &self.dir, &error)),
        };
        let number =
            |path: PathBuf| path.file_name()?.to_str()?.strip_suffix(".json")?.parse().ok();
        let mut ids: Vec<u64> = entries.filter_map(|entry| number(entry.ok()?.path())).collect();
        ids.sort_unstable();
        Ok(ids)
    }

    /// All of them, by number. A file that cannot be read is told of and left where it is.
    pub(crate) fn all(&self) -> Result<Vec<Watch>, Failure> {
        let mut watches = Vec::new();
        for id in self.ids()? {
            match self.one(id) {
                Ok(watch) => watches.extend(watch),
                Err(failure) => tracing::warn!("{failure}"),
            }
        }
        Ok(watches)
    }

    /// One of them; nothing if there is none of this number.
    pub(crate) fn one(&self, id: u64) -> Result<Option<Watch>, Failure> {
        let path = self.path(id);
        match std::fs::read(&path) {
            Ok(text) => match serde_json::from_slice(&text) {
                Ok(watch) => Ok(Some(watch)),
                Err(error) => Err(Failure::new(format!("{}: {error}", path.display()))
                    .hint("remove the file, or put an older copy there")),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed("read", &path, &error)),
        }
    }

    /// When a watch was last written, to tell whether it has to be read again.
    pub(crate) fn stamp(&self, id: u64) -> Option<(u64, std::time::SystemTime)> {
        use std::os::unix::fs::MetadataExt;
        let meta = std::fs::metadata(self.path(id)).ok()?;
        Some((meta.ino(), meta.modified().ok()?))
    }

    /// Puts a new watch, made for its number, on the shelf.
    pub(crate) fn add(&self, make: impl FnOnce(u64) -> Watch) -> Result<Watch, Failure> {
        let _turn = self.writing()?;
        let ids = self.ids()?;
        if ids.len() >= MOST_WATCHES {
            return Err(Failure::new(format!("there are {MOST_WATCHES} watches already"))
                .hint("remove some of them: lycosa watch remove ID"));
        }
        let watch = make(self.next_number(&ids)?);
        self.write(&watch)?;
        Ok(watch)
    }

    /// The next number. That of a watch that was removed is never used again, since feeds and receivers
    /// may still know it.
    fn next_number(&self, ids: &[u64]) -> Result<u64, Failure> {
        let path = self.dir.join("last");
        let last = std::fs::read_to_string(&path).ok().and_then(|text| text.trim().parse().ok());
        let next = last.unwrap_or(0).max(ids.last().copied().unwrap_or(0)) + 1;
        self.put(&path, next.to_string().as_bytes())?;
        Ok(next)
    }

    /// Changes a watch as it is on the shelf now; nothing if there is none of this number.
    pub(crate) fn change<T>(
        &self,
        id: u64,
        change: impl FnOnce(&mut Watch) -> T,
    ) -> Result<Option<T>, Failure> {
        let _turn = self.writing()?;
        let Some(mut watch) = self.one(id)? else { return Ok(None) };
        let told = change(&mut watch);
        self.write(&watch)?;
        Ok(Some(told))
    }

    /// Takes a watch away; tells whether it was there.
    pub(crate) fn remove(&self, id: u64) -> Result<bool, Failure> {
        let _turn = self.writing()?;
        let path = self.path(id);
        match std::fs::remove_file(&path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(failed("remove", &path, &error)),
        }
        self.remove_texts(id, None);
        Ok(true)
    }

    /// The texts of what a watch knows.
    pub(crate) fn texts(&self, watch: &Watch) -> BTreeMap<String, String> {
        let path = self.texts_path(watch.id, watch.texts);
        let read = |text: Vec<u8>| serde_json::from_slice(&text).map_err(io::Error::other);
        match std::fs::read(&path).and_then(read) {
            Ok(texts) => texts,
            Err(error) if watch.texts == 0 && error.kind() == io::ErrorKind::NotFound => {
                BTreeMap::new()
            }
            Err(error) => {
                // Changes are still seen by their fingerprints, without what has changed.
                tracing::warn!("{}: {error}", path.display());
                BTreeMap::new()
            }
        }
    }

    /// Writes texts beside those that are used; they count once the watch names their number.
    pub(crate) fn put_texts(
        &self,
        watch: &Watch,
        texts: &BTreeMap<String, String>,
    ) -> Result<u64, Failure> {
        let number = watch.texts + 1;
        self.put(&self.texts_path(watch.id, number), &serde_json::to_vec(texts)?)?;
        Ok(number)
    }

    /// Removes the texts of a watch but those of this number.
    pub(crate) fn remove_texts(&self, id: u64, but: Option<u64>) {
        let kept = but.map(|number| self.texts_path(id, number));
        let Ok(entries) = std::fs::read_dir(&self.dir) else { return };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            let is_its = name.is_some_and(|it| it.starts_with(&format!("{id}-texts-")));
            if is_its && kept.as_ref() != Some(&path) {
                // What is left is removed another time.
                drop(std::fs::remove_file(&path));
            }
        }
    }

    /// Waits so long for a turn; nothing if somebody else has it all the time.
    pub(crate) fn turn(&self, work: Work, patience: Duration) -> Result<Option<Turn>, Failure> {
        let name = match work {
            Work::Check => "check.lock",
            Work::Send => "send.lock",
        };
        let file = self.lock_file(name)?;
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(Turn { _file: file })),
                Err(TryLockError::WouldBlock) if begun.elapsed() >= patience => return Ok(None),
                Err(TryLockError::WouldBlock) => std::thread::sleep(LOOK),
                Err(TryLockError::Error(error)) => return Err(failed("lock", &self.dir, &error)),
            }
        }
    }

    /// Whoever writes waits for whoever else does; it takes a moment.
    fn writing(&self) -> Result<Turn, Failure> {
        let file = self.lock_file("write.lock")?;
        file.lock().map_err(|error| failed("lock", &self.dir, &error))?;
        Ok(Turn { _file: file })
    }

    fn lock_file(&self, name: &str) -> Result<File, Failure> {
        let made = self.dir.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| {
            // Secrets are in it.
            match DirBuilder::new().mode(0o700).create(&self.dir) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
                _ => Ok(()),
            }
        });
        made.map_err(|error| failed("make", &self.dir, &error))?;
        let path = self.dir.join(name);
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true).mode(0o600);
        options.open(&path).map_err(|error| failed("open", &path, &error))
    }

    fn path(&self, id: u64) -> PathBuf {
        self.dir.join(format!("{id}.json"))
    }

    fn texts_path(&self, id: u64, number: u64) -> PathBuf {
        self.dir.join(format!("{id}-texts-{number}"))
    }

    fn write(&self, watch: &Watch) -> Result<(), Failure> {
        self.put(&self.path(watch.id), &serde_json::to_vec(watch)?)
    }

    /// Puts a file in the place of another, as a whole, so that neither a kill nor a power failure leaves a part.
    fn put(&self, path: &Path, bytes: &[u8]) -> Result<(), Failure> {
        let new = path.with_extension("new");
        let write = || -> io::Result<()> {
            let mut options = OpenOptions::new();
            options.create(true).truncate(true).write(true).mode(0o600);
            let mut file = options.open(&new)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            std::fs::rename(&new, path)?;
            File::open(&self.dir)?.sync_all()
        };
        write().map_err(|error| failed("write", path, &error))
    }
}

fn failed(doing: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("cannot {doing} {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn named(id: u64) -> Watch {
        Watch { id, uid: format!("u{id}"), ..Watch::default() }
    }

    #[test]
    fn watches_are_numbered_for_ever_and_only_their_owner_can_read_them() {
        let dir = tempfile::tempdir().expect("a folder");
        let shelf = Shelf::new(dir.path());
        assert_eq!(shelf.all().expect("none").len(), 0);
        assert_eq!(shelf.add(named).expect("first").id, 1);
        assert_eq!(shelf.add(named).expect("second").id, 2);
        assert!(shelf.remove(2).expect("removed"));
        assert!(!shelf.remove(2).expect("not there"));
        assert_eq!(shelf.add(named).expect("third").id, 3);
        let mode = std::fs::metadata(shelf.path(1)).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(shelf.change(2, |_| ()).expect("nothing"), None);
    }

    #[test]
    fn texts_count_once_the_watch_names_them() {
        let dir = tempfile::tempdir().expect("a folder");
        let shelf = Shelf::new(dir.path());
        let watch = shelf.add(named).expect("first");
        let texts = |word: &str| BTreeMap::from([("a".to_owned(), word.to_owned())]);
        let number = shelf.put_texts(&watch, &texts("one")).expect("written");
        assert!(shelf.texts(&watch).is_empty(), "a kill here changes nothing");
        shelf.change(1, |watch| watch.texts = number).expect("named");
        let watch = shelf.one(1).expect("read").expect("there");
        assert_eq!(shelf.texts(&watch), texts("one"));
        shelf.put_texts(&watch, &texts("two")).expect("written");
        shelf.remove_texts(1, Some(watch.texts));
        assert_eq!(shelf.texts(&watch), texts("one"));
        assert!(!shelf.texts_path(1, 2).exists());
    }

    #[test]
    fn work_is_done_by_one_at_a_time() {
        let dir = tempfile::tempdir().expect("a folder");
        let shelf = Shelf::new(dir.path());
        let turn = shelf.turn(Work::Check, Duration::ZERO).expect("a lock");
        assert!(turn.is_some());
        assert!(shelf.turn(Work::Check, Duration::ZERO).expect("a lock").is_none());
        assert!(shelf.turn(Work::Send, Duration::ZERO).expect("a lock").is_some());
        drop(turn);
        assert!(shelf.turn(Work::Check, Duration::ZERO).expect("a lock").is_some());
    }
}
