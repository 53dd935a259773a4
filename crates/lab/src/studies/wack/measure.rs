//! How long does a population take? Walks over balls, repeated.

use super::graph::LinkGraph;
use crate::studies::parallel::in_parallel;
use lycosa_strategy::dice::Dice;
use lycosa_strategy::walkers::{Colony, Counts, Kind, WalkerParameters};

/// Balls of each size, around pages that are drawn.
pub(super) const BALLS: usize = 4;
/// Walks over each ball.
pub(super) const WALKS: usize = 5;
/// A walk that has not seen everything after so many hops is given up, and said to be.
pub(super) const MOST_HOPS: u64 = 10_000_000;
/// The walkers of a ball are never more than so many times its pages.
const CAP: usize = 4;
/// Times in which pheromone fades to `min`: so many belong to the growth of a population, and after so many
/// the walk may end.
pub(super) const GROWTH: f64 = 10.0;
const WATCHED: f64 = 30.0;
/// After how many hops without news a walker on links of one direction begins anew, see the parameters.
pub(super) const PATIENCE: u64 = 1_000;

/// Whether links are walked in both directions, as in the paper, or as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ways {
    Undirected,
    Directed,
}

impl Ways {
    pub(super) const ALL: [Ways; 2] = [Ways::Undirected, Ways::Directed];

    pub(super) fn name(self) -> &'static str {
        match self {
            Ways::Undirected => "undirected",
            Ways::Directed => "directed",
        }
    }
}

/// A population that is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Population {
    pub(super) kind: Kind,
    /// Only of cloning.
    pub(super) lambda: f64,
}

impl Population {
    pub(super) fn name(&self) -> String {
        match self.kind {
            Kind::Single => "single".into(),
            Kind::Multiple => "5 agents".into(),
            Kind::Cloning => format!("cloning, lambda {}", self.lambda),
            Kind::Immune => "immune".into(),
        }
    }

    /// The same for a figure's name.
    pub(super) fn key(&self) -> String {
        match self.kind {
            Kind::Cloning => format!("cloning_{}", self.lambda),
            kind => kind.name().into(),
        }
    }
}

/// All of them, in the order in which they are told.
pub(super) fn populations() -> Vec<Population> {
    let of = |kind, lambda| Population { kind, lambda };
    let usual = WalkerParameters::default().lambda;
    vec![
        of(Kind::Single, usual),
        of(Kind::Multiple, usual),
        of(Kind::Cloning, 0.01),
        of(Kind::Cloning, 0.05),
        of(Kind::Cloning, 0.2),
        of(Kind::Immune, usual),
    ]
}

/// What came of one walk.
#[derive(Clone, Debug, Default)]
pub(super) struct Walked {
    /// Rounds until every page was seen, or until it was given up.
    pub(super) rounds: u64,
    /// What happened in these rounds.
    pub(super) counts: Counts,
    /// Share of the pages that was seen.
    pub(super) seen: f64,
    /// Mean number of walkers after the growth.
    pub(super) population: f64,
    /// Walkers after each round.
    pub(super) history: Vec<u32>,
}

impl Walked {
    pub(super) fn is_complete(&self) -> bool {
        self.seen >= 1.0
    }
}

/// One cell of the study.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) ways: Ways,
    pub(super) pages: usize,
    pub(super) population: Population,
    pub(super) walks: Vec<Walked>,
}

/// Balls of one size.
#[derive(Clone, Debug)]
pub(super) struct Balls {
    pub(super) ways: Ways,
    pub(super) pages: usize,
    pub(super) balls: Vec<LinkGraph>,
}

impl Balls {
    /// Balls around pages that are drawn, each with at least `most` pages to be reached.
    pub(super) fn draw(graph: &LinkGraph, ways: Ways, sizes: &[usize], seed: u64) -> Vec<Balls> {
        let graph = match ways {
            Ways::Undirected => graph.both_ways(),
            Ways::Directed => graph.clone(),
        };
        let most = sizes.iter().copied().max().unwrap_or_default();
        let mut dice = Dice::new(seed);
        let mut centres: Vec<u32> = Vec::new();
        let pages = graph.links.len();
        // Most pages reach most others; where they do not, every page has been tried about four times.
        for _ in 0..4 * pages {
            let centre = dice.below(pages) as u32;
            if centres.len() < BALLS
                && !centres.contains(&centre)
                && graph.ball(centre, most).is_some()
            {
                centres.push(centre);
            }
            if centres.len() == BALLS {
                break;
            }
        }
        let cut = |pages: &usize| Balls {
            ways,
            pages: *pages,
            balls: centres.iter().filter_map(|centre| graph.ball(*centre, *pages)).collect(),
        };
        sizes.iter().map(cut).collect()
    }
}

/// Measures every population on every ball; `progress` is told how many walks are done.
pub(super) fn measure(
    balls: &[Balls],
    seed: u64,
    progress: &mut dyn FnMut(usize, usize),
) -> Vec<Cell> {
    let mut cells: Vec<Cell> = Vec::new();
    let mut jobs: Vec<(usize, &LinkGraph, u64)> = Vec::new();
    for of_size in balls {
        for population in populations() {
            let (ways, pages) = (of_size.ways, of_size.pages);
            for (number, ball) in of_size.balls.iter().enumerate() {
                for walk in 0..WALKS {
                    let own = (cells.len() * BALLS + number) * WALKS + walk;
                    jobs.push((cells.len(), ball, Dice::new(seed ^ own as u64).number()));
                }
            }
            cells.push(Cell { ways, pages, population, walks: Vec::new() });
        }
    }
    // The long ones first, so that both threads end at about the same time.
    jobs.reverse();
    let work = |(cell, ball, seed): &(usize, &LinkGraph, u64)| walk(ball, &cells[*cell], *seed);
    let walked = in_parallel(&jobs, work, progress);
    for ((cell, ..), walked) in jobs.iter().zip(walked).rev() {
        cells[*cell].walks.push(walked);
    }
    cells
}

/// The settings of a walk.
pub(super) fn parameters(population: Population, ways: Ways, pages: usize) -> WalkerParameters {
    WalkerParameters {
        lambda: population.lambda,
        cap: CAP * pages,
        patience: if ways == Ways::Directed { PATIENCE } else { 0 },
        ..WalkerParameters::default()
    }
}

/// The same settings for walkers that survive on the page they came from: there they find the mark that they
/// left two rounds ago. Nothing when that does not kill them in any case.
pub(super) fn sparing(parameters: &WalkerParameters) -> Option<WalkerParameters> {
    let mark = |rounds: f64| (-rounds * parameters.lambda).exp();
    let max = mark(1.5);
    (mark(2.0) > parameters.max).then(|| WalkerParameters { max, ..parameters.clone() })
}

/// Walkers that live after the growth when their own marks do not kill them; the mean over walks on links of
/// both directions.
pub(super) fn spared(balls: &Balls, population: Population, seed: u64) -> Option<f64> {
    let parameters = sparing(&parameters(population, balls.ways, balls.pages))?;
    let fading = (1.0 / parameters.min).ln() / parameters.lambda;
    let (growth, watched) = ((GROWTH * fading) as u64, (WATCHED * fading) as u64);
    let mut sum = 0;
    for (number, ball) in balls.balls.iter().enumerate() {
        for walk in 0..WALKS {
            let own = Dice::new(seed ^ (number * WALKS + walk) as u64).number();
            let mut colony = Colony::new(population.kind, parameters.clone(), own);
            colony.settle(0);
            colony.begin();
            while colony.rounds() < watched {
                colony.round(ball);
                sum += if colony.rounds() > growth { colony.walkers().len() as u64 } else { 0 };
            }
        }
    }
    let rounds = (balls.balls.len() * WALKS) as u64 * watched.saturating_sub(growth);
    Some(sum as f64 / rounds.max(1) as f64)
}

fn walk(ball: &LinkGraph, cell: &Cell, seed: u64) -> Walked {
    let parameters = parameters(cell.population, cell.ways, cell.pages);
    let fading = (1.0 / parameters.min).ln() / parameters.lambda;
    let regulated = matches!(cell.population.kind, Kind::Cloning | Kind::Immune);
    let (growth, watched) =
        if regulated { ((GROWTH * fading) as u64, (WATCHED * fading) as u64) } else { (0, 0) };
    let mut colony = Colony::new(cell.population.kind, parameters, seed);
    colony.settle(0);
    colony.begin();
    let mut walked = Walked::default();
    let (mut sum, mut count) = (0_u64, 0_u64);
    // It goes on after the last page was seen if its population was not watched for long enough.
    loop {
        let ended = colony.visited() == cell.pages || colony.counts().hops >= MOST_HOPS;
        if ended && walked.rounds == 0 {
            walked.rounds = colony.rounds();
            walked.counts = colony.counts();
            walked.seen = colony.visited() as f64 / cell.pages as f64;
        }
        if ended && colony.rounds() >= watched {
            break;
        }
        colony.round(ball);
        let alive = colony.walkers().len();
        if regulated {
            walked.history.push(alive as u32);
        }
        if colony.rounds() > growth {
            sum += alive as u64;
            count += 1;
        }
    }
    walked.population = sum as f64 / count.max(1) as f64;
    walked
}
