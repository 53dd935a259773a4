//! Is a page found by somebody who remembers its title? Pages are drawn from an index, and each is asked for
//! by the words of its title.

mod reach;
mod report;
mod sample;

pub use sample::{MAX_PAGES, informative};

use super::{Outcome, Progress, StudyError};
use lycosa_knowledge::analysis::words;
use lycosa_knowledge::fold;
use lycosa_model::{Hit, SearchRequest};
use lycosa_query::Searcher;
use sample::{Drawn, sample};
use std::collections::BTreeSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::path::Path;

/// Results among which a page has to be.
pub const WITHIN: usize = 3;
/// Results that are looked at, to say how far away a page is that was missed.
const LOOK: usize = 100;
/// Words in a row that are compared of two texts.
const SHINGLE: usize = 3;
/// Share of those of both texts together that near-duplicates have in common.
const NEAR: f64 = 0.8;

/// How one page was found.
pub(crate) struct Found {
    pub(crate) page: Drawn,
    /// What was asked.
    pub(crate) query: String,
    /// Where the page, or a near-duplicate, stands; counts from 1.
    pub(crate) rank: Option<usize>,
    /// Where it stands when nothing is folded and no site has only its share; of pages that were missed.
    pub(crate) plain: Option<usize>,
    /// The best result: address and title.
    pub(crate) first: Option<(String, String)>,
    /// What any order of results could reach for a page of its title, from 0 to 1.
    pub(crate) reachable: f64,
}

/// Draws `pages` pages and asks for each of them.
pub fn run(
    data: &Path,
    pages: usize,
    seed: u64,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Outcome, StudyError> {
    let searcher = Searcher::open(data)?;
    progress(Progress { what: "drawing pages", done: 0, of: pages });
    let drawn = sample(data, pages, seed)?;
    let (of, candidates) = (drawn.pages.len(), drawn.candidates);
    let reachable = reach::reachable(data, &drawn.pages)?;
    if of == 0 {
        return Err(StudyError::TooLittle(format!(
            "none of the {} documents has a title of two informative words",
            drawn.documents
        )));
    }
    let mut found = Vec::new();
    for (done, (page, reachable)) in drawn.pages.into_iter().zip(reachable).enumerate() {
        progress(Progress { what: "asking for pages by their titles", done, of });
        found.push(Found { reachable, ..ask(&searcher, page)? });
    }
    Ok(report::outcome(&found, drawn.documents, candidates, seed))
}

/// Asks for a page by the words of its title: without punctuation, which could be read as an operator.
fn ask(searcher: &Searcher, page: Drawn) -> Result<Found, StudyError> {
    let query = words(&page.title).collect::<Vec<_>>().join(" ");
    let request = |limit| SearchRequest { query: query.clone(), limit, ..SearchRequest::default() };
    let mut results = searcher.search(&request(WITHIN))?.results;
    let mut rank = place(searcher, &page, &results)?;
    let mut plain = None;
    if rank.is_none() {
        results = searcher.search(&request(LOOK))?.results;
        rank = place(searcher, &page, &results)?;
        let ranked = searcher.rank(&request(LOOK), LOOK)?;
        plain = ranked.iter().position(|other| other.url_id == page.url_id).map(|at| at + 1);
    }
    let first = results.into_iter().next().map(|hit| (hit.url, hit.title));
    Ok(Found { page, query, rank, plain, first, reachable: 1.0 })
}

/// Where the page stands among the results, or one that is nearly the same.
fn place(searcher: &Searcher, page: &Drawn, results: &[Hit]) -> Result<Option<usize>, StudyError> {
    for (place, hit) in results.iter().enumerate() {
        let itself = hit.url_id == page.url_id || hit.also_at.contains(&page.url);
        if itself || is_twin(searcher, page, hit)? {
            return Ok(Some(place + 1));
        }
    }
    Ok(None)
}

/// Whether a result has the same title as the page, and nearly the same text.
fn is_twin(searcher: &Searcher, page: &Drawn, hit: &Hit) -> Result<bool, StudyError> {
    if fold(hit.title.trim()) != fold(page.title.trim()) {
        return Ok(false);
    }
    let other = searcher.document_by_id(hit.url_id)?;
    Ok(other.is_some_and(|other| alike(&page.text, &other.text) >= NEAR))
}

/// Runs of words of a text, by a number for each.
type Runs = BTreeSet<u64>;

fn runs(text: &str) -> Runs {
    let words: Vec<String> = words(text).map(fold).collect();
    words
        .windows(SHINGLE.min(words.len().max(1)))
        .map(|run| BuildHasherDefault::<DefaultHasher>::default().hash_one(run))
        .collect()
}

/// Share of the runs of words of two texts that both have, from 0 to 1.
fn alike(one: &str, two: &str) -> f64 {
    share(&runs(one), &runs(two))
}

/// Share of all runs that both have, from 0 to 1 (Jaccard).
fn share(one: &Runs, two: &Runs) -> f64 {
    let both = one.intersection(two).count();
    let all = one.len() + two.len() - both;
    if all == 0 { 1.0 } else { both as f64 / all as f64 }
}

#[cfg(test)]
mod tests;
