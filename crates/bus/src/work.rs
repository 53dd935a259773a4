//! How is work handed on so that none of it is lost?
//!
//! A message stays in its queue until somebody acknowledges it. Who holds it has a deadline; after that it is handed
//! out again. What was handed out too often is parked with a reason, and stays until a person or a program looks.

use crate::error::{Error, Result};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use lycosa_runtime::Backoff;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Longest name of a message.
const MAX_ID: usize = 200;

/// The first and the longest pause between two tries.
pub(crate) const PAUSES: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(1));

/// Longest reason that is kept with a parked message.
const MAX_REASON: usize = 500;

/// How a queue treats its messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkSettings {
    /// How long somebody may hold a message before it is handed out again.
    pub ack_wait: Duration,
    /// How often a message is handed out before it is parked.
    pub max_deliver: u32,
    /// How long a name is remembered, so that a message that is pushed twice is in the queue once.
    pub dedup: Duration,
    /// How many messages may wait, and how many may be parked.
    pub max_messages: u32,
    /// How long a call tries again while the bus is disturbed.
    pub patience: Duration,
}

impl Default for WorkSettings {
    fn default() -> WorkSettings {
        WorkSettings {
            ack_wait: Duration::from_secs(60),
            max_deliver: 5,
            dedup: Duration::from_secs(120),
            max_messages: 1_000_000,
            patience: Duration::from_secs(30),
        }
    }
}

/// What became of a message that was pushed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pushed {
    /// It is in the queue.
    Stored,
    /// One of its name was pushed lately; nothing was added.
    Known,
}

/// How many messages a queue has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Neither acknowledged nor parked: those that wait, and those that somebody holds.
    pub waiting: u64,
    /// Parked.
    pub parked: u64,
}

/// Which of the two lists of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lane {
    Todo,
    Parked,
}

/// A message as a queue keeps it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Entry {
    pub(crate) id: String,
    pub(crate) bytes: Bytes,
    pub(crate) attempts: u32,
    pub(crate) reason: String,
}

/// A message that was handed out.
#[derive(Debug, Clone)]
pub(crate) struct Delivery {
    pub(crate) id: String,
    pub(crate) bytes: Bytes,
    /// How often it has been handed out, this time included.
    pub(crate) attempt: u32,
    /// When, as far as is known here.
    pub(crate) handed: Instant,
    /// Its place in the queue.
    pub(crate) place: u64,
    /// By which the back end knows this handing out.
    pub(crate) ticket: String,
}

/// What to do with a message that was handed out.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Settle {
    /// It is done and leaves the queue.
    Done,
    /// It is handed out again after a while.
    Again(Duration),
    /// Its deadline begins anew.
    Keep,
}

/// A queue of a back end. Each call is one try.
pub(crate) trait Queue: Send + Sync {
    /// Adds a message, unless one with this mark was added lately.
    fn push<'a>(&'a self, lane: Lane, mark: &'a str, entry: Entry)
    -> BoxFuture<'a, Result<Pushed>>;

    /// Up to `most` messages; waits for the first one.
    fn pull(&self, most: usize, wait: Duration) -> BoxFuture<'_, Result<Vec<Delivery>>>;

    /// Tells what became of a message. Returns when the back end has it on record.
    fn settle<'a>(&'a self, ticket: &'a str, settle: Settle) -> BoxFuture<'a, Result<()>>;

    /// Parked messages with their places, the oldest first.
    fn parked(&self, most: usize) -> BoxFuture<'_, Result<Vec<(u64, Entry)>>>;

    /// Takes a parked message out.
    fn remove(&self, place: u64) -> BoxFuture<'_, Result<()>>;

    /// How many there are.
    fn counts(&self) -> BoxFuture<'_, Result<Counts>>;
}

/// A queue of work. Cheap to clone.
#[derive(Clone)]
pub struct Work {
    shared: Arc<Shared>,
}

struct Shared {
    name: String,
    queue: Arc<dyn Queue>,
    settings: WorkSettings,
}

impl std::fmt::Debug for Work {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Work({}, {:?})", self.shared.name, self.shared.settings)
    }
}

impl Work {
    pub(crate) fn new(name: &str, queue: Arc<dyn Queue>, settings: WorkSettings) -> Work {
        Work { shared: Arc::new(Shared { name: name.to_owned(), queue, settings }) }
    }

    /// Tries something until it is done, it cannot pass, or patience ends. A full queue is told at once, since
    /// the caller should stop making work.
    async fn patiently<T, F>(&self, mut call: impl FnMut() -> F) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        let mut backoff = Backoff::new(PAUSES.0, PAUSES.1, self.shared.settings.patience);
        loop {
            match call().await {
                Err(Error::Full(_)) => return Err(Error::Full(self.shared.name.clone())),
                Err(error) if error.passes() => {
                    tracing::debug!(%error, queue = %self.shared.name, "another try");
                    if !backoff.pause().await {
                        return Err(error);
                    }
                }
                other => return other,
            }
        }
    }

    /// Adds a message under a name. When it returns, the message survives the death of any one server. The same
    /// name again, within `dedup` of the settings, adds nothing; so whoever is not sure just pushes again.
    ///
    /// # Errors
    /// [`Error::Full`] at once; that the bus is disturbed, after `patience`.
    pub async fn push(&self, id: &str, bytes: impl Into<Bytes>) -> Result<Pushed> {
        if id.is_empty() || id.len() > MAX_ID || !id.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(Error::Subject(id.to_owned()));
        }
        let entry = Entry { id: id.to_owned(), bytes: bytes.into(), ..Entry::default() };
        let queue = &self.shared.queue;
        self.patiently(|| queue.push(Lane::Todo, id, entry.clone())).await
    }

    /// Takes up to `most` messages; waits up to `wait` for the first. None is no error.
    ///
    /// Whoever stops waiting in the middle may have been handed something: that comes again after its deadline.
    ///
    /// # Errors
    /// That the bus was disturbed until the end of `wait`.
    pub async fn pull(&self, most: usize, wait: Duration) -> Result<Vec<Job>> {
        if most == 0 {
            return Ok(Vec::new());
        }
        let mut backoff = Backoff::new(PAUSES.0, PAUSES.1, wait);
        loop {
            match self.shared.queue.pull(most, backoff.left()).await {
                Ok(deliveries) => {
                    let none = deliveries.is_empty();
                    let jobs = self.sort_out(deliveries).await;
                    if !jobs.is_empty() || none && backoff.left().is_zero() {
                        return Ok(jobs);
                    }
                }
                Err(error) if error.passes() => {
                    if !backoff.pause().await {
                        return Err(error);
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Parks what was handed out too often, and gives the rest.
    async fn sort_out(&self, deliveries: Vec<Delivery>) -> Vec<Job> {
        let mut jobs = Vec::new();
        for delivery in deliveries {
            let WorkSettings { max_deliver, ack_wait, .. } = self.shared.settings;
            if delivery.attempt <= max_deliver {
                let deadline = delivery.handed + ack_wait;
                jobs.push(Job { work: self.clone(), delivery, deadline });
                continue;
            }
            let reason = format!("not done within {ack_wait:?}, {max_deliver} times");
            if let Err(error) = self.park(&delivery, max_deliver, &reason).await {
                // It is still in the queue, and its turn comes again.
                tracing::warn!(%error, id = %delivery.id, "a message could not be parked");
            }
        }
        jobs
    }

    async fn park(&self, delivery: &Delivery, attempts: u32, reason: &str) -> Result<()> {
        let reason: String = reason.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let entry = Entry {
            id: delivery.id.clone(),
            bytes: delivery.bytes.clone(),
            attempts,
            reason: reason.chars().take(MAX_REASON).collect(),
        };
        // First there, then not here: a death in between parks it again under the same mark.
        let mark = format!("parked {}", delivery.place);
        let queue = &self.shared.queue;
        self.patiently(|| queue.push(Lane::Parked, &mark, entry.clone())).await?;
        self.patiently(|| queue.settle(&delivery.ticket, Settle::Done)).await
    }

    /// Up to `most` parked messages, the oldest first. They stay until they are forgotten or pushed again.
    ///
    /// # Errors
    /// That the bus was disturbed for longer than `patience`.
    pub async fn parked(&self, most: usize) -> Result<Vec<Parked>> {
        let found = self.patiently(|| self.shared.queue.parked(most)).await?;
        let parked =
            found.into_iter().map(|(place, entry)| Parked { work: self.clone(), place, entry });
        Ok(parked.collect())
    }

    /// How many messages there are.
    ///
    /// # Errors
    /// That the bus was disturbed for longer than `patience`.
    pub async fn counts(&self) -> Result<Counts> {
        self.patiently(|| self.shared.queue.counts()).await
    }
}

/// A message that we hold until its deadline. Dropping it is doing nothing: it comes again after that.
#[derive(Debug)]
pub struct Job {
    work: Work,
    delivery: Delivery,
    deadline: Instant,
}

impl Job {
    /// The name it was pushed under.
    pub fn id(&self) -> &str {
        &self.delivery.id
    }

    /// What it says.
    pub fn bytes(&self) -> &Bytes {
        &self.delivery.bytes
    }

    /// How often it has been handed out, this time included.
    pub fn attempt(&self) -> u32 {
        self.delivery.attempt
    }

    /// Until when we hold it, but for the time that it was under way.
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// It is done, and leaves the queue.
    ///
    /// # Errors
    /// That the bus was disturbed for longer than `patience`: then it may come again.
    pub async fn ack(self) -> Result<()> {
        let queue = &self.work.shared.queue;
        self.work.patiently(|| queue.settle(&self.delivery.ticket, Settle::Done)).await
    }

    /// It could not be done. It comes again after `delay`, or is parked with the reason if this was the last time.
    ///
    /// # Errors
    /// That the bus was disturbed for longer than `patience`: then it comes again after its deadline.
    pub async fn nak(self, reason: &str, delay: Duration) -> Result<()> {
        if self.delivery.attempt >= self.work.shared.settings.max_deliver {
            return self.work.park(&self.delivery, self.delivery.attempt, reason).await;
        }
        let queue = &self.work.shared.queue;
        self.work.patiently(|| queue.settle(&self.delivery.ticket, Settle::Again(delay))).await
    }

    /// It takes longer: its deadline begins anew.
    ///
    /// # Errors
    /// That the bus was disturbed for longer than `patience`.
    pub async fn keep(&mut self) -> Result<()> {
        let begin = Instant::now();
        let queue = &self.work.shared.queue;
        self.work.patiently(|| queue.settle(&self.delivery.ticket, Settle::Keep)).await?;
        self.deadline = begin + self.work.shared.settings.ack_wait;
        Ok(())
    }
}

/// A message that was handed out too often.
#[derive(Debug)]
pub struct Parked {
    work: Work,
    place: u64,
    entry: Entry,
}

impl Parked {
    /// The name it was pushed under.
    pub fn id(&self) -> &str {
        &self.entry.id
    }

    /// What it says.
    pub fn bytes(&self) -> &Bytes {
        &self.entry.bytes
    }

    /// How often it was handed out.
    pub fn attempts(&self) -> u32 {
        self.entry.attempts
    }

    /// Why it is here.
    pub fn reason(&self) -> &str {
        &self.entry.reason
    }

    /// Throws it away.
    ///
    /// # Errors
    /// That the bus was disturbed for longer than `patience`.
    pub async fn forget(self) -> Result<()> {
        self.work.patiently(|| self.work.shared.queue.remove(self.place)).await
    }

    /// Puts it back into the queue, as if it were new.
    ///
    /// # Errors
    /// That the queue is full, or the bus was disturbed for longer than `patience`.
    pub async fn again(self) -> Result<()> {
        let entry = Entry { attempts: 0, reason: String::new(), ..self.entry.clone() };
        let mark = format!("again {}", self.place);
        let queue = &self.work.shared.queue;
        self.work.patiently(|| queue.push(Lane::Todo, &mark, entry.clone())).await?;
        self.forget().await
    }
}
