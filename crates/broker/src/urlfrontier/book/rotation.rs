//! Which queue is served next? The one whose last turn is longest ago, among those that may be served.

use super::Moment;
use lycosa_store::queues::QueueRecord;
use std::collections::BTreeSet;
use std::ops::Bound;

/// Where a queue stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    /// Nowhere: it has nothing to give, whatever the time.
    Out,
    /// It may be served; by its last turn.
    Ready(u64),
    /// It must wait until this moment in milliseconds.
    Waits(u64),
    /// So many of its URLs are held, which was too much for the last who asked; or until a lease ends.
    Full(u64, u64),
}

/// Where a queue belongs, from its record alone.
pub(super) fn spot(record: &QueueRecord, delay: u32, now: Moment) -> Spot {
    let limited = record.limit > 0 && record.completed >= u64::from(record.limit);
    if record.active == 0 || limited {
        return Spot::Out;
    }
    let date = match record.waiting() {
        0 => u64::MAX,
        _ => record.first_due.0.saturating_mul(1_000),
    };
    let end = if record.held == 0 { u64::MAX } else { record.first_end };
    let moment = date.min(end).max(earliest(record, delay));
    if moment <= now.0 { Spot::Ready(record.turn) } else { Spot::Waits(moment) }
}

/// The first moment at which politeness and block allow a queue to be served.
pub(super) fn earliest(record: &QueueRecord, delay: u32) -> u64 {
    let pause = u64::from(record.delay.unwrap_or(delay)) * 1_000;
    let rested = if record.served == 0 { 0 } else { record.served.saturating_add(pause) };
    // The named second is still blocked.
    let free = match record.blocked_until {
        0 => 0,
        until => until.saturating_add(1).saturating_mul(1_000),
    };
    rested.max(free)
}

/// Whether a queue is blocked now. The named second is still blocked.
pub(super) fn blocked(record: &QueueRecord, now: Moment) -> bool {
    record.blocked_until > 0 && record.blocked_until >= now.seconds()
}

/// The queues of one crawl in their order.
#[derive(Default)]
pub(super) struct Rotation {
    ready: BTreeSet<(u64, u64)>,
    timers: BTreeSet<(u64, u64)>,
    full: BTreeSet<(u64, u64)>,
}

impl Rotation {
    /// Moves a queue.
    pub(super) fn change(&mut self, id: u64, from: Spot, to: Spot) {
        if from == to {
            return;
        }
        match from {
            Spot::Out => {}
            Spot::Ready(turn) => drop(self.ready.remove(&(turn, id))),
            Spot::Waits(moment) => drop(self.timers.remove(&(moment, id))),
            Spot::Full(held, moment) => {
                self.full.remove(&(held, id));
                self.timers.remove(&(moment, id));
            }
        }
        match to {
            Spot::Out => {}
            Spot::Ready(turn) => drop(self.ready.insert((turn, id))),
            Spot::Waits(moment) => drop(self.timers.insert((moment, id))),
            Spot::Full(held, moment) => {
                self.full.insert((held, id));
                self.timers.insert((moment, id));
            }
        }
    }

    /// The ready queue whose turn is longest ago.
    pub(super) fn first(&self) -> Option<(u64, u64)> {
        self.ready.first().copied()
    }

    /// A queue whose moment has come.
    pub(super) fn due(&self, now: Moment) -> Option<u64> {
        self.timers.first().filter(|(moment, _)| *moment <= now.0).map(|(_, id)| *id)
    }

    /// A full queue that is not full for somebody who wants so many; 0 is any number.
    pub(super) fn not_full_for(&self, most: u32) -> Option<u64> {
        let end = match most {
            0 => Bound::Unbounded,
            most => Bound::Excluded((u64::from(most), 0)),
        };
        self.full.range((Bound::Unbounded, end)).next().map(|(_, id)| *id)
    }
}
