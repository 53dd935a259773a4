//! Does the schedule keep copies fresher than simpler ones with the same number of visits?
//!
//! Pages of a made-up web change as Poisson processes of rates that nobody is told. Three schedules visit
//! them equally often in all: each page alike, each in proportion to its rate (as well as it is known),
//! and ours. What counts is the weighted share of time in which the copy is right.

use lycosa_frontier::revisit::policy::{Census, Standing};
use lycosa_frontier::revisit::{Look, RevisitRule, looked, rate};
use lycosa_model::{History, Tick};

/// A day, in milliseconds.
const DAY: f64 = 86_400_000.0;

/// SplitMix64, so that the test is the same everywhere.
struct Dice(u64);

impl Dice {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn exponential(&mut self, rate: f64) -> f64 {
        -(1.0 - self.unit()).ln() / rate
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Schedule {
    Uniform,
    Proportional,
    Ours,
}

struct Page {
    weight: f64,
    changes: Vec<f64>,
    history: History,
    rate: f64,
    next: f64,
}

/// Weighted share of days in which the copies were right, and visits per day, after learning.
fn simulate(schedule: Schedule, seed: u64, pages: usize, spread: f64, budget: f64) -> (f64, f64) {
    const DAYS: f64 = 240.0;
    const LEARN: f64 = 120.0;
    let mut dice = Dice(seed);
    let mut web: Vec<Page> = (0..pages)
        .map(|_| {
            let rate = 0.02 * (spread * (dice.unit() - 0.35)).exp();
            let weight = 1.0 / (0.05 + dice.unit());
            let (mut changes, mut at) = (Vec::new(), dice.exponential(rate));
            while at < DAYS {
                changes.push(at);
                at += dice.exponential(rate);
            }
            let next = dice.unit() * pages as f64 / budget;
            Page { weight, changes, history: History::default(), rate: rate::estimate(&[]), next }
        })
        .collect();
    let bounds = RevisitRule::default().bounds();
    let (mut good, mut all, mut visits) = (0.0, 0.0, 0.0);
    for day in 0..DAYS as u32 {
        let today = f64::from(day);
        let mut census = Census::default();
        for page in &web {
            census.add(&Standing { rate: page.rate, weight: page.weight, announced: false });
        }
        let policy = census.policy(budget, bounds);
        let rates: f64 = web.iter().map(|page| page.rate).sum();
        for page in &mut web {
            let rate = page.rate;
            let per_day = match schedule {
                Schedule::Uniform => budget / pages as f64,
                Schedule::Proportional => budget * rate / rates,
                Schedule::Ours => {
                    policy.visits(&Standing { rate, weight: page.weight, announced: false })
                }
            };
            while page.next < today + 1.0 {
                let (at, last) = (page.next, page.history.visited.0 as f64 / DAY);
                let changed = page.history.visits == 0
                    || page.changes.iter().any(|change| (last..at).contains(change));
                let look = Look { at: Tick((at * DAY) as u64), changed, last_modified: None };
                looked(&mut page.history, &look);
                page.rate = rate::estimate(&page.history.observations);
                page.next = at + 1.0 / per_day;
                visits += if today >= LEARN { 1.0 } else { 0.0 };
            }
            if today >= LEARN {
                let last = page.history.visited.0 as f64 / DAY;
                let stale = page.changes.iter().find(|change| **change > last);
                good += page.weight * (stale.map_or(1.0, |at| (at - today).clamp(0.0, 1.0)));
                all += page.weight;
            }
        }
    }
    (good / all, visits / (DAYS - LEARN))
}

#[test]
fn our_schedule_is_fresher_than_uniform_and_proportional_ones_for_the_same_visits() {
    for (seed, pages, spread, budget) in
        [(1, 300, 8.0, 20.0), (2, 500, 6.0, 30.0), (3, 200, 9.0, 25.0)]
    {
        let run = |schedule| simulate(schedule, seed, pages, spread, budget);
        let (uniform, _) = run(Schedule::Uniform);
        let (proportional, _) = run(Schedule::Proportional);
        let (ours, visits) = run(Schedule::Ours);
        assert!(visits <= budget * 1.1, "{visits} visits of {budget}");
        assert!(ours > uniform + 0.01, "{ours} {uniform}");
        assert!(ours > proportional + 0.01, "{ours} {proportional}");
    }
}
