//! What is new at a site since the engine was there? Pages that are new or changed, whole.
//!
//! Everything that the engine knows is asked for again, with its entity tag where there is one. What is
//! as it was is told without its body, and what is gone is told as gone. Pages that the engine does not
//! know are found by links, as ever.

use crawllet_sdk::crawl::NOT_MODIFIED;
use crawllet_sdk::{Crawllet, Take, Visit};

/// The guest; it has no parameters.
#[derive(Debug, Default)]
pub struct Changed;

impl Crawllet for Changed {
    fn revisits(&self) -> bool {
        true
    }

    fn take(&mut self, visit: &Visit<'_>) -> Take {
        let is_as_before = visit.known.and_then(|known| known.sha256) == Some(visit.sha256);
        match visit.meta.status {
            NOT_MODIFIED => Take::Unchanged,
            404 | 410 => Take::Gone,
            200 if is_as_before => Take::Unchanged,
            _ => Take::Whole,
        }
    }
}

/// Crawls.
#[cfg(target_arch = "wasm32")]
#[no_mangle]
pub extern "C" fn clp_run() -> i32 {
    crawllet_sdk::run(&mut Changed)
}

#[cfg(test)]
mod tests;
