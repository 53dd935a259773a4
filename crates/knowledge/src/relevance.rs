//! How close is a page to what is wanted? Cosine of TF-IDF vectors, with document frequencies learned
//! from the pages of the crawl itself.

use crate::bag::{Bag, Word};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;

/// Words of a topic profile; more do not help and cost time on every page.
const PROFILE_WORDS: usize = 100;

/// Words that count against a page.
const WORDS_AGAINST: usize = 50;

/// The largest relevance: half as close again as an example. What is closer repeats the examples and is
/// no better for it.
pub const MOST_RELEVANT: f32 = 1.5;

/// A page of a topic that has no examples is expected to be as close to the words of the topic.
const USUAL: f32 = 0.2;

/// How much all pages together count that a person called bad; the words of the topic count 1, and so do all
/// examples together.
const AGAINST: f32 = -0.5;

/// Pages of each kind that are kept; of more, the oldest are forgotten.
const MOST_EXAMPLES: usize = 1_000;

/// Numbers of words are hashes already.
#[derive(Default)]
pub struct AsItIs(u64);

impl Hasher for AsItIs {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u32(&mut self, number: u32) {
        // The table looks at the upper and at the lower bits.
        self.0 = u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// A table by word.
pub type ByWord<T> = HashMap<Word, T, BuildHasherDefault<AsItIs>>;

/// The strongest words of a topic, with their weight times their rarity.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    weights: ByWord<f32>,
    norm: f32,
    /// The similarity that stands for relevance 1.
    reference: f32,
}

/// The topic, and what the crawl has taught about how common words are.
#[derive(Clone, Debug, Default)]
pub struct RelevanceModel {
    /// What a person said: words, and example pages.
    words: Bag,
    examples: Vec<Bag>,
    /// Pages that a person called bad.
    against: Vec<Bag>,
    profile: Profile,
    pages_with: ByWord<u32>,
    pages: u32,
    /// Pages after which the profile is made anew.
    due: u32,
}

impl RelevanceModel {
    /// A model for a topic in words and example pages, either of which may be empty. The words of the
    /// topic text count as much as all examples together.
    pub fn new(words: Bag, examples: Vec<Bag>) -> RelevanceModel {
        // A page without words is no example of anything.
        let examples = examples.into_iter().filter(|example| !example.is_empty()).collect();
        let mut model = RelevanceModel { words, examples, ..RelevanceModel::default() };
        model.refresh();
        model
    }

    /// Hears a person's verdict on a page: a good one is an example from now on, and what a bad one has more
    /// of than the examples counts against a page.
    pub fn hear(&mut self, page: Bag, good: bool) {
        let (pages, others) = match good {
            true => (&mut self.examples, &mut self.against),
            false => (&mut self.against, &mut self.examples),
        };
        // Whoever changes their mind is heard.
        others.retain(|other| *other != page);
        if page.is_empty() || pages.contains(&page) {
            return;
        }
        if pages.len() == MOST_EXAMPLES {
            pages.remove(0);
        }
        pages.push(page);
        self.refresh();
    }

    /// Whether there is a topic at all. Without one, every page has relevance zero.
    pub fn has_topic(&self) -> bool {
        !self.profile.weights.is_empty()
    }

    /// Counts the page into the document frequencies and tells its relevance: 0 is nothing in common,
    /// 1 is as close as the examples are to each other, [`MOST_RELEVANT`] is the most.
    pub fn read(&mut self, page: &Bag) -> f32 {
        if !self.has_topic() {
            return 0.0;
        }
        self.count(page);
        self.relevance(page)
    }

    /// Counts a page into the document frequencies.
    pub fn count(&mut self, page: &Bag) {
        self.pages = self.pages.saturating_add(1);
        // Only words of the topic and of few other pages matter; the table is bounded by the
        // vocabulary, which grows with the square root of the text (Heaps).
        for (word, _) in page.iter() {
            let count = self.pages_with.entry(word).or_default();
            *count = count.saturating_add(1);
        }
        if self.pages >= self.due {
            self.refresh();
        }
    }

    /// How many pages were counted, and how many of them have each word, by the words' numbers.
    pub fn common(&self) -> (u32, Vec<(u32, u32)>) {
        let mut words: Vec<(u32, u32)> =
            self.pages_with.iter().map(|(word, pages)| (word.0, *pages)).collect();
        words.sort_unstable();
        (self.pages, words)
    }

    /// Goes on with what [`RelevanceModel::common`] told.
    pub fn set_common(&mut self, (pages, words): (u32, Vec<(u32, u32)>)) {
        self.pages = pages;
        self.pages_with = words.into_iter().map(|(word, pages)| (Word(word), pages)).collect();
        self.refresh();
    }

    /// The relevance of a page that is not counted.
    pub fn relevance(&self, page: &Bag) -> f32 {
        self.relevance_by(&self.profile, page)
    }

    /// The relevance of a page by another profile, with words as rare as they are here.
    pub fn relevance_by(&self, profile: &Profile, page: &Bag) -> f32 {
        let similarity = self.similarity_by(profile, page);
        (similarity / profile.reference.max(f32::MIN_POSITIVE)).min(MOST_RELEVANT)
    }

    /// The cosine of a text and the topic, from 0 to 1.
    pub fn similarity(&self, text: &Bag) -> f32 {
        self.similarity_by(&self.profile, text)
    }

    /// The cosine of a text and a profile, from 0 to 1.
    pub fn similarity_by(&self, profile: &Profile, text: &Bag) -> f32 {
        let (mut dot, mut squares) = (0.0_f32, 0.0_f32);
        for (word, weight) in text.iter() {
            let weight = weight * self.rarity(word);
            squares += weight * weight;
            if let Some(wanted) = profile.weights.get(&word) {
                dot += weight * wanted;
            }
        }
        let norm = squares.sqrt() * profile.norm;
        if norm > 0.0 { (dot / norm).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// The strongest words of the topic, the strongest first.
    pub fn strongest(&self, count: usize) -> Vec<(Word, f32)> {
        let for_it = self.profile.weights.iter().filter(|(_, weight)| **weight > 0.0);
        let mut words: Vec<(Word, f32)> = for_it.map(|(word, weight)| (*word, *weight)).collect();
        words.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        words.truncate(count);
        words
    }

    /// Inverse document frequency, smoothed so that it is positive from the first page on.
    pub fn rarity(&self, word: Word) -> f32 {
        let with = self.pages_with.get(&word).copied().unwrap_or(0);
        logarithm(self.pages) - logarithm(with) + 1.0
    }

    /// Makes the profile anew, with words as rare as they are now.
    fn refresh(&mut self) {
        self.due = self.pages + (self.pages / 4).clamp(1, 100);
        self.profile = self.profile_with(std::iter::empty());
    }

    /// The profile of the topic and of further pages, each with its weight: 1 counts as much as all examples
    /// together, and less than 0 counts against it (Rocchio).
    pub fn profile_with<'a>(&'a self, pages: impl Iterator<Item = (&'a Bag, f32)>) -> Profile {
        let share = 1.0 / self.examples.len().max(1) as f32;
        let examples = self.examples.iter().map(|example| (example, share));
        let share = AGAINST / self.against.len().max(1) as f32;
        let against = self.against.iter().map(|page| (page, share));
        let known = std::iter::once((&self.words, 1.0)).chain(examples).chain(against);
        let mut parts: Vec<(Word, f32)> = Vec::new();
        for (page, part) in known.chain(pages) {
            let norm = self.norm(page);
            parts.extend(page.iter().map(|(word, weight)| (word, part * weight / norm)));
        }
        let centre = Bag::of(parts.into_iter());
        let mut profile = self.cut(&centre);
        profile.reference = self.usual_similarity(&centre, &profile);
        profile
    }

    /// The strongest words of a centre, and of those that count against it.
    fn cut(&self, centre: &Bag) -> Profile {
        let weighed = centre.iter().map(|(word, weight)| (word, weight * self.rarity(word)));
        let (mut ranked, mut against): (Vec<_>, Vec<_>) =
            weighed.filter(|(_, weight)| *weight != 0.0).partition(|(_, weight)| *weight > 0.0);
        let strongest = |a: &(Word, f32), b: &(Word, f32)| {
            b.1.abs().total_cmp(&a.1.abs()).then_with(|| a.0.cmp(&b.0))
        };
        ranked.sort_by(strongest);
        ranked.truncate(PROFILE_WORDS);
        against.sort_by(strongest);
        // Where nothing is wanted nothing counts against it.
        against.truncate(if ranked.is_empty() { 0 } else { WORDS_AGAINST });
        ranked.extend(against);
        let norm = ranked.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
        Profile { weights: ranked.into_iter().collect(), norm, reference: USUAL }
    }

    /// How close an example is to what the others and the words of the topic make together.
    fn usual_similarity(&self, centre: &Bag, profile: &Profile) -> f32 {
        if self.examples.len() < 2 {
            return USUAL;
        }
        let share = 1.0 / self.examples.len() as f32;
        let mut sum = 0.0;
        for example in &self.examples {
            let norm = self.norm(example);
            let own = example.iter().map(|(word, weight)| (word, -share * weight / norm));
            let rest = Bag::of(centre.iter().chain(own));
            let rest: Vec<(Word, f32)> = rest
                .iter()
                .filter(|(word, weight)| *weight > 1e-6 && profile.weights.contains_key(word))
                .map(|(word, weight)| (word, weight * self.rarity(word)))
                .collect();
            let norm = rest.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
            let rest = Profile { weights: rest.into_iter().collect(), norm, reference: USUAL };
            sum += self.similarity_by(&rest, example);
        }
        (sum * share).max(USUAL / 4.0)
    }

    fn norm(&self, bag: &Bag) -> f32 {
        let squares: f32 = bag.iter().map(|(word, w)| (w * self.rarity(word)).powi(2)).sum();
        squares.sqrt().max(f32::MIN_POSITIVE)
    }
}

/// Counts whose logarithm is looked up: it is asked for with every word of every page.
const LOOKED_UP: usize = 4_096;

/// The logarithm of one more than a count.
fn logarithm(count: u32) -> f32 {
    static TABLE: LazyLock<Vec<f32>> =
        LazyLock::new(|| (0..LOOKED_UP).map(|count| (1.0 + count as f32).ln()).collect());
    TABLE.get(count as usize).copied().unwrap_or_else(|| (1.0 + count as f32).ln())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(words: &str) -> Bag {
        Bag::of_words(words.split(' ').filter(|word| !word.is_empty()))
    }

    #[test]
    fn a_page_on_the_topic_is_closer_than_one_off_it() {
        let mut model = RelevanceModel::new(page("football cup"), Vec::new());
        let on = model.read(&page("football world cup final"));
        let off = model.read(&page("tomato soup with basil"));
        assert!(on > 0.4 && off == 0.0, "{on} {off}");
    }

    #[test]
    fn the_topic_itself_is_as_close_as_can_be() {
        let mut model = RelevanceModel::new(page("red wine"), Vec::new());
        let wine = page("red wine");
        assert!((model.read(&wine) - MOST_RELEVANT).abs() < 1e-6);
        assert!((model.similarity(&wine) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_word_on_every_page_counts_less_than_a_rare_one() {
        let mut model = RelevanceModel::new(page("page whale"), Vec::new());
        for _ in 0..50 {
            model.read(&page("page of something else"));
        }
        assert!(model.similarity(&page("whale song")) > model.similarity(&page("page song")));
    }

    #[test]
    fn the_strongest_words_come_first() {
        let model =
            RelevanceModel::new(page("whale whale sea"), vec![page("whale"), page("krill")]);
        let words: Vec<Word> = model.strongest(2).into_iter().map(|(word, _)| word).collect();
        assert_eq!(words.len(), 2);
        assert_eq!(words[0], Word::of("whale"));
        assert_eq!(RelevanceModel::default().strongest(2), []);
    }

    #[test]
    fn examples_make_a_topic_without_words() {
        let examples = vec![page("whale sea song"), page("whale krill")];
        let mut model = RelevanceModel::new(Bag::default(), examples);
        assert!(model.has_topic());
        assert!(model.read(&page("whale")) > model.read(&page("basil")));
        assert!(!RelevanceModel::new(Bag::default(), Vec::new()).has_topic());
    }

    #[test]
    fn a_verdict_moves_pages_like_the_one_it_is_about() {
        let mut model = RelevanceModel::new(page("jaguar"), Vec::new());
        let (cat, car) = (page("jaguar cat forest prey"), page("jaguar car engine wheel"));
        assert!((model.similarity(&cat) - model.similarity(&car)).abs() < 1e-6);
        model.hear(page("jaguar cat jungle prey"), true);
        assert!(model.similarity(&cat) > model.similarity(&car));
        let before = model.similarity(&car);
        model.hear(page("jaguar car engine race"), false);
        assert!(
            model.similarity(&cat) > model.similarity(&car) && model.similarity(&car) <= before
        );
        assert!(model.has_topic());
        // Also below what has nothing to do with either.
        let (bad, other) = (page("jaguar car race"), page("jaguar moon crater"));
        assert!(model.similarity(&bad) < model.similarity(&other));
        let wanted = model.strongest(100);
        assert!(
            !wanted.iter().any(|(word, _)| *word == Word::of("engine")),
            "nobody looks for that"
        );
    }

    #[test]
    fn the_same_verdict_twice_counts_once() {
        let mut model = RelevanceModel::new(page("whale"), vec![page("whale sea")]);
        model.hear(page("whale krill"), true);
        let once = model.relevance(&page("krill"));
        model.hear(page("whale krill"), true);
        assert!((model.relevance(&page("krill")) - once).abs() < 1e-6);
    }

    #[test]
    fn an_example_has_about_the_relevance_of_one() {
        let names = ["whale sea song blue", "whale sea krill fin", "whale sea song fin"];
        let examples: Vec<Bag> = names.iter().map(|words| page(words)).collect();
        let mut model = RelevanceModel::new(Bag::default(), examples);
        for _ in 0..20 {
            model.read(&page("tomato soup with basil"));
        }
        let like_them = model.read(&page("whale sea song dolphin"));
        assert!((0.7..=1.4).contains(&like_them), "{like_them}");
    }
}
