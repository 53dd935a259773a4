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
    FoldedWords { text: folded, at: 0, is: 0 }
}

/// Iterator of [`folded_words`].
pub(crate) struct FoldedWords<'t> {
    text: &'t str,
    at: usize,
    /// What the bytes of the last word are, together.
    is: u8,
}

/// What a byte is: ASCII that is part of no word is nothing, anything else one of these.
const LETTER: u8 = 1;
const DIGIT: u8 = 2;
const BEYOND: u8 = 4;

const KINDS: [u8; 256] = {
    let mut kinds = [BEYOND; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        kinds[byte as usize] = match byte {
            b'0'..=b'9' => DIGIT,
            b'A'..=b'Z' | b'a'..=b'z' => LETTER,
            _ => 0,
        };
        byte += 1;
    }
    kinds
};

impl FoldedWords<'_> {
    /// Length of the letter beyond ASCII that stands at a place, if it is part of a word, or if it is not;
    /// else 0.
    fn beyond(&self, at: usize, is_word: bool) -> usize {
        let c = self.text[at..].chars().next().filter(|c| c.is_alphanumeric() == is_word);
        c.map_or(0, char::len_utf8)
    }

    /// Whether the last word has a digit of ASCII.
    fn has_digit(&self) -> bool {
        self.is & DIGIT != 0
    }
}

impl<'t> Iterator for FoldedWords<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        loop {
            at += match KINDS[usize::from(*bytes.get(at)?)] {
                0 => 1,
                BEYOND => match self.beyond(at, false) {
                    0 => break,
                    length => length,
                },
                _ => break,
            };
        }
        let from = at;
        let mut is = 0;
        while let Some(byte) = bytes.get(at) {
            let kind = KINDS[usize::from(*byte)];
            at += match kind {
                0 => break,
                BEYOND => match self.beyond(at, true) {
                    0 => break,
                    length => length,
                },
                _ => 1,
            };
            is |= kind;
        }
        (self.at, self.is) = (at, is);
        Some(&self.text[from..at])
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
        let telling = |word: &str, has_digit: bool| {
            let in_address = || looks[look(word)] && own.binary_search(&word).is_ok();
            !(has_digit || in_address())
        };
        let has_main = !document.main.is_empty();
        let text = fold(if has_main { &document.main } else { &document.text });
        let mut shape = SHINGLE_SEED;
        let title = fold(&document.title);
        let mut words = folded_words(&title);
        while let Some(word) = words.next() {
            if telling(word, words.has_digit()) {
                shape = mix(shape ^ hash_of(word));
            }
        }
        shape = mix(shape);
        let mut shingles = Shingles::default();
        let mut words = folded_words(&text);
        let mut count = 0;
        while let Some(word) = words.next() {
            let hash = hash_of(word);
            if count < MAX_WORDS {
                count += 1;
                if telling(word, words.has_digit()) {
                    shape = mix(shape ^ hash);
                }
            } else if !has_main {
                break;
            }
            if has_main {
                shingles.add(hash);
            }
        }
        Told { simhash: shingles.votes.majority(), shape, words: count as u32 }
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
/// with the few operations of one carry. Eight hashes are added to each other first, which needs fewer.
#[derive(Default)]
struct Votes {
    planes: [u64; 32],
    /// Hashes that are not added yet, as many as the count has beyond a multiple of eight.
    waiting: [u64; EIGHT],
    count: u64,
}

const EIGHT: usize = 8;

impl Votes {
    /// Each bit of the hash is a vote for one in its place.
    fn add(&mut self, hash: u64) {
        let place = self.count as usize % EIGHT;
        self.waiting[place] = hash;
        self.count += 1;
        if place + 1 == EIGHT {
            self.add_eight();
        }
    }

    fn add_eight(&mut self) {
        let [a, b, c, d, e, f, g, h] = self.waiting;
        let [ones, twos, fours, ..] = &mut self.planes;
        let (two, other) = (add_two(ones, a, b), add_two(ones, c, d));
        let four = add_two(twos, two, other);
        let (two, other) = (add_two(ones, e, f), add_two(ones, g, h));
        let eight = add_two(fours, four, add_two(twos, two, other));
        carry(&mut self.planes[3..], eight);
    }

    /// A one where more than half of the votes were for one.
    fn majority(mut self) -> u64 {
        let waiting = self.count as usize % EIGHT;
        for hash in &self.waiting[..waiting] {
            carry(&mut self.planes, *hash);
        }
        let half = self.count / 2;
        // All counters are compared with the half at once, from their highest bits down.
        let (mut more, mut equal) = (0, u64::MAX);
        for (place, plane) in self.planes.iter().enumerate().rev() {
            let bits = if half >> place & 1 == 1 { u64::MAX } else { 0 };
            more |= equal & plane & !bits;
            equal &= !(plane ^ bits);
        }
        more
    }
}

/// Adds two bits to each of 64 bits and gives what is carried.
fn add_two(sum: &mut u64, a: u64, b: u64) -> u64 {
    let either = *sum ^ a;
    let carry = (*sum & a) | (either & b);
    *sum = either ^ b;
    carry
}

/// Adds one bit to each of 64 counters, the lowest of whose planes is the first.
fn carry(planes: &mut [u64], mut carry: u64) {
    for plane in planes {
        (*plane, carry) = (*plane ^ carry, *plane & carry);
        if carry == 0 {
            return;
        }
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
