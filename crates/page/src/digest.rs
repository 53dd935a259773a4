//! Have we seen this text before, or nearly?

use lycosa_knowledge::fold;
use lycosa_model::hex16;

/// BLAKE3 (128 bits, hexadecimal) of a text with white space folded.
pub(crate) fn of_text(text: &str) -> String {
    let mut first = [0; 16];
    first.copy_from_slice(&blake3::hash(&one_space(text)).as_bytes()[..16]);
    hex16(&first)
}

/// The words of a text with one space between each two. In one piece: many small ones cost the hash more
/// than the bytes do.
fn one_space(text: &str) -> Vec<u8> {
    if !text.is_ascii() {
        let mut out = String::with_capacity(text.len());
        for word in text.split_whitespace() {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(word);
        }
        return out.into_bytes();
    }
    let mut out = vec![0; text.len()];
    let mut length = 0;
    let mut after_space = true;
    for byte in text.bytes() {
        let is_space = matches!(byte, b' ' | b'\t'..=b'\r');
        out[length] = if is_space { b' ' } else { byte };
        // Without a branch, which nobody could foretell: a further space is written over.
        length += usize::from(!(is_space && after_space));
        after_space = is_space;
    }
    out.truncate(length - usize::from(after_space && length > 0));
    out
}

/// The words of a folded text: runs of letters and digits.
pub(crate) fn folded_words(folded: &str) -> FoldedWords<'_> {
    FoldedWords { text: folded, at: 0 }
}

/// Iterator of [`folded_words`].
pub(crate) struct FoldedWords<'t> {
    text: &'t str,
    at: usize,
}

impl FoldedWords<'_> {
    /// Goes on while what stands there is part of a word, or while it is not.
    fn pass(&mut self, is_word: bool) {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            if byte.is_ascii() {
                if byte.is_ascii_alphanumeric() != is_word {
                    return;
                }
                self.at += 1;
                continue;
            }
            let Some(c) = self.text[self.at..].chars().next() else { return };
            if c.is_alphanumeric() != is_word {
                return;
            }
            self.at += c.len_utf8();
        }
    }
}

impl<'t> Iterator for FoldedWords<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        self.pass(false);
        let from = self.at;
        self.pass(true);
        (from < self.at).then(|| &self.text[from..self.at])
    }
}

/// Charikar's simhash over the folded words and the three-word shingles of a text; 0 for no words.
///
/// The expected distance of two texts is `64·θ/π`, θ being the angle between their feature vectors.
/// With shingles alone, one changed word in 300 gives θ ≈ 0.14 and so about 3 bits, at the very limit
/// that near-duplicates are sought within; together with the words it gives about half of that.
pub(crate) fn simhash(text: &str) -> u64 {
    let folded = fold(text);
    let mut votes = Votes::default();
    let mut window = [0_u64; 3];
    let mut count = 0_usize;
    for word in folded_words(&folded) {
        let hash = hash_word(word);
        votes.add(hash);
        window = [window[1], window[2], hash];
        count += 1;
        if count >= 3 {
            let shingle = window.iter().fold(SHINGLE_SEED, |state, part| mix(state ^ part));
            votes.add(shingle);
        }
    }
    votes.majority()
}

/// Simhash over the lines of a text; 0 for none. Where the words of two pages are near because each of them
/// is a list with the same introduction, their lines are not.
pub(crate) fn simhash_of_lines(text: &str) -> u64 {
    let mut votes = Votes::default();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        votes.add(hash_line(line));
    }
    votes.majority()
}

const SHINGLE_SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// 64 counters side by side: the n-th bits of all of them are one word, so that a hash is added to all
/// with the few operations of one carry.
#[derive(Default)]
struct Votes {
    planes: [u64; 32],
    count: u64,
}

impl Votes {
    /// Each bit of the hash is a vote for one in its place.
    fn add(&mut self, hash: u64) {
        self.count += 1;
        let mut carry = hash;
        for plane in &mut self.planes {
            (*plane, carry) = (*plane ^ carry, *plane & carry);
            if carry == 0 {
                return;
            }
        }
    }

    /// A one where more than half of the votes were for one.
    fn majority(&self) -> u64 {
        (0..64).fold(0, |hash, bit| {
            let for_one = |(place, plane): (usize, &u64)| (plane >> bit & 1) << place;
            let ones: u64 = self.planes.iter().enumerate().map(for_one).sum();
            hash | (u64::from(ones * 2 > self.count) << bit)
        })
    }
}

/// Eight bytes at a time, since the lines are all the text of a page.
fn hash_line(line: &str) -> u64 {
    let mut chunks = line.as_bytes().chunks_exact(8);
    let add = |hash: u64, bytes: u64| (hash ^ bytes).wrapping_mul(SHINGLE_SEED).rotate_left(29);
    let mut hash = line.len() as u64;
    for chunk in &mut chunks {
        let bytes = chunk.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        hash = add(hash, bytes);
    }
    let rest = chunks.remainder().iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    mix(add(hash, rest))
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
