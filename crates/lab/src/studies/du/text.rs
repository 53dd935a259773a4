//! What do all three reports say?

use super::crawl::{LATENCY, MESSAGE};
use super::{Case, Ground};
use crate::evaluation::{Interval, bootstrap, mean};

/// A mean with its interval.
pub(super) fn shown(value: Interval, digits: usize) -> String {
    format!("{:.digits$} [{:.digits$}, {:.digits$}]", value.mean, value.low, value.high)
}

/// So many agents.
pub(super) fn agents(number: usize) -> String {
    if number == 1 { "1 agent".into() } else { format!("{number} agents") }
}

/// The mean of a column with its interval.
pub(super) fn interval(column: Vec<f64>, seed: u64) -> Interval {
    bootstrap(&[column], seed).first().copied().unwrap_or_default()
}

/// How it was measured.
pub(super) fn method(ground: &Ground<'_>, cases: &[Case]) -> String {
    format!(
        "Measured on {} topics of an archived web of {} pages. A page is relevant when people said so before any \
         crawl; crawlers see example pages and words, never the judgements. Crawls begin at seeds some links \
         away from the topic, and last one hour of virtual time: a fetch takes {} s and what its bytes need at \
         {} kB/s, so that five crawlers collect about as many pages as those of the paper; a message takes {} s. \
         WordNet was {}. A topic has {:.0} relevant pages on average, so when all are found and the crawl goes on, \
         precision falls whatever it does: read it beside the pages found. Intervals hold 95 % of 10,000 \
         bootstrap draws of the topics.\n",
        cases.len(),
        ground.web.pages.len(),
        LATENCY.base.as_secs(),
        LATENCY.bytes_per_second / 1_000,
        MESSAGE.as_secs(),
        if ground.wordnet.is_some() { "there" } else { "not there: only equal words are related" },
        mean(&cases.iter().map(|case| case.relevant.len() as f64).collect::<Vec<_>>())
    )
}

/// What is odd about the ground.
pub(super) fn warnings(ground: &Ground<'_>, cases: &[Case]) -> Vec<String> {
    let mut warnings = Vec::new();
    let left_out = ground.topics.len() - cases.len();
    if left_out > 0 {
        warnings.push(format!("{left_out} topics have no seed or no relevant page in this web"));
    }
    if ground.wordnet.is_none() {
        warnings.push("there is no WordNet: only equal words are related".into());
    }
    warnings
}
