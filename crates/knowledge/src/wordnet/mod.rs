//! How are two words related? The nouns of WordNet: synonyms, kinds and parts.
//!
//! Two forms are read: the files of Princeton's WordNet as Debian has them (`data.noun` and `noun.exc`,
//! also those of Open English WordNet), and the XML of Open English WordNet (LMF). The bytes come in;
//! files are the caller's. What is kept takes some megabytes: words in one text, and numbers.

mod build;
mod closeness;
mod error;
mod lemma;
mod lmf;
mod wndb;

pub use build::{MAX_SENSES, MAX_SYNSETS, MAX_WORDNET};
pub use closeness::Closeness;
pub use error::WordNetError;

use build::{Builder, Irregular, Lists};

/// Steps up from a word at which we still call it a kind of something. From soccer to sport it is five,
/// from whale to animal seven; a few more and everything is a kind of everything ("object", "entity").
pub const MAX_IS_A: usize = 8;
/// Sets of synonyms that are looked at on the way up.
const MAX_ANCESTORS: usize = 256;

/// How two words are related. The first that holds, in the order of Du et al., eq. 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// They are one word, or forms of one.
    Same,
    /// They have a meaning in common.
    Synonym,
    /// One is a kind of the other, by at most [`MAX_IS_A`] steps.
    IsA,
    /// One is a part, a member or the substance of the other.
    PartOf,
    /// Nothing that we know.
    None,
}

/// What a word may mean: itself and its base forms, their sets of synonyms, and what these are kinds of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meaning {
    words: Vec<u32>,
    synsets: Vec<u32>,
    above: Vec<u32>,
}

impl Meaning {
    /// Whether the word is a noun that WordNet has.
    pub fn is_known(&self) -> bool {
        !self.words.is_empty()
    }
}

/// The nouns of a WordNet.
#[derive(Clone, Debug)]
pub struct WordNet {
    /// All words, one after the other, in the order of their bytes.
    text: String,
    /// Where each word ends.
    ends: Vec<u32>,
    /// Sets of synonyms of each word.
    senses: Lists,
    /// What each set is a kind of.
    kinds: Lists,
    /// What each set is a part of or has as a part.
    parts: Lists,
    /// Base forms of irregular plurals.
    irregular: Irregular,
}

impl WordNet {
    /// Reads `data.noun` and, for irregular plurals, `noun.exc`, which may be empty.
    pub fn from_wndb(data: &[u8], exceptions: &[u8]) -> Result<WordNet, WordNetError> {
        let mut builder = Builder::default();
        wndb::read(data, &mut builder)?;
        let irregular = wndb::read_exceptions(exceptions)?;
        builder.finish(irregular)
    }

    /// Reads the XML of Open English WordNet. It has no list of irregular plurals, only forms of words.
    pub fn from_lmf(xml: &[u8]) -> Result<WordNet, WordNetError> {
        let mut builder = Builder::default();
        let irregular = lmf::read(xml, &mut builder)?;
        builder.finish(irregular)
    }

    /// Words that it has.
    pub fn words(&self) -> usize {
        self.ends.len()
    }

    /// Sets of synonyms that it has.
    pub fn synsets(&self) -> usize {
        self.kinds.len()
    }

    /// Bytes in memory, as far as they grow with the files.
    pub fn bytes(&self) -> usize {
        let irregular: usize = self
            .irregular
            .iter()
            .map(|(form, bases)| {
                48 + form.len() + bases.iter().map(|b| 16 + b.len()).sum::<usize>()
            })
            .sum();
        self.text.len()
            + 4 * self.ends.len()
            + self.senses.bytes()
            + self.kinds.bytes()
            + self.parts.bytes()
            + irregular
    }

    fn word(&self, place: usize) -> &str {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.text[start..self.ends[place] as usize]
    }

    fn find(&self, word: &str) -> Option<u32> {
        let (mut low, mut high) = (0, self.ends.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.word(middle).cmp(word) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return u32::try_from(middle).ok(),
            }
        }
        None
    }

    /// What a folded word may mean: as it stands, and as a plural.
    pub fn meaning(&self, word: &str) -> Meaning {
        let mut meaning = Meaning::default();
        let mut add = |word: &str| {
            if let Some(place) = self.find(word)
                && !meaning.words.contains(&place)
            {
                meaning.words.push(place);
                meaning.synsets.extend_from_slice(self.senses.of(place));
            }
        };
        add(word);
        match self.irregular.get(word) {
            Some(bases) => bases.iter().for_each(|base| add(base)),
            None => lemma::singulars(word, &mut add),
        }
        meaning.synsets.sort_unstable();
        meaning.synsets.dedup();
        meaning.above = self.above(&meaning.synsets);
        meaning
    }

    /// How two folded words are related.
    pub fn relation(&self, a: &str, b: &str) -> Relation {
        if a == b {
            return Relation::Same;
        }
        self.relation_of(&self.meaning(a), &self.meaning(b))
    }

    /// How two words are related whose meanings were looked up.
    pub fn relation_of(&self, a: &Meaning, b: &Meaning) -> Relation {
        if !a.is_known() || !b.is_known() {
            return Relation::None;
        }
        let met = |one: &[u32], sorted: &[u32]| one.iter().any(|x| sorted.binary_search(x).is_ok());
        if a.words.iter().any(|word| b.words.contains(word)) {
            Relation::Same
        } else if met(&a.synsets, &b.synsets) {
            Relation::Synonym
        } else if met(&b.synsets, &a.above) || met(&a.synsets, &b.above) {
            Relation::IsA
        } else if a.synsets.iter().any(|&synset| met(self.parts.of(synset), &b.synsets)) {
            Relation::PartOf
        } else {
            Relation::None
        }
    }

    /// What these are kinds of, by at most [`MAX_IS_A`] steps; sorted.
    fn above(&self, synsets: &[u32]) -> Vec<u32> {
        let mut above: Vec<u32> = Vec::new();
        let mut last = synsets.to_vec();
        let mut next = Vec::new();
        for _ in 0..MAX_IS_A {
            for kind in last.drain(..).flat_map(|synset| self.kinds.of(synset)) {
                if above.len() < MAX_ANCESTORS && !above.contains(kind) {
                    above.push(*kind);
                    next.push(*kind);
                }
            }
            std::mem::swap(&mut last, &mut next);
        }
        above.sort_unstable();
        above
    }
}

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests;
