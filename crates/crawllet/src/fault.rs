//! What can be wrong with a message, and why may a site say no?

/// What is wrong with what the other side sent, or with what was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The bytes do not begin as CLP/1 does, or the message is of another type.
    #[error("not the CLP/1 message that was expected")]
    NotClp,
    /// Something is larger than its named limit.
    #[error("too large: {0}")]
    TooLarge(&'static str),
    /// Bytes that do not follow their format.
    #[error("malformed: {0}")]
    Malformed(&'static str),
    /// A descriptor that is no descriptor.
    #[error("descriptor: {0}")]
    Descriptor(&'static str),
    /// The key id names no key that is held or valid.
    #[error("unknown key")]
    UnknownKey,
    /// The key is not valid at this moment.
    #[error("key not valid now")]
    KeyExpired,
    /// A handshake message cannot be opened: other keys, other authority, other descriptor, or altered.
    #[error("handshake failed")]
    Handshake,
    /// A signature does not verify.
    #[error("signature does not verify")]
    Signature,
    /// The site answered, and declined.
    #[error("refused: {code} (again after {retry_after_s} s)")]
    Refused {
        /// Why.
        code: Refusal,
        /// When asking again makes sense.
        retry_after_s: u32,
    },
    /// A message names another session.
    #[error("of another session")]
    Session,
    /// The grant is no longer valid.
    #[error("grant has expired")]
    Expired,
    /// A frame cannot be opened: altered, swapped, replayed, or one before it is missing.
    #[error("frame {0} cannot be opened")]
    Frame(u64),
    /// A frame or section at the wrong place.
    #[error("out of order: {0}")]
    Order(&'static str),
    /// A hash or a count says something else than what arrived.
    #[error("does not match: {0}")]
    Checksum(&'static str),
    /// The chain of tags is broken at this record.
    #[error("chain of records broken at {0}")]
    Chain(u64),
    /// Packed data that unpacks to more than is allowed.
    #[error("unpacks to more than {0} bytes")]
    Bomb(u64),
    /// Packed data that cannot be unpacked, or wants too large a window.
    #[error("cannot be unpacked: {0}")]
    Packed(&'static str),
    /// The stream ended without END; what was verified before stays usable.
    #[error("truncated after {0} records")]
    Truncated(u64),
    /// The site ended the job with an error.
    #[error("the site failed with code {0}")]
    Failed(u64),
    /// A module without the one place for the key.
    #[error("module has no single slot for the key")]
    KeySlot,
    /// The cryptographic library did not do its work; no input is known to cause it.
    #[error("cryptography unavailable")]
    Crypto,
}

/// Why a site declines a HELLO that it could read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Refusal {
    /// All slots are taken, or the budget of the day is.
    Busy,
    /// This engine is not admitted.
    NotAdmitted,
    /// The clocks are too far apart.
    Clock,
    /// Nothing is left of what was asked for.
    Scope,
    /// No common version of the interface.
    Version,
    /// This HELLO was here before.
    Replay,
    /// A code of a later version.
    Other(u16),
}

impl Refusal {
    /// The number on the wire.
    pub fn code(self) -> u16 {
        match self {
            Refusal::Busy => 1,
            Refusal::NotAdmitted => 2,
            Refusal::Clock => 3,
            Refusal::Scope => 4,
            Refusal::Version => 5,
            Refusal::Replay => 6,
            Refusal::Other(code) => code,
        }
    }

    /// What a number on the wire means.
    pub fn from_code(code: u16) -> Refusal {
        match code {
            1 => Refusal::Busy,
            2 => Refusal::NotAdmitted,
            3 => Refusal::Clock,
            4 => Refusal::Scope,
            5 => Refusal::Version,
            6 => Refusal::Replay,
            other => Refusal::Other(other),
        }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::Busy => f.write_str("busy"),
            Refusal::NotAdmitted => f.write_str("not admitted"),
            Refusal::Clock => f.write_str("clock"),
            Refusal::Scope => f.write_str("scope"),
            Refusal::Version => f.write_str("version"),
            Refusal::Replay => f.write_str("replay"),
            Refusal::Other(code) => write!(f, "code {code}"),
        }
    }
}
