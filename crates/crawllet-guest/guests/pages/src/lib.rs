//! What does a site have? Every page of it, whole.
//!
//! Whatever the site answers is handed over as it is, so that the engine can treat it as if it had
//! fetched it itself: pages, files, redirects, errors. What is not there (404, 410) is only named.

use crawllet_sdk::{Crawllet, Take, Visit};

/// The guest; it has no parameters.
#[derive(Debug, Default)]
pub struct Pages;

impl Crawllet for Pages {
    fn take(&mut self, visit: &Visit<'_>) -> Take {
        match visit.meta.status {
            404 | 410 => Take::Gone,
            _ => Take::Whole,
        }
    }
}

/// Crawls.
#[cfg(target_arch = "wasm32")]
#[no_mangle]
pub extern "C" fn clp_run() -> i32 {
    crawllet_sdk::run(&mut Pages)
}
