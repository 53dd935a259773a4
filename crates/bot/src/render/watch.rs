//! What is the browser doing, and what became of its pages? Counted for the whole process, for whoever
//! watches the crawl.

use super::{Rendered, Unrendered};
use serde::Serialize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Counts of a renderer, from its start.
#[derive(Debug, Default)]
pub(super) struct Watch {
    running: AtomicU64,
    starts: AtomicU64,
    milliseconds: AtomicU64,
    rendered: AtomicU64,
    cut: AtomicU64,
    crashed: AtomicU64,
    timeout: AtomicU64,
    flood: AtomicU64,
    no_browser: AtomicU64,
    no_room: AtomicU64,
}

/// The browser of a process, as it shows itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BrowserState {
    /// Browsers that run: one, or none while it is replaced or cannot be started.
    pub running: u64,
    /// How often one was started.
    pub starts: u64,
    /// Pages that it looks at now.
    pub busy: u64,
    /// Pages that it may look at at the same time.
    pub tabs: u64,
    /// Time that pages were looked at, added up.
    pub seconds: f64,
    /// What became of pages.
    pub ends: Ends,
}

/// How visits ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Ends {
    /// They came to rest.
    pub rendered: u64,
    /// They were read as far as they came when their time was over.
    pub cut: u64,
    /// They took their process down, or were ended for their size.
    pub crashed: u64,
    /// They could not be read in time.
    pub timeout: u64,
    /// More happened in them than can be followed.
    pub flood: u64,
    /// There was no browser.
    pub no_browser: u64,
    /// There was no room for them while their lease held.
    pub no_room: u64,
}

fn add(counter: &AtomicU64, number: u64) {
    counter.fetch_add(number, Ordering::Relaxed);
}

impl Watch {
    pub(super) fn opened(&self) {
        add(&self.starts, 1);
        self.running.store(1, Ordering::Relaxed);
    }

    pub(super) fn closed(&self) {
        self.running.store(0, Ordering::Relaxed);
    }

    pub(super) fn no_room(&self) {
        add(&self.no_room, 1);
    }

    pub(super) fn ended(&self, end: &Result<Rendered, Unrendered>, took: Duration) {
        add(&self.milliseconds, u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
        let counter = match end {
            Ok(page) if page.whole => &self.rendered,
            Ok(_) => &self.cut,
            Err(Unrendered::Crashed) => &self.crashed,
            Err(Unrendered::Timeout) => &self.timeout,
            Err(Unrendered::Flood) => &self.flood,
            Err(Unrendered::NoBrowser) => &self.no_browser,
        };
        add(counter, 1);
    }

    pub(super) fn state(&self, tabs: usize, free: usize) -> BrowserState {
        let told = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        BrowserState {
            running: told(&self.running),
            starts: told(&self.starts),
            busy: tabs.saturating_sub(free) as u64,
            tabs: tabs as u64,
            seconds: told(&self.milliseconds) as f64 / 1000.0,
            ends: Ends {
                rendered: told(&self.rendered),
                cut: told(&self.cut),
                crashed: told(&self.crashed),
                timeout: told(&self.timeout),
                flood: told(&self.flood),
                no_browser: told(&self.no_browser),
                no_room: told(&self.no_room),
            },
        }
    }
}
