//! Is what comes back whole, in order, and what the crawllet said?

use super::event::{progress, started};
use super::{End, Event, Granted, OutputKind};
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

/// Records of one [`ResultReader::push`]; whoever wants less memory asks for events one by one.
pub const MAX_PUSH_UNPACKED_BYTES: u64 = 256 * MIB;

const MIB: u64 = 1024 * 1024;

/// Where the stream is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Head,
    Starting,
    Running,
    Over,
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
    /// The body of a DATA frame, as far as it is not unpacked.
    data: Vec<u8>,
    data_at: usize,
    records: Records,
    wire_left: u64,
    log_left: usize,
    signs_left: u64,
    state: Vec<u8>,
    has_state: bool,
    end: Option<End>,
    fault: Option<Fault>,
}

/// The bytes of records, and what is checked of them.
struct Records {
    waiting: Vec<u8>,
    at: usize,
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
            data: Vec::new(),
            data_at: 0,
            records: Records {
                waiting: Vec::new(),
                at: 0,
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
            fault: None,
        })
    }

    /// Takes in bytes, and gives what they tell.
    ///
    /// What came before a fault is given first, and the fault with the next call or with [`ResultReader::finish`].
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Event>, Fault> {
        self.feed(bytes)?;
        let most = self.records.bytes.saturating_add(MAX_PUSH_UNPACKED_BYTES);
        let mut events = Vec::new();
        loop {
            match self.next_event() {
                Ok(Some(event)) => events.push(event),
                Ok(None) => return Ok(events),
                Err(fault) if events.is_empty() => return Err(fault),
                Err(_) => return Ok(events),
            }
            if self.records.bytes > most {
                self.fault = Some(Fault::Bomb(MAX_PUSH_UNPACKED_BYTES));
            }
        }
    }

    /// Takes in bytes without looking further than the head; [`ResultReader::next_event`] gives what they tell.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.guarded(|reader| reader.take_in(bytes))
    }

    /// What comes next, as far as bytes were fed. Holds no more than one record in memory.
    pub fn next_event(&mut self) -> Result<Option<Event>, Fault> {
        self.guarded(ResultReader::advance)
    }

    fn guarded<T>(
        &mut self,
        step: impl FnOnce(&mut ResultReader) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        step(self).inspect_err(|fault| self.fault = Some(fault.clone()))
    }

    /// How many records were given out.
    pub fn records(&self) -> u64 {
        self.records.chain.count()
    }

    /// The end of the stream: how the job ended, or what is missing.
    pub fn finish(self) -> Result<End, Fault> {
        match (self.fault, self.end) {
            (Some(fault), _) => Err(fault),
            (None, Some(end)) => Ok(end),
            (None, None) => Err(Fault::Truncated(self.records.chain.count())),
        }
    }

    fn take_in(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let left = self.wire_left.checked_sub(bytes.len() as u64);
        self.wire_left = left.ok_or(Fault::TooLarge("RESULT"))?;
        let missing = wire::STREAM_HEAD_BYTES - self.head.len();
        let (head, rest) = bytes.split_at(missing.min(bytes.len()));
        self.head.extend_from_slice(head);
        if self.phase == Phase::Head && self.head.len() == wire::STREAM_HEAD_BYTES {
            self.read_head()?;
        }
        self.opener.push(rest);
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

    fn advance(&mut self) -> Result<Option<Event>, Fault> {
        loop {
            if let Some(record) = self.records.next()? {
                return Ok(Some(Event::Record(record)));
            }
            if self.unpack()? {
                continue;
            }
            let Some((kind, body)) = self.opener.open()? else { return Ok(None) };
            if let Some(event) = self.frame(kind, body)? {
                return Ok(Some(event));
            }
        }
    }

    /// Unpacks a little more of the frame at hand; false when there is nothing more in it.
    fn unpack(&mut self) -> Result<bool, Fault> {
        let rest = &self.data[self.data_at..];
        if rest.is_empty() && !self.unpacker.has_more() {
            return Ok(false);
        }
        let (read, unpacked) = self.unpacker.step(rest)?;
        self.data_at += read;
        self.records.push(unpacked)?;
        Ok(true)
    }

    fn frame(&mut self, kind: u8, body: Vec<u8>) -> Result<Option<Event>, Fault> {
        match (self.phase, kind) {
            (Phase::Starting, frame::STARTED) => {
                self.phase = Phase::Running;
                started(&body).map(Some)
            }
            (Phase::Starting | Phase::Running, frame::ERROR) => self.error(&body).map(Some),
            (Phase::Running, frame::DATA) => {
                if self.output.compressed {
                    (self.data, self.data_at) = (body, 0);
                } else {
                    self.records.push(&body)?;
                }
                Ok(None)
            }
            (Phase::Running, frame::PROGRESS) => {
                self.sign()?;
                progress(&body).map(Some)
            }
            (Phase::Running, frame::LOG) => {
                self.sign()?;
                let left = self.log_left.checked_sub(body.len());
                self.log_left = left.ok_or(Fault::TooLarge("log"))?;
                let text = String::from_utf8_lossy(&body);
                Ok(Some(Event::Log(text.replace(char::is_control, " "))))
            }
            (Phase::Running, frame::STATE) => self.state(&body),
            (Phase::Running, frame::END) => self.end(&body).map(Some),
            _ => Err(Fault::Order("frame")),
        }
    }

    fn sign(&mut self) -> Result<(), Fault> {
        self.signs_left = self.signs_left.checked_sub(1).ok_or(Fault::TooLarge("signs of life"))?;
        Ok(())
    }

    /// A slice of the state: a byte that is 1 on the last, then the bytes.
    fn state(&mut self, body: &[u8]) -> Result<Option<Event>, Fault> {
        let (last, slice) = body.split_first().ok_or(Fault::Malformed("state"))?;
        if self.has_state {
            return Err(Fault::Order("a second state"));
        }
        if self.state.len() + slice.len() > MAX_STATE_BYTES {
            return Err(Fault::TooLarge("state"));
        }
        self.state.extend_from_slice(slice);
        match last {
            0 if !slice.is_empty() => Ok(None),
            1 => {
                self.has_state = true;
                Ok(Some(Event::State(std::mem::take(&mut self.state))))
            }
            _ => Err(Fault::Malformed("state")),
        }
    }

    fn end(&mut self, body: &[u8]) -> Result<Event, Fault> {
        let end = End::read(body)?;
        let records = &self.records;
        let must = |holds: bool, what| if holds { Ok(()) } else { Err(Fault::Checksum(what)) };
        must(records.waiting.len() == records.at, "a record is cut off")?;
        must(
            !self.output.compressed || self.unpacker.is_finished(),
            "the packed stream is cut off",
        )?;
        must(self.state.is_empty(), "the state is cut off")?;
        must(end.pages == records.chain.count(), "number of records")?;
        must(end.bytes == records.bytes, "number of bytes")?;
        must(end.chain_head == records.chain.head(), "head of the chain")?;
        must(end.sha256 == <[u8; 32]>::from(records.sum.clone().finalize()), "sum of the records")?;
        self.over()?;
        self.end = Some(end.clone());
        Ok(Event::End(end))
    }

    fn error(&mut self, body: &[u8]) -> Result<Event, Fault> {
        let fields = cbor::map(body)?;
        let code = fields.need(1)?.uint()?;
        let text = fields.need(2)?.text()?;
        if text.len() > MAX_ERROR_BYTES {
            return Err(Fault::TooLarge("error text"));
        }
        self.over()?;
        self.fault = Some(Fault::Failed(code));
        Ok(Event::Error { code, text: text.replace(char::is_control, " ") })
    }

    fn over(&mut self) -> Result<(), Fault> {
        self.phase = Phase::Over;
        if self.opener.is_torn() { Err(Fault::Order("after the end")) } else { Ok(()) }
    }
}

impl Records {
    /// Takes in unpacked bytes.
    fn push(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.bytes += bytes.len() as u64;
        if self.bytes > self.bytes_most {
            return Err(Fault::Bomb(self.bytes_most));
        }
        self.sum.update(bytes);
        self.waiting.drain(..self.at);
        self.at = 0;
        self.waiting.extend_from_slice(bytes);
        Ok(())
    }

    /// The next whole record, checked.
    fn next(&mut self) -> Result<Option<Record>, Fault> {
        let rest = &self.waiting[self.at..];
        let Some((length, rest)) = rest.split_first_chunk::<4>() else { return Ok(None) };
        let length = u32::from_le_bytes(*length) as usize;
        if length > MAX_RECORD_BYTES {
            return Err(Fault::TooLarge("record"));
        }
        let Some(body) = rest.get(..length) else { return Ok(None) };
        if self.chain.count() >= self.pages_most {
            return Err(Fault::TooLarge("number of records"));
        }
        let record = Record::decode(body)?;
        self.chain.check(&record)?;
        self.at += 4 + length;
        Ok(Some(record))
    }
}
