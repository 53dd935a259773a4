//! Who may touch the book? One thread: calls from all connections line up here. URLs that were put while
//! it was at work are taken together, in one change.

use super::book::{Book, Broken, Moment, Put, Verdict};
use lycosa_store::queues::Queues;
use lycosa_store::records::StoreError;
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::{mpsc, oneshot};

/// Calls that may wait in line; further ones wait for room.
const LINE: usize = 64;

/// URLs in one change; the group that passes it is the last.
const GROUP: usize = 4_096;

/// Why there is no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum DeskError {
    /// The store failed.
    #[error(transparent)]
    Broken(#[from] Broken),
    /// The server is closing.
    #[error("the server is closing")]
    Closed,
}

type Work = Box<dyn FnOnce(&mut Book, Moment) + Send>;
type Verdicts = Result<Vec<Verdict>, Broken>;

enum Job {
    Put(Vec<Put>, oneshot::Sender<Verdicts>),
    Work(Work),
}

/// A way to the book.
#[derive(Clone)]
pub(crate) struct Desk {
    line: mpsc::Sender<Job>,
}

/// Verdicts that are on their way.
pub(crate) struct Pending(oneshot::Receiver<Verdicts>);

impl Pending {
    /// Waits for them.
    pub(crate) async fn verdicts(self) -> Result<Vec<Verdict>, DeskError> {
        Ok(self.0.await.map_err(|_| DeskError::Closed)??)
    }
}

impl Desk {
    /// Opens the book and its thread, which ends when the last way to it is gone.
    pub(crate) fn open(store: Queues) -> Result<(Desk, JoinHandle<()>), StoreError> {
        let book = Book::open(store, now())?;
        let (line, jobs) = mpsc::channel(LINE);
        let thread = std::thread::spawn(move || work(book, jobs));
        Ok((Desk { line }, thread))
    }

    /// Puts URLs in line; their verdicts follow.
    pub(crate) async fn put(&self, puts: Vec<Put>) -> Result<Pending, DeskError> {
        let (reply, pending) = oneshot::channel();
        self.line.send(Job::Put(puts, reply)).await.map_err(|_| DeskError::Closed)?;
        Ok(Pending(pending))
    }

    /// Does something with the book.
    pub(crate) async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Book, Moment) -> T + Send + 'static,
    ) -> Result<T, DeskError> {
        let (reply, answer) = oneshot::channel();
        let work: Work = Box::new(move |book, now| drop(reply.send(work(book, now))));
        self.line.send(Job::Work(work)).await.map_err(|_| DeskError::Closed)?;
        answer.await.map_err(|_| DeskError::Closed)
    }
}

/// The present moment. Dates of other crawlers are dates of the calendar, so this is the wall's clock.
pub(crate) fn now() -> Moment {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    Moment(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

fn work(mut book: Book, mut jobs: mpsc::Receiver<Job>) {
    let mut next = None;
    loop {
        let job = match next.take().or_else(|| jobs.try_recv().ok()) {
            Some(job) => job,
            // Nobody waits: time to sweep, or to sleep.
            None if matches!(book.sweep(), Ok(true)) => continue,
            None => match jobs.blocking_recv() {
                Some(job) => job,
                None => return,
            },
        };
        match job {
            Job::Work(work) => work(&mut book, now()),
            Job::Put(puts, reply) => next = put(&mut book, &mut jobs, puts, reply),
        }
    }
}

/// Takes a group of URLs and those that wait behind it; gives back the job that ended the group.
fn put(
    book: &mut Book,
    jobs: &mut mpsc::Receiver<Job>,
    mut puts: Vec<Put>,
    reply: oneshot::Sender<Verdicts>,
) -> Option<Job> {
    let mut replies = vec![(puts.len(), reply)];
    let mut next = None;
    while puts.len() < GROUP {
        match jobs.try_recv() {
            Ok(Job::Put(more, reply)) => {
                replies.push((more.len(), reply));
                puts.extend(more);
            }
            Ok(other) => {
                next = Some(other);
                break;
            }
            Err(_) => break,
        }
    }
    // A sender that no longer waits is no error.
    match book.put(puts, now()) {
        Ok(mut verdicts) => {
            for (count, reply) in replies {
                let rest = verdicts.split_off(count.min(verdicts.len()));
                drop(reply.send(Ok(std::mem::replace(&mut verdicts, rest))));
            }
        }
        Err(broken) => {
            for (_, reply) in replies {
                drop(reply.send(Err(broken.clone())));
            }
        }
    }
    next
}
