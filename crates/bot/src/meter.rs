//! What do the places of a bot wait for? A bot has as many places as it may hold exchanges; this measures
//! for what they were used lately, so that a person can be told why a crawl is not faster.

use lycosa_model::message::Waits;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
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

/// What is counted.
#[derive(Clone, Copy, Debug)]
enum Count {
    Places,
    Network,
    Filter,
    Jobs,
}

const COUNTS: usize = 4;

/// Jobs by what they are doing; shared between a bot and its jobs.
#[derive(Debug)]
pub(crate) struct Present {
    account: Mutex<Account>,
    /// Somebody has given back a place.
    freed: Notify,
}

/// How many there are of each count, and how many seconds they have spent so far, all together.
#[derive(Debug)]
struct Account {
    now: [usize; COUNTS],
    spent: [f64; COUNTS],
    last: Instant,
}

impl Account {
    fn pass(&mut self) {
        let now = Instant::now();
        let passed = now.duration_since(self.last).as_secs_f64();
        self.last = now;
        for (spent, count) in self.spent.iter_mut().zip(self.now) {
            *spent += count as f64 * passed;
        }
    }
}

impl Present {
    fn new() -> Present {
        let account = Account { now: [0; COUNTS], spent: [0.0; COUNTS], last: Instant::now() };
        Present { account: Mutex::new(account), freed: Notify::new() }
    }

    fn account(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A job begins; it ends when the guard is dropped.
    pub(crate) fn job(self: &Arc<Self>) -> Guard {
        Guard::new(self, Count::Jobs)
    }

    /// A place for an exchange is taken, until the guard is dropped.
    pub(crate) fn place(self: &Arc<Self>) -> Guard {
        Guard::new(self, Count::Places)
    }

    /// A job waits for a server.
    pub(crate) fn network(self: &Arc<Self>) -> Guard {
        Guard::new(self, Count::Network)
    }

    /// A job waits for a filter.
    pub(crate) fn filter(self: &Arc<Self>) -> Guard {
        Guard::new(self, Count::Filter)
    }

    /// Places that are taken.
    pub(crate) fn taken(&self) -> usize {
        self.account().now[Count::Places as usize]
    }

    /// Waits until a place has been given back.
    pub(crate) async fn freed(&self) {
        self.freed.notified().await;
    }

    /// The seconds that were spent since the last call.
    fn take_spent(&self) -> [f64; COUNTS] {
        let mut account = self.account();
        account.pass();
        std::mem::take(&mut account.spent)
    }
}

/// Counts one while it lives, also when its job is aborted.
pub(crate) struct Guard {
    present: Arc<Present>,
    count: Count,
}

impl Guard {
    fn new(present: &Arc<Present>, count: Count) -> Guard {
        let mut account = present.account();
        account.pass();
        account.now[count as usize] += 1;
        drop(account);
        Guard { present: Arc::clone(present), count }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let mut account = self.present.account();
        account.pass();
        account.now[self.count as usize] -= 1;
        drop(account);
        if matches!(self.count, Count::Places) {
            self.present.freed.notify_one();
        }
    }
}

/// Adds up how long places were used for what.
#[derive(Debug)]
pub(crate) struct Meter {
    pub(crate) present: Arc<Present>,
    /// Places in all.
    all: usize,
    /// What a batch that is being settled waits for.
    settling: Option<Use>,
    /// Whether the broker has been asked for leases.
    asking: bool,
    steps: VecDeque<(Instant, [f64; USES])>,
    last: Instant,
}

impl Meter {
    pub(crate) fn new(all: usize) -> Meter {
        let (settling, asking, steps) = Default::default();
        let present = Arc::new(Present::new());
        Meter { present, all, settling, asking, steps, last: Instant::now() }
    }

    /// Places that are free.
    pub(crate) fn free(&self) -> usize {
        self.all.saturating_sub(self.present.taken())
    }

    /// Nothing is under way: a life begins.
    pub(crate) fn idle(&mut self) {
        self.tick();
        (self.settling, self.asking) = (None, false);
    }

    /// What came is being settled, and waits for this; or nothing is.
    pub(crate) fn settles(&mut self, waits_for: Option<Use>) {
        self.tick();
        self.settling = waits_for;
    }

    /// The broker is asked for leases, or has answered.
    pub(crate) fn asks(&mut self, asking: bool) {
        self.tick();
        self.asking = asking;
    }

    /// Puts down the time that has passed to what the jobs did and the free places waited for.
    pub(crate) fn tick(&mut self) {
        let now = Instant::now();
        let passed = now.duration_since(self.last).as_secs_f64();
        self.last = now;
        let [places, network, filter, jobs] = self.present.take_spent();
        let reason = self.settling.unwrap_or(if self.asking { Use::Broker } else { Use::Lease });
        let free = self.all as f64 * passed - places;
        let work = jobs - network - filter;
        let step = self.step(now);
        for (place, seconds) in
            [(Use::Network, network), (Use::Filter, filter), (Use::Work, work), (reason, free)]
        {
            step[place as usize] += seconds.max(0.0);
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
        let mut meter = Meter::new(4);
        let jobs: Vec<_> = (0..3).map(|_| (meter.present.job(), meter.present.place())).collect();
        let network = meter.present.network();
        let filter = meter.present.filter();
        seconds(2).await;
        meter.settles(Some(Use::Archive));
        let shares = meter.shares();
        assert_eq!(
            (shares.lease, shares.network, shares.filter, shares.work),
            (0.25, 0.25, 0.25, 0.25)
        );
        drop((jobs, network, filter));
        seconds(2).await;
        meter.asks(true);
        assert_eq!((meter.shares().archive, meter.shares().lease), (0.5, 0.125));
        meter.settles(None);
        seconds(4).await;
        meter.asks(false);
        assert_eq!(meter.shares().broker, 0.5);
    }

    #[tokio::test(start_paused = true)]
    async fn what_has_ended_before_anybody_looks_counts_until_its_end() {
        let mut meter = Meter::new(1);
        let job = (meter.present.job(), meter.present.place(), meter.present.network());
        seconds(3).await;
        drop(job);
        seconds(1).await;
        meter.tick();
        assert_eq!((meter.shares().network, meter.shares().lease), (0.75, 0.25));
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_long_ago_does_not_count() {
        let mut meter = Meter::new(1);
        assert_eq!(meter.shares(), Waits::default());
        seconds(5).await;
        meter.tick();
        let job = (meter.present.job(), meter.present.place(), meter.present.network());
        for _ in 0..20 {
            seconds(1).await;
            meter.tick();
        }
        drop(job);
        assert_eq!((meter.shares().lease, meter.shares().network), (0.0, 1.0));
    }

    #[tokio::test]
    async fn a_place_that_is_given_back_is_told() {
        let meter = Meter::new(2);
        let places = (meter.present.place(), meter.present.place());
        assert_eq!(meter.free(), 0);
        drop(places);
        meter.present.freed().await;
        assert_eq!(meter.free(), 2);
    }
}
