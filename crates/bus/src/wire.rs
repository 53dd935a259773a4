//! What must a back end be able to do?
//!
//! Little: carry messages from one to many, and keep queues. Requests, proposals and presence are made of these in
//! one place for all back ends.

use crate::error::Result;
use crate::work::{Queue, WorkSettings};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::mpsc;

/// A message as a back end carries it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Message {
    /// Whole name of where it was sent.
    pub(crate) subject: String,
    /// Where an answer goes.
    pub(crate) reply: Option<String>,
    /// Who sent it, if it matters.
    pub(crate) from: Option<String>,
    /// An answer that is no: why.
    pub(crate) refused: Option<String>,
    /// An answer of the bus itself: nobody serves what was asked.
    pub(crate) nobody: bool,
    /// What it says.
    pub(crate) bytes: Bytes,
}

/// A message that somebody published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct News {
    /// Where it was published, without the part that is the same for the whole crawl.
    pub subject: String,
    /// What it says.
    pub bytes: Bytes,
}

/// Where a back end leaves the messages of one subscription: a queue with a bound. What does not fit is lost and
/// counted, so that a slow reader holds up nobody.
#[derive(Debug, Clone)]
pub(crate) struct Sink {
    sender: mpsc::Sender<Message>,
    lost: Arc<AtomicU64>,
}

impl Sink {
    /// A queue for `capacity` messages.
    pub(crate) fn new(capacity: usize) -> (Sink, mpsc::Receiver<Message>, Arc<AtomicU64>) {
        let (sender, receiver) = mpsc::channel(capacity);
        let lost = Arc::new(AtomicU64::new(0));
        (Sink { sender, lost: Arc::clone(&lost) }, receiver, lost)
    }

    /// Leaves a message; false when nobody reads any more.
    pub(crate) fn put(&self, message: Message) -> bool {
        match self.sender.try_send(message) {
            Ok(()) => true,
            Err(mpsc::error::TrySendError::Full(_)) => {
                self.lost.fetch_add(1, Ordering::Relaxed);
                true
            }
            Err(mpsc::error::TrySendError::Closed(_)) => false,
        }
    }

    /// Returns when nobody reads any more.
    pub(crate) async fn closed(&self) {
        self.sender.closed().await;
    }

    /// Whether nobody reads any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }
}

/// A back end. Subjects are whole names here.
pub(crate) trait Wire: Send + Sync + 'static {
    /// Sends to everyone who listens, and to one of each group. When there is a way back and nobody listens, the
    /// bus answers so itself ([`Message::nobody`]).
    fn send(&self, message: Message) -> BoxFuture<'_, Result<()>>;

    /// Leaves what is sent to the pattern in the sink, from now on and until nobody reads it. Returns when the
    /// back end knows of it.
    fn listen<'a>(
        &'a self,
        pattern: &'a str,
        group: Option<&'a str>,
        sink: Sink,
    ) -> BoxFuture<'a, Result<()>>;

    /// A subject that nobody else has, for answers.
    fn inbox(&self) -> String;

    /// A queue of work, which is made when it is not there.
    fn queue<'a>(
        &'a self,
        crawl: &'a str,
        name: &'a str,
        subject: String,
        settings: WorkSettings,
    ) -> BoxFuture<'a, Result<Arc<dyn Queue>>>;

    /// Returns when everything that was sent has left this process.
    fn flush(&self) -> BoxFuture<'_, Result<()>>;

    /// Which back end it is, and in which state, for people.
    fn state(&self) -> String;
}
