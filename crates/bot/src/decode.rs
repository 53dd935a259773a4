//! How is a content coding undone without being blown up?
//!
//! Each coding is undone in small steps into an output that never grows past its limit, so that a
//! bomb costs what the limit allows and not a byte more. The decoders' own windows are bounded as
//! well: 32 KiB for gzip and deflate, 16 MiB for brotli (large-window streams are refused), 8 MiB
//! for zstd (RFC 9659).
//!
//! Servers are sloppy, and browsers forgive; so do we, where nothing is risked:
//! - a body labelled gzip or zstd that lacks the magic number is used as it is;
//! - `deflate` is read as zlib (what the RFC says) or as raw deflate (what some servers send);
//! - a stream that breaks off or ends in rubbish delivers what was decoded before, if anything.

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use bytes::Bytes;
use flate2::bufread::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use lycosa_model::{FetchError, Headers};
use std::io::Read;

#[cfg(test)]
mod tests;

/// Most codings that may be stacked on one body. More is a mistake or an attack.
pub const MAX_STACKED_CODINGS: usize = 3;

/// Step of decoding, in bytes of output.
const STEP: usize = 32 * 1024;

/// Largest zstd window: 2^23 = 8 MiB, what RFC 9659 allows for HTTP.
const ZSTD_WINDOW_LOG: u32 = 23;

/// How much a body may grow by decoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeLimit {
    /// Largest output, in bytes.
    pub max_bytes: u64,
    /// Largest ratio of output to the body as received. Deflate cannot exceed 1,032; pages seldom
    /// exceed 50.
    pub max_ratio: u64,
    /// Up to this many bytes of output the ratio is not looked at, since short and very
    /// repetitive pages exist.
    pub ratio_from_bytes: u64,
}

impl Default for DecodeLimit {
    /// 32 MiB, and a ratio of 200 once the output is over 4 MiB.
    fn default() -> DecodeLimit {
        DecodeLimit { max_bytes: 32 << 20, max_ratio: 200, ratio_from_bytes: 4 << 20 }
    }
}

impl DecodeLimit {
    /// Largest output, in bytes, for a body of `received` bytes.
    pub fn for_body(&self, received: usize) -> usize {
        let by_ratio = (received as u64).saturating_mul(self.max_ratio);
        let limit = self.max_bytes.min(by_ratio.max(self.ratio_from_bytes));
        usize::try_from(limit).unwrap_or(usize::MAX)
    }
}

/// Undoes the content codings that `headers` name.
///
/// Without a coding (and for an empty body) this is the same `Bytes`, not copied. Otherwise the
/// result is at most [`DecodeLimit::for_body`] bytes long.
///
/// # Errors
/// [`FetchError::Bomb`] if the output, also of an inner coding, would be over the limit;
/// [`FetchError::Encoding`] if a coding is unknown, if more than [`MAX_STACKED_CODINGS`] are
/// stacked, or if nothing could be decoded.
pub fn decode(headers: &Headers, body: &Bytes, limit: &DecodeLimit) -> Result<Bytes, FetchError> {
    undo_all(headers, body, Most { bytes: limit.for_body(body.len()), cut: false })
}

/// Undoes the content codings that `headers` name as far as the first `max` bytes, of whatever is in
/// the body. What would come after them is not even decoded.
///
/// # Errors
/// [`FetchError::Encoding`] as [`decode`].
pub fn decode_start(headers: &Headers, body: &Bytes, max: usize) -> Result<Bytes, FetchError> {
    let mut start = undo_all(headers, body, Most { bytes: max, cut: true })?;
    start.truncate(max);
    Ok(start)
}

/// How much is decoded: what goes on after it is cut or refused.
#[derive(Clone, Copy)]
struct Most {
    bytes: usize,
    cut: bool,
}

fn undo_all(headers: &Headers, body: &Bytes, most: Most) -> Result<Bytes, FetchError> {
    if body.is_empty() {
        return Ok(body.clone());
    }
    let codings = codings(headers)?;
    // Codings are listed in the order in which they were applied (RFC 9110, 8.4).
    codings.iter().rev().try_fold(body.clone(), |body, coding| {
        Ok(match coding.undo(&body, most)? {
            Undone::AsItIs => body,
            Undone::Decoded(bytes) => Bytes::from(bytes),
        })
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// The codings on the body, in the order in which they were applied.
fn codings(headers: &Headers) -> Result<Vec<Coding>, FetchError> {
    let mut codings = Vec::new();
    let names = headers.all("content-encoding").flat_map(|line| line.split(','));
    for name in names.map(str::trim) {
        let coding = match name.to_ascii_lowercase().as_str() {
            "" | "identity" => continue,
            "gzip" | "x-gzip" => Coding::Gzip,
            "deflate" => Coding::Deflate,
            "br" => Coding::Brotli,
            "zstd" => Coding::Zstd,
            _ => return Err(FetchError::Encoding),
        };
        if codings.len() == MAX_STACKED_CODINGS {
            return Err(FetchError::Encoding);
        }
        codings.push(coding);
    }
    Ok(codings)
}

enum Undone {
    /// The body does not have the coding that it is labelled with.
    AsItIs,
    Decoded(Vec<u8>),
}

impl Coding {
    fn undo(self, input: &[u8], most: Most) -> Result<Undone, FetchError> {
        let mut out = Output::new(most.bytes);
        let end = match self {
            Coding::Gzip if !input.starts_with(&[0x1f, 0x8b]) => return Ok(Undone::AsItIs),
            Coding::Zstd if !is_zstd(input) => return Ok(Undone::AsItIs),
            Coding::Gzip => out.drain(MultiGzDecoder::new(input)),
            Coding::Zstd => out.zstd(input),
            Coding::Brotli => out.brotli(input),
            Coding::Deflate => out.deflate(input),
        };
        match end {
            Err(FetchError::Bomb) if most.cut => Ok(Undone::Decoded(out.bytes)),
            Err(why) => Err(why),
            Ok(End::Broken) if out.bytes.is_empty() => Err(FetchError::Encoding),
            Ok(End::Broken | End::Clean) => Ok(Undone::Decoded(out.bytes)),
        }
    }
}

/// A zstd frame or a skippable frame (RFC 8878, 3.1).
fn is_zstd(input: &[u8]) -> bool {
    match input.first_chunk::<4>() {
        Some(magic) => {
            let magic = u32::from_le_bytes(*magic);
            magic == 0xfd2f_b528 || magic & 0xffff_fff0 == 0x184d_2a50
        }
        None => false,
    }
}

/// The two bytes that begin a zlib stream (RFC 1950, 2.2).
fn is_zlib(input: &[u8]) -> bool {
    match input.first_chunk::<2>() {
        Some(head) => head[0] & 0x0f == 8 && u16::from_be_bytes(*head).is_multiple_of(31),
        None => false,
    }
}

/// How a stream came to its end.
enum End {
    Clean,
    Broken,
}

/// What was decoded so far; never more than `max` bytes, in length or in capacity.
struct Output {
    bytes: Vec<u8>,
    max: usize,
}

impl Output {
    fn new(max: usize) -> Output {
        Output { bytes: Vec::new(), max }
    }

    /// Takes what fits; more than that is a bomb, of which the beginning may be of use.
    fn push(&mut self, step: &[u8]) -> Result<(), FetchError> {
        let length = self.bytes.len();
        let fits = step.len().min(self.max - length);
        let (step, more) = step.split_at(fits);
        let needed = length + fits;
        if needed > self.bytes.capacity() {
            let doubled = self.bytes.capacity().saturating_mul(2);
            let capacity = needed.max(doubled).min(self.max);
            self.bytes.reserve_exact(capacity - length);
        }
        self.bytes.extend_from_slice(step);
        if more.is_empty() { Ok(()) } else { Err(FetchError::Bomb) }
    }

    fn drain(&mut self, mut decoder: impl Read) -> Result<End, FetchError> {
        let mut step = vec![0; STEP];
        loop {
            match decoder.read(&mut step) {
                Ok(0) => return Ok(End::Clean),
                Ok(count) => self.push(&step[..count])?,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return Ok(End::Broken),
            }
        }
    }

    fn deflate(&mut self, input: &[u8]) -> Result<End, FetchError> {
        if is_zlib(input) {
            let end = self.drain(ZlibDecoder::new(input))?;
            if matches!(end, End::Clean) || !self.bytes.is_empty() {
                return Ok(end);
            }
        }
        self.drain(DeflateDecoder::new(input))
    }

    fn zstd(&mut self, input: &[u8]) -> Result<End, FetchError> {
        let decoder = zstd::stream::read::Decoder::with_buffer(input).and_then(|mut decoder| {
            decoder.window_log_max(ZSTD_WINDOW_LOG)?;
            Ok(decoder)
        });
        match decoder {
            Ok(decoder) => self.drain(decoder),
            Err(_) => Ok(End::Broken),
        }
    }

    /// Drives the decoder by hand, because its `Read` adapter also takes large-window streams,
    /// whose window of up to 1 GiB would be allocated before the first byte comes out.
    fn brotli(&mut self, input: &[u8]) -> Result<End, FetchError> {
        let alloc = StandardAlloc::default;
        let mut state = BrotliState::new_strict(alloc(), alloc(), alloc());
        let mut step = vec![0; STEP];
        let (mut unread, mut read, mut total) = (input.len(), 0, 0);
        loop {
            let (mut room, mut count) = (step.len(), 0);
            let result = BrotliDecompressStream(
                &mut unread,
                &mut read,
                input,
                &mut room,
                &mut count,
                &mut step,
                &mut total,
                &mut state,
            );
            self.push(&step[..count])?;
            match result {
                BrotliResult::NeedsMoreOutput => {}
                BrotliResult::ResultSuccess => return Ok(End::Clean),
                // All input was there from the start: wanting more means that it was cut.
                BrotliResult::NeedsMoreInput | BrotliResult::ResultFailure => {
                    return Ok(End::Broken);
                }
            }
        }
    }
}
