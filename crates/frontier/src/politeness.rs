//! When may a site be asked next?
//!
//! The answer is the longest of what we owe (our own delay, more for a server that answers slowly), what
//! the site asks in robots.txt (`Crawl-delay`, of any length) and what trouble demands: `Retry-After`
//! when the server names it, otherwise a back-off that doubles while attempts fail. A back-off is not
//! forgotten with the first good answer: it halves with every few of them, so a server that fails under
//! our very return is not asked as hard as before. Sites that failed together do not come back together:
//! each back-off is up to a tenth longer, by a number that depends on the site and the step alone.

use lycosa_model::{Outcome, Site, Tick, Trouble, UrlId};
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

/// The step from which the back-off does not grow any more: twelve steps are more than a day.
pub const MAX_STEP: u8 = 12;

/// Good answers in a row that take one step of the back-off back.
pub const FORGIVING_ANSWERS: u8 = 5;

/// A back-off is longer than its step says by at most this part of it.
const JITTER: u32 = 10;

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

/// The moment from which the site may be asked again, and the trouble that is held against it from now
/// on. `salt` is the site's, see [`salt`].
pub fn next_ok(
    manners: &Manners,
    crawl_delay: Option<Duration>,
    visit: &Visit,
    before: Trouble,
    salt: u64,
) -> (Tick, Trouble) {
    let load = visit.took.saturating_mul(manners.load_factor).min(manners.max_delay);
    let (demanded, trouble) = trouble(visit, before, salt);
    let pause = manners.delay.max(load).max(crawl_delay.unwrap_or_default()).max(demanded);
    (visit.finished.after(pause), trouble)
}

/// The number that makes the back-offs of one site differ from those of another.
pub fn salt(site: &Site) -> u64 {
    let UrlId(bytes) = UrlId::of(site.as_str());
    bytes.iter().take(8).fold(0, |number, byte| (number << 8) | u64::from(*byte))
}

/// What this visit demands (zero when all is well), and what is remembered of it.
fn trouble(visit: &Visit, before: Trouble, salt: u64) -> (Duration, Trouble) {
    if let Some(asked) = visit.retry_after {
        // The server knows better than our steps; they stay as they are.
        return (asked.min(MAX_BACK_OFF), Trouble { calm: 0, ..before });
    }
    let speaks_for_site = matches!(visit.status, 429 | 503);
    if speaks_for_site || visit.outcome.is_transient() {
        if !speaks_for_site && visit.failures_in_row <= TOLERATED_FAILURES {
            return (Duration::ZERO, Trouble { calm: 0, ..before });
        }
        let step = before.step.saturating_add(1).min(MAX_STEP);
        let pause = back_off(step);
        return (pause + jitter(pause, salt, step), Trouble { step, calm: 0 });
    }
    (Duration::ZERO, forgiven(before))
}

/// One good answer more.
fn forgiven(before: Trouble) -> Trouble {
    if before.step == 0 {
        return Trouble::default();
    }
    let calm = before.calm.saturating_add(1);
    if calm < FORGIVING_ANSWERS {
        return Trouble { calm, ..before };
    }
    Trouble { step: before.step - 1, calm: 0 }
}

/// The pause of the n-th step: 60 s, doubling, at most a day. Step 0 is no pause.
pub fn back_off(step: u8) -> Duration {
    match step.checked_sub(1) {
        None => Duration::ZERO,
        Some(doublings) => {
            FIRST_BACK_OFF.saturating_mul(2_u32.saturating_pow(doublings.into())).min(MAX_BACK_OFF)
        }
    }
}

/// Between nothing and a tenth of the pause; the same for the same site and step.
fn jitter(pause: Duration, salt: u64, step: u8) -> Duration {
    // SplitMix64: neighbouring numbers come out far apart.
    let mut mixed = salt.wrapping_add(u64::from(step).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let thousandths = ((mixed ^ (mixed >> 31)) % 1_001) as u32;
    pause / JITTER * thousandths / 1_000
}
