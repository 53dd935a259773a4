//! How is a stream packed and unpacked, without ever unpacking more than is allowed?

use crate::Fault;
use zstd::stream::raw::{CParameter, DParameter, Decoder, Encoder, InBuffer, Operation, OutBuffer};

/// Largest window, as a power of two, that the unpacking side gives memory for.
pub(crate) const MAX_WINDOW_LOG: u32 = 23;
/// What a stream of pages is packed with that packs well: some 200 MB/s.
const LIGHT: i32 = 3;
/// And one that does not: a tenth fewer bytes, at a fifth of the speed.
const HARD: i32 = 10;
/// How much of a stream tells which it is.
const SAMPLE: usize = 512 * 1024;
/// A stream packs well when it comes down to one part in so many.
const WELL: usize = 5;
/// Shorter matches cost pages of text more than they save.
const MIN_MATCH: u32 = 6;
/// What is unpacked in one step.
const STEP_BYTES: usize = 64 * 1024;

/// Packs one stream, as hard as it needs.
pub(crate) struct Packer {
    encoder: Encoder<'static>,
    /// The beginning, packed lightly, and as it is: until there is enough of it to tell.
    sample: Option<(Vec<u8>, Vec<u8>)>,
}

fn encoder(level: i32) -> Result<Encoder<'static>, Fault> {
    let fault = |_| Fault::Packed("no encoder");
    let mut encoder = Encoder::new(level).map_err(fault)?;
    encoder.set_parameter(CParameter::ChecksumFlag(true)).map_err(fault)?;
    encoder.set_parameter(CParameter::WindowLog(MAX_WINDOW_LOG)).map_err(fault)?;
    encoder.set_parameter(CParameter::MinMatch(MIN_MATCH)).map_err(fault)?;
    Ok(encoder)
}

impl Packer {
    pub(crate) fn new() -> Result<Packer, Fault> {
        Ok(Packer { encoder: encoder(LIGHT)?, sample: Some((Vec::new(), Vec::new())) })
    }

    /// Packs bytes; some may stay inside until the next flush.
    pub(crate) fn push(&mut self, bytes: &[u8], to: &mut Vec<u8>) -> Result<(), Fault> {
        match &mut self.sample {
            None => run(&mut self.encoder, bytes, to),
            Some((packed, plain)) => {
                run(&mut self.encoder, bytes, packed)?;
                plain.extend_from_slice(bytes);
                if plain.len() < SAMPLE { Ok(()) } else { self.decide(to) }
            }
        }
    }

    /// Looks at how well the sample packs, and goes on with that or begins anew.
    fn decide(&mut self, to: &mut Vec<u8>) -> Result<(), Fault> {
        let Some((mut packed, plain)) = self.sample.take() else { return Ok(()) };
        flush(&mut self.encoder, &mut packed)?;
        if packed.len() * WELL <= plain.len() {
            to.extend(packed);
            return Ok(());
        }
        self.encoder = encoder(HARD)?;
        run(&mut self.encoder, &plain, to)
    }

    /// Gives out all that is inside.
    pub(crate) fn flush(&mut self, to: &mut Vec<u8>) -> Result<(), Fault> {
        self.decide(to)?;
        flush(&mut self.encoder, to)
    }

    /// Ends the stream.
    pub(crate) fn finish(&mut self, to: &mut Vec<u8>) -> Result<(), Fault> {
        self.decide(to)?;
        finish(&mut self.encoder, to)
    }
}

fn run(encoder: &mut Encoder<'static>, bytes: &[u8], to: &mut Vec<u8>) -> Result<(), Fault> {
    let mut input = InBuffer::around(bytes);
    while input.pos() < bytes.len() {
        step(to, |out| encoder.run(&mut input, out))?;
    }
    Ok(())
}

fn flush(encoder: &mut Encoder<'static>, to: &mut Vec<u8>) -> Result<(), Fault> {
    while step(to, |out| encoder.flush(out))? > 0 {}
    Ok(())
}

fn finish(encoder: &mut Encoder<'static>, to: &mut Vec<u8>) -> Result<(), Fault> {
    while step(to, |out| encoder.finish(out, true))? > 0 {}
    Ok(())
}

fn step(
    to: &mut Vec<u8>,
    run: impl FnOnce(&mut OutBuffer<'_, [u8]>) -> std::io::Result<usize>,
) -> Result<usize, Fault> {
    let mut buffer = [0; 16 * 1024];
    let mut out = OutBuffer::around(&mut buffer[..]);
    let left = run(&mut out).map_err(|_| Fault::Packed("encoder"))?;
    to.extend_from_slice(out.as_slice());
    Ok(left)
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

/// Packs all at once, hard.
pub(crate) fn pack(bytes: &[u8]) -> Result<Vec<u8>, Fault> {
    let mut encoder = encoder(HARD)?;
    // Known beforehand, so that little is packed with little memory.
    let length = encoder.set_pledged_src_size(Some(bytes.len() as u64));
    length.map_err(|_| Fault::Packed("encoder"))?;
    let mut packed = Vec::new();
    run(&mut encoder, bytes, &mut packed)?;
    finish(&mut encoder, &mut packed)?;
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
