//! Do adaptive spiders find more than a queue does? InfoSpiders in both forms beside best-first, the other
//! crawler of MySpiders, and others; what latency cost, learning and new keywords add; and how many live.

mod measure;
mod report;

use super::{Outcome, Progress, StudyError};
use crate::simulator::{ParsedWeb, Topic};

/// Crawls the topics that the web has. Those that it lacks are left out, with a warning.
pub fn run(
    web: &ParsedWeb,
    topics: &[Topic],
    seed: u64,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Outcome, StudyError> {
    let has =
        |topic: &&Topic| !topic.relevant(web).is_empty() && !topic.seeds(web, true).is_empty();
    let known: Vec<Topic> = topics.iter().filter(has).cloned().collect();
    if known.is_empty() {
        let message = "no topic has start pages and relevant pages in this web".to_owned();
        return Err(StudyError::NotInTheWeb(message));
    }
    let timeout = measure::timeout(web);
    let systems = measure::systems(timeout);
    let mut tell = |done, of| progress(Progress { what: "crawling", done, of });
    let cells = measure::measure(web, &known, &systems, seed, &mut tell);
    let mut outcome = report::outcome(&known, &cells, timeout, seed);
    if known.len() < topics.len() {
        let missing = topics.len() - known.len();
        outcome.warnings.push(format!("{missing} topics are not in this web and were left out"));
    }
    Ok(outcome)
}

#[cfg(test)]
mod tests;
