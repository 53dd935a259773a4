//! Where in a text are bytes of some kind? One bit for each byte.
//!
//! Who walks through words byte by byte asks at each whether the word is over, and the processor guesses
//! wrong at the end of nearly every one. With a bit for each byte the end of a word is found in one step, and
//! the bits themselves are made many at once.

use std::ops::Range;

/// Bytes whose bits are one number.
const BLOCK: usize = 64;

/// For each byte of a text whether it is of a kind.
#[derive(Clone, Debug, Default)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// The bits of a text.
    pub fn of(text: &[u8], is_of_kind: impl Fn(u8) -> bool + Copy) -> Bits {
        let mut bits = Bits::default();
        bits.set(text, is_of_kind);
        bits
    }

    /// Takes the bits of another text, in the room that is there.
    pub fn set(&mut self, text: &[u8], is_of_kind: impl Fn(u8) -> bool + Copy) {
        let (blocks, rest) = text.as_chunks();
        self.0.clear();
        self.0.reserve(blocks.len() + 1);
        self.0.extend(blocks.iter().map(|block| mask(block, is_of_kind)));
        let mut last = [0; BLOCK];
        last[..rest.len()].copy_from_slice(rest);
        self.0.push(mask(&last, is_of_kind) & below(rest.len()));
    }

    /// The first place of these whose byte is of the kind; the end if there is none.
    #[inline]
    pub fn next(&self, places: Range<usize>) -> usize {
        self.find(places, 0)
    }

    /// The first place of these whose byte is not of the kind; the end if there is none.
    #[inline]
    pub fn next_other(&self, places: Range<usize>) -> usize {
        self.find(places, u64::MAX)
    }

    #[inline]
    fn find(&self, places: Range<usize>, flip: u64) -> usize {
        let Range { start, end } = places;
        let mut block = start / BLOCK;
        let mut bits = (self.block(block) ^ flip) & !below(start % BLOCK);
        while bits == 0 {
            block += 1;
            if block * BLOCK >= end {
                return end;
            }
            bits = self.block(block) ^ flip;
        }
        end.min(block * BLOCK + bits.trailing_zeros() as usize)
    }

    /// The runs of bytes of the kind within these places, as long as they can be.
    #[inline]
    pub fn runs(&self, places: Range<usize>) -> Runs<'_> {
        let Range { start, end } = places;
        let block = start / BLOCK;
        Runs { bits: self, left: self.block(block) & !below(start % BLOCK), block, end }
    }

    /// How many bytes of these places are of the kind.
    #[inline]
    pub fn count(&self, places: Range<usize>) -> usize {
        let Range { start, end } = places;
        if start >= end {
            return 0;
        }
        let (first, last) = (start / BLOCK, end / BLOCK);
        let head = self.block(first) & !below(start % BLOCK);
        if first == last {
            return (head & below(end % BLOCK)).count_ones() as usize;
        }
        let middle: u32 = (first + 1..last).map(|block| self.block(block).count_ones()).sum();
        let tail = self.block(last) & below(end % BLOCK);
        (head.count_ones() + middle + tail.count_ones()) as usize
    }

    /// Whether any byte of these places is of the kind.
    #[inline]
    pub fn any(&self, places: Range<usize>) -> bool {
        let Range { start, end } = places;
        let place = start % BLOCK;
        if start < end && place + (end - start) < BLOCK {
            // Most are words.
            return self.block(start / BLOCK) >> place & below(end - start) != 0;
        }
        start < end && self.next(start..end) < end
    }

    #[inline]
    fn block(&self, block: usize) -> u64 {
        self.0.get(block).copied().unwrap_or_default()
    }
}

/// Iterator of [`Bits::runs`].
#[derive(Clone, Debug)]
pub struct Runs<'b> {
    bits: &'b Bits,
    /// The block that it is in, and the bits of that behind the last run.
    block: usize,
    left: u64,
    end: usize,
}

impl Iterator for Runs<'_> {
    type Item = Range<usize>;

    #[inline]
    fn next(&mut self) -> Option<Range<usize>> {
        while self.left == 0 {
            self.block += 1;
            if self.block * BLOCK >= self.end {
                return None;
            }
            self.left = self.bits.block(self.block);
        }
        let start = self.left.trailing_zeros() as usize;
        let from = self.block * BLOCK + start;
        if from >= self.end {
            return None;
        }
        // Ones below the run, so that the first zero is behind it.
        let mut length = (self.left | below(start)).trailing_ones() as usize;
        while length == BLOCK {
            self.block += 1;
            self.left = self.bits.block(self.block);
            length = self.left.trailing_ones() as usize;
        }
        self.left &= !below(length);
        Some(from..self.end.min(self.block * BLOCK + length))
    }
}

/// The bits below a place within a block.
#[inline]
fn below(place: usize) -> u64 {
    (1_u64 << (place % BLOCK)) - 1
}

/// The bits of one block, the first byte's lowest. Written so that the first loop compares sixteen bytes at
/// once on any processor.
#[inline]
fn mask(block: &[u8; BLOCK], is_of_kind: impl Fn(u8) -> bool) -> u64 {
    let mut flags = [0_u8; BLOCK];
    for (flag, byte) in flags.iter_mut().zip(block) {
        *flag = u8::from(is_of_kind(*byte));
    }
    // Eight bytes of 0 or 1 become eight bits: the factor moves each of them to its place in the highest
    // byte, and no two meet.
    let eights = flags
        .as_chunks()
        .0
        .iter()
        .map(|eight| u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56);
    eights.enumerate().fold(0, |mask, (place, bits)| mask | bits << (8 * place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bits_tell_what_the_bytes_are(
            text in proptest::collection::vec(proptest::bool::weighted(0.9), 0..300),
            places in (0..320_usize, 0..320_usize),
        ) {
            let bytes: Vec<u8> = text.iter().map(|is| if *is { b'a' } else { 0 }).collect();
            for (kind, is_zero) in [(true, false), (false, true)] {
                let bits = Bits::of(&bytes, move |byte| (byte == 0) == is_zero);
                let (from, to) = (places.0.min(bytes.len()), places.1.min(bytes.len()));
                let range = from.min(to)..from.max(to);
                let find = |wanted: bool| {
                    let found = range.clone().find(|at| text[*at] == wanted);
                    found.unwrap_or(range.end)
                };
                prop_assert_eq!(bits.next(range.clone()), find(kind));
                prop_assert_eq!(bits.next_other(range.clone()), find(!kind));
                let count = text[range.clone()].iter().filter(|is| **is == kind).count();
                prop_assert_eq!(bits.count(range.clone()), count);
                prop_assert_eq!(bits.any(range.clone()), count > 0);
                let mut runs = Vec::new();
                let mut at = find(kind);
                while at < range.end {
                    let end = (at..range.end).find(|at| text[*at] != kind).unwrap_or(range.end);
                    runs.push(at..end);
                    at = (end..range.end).find(|at| text[*at] == kind).unwrap_or(range.end);
                }
                prop_assert_eq!(bits.runs(range).collect::<Vec<_>>(), runs);
            }
        }
    }
}
