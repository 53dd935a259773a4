//! When is a page visited again, and when is it gone?
//!
//! A page changes now and then; each look at it says whether it did. [`rate`] makes a rate of changes of
//! that, [`policy`] shares a budget of visits between all pages, and [`RevisitRule`] turns both into a
//! moment. Chance has no part in it: what must be spread is spread by the ids of the URLs.

pub mod policy;
pub mod rate;

use lycosa_model::{Change, History, Observation, Tick, UrlId};
use policy::{Policy, Standing};
use serde::{Deserialize, Serialize};
use std::time::Duration;

#[cfg(test)]
mod tests;

/// Looks at a page that are remembered. Neighbours without a change are joined, so these reach far back.
pub const MAX_OBSERVATIONS: usize = 16;

/// A `Last-Modified` that is this near to the answer is the moment of the answer, not of a change.
const JUST_NOW: Duration = Duration::from_secs(60);

/// Share of its usual interval after which a page is visited at the earliest when a sitemap dates it anew.
const LEAST_SHARE: f64 = 0.1;

/// Changes that a site must have announced before its silence means that there was none.
const KEPT_WORDS: u32 = 2;

/// How much more a front page or a feed is worth: new pages are found there first.
const LISTING_WEIGHT: f64 = 4.0;

/// How pages are kept fresh.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RevisitRule {
    /// Visits per day that may be spent; without a number, as many as visit each page once per `cycle`
    /// on average.
    pub visits_per_day: Option<f64>,
    /// See `visits_per_day`.
    pub cycle: Duration,
    /// No page is visited more often than this.
    pub min_interval: Duration,
    /// No page is visited less often than this, as far as the budget allows.
    pub max_interval: Duration,
    /// Answers in a row that say that a page is not there, before it is gone. 410 is enough at once.
    pub gone_answers: u32,
    /// Time that must lie between the first and the last of them.
    pub gone_after: Duration,
    /// How often feeds are read again: they tell of pages sooner than visits do.
    pub feeds: Duration,
    /// How often sitemaps are.
    pub sitemaps: Duration,
}

impl Default for RevisitRule {
    fn default() -> RevisitRule {
        let day = Duration::from_secs(24 * 60 * 60);
        RevisitRule {
            visits_per_day: None,
            cycle: 7 * day,
            min_interval: day / 24,
            max_interval: 90 * day,
            gone_answers: 2,
            gone_after: day / 24,
            feeds: day / 24,
            sitemaps: day,
        }
    }
}

/// What a visit told about a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// When.
    pub at: Tick,
    /// Whether its content was another one than at the last visit; `true` at the first.
    pub changed: bool,
    /// When the server says that it changed last.
    pub last_modified: Option<Tick>,
}

impl RevisitRule {
    /// Visits per day for so many pages.
    pub fn budget(&self, pages: u64) -> f64 {
        let per_cycle = pages as f64 / rate::days(self.cycle).max(f64::MIN_POSITIVE);
        self.visits_per_day.filter(|visits| visits.is_finite()).unwrap_or(per_cycle).max(0.0)
    }

    /// The bounds on visits per day of one page.
    pub fn bounds(&self) -> policy::Bounds {
        let per_day = |interval: Duration| 1.0 / rate::days(interval).max(1.0 / 86_400.0);
        policy::Bounds { least: per_day(self.max_interval), most: per_day(self.min_interval) }
    }

    /// When the page is to be visited again.
    pub fn due(&self, policy: &Policy, id: UrlId, standing: &Standing, history: &History) -> Tick {
        if let Some(since) = history.missing_since {
            // It is to be confirmed soon, then less and less often.
            let doublings = history.missing.saturating_sub(1).min(16);
            let wait = self.gone_after.saturating_mul(1 << doublings).min(self.max_interval);
            return history.visited.max(since).after(wait);
        }
        let interval = 1.0 / policy.visits(standing).max(1.0 / 36_500.0);
        let shortest = rate::days(self.min_interval);
        let spread = (interval * jitter(id)).max(shortest);
        let due = history.visited.after(Duration::from_secs_f64(spread * 86_400.0));
        let Some(changed) = history.announced.filter(|changed| *changed > history.visited) else {
            return due;
        };
        let soonest = if !standing.announced {
            // Nobody has proved yet that this site dates its pages well.
            let share = LEAST_SHARE.max(1.0 - trust(history));
            (interval * share).max(shortest)
        } else if policy.takes(standing, id, changed) {
            shortest
        } else {
            return due;
        };
        due.min(changed.max(history.visited.after(Duration::from_secs_f64(soonest * 86_400.0))))
    }

    /// Notes an answer that says the page is not there. Tells whether it is gone.
    pub fn missed(&self, history: &mut History, now: Tick, for_good: bool) -> bool {
        history.missing = history.missing.saturating_add(1);
        let since = *history.missing_since.get_or_insert(now);
        for_good || history.missing >= self.gone_answers && now.since(since) >= self.gone_after
    }
}

/// Whether every change of the page is known without visiting it: its site has announced at least
/// [`KEPT_WORDS`] of them and kept silent about none.
pub fn is_announced(history: &History) -> bool {
    history.announced_changes >= KEPT_WORDS && history.silent_changes == 0
}

/// Share of announcements that were true, from 1 where none was put to the test.
fn trust(history: &History) -> f64 {
    let kept = f64::from(history.announced_changes) + 1.0;
    kept / (kept + f64::from(history.false_announcements))
}

/// Notes what a visit told.
pub fn looked(history: &mut History, look: &Look) {
    let first = history.visits == 0;
    if let Some(at) = history.announced.filter(|_| !first) {
        let count = match (at > history.visited, look.changed) {
            (true, true) => Some(&mut history.announced_changes),
            (true, false) => Some(&mut history.false_announcements),
            (false, true) => Some(&mut history.silent_changes),
            (false, false) => None,
        };
        if let Some(count) = count {
            *count = count.saturating_add(1);
        }
    }
    let known = look.last_modified.filter(|at| look.at.since(*at) >= JUST_NOW && *at < look.at);
    let told = |since: Tick, change| Observation {
        seconds: u32::try_from(look.at.since(since).as_secs()).unwrap_or(u32::MAX),
        change,
    };
    let told = match known {
        // The last change is known to the second, so what lies before it tells nothing.
        Some(at) if look.changed && (first || at > history.visited) => {
            Some(told(at, Change::AtStart))
        }
        _ if first => None,
        _ if look.changed => Some(told(history.visited, Change::Some)),
        _ => Some(told(history.visited, Change::None)),
    };
    if let Some(told) = told {
        note(&mut history.observations, told);
    }
    if look.changed && !first {
        history.changed = Some(known.unwrap_or(look.at));
    }
    history.visited = look.at;
    history.visits = history.visits.saturating_add(1);
    history.missing = 0;
    history.missing_since = None;
}

/// Adds an observation; forgets the oldest when there are too many.
fn note(observations: &mut Vec<Observation>, told: Observation) {
    if let (Some(last), Change::None) = (observations.last_mut(), told.change)
        && last.change == Change::None
    {
        last.seconds = last.seconds.saturating_add(told.seconds);
        return;
    }
    observations.push(told);
    if observations.len() > MAX_OBSERVATIONS {
        observations.remove(0);
    }
}

/// How much a page is worth to those who search: more with every page that links to it, less with every
/// link that leads there from a seed.
pub fn importance(inlinks: u32, depth: u32, listing: bool) -> f64 {
    let weight = if listing { LISTING_WEIGHT } else { 1.0 };
    weight * (1.0 + f64::from(inlinks).ln_1p()) / (1.0 + f64::from(depth)).sqrt()
}

/// From 0.9 to 1.1, by the id: pages that were fetched together do not come back together.
fn jitter(id: UrlId) -> f64 {
    0.9 + 0.2 * share(id, 0)
}

/// From 0 to 1, by the id and a salt.
pub(crate) fn share(id: UrlId, salt: u64) -> f64 {
    let mut word = [0; 8];
    word.copy_from_slice(&id.0[8..]);
    // The finalizer of SplitMix64 mixes the salt in.
    let mut x = u64::from_be_bytes(word) ^ salt.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((x ^ (x >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}
