//! How do documents get into the index? In groups, each committed together with how far it reaches in
//! the archive.

mod agent;
mod group;
mod standing;
mod timer;

pub use agent::{Indexer, IndexerState};
pub use group::{IndexError, Settings};
pub use standing::{StandingReport, find_standing, is_standing_old};

#[cfg(test)]
mod tests;
