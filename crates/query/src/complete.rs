//! Which words begin so, and how may a query go on?

use lycosa_knowledge::analysis::word_indices;
use tantivy::Searcher;
use tantivy::schema::Field;

/// Words of one segment that are looked at. Those beyond are later in the alphabet.
const MAX_LOOKED_AT: usize = 20_000;
/// Letters that a word must have before it is completed.
const MIN_LETTERS: usize = 2;

/// The most frequent words of the lexicon that begin so, with the pages that have them; among equals the
/// first in the alphabet.
pub(crate) fn beginnings(
    searcher: &Searcher,
    words: Field,
    beginning: &str,
    count: usize,
) -> tantivy::Result<Vec<(String, u64)>> {
    most_frequent_from(searcher, words, beginning, count, MAX_LOOKED_AT)
}

/// The most frequent words of the lexicon. Looks at all of them.
pub(crate) fn most_frequent(
    searcher: &Searcher,
    words: Field,
    count: usize,
) -> tantivy::Result<Vec<(String, u64)>> {
    most_frequent_from(searcher, words, "", count, usize::MAX)
}

fn most_frequent_from(
    searcher: &Searcher,
    words: Field,
    beginning: &str,
    count: usize,
    most: usize,
) -> tantivy::Result<Vec<(String, u64)>> {
    let mut found = std::collections::BTreeMap::<String, u64>::new();
    for segment in searcher.segment_readers() {
        let inverted = segment.inverted_index(words)?;
        let range = inverted.terms().range().ge(beginning.as_bytes());
        let mut stream = range.into_stream()?;
        let mut looked_at = 0;
        while looked_at < most && stream.advance() {
            if !stream.key().starts_with(beginning.as_bytes()) {
                break;
            }
            looked_at += 1;
            // Digits of counts are terms that no word is: they hold control characters.
            if let Ok(word) = std::str::from_utf8(stream.key())
                && !word.contains(char::is_control)
            {
                *found.entry(word.to_owned()).or_default() += u64::from(stream.value().doc_freq);
            }
        }
    }
    let mut found: Vec<(String, u64)> = found.into_iter().collect();
    found.sort_by_key(|(_, pages)| std::cmp::Reverse(*pages));
    found.truncate(count);
    Ok(found)
}

/// The word that a query ends with and where it begins; `None` where nothing was begun.
pub(crate) fn begun(query: &str) -> Option<(usize, &str)> {
    let (at, word) = word_indices(query).last()?;
    let long_enough = word.chars().nth(MIN_LETTERS - 1).is_some();
    (long_enough && at + word.len() == query.len()).then_some((at, word))
}

#[cfg(test)]
mod tests {
    use super::begun;

    #[test]
    fn only_a_word_at_the_end_is_begun() {
        assert_eq!(begun("wolf spi"), Some((5, "spi")));
        assert_eq!(begun("-site:a.test \"the spi"), Some((18, "spi")));
        for none in ["", "wolf ", "wolf.", "w"] {
            assert_eq!(begun(none), None, "{none}");
        }
    }
}
