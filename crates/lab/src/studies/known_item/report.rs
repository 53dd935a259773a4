//! How is it told? Shares with their intervals, and every page that was missed.

use super::{Found, LOOK, WITHIN};
use crate::evaluation::{Interval, bootstrap};
use crate::studies::Outcome;
use crate::studies::table::Table;
use std::fmt::Write as _;

/// Name of the study.
const STUDY: &str = "known-item";
/// Ranks up to which the share is told.
const RANKS: [usize; 3] = [1, WITHIN, 10];

pub(super) fn outcome(found: &[Found], documents: usize, candidates: usize, seed: u64) -> Outcome {
    let mut outcome = Outcome { study: STUDY, ..Outcome::default() };
    let within = |ranks: usize| -> Vec<f64> {
        let is_within = |found: &Found| found.rank.is_some_and(|rank| rank <= ranks);
        found.iter().map(|found| f64::from(u8::from(is_within(found)))).collect()
    };
    let reciprocal = found.iter().map(|found| found.rank.map_or(0.0, |rank| 1.0 / rank as f64));
    let mut columns: Vec<Vec<f64>> = RANKS.iter().map(|ranks| within(*ranks)).collect();
    columns.push(reciprocal.collect());
    let means = bootstrap(&columns, seed);
    let names = RANKS.iter().map(|rank| format!("within_{rank}")).chain(["mrr".to_owned()]);
    outcome.figure("documents", documents);
    outcome.figure("candidates", candidates);
    outcome.figure("pages", found.len());
    for (name, mean) in names.zip(&means) {
        outcome.figure(format!("{name}.interval"), vec![mean.low, mean.high]);
        outcome.figure(name, mean.mean);
    }
    let missed: Vec<&Found> =
        found.iter().filter(|found| found.rank.is_none_or(|rank| rank > WITHIN)).collect();
    outcome.figure("missed", missed.len());
    let reachable: f64 = found.iter().map(|found| found.reachable).sum();
    let reachable = reachable / found.len().max(1) as f64;
    outcome.figure("reachable", reachable);
    let crowded = found.iter().filter(|found| found.reachable < 1.0).count();
    outcome.figure("pages_whose_title_has_no_room", crowded);
    let shared = missed.iter().filter(|found| found.page.same_title > 1).count();
    outcome.figure("missed_with_a_shared_title", shared);
    // Those that the ranking itself has among the first: other pages of their site came before them.
    let hidden =
        missed.iter().filter(|found| found.plain.is_some_and(|rank| rank <= WITHIN)).count();
    outcome.figure("missed_by_the_share_of_a_site", hidden);
    let alone: Vec<&Found> = found.iter().filter(|found| found.page.same_title == 1).collect();
    let hits = alone.len() + shared - missed.len();
    outcome.figure("pages_with_a_title_of_their_own", alone.len());
    outcome.figure("within_3_with_a_title_of_their_own", hits as f64 / alone.len().max(1) as f64);
    let mut summary = summary(found.len(), documents, candidates, &means);
    let _ = writeln!(
        summary,
        "not within the first {WITHIN}: {}; of these {shared} with a title that other pages share, and {hidden} that \
         are there\nwhen nothing is folded and sites have no share.\n\
         within the first {WITHIN} of those whose title no other page has: {hits} of {}.\n\
         with a title of more different pages than fit into {WITHIN} results: {crowded}; whatever the order of \
         results,\nabout {:.1} % of all can be expected.",
        missed.len(),
        alone.len(),
        reachable * 100.0
    );
    let table = misses(&missed);
    outcome.text = match missed.is_empty() {
        true => summary.clone(),
        false => format!("{summary}\n{}", table.plain()),
    };
    outcome.file("known-item.md", markdown(&summary, &table, &missed));
    outcome.file("known-item.csv", every(found).csv());
    outcome
}

fn summary(pages: usize, documents: usize, candidates: usize, means: &[Interval]) -> String {
    let mut text = format!(
        "{pages} pages drawn from {candidates} of {documents} documents whose title has two informative \
         words,\neach asked for by the words of its title.\n"
    );
    for (ranks, share) in RANKS.iter().zip(means) {
        let [mean, low, high] = [share.mean, share.low, share.high].map(|part| part * 100.0);
        let _ = writeln!(text, "within the first {ranks:2}: {mean:5.1} % ({low:.1} to {high:.1})");
    }
    text
}

/// Why a page was missed, as far as it can be seen from outside.
fn why(found: &Found) -> String {
    let others = found.page.same_title.saturating_sub(1);
    match (&found.first, others) {
        (None, _) => "nothing was found".into(),
        (Some(_), 0) => "no other page has this title".into(),
        (Some(_), 1) => "1 other page has this title".into(),
        (Some(_), others) => format!("{others} other pages have this title"),
    }
}

fn rank(rank: Option<usize>) -> String {
    rank.map_or_else(|| format!("over {LOOK}"), |rank| rank.to_string())
}

fn misses(missed: &[&Found]) -> Table {
    let mut table = Table::new(&["rank", "plain", "title", "page", "first instead", "why"]);
    for found in missed {
        table.row(vec![
            rank(found.rank),
            rank(found.plain),
            found.page.title.clone(),
            found.page.url.clone(),
            found.first.as_ref().map(|(url, _)| url.clone()).unwrap_or_default(),
            why(found),
        ]);
    }
    table
}

fn markdown(summary: &str, table: &Table, missed: &[&Found]) -> String {
    let mut text = format!("# Is a page found by its title?\n\n```\n{summary}```\n");
    if !missed.is_empty() {
        let _ = write!(text, "\n## Missed\n\n{}", table.markdown());
    }
    text
}

fn every(found: &[Found]) -> Table {
    let mut table =
        Table::new(&["rank", "url", "title", "query", "same_title", "first_url", "first_title"]);
    for found in found {
        let (url, title) = found.first.clone().unwrap_or_default();
        table.row(vec![
            found.rank.map(|rank| rank.to_string()).unwrap_or_default(),
            found.page.url.clone(),
            found.page.title.clone(),
            found.query.clone(),
            found.page.same_title.to_string(),
            url,
            title,
        ]);
    }
    table
}
