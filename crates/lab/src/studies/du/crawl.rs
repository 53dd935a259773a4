//! What does a team collect in an hour? One crawl of one kind on one topic.

use super::{Case, Ground};
use crate::replay::Latency;
use crate::simulator::{ParsedWeb, Settings, Trail, simulate};
use lycosa_model::{Outcome, Tick};
use lycosa_strategy::team::{BusSettings, ContractNet, TeamParameters, Variant};
use lycosa_strategy::{Setup, Strategy, by_name};
use std::collections::HashSet;
use std::time::Duration;

/// How long all crawls take.
pub(super) const HOUR: Duration = Duration::from_secs(3_600);
/// Minutes from one look at what was collected to the next.
pub(super) const EVERY: usize = 5;
/// How often is looked.
pub(super) const LOOKS: usize = 12;
/// What a fetch takes: five crawlers then collect about 700 pages in an hour, as in the paper, of which the
/// line of 1 Mbit/s has the smaller part.
pub(super) const LATENCY: Latency =
    Latency { base: Duration::from_secs(25), bytes_per_second: 125_000 };
/// What a message takes. The paper does not say; with a second nobody can call the teams favoured.
pub(super) const MESSAGE: Duration = Duration::from_secs(1);
/// More than anybody fetches in an hour.
const PLENTY: usize = 100_000;

/// How the crawlers work together.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// A team.
    Team(Variant, TeamParameters),
    /// Everybody alone, by the strategy of this name.
    Alone(&'static str),
    /// Everybody alone, with the scores of the team.
    AloneAsTeam,
    /// One queue for all, with the scores of the team.
    Shared,
}

/// What was collected.
#[derive(Clone, Debug, Default)]
pub(super) struct Collected {
    /// When each page came, and whether it is relevant; pages that came again are not among them.
    pub(super) unique: Vec<(Tick, bool)>,
    /// Pages, with those that came again.
    pub(super) pages: usize,
    /// Messages that were sent.
    pub(super) messages: u64,
    /// Contracts by which links passed.
    pub(super) contracts: u64,
}

impl Collected {
    /// Pages that came again.
    pub(super) fn overlap(&self) -> usize {
        self.pages - self.unique.len()
    }

    /// Pages collected in the first minutes.
    pub(super) fn pages_at(&self, minutes: usize) -> usize {
        let until = Tick(60_000 * minutes as u64);
        self.unique.iter().filter(|(at, _)| *at <= until).count()
    }

    /// The relevant ones among them.
    pub(super) fn relevant_at(&self, minutes: usize) -> usize {
        let until = Tick(60_000 * minutes as u64);
        self.unique.iter().filter(|(at, relevant)| *at <= until && *relevant).count()
    }

    /// The relevant share of them; nothing before there is any.
    pub(super) fn precision_at(&self, minutes: usize) -> Option<f64> {
        let pages = self.pages_at(minutes);
        (pages > 0).then(|| self.relevant_at(minutes) as f64 / pages as f64)
    }
}

/// Where so many crawlers begin: the seeds, and if those are too few what they link to.
pub(super) fn starts(web: &ParsedWeb, seeds: &[u32], agents: usize) -> Vec<u32> {
    let mut starts: Vec<u32> = Vec::new();
    let mut next = 0;
    let add = |starts: &mut Vec<u32>, target: u32| {
        if starts.len() < agents.max(seeds.len()) && !starts.contains(&target) {
            starts.push(target);
        }
    };
    seeds.iter().for_each(|seed| add(&mut starts, *seed));
    while starts.len() < agents && next < starts.len() {
        let page = web.targets[starts[next] as usize].page;
        let links = page.map_or(&[][..], |page| &web.pages[page as usize].links);
        // A few of each, so that they do not all begin in one corner.
        let archived = links.iter().filter(|link| web.targets[link.target as usize].page.is_some());
        archived.take(agents.div_ceil(seeds.len().max(1))).for_each(|l| add(&mut starts, l.target));
        next += 1;
    }
    starts
}

/// Crawls a topic from these seeds on.
pub(super) fn crawl(
    ground: &Ground<'_>,
    case: &Case,
    seeds: &[u32],
    kind: &Kind,
    agents: usize,
) -> Collected {
    let mut setup = Setup {
        seed: ground.seed,
        agents: Some(agents),
        wordnet: ground.wordnet.clone(),
        ..Setup::default()
    };
    let seeds = starts(ground.web, seeds, agents);
    let bus = BusSettings { delay: MESSAGE, ..BusSettings::default() };
    let mut collected = Collected::default();
    let mut trails = Vec::new();
    match kind {
        Kind::Team(variant, parameters) => {
            setup.parameters.team = parameters.clone();
            let mut team = ContractNet::with_bus(*variant, &setup, bus);
            trails.push(run(ground, case, &mut team, &seeds, agents));
            team.stop();
            collected.messages = team.messages();
            collected.contracts = team.contracts().kept;
        }
        Kind::Shared => {
            let mut queue = one_queue(setup);
            trails.push(run(ground, case, &mut queue, &seeds, agents));
        }
        Kind::Alone(_) | Kind::AloneAsTeam => {
            for agent in 0..agents {
                let own: Vec<u32> = seeds.iter().copied().skip(agent).step_by(agents).collect();
                let trail = match kind {
                    Kind::Alone(name) => match by_name(name, &setup) {
                        Ok(mut strategy) => run(ground, case, &mut *strategy, &own, 1),
                        Err(_) => continue,
                    },
                    _ => run(ground, case, &mut one_queue(setup.clone()), &own, 1),
                };
                trails.push(trail);
            }
        }
    }
    gather(case, &trails, &mut collected);
    collected
}

/// A team of one: its queue is that of everybody.
fn one_queue(mut setup: Setup) -> ContractNet {
    setup.agents = Some(1);
    // With nobody to deal with, abilities need not be found out.
    setup.parameters.team.beta = 0.0;
    ContractNet::new(Variant::ContractNet, &setup)
}

fn run(
    ground: &Ground<'_>,
    case: &Case,
    strategy: &mut dyn Strategy,
    seeds: &[u32],
    fetchers: usize,
) -> Trail {
    let settings = Settings {
        fetches: PLENTY,
        fetchers,
        latency: LATENCY,
        until: Some(HOUR),
        ..Settings::default()
    };
    simulate(ground.web, case.model.clone(), strategy, seeds, &settings)
}

/// Pages of all trails in the order of time.
fn gather(case: &Case, trails: &[Trail], collected: &mut Collected) {
    let pages = trails.iter().flat_map(|trail| &trail.fetches);
    let fetched = pages.filter(|fetch| fetch.outcome == Outcome::Fetched);
    let mut fetched: Vec<(Tick, u32)> = fetched
        .map(|fetch| (fetch.at, fetch.target))
        .filter(|f| !case.examples.contains(&f.1))
        .collect();
    fetched.sort_unstable();
    let mut seen = HashSet::new();
    collected.pages = fetched.len();
    collected.unique = fetched
        .into_iter()
        .filter(|(_, target)| seen.insert(*target))
        .map(|(at, target)| (at, case.relevant.contains(&target)))
        .collect();
}
