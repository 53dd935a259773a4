//! Do more walkers see a web sooner, and how many live? Figure 1 of Wack, Bakhouya and Gaber on the link
//! graph of an archive: rounds and hops until every page of a ball was seen, for one walker, five, a
//! population that pheromone regulates, and one that regulates itself without thresholds.

mod graph;
mod measure;
mod plots;
mod report;
mod tables;

use super::{Outcome, Progress, StudyError};
use crate::simulator::ParsedWeb;
use graph::LinkGraph;
use measure::{Balls, Ways};

/// Pages of the balls.
const SIZES: [usize; 6] = [100, 200, 400, 800, 1_600, 3_200];

/// Walks on the pages of a web. Sizes that it is too small for are left out, with a warning.
pub fn run(
    web: &ParsedWeb,
    seed: u64,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Outcome, StudyError> {
    study(&LinkGraph::of(web), &SIZES, seed, progress)
}

fn study(
    graph: &LinkGraph,
    sizes: &[usize],
    seed: u64,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Outcome, StudyError> {
    let mut balls: Vec<Balls> = Vec::new();
    let mut warnings = Vec::new();
    for ways in Ways::ALL {
        // The largest size that there is room for decides which centres are possible.
        let fitting = (1..=sizes.len()).rev().map(|count| &sizes[..count]);
        let mut drawn = fitting.map(|sizes| Balls::draw(graph, ways, sizes, seed));
        let found = drawn.find(|drawn| drawn.iter().all(|balls| !balls.balls.is_empty()));
        let found = found.unwrap_or_default();
        if found.len() < sizes.len() {
            let most = found.last().map_or(0, |balls| balls.pages);
            warnings.push(format!(
                "{}: no page reaches more than {most} others of the sizes asked for",
                ways.name()
            ));
        }
        balls.extend(found);
    }
    if balls.is_empty() {
        let pages = graph.links.len();
        return Err(StudyError::TooLittle(format!("{pages} pages are too few for a walk")));
    }
    let mut tell = |done, of| progress(Progress { what: "walking", done, of });
    let cells = measure::measure(&balls, seed, &mut tell);
    let mut outcome = report::outcome(graph, &balls, &cells, seed);
    outcome.warnings.extend(warnings);
    Ok(outcome)
}

#[cfg(test)]
mod tests;
