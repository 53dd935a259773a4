//! Why is the score what it is? Its addends, word by word and field by field.

use crate::bm25f::{Lengths, Lists};
use crate::plan::Plan;
use crate::preferred::Preferred;
use crate::rank::Page;
use crate::sight::Sight;
use lycosa_knowledge::embedding::MEANING;
use lycosa_model::Explain;

/// The score of one page as a tree whose parts add up at every level.
pub(crate) fn explain(plan: &Plan, sight: Sight<'_>, page: &Page) -> tantivy::Result<Explain> {
    let number = page.address().segment_ord;
    let segment = sight.searcher.segment_reader(number);
    let lengths = Lengths::of(segment, sight.fields, sight.average)?;
    let length = lengths.page(page.address().doc_id);
    let leaf = |what: String, value: f32| Explain { what, value, parts: Vec::new() };
    let mut parts = Vec::new();
    for word in &plan.words {
        let mut lists = Lists::of(word, sight, number, segment)?;
        lists.seek(page.address().doc_id);
        if lists.doc() != page.address().doc_id {
            continue;
        }
        let shares = lists.shares(&lengths, length).into_iter();
        let mut shares: Vec<Explain> = shares
            .map(|(part, value)| leaf(format!("{} in {}", word.label, part.name()), value))
            .collect();
        let what = match &word.whole_title {
            Some(_) => "it is the title of the page".to_owned(),
            None => format!("{} covers a part of the question", word.label),
        };
        shares.push(leaf(what, word.presence));
        let value = shares.iter().map(|share| share.value).sum();
        parts.push(Explain { what: word.label.clone(), value, parts: shares });
    }
    let near = page.nearness;
    let prior = sight.known.of(segment).map(|joined| joined.prior(page.address().doc_id));
    let together = [("words near each other", near.near), ("words in order", near.sequence)];
    for (what, value) in together.into_iter().chain(prior.unwrap_or_default().parts()) {
        if value > 0.0 {
            parts.push(leaf(what.to_owned(), value));
        }
    }
    let factor = plan.preferred.factor(page.address());
    if factor != 1.0 {
        let sum: f32 = parts.iter().map(|part| part.value).sum();
        parts.push(leaf(Preferred::words(factor).to_owned(), (factor - 1.0) * sum));
    }
    if let Some(meaning) = page.meaning {
        parts.iter_mut().for_each(|part| scale(part, 1.0 - MEANING));
        parts.push(leaf("nearness in meaning".to_owned(), meaning));
    }
    Ok(Explain { what: "score".into(), value: page.scored.score, parts })
}

/// Makes a part, and all that it is made of, count so much.
fn scale(part: &mut Explain, by: f32) {
    part.value *= by;
    part.parts.iter_mut().for_each(|part| scale(part, by));
}
