//! What is written of a queue and its URLs?

use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What a crawler wants to remember with a URL: names, each with its values.
pub type Metadata = Vec<(String, Vec<String>)>;

/// Pause between two servings of a queue that has none of its own, in seconds, until somebody sets it.
const DELAY: u32 = 1;

/// Numbers and settings that hold for all queues.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Counters {
    /// Whether URLs are given out at all.
    pub active: bool,
    /// Pause between two servings of a queue that has none of its own, in seconds.
    pub delay: u32,
    /// The next queue's number.
    pub next_queue: u64,
    /// The next arrival's number.
    pub next_arrival: u64,
    /// The next turn's number.
    pub next_turn: u64,
}

impl Default for Counters {
    fn default() -> Counters {
        Counters { active: true, delay: DELAY, next_queue: 0, next_arrival: 0, next_turn: 0 }
    }
}

/// A queue: the URLs of one key in one crawl.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueueRecord {
    /// The crawl.
    pub crawl: Arc<str>,
    /// The key.
    pub key: Arc<str>,
    /// URLs that wait or are held.
    pub active: u64,
    /// URLs that are held.
    pub held: u64,
    /// URLs that are done for ever.
    pub completed: u64,
    /// Pause between two servings, in seconds.
    pub delay: Option<u32>,
    /// Completed URLs after which nothing is given out any more; 0 is no limit.
    pub limit: u32,
    /// Nothing is given out in this second (since the epoch) or before.
    pub blocked_until: u64,
    /// When it was last served, in milliseconds since the epoch.
    pub served: u64,
    /// The number of its last turn, or of its birth.
    pub turn: u64,
    /// No URL waits before this date (in seconds) and arrival.
    pub first_due: (u64, u64),
    /// No lease ends before this moment, in milliseconds.
    pub first_end: u64,
}

impl QueueRecord {
    /// An empty queue, born in this turn.
    pub fn new(crawl: Arc<str>, key: Arc<str>, turn: u64) -> QueueRecord {
        QueueRecord {
            crawl,
            key,
            active: 0,
            held: 0,
            completed: 0,
            delay: None,
            limit: 0,
            blocked_until: 0,
            served: 0,
            turn,
            first_due: (u64::MAX, u64::MAX),
            first_end: u64::MAX,
        }
    }

    /// URLs that wait for somebody to take them.
    pub fn waiting(&self) -> u64 {
        self.active.saturating_sub(self.held)
    }
}

/// Where a URL of a queue stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// It waits: date in seconds and arrival.
    Due {
        /// Not before this date.
        at: u64,
        /// Its arrival.
        arrival: u64,
    },
    /// Somebody has it.
    Held {
        /// The date it was given out for.
        at: u64,
        /// Its arrival.
        arrival: u64,
        /// When it comes back, in milliseconds.
        until: u64,
    },
    /// Never again.
    Done,
}

/// A URL of a queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UrlRow {
    /// When it was first put here, in seconds since the epoch.
    pub created: u64,
    /// Where it stands.
    pub place: Place,
    /// What its crawler wants to remember.
    pub metadata: Metadata,
}

impl UrlRow {
    /// The date of its next fetch; 0 when there is none.
    pub fn next_fetch(&self) -> u64 {
        match self.place {
            Place::Due { at, .. } | Place::Held { at, .. } => at,
            Place::Done => 0,
        }
    }
}
