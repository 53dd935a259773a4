//! How does one write a crawllet: a small program that crawls one site from inside?
//!
//! A guest implements [`Crawllet`] and exports one function:
//!
//! ```
//! use crawllet_sdk::{Crawllet, Take, Visit};
//!
//! struct Whole;
//!
//! impl Crawllet for Whole {
//!     fn take(&mut self, visit: &Visit<'_>) -> Take {
//!         if visit.meta.status == 200 { Take::Whole } else { Take::Nothing }
//!     }
//! }
//!
//! # #[cfg(target_arch = "wasm32")]
//! #[no_mangle]
//! pub extern "C" fn clp_run() -> i32 {
//!     crawllet_sdk::run(&mut Whole)
//! }
//! ```
//!
//! The SDK does the rest: it asks the host for page after page, finds links as the engine does, keeps to
//! the granted part of the site, ties each record to the one before, and ships its state when a budget
//! is nearly used up. It has no clock, no chance and no other way out than the host's six functions, so
//! the same site and the same budgets give the same records.
#![deny(unsafe_code)]
#![warn(missing_docs)]

#[cfg(target_arch = "wasm32")]
#[allow(unsafe_code)]
mod abi;
pub mod blake2s;
pub mod cbor;
pub mod charset;
pub mod crawl;
pub mod host;
pub mod html;
pub mod job;
pub mod links;
#[cfg(not(target_arch = "wasm32"))]
pub mod mock;
pub mod record;
pub mod robots;
pub mod sha256;
pub mod state;
pub mod table;
pub mod url;

#[cfg(target_arch = "wasm32")]
pub use abi::run;
pub use crawl::{Crawllet, Outcome, Take, Visit};
pub use html::Wants;
pub use links::{Link, LinkKind};

/// The version of the ABI that is spoken here.
pub const ABI: i32 = 1;

#[cfg(test)]
mod tests;
