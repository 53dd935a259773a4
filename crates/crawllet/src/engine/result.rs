//! Is what comes back whole, in order, and what the crawllet said?

use super::{Granted, OutputKind};
use crate::limits::Limits;
use crate::record::{Chain, MAX_RECORD_BYTES, Record};
use crate::wire::{self, Opener, frame};
use crate::{Fault, cbor, zip};
use sha2::{Digest, Sha256};

/// Bytes of LOG frames of one job.
pub const MAX_LOG_BYTES: usize = 8 * 1024;
/// Bytes of the state of a suspended crawllet.
pub const MAX_STATE_BYTES: usize = 4 * 1024 * 1024;
/// Longest text of an ERROR.
pub const MAX_ERROR_BYTES: usize = 1024;
/// PROGRESS and LOG frames of one job: one each second for a day.
pub const MAX_SIGNS: u64 = 86_400;
/// Unpacked records may be so many times larger than what the grant lets over the wire.
pub const MAX_UNPACKED_RATIO: u64 = 64;
/// What the engine takes at most, whatever was granted.
pub const MAX_OUT_MIB: u64 = 4096;

const MIB: u64 = 1024 * 1024;

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

const REASONS: &[Reason] = &[
    Reason::Done,
    Reason::Suspended,
    Reason::Fuel,
    Reason::Time,
    Reason::Memory,
    Reason::Output,
    Reason::Pages,
    Reason::Trap,
    Reason::Scope,
    Reason::HostShutdown,
];

impl Reason {
    /// The number on the wire.
    pub fn code(self) -> u64 {
        REASONS.iter().position(|reason| *reason == self).unwrap_or_default() as u64
    }

    /// What a number on the wire means.
    pub fn from_code(code: u64) -> Option<Reason> {
        REASONS.get(usize::try_from(code).ok()?).copied()
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
    pub chain_head: [u8; 16],
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

    fn read(body: &[u8]) -> Result<End, Fault> {
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

/// Where the stream is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Head,
    Starting,
    Running,
    Over,
    Broken,
}

/// Reads RESULT, in any slices.
///
/// After a fault it takes nothing more; what it gave out before stays good: every record was checked by the time
/// it was given.
pub struct ResultReader {
    phase: Phase,
    head: Vec<u8>,
    session: [u8; 16],
    opener: Opener,
    output: OutputKind,
    unpacker: zip::Unpacker,
    records: Records,
    wire_left: u64,
    log_left: usize,
    signs_left: u64,
    state: Vec<u8>,
    has_state: bool,
    end: Option<End>,
    failed: Option<u64>,
}

/// The bytes of records, and what is checked of them.
struct Records {
    waiting: Vec<u8>,
    chain: Chain,
    sum: Sha256,
    bytes: u64,
    bytes_most: u64,
    pages_most: u64,
}

impl std::fmt::Debug for ResultReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ResultReader")
            .field("phase", &self.phase)
            .field("records", &self.records.chain.count())
            .finish_non_exhaustive()
    }
}

impl ResultReader {
    pub(super) fn new(
        granted: &Granted,
        mac_key: [u8; 32],
        output: OutputKind,
    ) -> Result<ResultReader, Fault> {
        let limits = granted.limits;
        let out = match u64::from(limits.out_mib) {
            0 => MAX_OUT_MIB,
            mib => mib.min(MAX_OUT_MIB),
        } * MIB;
        let unpacked = if output.compressed { out * MAX_UNPACKED_RATIO } else { out };
        Ok(ResultReader {
            phase: Phase::Head,
            head: Vec::new(),
            session: granted.session_id,
            opener: Opener::new(granted.result_key()),
            output,
            unpacker: zip::Unpacker::new(unpacked)?,
            records: Records {
                waiting: Vec::new(),
                chain: Chain::new(mac_key),
                sum: Sha256::new(),
                bytes: 0,
                bytes_most: unpacked,
                pages_most: if limits.pages == 0 { u64::MAX } else { limits.pages.into() },
            },
            // Frames, signs of life and what cannot be packed need a little more than the records.
            wire_left: out + out / 32 + MAX_STATE_BYTES as u64 + 16 * MIB,
            log_left: MAX_LOG_BYTES,
            signs_left: MAX_SIGNS,
            state: Vec::new(),
            has_state: false,
            end: None,
            failed: None,
        })
    }

    /// Takes in bytes, and gives what they tell.
    ///
    /// The events before a fault are lost with it; push smaller slices, or use [`ResultReader::push_into`].
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Event>, Fault> {
        let mut events = Vec::new();
        self.push_into(bytes, &mut events)?;
        Ok(events)
    }

    /// As [`ResultReader::push`]; the events before a fault are kept.
    pub fn push_into(&mut self, bytes: &[u8], events: &mut Vec<Event>) -> Result<(), Fault> {
        let result = self.take_in(bytes, events);
        if result.is_err() {
            self.phase = Phase::Broken;
        }
        result
    }

    /// How many records were given out.
    pub fn records(&self) -> u64 {
        self.records.chain.count()
    }

    /// The end of the stream: how the job ended, or what is missing.
    pub fn finish(self) -> Result<End, Fault> {
        if let Some(code) = self.failed {
            return Err(Fault::Failed(code));
        }
        match self.end {
            Some(end) if self.phase == Phase::Over => Ok(end),
            _ => Err(Fault::Truncated(self.records.chain.count())),
        }
    }

    fn take_in(&mut self, bytes: &[u8], events: &mut Vec<Event>) -> Result<(), Fault> {
        if self.phase == Phase::Broken {
            return Err(Fault::Order("after a fault"));
        }
        if self.phase == Phase::Over && !bytes.is_empty() {
            return Err(Fault::Order("after the end"));
        }
        self.wire_left =
            self.wire_left.checked_sub(bytes.len() as u64).ok_or(Fault::TooLarge("RESULT"))?;
        let mut bytes = bytes;
        if self.phase == Phase::Head {
            let missing = wire::STREAM_HEAD_BYTES - self.head.len();
            let (head, rest) = bytes.split_at(missing.min(bytes.len()));
            self.head.extend_from_slice(head);
            bytes = rest;
            if self.head.len() < wire::STREAM_HEAD_BYTES {
                return Ok(());
            }
            self.read_head()?;
        }
        self.opener.push(bytes);
        while let Some((kind, body)) = self.opener.open()? {
            self.frame(kind, body, events)?;
        }
        if self.phase == Phase::Over && self.opener.is_torn() {
            return Err(Fault::Order("after the end"));
        }
        Ok(())
    }

    fn read_head(&mut self) -> Result<(), Fault> {
        let (flags, session) = wire::read_head(&self.head, wire::RESULT)?;
        if flags != if self.output.compressed { wire::FLAG_PACKED } else { 0 } {
            return Err(Fault::Malformed("flags"));
        }
        if session != self.session {
            return Err(Fault::Session);
        }
        self.phase = Phase::Starting;
        Ok(())
    }

    fn frame(&mut self, kind: u8, body: Vec<u8>, events: &mut Vec<Event>) -> Result<(), Fault> {
        match (self.phase, kind) {
            (Phase::Starting, frame::STARTED) => {
                self.phase = Phase::Running;
                events.push(started(&body)?);
                Ok(())
            }
            (Phase::Starting | Phase::Running, frame::ERROR) => self.error(&body, events),
            (Phase::Running, frame::DATA) => self.data(&body, events),
            (Phase::Running, frame::PROGRESS) => {
                self.sign()?;
                events.push(progress(&body)?);
                Ok(())
            }
            (Phase::Running, frame::LOG) => {
                self.sign()?;
                let left = self.log_left.checked_sub(body.len());
                self.log_left = left.ok_or(Fault::TooLarge("log"))?;
                let text = String::from_utf8_lossy(&body);
                events.push(Event::Log(text.replace(char::is_control, " ")));
                Ok(())
            }
            (Phase::Running, frame::STATE) => self.state(&body, events),
            (Phase::Running, frame::END) => self.end(&body, events),
            _ => Err(Fault::Order("frame")),
        }
    }

    fn sign(&mut self) -> Result<(), Fault> {
        self.signs_left = self.signs_left.checked_sub(1).ok_or(Fault::TooLarge("signs of life"))?;
        Ok(())
    }

    fn data(&mut self, body: &[u8], events: &mut Vec<Event>) -> Result<(), Fault> {
        let records = &mut self.records;
        if self.output.compressed {
            self.unpacker.push(body, |slice| records.push(slice, events))
        } else {
            records.push(body, events)
        }
    }

    /// A slice of the state: a byte that is 1 on the last, then the bytes.
    fn state(&mut self, body: &[u8], events: &mut Vec<Event>) -> Result<(), Fault> {
        let (last, slice) = body.split_first().ok_or(Fault::Malformed("state"))?;
        if self.has_state {
            return Err(Fault::Order("a second state"));
        }
        if self.state.len() + slice.len() > MAX_STATE_BYTES {
            return Err(Fault::TooLarge("state"));
        }
        self.state.extend_from_slice(slice);
        match last {
            0 if slice.is_empty() => Err(Fault::Malformed("state")),
            0 => Ok(()),
            1 => {
                self.has_state = true;
                events.push(Event::State(std::mem::take(&mut self.state)));
                Ok(())
            }
            _ => Err(Fault::Malformed("state")),
        }
    }

    fn end(&mut self, body: &[u8], events: &mut Vec<Event>) -> Result<(), Fault> {
        let end = End::read(body)?;
        let records = &self.records;
        let must = |holds: bool, what| if holds { Ok(()) } else { Err(Fault::Checksum(what)) };
        must(records.waiting.is_empty(), "a record is cut off")?;
        must(
            !self.output.compressed || self.unpacker.is_finished(),
            "the packed stream is cut off",
        )?;
        must(self.state.is_empty(), "the state is cut off")?;
        must(end.pages == records.chain.count(), "number of records")?;
        must(end.bytes == records.bytes, "number of bytes")?;
        must(end.chain_head == records.chain.head(), "head of the chain")?;
        must(end.sha256 == <[u8; 32]>::from(records.sum.clone().finalize()), "sum of the records")?;
        self.phase = Phase::Over;
        self.end = Some(end.clone());
        events.push(Event::End(end));
        Ok(())
    }

    fn error(&mut self, body: &[u8], events: &mut Vec<Event>) -> Result<(), Fault> {
        let fields = cbor::map(body)?;
        let code = fields.need(1)?.uint()?;
        let text = fields.need(2)?.text()?;
        if text.len() > MAX_ERROR_BYTES {
            return Err(Fault::TooLarge("error text"));
        }
        self.phase = Phase::Over;
        self.failed = Some(code);
        events.push(Event::Error { code, text: text.replace(char::is_control, " ") });
        Ok(())
    }
}

impl Records {
    /// Takes in unpacked bytes, and gives whole records.
    fn push(&mut self, bytes: &[u8], events: &mut Vec<Event>) -> Result<(), Fault> {
        self.bytes += bytes.len() as u64;
        if self.bytes > self.bytes_most {
            return Err(Fault::Bomb(self.bytes_most));
        }
        self.sum.update(bytes);
        self.waiting.extend_from_slice(bytes);
        let mut at = 0;
        while let Some((length, rest)) = self.waiting[at..].split_first_chunk::<4>() {
            let length = u32::from_le_bytes(*length) as usize;
            if length > MAX_RECORD_BYTES {
                return Err(Fault::TooLarge("record"));
            }
            let Some(body) = rest.get(..length) else { break };
            if self.chain.count() >= self.pages_most {
                return Err(Fault::TooLarge("number of records"));
            }
            let record = Record::decode(body)?;
            self.chain.check(&record)?;
            events.push(Event::Record(record));
            at += 4 + length;
        }
        self.waiting.drain(..at);
        Ok(())
    }
}

fn started(body: &[u8]) -> Result<Event, Fault> {
    let fields = cbor::map(body)?;
    let digest = fields.need(2)?;
    let robots_sha256 = if digest.bytes()?.is_empty() { None } else { Some(digest.fixed()?) };
    Ok(Event::Started { limits: Limits::read(fields.need(1)?)?, robots_sha256 })
}

fn progress(body: &[u8]) -> Result<Event, Fault> {
    let fields = cbor::map(body)?;
    Ok(Event::Progress {
        pages: fields.need(1)?.uint()?,
        bytes: fields.need(2)?.uint()?,
        fuel_left: fields.need(3)?.uint()?,
    })
}
