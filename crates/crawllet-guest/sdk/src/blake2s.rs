//! What is the keyed BLAKE2s digest of some bytes, 16 bytes long? (RFC 7693.)

const START: [u32; 8] = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

const SIGMA: [[u8; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/// Bytes of a tag. Whoever would forge one has one try in each job, and tags do not pack.
pub const TAG: usize = 8;
/// Bytes of a key.
pub const KEY: usize = 32;

/// The tag of a message under a key.
pub fn tag(key: &[u8; KEY], message: &[u8]) -> [u8; TAG] {
    let mut state = START;
    state[0] ^= 0x0101_0000 | (KEY as u32) << 8 | TAG as u32;
    // The key, filled up with zeros, is the first block.
    let mut block = [0; 64];
    block[..KEY].copy_from_slice(key);
    let mut counted = 64_u64;
    let mut rest = message;
    while !rest.is_empty() {
        compress(&mut state, &block, counted, false);
        let (head, tail) = rest.split_at(rest.len().min(64));
        block = [0; 64];
        block[..head.len()].copy_from_slice(head);
        counted += head.len() as u64;
        rest = tail;
    }
    compress(&mut state, &block, counted, true);
    let mut out = [0; TAG];
    for (out, word) in out.chunks_exact_mut(4).zip(state) {
        out.copy_from_slice(&word.to_le_bytes());
    }
    out
}

fn compress(state: &mut [u32; 8], block: &[u8; 64], counted: u64, is_last: bool) {
    let mut m = [0_u32; 16];
    for (word, bytes) in m.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u32::from(*byte));
    }
    let mut v = [0; 16];
    v[..8].copy_from_slice(state);
    v[8..].copy_from_slice(&START);
    v[12] ^= counted as u32;
    v[13] ^= (counted >> 32) as u32;
    if is_last {
        v[14] = !v[14];
    }
    for order in &SIGMA {
        let word = |at: usize| m[usize::from(order[at])];
        for column in 0..4 {
            let places = [column, column + 4, column + 8, column + 12];
            mix(&mut v, places, word(2 * column), word(2 * column + 1));
        }
        for column in 0..4 {
            let next = |by: usize| (column + by) % 4;
            let places = [column, 4 + next(1), 8 + next(2), 12 + next(3)];
            mix(&mut v, places, word(8 + 2 * column), word(9 + 2 * column));
        }
    }
    for (at, old) in state.iter_mut().enumerate() {
        *old ^= v[at] ^ v[at + 8];
    }
}

fn mix(v: &mut [u32; 16], [a, b, c, d]: [usize; 4], x: u32, y: u32) {
    v[a] = v[a].wrapping_add(v[b]).wrapping_add(x);
    v[d] = (v[d] ^ v[a]).rotate_right(16);
    v[c] = v[c].wrapping_add(v[d]);
    v[b] = (v[b] ^ v[c]).rotate_right(12);
    v[a] = v[a].wrapping_add(v[b]).wrapping_add(y);
    v[d] = (v[d] ^ v[a]).rotate_right(8);
    v[c] = v[c].wrapping_add(v[d]);
    v[b] = (v[b] ^ v[c]).rotate_right(7);
}

#[cfg(test)]
mod tests {
    use super::tag;

    #[test]
    fn tags_are_those_of_the_reference_implementation() {
        let mut key = [0; 32];
        key.iter_mut().zip(0..).for_each(|(byte, number)| *byte = number);
        let message: Vec<u8> = (0..200).collect();
        let cases = [
            (0, "3a23e83d1d585785"),
            (1, "2666401f9adf67f1"),
            (63, "1d95dfe90f0a6d87"),
            (64, "8013e78702c80e7b"),
            (65, "322e9aa4f43f1ee0"),
            (128, "20e22a6ff460af1a"),
            (200, "876ec26c88fbdd89"),
        ];
        for (length, wanted) in cases {
            let tag = tag(&key, &message[..length]);
            let hex: String = tag.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(hex, wanted, "{length} bytes");
        }
    }
}
