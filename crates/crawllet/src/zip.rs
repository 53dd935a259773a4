//! How is a stream packed and unpacked, without ever unpacking more than is allowed?

use crate::Fault;
use zstd::stream::raw::{CParameter, DParameter, Decoder, Encoder, InBuffer, Operation, OutBuffer};

/// Largest window, as a power of two, that the unpacking side gives memory for.
pub(crate) const MAX_WINDOW_LOG: u32 = 23;
/// What a stream of pages is packed with: a third fewer bytes than level 3 on some sites, at 50 to 90 MB/s. Higher
/// ones cost both sides together more of the processors than one connection for each page does.
const LEVEL: i32 = 10;
/// Shorter matches cost pages of text more than they save.
const MIN_MATCH: u32 = 6;
/// What is unpacked in one step.
const STEP_BYTES: usize = 64 * 1024;

/// Packs one stream.
pub(crate) struct Packer {
    encoder: Encoder<'static>,
}

impl Packer {
    pub(crate) fn new() -> Result<Packer, Fault> {
        let fault = |_| Fault::Packed("no encoder");
        let mut encoder = Encoder::new(LEVEL).map_err(fault)?;
        encoder.set_parameter(CParameter::ChecksumFlag(true)).map_err(fault)?;
        encoder.set_parameter(CParameter::WindowLog(MAX_WINDOW_LOG)).map_err(fault)?;
        encoder.set_parameter(CParameter::MinMatch(MIN_MATCH)).map_err(fault)?;
        Ok(Packer { encoder })
    }

    /// Packs bytes; some may stay inside until the next flush.
    pub(crate) fn push(&mut self, bytes: &[u8], to: &mut Vec<u8>) -> Result<(), Fault> {
        let mut input = InBuffer::around(bytes);
        while input.pos() < bytes.len() {
            self.step(to, |encoder, out| encoder.run(&mut input, out))?;
        }
        Ok(())
    }

    /// Gives out all that is inside.
    pub(crate) fn flush(&mut self, to: &mut Vec<u8>) -> Result<(), Fault> {
        while self.step(to, |encoder, out| encoder.flush(out))? > 0 {}
        Ok(())
    }

    /// Ends the stream.
    pub(crate) fn finish(&mut self, to: &mut Vec<u8>) -> Result<(), Fault> {
        while self.step(to, |encoder, out| encoder.finish(out, true))? > 0 {}
        Ok(())
    }

    fn step(
        &mut self,
        to: &mut Vec<u8>,
        run: impl FnOnce(&mut Encoder<'static>, &mut OutBuffer<'_, [u8]>) -> std::io::Result<usize>,
    ) -> Result<usize, Fault> {
        let mut buffer = [0; 16 * 1024];
        let mut out = OutBuffer::around(&mut buffer[..]);
        let left = run(&mut self.encoder, &mut out).map_err(|_| Fault::Packed("encoder"))?;
        to.extend_from_slice(out.as_slice());
        Ok(left)
    }
}

/// Unpacks one stream, up to a total.
pub(crate) struct Unpacker {
    decoder: Decoder<'static>,
    buffer: Vec<u8>,
    most: u64,
    total: u64,
    finished: bool,
    more: bool,
}

impl Unpacker {
    /// `most`: bytes that it may unpack to.
    pub(crate) fn new(most: u64) -> Result<Unpacker, Fault> {
        let fault = |_| Fault::Packed("no decoder");
        let mut decoder = Decoder::new().map_err(fault)?;
        decoder.set_parameter(DParameter::WindowLogMax(MAX_WINDOW_LOG)).map_err(fault)?;
        let buffer = vec![0; STEP_BYTES];
        Ok(Unpacker { decoder, buffer, most, total: 0, finished: false, more: false })
    }

    /// One step of bounded size: how many bytes were read, and what they unpack to.
    pub(crate) fn step(&mut self, bytes: &[u8]) -> Result<(usize, &[u8]), Fault> {
        if self.finished {
            return Err(Fault::Packed("after its end"));
        }
        let status = self.decoder.run_on_buffers(bytes, &mut self.buffer);
        let status = status.map_err(|_| Fault::Packed("not such zstd"))?;
        if status.bytes_read == 0 && status.bytes_written == 0 && !bytes.is_empty() {
            return Err(Fault::Packed("no progress"));
        }
        self.total += status.bytes_written as u64;
        if self.total > self.most {
            return Err(Fault::Bomb(self.most));
        }
        self.finished = status.remaining == 0;
        // A full buffer may have left something inside.
        self.more = !self.finished && status.bytes_written == self.buffer.len();
        Ok((status.bytes_read, &self.buffer[..status.bytes_written]))
    }

    /// Whether a step without bytes may give something.
    pub(crate) fn has_more(&self) -> bool {
        self.more
    }

    /// Whether the stream has come to its end.
    pub(crate) fn is_finished(&self) -> bool {
        self.finished
    }
}

/// Packs all at once.
pub(crate) fn pack(bytes: &[u8]) -> Result<Vec<u8>, Fault> {
    let mut packer = Packer::new()?;
    // Known beforehand, so that little is packed with little memory.
    let length = packer.encoder.set_pledged_src_size(Some(bytes.len() as u64));
    length.map_err(|_| Fault::Packed("encoder"))?;
    let mut packed = Vec::new();
    packer.push(bytes, &mut packed)?;
    packer.finish(&mut packed)?;
    Ok(packed)
}

/// Unpacks all at once, up to `most` bytes.
pub(crate) fn unpack(bytes: &[u8], most: usize) -> Result<Vec<u8>, Fault> {
    let mut unpacker = Unpacker::new(most as u64)?;
    let mut unpacked = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() || unpacker.has_more() {
        let (read, slice) = unpacker.step(rest)?;
        unpacked.extend_from_slice(slice);
        rest = &rest[read..];
    }
    if unpacker.is_finished() { Ok(unpacked) } else { Err(Fault::Packed("cut off")) }
}
