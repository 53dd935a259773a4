//! What is asked? Words, phrases, filters and operators, drawn from the pages themselves.

use lycosa_knowledge::analysis::{is_stop_word_anywhere, words};
use lycosa_knowledge::fold;
use lycosa_model::Lang;
use lycosa_model::message::Entry;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Most words of a query.
const MAX_WORDS: usize = 5;
/// Words at the beginning of a text that are drawn from.
const REACH: usize = 400;

/// What a query is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Title,
    Body,
    Phrase,
    Filter,
    Operator,
}

impl Shape {
    pub(crate) const ALL: [Shape; 5] =
        [Shape::Title, Shape::Body, Shape::Phrase, Shape::Filter, Shape::Operator];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Shape::Title => "words of a title",
            Shape::Body => "words of a text",
            Shape::Phrase => "phrases",
            Shape::Filter => "with a filter",
            Shape::Operator => "with operators",
        }
    }
}

/// A query and where it is from.
pub(crate) struct Asked {
    pub(crate) query: String,
    /// The words alone.
    pub(crate) words: String,
    pub(crate) shape: Shape,
    /// Language of the page that its words are from.
    pub(crate) lang: Option<Lang>,
}

/// Draws queries; equal seeds draw equal ones.
pub(crate) fn draw(pages: &[Entry], count: usize, seed: u64) -> Vec<Asked> {
    let mut dice = ChaCha8Rng::seed_from_u64(seed);
    let mut asked = Vec::with_capacity(count);
    while asked.len() < count {
        let page = &pages[dice.random_range(0..pages.len())];
        // Four in ten from titles, three from texts, one of each other kind.
        let shape = match dice.random_range(0..10) {
            0..4 => Shape::Title,
            4..7 => Shape::Body,
            7 => Shape::Phrase,
            8 => Shape::Filter,
            _ => Shape::Operator,
        };
        asked.extend(one(page, shape, &mut dice));
    }
    asked
}

fn one(page: &Entry, shape: Shape, dice: &mut ChaCha8Rng) -> Option<Asked> {
    let document = &page.document;
    let source = if shape == Shape::Title { &document.title } else { &document.text };
    let all: Vec<&str> = words(source).take(REACH).collect();
    let length = dice.random_range(1..=MAX_WORDS);
    let start = dice.random_range(0..=all.len().saturating_sub(length));
    let run: Vec<&str> = all.iter().skip(start).take(length).copied().collect();
    // Words that say something; a phrase keeps its small words.
    let is_telling = |word: &str| word.len() > 1 && !is_stop_word_anywhere(&fold(word));
    let telling: Vec<&str> = run.iter().copied().filter(|word| is_telling(word)).collect();
    let (first, rest) = telling.split_first()?;
    let plain = telling.join(" ");
    let query = match shape {
        Shape::Title | Shape::Body => plain.clone(),
        Shape::Phrase => format!("\"{}\"", run.join(" ")),
        Shape::Filter => match (dice.random_range(0..3), document.main_language()) {
            (0, Some(lang)) => format!("{plain} lang:{lang}"),
            (1, _) => format!("{plain} -site:nowhere.test"),
            _ => format!("{plain} site:{}", document.url.split('/').nth(2)?),
        },
        Shape::Operator => match dice.random_range(0..3) {
            0 => format!("{first} -xyzzyplugh {}", rest.join(" ")),
            1 => format!("({first} OR xyzzyplugh) {}", rest.join(" ")),
            _ => telling.join(" OR "),
        },
    };
    Some(Asked { query, words: plain, shape, lang: document.main_language() })
}
