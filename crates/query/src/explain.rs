//! Why is the score what it is? Its addends, word by word and field by field.

use crate::plan::Plan;
use lycosa_model::Explain;
use tantivy::query::{EnableScoring, Query};
use tantivy::{DocAddress, DocSet, Searcher};

/// The score of one page as a tree whose parts add up at every level.
pub(crate) fn explain(plan: &Plan, searcher: &Searcher, page: DocAddress, score: f32) -> Explain {
    let words = plan.clauses.iter().filter_map(|clause| {
        let fields: Vec<Explain> = clause
            .parts
            .iter()
            .filter_map(|part| {
                // A part that cannot be scored was not scored before either.
                let value = score_of(&*part.query, searcher, page).ok()??;
                Some(Explain {
                    what: format!("{} in {}", clause.label, part.field),
                    value,
                    parts: Vec::new(),
                })
            })
            .collect();
        (!fields.is_empty()).then(|| Explain {
            what: clause.label.clone(),
            value: fields.iter().map(|field| field.value).sum(),
            parts: fields,
        })
    });
    Explain { what: "score".into(), value: score, parts: words.collect() }
}

/// What one query alone gives a page; `None` when the page does not match it. (tantivy's own `explain`
/// seeks backwards when the first match lies behind the page.)
fn score_of(
    query: &dyn Query,
    searcher: &Searcher,
    page: DocAddress,
) -> tantivy::Result<Option<f32>> {
    let weight = query.weight(EnableScoring::enabled_from_searcher(searcher))?;
    let mut scorer = weight.scorer(searcher.segment_reader(page.segment_ord), 1.0)?;
    let found = scorer.doc() <= page.doc_id && scorer.seek(page.doc_id) == page.doc_id;
    Ok(found.then(|| scorer.score()))
}
