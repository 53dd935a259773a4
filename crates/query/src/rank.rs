//! Which pages come first?
//!
//! Pages with every word are asked for first. When there are fewer than [`ENOUGH`] of them, pages with any
//! of the words are taken, ranked by the same sum: long questions would find nothing otherwise. The
//! choice does not depend on the page of results that is asked for, so paging is stable.

use crate::duplicates::fold_duplicates;
use crate::plan::Plan;
use lycosa_segments::Fields;
use tantivy::collector::sort_key::{SortBySimilarityScore, SortByStaticFastValue};
use tantivy::collector::{Count, TopDocs};
use tantivy::columnar::Column;
use tantivy::query::Query;
use tantivy::{DocAddress, Order, Searcher};

/// Pages with every word that make looser matches unnecessary.
const ENOUGH: usize = 10;
/// Candidates beyond those that are shown, for near-duplicates that fall out.
const SPARE: usize = 32;
/// Candidates that are ever looked at.
const MAX_CANDIDATES: usize = 2_200;

/// A page and its score.
pub(crate) type Scored = (f32, DocAddress);

/// Ranked pages, near-duplicates folded.
pub(crate) struct Ranking {
    /// Pages that match.
    pub(crate) total: usize,
    /// The best ones, each with its near-duplicates.
    pub(crate) groups: Vec<(Scored, Vec<DocAddress>)>,
}

/// The query to use, and how many pages match it.
pub(crate) fn choose(plan: &Plan, searcher: &Searcher) -> tantivy::Result<(Box<dyn Query>, usize)> {
    let strict = plan.query(false);
    let total = searcher.search(&strict, &Count)?;
    if total >= ENOUGH || !plan.can_relax() {
        return Ok((strict, total));
    }
    let loose = plan.query(true);
    let total = searcher.search(&loose, &Count)?;
    Ok((loose, total))
}

/// The first `count` pages. Equal scores are ordered by URL id, so that the order does not depend on how
/// the index was built.
pub(crate) fn top(
    query: &dyn Query,
    searcher: &Searcher,
    fields: &Fields,
    count: usize,
) -> tantivy::Result<Vec<Scored>> {
    let tie = searcher.schema().get_field_name(fields.tie);
    let by_tie = SortByStaticFastValue::<u64>::for_field(tie);
    let order = ((SortBySimilarityScore, Order::Desc), (by_tie, Order::Asc));
    let found = searcher.search(query, &TopDocs::with_limit(count.max(1)).order_by(order))?;
    Ok(found.into_iter().map(|((score, _), page)| (score, page)).collect())
}

/// The first `need` results after folding.
pub(crate) fn rank(
    plan: &Plan,
    searcher: &Searcher,
    fields: &Fields,
    need: usize,
) -> tantivy::Result<Ranking> {
    let (query, total) = choose(plan, searcher)?;
    if total == 0 || need == 0 {
        return Ok(Ranking { total, groups: Vec::new() });
    }
    let simhash = searcher.schema().get_field_name(fields.simhash);
    let mut columns: Vec<Column<u64>> = Vec::new();
    for segment in searcher.segment_readers() {
        columns.push(segment.fast_fields().u64(simhash)?);
    }
    let hash = |page: &DocAddress| columns[page.segment_ord as usize].first(page.doc_id);
    let mut take = (need + SPARE).min(MAX_CANDIDATES);
    loop {
        let pages = top(&*query, searcher, fields, take)?;
        let hashes: Vec<Option<u64>> = pages.iter().map(|(_, page)| hash(page)).collect();
        let folded = fold_duplicates(&hashes);
        if folded.len() >= need || pages.len() < take || take == MAX_CANDIDATES {
            let groups = folded.into_iter().map(|(place, others)| {
                let others = others.into_iter().map(|other| pages[other].1).collect();
                (pages[place], others)
            });
            return Ok(Ranking { total, groups: groups.collect() });
        }
        take = (take * 2).min(MAX_CANDIDATES);
    }
}
