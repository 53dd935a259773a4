//! What outlives the process? URL and bot records, and the web archive.

pub mod archive;
pub mod folder;
mod journal;
pub mod queues;
pub mod records;
mod tables;
pub mod tally;
