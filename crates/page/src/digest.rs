//! Have we seen this text before, or nearly?

use crate::space::one_space;
use lycosa_knowledge::{fold, lines};
use lycosa_model::{Document, hex16};

/// BLAKE3 (128 bits, hexadecimal) of a text with white space folded.
pub(crate) fn of_text(text: &str) -> String {
    let mut first = [0; 16];
    // In one piece: many small ones cost the hash more than the bytes do.
    first.copy_from_slice(&blake3::hash(one_space(text).as_bytes()).as_bytes()[..16]);
    hex16(&first)
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

/// The letters and digits of ASCII.
const IS_WORD: [bool; 256] = {
    let mut is_word = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        is_word[byte as usize] = byte.is_ascii_alphanumeric();
        byte += 1;
    }
    is_word
};

impl FoldedWords<'_> {
    /// Goes on while what stands there is part of a word, or while it is not.
    fn pass(&mut self, is_word: bool) {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            if byte.is_ascii() {
                if IS_WORD[usize::from(*byte)] != is_word {
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

/// Words of the main text that a shape is made of.
const MAX_WORDS: usize = 20_000;

/// What a document tells, in a few bytes.
#[derive(Debug)]
pub(crate) struct Told {
    /// Charikar's simhash over the folded words and the three-word shingles of the main text; 0 for no
    /// words.
    ///
    /// The expected distance of two texts is `64·θ/π`, θ being the angle between their feature vectors.
    /// With shingles alone, one changed word in 300 gives θ ≈ 0.14 and so about 3 bits, at the very limit
    /// that near-duplicates are sought within; together with the words it gives about half of that.
    pub(crate) simhash: u64,
    /// Hash of the words of title and main text without those of the address and without numbers.
    pub(crate) shape: u64,
    /// Words of the main text that the shape is made of.
    pub(crate) words: u32,
}

impl Told {
    /// In one pass over the words of the main text or, where there is none, of all text.
    pub(crate) fn by(document: &Document) -> Told {
        let address = fold(&document.url);
        let mut own: Vec<&str> = folded_words(&address).collect();
        own.sort_unstable();
        // Most words look like none of the address.
        let mut looks = [false; 256];
        own.iter().for_each(|word| looks[look(word)] = true);
        // What the address says, and any number, may differ.
        let telling = |word: &str| {
            let in_address = looks[look(word)] && own.binary_search(&word).is_ok();
            !in_address && !word.bytes().any(|byte| byte.is_ascii_digit())
        };
        let has_main = !document.main.is_empty();
        let text = fold(if has_main { &document.main } else { &document.text });
        let mut shape = SHINGLE_SEED;
        for word in folded_words(&fold(&document.title)).filter(|word| telling(word)) {
            shape = mix(shape ^ hash_of(word));
        }
        shape = mix(shape);
        let mut shingles = Shingles::default();
        let mut words = 0;
        for word in folded_words(&text) {
            let hash = hash_of(word);
            if words < MAX_WORDS {
                words += 1;
                if telling(word) {
                    shape = mix(shape ^ hash);
                }
            } else if !has_main {
                break;
            }
            if has_main {
                shingles.add(hash);
            }
        }
        Told { simhash: shingles.votes.majority(), shape, words: words as u32 }
    }
}

/// A number that words of an address share with few others.
fn look(word: &str) -> usize {
    let bytes = word.as_bytes();
    let (first, last) = (bytes.first().unwrap_or(&0), bytes.last().unwrap_or(&0));
    let sum = first.wrapping_mul(31) ^ last.wrapping_mul(7) ^ (bytes.len() as u8).wrapping_mul(67);
    usize::from(sum)
}

/// The hash of a word or a line, of which every bit depends on every byte.
fn hash_of(text: &str) -> u64 {
    mix(quick_hash(text.as_bytes()))
}

/// Votes of words and of each three that follow each other.
#[derive(Default)]
struct Shingles {
    votes: Votes,
    window: [u64; 3],
    count: usize,
}

impl Shingles {
    fn add(&mut self, hash: u64) {
        self.votes.add(hash);
        self.window = [self.window[1], self.window[2], hash];
        self.count += 1;
        if self.count >= 3 {
            let shingle = self.window.iter().fold(SHINGLE_SEED, |state, part| mix(state ^ part));
            self.votes.add(shingle);
        }
    }
}

/// The first 64 bits of BLAKE3.
pub(crate) fn short_hash(bytes: &[u8]) -> u64 {
    let hash = blake3::hash(bytes);
    hash.as_bytes().iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

/// Simhash over the lines of a text; 0 for none. Where the words of two pages are near because each of them
/// is a list with the same introduction, their lines are not.
pub(crate) fn simhash_of_lines(text: &str) -> u64 {
    let mut votes = Votes::default();
    for line in lines(text).map(str::trim).filter(|line| !line.is_empty()) {
        votes.add(hash_of(line));
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

/// A hash of a few bytes, eight at a time. It is the same everywhere and for ever, and whoever wants to can
/// find two texts with one hash.
fn quick_hash(bytes: &[u8]) -> u64 {
    let mix = |hash: u64, number: u64| {
        (hash ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
    };
    let mut hash = bytes.len() as u64;
    if let Some(last) = bytes.last_chunk() {
        for chunk in bytes.as_chunks().0 {
            hash = mix(hash, u64::from_le_bytes(*chunk));
        }
        // Overlaps the one before it, so that no byte is left out.
        hash = mix(hash, u64::from_le_bytes(*last));
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        hash = mix(hash, u64::from(first) << 32 | u64::from(last));
    } else {
        hash = mix(hash, bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)));
    }
    hash.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The finalizer of SplitMix64.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests;
