//! What do people want to see? How fast the crawl is at the moment, and what fails where.
//!
//! Nothing is decided by these numbers and nothing of them is on record: they begin with the process.

use lycosa_model::message::{Pace, SiteTrouble};
use lycosa_model::{Outcome, Site, Tick};
use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

/// The pace is taken over this long.
const WINDOW: Duration = Duration::from_secs(10);

/// The window moves in steps of this length.
const STEP: Duration = Duration::from_secs(1);

/// Kinds of failure at a site that are remembered at most.
const MAX_TROUBLES: usize = 1_000;

/// What came in during one step.
#[derive(Clone, Copy, Debug)]
struct Step {
    began: Tick,
    pages: u64,
    bytes: u64,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Watch {
    born: Tick,
    steps: VecDeque<Step>,
    troubles: HashMap<(Site, Outcome), u64>,
    /// Time spent on writing, by the world's clock.
    writing: VecDeque<(Instant, Duration)>,
    awake: Instant,
}

impl Watch {
    pub(crate) fn new(now: Tick) -> Watch {
        Watch {
            born: now,
            steps: VecDeque::new(),
            troubles: HashMap::new(),
            writing: VecDeque::new(),
            awake: Instant::now(),
        }
    }

    /// An attempt on a page ended.
    pub(crate) fn attempt(&mut self, site: &Site, outcome: Outcome, bytes: u64, now: Tick) {
        while self.steps.front().is_some_and(|step| now.since(step.began) > WINDOW) {
            self.steps.pop_front();
        }
        if self.steps.back().is_none_or(|step| now.since(step.began) >= STEP) {
            self.steps.push_back(Step { began: now, pages: 0, bytes: 0 });
        }
        if let Some(step) = self.steps.back_mut() {
            step.pages += u64::from(outcome == Outcome::Fetched);
            step.bytes += bytes;
        }
        if is_trouble(outcome) {
            self.trouble(site, outcome);
        }
    }

    fn trouble(&mut self, site: &Site, outcome: Outcome) {
        // What fails often stays; what failed once long ago makes room.
        while self.troubles.len() >= MAX_TROUBLES {
            self.troubles.retain(|_, count| {
                *count /= 2;
                *count > 0
            });
        }
        *self.troubles.entry((site.clone(), outcome)).or_default() += 1;
    }

    /// The store was written to for so long.
    pub(crate) fn wrote(&mut self, took: Duration) {
        let now = Instant::now();
        while self.writing.front().is_some_and(|(at, _)| now.duration_since(*at) > WINDOW) {
            self.writing.pop_front();
        }
        match self.writing.back_mut() {
            Some((at, sum)) if now.duration_since(*at) < STEP => *sum += took,
            _ => self.writing.push_back((now, took)),
        }
    }

    /// How fast it is at the moment.
    pub(crate) fn pace(&self, now: Tick) -> Pace {
        let recent = self.steps.iter().filter(|step| now.since(step.began) <= WINDOW);
        let (pages, bytes) =
            recent.fold((0, 0), |(pages, bytes), step| (pages + step.pages, bytes + step.bytes));
        let seconds = now.since(self.born).clamp(STEP, WINDOW).as_secs_f64();
        let awake = self.awake.elapsed().clamp(STEP, WINDOW);
        let fresh = self.writing.iter().filter(|(at, _)| at.elapsed() <= WINDOW);
        let wrote: Duration = fresh.map(|(_, took)| *took).sum();
        Pace {
            pages_per_second: pages as f64 / seconds,
            bytes_per_second: bytes as f64 / seconds,
            store_share: (wrote.as_secs_f64() / awake.as_secs_f64()).min(1.0),
        }
    }

    /// The most frequent failures.
    pub(crate) fn troubles(&self, most: usize) -> Vec<SiteTrouble> {
        let mut rows: Vec<_> = self.troubles.iter().collect();
        rows.sort_by(|((site, outcome), count), ((other_site, other), other_count)| {
            other_count.cmp(count).then_with(|| site.cmp(other_site)).then(outcome.cmp(other))
        });
        let row = |((site, outcome), count): (&(Site, Outcome), &u64)| SiteTrouble {
            site: site.to_string(),
            outcome: outcome.name().into(),
            reason: outcome.explain().into(),
            count: *count,
        };
        rows.into_iter().take(most).map(row).collect()
    }
}

/// Whether somebody may want to do something about it.
fn is_trouble(outcome: Outcome) -> bool {
    !matches!(
        outcome,
        Outcome::Fetched
            | Outcome::NotModified
            | Outcome::Redirect
            | Outcome::RobotsDisallowed
            | Outcome::Trap(_)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(number: usize) -> Site {
        let url = format!("http://site-{number}.test/").parse().expect("a URL");
        Site::of(&url).expect("a site")
    }

    #[test]
    fn the_pace_is_that_of_the_last_seconds() {
        let mut watch = Watch::new(Tick(0));
        for moment in 0..100 {
            watch.attempt(&site(0), Outcome::Fetched, 1_000, Tick(moment * 100));
        }
        let pace = watch.pace(Tick(10_000));
        assert_eq!((pace.pages_per_second, pace.bytes_per_second), (10.0, 10_000.0));
        let pace = watch.pace(Tick(60_000));
        assert_eq!((pace.pages_per_second, pace.bytes_per_second), (0.0, 0.0));
        watch.attempt(&site(0), Outcome::ServerError, 500, Tick(60_000));
        assert_eq!(watch.pace(Tick(60_000)).pages_per_second, 0.0, "an error is no page");
        assert_eq!(watch.pace(Tick(60_000)).bytes_per_second, 50.0);
    }

    #[test]
    fn what_fails_most_is_told_first_and_memory_stays_small() {
        let mut watch = Watch::new(Tick(0));
        for round in 0..50_u64 {
            watch.attempt(&site(0), Outcome::ServerError, 0, Tick(round));
            watch.attempt(&site(1), Outcome::Fetched, 0, Tick(round));
        }
        for number in 2..5_000 {
            watch.attempt(&site(number), Outcome::ClientError, 0, Tick(100));
            watch.attempt(&site(0), Outcome::ServerError, 0, Tick(100));
        }
        assert!(watch.troubles.len() <= MAX_TROUBLES);
        let top = watch.troubles(2);
        assert_eq!((top.len(), top[0].outcome.as_str()), (2, "server_error"));
        assert_eq!(top[0].site, "http://site-0.test");
        assert!(top[0].count > 100, "{top:?}");
    }
}
