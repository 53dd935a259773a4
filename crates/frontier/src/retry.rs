//! When is a URL that failed tried again, and when is it given up for good?

use lycosa_model::{Tick, UrlRecord};
use serde::{Deserialize, Serialize};
use std::time::Duration;

#[cfg(test)]
mod tests;

/// Retries within a run, and i-Bot's rule for dropping a URL over runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetryRule {
    /// Attempts in all, the first included.
    pub attempts: u32,
    /// Wait after the first failure.
    pub first: Duration,
    /// Each further wait is this many times longer.
    pub factor: u32,
    /// A URL is dropped when it has not been downloaded for this long ...
    pub drop_after: Duration,
    /// ... and has failed this often in a row meanwhile.
    pub drop_failures: u32,
}

impl Default for RetryRule {
    fn default() -> RetryRule {
        RetryRule {
            attempts: 3,
            first: Duration::from_secs(5),
            factor: 4,
            drop_after: Duration::from_secs(7 * 24 * 60 * 60),
            drop_failures: 5,
        }
    }
}

impl RetryRule {
    /// When to try again after `failures` failures in a row, the last of them `now`; `None` when this
    /// run should not. Asked only for outcomes that are transient.
    pub fn next_try(&self, failures: u32, now: Tick) -> Option<Tick> {
        if failures >= self.attempts {
            return None;
        }
        let wait = match failures.checked_sub(1) {
            None => Duration::ZERO,
            Some(steps) => self.first.saturating_mul(self.factor.saturating_pow(steps)),
        };
        Some(now.after(wait))
    }

    /// i-Bot: a URL whose Tsstate minus Dlast is large has been failing for long and may be deleted.
    ///
    /// `now` is the Tsstate that the failure is about to write. A URL that was never downloaded is
    /// measured from Dinit. Time alone is not enough, since a crawl may rest for months: the failures
    /// in a row must be there too.
    pub fn should_drop(&self, record: &UrlRecord, now: Tick) -> bool {
        let last_good = record.dlast.unwrap_or(record.dinit);
        record.failures >= self.drop_failures && now.since(last_good) >= self.drop_after
    }
}
