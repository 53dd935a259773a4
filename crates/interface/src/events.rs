//! What happened in a run? Read from the log that the broker writes, while it is written and afterwards.
//!
//! Whoever watches reads the same file: the page, the terminal and the tests. Where a line ends is the number of
//! its event, so that a stream that was cut goes on behind the last event that came, without gap or repeat, and
//! also after a restart of the server.

mod log;
mod picture;
#[cfg(test)]
mod tests;
mod words;

pub use log::{Chunk, Log};
pub use picture::{Conversation, Life, Picture, Reading, Seen, Touch};
pub use words::words;

/// Where the logs are in a data folder.
pub const FOLDER: &str = "agents/events";
