//! What does the site tell while the crawllet runs, and at the end?

use crate::limits::Limits;
use crate::record::{Record, Tag};
use crate::{Fault, cbor};

/// Why a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// Nothing was left to do.
    Done,
    /// The soft limit; the state says how to go on.
    Suspended,
    /// Fuel was used up.
    Fuel,
    /// Time was used up.
    Time,
    /// Memory was.
    Memory,
    /// Output was.
    Output,
    /// Pages were.
    Pages,
    /// The crawllet did something that it may not, or ended with an error.
    Trap,
    /// It left its scope too often.
    Scope,
    /// The host was told to end.
    HostShutdown,
}

/// By their number on the wire, with their names.
const REASONS: &[(Reason, &str)] = &[
    (Reason::Done, "done"),
    (Reason::Suspended, "suspended"),
    (Reason::Fuel, "fuel"),
    (Reason::Time, "time"),
    (Reason::Memory, "memory"),
    (Reason::Output, "output"),
    (Reason::Pages, "pages"),
    (Reason::Trap, "trap"),
    (Reason::Scope, "scope"),
    (Reason::HostShutdown, "host_shutdown"),
];

impl Reason {
    fn place(self) -> usize {
        REASONS.iter().position(|(reason, _)| *reason == self).unwrap_or_default()
    }

    /// The number on the wire.
    pub fn code(self) -> u64 {
        self.place() as u64
    }

    /// What a number on the wire means.
    pub fn from_code(code: u64) -> Option<Reason> {
        REASONS.get(usize::try_from(code).ok()?).map(|(reason, _)| *reason)
    }

    /// One word for logs, metrics and reports of either side.
    pub fn name(self) -> &'static str {
        REASONS[self.place()].1
    }
}

/// How a job ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// Why.
    pub reason: Reason,
    /// Records that were sent.
    pub pages: u64,
    /// Their bytes, unpacked and with their lengths.
    pub bytes: u64,
    /// Fuel that was used.
    pub fuel_used: u64,
    /// Processor time.
    pub cpu_ms: u64,
    /// The tag of the last record.
    pub chain_head: Tag,
    /// SHA-256 of the unpacked records with their lengths.
    pub sha256: [u8; 32],
}

impl End {
    pub(crate) fn write(&self) -> Vec<u8> {
        let mut to = cbor::Writer::new();
        to.map(7).uint(1).uint(self.reason.code()).uint(2).uint(self.pages);
        to.uint(3).uint(self.bytes).uint(4).bytes(&self.chain_head).uint(5).bytes(&self.sha256);
        to.uint(6).uint(self.fuel_used).uint(7).uint(self.cpu_ms);
        to.finish()
    }

    pub(super) fn read(body: &[u8]) -> Result<End, Fault> {
        let fields = cbor::map(body)?;
        let reason = Reason::from_code(fields.need(1)?.uint()?);
        Ok(End {
            reason: reason.ok_or(Fault::Malformed("reason"))?,
            pages: fields.need(2)?.uint()?,
            bytes: fields.need(3)?.uint()?,
            chain_head: fields.need(4)?.fixed()?,
            sha256: fields.need(5)?.fixed()?,
            fuel_used: fields.need(6)?.uint()?,
            cpu_ms: fields.need(7)?.uint()?,
        })
    }
}

/// What the site tells while the crawllet runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The crawllet runs.
    Started {
        /// What it may use.
        limits: Limits,
        /// SHA-256 of the robots.txt that is enforced.
        robots_sha256: Option<[u8; 32]>,
    },
    /// A record, verified.
    Record(Record),
    /// A sign of life.
    Progress {
        /// Pages so far.
        pages: u64,
        /// Bytes so far.
        bytes: u64,
        /// Fuel that is left.
        fuel_left: u64,
    },
    /// A line of the crawllet.
    Log(String),
    /// The state of a crawllet that was suspended.
    State(Vec<u8>),
    /// The job ended, and everything arrived.
    End(End),
    /// The site ended the job with an error.
    Error {
        /// What kind.
        code: u64,
        /// Its words.
        text: String,
    },
}

pub(super) fn started(body: &[u8]) -> Result<Event, Fault> {
    let fields = cbor::map(body)?;
    let digest = fields.need(2)?;
    let robots_sha256 = if digest.bytes()?.is_empty() { None } else { Some(digest.fixed()?) };
    Ok(Event::Started { limits: Limits::read(fields.need(1)?)?, robots_sha256 })
}

pub(super) fn progress(body: &[u8]) -> Result<Event, Fault> {
    let fields = cbor::map(body)?;
    Ok(Event::Progress {
        pages: fields.need(1)?.uint()?,
        bytes: fields.need(2)?.uint()?,
        fuel_left: fields.need(3)?.uint()?,
    })
}
