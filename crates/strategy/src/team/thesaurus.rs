//! What does the anchor of a link say for it? Whether it has words of the topic, or words that WordNet
//! relates to them.

use super::parameters::TeamParameters;
use lycosa_knowledge::analysis::{is_stop_word_anywhere, words};
use lycosa_knowledge::lattice::{Lattice, similarity};
use lycosa_knowledge::wordnet::{Meaning, Relation, WordNet};
use lycosa_knowledge::{RelevanceModel, Word, fold};
use lycosa_model::Term;
use std::collections::HashMap;
use std::sync::Arc;

/// Pages from one look at what is wanted to the next.
const EVERY: u64 = 10;
/// Words whose spelling or closeness is remembered.
const MAX_REMEMBERED: usize = 20_000;

/// The words of the topic, and how close other words are to them.
#[derive(Debug, Default)]
pub(super) struct Thesaurus {
    wordnet: Option<Arc<WordNet>>,
    query: Vec<Word>,
    /// How words of the topic are spelled, as far as they were met.
    spelled: HashMap<Word, Box<str>>,
    meanings: Vec<Meaning>,
    close: HashMap<Word, f32>,
    /// What words mean that anchors have.
    known: HashMap<Word, Meaning>,
    pages: u64,
}

impl Thesaurus {
    pub(super) fn new(wordnet: Option<Arc<WordNet>>) -> Thesaurus {
        Thesaurus { wordnet, ..Thesaurus::default() }
    }

    /// What is wanted has changed.
    pub(super) fn look_again(&mut self) {
        self.pages = 0;
    }

    /// Words of the topic as they were spelled before a restart.
    pub(super) fn spell(&mut self, words: Vec<String>) {
        self.spelled = words.into_iter().map(|word| (Word::of(&word), word.into())).collect();
    }

    /// The words that anchors are held against, as far as their spelling is known.
    pub(super) fn query(&self) -> Vec<String> {
        self.query.iter().filter_map(|word| self.spelled.get(word)).map(|w| w.to_string()).collect()
    }

    /// Takes note of the words of a page, and of what is wanted as it is seen now.
    pub(super) fn learn(
        &mut self,
        topic: &RelevanceModel,
        terms: &[Term],
        parameters: &TeamParameters,
    ) {
        // What is wanted changes slowly, and every change costs a look at all words anew.
        let mut changed = false;
        if self.pages.is_multiple_of(EVERY) {
            let strongest = topic.strongest(parameters.query_words);
            let mut query: Vec<Word> = strongest.into_iter().map(|(word, _)| word).collect();
            query.sort_unstable();
            changed = query != self.query;
            self.query = query;
        }
        self.pages += 1;
        let unknown: Vec<Word> =
            self.query.iter().copied().filter(|word| !self.spelled.contains_key(word)).collect();
        for term in terms.iter().filter(|_| !unknown.is_empty()) {
            let word = Word::of(&term.word);
            if unknown.contains(&word) {
                self.spelled.insert(word, term.word.as_str().into());
                changed = true;
            }
        }
        let Some(wordnet) = self.wordnet.as_ref().filter(|_| changed) else { return };
        let spelled = self.query.iter().filter_map(|word| self.spelled.get(word));
        self.meanings = spelled.map(|word| wordnet.meaning(word)).collect();
        self.close.clear();
        if self.spelled.len() > MAX_REMEMBERED {
            self.spelled.clear();
        }
    }

    /// The weight of an anchor (Du et al., eq. 3): 1 when it has a word of the topic, else the closeness of
    /// its nearest word. Of several words of the topic the nearest counts.
    pub(super) fn anchor(&mut self, anchor: &str, parameters: &TeamParameters) -> f32 {
        let mut best = parameters.anchor_floor.max(parameters.closeness.other);
        let folded = fold(anchor);
        for word in words(&folded) {
            let number = Word::of(word);
            if self.query.contains(&number) {
                return 1.0;
            }
            if self.wordnet.is_some() {
                best = best.max(self.closeness(number, word, parameters));
            }
        }
        best.min(1.0)
    }

    fn closeness(&mut self, number: Word, word: &str, parameters: &TeamParameters) -> f32 {
        if let Some(&close) = self.close.get(&number) {
            return close;
        }
        let Some(wordnet) = &self.wordnet else { return 0.0 };
        if self.known.len() >= MAX_REMEMBERED {
            self.known.clear();
        }
        let meaning = self.known.entry(number).or_insert_with(|| {
            match word.len() > 1 && !is_stop_word_anywhere(word) {
                true => wordnet.meaning(word),
                false => Meaning::default(),
            }
        });
        let of = |topic: &Meaning| parameters.closeness.of(wordnet.relation_of(meaning, topic));
        let close = match meaning.is_known() {
            true => self.meanings.iter().map(of).fold(0.0, f32::max),
            false => 0.0,
        };
        if self.close.len() >= MAX_REMEMBERED {
            self.close.clear();
        }
        self.close.insert(number, close);
        close
    }

    /// How well the concepts of an agent are found among those of the facilitator (Du et al., M).
    pub(super) fn likeness(
        &self,
        own: &Lattice,
        other: &Lattice,
        parameters: &TeamParameters,
    ) -> f32 {
        let closeness = parameters.closeness;
        let equal = |a: &str, b: &str| match a == b {
            true => closeness.of(Relation::Same),
            false => closeness.of(Relation::None),
        };
        let Some(wordnet) = &self.wordnet else {
            return similarity(own, other, parameters.extents, equal);
        };
        let meanings: HashMap<&str, Meaning> = own
            .context()
            .keywords()
            .iter()
            .chain(other.context().keywords())
            .map(|word| (word.as_str(), wordnet.meaning(word)))
            .collect();
        similarity(own, other, parameters.extents, |a, b| {
            match (meanings.get(a), meanings.get(b)) {
                (Some(one), Some(two)) if a != b => closeness.of(wordnet.relation_of(one, two)),
                _ => equal(a, b),
            }
        })
    }
}
