//! How does another process look into a running crawl? Through a Unix domain socket in the data
//! folder: one JSON line asks, one JSON line answers.
//!
//! The crawl holds the [`ControlDoor`] ([`listen`]); `lycosa agents`, `status` and `url` are clients
//! ([`ask`]). What travels is an `InterfaceMessage` and its `InterfaceReply`. The door and the agents
//! that answer at it have their own thread and their own runtime with real time, because a replayed
//! crawl lives on one busy thread with a paused clock, whose timeouts would mean nothing here.

mod client;
mod door;
mod socket;
#[cfg(test)]
mod tests;

pub use client::{ask, ask_within};
pub use door::{BROKER_PATIENCE, ControlDoor, MAX_CONNECTIONS, MAX_REQUEST, listen};
pub use socket::SOCKET_NAME;

/// Why a running crawl could not be asked.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// Nobody listens: no crawl works on this data folder, or it ended while it was asked.
    #[error("no crawl is running on this data folder")]
    NotRunning,
    /// The crawl answered that it cannot do this.
    #[error("{error}")]
    Refused {
        /// What is wrong.
        error: String,
        /// What to do about it.
        hint: String,
    },
    /// The socket failed.
    #[error("cannot {doing} the control socket: {source}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// Why it failed.
        source: std::io::Error,
    },
    /// The answer is not one of ours, or longer than any of ours.
    #[error("the control socket answered something unreadable: {0}")]
    Garbled(String),
}
