//! How is something said, asked and answered?

use crate::error::{Error, Result};
use crate::local::Hub;
use crate::nats::Nats;
use crate::subject::{Space, is_word};
use crate::wire::{Message, News, Sink, Wire};
use crate::work::{Work, WorkSettings};
use bytes::Bytes;
use futures_util::FutureExt;
use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::AbortHandle;

/// Messages of a subscription that may wait for their reader, unless it says otherwise.
pub(crate) const WAITING: usize = 4096;

/// Requests that one service works on at the same time; the next ones wait.
const AT_ONCE: usize = 64;

/// A way to speak with other agents. Cheap to clone; all clones are one member of the bus.
#[derive(Clone)]
pub struct Bus {
    wire: Arc<dyn Wire>,
    space: Space,
    mail: Arc<Mail>,
}

impl std::fmt::Debug for Bus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bus({}, {})", self.wire.state(), self.space.crawl())
    }
}

impl Bus {
    /// Joins the bus at this address: `local` is one of this process alone, `nats://a:4222,b:4222` a cluster of
    /// servers. `crawl` is one word; members of different crawls do not hear each other.
    ///
    /// # Errors
    /// When the address is none, no server answers, or it is too old.
    pub async fn open(address: &str, crawl: &str) -> Result<Bus> {
        if address == "local" {
            return Bus::local(&Hub::default(), crawl).await;
        }
        let space = Space::new(crawl)?;
        Bus::over(Arc::new(Nats::connect(address).await?), space).await
    }

    /// Joins a bus inside this process that others may have joined, too.
    ///
    /// # Errors
    /// When the name of the crawl is not one word.
    pub async fn local(hub: &Hub, crawl: &str) -> Result<Bus> {
        Bus::over(Arc::new(hub.clone()), Space::new(crawl)?).await
    }

    async fn over(wire: Arc<dyn Wire>, space: Space) -> Result<Bus> {
        let mail = Mail::open(wire.as_ref()).await?;
        Ok(Bus { wire, space, mail })
    }

    /// Which back end it is, and in which state, for people.
    pub fn state(&self) -> String {
        self.wire.state()
    }

    /// Sends to everyone who listens now. Whoever does not is not told later.
    ///
    /// # Errors
    /// When the subject is none, or the message too large, or the bus closed.
    pub async fn publish(&self, subject: &str, bytes: impl Into<Bytes>) -> Result<()> {
        let subject = self.space.subject(subject)?;
        self.wire.send(Message { subject, bytes: bytes.into(), ..Message::default() }).await
    }

    /// Returns when everything that was published has left this process.
    ///
    /// # Errors
    /// When the bus is disturbed.
    pub async fn flush(&self) -> Result<()> {
        self.wire.flush().await
    }

    /// Listens to a pattern, in which `*` is any word and `>` at the end any rest. Up to 4,096 messages wait for
    /// the reader; more are lost and counted.
    ///
    /// # Errors
    /// When the pattern is none, or the bus is disturbed.
    pub async fn subscribe(&self, pattern: &str) -> Result<Subscription> {
        self.subscribe_with(pattern, WAITING).await
    }

    /// Listens as [`Bus::subscribe`] does, with another number of messages that may wait.
    ///
    /// # Errors
    /// When the pattern is none, or the bus is disturbed.
    pub async fn subscribe_with(&self, pattern: &str, waiting: usize) -> Result<Subscription> {
        let pattern = self.space.pattern(pattern)?;
        let (sink, receiver, lost) = Sink::new(waiting.max(1));
        self.wire.listen(&pattern, None, sink).await?;
        Ok(Subscription { receiver, lost, space: self.space.clone() })
    }

    /// Asks one of those who serve a subject, and waits for the answer.
    ///
    /// # Errors
    /// [`Error::Nobody`] at once when nobody serves it, [`Error::NoAnswer`] after the timeout, and
    /// [`Error::Refused`] when the answer is no.
    pub async fn request(
        &self,
        subject: &str,
        bytes: impl Into<Bytes>,
        timeout: Duration,
    ) -> Result<Bytes> {
        let whole = self.space.subject(subject)?;
        let mut letters = self.mail.letters(1);
        let message = Message {
            subject: whole,
            reply: Some(letters.address.clone()),
            bytes: bytes.into(),
            ..Message::default()
        };
        self.wire.send(message).await?;
        let none = Error::NoAnswer { subject: subject.to_owned(), timeout };
        let Ok(answer) = tokio::time::timeout(timeout, letters.next()).await else {
            return Err(none);
        };
        match answer.ok_or(Error::Closed)? {
            Message { nobody: true, .. } => Err(Error::Nobody(subject.to_owned())),
            Message { refused: Some(why), .. } => Err(Error::Refused(why)),
            Message { bytes, .. } => Ok(bytes),
        }
    }

    /// Answers requests until the returned value goes. Each request goes to one member of a group; members of
    /// different groups get all of them. Up to 64 are worked on at the same time. A handler that panics refuses
    /// its request and nothing else.
    ///
    /// # Errors
    /// When subject or group are none, or the bus is disturbed.
    pub async fn serve<F, A>(&self, subject: &str, group: &str, handler: F) -> Result<Service>
    where
        F: Fn(Bytes) -> A + Send + Sync + 'static,
        A: Future<Output = std::result::Result<Bytes, Refusal>> + Send + 'static,
    {
        if !is_word(group) {
            return Err(Error::Subject(group.to_owned()));
        }
        let pattern = self.space.pattern(subject)?;
        self.answer(&pattern, Some(group), move |message| {
            let answer = handler(message.bytes);
            async move {
                match answer.await {
                    Ok(bytes) => Some(Message { bytes, ..Message::default() }),
                    Err(Refusal(why)) => Some(Message { refused: Some(why), ..Message::default() }),
                }
            }
        })
        .await
    }

    /// Calls `respond` for each message with a way back, and sends what it gives, if anything.
    pub(crate) async fn answer<F, A>(
        &self,
        pattern: &str,
        group: Option<&str>,
        respond: F,
    ) -> Result<Service>
    where
        F: Fn(Message) -> A + Send + Sync + 'static,
        A: Future<Output = Option<Message>> + Send + 'static,
    {
        let (sink, mut receiver, lost) = Sink::new(WAITING);
        self.wire.listen(pattern, group, sink).await?;
        let wire = Arc::clone(&self.wire);
        let places = Arc::new(Semaphore::new(AT_ONCE));
        let task = tokio::spawn(async move {
            while let Some(message) = receiver.recv().await {
                let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
                let Some(reply) = message.reply.clone() else { continue };
                let wire = Arc::clone(&wire);
                // The call itself may panic, not only what it returns.
                let answer = std::panic::catch_unwind(AssertUnwindSafe(|| respond(message)));
                tokio::spawn(async move {
                    let answer = match answer {
                        Ok(answer) => AssertUnwindSafe(answer).catch_unwind().await,
                        Err(panic) => Err(panic),
                    };
                    let answer = answer.unwrap_or_else(|_| {
                        let why = Some("the handler failed on this message".to_owned());
                        Some(Message { refused: why, ..Message::default() })
                    });
                    if let Some(answer) = answer
                        && let Err(error) = wire.send(Message { subject: reply, ..answer }).await
                    {
                        tracing::warn!(%error, "an answer was not sent");
                    }
                    drop(place);
                });
            }
        });
        Ok(Service { task: task.abort_handle(), lost })
    }

    /// A queue of work with this name (one word), made when it is not there. Whoever opens it again with other
    /// settings changes them for all.
    ///
    /// # Errors
    /// When the back end keeps no queues, or is disturbed for longer than `settings.patience`.
    pub async fn work(&self, name: &str, settings: WorkSettings) -> Result<Work> {
        if !is_word(name) {
            return Err(Error::Subject(name.to_owned()));
        }
        let subject = self.space.subject(&format!("work.{name}"))?;
        let queue = self.wire.queue(self.space.crawl(), name, subject, settings.clone()).await?;
        Ok(Work::new(name, queue, settings))
    }

    pub(crate) fn space(&self) -> &Space {
        &self.space
    }

    pub(crate) fn mail(&self) -> &Arc<Mail> {
        &self.mail
    }

    pub(crate) fn wire(&self) -> &Arc<dyn Wire> {
        &self.wire
    }
}

/// A no, with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal(pub String);

impl<T: Into<String>> From<T> for Refusal {
    fn from(why: T) -> Refusal {
        Refusal(why.into())
    }
}

/// What was published, as it comes. Dropping it ends the subscription.
#[derive(Debug)]
pub struct Subscription {
    receiver: mpsc::Receiver<Message>,
    lost: Arc<AtomicU64>,
    space: Space,
}

impl Subscription {
    /// The next message; `None` when the bus is closed. Cancel-safe.
    pub async fn next(&mut self) -> Option<News> {
        let message = self.receiver.recv().await?;
        let subject = self.space.short(&message.subject).to_owned();
        Some(News { subject, bytes: message.bytes })
    }

    /// How many messages were lost because too many waited.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}

/// Somebody who answers. Dropping it ends the service; what it works on is still answered.
#[derive(Debug)]
pub struct Service {
    task: AbortHandle,
    lost: Arc<AtomicU64>,
}

impl Service {
    /// How many requests were lost because too many waited.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Where answers arrive: one subscription for all requests of a member.
#[derive(Debug)]
pub(crate) struct Mail {
    inbox: String,
    next: AtomicU64,
    waiting: Mutex<HashMap<u64, mpsc::Sender<Message>>>,
}

impl Mail {
    async fn open(wire: &dyn Wire) -> Result<Arc<Mail>> {
        let inbox = wire.inbox();
        let (sink, mut receiver, _) = Sink::new(16 * WAITING);
        wire.listen(&format!("{inbox}.*"), None, sink).await?;
        let mail = Arc::new(Mail { inbox, next: AtomicU64::new(0), waiting: Mutex::default() });
        let weak = Arc::downgrade(&mail);
        tokio::spawn(async move {
            while let Some(message) = receiver.recv().await {
                let Some(mail) = weak.upgrade() else { return };
                let number = message.subject.rsplit('.').next().and_then(|n| n.parse().ok());
                if let Some(number) = number
                    && let Some(sender) = mail.lock().get(&number)
                {
                    // An answer beyond those that are wanted.
                    drop(sender.try_send(message));
                }
            }
        });
        Ok(mail)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<u64, mpsc::Sender<Message>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An address for at most `most` answers that nobody has read yet.
    pub(crate) fn letters(self: &Arc<Mail>, most: usize) -> Letters {
        let (sender, receiver) = mpsc::channel(most.clamp(1, WAITING));
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.lock().insert(number, sender);
        let address = format!("{}.{number}", self.inbox);
        Letters { address, receiver, number, mail: Arc::clone(self) }
    }
}

/// The answers to one question.
pub(crate) struct Letters {
    pub(crate) address: String,
    receiver: mpsc::Receiver<Message>,
    number: u64,
    mail: Arc<Mail>,
}

impl Letters {
    pub(crate) async fn next(&mut self) -> Option<Message> {
        self.receiver.recv().await
    }
}

impl Drop for Letters {
    fn drop(&mut self) {
        self.mail.lock().remove(&self.number);
    }
}
