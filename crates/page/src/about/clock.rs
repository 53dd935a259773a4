//! Can it be from then? Dates against what the answer of the server says about time, and against reason.

use crate::{Input, date};
use lycosa_model::Tick;
use std::time::Duration;

/// No page is older than the web: 1 January 1990.
const EARLIEST: Tick = Tick(631_152_000_000);
/// Nothing is from after 1 January 2100.
const LATEST: Tick = Tick(4_102_444_800_000);
/// Zones and clocks that are wrong make a page come from the future by this much.
const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// A `Last-Modified` that is nearer than this to the answer is the moment of the answer.
const AN_HOUR: Duration = Duration::from_secs(60 * 60);

/// What the server says about time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock {
    /// When it answered.
    answered: Option<Tick>,
    /// Since when the page is as it is.
    changed: Option<Tick>,
}

impl Clock {
    pub(crate) fn of(input: &Input<'_>) -> Clock {
        Clock {
            answered: input.date.and_then(date::parse),
            changed: input.last_modified.and_then(date::parse),
        }
    }

    /// Whether a page can be from then.
    pub(crate) fn is_plausible(&self, at: Tick) -> bool {
        let latest = self.answered.map_or(LATEST, |answered| answered.after(A_DAY));
        (EARLIEST..=latest).contains(&at)
    }

    /// When a page was published and changed, if these dates can be; else the server knows when it was
    /// changed, if that is not the moment of each answer.
    pub(crate) fn settle(
        &self,
        published: Option<Tick>,
        modified: Option<Tick>,
    ) -> (Option<Tick>, Option<Tick>) {
        let is_old = |changed: &Tick| {
            self.answered.is_some_and(|answered| changed.after(AN_HOUR) < answered)
        };
        let plausible = |at: &Tick| self.is_plausible(*at);
        let published = published.filter(plausible);
        let modified = modified
            .filter(plausible)
            .or(self.changed.filter(is_old).filter(plausible))
            .filter(|modified| published.is_none_or(|published| *modified >= published));
        (published, modified)
    }
}
