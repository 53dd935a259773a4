//! How do documents get into the index? In groups, each committed together with how far it reaches in
//! the archive.

mod agent;
mod group;
mod timer;

pub use agent::{Indexer, IndexerState};
pub use group::{IndexError, Settings};

#[cfg(test)]
mod tests;
