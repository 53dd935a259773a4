//! Which pages are asked for?

use crate::studies::StudyError;
use lycosa_knowledge::analysis::{is_stop_word, is_stop_word_anywhere, stop_words, words};
use lycosa_knowledge::fold;
use lycosa_model::{Lang, UrlId};
use lycosa_segments::for_each_document;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::path::Path;

/// Most pages that are drawn; they are held in memory.
pub const MAX_PAGES: usize = 10_000;
/// Informative words that a title must have.
const MIN_WORDS: usize = 2;
/// Letters that an informative word must have.
const MIN_LETTERS: usize = 2;

/// A page that was drawn.
pub(crate) struct Drawn {
    pub(crate) url_id: UrlId,
    pub(crate) url: String,
    pub(crate) title: String,
    pub(crate) text: String,
    /// Pages of the index with this very title, itself among them.
    pub(crate) same_title: usize,
}

/// What was drawn, and from how much.
pub(crate) struct Sample {
    pub(crate) pages: Vec<Drawn>,
    pub(crate) documents: usize,
    /// Documents that could have been drawn.
    pub(crate) candidates: usize,
}

/// Different words of a title that say something: at least two letters, and no stop word of the page's
/// language, or of any where that is unknown.
pub fn informative(title: &str, lang: Option<Lang>) -> usize {
    let is_stop = |folded: &str| match lang {
        Some(lang) => is_stop_word(stop_words(lang), folded),
        None => is_stop_word_anywhere(folded),
    };
    let said = |word: &str| {
        let folded = fold(word);
        let letters = folded.chars().filter(|letter| letter.is_alphabetic()).count();
        (letters >= MIN_LETTERS && !is_stop(&folded)).then_some(folded)
    };
    words(title).filter_map(said).collect::<BTreeSet<String>>().len()
}

/// Draws pages from an index. Equal seeds draw equal pages from equal documents, however they lie on
/// disk.
pub(crate) fn sample(data: &Path, pages: usize, seed: u64) -> Result<Sample, StudyError> {
    let pages = pages.min(MAX_PAGES);
    let mut lots: BTreeMap<(u64, UrlId), Drawn> = BTreeMap::new();
    let mut titles: HashMap<String, usize> = HashMap::new();
    let (mut documents, mut candidates) = (0, 0);
    for_each_document(data, |document| {
        documents += 1;
        *titles.entry(fold(document.title.trim())).or_default() += 1;
        if informative(&document.title, document.lang) < MIN_WORDS {
            return ControlFlow::Continue(());
        }
        candidates += 1;
        let key = (lot(document.url_id, seed), document.url_id);
        let last = lots.last_key_value().map(|(last, _)| *last);
        if lots.len() < pages || last.is_some_and(|last| key < last) {
            let (url, title, text) = (document.url, document.title, document.text);
            lots.insert(key, Drawn { url_id: document.url_id, url, title, text, same_title: 0 });
            if lots.len() > pages {
                lots.pop_last();
            }
        }
        ControlFlow::Continue(())
    })?;
    let counted = |mut page: Drawn| {
        page.same_title = titles.get(&fold(page.title.trim())).copied().unwrap_or(1);
        page
    };
    Ok(Sample { pages: lots.into_values().map(counted).collect(), documents, candidates })
}

/// The lot of a page: ids are digests already, so a mix with the seed is as good as a throw of dice.
fn lot(id: UrlId, seed: u64) -> u64 {
    let number = id.0.iter().take(8).fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte));
    let mixed = number ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
