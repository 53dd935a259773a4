//! How does a run lie on the disk?
//!
//! ```text
//! block ... block | fence ... fence | filter | trailer
//! ```
//!
//! A block holds up to [`BLOCK_ENTRIES`] entries in ascending order: all fingerprints, then all sums,
//! then a checksum of both. The last block is filled up with zeros. A fence is the first fingerprint
//! of a block. The trailer says what the file is and how much of everything there is, with a checksum
//! of fences and filter and one of itself; it is written last. All numbers are little-endian.

use flate2::Crc;

/// Bytes of a block. Small, because a lookup wants one entry of it and its copy is part of the price.
pub(super) const BLOCK_BYTES: usize = 1024;

/// Entries of a full block.
pub(super) const BLOCK_ENTRIES: usize = (BLOCK_BYTES - 4) / ENTRY_BYTES;

/// Bytes of one entry: a fingerprint and its sum.
pub(super) const ENTRY_BYTES: usize = 12;

/// Bytes of the trailer.
pub(super) const TRAILER_BYTES: usize = 48;

/// Where the sums of a block begin.
const SUMS_AT: usize = BLOCK_ENTRIES * 8;

/// Where the checksum of a block lies.
const CHECKSUM_AT: usize = BLOCK_BYTES - 4;

const MAGIC: [u8; 8] = *b"LYTALLY1";

/// A fingerprint and what was added to it.
pub(super) type Entry = (u64, i32);

/// The bytes of one block.
pub(super) type Block = [u8; BLOCK_BYTES];

/// What the end of a run's file says about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Trailer {
    /// The tally it belongs to.
    pub(super) kind: u8,
    /// The run's number in this tally.
    pub(super) number: u64,
    /// Entries.
    pub(super) count: u64,
    /// Lines of the filter.
    pub(super) lines: u32,
    /// Checksum of fences and filter.
    pub(super) index_checksum: u32,
}

impl Trailer {
    /// Blocks of the file.
    pub(super) fn blocks(&self) -> u64 {
        self.count.div_ceil(BLOCK_ENTRIES as u64)
    }

    /// The file's end.
    pub(super) fn encode(&self) -> [u8; TRAILER_BYTES] {
        let mut bytes = [0; TRAILER_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..16].copy_from_slice(&u64::from(self.kind).to_le_bytes());
        bytes[16..24].copy_from_slice(&self.number.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.count.to_le_bytes());
        bytes[32..36].copy_from_slice(&self.lines.to_le_bytes());
        bytes[36..40].copy_from_slice(&self.index_checksum.to_le_bytes());
        let sum = checksum(&[&bytes[..44]]);
        bytes[44..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// What the file's end says, or why it says nothing.
    pub(super) fn decode(bytes: &[u8; TRAILER_BYTES]) -> Result<Trailer, &'static str> {
        if bytes[..8] != MAGIC {
            return Err("it does not end like a run of this version");
        }
        if checksum(&[&bytes[..44]]) != u32_at(bytes, 44) {
            return Err("its trailer has another checksum");
        }
        Ok(Trailer {
            kind: bytes[8],
            number: u64_at(bytes, 16),
            count: u64_at(bytes, 24),
            lines: u32_at(bytes, 32),
            index_checksum: u32_at(bytes, 36),
        })
    }
}

/// A block of these entries, which are ascending and at most [`BLOCK_ENTRIES`].
pub(super) fn encode_block(entries: &[Entry], block: &mut Block) {
    block.fill(0);
    let (fingerprints, sums) = block.split_at_mut(SUMS_AT);
    let places = fingerprints.chunks_exact_mut(8).zip(sums.chunks_exact_mut(4));
    for (&(fingerprint, sum), (place, sum_place)) in entries.iter().zip(places) {
        place.copy_from_slice(&fingerprint.to_le_bytes());
        sum_place.copy_from_slice(&sum.to_le_bytes());
    }
    let sum = checksum(&[&block[..CHECKSUM_AT]]);
    block[CHECKSUM_AT..].copy_from_slice(&sum.to_le_bytes());
}

/// Whether the block is as it was written, and begins with this fingerprint.
pub(super) fn is_whole(block: &[u8], fence: u64) -> bool {
    u64_at(block, 0) == fence && checksum(&[&block[..CHECKSUM_AT]]) == u32_at(block, CHECKSUM_AT)
}

/// The entry at this place of a block.
pub(super) fn entry_at(block: &[u8], place: usize) -> Entry {
    (u64_at(block, place * 8), u32_at(block, SUMS_AT + place * 4).cast_signed())
}

/// The sum of a fingerprint in a block of `count` entries.
pub(super) fn find_in(block: &Block, count: usize, fingerprint: u64) -> Option<i32> {
    let (mut low, mut size) = (0, count);
    while size > 1 {
        let half = size / 2;
        // Compiles to a conditional move: the outcome is a coin toss, which no branch predictor likes.
        low += if u64_at(block, (low + half) * 8) <= fingerprint { half } else { 0 };
        size -= half;
    }
    let (found, sum) = entry_at(block, low);
    (size == 1 && found == fingerprint).then_some(sum)
}

/// Appends an entry as the tail keeps it.
pub(super) fn pack((fingerprint, sum): Entry, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&fingerprint.to_le_bytes());
    bytes.extend_from_slice(&sum.to_le_bytes());
}

/// The entries of a row of the tail; nothing when it cannot be one.
pub(super) fn unpack(bytes: &[u8]) -> Option<impl Iterator<Item = Entry>> {
    let whole = bytes.len().is_multiple_of(ENTRY_BYTES);
    whole.then(|| {
        bytes.chunks_exact(ENTRY_BYTES).map(|e| (u64_at(e, 0), u32_at(e, 8).cast_signed()))
    })
}

/// The checksum of these bytes, one part after the other.
pub(super) fn checksum(parts: &[&[u8]]) -> u32 {
    let mut crc = Crc::new();
    parts.iter().for_each(|part| crc.update(part));
    crc.sum()
}

/// The number at this place; zero behind the end.
pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |chunk| u64::from_le_bytes(*chunk))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |chunk| u32::from_le_bytes(*chunk))
}
