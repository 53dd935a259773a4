//! How do strategies do? Crawls of all topics by all of them, in the simulator.

use super::Field;
use super::cases::Case;
use crate::simulator::{Oracle, Settings, Trail, simulate};
use crate::studies::parallel::in_parallel;
use crate::studies::{StudyError, cpu};
use lycosa_strategy::{AGENTS, LearnedParameters, NAMES, Setup, Strategy, blind, by_name};
use std::collections::HashSet;

/// Points of a curve.
pub(super) const POINTS: usize = 50;

/// Fetches after which recall is told.
pub(super) const CHECKPOINTS: [usize; 4] = [100, 250, 500, 1_000];

/// Crawls of each topic by a strategy that draws; their means count.
pub(super) const REPLICATES: u64 = 3;

/// Which strategies draw.
const DRAW: [&str; 6] = ["random", BLIND, "tag-path", "walkers", "infospiders", "learned"];

/// Those that every other one is compared with.
pub(super) const RANDOM: &str = "random";
pub(super) const BREADTH: &str = "breadth-first";
pub(super) const BEST: &str = "best-first";
pub(super) const MEAN: &str = "mean-of-parents";
pub(super) const LEARNED: &str = "learned";
pub(super) const ORACLE: &str = "oracle";

/// Random, but it has learned which links lead to no page; see [`lycosa_strategy::blind`].
pub(super) const BLIND: &str = "random among living links";

/// Those that are also given the topic of another one, and what then comes before their names.
pub(super) const CONTROLLED: [&str; 3] = [BEST, MEAN, LEARNED];
pub(super) const PERMUTED: &str = "wrong topic: ";

/// A change of settings.
type Change = fn(&mut LearnedParameters);

/// Parts of `learned`, and how they are taken away; and what comes before their names.
pub(super) const PARTS: [(&str, Change); 6] = [
    ("words of the link", |of| of.anchor = 0.0),
    ("mentions", |of| of.mention = 0.0),
    ("places", |of| of.place = 0.0),
    ("linear model", |of| of.rate = 0.0),
    ("feedback of the best pages", |of| of.feedback = 0.0),
    ("exploration", |of| of.explore = 0.0),
];
pub(super) const WITHOUT: &str = "learned without ";

/// What one crawl came to, or the mean of several.
#[derive(Clone, Debug, Default)]
pub(super) struct Crawled {
    /// Mean recall over all fetches.
    pub(super) area: f64,
    /// Recall after each part of the fetches.
    pub(super) recall: Vec<f64>,
    /// Relevant pages among all fetches so far, after each part.
    pub(super) harvest: Vec<f64>,
    /// Recall at each of [`CHECKPOINTS`] that the crawl has.
    pub(super) at: Vec<f64>,
    /// Relevant pages.
    pub(super) found: f64,
    /// Sites on which they are.
    pub(super) sites: f64,
    /// Fetches.
    pub(super) fetches: f64,
    /// Fetches that gave no page.
    pub(super) failed: f64,
    pub(super) bytes: f64,
    pub(super) most_waiting: f64,
    /// CPU time.
    pub(super) milliseconds: f64,
}

impl Crawled {
    fn add(&mut self, other: &Crawled, share: f64) {
        let lists = [
            (&mut self.recall, &other.recall),
            (&mut self.harvest, &other.harvest),
            (&mut self.at, &other.at),
        ];
        for (to, from) in lists {
            to.resize(from.len(), 0.0);
            to.iter_mut().zip(from).for_each(|(to, from)| *to += share * from);
        }
        let numbers = [
            (&mut self.area, other.area),
            (&mut self.found, other.found),
            (&mut self.sites, other.sites),
            (&mut self.fetches, other.fetches),
            (&mut self.failed, other.failed),
            (&mut self.bytes, other.bytes),
            (&mut self.most_waiting, other.most_waiting),
            (&mut self.milliseconds, other.milliseconds),
        ];
        numbers.into_iter().for_each(|(to, from)| *to += share * from);
    }

    /// Fetches that gave a page.
    pub(super) fn answered(&self) -> f64 {
        self.fetches - self.failed
    }
}

/// One strategy on all topics, from one kind of seeds.
#[derive(Clone, Debug)]
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
    check_names(&wanted, &setup(field, 0))?;
    for name in wanted {
        // The oracle always runs, whether it is asked for or not.
        if name != ORACLE && !names.contains(&name) {
            names.push(name);
        }
    }
    // With one topic there is no wrong one.
    if field.topics.len() > 1 {
        names.push(BLIND.to_owned());
        names.extend(CONTROLLED.map(|name| format!("{PERMUTED}{name}")));
    }
    names.push(ORACLE.to_owned());
    Ok(names)
}

pub(super) fn check_names(names: &[String], setup: &Setup) -> Result<(), StudyError> {
    let mut others = names.iter().filter(|name| *name != ORACLE);
    others.try_for_each(|name| by_name(name, setup).map(drop).map_err(StudyError::Strategy))
}

/// What a strategy begins with, without a part of it if its name says so.
fn setup_of(field: &Field<'_>, name: &str, run: u64) -> Setup {
    let mut setup = setup(field, run);
    for (part, take_away) in PARTS {
        if name.strip_prefix(WITHOUT) == Some(part) {
            take_away(&mut setup.parameters.learned);
        }
    }
    setup
}

fn setup(field: &Field<'_>, run: u64) -> Setup {
    Setup {
        strict: true,
        seed: field.seed.wrapping_add(run),
        agents: field.agents,
        wordnet: field.wordnet.clone(),
        ..Setup::default()
    }
}

/// Crawls with parts of `learned` taken away, where the topic has to be found if there are such seeds. Only when
/// all strategies are wanted.
pub(super) fn without_parts(
    field: &Field<'_>,
    cases: &[Case],
    progress: &mut dyn FnMut(usize, usize),
) -> Vec<Cell> {
    if !field.strategies.is_empty() {
        return Vec::new();
    }
    let far = cases.iter().position(|case| case.far).unwrap_or_default();
    measure(field, &cases[far..], &PARTS.map(|(part, _)| format!("{WITHOUT}{part}")), progress)
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
    let draws = DRAW.iter().any(|drawing| name.trim_start_matches(PERMUTED).starts_with(drawing));
    let replicates = if draws { REPLICATES } else { 1 };
    let mut mean = Crawled::default();
    for run in 0..replicates {
        let Some(mut strategy) = strategy(field, name, case, run) else { continue };
        let (trail, milliseconds) = cpu::timed(|| once(field, name, case, &mut *strategy));
        let crawled = Crawled { milliseconds, ..judge(field, case, &trail) };
        mean.add(&crawled, 1.0 / replicates as f64);
    }
    mean
}

/// The strategy behind a name; names were looked up before.
pub(super) fn strategy<'a>(
    field: &Field<'a>,
    name: &str,
    case: &Case,
    run: u64,
) -> Option<Box<dyn Strategy + 'a>> {
    match name.trim_start_matches(PERMUTED) {
        ORACLE => Some(Box::new(Oracle::new(field.web, &case.relevant))),
        BLIND => Some(blind(&setup(field, run))),
        name => {
            let plain = if name.starts_with(WITHOUT) { LEARNED } else { name };
            let known = by_name(plain, &setup_of(field, name, run)).ok();
            known.map(|known| known as Box<dyn Strategy + 'a>)
        }
    }
}

/// One crawl, of which the judge is told afterwards.
pub(super) fn once(
    field: &Field<'_>,
    name: &str,
    case: &Case,
    strategy: &mut dyn Strategy,
) -> Trail {
    let model = if name.starts_with(PERMUTED) { &case.wrong } else { &case.model };
    let settings = Settings { fetches: field.fetches, ..Settings::default() };
    simulate(field.web, model.clone(), strategy, &case.seeds, &settings)
}

/// The judge: what people say is relevant, which no strategy was told.
fn judge(field: &Field<'_>, case: &Case, trail: &Trail) -> Crawled {
    let mut crawled = Crawled {
        most_waiting: trail.most_waiting as f64,
        fetches: trail.fetches.len() as f64,
        bytes: trail.bytes as f64,
        ..Crawled::default()
    };
    let mut sites = HashSet::new();
    let (mut found, mut point) = (0_usize, 1);
    for fetch in 1..=field.fetches {
        // A crawl that ended has found what it has found.
        if let Some(now) = trail.fetches.get(fetch - 1) {
            if case.relevant.contains(&now.target) {
                found += 1;
                sites.insert(&field.web.targets[now.target as usize].site);
            }
            crawled.failed += f64::from(u8::from(!now.outcome.is_success()));
        }
        let recall = found as f64 / case.relevant.len() as f64;
        crawled.area += recall / field.fetches as f64;
        while point <= POINTS && fetch * POINTS >= point * field.fetches {
            crawled.recall.push(recall);
            crawled.harvest.push(found as f64 / fetch as f64);
            point += 1;
        }
        if CHECKPOINTS.contains(&fetch) {
            crawled.at.push(recall);
        }
    }
    (crawled.found, crawled.sites) = (found as f64, sites.len() as f64);
    crawled
}
