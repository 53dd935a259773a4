//! Who commits when no message comes? A thread on real time.
//!
//! Tokio's clock is virtual in a replay and jumps whenever everybody waits, so a timer on it would commit
//! after every page. The thread sleeps while there is nothing to commit.

use crate::group::{Group, IndexError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use tokio::sync::Notify;

/// The group, shared by the agent, by its successors after a panic, and by the timer.
pub(crate) struct Desk {
    group: Mutex<Group>,
    changed: Condvar,
    /// Tells the agent that the timer has committed.
    pub(crate) committed: Notify,
}

impl Desk {
    /// A panic while the group was held leaves it usable: documents are put one by one, and marks move
    /// only after their documents.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Group> {
        self.group.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the timer that there may be something to commit.
    pub(crate) fn changed(&self) {
        self.changed.notify_one();
    }

    fn watch(&self) {
        let mut group = self.lock();
        while !group.closed {
            group = match group.due() {
                None => self.changed.wait(group).unwrap_or_else(PoisonError::into_inner),
                Some(rest) if rest.is_zero() => {
                    // A failure is kept in the group, and told to whoever sends next.
                    let _ = group.commit();
                    self.committed.notify_one();
                    group
                }
                Some(rest) => {
                    self.changed.wait_timeout(group, rest).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}

/// The thread. Dropping it ends the thread and waits for it, so that the writer's lock is free afterwards.
pub(crate) struct Timer {
    pub(crate) desk: Arc<Desk>,
    thread: Option<JoinHandle<()>>,
}

impl Timer {
    pub(crate) fn start(group: Group) -> Result<Timer, IndexError> {
        let desk = Arc::new(Desk {
            group: Mutex::new(group),
            changed: Condvar::new(),
            committed: Notify::new(),
        });
        let watched = Arc::clone(&desk);
        let thread = std::thread::Builder::new()
            .name("index-timer".into())
            .spawn(move || watched.watch())
            .map_err(IndexError::Timer)?;
        Ok(Timer { desk, thread: Some(thread) })
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.desk.lock().closed = true;
        self.desk.changed();
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has nothing left to tell.
            drop(thread.join());
        }
    }
}
