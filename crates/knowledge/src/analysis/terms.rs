//! Which words say most about a text? Its frequent words, for relevance models.

use super::{is_stop_word_anywhere, words};
use crate::fold::fold_into;
use lycosa_model::Term;
use std::collections::HashMap;

/// Letters of the shortest word that is a term.
const MIN_TERM: usize = 2;

/// Words of a page that say what it is about; the rest says little and costs bytes to send. With 200 of
/// them a focused crawl finds a little less, with 1,000 no more.
const PAGE_TERMS: usize = 500;

/// The words of a page that say most about it.
pub fn terms_of_page(title: &str, text: &str) -> Vec<Term> {
    terms(&format!("{title}\n{text}"), PAGE_TERMS)
}

/// The `limit` most frequent words of a text in folded form, without the stop words of any language and
/// without single letters. Most frequent first; equal counts in the order of the alphabet, so that the
/// same text always gives the same list.
pub fn terms(text: &str, limit: usize) -> Vec<Term> {
    let mut counts: HashMap<String, u32> = HashMap::new();
    let mut folded = String::new();
    for word in words(text) {
        folded.clear();
        fold_into(word, &mut folded);
        if let Some(count) = counts.get_mut(folded.as_str()) {
            *count = count.saturating_add(1);
        } else if folded.chars().nth(MIN_TERM - 1).is_some() && !is_stop_word_anywhere(&folded) {
            counts.insert(folded.clone(), 1);
        }
    }
    let mut terms: Vec<Term> =
        counts.into_iter().map(|(word, count)| Term { word, count }).collect();
    terms.sort_unstable_by(|a, b| b.count.cmp(&a.count).then_with(|| a.word.cmp(&b.word)));
    terms.truncate(limit);
    terms
}
