//! Which strategy finds most of a topic, and what does it cost? All of them on all topics, from near and
//! from far, beside a random frontier and an oracle.

mod analysis;
mod cases;
mod cost;
mod measure;
mod plots;
mod report;

use super::{Outcome, Progress, StudyError};
use crate::simulator::{ParsedWeb, Topic};
use lycosa_knowledge::wordnet::WordNet;
use lycosa_strategy::Setup;
use std::collections::HashSet;
use std::sync::Arc;

/// What is compared, and where.
pub struct Field<'a> {
    /// The web.
    pub web: &'a ParsedWeb,
    /// What is looked for.
    pub topics: &'a [Topic],
    /// Fetches of each crawl.
    pub fetches: usize,
    /// Names of strategies; all when there are none. Those that the others are compared with always run.
    pub strategies: Vec<String>,
    /// Agents of those that have some; as many as they think right when nothing is said.
    pub agents: Option<usize>,
    /// Relations between words, for those that use them.
    pub wordnet: Option<Arc<WordNet>>,
    /// Where chance begins.
    pub seed: u64,
}

/// All that was measured.
struct Measured {
    cells: Vec<measure::Cell>,
    /// Of `learned` without parts.
    parts: Vec<measure::Cell>,
    /// Memory by the names of the systems.
    held: Vec<Option<f64>>,
}

/// Whether there are strategies of these names. The oracle is one here.
///
/// # Errors
/// With the first name that no strategy has.
pub fn check_names(names: &[String]) -> Result<(), StudyError> {
    measure::check_names(names, &Setup::default())
}

/// Runs the study. A strategy that does better than one which knows everything is a fault, and so is an
/// unknown name.
pub fn run(
    field: &Field<'_>,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Outcome, StudyError> {
    let systems = measure::systems(field)?;
    let cases = cases::cases(field)?;
    let held = cost::held(field, &cases, &systems);
    let mut tell = |done, of| progress(Progress { what: "crawling", done, of });
    let cells = measure::measure(field, &cases, &systems, &mut tell);
    report::check(&cases, &cells)?;
    let mut tell = |done, of| progress(Progress { what: "taking parts away", done, of });
    let parts = measure::without_parts(field, &cases, &mut tell);
    let mut outcome = report::outcome(field, &cases, &Measured { cells, parts, held });
    let known: HashSet<usize> = cases.iter().map(|case| case.topic).collect();
    let missing = field.topics.len() - known.len();
    if missing > 0 {
        outcome.warnings.push(format!("{missing} topics are not in this web and were left out"));
    }
    Ok(outcome)
}

#[cfg(test)]
mod tests;
