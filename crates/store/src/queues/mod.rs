//! What do other crawlers keep here? Their queues of URLs, by crawl and key, in keyspaces of their own
//! beside the broker's records.
//!
//! A queue has a number that is never given again. Every URL is one row under its queue's number; a URL
//! that waits stands in `due` by date and arrival, one that somebody holds stands in `held` by the end of
//! its lease. A queue is deleted by removing its record, in one step however long it is; its rows are
//! swept away later.

mod change;
mod rows;
mod sweep;

pub use change::QueueChange;
pub use rows::{Counters, Metadata, Place, QueueRecord, UrlRow};
pub use sweep::Sweep;

use crate::records::{Records, StoreError, decode};
use crate::tables::Tables;
use fjall::{Database, Keyspace, KeyspaceCreateOptions};
use std::cell::RefCell;
use std::ops::Bound;

/// Bytes of a queue's number in a key.
const ID: usize = 8;

/// What a keyspace holds in memory before it becomes a sorted file: what the engine does by itself.
const TABLE_BYTES: u64 = 64 << 20;

/// The queues of other crawlers. Cheap to clone; all clones are one store.
#[derive(Clone)]
pub struct Queues {
    db: Database,
    queues: Keyspace,
    urls: Keyspace,
    due: Keyspace,
    held: Keyspace,
    gone: Keyspace,
    meta: Keyspace,
    tables: Tables,
}

impl Queues {
    /// The queues in the store of these records.
    pub fn open(records: &Records) -> Result<Queues, StoreError> {
        let db = records.database().clone();
        let tables = RefCell::new(records.tables().beside());
        let keyspace = |name| {
            let opened = db.keyspace(name, KeyspaceCreateOptions::default);
            let keyspace = opened.map_err(StoreError::write)?;
            tables.borrow_mut().watch(&keyspace, TABLE_BYTES);
            Ok(keyspace)
        };
        Ok(Queues {
            queues: keyspace("crawl-queues")?,
            urls: keyspace("crawl-urls")?,
            due: keyspace("crawl-due")?,
            held: keyspace("crawl-held")?,
            gone: keyspace("crawl-gone")?,
            meta: keyspace("crawl-meta")?,
            tables: tables.into_inner(),
            db,
        })
    }

    /// Begins a set of changes.
    pub fn change(&self) -> QueueChange<'_> {
        QueueChange::new(self)
    }

    /// Numbers and settings that hold for all queues.
    pub fn counters(&self) -> Result<Counters, StoreError> {
        match self.meta.get(b"counters").map_err(StoreError::read)? {
            Some(bytes) => decode(&bytes, "counters of the queues"),
            None => Ok(Counters::default()),
        }
    }

    /// All queues, by number.
    pub fn queues(&self) -> impl Iterator<Item = Result<(u64, QueueRecord), StoreError>> + use<> {
        self.queues.iter().map(|guard| {
            let (key, value) = guard.into_inner().map_err(StoreError::read)?;
            Ok((number(&key, 0, "queue")?, decode(&value, "queue")?))
        })
    }

    /// Numbers of deleted queues whose rows are not all swept away.
    pub fn gone(&self) -> Result<Vec<u64>, StoreError> {
        let numbers = self.gone.iter().map(|guard| {
            let (key, _) = guard.into_inner().map_err(StoreError::read)?;
            number(&key, 0, "deleted queue")
        });
        numbers.collect()
    }

    /// One URL of a queue.
    pub fn url(&self, queue: u64, url: &str) -> Result<Option<UrlRow>, StoreError> {
        let value = self.urls.get(url_key(queue, url)).map_err(StoreError::read)?;
        value.map(|bytes| decode(&bytes, "queued URL")).transpose()
    }

    /// The URLs of a queue, by address.
    pub fn urls(
        &self,
        queue: u64,
    ) -> impl Iterator<Item = Result<(String, UrlRow), StoreError>> + use<> {
        range(&self.urls, queue, &[]).map(|row| {
            let (key, value) = row?;
            let url = text(key.get(ID..).unwrap_or_default(), "queued URL")?;
            Ok((url, decode(&value, "queued URL")?))
        })
    }

    /// What waits in a queue from this date and arrival on, in order: date, arrival and address.
    pub fn due(
        &self,
        queue: u64,
        from: (u64, u64),
    ) -> impl Iterator<Item = Result<(u64, u64, String), StoreError>> + use<> {
        timed(&self.due, queue, from)
    }

    /// What is held of a queue, by the end of the lease, from this end on: end, arrival and address.
    pub fn held(
        &self,
        queue: u64,
        from: u64,
    ) -> impl Iterator<Item = Result<(u64, u64, String), StoreError>> + use<> {
        timed(&self.held, queue, (from, 0))
    }
}

fn url_key(queue: u64, url: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(ID + url.len());
    key.extend_from_slice(&queue.to_be_bytes());
    key.extend_from_slice(url.as_bytes());
    key
}

fn time_key(queue: u64, time: u64, arrival: u64) -> [u8; 3 * ID] {
    let mut key = [0; 3 * ID];
    for (part, number) in key.chunks_exact_mut(ID).zip([queue, time, arrival]) {
        part.copy_from_slice(&number.to_be_bytes());
    }
    key
}

fn number(key: &[u8], part: usize, what: &'static str) -> Result<u64, StoreError> {
    let bytes = key.get(part * ID..(part + 1) * ID).and_then(|bytes| bytes.try_into().ok());
    bytes.map(u64::from_be_bytes).ok_or(StoreError::CorruptKey { what })
}

fn text(bytes: &[u8], what: &'static str) -> Result<String, StoreError> {
    String::from_utf8(bytes.to_vec()).map_err(|_| StoreError::CorruptKey { what })
}

/// Rows of one queue, from `queue ++ from` on.
fn range(
    keyspace: &Keyspace,
    queue: u64,
    from: &[u8],
) -> impl Iterator<Item = Result<(fjall::UserKey, fjall::UserValue), StoreError>> + use<> {
    let mut first = queue.to_be_bytes().to_vec();
    first.extend_from_slice(from);
    let end = match queue.checked_add(1) {
        Some(next) => Bound::Excluded(next.to_be_bytes().to_vec()),
        None => Bound::Unbounded,
    };
    keyspace
        .range((Bound::Included(first), end))
        .map(|guard| guard.into_inner().map_err(StoreError::read))
}

fn timed(
    keyspace: &Keyspace,
    queue: u64,
    from: (u64, u64),
) -> impl Iterator<Item = Result<(u64, u64, String), StoreError>> + use<> {
    let from = time_key(queue, from.0, from.1);
    range(keyspace, queue, &from[ID..]).map(|row| {
        let (key, value) = row?;
        let what = "place in a queue";
        Ok((number(&key, 1, what)?, number(&key, 2, what)?, text(&value, what)?))
    })
}

#[cfg(test)]
mod tests;
