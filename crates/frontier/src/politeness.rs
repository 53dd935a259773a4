//! When may a site be asked next?
//!
//! The answer is the longest of what we owe (our own delay, more for a server that answers slowly), what
//! the site asks in robots.txt (`Crawl-delay`, of any length) and what trouble demands: `Retry-After`
//! when the server names it, otherwise a back-off that doubles while attempts fail.

use lycosa_model::{Outcome, Tick};
use serde::{Deserialize, Serialize};
use std::time::Duration;

#[cfg(test)]
mod tests;

/// The longest time that `Retry-After` or the back-off keeps us away; then we ask again.
pub const MAX_BACK_OFF: Duration = Duration::from_secs(24 * 60 * 60);

/// The first step of the back-off.
pub const FIRST_BACK_OFF: Duration = Duration::from_secs(60);

/// Failures in a row that may be the fault of single pages; the back-off begins after them. A server
/// that says 429 or 503 speaks for the site, so there it begins at once.
pub const TOLERATED_FAILURES: u32 = 2;

/// How a crawl behaves towards a site that asks for nothing special.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manners {
    /// Least time from the end of one request to the begin of the next. Zero is allowed, for a web of
    /// one's own.
    pub delay: Duration,
    /// Also wait this many times as long as the last answer took: a slow server is a busy one.
    pub load_factor: u32,
    /// The most that `load_factor` may ask for. Does not limit `delay` or what the site asks.
    pub max_delay: Duration,
}

impl Default for Manners {
    fn default() -> Manners {
        Manners {
            delay: Duration::from_secs(1),
            load_factor: 4,
            max_delay: Duration::from_secs(30),
        }
    }
}

impl Manners {
    /// The usual manners with another delay. With a delay of zero nothing is waited for but what the
    /// site itself asks.
    pub fn with_delay(delay: Duration) -> Manners {
        let usual = Manners::default();
        Manners { delay, load_factor: if delay.is_zero() { 0 } else { usual.load_factor }, ..usual }
    }
}

/// How an attempt on a site ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit {
    /// When its last byte came, or when it was given up.
    pub finished: Tick,
    /// How long it took.
    pub took: Duration,
    /// How it ended.
    pub outcome: Outcome,
    /// The HTTP status, 0 when there was none.
    pub status: u16,
    /// Attempts on this site that failed in a row, this one included.
    pub failures_in_row: u32,
    /// `Retry-After` of the response.
    pub retry_after: Option<Duration>,
}

/// The moment from which the site may be asked again.
pub fn next_ok(manners: &Manners, crawl_delay: Option<Duration>, visit: &Visit) -> Tick {
    let load = visit.took.saturating_mul(manners.load_factor).min(manners.max_delay);
    let pause = manners.delay.max(load).max(crawl_delay.unwrap_or_default()).max(trouble(visit));
    visit.finished.after(pause)
}

/// What the trouble of this visit demands; zero when there was none.
fn trouble(visit: &Visit) -> Duration {
    if let Some(asked) = visit.retry_after {
        return asked.min(MAX_BACK_OFF);
    }
    if matches!(visit.status, 429 | 503) {
        return back_off(visit.failures_in_row.max(1));
    }
    if visit.outcome.is_transient() {
        return back_off(visit.failures_in_row.saturating_sub(TOLERATED_FAILURES));
    }
    Duration::ZERO
}

/// The pause of the n-th step: 60 s, doubling, at most a day. Step 0 is no pause.
pub fn back_off(step: u32) -> Duration {
    match step.checked_sub(1) {
        None => Duration::ZERO,
        Some(doublings) => {
            FIRST_BACK_OFF.saturating_mul(2_u32.saturating_pow(doublings)).min(MAX_BACK_OFF)
        }
    }
}
