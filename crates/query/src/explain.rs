//! Why is the score what it is? Its addends, word by word and field by field.

use crate::bm25f::{Average, Lengths, Lists};
use crate::plan::Plan;
use crate::rank::Page;
use lycosa_model::Explain;
use lycosa_segments::Fields;
use tantivy::Searcher;

/// The score of one page as a tree whose parts add up at every level.
pub(crate) fn explain(
    plan: &Plan,
    searcher: &Searcher,
    fields: &Fields,
    average: Average,
    page: &Page,
) -> tantivy::Result<Explain> {
    let segment = searcher.segment_reader(page.address.segment_ord);
    let lengths = Lengths::of(segment, fields, average)?;
    let length = lengths.page(page.address.doc_id);
    let leaf = |what: String, value: f32| Explain { what, value, parts: Vec::new() };
    let mut parts = Vec::new();
    for word in &plan.words {
        let mut lists = Lists::of(word, segment, fields)?;
        lists.seek(page.address.doc_id);
        if lists.doc() != page.address.doc_id {
            continue;
        }
        let shares = lists.shares(&lengths, length).into_iter();
        let mut shares: Vec<Explain> = shares
            .map(|(part, value)| leaf(format!("{} in {}", word.label, part.name()), value))
            .collect();
        shares.push(leaf(format!("{} covers a part of the question", word.label), word.presence));
        let value = shares.iter().map(|share| share.value).sum();
        parts.push(Explain { what: word.label.clone(), value, parts: shares });
    }
    let near = page.nearness;
    for (what, value) in [("words near each other", near.near), ("words in order", near.sequence)] {
        if value > 0.0 {
            parts.push(leaf(what.to_owned(), value));
        }
    }
    Ok(Explain { what: "score".into(), value: page.score, parts })
}
