//! Who was asked for? A bounded count of requests, so that a test can say what was not requested.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Addresses that are counted one by one; requests for further ones enter the total only.
pub const MAX_VISITED: usize = 65_536;

/// Requests by address.
#[derive(Debug, Default)]
pub struct Visits {
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    by_url: BTreeMap<String, u64>,
    total: u64,
    uncounted: u64,
}

impl Visits {
    /// Enters one request.
    pub fn record(&self, url: &str) {
        let mut counts = self.lock();
        counts.total += 1;
        if let Some(count) = counts.by_url.get_mut(url) {
            *count += 1;
        } else if counts.by_url.len() < MAX_VISITED {
            counts.by_url.insert(url.to_owned(), 1);
        } else {
            counts.uncounted += 1;
        }
    }

    /// Requests for this address.
    pub fn count(&self, url: &str) -> u64 {
        self.lock().by_url.get(url).copied().unwrap_or(0)
    }

    /// All requests.
    pub fn total(&self) -> u64 {
        self.lock().total
    }

    /// Whether every request was counted under its address. When not, a count of zero proves nothing.
    pub fn is_complete(&self) -> bool {
        self.lock().uncounted == 0
    }

    /// Every counted address with its number of requests.
    pub fn all(&self) -> BTreeMap<String, u64> {
        self.lock().by_url.clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
