//! How does a record become a gzip member without a copy, and without a new compressor each time?

use flate2::{Compress, Compression, Crc, FlushCompress, Status};
use std::cell::RefCell;

/// Bytes that are made room for when the output is full.
const STEP: usize = 16 * 1024;

/// The header of a member (RFC 1952): deflate, no name, no time, unknown system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];

thread_local! {
    /// The compressor of this thread and its level. Its tables are a quarter of a megabyte, which would
    /// otherwise be made anew for each record.
    static COMPRESSOR: RefCell<Option<(u32, Compress)>> = const { RefCell::new(None) };
}

/// Appends one gzip member that holds these parts, one after the other.
pub(super) fn gzip(parts: &[&[u8]], level: u32, out: &mut Vec<u8>) {
    let level = level.min(9);
    COMPRESSOR.with_borrow_mut(|kept| {
        let compressor = match kept {
            Some((known, compressor)) if *known == level => {
                compressor.reset();
                compressor
            }
            _ => &mut kept.insert((level, Compress::new(Compression::new(level), false))).1,
        };
        member(parts, compressor, out);
    });
}

fn member(parts: &[&[u8]], compressor: &mut Compress, out: &mut Vec<u8>) {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    out.reserve(length / 3 + 64);
    out.extend_from_slice(&HEADER);
    let mut crc = Crc::new();
    for part in parts {
        crc.update(part);
        let mut rest: &[u8] = part;
        while !rest.is_empty() {
            let taken = compressor.total_in();
            step(compressor, rest, out, FlushCompress::None);
            rest = &rest[(compressor.total_in() - taken) as usize..];
        }
    }
    while step(compressor, &[], out, FlushCompress::Finish) != Status::StreamEnd {}
    out.extend_from_slice(&crc.sum().to_le_bytes());
    out.extend_from_slice(&crc.amount().to_le_bytes());
}

/// One step, with room for its output.
fn step(
    compressor: &mut Compress,
    input: &[u8],
    out: &mut Vec<u8>,
    flush: FlushCompress,
) -> Status {
    if out.capacity() - out.len() < 64 {
        out.reserve(STEP);
    }
    // Compressing fails only for a stream that was already finished.
    compressor.compress_vec(input, out, flush).unwrap_or(Status::StreamEnd)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::bufread::GzDecoder;
    use std::io::Read;

    fn unpack(bytes: &[u8]) -> (Vec<u8>, usize) {
        let mut rest = bytes;
        let mut out = Vec::new();
        GzDecoder::new(&mut rest).read_to_end(&mut out).expect("a member");
        (out, bytes.len() - rest.len())
    }

    #[test]
    fn members_of_one_compressor_are_read_one_by_one() {
        let long: Vec<u8> =
            (0..300_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let mut out = Vec::new();
        for (parts, level) in [
            (vec![b"head".as_slice(), b"", b"body"], 6),
            (vec![long.as_slice(), b"end"], 6),
            (vec![], 1),
            (vec![b"x".as_slice()], 9),
        ] {
            let from = out.len();
            gzip(&parts, level, &mut out);
            let (plain, length) = unpack(&out[from..]);
            assert_eq!(plain, parts.concat());
            assert_eq!(length, out.len() - from);
        }
    }
}
