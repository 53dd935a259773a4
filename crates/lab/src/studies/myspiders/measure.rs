//! How do spiders do beside others? Crawls of all topics by all systems, in the simulator.

use crate::replay::Latency;
use crate::simulator::{ParsedWeb, Settings, Topic, simulate};
use crate::studies::parallel::in_parallel;
use lycosa_knowledge::RelevanceModel;
use lycosa_model::Deed;
use lycosa_strategy::infospiders::SpiderParameters;
use lycosa_strategy::{Setup, by_name};
use std::collections::HashSet;

/// MAX_PAGES: fetches of a crawl.
pub(super) const FETCHES: usize = 1_000;
/// Crawls of each topic by a system that draws; their means count.
pub(super) const REPLICATES: usize = 3;
/// Every so many fetches the curves have a point.
pub(super) const STEP: usize = 50;

/// Where a crawl begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// At pages of the topic, as a search engine would give them.
    Near,
    /// Two links away from any.
    Far,
}

impl Start {
    pub(super) const ALL: [Start; 2] = [Start::Near, Start::Far];

    pub(super) fn name(self) -> &'static str {
        match self {
            Start::Near => "near",
            Start::Far => "far",
        }
    }

    pub(super) fn title(self) -> &'static str {
        match self {
            Start::Near => "start pages of the topic",
            Start::Far => "start pages two links away",
        }
    }
}

/// A strategy with its settings.
#[derive(Clone, Debug)]
pub(super) struct System {
    pub(super) name: &'static str,
    strategy: &'static str,
    spiders: SpiderParameters,
    /// Of which system it is a part taken away; nothing for those that are compared with each other.
    pub(super) part_of: Option<&'static str>,
    draws: bool,
}

/// The two forms of InfoSpiders, as they are called here.
pub(super) const FORMS: [&str; 2] = ["infospiders", "infospiders, Figure 1"];
/// Their other one in the manager of MySpiders.
pub(super) const RIVAL: &str = "best-first";

/// What can be taken away from a form, and a world in which time is dear.
pub(super) const ABLATIONS: [&str; 4] =
    ["no latency cost", "no learning", "no new keywords", "20 times the latency cost"];

/// All systems. `timeout` is that of the spiders in seconds.
pub(super) fn systems(timeout: f64) -> Vec<System> {
    let usual =
        SpiderParameters { timeout, max_pages: FETCHES as u64, ..SpiderParameters::default() };
    let plain = |name: &'static str, draws| System {
        name,
        strategy: name,
        spiders: usual.clone(),
        part_of: None,
        draws,
    };
    let form = |frontier: bool| SpiderParameters { frontier, ..usual.clone() };
    let spider = |name, part_of, spiders| System {
        name,
        strategy: "infospiders",
        spiders,
        part_of,
        draws: true,
    };
    let mut all = vec![
        spider(FORMS[0], None, form(true)),
        spider(FORMS[1], None, form(false)),
        plain(RIVAL, false),
        plain("n-best-first:256", false),
        plain("shark", false),
        plain("fish", false),
        plain("breadth-first", false),
        plain("random", true),
    ];
    for (frontier, name) in [(true, FORMS[0]), (false, FORMS[1])] {
        let full = form(frontier);
        let without = [
            SpiderParameters { latency_cost: 0.0, ..full.clone() },
            SpiderParameters { learning: 0.0, ..full.clone() },
            SpiderParameters { expansion: 0, ..full.clone() },
            SpiderParameters { latency_cost: 20.0, ..full },
        ];
        for (what, spiders) in ABLATIONS.into_iter().zip(without) {
            all.push(spider(what, Some(name), spiders));
        }
    }
    all
}

/// What came of one crawl, or the mean of several; curves have a value for each [`STEP`] fetches.
#[derive(Clone, Debug, Default)]
pub(super) struct Crawled {
    /// The mean share of the relevant pages that was found, over all fetches.
    pub(super) area: f64,
    pub(super) recall: Vec<f64>,
    pub(super) precision: Vec<f64>,
    pub(super) alive: Vec<f64>,
    pub(super) births: Vec<f64>,
    pub(super) deaths: Vec<f64>,
    /// Virtual seconds for each fetch.
    pub(super) seconds: f64,
}

impl Crawled {
    fn add(&mut self, other: &Crawled, share: f64) {
        let add = |to: &mut Vec<f64>, from: &[f64]| {
            to.resize(from.len(), 0.0);
            to.iter_mut().zip(from).for_each(|(to, from)| *to += share * from);
        };
        self.area += share * other.area;
        self.seconds += share * other.seconds;
        add(&mut self.recall, &other.recall);
        add(&mut self.precision, &other.precision);
        add(&mut self.alive, &other.alive);
        add(&mut self.births, &other.births);
        add(&mut self.deaths, &other.deaths);
    }
}

/// A system from one kind of start: a crawl for each topic.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) start: Start,
    pub(super) system: System,
    pub(super) topics: Vec<Crawled>,
}

struct Job<'a> {
    cell: usize,
    topic: usize,
    share: f64,
    seed: u64,
    start: Start,
    system: &'a System,
}

/// Crawls everything. Topics without start pages or without relevant ones are left out by the caller.
pub(super) fn measure(
    web: &ParsedWeb,
    topics: &[Topic],
    systems: &[System],
    seed: u64,
    progress: &mut dyn FnMut(usize, usize),
) -> Vec<Cell> {
    let relevant: Vec<HashSet<u32>> = topics.iter().map(|topic| topic.relevant(web)).collect();
    let models: Vec<RelevanceModel> = topics.iter().map(|topic| topic.model(web)).collect();
    let mut cells: Vec<Cell> = Vec::new();
    let mut jobs = Vec::new();
    for start in Start::ALL {
        if !topics.iter().all(|topic| !topic.seeds(web, start == Start::Far).is_empty()) {
            continue;
        }
        // What a part is worth is asked where the topic has to be found.
        for system in systems.iter().filter(|of| of.part_of.is_none() || start == Start::Far) {
            let replicates = if system.draws { REPLICATES } else { 1 };
            for topic in 0..topics.len() {
                for replicate in 0..replicates {
                    let seed = seed.wrapping_add((topic * REPLICATES + replicate) as u64);
                    let share = 1.0 / replicates as f64;
                    jobs.push(Job { cell: cells.len(), topic, share, seed, start, system });
                }
            }
            let topics = vec![Crawled::default(); topics.len()];
            cells.push(Cell { start, system: system.clone(), topics });
        }
    }
    let work = |job: &Job<'_>| {
        let seeds = topics[job.topic].seeds(web, job.start == Start::Far);
        crawl(web, models[job.topic].clone(), &seeds, &relevant[job.topic], job)
    };
    let crawls = in_parallel(&jobs, work, progress);
    for (job, crawled) in jobs.iter().zip(&crawls) {
        cells[job.cell].topics[job.topic].add(crawled, job.share);
    }
    cells
}

fn crawl(
    web: &ParsedWeb,
    model: RelevanceModel,
    seeds: &[u32],
    relevant: &HashSet<u32>,
    job: &Job<'_>,
) -> Crawled {
    let mut setup = Setup { strict: true, seed: job.seed, ..Setup::default() };
    setup.parameters.infospiders = job.system.spiders.clone();
    // The names are our own; a system without a strategy would find nothing, and be seen.
    let Ok(mut strategy) = by_name(job.system.strategy, &setup) else { return Crawled::default() };
    let settings = Settings { fetches: FETCHES, ..Settings::default() };
    let trail = simulate(web, model, &mut *strategy, seeds, &settings);
    let mut events = Vec::new();
    strategy.log(&mut events);
    let mut crawled = Crawled::default();
    let (mut found, mut births, mut deaths) = (0_usize, 0.0, 0.0);
    let mut next = 0;
    for fetch in 1..=FETCHES {
        // A crawl that ended has found what it has found.
        let now = trail.fetches.get(fetch - 1);
        found += usize::from(now.is_some_and(|now| relevant.contains(&now.target)));
        let recall = found as f64 / relevant.len().max(1) as f64;
        crawled.area += recall / FETCHES as f64;
        while let Some(event) = events.get(next)
            && now.is_none_or(|now| event.at <= now.at)
        {
            match event.deed {
                Deed::Born { .. } => births += 1.0,
                Deed::Died { .. } => deaths += 1.0,
                Deed::Visited { .. } | Deed::Said { .. } | Deed::Tended(_) => {}
            }
            next += 1;
        }
        if fetch % STEP == 0 {
            crawled.recall.push(recall);
            crawled.precision.push(found as f64 / fetch as f64);
            crawled.births.push(births);
            crawled.deaths.push(deaths);
            crawled.alive.push(births - deaths);
        }
    }
    let ended = trail.fetches.last().map_or(0.0, |fetch| fetch.at.0 as f64 / 1_000.0);
    crawled.seconds = ended / trail.fetches.len().max(1) as f64;
    crawled
}

/// A time-out of which a page takes half in the mean: then the energy of the beginning lasts for MAX_PAGES
/// pages of which none is relevant, which is what the cost was made for.
pub(super) fn timeout(web: &ParsedWeb) -> f64 {
    let latency = Latency::default();
    let sum: f64 = web.pages.iter().map(|page| latency.of(page.bytes).as_secs_f64()).sum();
    2.0 * sum / web.pages.len().max(1) as f64
}
