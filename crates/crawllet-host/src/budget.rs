//! How much of its grant has a crawllet used, and what is it told when it comes near the end?

use crate::sandbox::pipe::Left;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

/// Fuel for a millisecond of the processor, where the engine wishes no other: modules use three to six
/// million.
pub const FUEL_PER_MS: u64 = 3_000_000;

/// How often what is emitted may be larger than what is sent: records that pack this well are no pages.
pub const MAX_PACKING: u64 = 64;

/// The numbers of a grant, with the clock they count from.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// Pages.
    pub pages: u64,
    /// Bytes sent.
    pub out: u64,
    /// Fuel.
    pub fuel: u64,
    /// Time.
    pub wall: Duration,
    /// How often what is emitted may be larger than what is sent: 1 if it is sent as it is.
    pub packing: u64,
    /// From when on the module is told to stop, in percent of each.
    pub soft: u64,
    /// When it began.
    pub started: Instant,
}

/// What is near its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Short {
    /// Pages.
    Pages,
    /// Output.
    Output,
    /// Fuel.
    Fuel,
    /// Time.
    Time,
}

/// What was used so far, for those who count and those who tell.
#[derive(Debug, Default)]
pub struct Tally {
    /// Pages asked for.
    pub pages: AtomicU64,
    /// Bytes of pages that came from the web server or from files.
    pub bytes: AtomicU64,
    /// Bytes sent.
    pub out: AtomicU64,
    /// Bytes emitted, before packing.
    pub emitted: AtomicU64,
    /// Fuel left.
    pub fuel_left: AtomicU64,
    /// Pages that were files.
    pub files: AtomicU64,
    /// Requests that were refused.
    pub refused: AtomicU64,
    /// Whether the module ran as it was compiled before.
    pub kept: AtomicBool,
}

impl Tally {
    /// Reads one of them.
    pub fn get(number: &AtomicU64) -> u64 {
        number.load(Ordering::Relaxed)
    }

    /// Adds to one of them and gives the sum.
    pub fn add(number: &AtomicU64, more: u64) -> u64 {
        number.fetch_add(more, Ordering::Relaxed) + more
    }
}

impl Budget {
    /// The deadline.
    pub fn until(&self) -> Instant {
        self.started + self.wall
    }

    /// What has reached its soft limit.
    pub fn short(&self, tally: &Tally, now: Instant) -> Option<Short> {
        let reached =
            |used: u64, all: u64| used.saturating_mul(100) >= all.saturating_mul(self.soft);
        let used_fuel = self.fuel.saturating_sub(Tally::get(&tally.fuel_left));
        let spent = now.saturating_duration_since(self.started);
        let packed = Tally::get(&tally.emitted) / self.packing.max(1);
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        if reached(Tally::get(&tally.pages), self.pages) {
            Some(Short::Pages)
        } else if reached(Tally::get(&tally.out).max(packed), self.out) {
            Some(Short::Output)
        } else if reached(used_fuel, self.fuel) {
            Some(Short::Fuel)
        } else if reached(ms(spent), ms(self.wall)) {
            Some(Short::Time)
        } else {
            None
        }
    }

    /// Whether more was sent, or emitted, than was granted.
    pub fn is_over(&self, tally: &Tally) -> bool {
        Tally::get(&tally.out) > self.out
            || Tally::get(&tally.emitted) / self.packing.max(1) > self.out
    }

    /// What is left.
    pub fn left(&self, tally: &Tally, now: Instant) -> Left {
        let time = self.until().saturating_duration_since(now);
        Left {
            pages: self.pages.saturating_sub(Tally::get(&tally.pages)),
            out: self.out.saturating_sub(Tally::get(&tally.out)),
            ms: u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

/// "Stop", said by one thread and heard by others, also in the middle of a pause.
#[derive(Debug, Default)]
pub struct Stop {
    said: AtomicBool,
    lock: Mutex<()>,
    bell: Condvar,
}

impl Stop {
    /// Says it.
    pub fn say(&self) {
        let guard = self.lock.lock();
        self.said.store(true, Ordering::SeqCst);
        drop(guard);
        self.bell.notify_all();
    }

    /// Whether it was said.
    pub fn is_said(&self) -> bool {
        self.said.load(Ordering::SeqCst)
    }

    /// Waits so long, or until it is said. Whether it was.
    pub fn wait(&self, time: Duration) -> bool {
        let until = Instant::now() + time;
        let Ok(mut guard) = self.lock.lock() else { return true };
        while !self.is_said() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            match self.bell.wait_timeout(guard, left) {
                Ok((again, _)) => guard = again,
                Err(_) => return true,
            }
        }
        true
    }
}
