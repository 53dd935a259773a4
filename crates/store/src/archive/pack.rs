//! How does a record become a gzip member without a new compressor each time?

use libdeflater::{CompressionLvl, Compressor};
use std::cell::RefCell;

/// The highest level that may be asked for, as everybody knows it from gzip.
const MAX_LEVEL: u32 = 9;
/// Bytes that a thread keeps between two records; what a larger record needed is given back.
const KEPT: usize = 1 << 20;

/// What a thread keeps, so that it need not be made anew for each record.
struct Bench {
    level: u32,
    compressor: Compressor,
    /// The record in one piece.
    plain: Vec<u8>,
    /// Room for what comes of it.
    packed: Vec<u8>,
}

thread_local! {
    static BENCH: RefCell<Option<Bench>> = const { RefCell::new(None) };
}

/// Appends one gzip member (RFC 1952: no name, no time, unknown system) that holds these parts, one after
/// the other.
pub(super) fn gzip(parts: &[&[u8]], level: u32, out: &mut Vec<u8>) {
    let level = level.min(MAX_LEVEL);
    BENCH.with_borrow_mut(|kept| {
        let bench = match kept {
            Some(bench) if bench.level == level => bench,
            _ => kept.insert(Bench::new(level)),
        };
        out.extend_from_slice(bench.member(parts));
        bench.plain.clear();
        bench.plain.shrink_to(KEPT);
        bench.packed.truncate(KEPT);
        bench.packed.shrink_to(KEPT);
    });
}

impl Bench {
    fn new(level: u32) -> Bench {
        let known = i32::try_from(level).ok().and_then(|level| CompressionLvl::new(level).ok());
        Bench {
            level,
            compressor: Compressor::new(known.unwrap_or_default()),
            plain: Vec::new(),
            packed: Vec::new(),
        }
    }

    fn member(&mut self, parts: &[&[u8]]) -> &[u8] {
        for part in parts {
            self.plain.extend_from_slice(part);
        }
        let mut room = self.compressor.gzip_compress_bound(self.plain.len());
        loop {
            if self.packed.len() < room {
                self.packed.resize(room, 0);
            }
            // The only fault that there is: too little room, which the bound rules out.
            match self.compressor.gzip_compress(&self.plain, &mut self.packed) {
                Ok(length) => return &self.packed[..length],
                Err(_) => room = room.saturating_mul(2),
            }
        }
    }
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
            (vec![b"stored".as_slice()], 0),
            (vec![long.as_slice(); 5], 99),
        ] {
            let from = out.len();
            gzip(&parts, level, &mut out);
            let (plain, length) = unpack(&out[from..]);
            assert_eq!(plain, parts.concat());
            assert_eq!(length, out.len() - from);
        }
    }
}
