//! How is a stream packed and unpacked, without ever unpacking more than is allowed?

use crate::Fault;
use zstd::stream::raw::{CParameter, DParameter, Decoder, Encoder, InBuffer, Operation, OutBuffer};

/// Largest window, as a power of two, that the unpacking side gives memory for.
pub(crate) const MAX_WINDOW_LOG: u32 = 23;
const LEVEL: i32 = 3;
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
        encoder.set_parameter(CParameter::WindowLog(MAX_WINDOW_LOG - 2)).map_err(fault)?;
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
    most: u64,
    total: u64,
    finished: bool,
}

impl Unpacker {
    /// `most`: bytes that it may unpack to.
    pub(crate) fn new(most: u64) -> Result<Unpacker, Fault> {
        let fault = |_| Fault::Packed("no decoder");
        let mut decoder = Decoder::new().map_err(fault)?;
        decoder.set_parameter(DParameter::WindowLogMax(MAX_WINDOW_LOG)).map_err(fault)?;
        Ok(Unpacker { decoder, most, total: 0, finished: false })
    }

    /// Unpacks bytes, in steps of bounded size.
    pub(crate) fn push(
        &mut self,
        bytes: &[u8],
        mut sink: impl FnMut(&[u8]) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut buffer = vec![0; STEP_BYTES];
        let mut rest = bytes;
        loop {
            if self.finished {
                return if rest.is_empty() { Ok(()) } else { Err(Fault::Packed("after its end")) };
            }
            let status = self.decoder.run_on_buffers(rest, &mut buffer);
            let status = status.map_err(|_| Fault::Packed("not such zstd"))?;
            rest = &rest[status.bytes_read..];
            self.total += status.bytes_written as u64;
            if self.total > self.most {
                return Err(Fault::Bomb(self.most));
            }
            sink(&buffer[..status.bytes_written])?;
            self.finished = status.remaining == 0;
            let full = status.bytes_written == buffer.len();
            if !self.finished && !full && (rest.is_empty() || status.bytes_read == 0) {
                return Ok(());
            }
        }
    }

    /// Whether the stream has come to its end.
    pub(crate) fn is_finished(&self) -> bool {
        self.finished
    }
}

/// Packs all at once.
pub(crate) fn pack(bytes: &[u8]) -> Result<Vec<u8>, Fault> {
    let mut packer = Packer::new()?;
    let mut packed = Vec::new();
    packer.push(bytes, &mut packed)?;
    packer.finish(&mut packed)?;
    Ok(packed)
}

/// Unpacks all at once, up to `most` bytes.
pub(crate) fn unpack(bytes: &[u8], most: usize) -> Result<Vec<u8>, Fault> {
    let mut unpacker = Unpacker::new(most as u64)?;
    let mut unpacked = Vec::new();
    unpacker.push(bytes, |slice| {
        unpacked.extend_from_slice(slice);
        Ok(())
    })?;
    if unpacker.is_finished() { Ok(unpacked) } else { Err(Fault::Packed("cut off")) }
}
