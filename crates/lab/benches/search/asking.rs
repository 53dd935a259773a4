//! How much does an answer cost?

use crate::peer::Peer;
use crate::queries::{Asked, Shape, draw};
use crate::{Failure, Options, indexing};
use lycosa_lab::evaluation::percentile;
use lycosa_lab::studies::cpu;
use lycosa_model::SearchRequest;
use lycosa_model::message::Entry;
use lycosa_query::Searcher;
use tempfile::TempDir;

/// Results of a query.
const LIMIT: usize = 10;
/// Queries that are asked before the clock counts.
const WARMING: usize = 200;
/// Queries that may find nothing: a word that is cut otherwise in a query than in its text, or that only
/// stands in a part that is not indexed.
const EMPTY: f64 = 0.01;

/// Our index of all pages.
pub(crate) struct Ours {
    pub(crate) searcher: Searcher,
    _folder: TempDir,
}

impl Ours {
    pub(crate) fn build(pages: &[Entry]) -> Result<Ours, Failure> {
        let folder = tempfile::tempdir()?;
        indexing::ours(folder.path(), pages.to_vec())?;
        Ok(Ours { searcher: Searcher::open(folder.path())?, _folder: folder })
    }
}

fn request(query: &str) -> SearchRequest {
    SearchRequest { query: query.to_owned(), limit: LIMIT, ..SearchRequest::default() }
}

pub(crate) fn run(index: &Ours, pages: &[Entry], options: &Options) -> Result<(), Failure> {
    let asked = draw(pages, options.queries, options.seed);
    let folder = tempfile::tempdir()?;
    let peer = Peer::create(folder.path(), pages, true)?;
    peer.fill(pages)?;
    let theirs = peer.searcher()?;
    gate(&index.searcher, &asked)?;
    for asked in asked.iter().take(WARMING) {
        peer.ask(&theirs, &asked.words, asked.lang)?;
    }
    let (mut lycosa, mut tantivy) = (Vec::new(), Vec::new());
    for asked in &asked {
        let (answer, ms) = cpu::timed(|| index.searcher.search(&request(&asked.query)));
        answer?;
        lycosa.push(ms);
        let (answer, ms) = cpu::timed(|| peer.ask(&theirs, &asked.words, asked.lang));
        answer?;
        tantivy.push(ms);
    }
    println!("{} queries, ten results with snippets; CPU milliseconds", asked.len());
    println!("{:24} {:>7}  {:>7} {:>7} {:>7}", "", "queries", "median", "p99", "most");
    row("lycosa", &lycosa);
    for shape in Shape::ALL {
        let of = asked.iter().zip(&lycosa).filter(|(asked, _)| asked.shape == shape);
        row(&format!("  {}", shape.name()), &of.map(|(_, ms)| *ms).collect::<Vec<_>>());
    }
    row("tantivy, the words alone", &tantivy);
    let slowest = lycosa.iter().zip(&asked).max_by(|a, b| a.0.total_cmp(b.0));
    if let Some((ms, asked)) = slowest {
        println!("slowest: {ms:.2} ms, {}", asked.query);
    }
    Ok(())
}

fn row(name: &str, costs: &[f64]) {
    let at = |share| percentile(costs, share);
    let [median, late, most] = [at(0.5), at(0.99), at(1.0)];
    println!("{name:24} {:7}  {median:7.2} {late:7.2} {most:7.2}", costs.len());
}

/// Every query has an answer, and nearly all find something: their words stand in a page. It also warms.
fn gate(searcher: &Searcher, asked: &[Asked]) -> Result<(), Failure> {
    let mut empty = Vec::new();
    for asked in asked {
        if searcher.search(&request(&asked.query))?.results.is_empty() {
            empty.push(asked.query.as_str());
        }
    }
    println!("gate: {} of {} queries find something", asked.len() - empty.len(), asked.len());
    if empty.len() as f64 > EMPTY * asked.len() as f64 {
        return Err(format!("gate: {} find nothing, as {:?}", empty.len(), empty.first()).into());
    }
    Ok(())
}
