//! What do the pages of an agent say? Their strongest words (the paper's DocPool), and the concept lattice
//! of pages and keywords.

use super::parameters::TeamParameters;
use crate::PageView;
use lycosa_knowledge::Word;
use lycosa_knowledge::lattice::{Context, Lattice, MAX_PAGES};
use lycosa_model::UrlId;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Words of a page with their TF-IDF.
pub(super) type Words = Arc<[(Box<str>, f32)]>;

/// The strongest words of a page.
pub(super) fn words_of(page: &PageView<'_>, parameters: &TeamParameters) -> Words {
    let weight = |word: &str, count: u32| {
        (1.0 + (count.max(1) as f32).ln()) * page.topic.rarity(Word::of(word))
    };
    // Of equal words the more frequent one, which stands first.
    let mut weighed: Vec<(f32, usize)> = page
        .terms
        .iter()
        .enumerate()
        .map(|(place, term)| (weight(&term.word, term.count), place))
        .collect();
    let order = |a: &(f32, usize), b: &(f32, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if parameters.page_words < weighed.len() {
        weighed.select_nth_unstable_by(parameters.page_words, order);
        weighed.truncate(parameters.page_words);
    }
    weighed.sort_unstable_by(order);
    weighed.into_iter().map(|(w, place)| (page.terms[place].word.as_str().into(), w)).collect()
}

/// Pages and their words, as many as a lattice has.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Documents {
    /// With what decides who stays: the time, or the relevance.
    pages: Vec<(f64, UrlId, Words)>,
}

impl Documents {
    /// Keeps a page unless there are enough that are worth more.
    pub(super) fn keep(&mut self, worth: f64, url: UrlId, words: Words) {
        if self.pages.len() < MAX_PAGES {
            self.pages.push((worth, url, words));
            return;
        }
        let least = self.pages.iter_mut().min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some(least) = least.filter(|least| least.0 < worth) {
            *least = (worth, url, words);
        }
    }

    /// Forgets a page; tells its words.
    pub(super) fn forget(&mut self, url: UrlId) -> Option<Words> {
        let place = self.pages.iter().position(|(_, of, _)| *of == url)?;
        Some(self.pages.swap_remove(place).2)
    }

    pub(super) fn words(&self, url: UrlId) -> Option<Words> {
        self.pages.iter().find(|(_, of, _)| *of == url).map(|(_, _, words)| words.clone())
    }

    /// The lattice of what is kept.
    pub(super) fn lattice(&self, parameters: &TeamParameters) -> Lattice {
        let names: Vec<String> = self.pages.iter().map(|(_, url, _)| url.to_string()).collect();
        let pages = names.iter().zip(&self.pages).map(|(name, (_, _, words))| {
            (name.as_str(), words.iter().map(|(word, weight)| (&**word, *weight)))
        });
        Lattice::new(Context::new(pages), parameters.concepts)
    }
}
