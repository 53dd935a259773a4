//! How do strategies do? Crawls of all topics by all of them, in the simulator.

use super::Field;
use crate::simulator::{Oracle, Settings, Trail, simulate};
use crate::studies::parallel::in_parallel;
use crate::studies::{StudyError, cpu};
use lycosa_knowledge::RelevanceModel;
use lycosa_strategy::{AGENTS, NAMES, Setup, Strategy, by_name};
use std::collections::HashSet;

/// Points of a curve.
pub(super) const POINTS: usize = 50;

/// Crawls of each topic by a strategy that draws; their means count.
const REPLICATES: u64 = 3;

/// Which strategies draw.
const DRAW: [&str; 5] = ["random", "tag-path", "walkers", "infospiders", "learned"];

/// Those that every other one is compared with.
pub(super) const RANDOM: &str = "random";
pub(super) const BREADTH: &str = "breadth-first";
pub(super) const BEST: &str = "best-first";
pub(super) const MEAN: &str = "mean-of-parents";
pub(super) const LEARNED: &str = "learned";
pub(super) const ORACLE: &str = "oracle";

/// What comes before the name of a strategy that is given the topic of another one.
pub(super) const PERMUTED: &str = "wrong topic: ";

/// A topic as a crawl from one kind of seeds needs it.
pub(super) struct Case {
    /// Its number.
    pub(super) topic: usize,
    pub(super) far: bool,
    model: RelevanceModel,
    /// What the control is given instead.
    wrong: RelevanceModel,
    seeds: Vec<u32>,
    relevant: HashSet<u32>,
}

/// What one crawl came to.
#[derive(Clone, Debug, Default)]
pub(super) struct Crawled {
    /// Mean recall over all fetches.
    pub(super) area: f64,
    /// Recall after each part of the fetches.
    pub(super) recall: Vec<f64>,
    /// Relevant pages among all fetches so far, after each part.
    pub(super) harvest: Vec<f64>,
    /// Relevant pages.
    pub(super) found: f64,
    /// Fetches that gave no page.
    pub(super) failed: f64,
    pub(super) milliseconds_per_page: f64,
    pub(super) most_waiting: f64,
}

/// One strategy on all topics, from one kind of seeds.
pub(super) struct Cell {
    pub(super) name: String,
    pub(super) far: bool,
    /// In the order of the topics.
    pub(super) crawls: Vec<Crawled>,
}

/// The names of what runs, references first.
pub(super) fn systems(field: &Field<'_>) -> Result<Vec<String>, StudyError> {
    let references = [RANDOM, BREADTH, BEST, MEAN, LEARNED].map(str::to_owned);
    let mut names: Vec<String> = references.to_vec();
    let wanted: Vec<String> = match field.strategies.is_empty() {
        true => NAMES.iter().chain(&AGENTS).map(|name| name.replace(":N", ":256")).collect(),
        false => field.strategies.clone(),
    };
    for name in wanted {
        by_name(&name, &Setup::default()).map_err(StudyError::Strategy)?;
        if !names.contains(&name) {
            names.push(name);
        }
    }
    // With one topic there is no wrong one.
    if field.topics.len() > 1 {
        names.extend([BEST, MEAN, LEARNED].map(|name| format!("{PERMUTED}{name}")));
    }
    names.push(ORACLE.to_owned());
    Ok(names)
}

/// The topics that can be crawled and judged.
pub(super) fn cases(field: &Field<'_>) -> Result<Vec<Case>, StudyError> {
    let Field { web, topics, .. } = field;
    let mut cases = Vec::new();
    for far in [false, true] {
        for (number, topic) in topics.iter().enumerate() {
            let (seeds, relevant) = (topic.seeds(web, far), topic.relevant(web));
            if !seeds.is_empty() && !relevant.is_empty() {
                let wrong = &topics[(number + topics.len() / 2) % topics.len()];
                let (model, wrong) = (topic.model(web), wrong.model(web));
                cases.push(Case { topic: number, far, model, wrong, seeds, relevant });
            }
        }
    }
    match cases.is_empty() {
        true => {
            Err(StudyError::TooLittle("no topic has seeds and relevant pages in this web".into()))
        }
        false => Ok(cases),
    }
}

/// Crawls everything.
pub(super) fn measure(
    field: &Field<'_>,
    cases: &[Case],
    systems: &[String],
    progress: &mut dyn FnMut(usize, usize),
) -> Vec<Cell> {
    let mut jobs = Vec::new();
    for name in systems {
        jobs.extend(cases.iter().map(|case| (name.as_str(), case)));
    }
    let mut crawls =
        in_parallel(&jobs, |(name, case)| crawl(field, name, case), progress).into_iter();
    let mut cells = Vec::new();
    for name in systems {
        let of_name: Vec<(bool, Crawled)> =
            cases.iter().map(|case| case.far).zip(crawls.by_ref()).collect();
        for far in [false, true] {
            let own = of_name.iter().filter(|(of, _)| *of == far);
            let crawls: Vec<Crawled> = own.map(|(_, crawled)| crawled.clone()).collect();
            if !crawls.is_empty() {
                cells.push(Cell { name: name.clone(), far, crawls });
            }
        }
    }
    cells
}

fn crawl(field: &Field<'_>, name: &str, case: &Case) -> Crawled {
    let draws = DRAW.iter().any(|drawing| name.starts_with(drawing));
    let replicates = if draws { REPLICATES } else { 1 };
    let runs: Vec<Crawled> = (0..replicates).map(|run| once(field, name, case, run)).collect();
    let mean = |of: fn(&Crawled) -> f64| runs.iter().map(of).sum::<f64>() / runs.len() as f64;
    let curve = |of: fn(&Crawled) -> &Vec<f64>| {
        let at = |point| runs.iter().map(|run| of(run)[point]).sum::<f64>() / runs.len() as f64;
        (0..POINTS).map(at).collect()
    };
    Crawled {
        area: mean(|run| run.area),
        recall: curve(|run| &run.recall),
        harvest: curve(|run| &run.harvest),
        found: mean(|run| run.found),
        failed: mean(|run| run.failed),
        milliseconds_per_page: mean(|run| run.milliseconds_per_page),
        most_waiting: mean(|run| run.most_waiting),
    }
}

fn once(field: &Field<'_>, name: &str, case: &Case, run: u64) -> Crawled {
    let (plain, model) = match name.strip_prefix(PERMUTED) {
        Some(plain) => (plain, case.wrong.clone()),
        None => (name, case.model.clone()),
    };
    let setup = Setup {
        strict: true,
        seed: field.seed.wrapping_add(run),
        wordnet: field.wordnet.clone(),
        ..Setup::default()
    };
    let known: Option<Box<dyn Strategy>> = match plain {
        ORACLE => Some(Box::new(Oracle::new(field.web, &case.relevant))),
        name => by_name(name, &setup).ok(),
    };
    // Names were looked up before.
    let Some(mut strategy) = known else { return Crawled::default() };
    let settings = Settings { fetches: field.fetches, ..Settings::default() };
    let (trail, milliseconds) =
        cpu::timed(|| simulate(field.web, model, &mut *strategy, &case.seeds, &settings));
    judge(field, case, &trail, milliseconds)
}

/// The judge: what people say is relevant, which no strategy was told.
fn judge(field: &Field<'_>, case: &Case, trail: &Trail, milliseconds: f64) -> Crawled {
    let mut crawled = Crawled {
        milliseconds_per_page: milliseconds / trail.fetches.len().max(1) as f64,
        most_waiting: trail.most_waiting as f64,
        ..Crawled::default()
    };
    let (mut found, mut point) = (0_usize, 1);
    for fetch in 1..=field.fetches {
        if let Some(now) = trail.fetches.get(fetch - 1) {
            found += usize::from(case.relevant.contains(&now.target));
            crawled.failed += f64::from(u8::from(!now.outcome.is_success()));
        }
        let recall = found as f64 / case.relevant.len() as f64;
        crawled.area += recall / field.fetches as f64;
        while point <= POINTS && fetch * POINTS >= point * field.fetches {
            crawled.recall.push(recall);
            crawled.harvest.push(found as f64 / fetch as f64);
            point += 1;
        }
    }
    crawled.found = found as f64;
    crawled
}
