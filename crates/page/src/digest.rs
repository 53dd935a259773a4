//! Have we seen this text before, or nearly?

use lycosa_knowledge::fold;
use lycosa_model::hex16;

/// BLAKE3 (128 bits, hexadecimal) of a text with white space folded.
pub(crate) fn of_text(text: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    for (number, word) in text.split_whitespace().enumerate() {
        if number > 0 {
            hasher.update(b" ");
        }
        hasher.update(word.as_bytes());
    }
    let mut first = [0; 16];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    hex16(&first)
}

/// Charikar's simhash over the folded words and the three-word shingles of a text; 0 for no words.
///
/// The expected distance of two texts is `64·θ/π`, θ being the angle between their feature vectors.
/// With shingles alone, one changed word in 300 gives θ ≈ 0.14 and so about 3 bits, at the very limit
/// that near-duplicates are sought within; together with the words it gives about half of that.
pub(crate) fn simhash(text: &str) -> u64 {
    let folded = fold(text);
    let mut sums = [0_i32; 64];
    let mut window = [0_u64; 3];
    let mut count = 0_usize;
    for word in folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let hash = hash_word(word);
        add(&mut sums, hash);
        window = [window[1], window[2], hash];
        count += 1;
        if count >= 3 {
            let shingle = window.iter().fold(SHINGLE_SEED, |state, part| mix(state ^ part));
            add(&mut sums, shingle);
        }
    }
    if count == 0 {
        return 0;
    }
    sums.iter().enumerate().fold(0, |hash, (bit, sum)| hash | (u64::from(*sum > 0) << bit))
}

const SHINGLE_SEED: u64 = 0x9e37_79b9_7f4a_7c15;

fn add(sums: &mut [i32; 64], hash: u64) {
    for (bit, sum) in sums.iter_mut().enumerate() {
        *sum = sum.saturating_add(((hash >> bit & 1) as i32) * 2 - 1);
    }
}

/// FNV-1a, then mixed so that every bit depends on every byte.
fn hash_word(word: &str) -> u64 {
    mix(word.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    }))
}

/// The finalizer of SplitMix64.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests;
