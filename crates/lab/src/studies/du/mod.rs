//! Do agents that share links by contract crawl better? The tables and figures of Du, Xu and Wang on an
//! archived web, judged by people, beside the numbers of the paper.
//!
//! Time is virtual: a fetch takes so long that five crawlers collect about as many pages in an hour as
//! those of the paper did.

mod crawl;
mod figures;
mod paper;
mod table1;
mod table2;
mod text;

pub use figures::run as figures;
pub use table1::run as table1;
pub use table2::run as table2;

use super::parallel::in_parallel;
use super::{Progress, StudyError};
use crate::simulator::{ParsedWeb, Topic};
use lycosa_knowledge::RelevanceModel;
use lycosa_knowledge::wordnet::WordNet;
use std::collections::HashSet;
use std::sync::Arc;

/// What the studies are made on.
#[derive(Clone, Debug)]
pub struct Ground<'a> {
    /// The web.
    pub web: &'a ParsedWeb,
    /// What is looked for.
    pub topics: &'a [Topic],
    /// Relations between words, where there are some.
    pub wordnet: Option<Arc<WordNet>>,
    /// Agents, where others than those of the paper are wanted.
    pub agents: Option<usize>,
    /// Where chance begins.
    pub seed: u64,
}

/// A topic as a crawl needs it, and as the judge does.
struct Case {
    name: String,
    model: RelevanceModel,
    seeds: Vec<u32>,
    relevant: HashSet<u32>,
    /// What the crawler was shown; it counts neither way.
    examples: HashSet<u32>,
}

impl Ground<'_> {
    /// How many agents are studied: those of the paper, unless others are wanted.
    fn sizes(&self, papers: &[usize]) -> Vec<usize> {
        self.agents.map_or_else(|| papers.to_vec(), |agents| vec![agents])
    }

    /// The topics that can be crawled and judged.
    fn cases(&self) -> Result<Vec<Case>, StudyError> {
        let case = |topic: &Topic| Case {
            name: topic.topic.clone(),
            model: topic.model(self.web),
            seeds: match topic.seeds(self.web, true) {
                far if !far.is_empty() => far,
                _ => topic.seeds(self.web, false),
            },
            relevant: topic.relevant(self.web),
            examples: topic.examples.iter().filter_map(|url| self.web.find(url)).collect(),
        };
        let usable = |case: &Case| !case.seeds.is_empty() && !case.relevant.is_empty();
        let cases: Vec<Case> = self.topics.iter().map(case).filter(usable).collect();
        match cases.is_empty() {
            true => Err(StudyError::NotInTheWeb(
                "no topic has both a seed and a relevant page in this web".into(),
            )),
            false => Ok(cases),
        }
    }
}

/// Does all jobs and tells how many are done; results in the order of the jobs.
fn all<J: Sync, R: Send>(
    jobs: &[J],
    work: impl Fn(&J) -> R + Sync,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Vec<R> {
    in_parallel(jobs, work, &mut |done, of| progress(Progress { what: "crawling", done, of }))
}

#[cfg(test)]
mod tests;
