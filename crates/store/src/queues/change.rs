//! What changes together in the queues?

use super::{Counters, QueueRecord, Queues, UrlRow, time_key, url_key};
use crate::records::StoreError;
use fjall::{Keyspace, OwnedWriteBatch};
use serde::Serialize;

/// Changes of queues that become visible and durable together, or not at all. One change may write each
/// row only once.
pub struct QueueChange<'a> {
    queues: &'a Queues,
    batch: OwnedWriteBatch,
    failed: Option<StoreError>,
}

impl<'a> QueueChange<'a> {
    pub(super) fn new(queues: &'a Queues) -> QueueChange<'a> {
        QueueChange { queues, batch: queues.db.batch(), failed: None }
    }

    /// Writes what holds for all queues.
    pub fn put_counters(&mut self, counters: &Counters) {
        self.put(|queues| &queues.meta, b"counters".to_vec(), counters);
    }

    /// Writes a queue.
    pub fn put_queue(&mut self, queue: u64, record: &QueueRecord) {
        self.put(|queues| &queues.queues, queue.to_be_bytes().to_vec(), record);
    }

    /// Deletes a queue. Its rows wait to be swept.
    pub fn remove_queue(&mut self, queue: u64) {
        self.batch.remove(&self.queues.queues, &queue.to_be_bytes()[..]);
        self.batch.insert(&self.queues.gone, &queue.to_be_bytes()[..], &[][..]);
    }

    /// Writes a URL.
    pub fn put_url(&mut self, queue: u64, url: &str, row: &UrlRow) {
        self.put(|queues| &queues.urls, url_key(queue, url), row);
    }

    /// Forgets a URL.
    pub fn remove_url(&mut self, queue: u64, url: &str) {
        self.batch.remove(&self.queues.urls, url_key(queue, url));
    }

    /// Puts a URL where it waits.
    pub fn put_due(&mut self, queue: u64, at: u64, arrival: u64, url: &str) {
        self.batch.insert(&self.queues.due, &time_key(queue, at, arrival)[..], url.as_bytes());
    }

    /// Takes a URL from where it waits.
    pub fn remove_due(&mut self, queue: u64, at: u64, arrival: u64) {
        self.batch.remove(&self.queues.due, &time_key(queue, at, arrival)[..]);
    }

    /// Puts a URL among those that are held.
    pub fn put_held(&mut self, queue: u64, until: u64, arrival: u64, url: &str) {
        self.batch.insert(&self.queues.held, &time_key(queue, until, arrival)[..], url.as_bytes());
    }

    /// Takes a URL from those that are held.
    pub fn remove_held(&mut self, queue: u64, until: u64, arrival: u64) {
        self.batch.remove(&self.queues.held, &time_key(queue, until, arrival)[..]);
    }

    /// Makes all of it happen. When this returns, the death of the process cannot undo it.
    pub fn commit(self) -> Result<(), StoreError> {
        if let Some(failed) = self.failed {
            return Err(failed);
        }
        self.batch.commit().map_err(StoreError::write)?;
        self.queues.tables.put_full_aside()
    }

    fn put<T: Serialize>(
        &mut self,
        keyspace: impl Fn(&Queues) -> &Keyspace,
        key: Vec<u8>,
        value: &T,
    ) {
        match postcard::to_stdvec(value) {
            Ok(bytes) => self.batch.insert(keyspace(self.queues), key, bytes),
            Err(error) => self.failed = Some(StoreError::Write(error.to_string())),
        }
    }
}
