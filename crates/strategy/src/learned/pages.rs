//! How relevant are the pages that were read, by what is known now, and what does that say of a link?

use super::LearnedParameters;
use super::evidence::Evidence;
use crate::PageView;
use crate::parents::Mean;
use lycosa_knowledge::{Bag, ByWord, RelevanceModel, Word};
use lycosa_model::UrlId;
use std::collections::HashMap;

/// Pages whose words are kept to be judged anew; of earlier ones the judgement stays.
const KEPT: usize = 5_000;

#[derive(Clone, Debug)]
struct Page {
    /// Nothing when it is not kept any more.
    bag: Bag,
    relevance: f32,
}

/// What the parents of a link say.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Prior {
    /// Their shrunk mean relevance.
    pub(super) mean: f32,
    /// That of the best.
    pub(super) most: f32,
    /// How many there are.
    pub(super) count: f32,
}

/// The pages that were read.
#[derive(Debug)]
pub(super) struct Pages {
    parameters: LearnedParameters,
    pages: Vec<Page>,
    numbers: HashMap<UrlId, u32>,
    usual: Mean,
    /// Of each word, the pages that have it and the sum of their relevance.
    mentions: ByWord<(f32, f32)>,
}

impl Pages {
    pub(super) fn new(parameters: LearnedParameters) -> Pages {
        Pages {
            parameters,
            pages: Vec::new(),
            numbers: HashMap::new(),
            usual: Mean::default(),
            mentions: ByWord::default(),
        }
    }

    pub(super) fn number(&self, url: UrlId) -> Option<u32> {
        self.numbers.get(&url).copied()
    }

    /// Takes in a page; tells its relevance.
    pub(super) fn add(&mut self, page: &PageView<'_>, relevance: f32) -> f32 {
        self.usual.add(relevance);
        mention(&mut self.mentions, page.bag, relevance);
        self.numbers.insert(page.url, self.pages.len() as u32);
        if let Some(old) = self.pages.len().checked_sub(KEPT) {
            self.pages[old].bag = Bag::default();
        }
        self.pages.push(Page { bag: page.bag.clone(), relevance });
        relevance
    }

    /// What the parents of a link say (SPEC 4.2).
    pub(super) fn prior(&self, evidence: &Evidence) -> Prior {
        let mut prior = Prior { count: evidence.parents.len() as f32, ..Prior::default() };
        let mut sum = 0.0;
        for page in evidence.parents.iter().filter_map(|parent| self.pages.get(*parent as usize)) {
            sum += page.relevance;
            prior.most = prior.most.max(page.relevance);
        }
        let kappa = self.parameters.kappa;
        prior.mean =
            (sum + kappa * self.usual.get()) / (prior.count + kappa).max(f32::MIN_POSITIVE);
        prior
    }

    /// How much better than usual are pages that mention these words? Rare words count more.
    pub(super) fn mention(&self, words: &[Word]) -> f32 {
        let (usual, pull) = (self.usual.get(), self.parameters.pull);
        let (mut sum, mut weights) = (0.0, 0.0);
        for word in words {
            let (count, relevance) = self.mentions.get(word).copied().unwrap_or_default();
            let weight = 1.0 / (2.0 + count).ln();
            sum += weight * ((relevance + pull * usual) / (count + pull) - usual);
            weights += weight;
        }
        if weights > 0.0 { sum / weights } else { 0.0 }
    }

    /// Judges all pages anew: with words as rare as they are now, and with the best pages among the examples.
    pub(super) fn judge(&mut self, topic: &RelevanceModel) {
        let parameters = &self.parameters;
        let first = self.pages.len().saturating_sub(KEPT);
        let mut order: Vec<usize> = (first..self.pages.len()).collect();
        order.sort_by(|a, b| {
            self.pages[*b].relevance.total_cmp(&self.pages[*a].relevance).then(a.cmp(b))
        });
        let best = (order.len() as f32 * parameters.best) as usize;
        order.truncate(best.min(parameters.most_best));
        let weight = parameters.feedback / order.len().max(1) as f32;
        let best = order.iter().map(|number| (&self.pages[*number].bag, weight));
        let profile = topic.profile_with(best.filter(|(_, weight)| *weight > 0.0));
        let mut usual = Mean::default();
        self.mentions.clear();
        for page in &mut self.pages {
            if !page.bag.is_empty() {
                page.relevance = topic.relevance_by(&profile, &page.bag);
                mention(&mut self.mentions, &page.bag, page.relevance);
            }
            usual.add(page.relevance);
        }
        self.usual = usual;
    }
}

fn mention(mentions: &mut ByWord<(f32, f32)>, page: &Bag, relevance: f32) {
    for (word, _) in page.iter() {
        let (count, sum) = mentions.entry(word).or_default();
        *count += 1.0;
        *sum += relevance;
    }
}
