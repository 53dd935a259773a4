//! What happens beside the caller? Writing and merging runs takes seconds; a thread does it, and its
//! result is taken over at a later call.

use super::format::Entry;
use super::merge::Merge;
use super::run::Run;
use super::writer::RunWriter;
use super::{Kind, Table};
use crate::records::StoreError;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// Why a piece of work has no result.
#[derive(Debug)]
pub(super) enum Failed {
    /// Nobody wants it any more.
    Cancelled,
    /// The store cannot go on.
    Store(StoreError),
}

impl From<StoreError> for Failed {
    fn from(error: StoreError) -> Failed {
        Failed::Store(error)
    }
}

/// A thread at work. Dropping it tells the thread to stop and waits until it has.
pub(super) struct Work<T> {
    thread: Option<JoinHandle<Result<T, Failed>>>,
    cancelled: Arc<AtomicBool>,
}

impl<T: Send + 'static> Work<T> {
    /// Starts a thread, which looks at the flag from time to time.
    pub(super) fn start(
        task: impl FnOnce(&AtomicBool) -> Result<T, Failed> + Send + 'static,
    ) -> Result<Work<T>, StoreError> {
        let cancelled = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&cancelled);
        let thread = thread::Builder::new().name("tally".into()).spawn(move || task(&flag));
        let thread = thread.map_err(|error| StoreError::Write(error.to_string()))?;
        Ok(Work { thread: Some(thread), cancelled })
    }

    /// Whether [`Work::wait`] would return at once.
    pub(super) fn is_done(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// The result, when there is one; blocks until the thread has ended.
    pub(super) fn wait(mut self) -> Result<Option<T>, StoreError> {
        match self.thread.take().map(JoinHandle::join) {
            None | Some(Ok(Err(Failed::Cancelled))) => Ok(None),
            Some(Ok(Ok(result))) => Ok(Some(result)),
            Some(Ok(Err(Failed::Store(error)))) => Err(error),
            Some(Err(_panic)) => Err(StoreError::Write("a thread of the sieve panicked".into())),
        }
    }
}

impl<T> Drop for Work<T> {
    fn drop(&mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // Its result is not wanted; a file that it leaves is removed when the tally is opened.
            let _ = thread.join();
        }
    }
}

/// Writes a table as the run with this number.
pub(super) fn flush(
    dir: &Path,
    kind: Kind,
    number: u64,
    table: &Table,
    cancelled: &AtomicBool,
) -> Result<Run, Failed> {
    let mut entries: Vec<Entry> =
        table.iter().map(|(&fingerprint, &sum)| (fingerprint, sum)).collect();
    entries.sort_unstable_by_key(|entry| entry.0);
    let room = entries.len() as u64;
    let mut writer = RunWriter::create(dir, kind.id(), number, room, cancelled)?;
    entries.into_iter().try_for_each(|entry| writer.push(entry))?;
    writer.finish()
}

/// Writes the sum of these runs as the run with this number.
pub(super) fn merge(
    dir: &Path,
    kind: Kind,
    number: u64,
    inputs: Vec<Arc<Run>>,
    cancelled: &AtomicBool,
) -> Result<Run, Failed> {
    let room = inputs.iter().map(|run| run.count()).sum();
    let mut writer = RunWriter::create(dir, kind.id(), number, room, cancelled)?;
    let mut merge = Merge::of(inputs)?;
    while let Some(entry) = merge.next()? {
        writer.push(entry)?;
    }
    writer.finish()
}
