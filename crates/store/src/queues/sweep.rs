//! How do the rows of a deleted queue go away? A few at a time, while nobody waits.

use super::{ID, Queues, range};
use crate::records::StoreError;
use fjall::Keyspace;

/// The sweeping of one deleted queue. It remembers how far it is: what was removed is not looked at again.
pub struct Sweep {
    queue: u64,
    room: usize,
    from: Vec<u8>,
}

impl Sweep {
    /// Begins with a queue that was deleted.
    pub fn of(queue: u64) -> Sweep {
        Sweep { queue, room: 0, from: Vec::new() }
    }

    /// Removes up to `most` rows; true when nothing is left of the queue.
    pub fn step(&mut self, queues: &Queues, most: usize) -> Result<bool, StoreError> {
        let rooms: [&Keyspace; 3] = [&queues.held, &queues.due, &queues.urls];
        let Some(room) = rooms.get(self.room) else {
            let gone = queues.gone.remove(self.queue.to_be_bytes());
            gone.map_err(StoreError::write)?;
            return Ok(true);
        };
        let mut batch = queues.db.batch();
        let mut last = None;
        for row in range(room, self.queue, &self.from).take(most) {
            let (key, _) = row?;
            batch.remove(room, key.clone());
            last = Some(key);
        }
        batch.commit().map_err(StoreError::write)?;
        match last {
            Some(key) => self.from = key.get(ID..).unwrap_or_default().to_vec(),
            None => {
                self.room += 1;
                self.from.clear();
            }
        }
        Ok(false)
    }
}
