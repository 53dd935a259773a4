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

use super::{Progress, StudyError};
use crate::simulator::{ParsedWeb, Topic};
use lycosa_knowledge::RelevanceModel;
use lycosa_knowledge::wordnet::WordNet;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What the studies are made on.
#[derive(Clone, Debug)]
pub struct Ground<'a> {
    /// The web.
    pub web: &'a ParsedWeb,
    /// What is looked for.
    pub topics: &'a [Topic],
    /// Relations between words, where there are some.
    pub wordnet: Option<Arc<WordNet>>,
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
            true => Err(StudyError::TooLittle(
                "no topic has both a seed and a relevant page in this web".into(),
            )),
            false => Ok(cases),
        }
    }
}

/// Does all jobs, on two threads, and tells how many are done; results in the order of the jobs.
fn all<J: Sync, R: Send>(
    jobs: &[J],
    work: impl Fn(&J) -> R + Sync,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Vec<R> {
    const THREADS: usize = 2;
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(jobs.len()));
    std::thread::scope(|scope| {
        let (tell, told) = std::sync::mpsc::channel();
        for _ in 0..THREADS {
            let (tell, next, done, work) = (tell.clone(), &next, &done, &work);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(number) else { break };
                    let result = work(job);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((number, result));
                    // Nobody listens when the study was ended.
                    let _ = tell.send(());
                }
            });
        }
        drop(tell);
        for done in 1..=jobs.len() {
            if told.recv().is_err() {
                break;
            }
            progress(Progress { what: "crawling", done, of: jobs.len() });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests;
