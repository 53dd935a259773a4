//! Does a body come fast enough?
//!
//! A drip of a byte a second keeps every timeout for silence happy and a connection busy for the
//! whole time of an exchange. It is measured by the window: whoever sends less than a least rate for
//! one whole window is given up. The first window is grace, since nobody is judged before it ends.

use lycosa_model::FetchError;
use std::time::Duration;
use tokio::time::Instant;

/// The speed of one body.
#[derive(Debug)]
pub(super) struct Pace {
    /// Least bytes in a window; 0 means that nobody looks.
    least: u64,
    window: Duration,
    /// When the present window began, and how much had come by then.
    since: (Instant, u64),
}

impl Pace {
    /// A body begins.
    pub(super) fn start(now: Instant, min_rate: u64, window: Duration) -> Pace {
        let millis = u64::try_from(window.as_millis()).unwrap_or(u64::MAX);
        Pace { least: min_rate.saturating_mul(millis) / 1000, window, since: (now, 0) }
    }

    /// When the present window ends; never, if any pace will do.
    pub(super) fn judged_at(&self) -> Option<Instant> {
        if self.least == 0 { None } else { self.since.0.checked_add(self.window) }
    }

    /// Looks at what has come so far, and begins the next window when one is over.
    pub(super) fn judge(&mut self, now: Instant, received: u64) -> Result<(), FetchError> {
        if self.judged_at().is_none_or(|end| now < end) {
            return Ok(());
        }
        if received - self.since.1.min(received) < self.least {
            return Err(FetchError::TooSlow);
        }
        self.since = (now, received);
        Ok(())
    }
}
