//! When did it happen? One unit of time for records, leases and politeness.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Milliseconds since the Unix epoch, on the clock of the crawl: the wall clock when it is live, a
/// virtual clock when it is a replay.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(transparent)]
pub struct Tick(pub u64);

impl Tick {
    /// The moment `by` later; saturates instead of wrapping.
    #[must_use]
    pub fn after(self, by: Duration) -> Tick {
        Tick(self.0.saturating_add(by.as_millis().min(u128::from(u64::MAX)) as u64))
    }

    /// How long ago `earlier` was; zero when it lies in the future.
    #[must_use]
    pub fn since(self, earlier: Tick) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}
