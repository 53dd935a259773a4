//! Have we seen this text before, or nearly?

mod words;

use crate::space::one_space;
use lycosa_knowledge::{fold, lines};
use lycosa_model::{Document, hex16};
use std::ops::Range;
use words::Folded;

/// BLAKE3 (128 bits, hexadecimal) of a text with white space folded.
pub(crate) fn of_text(text: &str) -> String {
    let mut first = [0; 16];
    // In one piece: many small ones cost the hash more than the bytes do.
    first.copy_from_slice(&blake3::hash(one_space(text).as_bytes()).as_bytes()[..16]);
    hex16(&first)
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
        let mut own: Vec<&[u8]> = Vec::new();
        // By a part of their hashes, which few other words share.
        let mut looks = [false; 256];
        Folded::of(&address).each(|places| {
            looks[look(hash_at(&address, places.clone()))] = true;
            own.push(&address.as_bytes()[places]);
            true
        });
        own.sort_unstable();
        // What the address says, and any number, may differ.
        let telling = |text: &Folded<'_>, places: Range<usize>, hash: u64| {
            let word = || &text.text.as_bytes()[places.clone()];
            let in_address = looks[look(hash)] && own.binary_search(&word()).is_ok();
            !in_address && !text.has_digit(places.clone())
        };
        let has_main = !document.main.is_empty();
        let mut shape = SHINGLE_SEED;
        let title = fold(&document.title);
        let title = Folded::of(&title);
        title.each(|places| {
            let hash = hash_at(title.text, places.clone());
            if telling(&title, places, hash) {
                shape = mix(shape ^ hash);
            }
            true
        });
        shape = mix(shape);
        let mut shingles = Shingles::default();
        let text = fold(if has_main { &document.main } else { &document.text });
        let text = Folded::of(&text);
        let mut count = 0;
        text.each(|places| {
            let hash = hash_at(text.text, places.clone());
            if has_main {
                shingles.add(hash);
            }
            if count == MAX_WORDS {
                return has_main;
            }
            count += 1;
            if telling(&text, places, hash) {
                shape = mix(shape ^ hash);
            }
            true
        });
        Told { simhash: shingles.votes.majority(), shape, words: count as u32 }
    }
}

/// A number that a word shares with few others.
fn look(hash: u64) -> usize {
    usize::from(hash as u8)
}

/// The hash of a word or a line, of which every bit depends on every byte.
fn hash_of(text: &str) -> u64 {
    mix(quick_hash(text.as_bytes()))
}

/// The hash of the word at these places of a text. Words differ in length from one to the next, so what
/// depends on it is worked out without a choice.
#[inline]
fn hash_at(text: &str, places: Range<usize>) -> u64 {
    let length = places.len();
    let rest = &text.as_bytes()[places.start..];
    match rest.first_chunk() {
        Some(eight) if (1..8).contains(&length) => {
            let letters = u64::from_le_bytes(*eight);
            let few = letters.swap_bytes() >> (64 - 8 * length);
            let (first, last) = (letters as u32, letters >> (8 * length.saturating_sub(4)));
            let more = u64::from(first) << 32 | u64::from(last as u32);
            mix(quick_end(quick_step(length as u64, if length < 4 { few } else { more })))
        }
        _ => hash_of(&text[places]),
    }
}

/// Votes of words and of each three that follow each other.
#[derive(Default)]
struct Shingles {
    votes: Votes,
    /// What the last word begins, and what the last two do; each word of three is mixed into what those before
    /// it gave.
    one: u64,
    two: u64,
    count: usize,
}

impl Shingles {
    #[inline]
    fn add(&mut self, hash: u64) {
        self.votes.add(hash);
        self.count += 1;
        if self.count >= 3 {
            self.votes.add(mix(self.two ^ hash));
        }
        self.two = mix(self.one ^ hash);
        self.one = mix(SHINGLE_SEED ^ hash);
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
    #[inline]
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
    let mut hash = bytes.len() as u64;
    if let Some(last) = bytes.last_chunk() {
        for chunk in bytes.as_chunks().0 {
            hash = quick_step(hash, u64::from_le_bytes(*chunk));
        }
        // Overlaps the one before it, so that no byte is left out.
        hash = quick_step(hash, u64::from_le_bytes(*last));
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        hash = quick_step(hash, u64::from(first) << 32 | u64::from(last));
    } else {
        let number = bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        hash = quick_step(hash, number);
    }
    quick_end(hash)
}

fn quick_step(hash: u64, number: u64) -> u64 {
    (hash ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

fn quick_end(hash: u64) -> u64 {
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
