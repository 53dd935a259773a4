//! Was this fingerprint met, maybe? A "no" is certain, and costs one look at memory.
//!
//! A split-block Bloom filter (Putze, Sanders and Singler, 2007): one cache line per fingerprint, one
//! bit in each of its eight words. The line follows from the upper half of the fingerprint, so lines
//! are in the order of the run and a sorted build or batch walks through memory; the bits follow from
//! the lower half.

/// Bits for each entry. Ten let about one stranger in a hundred through.
const BITS_PER_ENTRY: u64 = 10;

/// Bits of a line.
const LINE_BITS: u64 = 512;

/// Bytes of a line.
pub const LINE_BYTES: usize = 64;

/// Odd multipliers that make eight bit numbers of one half.
const SALTS: [u32; 8] = [
    0x47b6_137b,
    0x4497_4d91,
    0x8824_ad5b,
    0xa2b7_289d,
    0x7054_95c7,
    0x2df1_424b,
    0x9efc_4947,
    0x5c6b_fb31,
];

/// One cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Line([u64; 8]);

/// An approximate set: what it does not hold is not there.
#[derive(Debug)]
pub struct MaybeSet {
    lines: Vec<Line>,
}

impl MaybeSet {
    /// An empty set for this many entries.
    pub fn with_room_for(entries: u64) -> MaybeSet {
        let lines = (entries * BITS_PER_ENTRY).div_ceil(LINE_BITS).clamp(1, u64::from(u32::MAX));
        MaybeSet { lines: vec![Line([0; 8]); lines as usize] }
    }

    /// A set as it was written; nothing when the bytes are not whole lines.
    pub fn from_bytes(bytes: &[u8]) -> Option<MaybeSet> {
        let (lines, rest) = bytes.as_chunks::<LINE_BYTES>();
        let line = |bytes: &[u8; LINE_BYTES]| {
            let (words, _) = bytes.as_chunks::<8>();
            let mut line = Line([0; 8]);
            line.0.iter_mut().zip(words).for_each(|(to, from)| *to = u64::from_le_bytes(*from));
            line
        };
        (rest.is_empty() && !lines.is_empty())
            .then(|| MaybeSet { lines: lines.iter().map(line).collect() })
    }

    /// The bytes of all lines, one line after the other.
    pub fn lines(&self) -> impl Iterator<Item = [u8; LINE_BYTES]> {
        self.lines.iter().map(|line| {
            let mut bytes = [0; LINE_BYTES];
            let (words, _) = bytes.as_chunks_mut::<8>();
            words.iter_mut().zip(&line.0).for_each(|(to, from)| *to = from.to_le_bytes());
            bytes
        })
    }

    /// How many lines there are.
    pub fn line_count(&self) -> u32 {
        self.lines.len() as u32
    }

    /// Memory that it takes.
    pub fn memory_bytes(&self) -> usize {
        self.lines.capacity() * LINE_BYTES
    }

    /// Puts a fingerprint in.
    pub fn insert(&mut self, fingerprint: u64) {
        let at = self.line_of(fingerprint);
        let words = &mut self.lines[at].0;
        words.iter_mut().zip(bits(fingerprint)).for_each(|(word, bit)| *word |= bit);
    }

    /// Whether the fingerprint may have been put in; a "no" is certain.
    pub fn may_hold(&self, fingerprint: u64) -> bool {
        let words = &self.lines[self.line_of(fingerprint)].0;
        // All eight without a branch in between: the line is in the cache after the first.
        words.iter().zip(bits(fingerprint)).fold(0, |lacks, (word, bit)| lacks | (!word & bit)) == 0
    }

    fn line_of(&self, fingerprint: u64) -> usize {
        (((fingerprint >> 32) * self.lines.len() as u64) >> 32) as usize
    }
}

fn bits(fingerprint: u64) -> impl Iterator<Item = u64> {
    let half = fingerprint as u32;
    SALTS.iter().map(move |salt| 1 << (half.wrapping_mul(*salt) >> 26))
}
