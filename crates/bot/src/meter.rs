//! What do the places of a bot wait for? A bot has as many places as it may hold exchanges; this measures
//! for what they were used lately, so that a person can be told why a crawl is not faster.

use lycosa_model::message::Waits;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// Shares are taken over this long.
const WINDOW: Duration = Duration::from_secs(10);

/// The window moves in steps of this length.
const STEP: Duration = Duration::from_secs(1);

/// What a place is used for, or waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// Nothing: the broker has nothing to give.
    Lease,
    /// The answer of a server.
    Network,
    /// A filter.
    Filter,
    /// Undoing codings and packing for the archive.
    Work,
    /// The archive.
    Archive,
    /// The broker.
    Broker,
    /// The indexer.
    Index,
}

const USES: usize = 7;

/// Exchanges by what they are doing now; shared between a bot and its jobs.
#[derive(Debug, Default)]
pub(crate) struct Present {
    network: AtomicUsize,
    filter: AtomicUsize,
    jobs: AtomicUsize,
}

impl Present {
    /// A job begins; it ends when the guard is dropped.
    pub(crate) fn job(self: &Arc<Self>) -> Guard {
        Guard::new(self, |present| &present.jobs)
    }

    /// A job waits for a server.
    pub(crate) fn network(self: &Arc<Self>) -> Guard {
        Guard::new(self, |present| &present.network)
    }

    /// A job waits for a filter.
    pub(crate) fn filter(self: &Arc<Self>) -> Guard {
        Guard::new(self, |present| &present.filter)
    }

    /// Jobs that have not ended.
    pub(crate) fn running(&self) -> usize {
        self.jobs.load(Ordering::Relaxed)
    }
}

/// Counts one exchange while it lives, also when its job is aborted.
pub(crate) struct Guard {
    present: Arc<Present>,
    which: fn(&Present) -> &AtomicUsize,
}

impl Guard {
    fn new(present: &Arc<Present>, which: fn(&Present) -> &AtomicUsize) -> Guard {
        which(present).fetch_add(1, Ordering::Relaxed);
        Guard { present: Arc::clone(present), which }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        (self.which)(&self.present).fetch_sub(1, Ordering::Relaxed);
    }
}

/// Adds up how long places were used for what.
#[derive(Debug)]
pub(crate) struct Meter {
    pub(crate) present: Arc<Present>,
    steps: VecDeque<(Instant, [f64; USES])>,
    last: Instant,
}

impl Meter {
    pub(crate) fn new() -> Meter {
        Meter { present: Arc::default(), steps: VecDeque::new(), last: Instant::now() }
    }

    /// The time since the last call went by like this: `waiting` places had finished their exchange or
    /// had none, and waited for `reason`; the others did what they do now.
    pub(crate) fn pass(&mut self, reason: Use, waiting: usize) {
        let now = Instant::now();
        let passed = now.duration_since(self.last).as_secs_f64();
        self.last = now;
        let network = self.present.network.load(Ordering::Relaxed);
        let filter = self.present.filter.load(Ordering::Relaxed);
        let work = self.present.running().saturating_sub(network + filter);
        let step = self.step(now);
        for (place, count) in
            [(Use::Network, network), (Use::Filter, filter), (Use::Work, work), (reason, waiting)]
        {
            step[place as usize] += count as f64 * passed;
        }
    }

    fn step(&mut self, now: Instant) -> &mut [f64; USES] {
        while self.steps.front().is_some_and(|(at, _)| now.duration_since(*at) > WINDOW) {
            self.steps.pop_front();
        }
        if self.steps.back().is_none_or(|(at, _)| now.duration_since(*at) >= STEP) {
            self.steps.push_back((now, [0.0; USES]));
        }
        let last = self.steps.len() - 1;
        &mut self.steps[last].1
    }

    /// The shares of the last seconds; all zero before anything was measured.
    pub(crate) fn shares(&self) -> Waits {
        let sum = |place: Use| self.steps.iter().map(|(_, step)| step[place as usize]).sum::<f64>();
        let all: f64 = self.steps.iter().flat_map(|(_, step)| step).sum();
        let share = |place| if all > 0.0 { sum(place) / all } else { 0.0 };
        Waits {
            lease: share(Use::Lease),
            network: share(Use::Network),
            filter: share(Use::Filter),
            work: share(Use::Work),
            archive: share(Use::Archive),
            broker: share(Use::Broker),
            index: share(Use::Index),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn seconds(count: u64) {
        tokio::time::advance(Duration::from_secs(count)).await;
    }

    #[tokio::test(start_paused = true)]
    async fn places_are_counted_by_what_they_wait_for() {
        let mut meter = Meter::new();
        let jobs: Vec<Guard> = (0..3).map(|_| meter.present.job()).collect();
        let network = meter.present.network();
        let filter = meter.present.filter();
        seconds(2).await;
        meter.pass(Use::Lease, 1);
        let shares = meter.shares();
        assert_eq!(
            (shares.lease, shares.network, shares.filter, shares.work),
            (0.25, 0.25, 0.25, 0.25)
        );
        drop((jobs, network, filter));
        seconds(2).await;
        meter.pass(Use::Archive, 4);
        assert_eq!((meter.shares().archive, meter.shares().lease), (0.5, 0.125));
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_long_ago_does_not_count() {
        let mut meter = Meter::new();
        assert_eq!(meter.shares(), Waits::default());
        seconds(5).await;
        meter.pass(Use::Lease, 4);
        seconds(60).await;
        let job = meter.present.job();
        let network = meter.present.network();
        meter.pass(Use::Network, 0);
        seconds(1).await;
        meter.pass(Use::Network, 0);
        drop((job, network));
        assert_eq!((meter.shares().lease, meter.shares().network), (0.0, 1.0));
    }
}
