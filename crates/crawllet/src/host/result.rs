//! How does the host tell what the crawllet found?

use super::SessionFile;
use crate::engine::{End, MAX_ERROR_BYTES, MAX_LOG_BYTES, MAX_STATE_BYTES, Reason};
use crate::limits::Limits;
use crate::record::{Record, TAG_BYTES, Tag};
use crate::wire::{self, Sealer, frame};
use crate::{Fault, cbor, zip};
use sha2::{Digest, Sha256};

/// Packed bytes that wait for a frame at most.
pub const FLUSH_BYTES: usize = 64 * 1024;
/// Unpacked bytes after which a frame is sent at the latest.
pub const FLUSH_UNPACKED_BYTES: usize = 1024 * 1024;

/// Writes RESULT: each call gives bytes to be sent as they are.
pub struct ResultWriter {
    sealer: Sealer,
    packer: Option<zip::Packer>,
    waiting: Vec<u8>,
    unsent: usize,
    sum: Sha256,
    records: u64,
    bytes: u64,
    chain_head: Tag,
    log_left: usize,
    has_state: bool,
    over: bool,
}

impl std::fmt::Debug for ResultWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ResultWriter").field("records", &self.records).finish_non_exhaustive()
    }
}

impl ResultWriter {
    /// For a session that was claimed, and the first bytes of the answer. No second writer may ever be made for it.
    pub fn new(session: &SessionFile, compressed: bool) -> Result<(ResultWriter, Vec<u8>), Fault> {
        let flags = if compressed { wire::FLAG_PACKED } else { 0 };
        let head = wire::stream_head(wire::RESULT, flags, &session.terms.session_id);
        let writer = ResultWriter {
            sealer: Sealer::new(&session.k_r2i),
            packer: if compressed { Some(zip::Packer::new()?) } else { None },
            waiting: Vec::new(),
            unsent: 0,
            sum: Sha256::new(),
            records: 0,
            bytes: 0,
            chain_head: [0; TAG_BYTES],
            log_left: MAX_LOG_BYTES,
            has_state: false,
            over: false,
        };
        Ok((writer, head))
    }

    /// Records so far.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Their bytes, unpacked.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    fn one(&mut self, kind: u8, body: &[u8]) -> Result<Vec<u8>, Fault> {
        if self.over {
            return Err(Fault::Order("after the end"));
        }
        let mut out = Vec::new();
        self.sealer.seal(&mut out, kind, body)?;
        Ok(out)
    }

    /// The crawllet runs.
    pub fn started(
        &mut self,
        limits: &Limits,
        robots_sha256: Option<&[u8; 32]>,
    ) -> Result<Vec<u8>, Fault> {
        let mut body = cbor::Writer::new();
        body.map(2).uint(1);
        limits.write(&mut body);
        body.uint(2).bytes(robots_sha256.map_or(&[][..], |digest| digest));
        self.one(frame::STARTED, &body.finish())
    }

    /// A record as the crawllet emitted it, without the byte in front. Often gives nothing yet.
    ///
    /// What is no record is refused before anything is sent: the engine would stop reading there.
    pub fn record(&mut self, record: &[u8]) -> Result<Vec<u8>, Fault> {
        if self.over {
            return Err(Fault::Order("after the end"));
        }
        let Record { seq, tag, .. } = Record::decode(record)?;
        if seq != self.records {
            return Err(Fault::Chain(self.records));
        }
        let length = (record.len() as u32).to_le_bytes();
        for bytes in [&length[..], record] {
            match &mut self.packer {
                Some(packer) => packer.push(bytes, &mut self.waiting)?,
                None => self.waiting.extend_from_slice(bytes),
            }
            self.sum.update(bytes);
            self.bytes += bytes.len() as u64;
            self.unsent += bytes.len();
        }
        self.chain_head = tag;
        self.records += 1;
        if self.waiting.len() >= FLUSH_BYTES || self.unsent >= FLUSH_UNPACKED_BYTES {
            return self.flush();
        }
        Ok(Vec::new())
    }

    /// Everything that waits, as when a second has passed.
    pub fn flush(&mut self) -> Result<Vec<u8>, Fault> {
        if self.unsent > 0
            && let Some(packer) = &mut self.packer
        {
            packer.flush(&mut self.waiting)?;
        }
        self.unsent = 0;
        self.send()
    }

    fn send(&mut self) -> Result<Vec<u8>, Fault> {
        let mut out = Vec::new();
        for slice in self.waiting.chunks(wire::MAX_BODY_BYTES) {
            self.sealer.seal(&mut out, frame::DATA, slice)?;
        }
        self.waiting.clear();
        Ok(out)
    }

    /// A sign of life, at least every 5 seconds.
    pub fn progress(&mut self, pages: u64, bytes: u64, fuel_left: u64) -> Result<Vec<u8>, Fault> {
        let mut body = cbor::Writer::new();
        body.map(3).uint(1).uint(pages).uint(2).uint(bytes).uint(3).uint(fuel_left);
        self.one(frame::PROGRESS, &body.finish())
    }

    /// A line of the crawllet; nothing when it has said enough.
    pub fn log(&mut self, text: &str) -> Result<Vec<u8>, Fault> {
        let text = &text[..text.floor_char_boundary(self.log_left)];
        if text.is_empty() {
            return Ok(Vec::new());
        }
        self.log_left -= text.len();
        self.one(frame::LOG, text.as_bytes())
    }

    /// The state of a suspended crawllet; once.
    pub fn state(&mut self, state: &[u8]) -> Result<Vec<u8>, Fault> {
        if state.len() > MAX_STATE_BYTES {
            return Err(Fault::TooLarge("state"));
        }
        if self.over || self.has_state {
            return Err(Fault::Order("a second state"));
        }
        self.has_state = true;
        let mut out = Vec::new();
        let mut slices = state.chunks(wire::MAX_BODY_BYTES - 1).peekable();
        loop {
            let slice = slices.next().unwrap_or_default();
            let last = slices.peek().is_none();
            let mut body = vec![u8::from(last)];
            body.extend_from_slice(slice);
            self.sealer.seal(&mut out, frame::STATE, &body)?;
            if last {
                return Ok(out);
            }
        }
    }

    /// The end: all that waits, and the sums. Nothing can follow.
    pub fn end(&mut self, reason: Reason, fuel_used: u64, cpu_ms: u64) -> Result<Vec<u8>, Fault> {
        if self.over {
            return Err(Fault::Order("after the end"));
        }
        if let Some(packer) = &mut self.packer {
            packer.finish(&mut self.waiting)?;
        }
        let mut out = self.send()?;
        let end = End {
            reason,
            pages: self.records,
            bytes: self.bytes,
            fuel_used,
            cpu_ms,
            chain_head: self.chain_head,
            sha256: self.sum.clone().finalize().into(),
        };
        out.extend(self.one(frame::END, &end.write())?);
        self.over = true;
        Ok(out)
    }

    /// The end of a job that could not run or go on: what waits is lost, and so is the sum.
    pub fn error(&mut self, code: u64, text: &str) -> Result<Vec<u8>, Fault> {
        let mut body = cbor::Writer::new();
        let text = &text[..text.floor_char_boundary(MAX_ERROR_BYTES)];
        body.map(2).uint(1).uint(code).uint(2).text(text);
        let out = self.one(frame::ERROR, &body.finish())?;
        self.over = true;
        Ok(out)
    }
}
