//! What is left of a text when only its words count? Each word once, as a number, with its weight.

use lycosa_model::Term;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Letters before an `s` that is taken for the sign of many.
const SHORTEST_STEM: usize = 3;

/// A word as a number: 32 bits of a hash of its folded form, one and many being the same word where an `s`
/// is all the difference. Two words of a large vocabulary may share a number; a model of thousands of words
/// does not notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Word(pub u32);

impl Word {
    /// Of a folded word.
    pub fn of(folded: &str) -> Word {
        let folded = match folded.strip_suffix('s') {
            Some(one) if one.len() >= SHORTEST_STEM && !one.ends_with('s') => one,
            _ => folded,
        };
        // FNV-1a over 64 bits, folded: stable over versions and machines, as what is learned must be.
        let hash = folded.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Word((hash ^ (hash >> 32)) as u32)
    }
}

/// The words of a text with their weights, in the order of the numbers; each word once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bag(Vec<(Word, f32)>);

impl Bag {
    /// Of the terms of a page: a word that stands there ten times says more than one that stands there
    /// once, but not ten times as much.
    pub fn of_terms(terms: &[Term]) -> Bag {
        Bag::of(terms.iter().map(|term| (Word::of(&term.word), damped(term.count))))
    }

    /// Of folded words, each weighing the same.
    pub fn of_words<'a>(words: impl Iterator<Item = &'a str>) -> Bag {
        Bag::of(words.map(|word| (Word::of(word), 1.0)))
    }

    /// Of words with weights; those of one word add up.
    pub fn of(words: impl Iterator<Item = (Word, f32)>) -> Bag {
        let mut words: Vec<(Word, f32)> = words.collect();
        words.sort_by_key(|(word, _)| *word);
        words.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        Bag(words)
    }

    /// The words and their weights.
    pub fn iter(&self) -> impl Iterator<Item = (Word, f32)> + '_ {
        self.0.iter().copied()
    }

    /// Whether there is no word.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The weight of a word; 0 when it is not there.
    pub fn weight(&self, word: Word) -> f32 {
        self.0.binary_search_by_key(&word, |(word, _)| *word).map_or(0.0, |at| self.0[at].1)
    }
}

fn damped(count: u32) -> f32 {
    1.0 + (count.max(1) as f32).ln()
}

/// Bytes of a word and its weight in a bag that is written down.
const WRITTEN: usize = 8;

/// A bag is written as bytes, four of the word and four of its weight: there are many, and they are large.
impl Serialize for Bag {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut bytes = Vec::with_capacity(WRITTEN * self.0.len());
        for (word, weight) in &self.0 {
            bytes.extend_from_slice(&word.0.to_le_bytes());
            bytes.extend_from_slice(&weight.to_le_bytes());
        }
        serializer.serialize_bytes(&bytes)
    }
}

impl<'de> Deserialize<'de> for Bag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bag, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Bag;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("words and weights, eight bytes each")
            }

            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Bag, E> {
                let (pairs, rest) = bytes.as_chunks::<WRITTEN>();
                if !rest.is_empty() {
                    return Err(E::invalid_length(bytes.len(), &self));
                }
                let pair = |[a, b, c, d, e, f, g, h]: &[u8; WRITTEN]| {
                    let word = Word(u32::from_le_bytes([*a, *b, *c, *d]));
                    (word, f32::from_le_bytes([*e, *f, *g, *h]))
                };
                let words: Vec<(Word, f32)> = pairs.iter().map(pair).collect();
                let in_order = words.is_sorted_by(|one, next| one.0 < next.0);
                let finite = words.iter().all(|(_, weight)| weight.is_finite());
                match in_order && finite {
                    true => Ok(Bag(words)),
                    false => Err(E::custom("words out of order, or weights that are none")),
                }
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}
