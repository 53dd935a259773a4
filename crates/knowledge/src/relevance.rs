//! How close is a page to what is wanted? Cosine of TF-IDF vectors, with document frequencies learned
//! from the pages of the crawl itself.

use lycosa_model::Term;
use std::collections::{BTreeMap, HashMap};

/// Words of a topic profile; more do not help and cost time on every page.
const PROFILE_WORDS: usize = 100;

/// The topic, and what the crawl has taught about how common words are.
#[derive(Clone, Debug, Default)]
pub struct RelevanceModel {
    topic: BTreeMap<String, f32>,
    pages_with: HashMap<String, u32>,
    pages: u32,
}

impl RelevanceModel {
    /// A model for a topic in words and example pages, either of which may be empty. The words of the
    /// topic text count as much as all examples together.
    pub fn new(topic: &[Term], examples: &[Vec<Term>]) -> RelevanceModel {
        let mut weights: BTreeMap<String, f32> = BTreeMap::new();
        for term in topic {
            *weights.entry(term.word.clone()).or_default() += damped(term.count);
        }
        let share = 1.0 / examples.len().max(1) as f32;
        for term in examples.iter().flatten() {
            *weights.entry(term.word.clone()).or_default() += share * damped(term.count);
        }
        let mut ranked: Vec<_> = weights.into_iter().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        ranked.truncate(PROFILE_WORDS);
        RelevanceModel { topic: ranked.into_iter().collect(), ..RelevanceModel::default() }
    }

    /// Whether there is a topic at all. Without one, every page has relevance zero.
    pub fn has_topic(&self) -> bool {
        !self.topic.is_empty()
    }

    /// Counts the page into the document frequencies and tells its relevance, from 0 to 1.
    pub fn read(&mut self, terms: &[Term]) -> f32 {
        if !self.has_topic() {
            return 0.0;
        }
        self.pages = self.pages.saturating_add(1);
        for term in terms {
            // Only words of the topic and of few other pages matter; the table is bounded by the
            // vocabulary, which grows with the square root of the text (Heaps).
            match self.pages_with.get_mut(&term.word) {
                Some(count) => *count = count.saturating_add(1),
                None => {
                    self.pages_with.insert(term.word.clone(), 1);
                }
            }
        }
        self.similarity(terms)
    }

    fn similarity(&self, terms: &[Term]) -> f32 {
        let (mut dot, mut page_norm) = (0.0_f32, 0.0_f32);
        for term in terms {
            let rarity = self.rarity(&term.word);
            let weight = damped(term.count) * rarity;
            page_norm += weight * weight;
            if let Some(wanted) = self.topic.get(&term.word) {
                dot += weight * wanted * rarity;
            }
        }
        let topic_norm: f32 =
            self.topic.iter().map(|(word, weight)| (weight * self.rarity(word)).powi(2)).sum();
        let norm = (page_norm * topic_norm).sqrt();
        if norm > 0.0 { (dot / norm).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Inverse document frequency, smoothed so that it is positive from the first page on.
    fn rarity(&self, word: &str) -> f32 {
        let with = self.pages_with.get(word).copied().unwrap_or(0);
        ((1.0 + self.pages as f32) / (1.0 + with as f32)).ln() + 1.0
    }
}

fn damped(count: u32) -> f32 {
    1.0 + (count.max(1) as f32).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(words: &str) -> Vec<Term> {
        words.split(' ').map(|word| Term { word: word.into(), count: 1 }).collect()
    }

    #[test]
    fn a_page_on_the_topic_is_closer_than_one_off_it() {
        let mut model = RelevanceModel::new(&page("football cup"), &[]);
        let on = model.read(&page("football world cup final"));
        let off = model.read(&page("tomato soup with basil"));
        assert!(on > 0.4 && off == 0.0, "{on} {off}");
    }

    #[test]
    fn the_topic_itself_has_relevance_one() {
        let mut model = RelevanceModel::new(&page("red wine"), &[]);
        assert!((model.read(&page("red wine")) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_word_on_every_page_counts_less_than_a_rare_one() {
        let mut model = RelevanceModel::new(&page("page whale"), &[]);
        for _ in 0..50 {
            model.read(&page("page of something else"));
        }
        assert!(model.read(&page("whale song")) > model.read(&page("page song")));
    }

    #[test]
    fn examples_make_a_topic_without_words() {
        let mut model = RelevanceModel::new(&[], &[page("whale sea song"), page("whale krill")]);
        assert!(model.has_topic());
        assert!(model.read(&page("whale")) > model.read(&page("basil")));
        assert!(!RelevanceModel::new(&[], &[]).has_topic());
    }
}
