//! What can go wrong on the bus, and does it pass?

use std::time::Duration;

/// What a call of the bus may end with.
pub type Result<T> = std::result::Result<T, Error>;

/// Why something could not be done. [`Error::passes`] tells whether it is worth another try.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The address of the bus is not one.
    #[error("`{address}` is no bus: {why} (write `local`, or `nats://host:4222,host2:4222`)")]
    Address {
        /// What was given.
        address: String,
        /// What is wrong with it.
        why: String,
    },
    /// No server of the list answers.
    #[error("no NATS server answers at {address}: {why} (is `nats-server -js` running there?)")]
    Unreachable {
        /// The list.
        address: String,
        /// What the last one said.
        why: String,
    },
    /// The server is older than what was tested.
    #[error(
        "the NATS server is version {found}, and {needed} or later is needed (update `nats-server`)"
    )]
    TooOld {
        /// Version of the server.
        found: String,
        /// The oldest that will do.
        needed: &'static str,
    },
    /// The server keeps no streams, so there is no durable work.
    #[error(
        "the NATS server keeps no streams (start it with `-js`, or `jetstream {{}}` in its configuration)"
    )]
    NoStreams,
    /// Not a name that messages can be sent to.
    #[error("`{0}` is no subject: words of letters, digits, `-` and `_`, with dots between them")]
    Subject(String),
    /// Nobody listens there.
    #[error("nobody serves `{0}`")]
    Nobody(String),
    /// Whoever was asked did not answer in time.
    #[error("no answer from `{subject}` within {timeout:?}")]
    NoAnswer {
        /// Who was asked.
        subject: String,
        /// How long was waited.
        timeout: Duration,
    },
    /// Whoever was asked said no.
    #[error("refused: {0}")]
    Refused(String),
    /// A queue of work has as many messages as it may have.
    #[error("the queue `{0}` is full")]
    Full(String),
    /// The message is larger than the bus carries.
    #[error("a message of {bytes} bytes, and {most} is the most")]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// The limit.
        most: usize,
    },
    /// The bus did not do it now: a server died, a leader is being elected, the line is cut.
    #[error("the bus is disturbed: {0}")]
    Disturbed(String),
    /// The bus has been closed.
    #[error("the bus is closed")]
    Closed,
    /// The bus refuses, and will do so again.
    #[error("the bus refuses: {0}")]
    Rejected(String),
}

impl Error {
    /// Whether it may pass by itself, so that the same call can succeed later.
    pub fn passes(&self) -> bool {
        match self {
            Error::Unreachable { .. }
            | Error::Nobody(_)
            | Error::NoAnswer { .. }
            | Error::Full(_)
            | Error::Disturbed(_) => true,
            Error::Address { .. }
            | Error::TooOld { .. }
            | Error::NoStreams
            | Error::Subject(_)
            | Error::Refused(_)
            | Error::TooLarge { .. }
            | Error::Closed
            | Error::Rejected(_) => false,
        }
    }
}
