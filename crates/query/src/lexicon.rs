//! How often does a word stand in the pages?

use lycosa_knowledge::analysis::{Analyser, words};
use lycosa_knowledge::fold;
use lycosa_model::message::LexiconRow;
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
    let term = Term::from_field_text(field, &row.folded);
    for segment in searcher.segment_readers() {
        let inverted = segment.inverted_index(field)?;
        let Some(mut postings) = inverted.read_postings(&term, IndexRecordOption::WithFreqs)?
        else {
            continue;
        };
        while postings.doc() != TERMINATED {
            if !segment.is_deleted(postings.doc()) {
                row.documents += 1;
                row.occurrences += u64::from(postings.term_freq());
            }
            postings.advance();
        }
    }
    Ok(row)
}
