//! Which URLs do other crawlers keep here, and whose turn is it? The queues by crawl and key.
//!
//! One small record per queue is in memory, with its place in the rotation of its crawl; URLs are only in
//! the store. Every call takes the moment as an argument and writes what follows from it in one change. A
//! store that failed once is not written to again.

mod give;
mod manage;
mod put;
mod rotation;
#[cfg(test)]
mod tests;

pub(crate) use give::{Ask, Pass, Which};
pub(crate) use manage::{Found, QueuePage};
pub(crate) use put::{News, Put, Verdict};

use lycosa_store::queues::{Counters, QueueRecord, Queues, Sweep};
use lycosa_store::records::StoreError;
use rotation::{Rotation, Spot};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

/// Queues in all crawls together. Each costs some 300 bytes of memory.
pub(crate) const MAX_QUEUES: usize = 5_000_000;

/// Crawls.
pub(crate) const MAX_CRAWLS: usize = 10_000;

/// Rows of deleted queues removed at once.
const SWEEP: usize = 2_000;

/// A moment: milliseconds since the epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(pub(crate) u64);

impl Moment {
    /// Whole seconds since the epoch.
    pub(crate) fn seconds(self) -> u64 {
        self.0 / 1_000
    }
}

/// Why the queues cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the queues cannot be used: {0}")]
pub(crate) struct Broken(String);

impl From<StoreError> for Broken {
    fn from(error: StoreError) -> Broken {
        Broken(error.to_string())
    }
}

/// The queues of one crawl.
#[derive(Default)]
struct Crawl {
    queues: BTreeMap<Arc<str>, u64>,
    rotation: Rotation,
}

/// One queue, and where it stands in the rotation of its crawl.
struct Queue {
    record: QueueRecord,
    spot: Spot,
}

/// All queues.
pub(crate) struct Book {
    store: Queues,
    counters: Counters,
    crawls: BTreeMap<Arc<str>, Crawl>,
    queues: HashMap<u64, Queue>,
    gone: VecDeque<Sweep>,
    broken: Option<Broken>,
}

impl Book {
    /// Reads the records of all queues; their URLs stay where they are.
    pub(crate) fn open(store: Queues, now: Moment) -> Result<Book, StoreError> {
        let mut book = Book {
            counters: store.counters()?,
            crawls: BTreeMap::new(),
            queues: HashMap::new(),
            gone: store.gone()?.into_iter().map(Sweep::of).collect(),
            broken: None,
            store,
        };
        for row in book.store.queues() {
            let (id, mut record) = row?;
            // One name for all queues of a crawl.
            if let Some((name, _)) = book.crawls.get_key_value(&record.crawl) {
                record.crawl = name.clone();
            }
            let crawl = book.crawls.entry(record.crawl.clone()).or_default();
            crawl.queues.insert(record.key.clone(), id);
            book.queues.insert(id, Queue { record, spot: Spot::Out });
        }
        let ids: Vec<u64> = book.queues.keys().copied().collect();
        for id in ids {
            book.place(id, now);
        }
        Ok(book)
    }

    /// The store, for reading beside the book.
    pub(crate) fn store(&self) -> Queues {
        self.store.clone()
    }

    /// Refuses all work after a failure of the store, and remembers a new one.
    fn guard<T>(
        &mut self,
        work: impl FnOnce(&mut Book) -> Result<T, StoreError>,
    ) -> Result<T, Broken> {
        if let Some(broken) = &self.broken {
            return Err(broken.clone());
        }
        work(self).map_err(|error| {
            let broken = Broken::from(error);
            self.broken = Some(broken.clone());
            broken
        })
    }

    fn find(&self, crawl: &str, key: &str) -> Option<u64> {
        self.crawls.get(crawl)?.queues.get(key).copied()
    }

    /// The queue of a key; made when there is none and there is room for one.
    fn find_or_make(&mut self, crawl: &str, key: &str) -> Option<u64> {
        if let Some(id) = self.find(crawl, key) {
            return Some(id);
        }
        let known = self.crawls.get_key_value(crawl).map(|(name, _)| name.clone());
        if self.queues.len() >= MAX_QUEUES || (known.is_none() && self.crawls.len() >= MAX_CRAWLS) {
            return None;
        }
        let (crawl, key): (Arc<str>, Arc<str>) =
            (known.unwrap_or_else(|| crawl.into()), key.into());
        let id = self.counters.next_queue;
        self.counters.next_queue += 1;
        let turn = self.next_turn();
        self.crawls.entry(crawl.clone()).or_default().queues.insert(key.clone(), id);
        let record = QueueRecord::new(crawl, key, turn);
        self.queues.insert(id, Queue { record, spot: Spot::Out });
        Some(id)
    }

    fn next_turn(&mut self) -> u64 {
        let turn = self.counters.next_turn;
        self.counters.next_turn += 1;
        turn
    }

    fn next_arrival(&mut self) -> u64 {
        let arrival = self.counters.next_arrival;
        self.counters.next_arrival += 1;
        arrival
    }

    /// Puts a queue where it belongs in its rotation.
    fn place(&mut self, id: u64, now: Moment) {
        let delay = self.counters.delay;
        self.move_to(id, |record| rotation::spot(record, delay, now));
    }

    fn move_to(&mut self, id: u64, to: impl FnOnce(&QueueRecord) -> Spot) {
        let Some(queue) = self.queues.get_mut(&id) else { return };
        let Some(crawl) = self.crawls.get_mut(&queue.record.crawl) else { return };
        let spot = to(&queue.record);
        crawl.rotation.change(id, queue.spot, spot);
        queue.spot = spot;
    }

    /// Removes some rows of deleted queues; false when there is nothing to do.
    pub(crate) fn sweep(&mut self) -> Result<bool, Broken> {
        let Some(mut sweep) = self.gone.pop_front() else { return Ok(false) };
        let done = self.guard(|book| sweep.step(&book.store, SWEEP))?;
        if !done {
            self.gone.push_front(sweep);
        }
        Ok(true)
    }
}
