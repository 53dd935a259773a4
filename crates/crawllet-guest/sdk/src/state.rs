//! What has a crawl still to do, what has it met, and how is that shipped to be gone on with?
//!
//! Paths that were met are kept as 64-bit hashes of their normal form: eight bytes each, also in the
//! state that travels. In a million paths one pair shares a hash with a chance of 1 in 36 million.

use crate::cbor::{Malformed, Reader, Writer};
use crate::table::Table;
use std::collections::VecDeque;

/// Paths that a crawl remembers to have met; further ones are named in records and not asked for.
pub const MAX_MET: usize = 200_000;
/// Bytes of paths that wait; further ones are named in records and not asked for.
pub const MAX_QUEUE_BYTES: usize = 8 << 20;
/// Bytes of a state that is shipped: what the protocol takes is 4 MiB.
pub const MAX_STATE_BYTES: usize = (4 << 20) - 1024;

const VERSION: u64 = 1;
/// What CBOR needs for a path beside the path.
const PER_PATH: usize = 5;

/// Queue and memory of a crawl.
#[derive(Clone, Debug, Default)]
pub struct State {
    queue: VecDeque<String>,
    queue_bytes: usize,
    met: Table,
}

impl State {
    /// Whether a path was met, by its hash.
    pub fn has_met(&self, hash: u64) -> bool {
        self.met.get(hash).is_some()
    }

    /// Remembers a path as met; false when it was known or there is no room.
    pub fn meet(&mut self, hash: u64) -> bool {
        self.met.len() < MAX_MET && self.met.insert(hash, 0)
    }

    /// Adds a path that was not met yet; false when it was or there is no room.
    pub fn add(&mut self, path: &str, hash: u64) -> bool {
        let size = path.len() + PER_PATH;
        if self.queue_bytes + size > MAX_QUEUE_BYTES || !self.meet(hash) {
            return false;
        }
        self.queue_bytes += size;
        self.queue.push_back(path.to_owned());
        true
    }

    /// The next path.
    pub fn take(&mut self) -> Option<String> {
        let path = self.queue.pop_front()?;
        self.queue_bytes -= path.len() + PER_PATH;
        Some(path)
    }

    /// Puts a path that was taken in front again.
    pub fn put_back(&mut self, path: String) {
        self.queue_bytes += path.len() + PER_PATH;
        self.queue.push_front(path);
    }

    /// How many paths wait.
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// How large a shipped state would be, about.
    pub fn size(&self) -> usize {
        (self.queue_bytes + 8 * self.met.len() + 64).min(MAX_STATE_BYTES)
    }

    /// The state as it is shipped. What does not fit waits no more and counts as never met; the records
    /// name it.
    pub fn to_bytes(&self, hash_of: impl Fn(&str) -> u64) -> Vec<u8> {
        let mut room = MAX_STATE_BYTES.saturating_sub(8 * self.met.len() + 64);
        let mut kept = 0;
        for path in &self.queue {
            if path.len() + PER_PATH > room {
                break;
            }
            room -= path.len() + PER_PATH;
            kept += 1;
        }
        let mut dropped = Table::default();
        for path in self.queue.iter().skip(kept) {
            dropped.insert(hash_of(path), 0);
        }
        let mut writer = Writer::new();
        writer.map(3).uint(1).uint(VERSION).uint(2).array(kept);
        for path in self.queue.iter().take(kept) {
            writer.text(path);
        }
        let mut met = Vec::with_capacity(8 * self.met.len());
        for hash in self.met.hashes().filter(|hash| dropped.get(*hash).is_none()) {
            met.extend_from_slice(&hash.to_le_bytes());
        }
        writer.uint(3).bytes(&met);
        writer.finish()
    }

    /// Reads a shipped state.
    pub fn parse(bytes: &[u8]) -> Result<State, Malformed> {
        let mut state = State::default();
        let mut version = 0;
        Reader::new(bytes).map(|key, reader| {
            match key {
                1 => version = reader.uint()?,
                2 => reader.array(|reader| {
                    let path = reader.text()?;
                    if state.queue_bytes + path.len() < MAX_QUEUE_BYTES {
                        state.queue_bytes += path.len() + PER_PATH;
                        state.queue.push_back(path.to_owned());
                    }
                    Ok(())
                })?,
                3 => {
                    for hash in reader.bytes()?.chunks_exact(8).take(MAX_MET) {
                        let hash =
                            hash.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
                        state.met.insert(hash, 0);
                    }
                }
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        if version == VERSION {
            Ok(state)
        } else {
            Err(Malformed)
        }
    }
}
