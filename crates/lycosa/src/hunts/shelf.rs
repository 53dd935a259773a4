//! What is kept of hunts? One file for each in the data folder.

use crate::failure::Failure;
use lycosa_model::message::{HuntOrder, HuntView};
use lycosa_model::{Phase, Tick};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Where they are in the data folder.
const SHELF: &str = "agents/hunts";

/// All hunts of a data folder.
#[derive(Clone, Debug)]
pub(crate) struct Shelf {
    dir: PathBuf,
}

impl Shelf {
    pub(crate) fn new(data: &Path) -> Shelf {
        Shelf { dir: data.join(SHELF) }
    }

    /// All of them, by number. A file that cannot be read is told of and left where it is.
    pub(crate) fn all(&self) -> Result<Vec<HuntView>, Failure> {
        let entries = match std::fs::read_dir(&self.dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(self.failed("read", &self.dir, &error)),
        };
        let mut hunts = Vec::new();
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            if number_of(&path).is_none() {
                continue;
            }
            match read(&path) {
                Ok(view) => hunts.push(view),
                Err(error) => tracing::warn!("{}: {error}", path.display()),
            }
        }
        hunts.sort_by_key(|view| view.id);
        Ok(hunts)
    }

    /// One of them, as it is on the shelf now.
    pub(crate) fn one(&self, id: u64) -> Option<Kept> {
        read(&self.beside(id, "json")).ok().map(|view| self.keep(view))
    }

    /// A new hunt, which waits.
    pub(crate) fn add(
        &self,
        order: HuntOrder,
        strategy: &str,
        served: bool,
    ) -> Result<Kept, Failure> {
        std::fs::create_dir_all(&self.dir)
            .map_err(|error| self.failed("make", &self.dir, &error))?;
        let entries =
            std::fs::read_dir(&self.dir).map_err(|error| self.failed("read", &self.dir, &error))?;
        let taken = entries.filter_map(|entry| number_of(&entry.ok()?.path()));
        let id = self.take(taken.max().unwrap_or(0) + 1)?;
        let view = HuntView {
            id,
            order,
            served,
            state: Phase::Waiting,
            strategy: strategy.into(),
            asked: now(),
            ..HuntView::default()
        };
        let kept = self.keep(view);
        kept.change(|_| {})?;
        Ok(kept)
    }

    /// Takes the first number from here on that no other process has taken.
    fn take(&self, first: u64) -> Result<u64, Failure> {
        for id in first.. {
            let path = self.beside(id, "json");
            match std::fs::File::create_new(&path) {
                Ok(_) => return Ok(id),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(self.failed("write", &path, &error)),
            }
        }
        Err(Failure::new("there are no more numbers for hunts"))
    }

    /// One that is on the shelf already.
    pub(crate) fn keep(&self, view: HuntView) -> Kept {
        let begun = Arc::new(AtomicBool::new(false));
        Kept { shelf: self.clone(), view: Arc::new(Mutex::new(view)), begun }
    }

    /// A file beside the record of a hunt.
    pub(crate) fn beside(&self, id: u64, ending: &str) -> PathBuf {
        self.dir.join(format!("{id}.{ending}"))
    }

    /// Takes the record of a hunt away that never was one.
    pub(crate) fn remove(&self, id: u64) {
        for ending in ["json", "examples"] {
            // What is not there need not be removed.
            drop(std::fs::remove_file(self.beside(id, ending)));
        }
    }

    fn write(&self, view: &HuntView) -> Result<(), Failure> {
        let path = self.beside(view.id, "json");
        let new = self.beside(view.id, "new");
        let text = serde_json::to_vec_pretty(view)?;
        std::fs::write(&new, text)
            .and_then(|()| std::fs::rename(&new, &path))
            .map_err(|error| self.failed("write", &path, &error))
    }

    fn failed(&self, doing: &str, path: &Path, error: &io::Error) -> Failure {
        Failure::new(format!("cannot {doing} {}: {error}", path.display()))
    }
}

fn read(path: &Path) -> Result<HuntView, String> {
    let text = std::fs::read(path).map_err(|error| error.to_string())?;
    serde_json::from_slice(&text).map_err(|error| error.to_string())
}

/// The number of the hunt that a file is the record of.
fn number_of(path: &Path) -> Option<u64> {
    let name = path.file_name()?.to_str()?;
    name.strip_suffix(".json")?.parse().ok()
}

pub(crate) fn now() -> Tick {
    let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Tick(wall.as_millis() as u64)
}

/// A hunt whose changes are written down. Cheap to clone; all clones are one.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    shelf: Shelf,
    view: Arc<Mutex<HuntView>>,
    /// Whether its crawl answers now.
    begun: Arc<AtomicBool>,
}

impl Kept {
    /// As it is now.
    pub(crate) fn view(&self) -> HuntView {
        self.view.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether its crawl has begun in this process.
    pub(crate) fn has_begun(&self) -> bool {
        self.begun.load(Ordering::Relaxed)
    }

    /// Its crawl begins: tells what it shall be doing.
    pub(crate) fn begin(&self, run: u32) -> Result<Phase, Failure> {
        self.change(|view| {
            view.run = Some(run);
            if view.state == Phase::Starting {
                view.state = Phase::Running;
            }
        })?;
        self.begun.store(true, Ordering::Relaxed);
        Ok(self.view().state)
    }

    /// Takes it up, now that the folder is ours: what is on the shelf is what counts, since another process may
    /// have worked on it. Tells whether there is something to do.
    pub(crate) fn take_up(&self) -> Result<bool, Failure> {
        if let Some(there) = self.shelf.one(self.view().id) {
            *self.view.lock().unwrap_or_else(PoisonError::into_inner) = there.view();
        }
        self.change(|view| {
            view.state = match view.state {
                Phase::Finished | Phase::Stopping => Phase::Finished,
                Phase::Paused => Phase::Paused,
                _ => Phase::Starting,
            };
        })?;
        Ok(self.view().state != Phase::Finished)
    }

    /// Changes it and writes it down.
    pub(crate) fn change(&self, change: impl FnOnce(&mut HuntView)) -> Result<(), Failure> {
        let mut view = self.view.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut view);
        if view.state == Phase::Finished {
            view.ended.get_or_insert(now());
        }
        self.shelf.write(&view)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunts_are_numbered_and_read_back_and_a_torn_file_does_no_harm() {
        let dir = tempfile::tempdir().expect("a folder");
        let shelf = Shelf::new(dir.path());
        assert_eq!(shelf.all().expect("none").len(), 0);
        let order = |query: &str| HuntOrder { query: query.into(), ..HuntOrder::default() };
        shelf.add(order("sea birds"), "learned", true).expect("first");
        let second = shelf.add(order("whales"), "learned", true).expect("second");
        second.change(|view| view.state = Phase::Finished).expect("changed");
        std::fs::write(shelf.beside(7, "json"), "{\"id\":").expect("write");
        let all = shelf.all().expect("two");
        let states: Vec<(u64, Phase)> = all.iter().map(|view| (view.id, view.state)).collect();
        assert_eq!(states, [(1, Phase::Waiting), (2, Phase::Finished)]);
        assert!(all[1].ended.is_some());
        assert_eq!(shelf.add(order("krill"), "fish", false).expect("next").view().id, 8);
    }
}
