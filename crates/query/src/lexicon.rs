//! How often does a word stand in the pages?

use lycosa_knowledge::analysis::{Analyser, words};
use lycosa_knowledge::fold;
use lycosa_model::message::LexiconRow;
use lycosa_segments::counters;
use tantivy::postings::Postings;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet, Searcher, TERMINATED, Term};

/// The row of a word that no page has. Of several words only the first is looked up.
pub(crate) fn blank(asked: &str) -> LexiconRow {
    let plain = Analyser::for_language(None);
    let folded = words(asked).find_map(|word| plain.form(word));
    let folded = folded.unwrap_or_else(|| fold(asked));
    LexiconRow { word: asked.to_owned(), folded, documents: 0, occurrences: 0 }
}

/// The row of a word: pages that have it and occurrences in them. Replaced pages are not counted.
pub(crate) fn row(searcher: &Searcher, field: Field, asked: &str) -> tantivy::Result<LexiconRow> {
    let mut row = blank(asked);
    for segment in searcher.segment_readers() {
        let inverted = segment.inverted_index(field)?;
        for (place, (term, each)) in counters(&row.folded).enumerate() {
            let term = Term::from_field_text(field, &term);
            let postings = inverted.read_postings(&term, IndexRecordOption::WithFreqs)?;
            let Some(mut postings) = postings else { continue };
            while postings.doc() != TERMINATED {
                if !segment.is_deleted(postings.doc()) {
                    row.documents += u64::from(place == 0);
                    row.occurrences += u64::from(postings.term_freq()) * each;
                }
                postings.advance();
            }
        }
    }
    Ok(row)
}
