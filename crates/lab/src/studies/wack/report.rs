//! How is it told? Our figures beside the claims of the paper, and what we think of these.

use super::graph::LinkGraph;
use super::measure::{
    BALLS, Balls, Cell, GROWTH, MOST_HOPS, PATIENCE, WALKS, Walked, Ways, parameters, populations,
    spared, sparing,
};
use super::plots;
use super::tables::{alive, claims, every, every_walk, grid, range, walks};
use crate::evaluation::{Interval, bootstrap, mean};
use crate::studies::Outcome;
use crate::studies::table::Table;
use lycosa_strategy::walkers::{Kind, WalkerParameters};
use std::fmt::Write as _;

/// Name of the study.
const STUDY: &str = "wack-figure1";
/// The population of cloning should be this near to its prediction.
const NEAR: f64 = 0.2;
/// From this many pages on: on smaller balls there are hardly more walkers than at the start.
const FROM_PAGES: usize = 400;
/// A prediction that is not above this many walkers cannot be told from the start.
const CLEARLY: f64 = 20.0;

/// A cell in numbers.
pub(super) struct Row<'a> {
    pub(super) cell: &'a Cell,
    pub(super) rounds: Interval,
    pub(super) hops: Interval,
    pub(super) alive: Interval,
    /// What nλ / ln(1/Min) says; only of cloning.
    pub(super) predicted: Option<f64>,
    /// What the balance of births and deaths says; only of cloning on links of both directions.
    pub(super) balanced: Option<f64>,
    /// Walkers that live when their own marks do not kill them, and what the balance then says; only where
    /// they do kill.
    pub(super) spared: Option<(f64, f64)>,
    /// Rounds of the single walker for one of these.
    pub(super) speed_up: f64,
    /// Hops of these for one of the single walker.
    pub(super) cost: f64,
}

impl Row<'_> {
    pub(super) fn complete(&self) -> usize {
        self.cell.walks.iter().filter(|walked| walked.is_complete()).count()
    }

    /// The measured population for one that was predicted.
    pub(super) fn ratio(&self) -> Option<f64> {
        self.predicted.map(|predicted| self.alive.mean / predicted)
    }
}

pub(super) fn outcome(graph: &LinkGraph, balls: &[Balls], cells: &[Cell], seed: u64) -> Outcome {
    let rows: Vec<Row<'_>> = cells.iter().map(|cell| row(cell, cells, balls, seed)).collect();
    let mut outcome = Outcome { study: STUDY, ..Outcome::default() };
    outcome.figure("pages", graph.links.len());
    outcome.figure("links", graph.ways());
    for row in &rows {
        figures(row, &mut outcome);
    }
    let verdicts = verdicts(&rows, &mut outcome);
    let grids = Ways::ALL.map(|ways| grid(&rows, ways));
    let (alive, taken_apart) = (alive(&rows), taken_apart(&rows));
    outcome.text = format!("{verdicts}{taken_apart}\n{}\n{}", walks(&rows).plain(), alive.plain());
    outcome.file(
        format!("{STUDY}.md"),
        markdown(graph, balls, &(verdicts, taken_apart), &claims(&rows), &grids, &alive),
    );
    outcome.file(format!("{STUDY}.csv"), every(&rows).csv());
    outcome.file(format!("{STUDY}-walks.csv"), every_walk(cells).csv());
    outcome.plot(STUDY, &plots::figure1(&rows));
    outcome.plot("wack-population", &plots::population(&rows));
    outcome
}

fn row<'a>(cell: &'a Cell, cells: &[Cell], balls: &[Balls], seed: u64) -> Row<'a> {
    let column = |of: fn(&Walked) -> f64| -> Vec<f64> { cell.walks.iter().map(of).collect() };
    let columns = [
        column(|walked| walked.rounds as f64),
        column(|walked| walked.counts.hops as f64),
        column(|walked| walked.population),
    ];
    let intervals = bootstrap(&columns, seed);
    let single = cells.iter().find(|other| {
        (other.ways, other.pages, other.population.kind) == (cell.ways, cell.pages, Kind::Single)
    });
    let of_single = |of: fn(&Walked) -> f64| -> f64 {
        mean(&single.map_or_else(Vec::new, |cell| cell.walks.iter().map(of).collect()))
    };
    let is_cloning = cell.population.kind == Kind::Cloning;
    let parameters = parameters(cell.population, cell.ways, cell.pages);
    let of_size = balls.iter().find(|balls| (balls.ways, balls.pages) == (cell.ways, cell.pages));
    let balanced = |parameters: &WalkerParameters| {
        let balance = |ball: &LinkGraph| parameters.balanced_population(&ball.degrees());
        Some(mean(&of_size?.balls.iter().map(balance).collect::<Vec<f64>>()))
    };
    let is_balanced = is_cloning && cell.ways == Ways::Undirected;
    let without_own = || {
        let balance = balanced(&sparing(&parameters)?)?;
        Some((spared(of_size?, cell.population, seed)?, balance))
    };
    let get = |place: usize| intervals.get(place).copied().unwrap_or_default();
    Row {
        cell,
        rounds: get(0),
        hops: get(1),
        alive: get(2),
        predicted: is_cloning.then(|| parameters.expected_population(cell.pages)),
        balanced: is_balanced.then(|| balanced(&parameters)).flatten(),
        spared: is_balanced.then(without_own).flatten(),
        speed_up: of_single(|walked| walked.rounds as f64) / get(0).mean.max(1.0),
        cost: get(1).mean / of_single(|walked| walked.counts.hops as f64).max(1.0),
    }
}

fn figures(row: &Row<'_>, outcome: &mut Outcome) {
    let cell = row.cell;
    let of = |what: &str| {
        format!("{}.{}.{}.{what}", cell.ways.name(), cell.pages, cell.population.key())
    };
    for (name, value) in [("rounds", row.rounds), ("hops", row.hops), ("population", row.alive)] {
        outcome.figure(of(name), value.mean);
        outcome.figure(of(&format!("{name}.interval")), vec![value.low, value.high]);
    }
    outcome.figure(of("complete"), row.complete());
    outcome.figure(of("walks"), cell.walks.len());
    if let (Some(predicted), Some(ratio)) = (row.predicted, row.ratio()) {
        outcome.figure(of("population.predicted"), predicted);
        outcome.figure(of("population.ratio"), ratio);
    }
    if let Some(balanced) = row.balanced {
        outcome.figure(of("population.balanced"), balanced);
    }
    if let Some((spared, balanced)) = row.spared {
        outcome.figure(of("population.own_marks_spared"), spared);
        outcome.figure(of("population.own_marks_spared.balanced"), balanced);
    }
}

/// Sizes on which one walker took longer than five, and five longer than cloning with this lambda; and on
/// how many its population was near to what was predicted. Of those sizes on which more walkers than at the
/// start are expected.
struct Verdict {
    lambda: f64,
    ordered: usize,
    sizes: usize,
    near: usize,
    ratios: Vec<f64>,
}

fn verdict(rows: &[Row<'_>], lambda: f64) -> Verdict {
    let undirected = || rows.iter().filter(|row| row.cell.ways == Ways::Undirected);
    let rounds = |pages: usize, kind: Kind| {
        let mut of =
            undirected().filter(|row| (row.cell.pages, row.cell.population.kind) == (pages, kind));
        of.next().map_or(0.0, |row| row.rounds.mean)
    };
    let mut verdict = Verdict { lambda, ordered: 0, sizes: 0, near: 0, ratios: Vec::new() };
    let is_clear = |row: &&Row<'_>| row.predicted.is_some_and(|predicted| predicted >= CLEARLY);
    for row in undirected().filter(|row| row.cell.population.lambda == lambda).filter(is_clear) {
        let (pages, cloning) = (row.cell.pages, row.rounds.mean);
        let (single, five) = (rounds(pages, Kind::Single), rounds(pages, Kind::Multiple));
        verdict.sizes += 1;
        verdict.ordered += usize::from(single > five && five > cloning);
        if let Some(ratio) = row.ratio().filter(|_| pages >= FROM_PAGES) {
            verdict.near += usize::from((ratio - 1.0).abs() <= NEAR);
            verdict.ratios.push(ratio);
        }
    }
    verdict
}

fn verdicts(rows: &[Row<'_>], outcome: &mut Outcome) -> String {
    let mut text = String::new();
    let cloning = populations().into_iter().filter(|of| of.kind == Kind::Cloning);
    for verdict in cloning.map(|population| verdict(rows, population.lambda)) {
        let Verdict { lambda, ordered, sizes, near, ratios } = verdict;
        let of = |what: &str| format!("lambda_{lambda}.{what}");
        outcome.figure(of("sizes"), sizes);
        outcome.figure(of("sizes_in_the_order_of_figure_1"), ordered);
        outcome.figure(of("populations_judged"), ratios.len());
        outcome.figure(of("populations_within_20_percent"), near);
        let told = match range(ratios.iter().copied()) {
            Some((low, high)) => {
                outcome.figure(of("population_ratios"), vec![low, high]);
                format!(
                    "population within 20 % of n*lambda/ln(1/Min) on {near} of {} sizes from {FROM_PAGES} \
                     pages on ({low:.2} to {high:.2} of it)",
                    ratios.len()
                )
            }
            None => "too few walkers are expected to judge the population".into(),
        };
        let _ = writeln!(
            text,
            "lambda {lambda}: single > 5 agents > cloning in rounds on {ordered} of {sizes} sizes;\n  {told}."
        );
    }
    for ways in Ways::ALL {
        let of = rows
            .iter()
            .filter(|row| row.cell.ways == ways && row.cell.population.kind == Kind::Cloning);
        if let Some((low, high)) = range(of.map(|row| row.cost)) {
            let _ = writeln!(
                text,
                "In hops, which a crawler pays, cloning costs {low:.1} to {high:.1} times the single walker ({}).",
                ways.name()
            );
        }
    }
    let _ = writeln!(text, "Judged are sizes for which at least {CLEARLY} walkers are predicted.");
    text
}

/// Where fewer walkers live than predicted, for each lambda: what meetings on pages with many links take, and
/// what a rule leaves that own marks have no part in.
fn taken_apart(rows: &[Row<'_>]) -> String {
    let mut text = String::new();
    for population in populations().into_iter().filter(|of| of.kind == Kind::Cloning) {
        let is_clear = |row: &&Row<'_>| row.predicted.is_some_and(|predicted| predicted >= CLEARLY);
        let of = || {
            let own = rows.iter().filter(|row| row.cell.population == population);
            own.filter(|row| row.cell.pages >= FROM_PAGES).filter(is_clear)
        };
        let told = |values: Vec<f64>| {
            let ends = range(values.iter().copied());
            ends.map_or_else(|| "nothing".into(), |(low, high)| format!("{low:.2} to {high:.2}"))
        };
        let meetings = of().filter_map(|row| Some(row.balanced? / row.predicted?)).collect();
        let rest: Vec<f64> = of().filter_map(|row| Some(row.alive.mean / row.balanced?)).collect();
        let spared: Vec<f64> =
            of().filter_map(|row| row.spared.map(|(alive, balance)| alive / balance)).collect();
        if rest.is_empty() {
            continue;
        }
        let _ = write!(
            text,
            "lambda {}: births and deaths balance at {} of the prediction, as pages differ in links; the walkers are \
             {} of that",
            population.lambda,
            told(meetings),
            told(rest)
        );
        text += &match spared.is_empty() {
            true => "; no mark of two rounds kills, so none of their own.\n".to_owned(),
            false => {
                format!(
                    ", and {} of the balance under a rule that spares marks of two rounds and more, own ones \
                 among them.\n",
                    told(spared)
                )
            }
        };
    }
    text
}

fn markdown(
    graph: &LinkGraph,
    balls: &[Balls],
    (verdicts, taken_apart): &(String, String),
    claims: &Table,
    grids: &[Table; 2],
    alive: &Table,
) -> String {
    let sizes = || balls.iter().map(|balls| balls.pages);
    let (least, most) = (sizes().min().unwrap_or_default(), sizes().max().unwrap_or_default());
    let mut text = format!(
        "# Do more walkers see a web sooner, and how many live?\n\n\
         Wack, Bakhouya and Gaber, *Agent-based approach for web crawling*, Figure 1, on {} archived pages with {} \
         links among them. Balls of {least} to {most} pages around {BALLS} pages that were drawn, nearest pages \
         first; {WALKS} walks over each. All walkers begin in the middle. A round is one hop of every walker.\n\n\
         ```\n{verdicts}```\n\n",
        graph.links.len(),
        graph.ways()
    );
    text += "## The paper beside ours\n\n";
    text += &claims.markdown();
    text += "\nFigure 1 of the paper is a picture without numbers; n, lambda, Min and Max are not told. Ours: \
             Min 0.5, Max 0.9, cloning and the immune rule begin with 5 walkers, and there are never more than four for \
             a page.\n\n";
    text += AUDIT;
    let _ = write!(
        text,
        "\n## Links in both directions, as in the paper\n\n{}\nMeans; intervals and single walks are in the tables beside this page. The cover time of one \
         walk varies strongly, so factors near 1 are ties.\n\n\
         ![rounds and hops](wack-figure1.svg)\n\n## Population\n\n{}\n\
         The mean is taken from {GROWTH:.0} fading times on (ln(1/Min)/lambda rounds each), when the growth over \
         pages that nobody had seen is over, until the last page is seen; a walk that is over sooner goes on to 30 of them. \
         `balance` is where as many walkers die as are cloned, given how many links each page has; \
         `spared` is the population under a rule that kills only by marks of the same round or the one before, which are never a walker's own, and `of balance` what that is of the balance for this rule.\n\n{taken_apart}\n\
         ![population](wack-population.svg)\n\n## Links as they are, with dead ends\n\n",
        grids[0].markdown(),
        alive.markdown()
    );
    for of_size in balls.iter().filter(|balls| balls.ways == Ways::Directed) {
        let ends: Vec<f64> = of_size.balls.iter().map(|ball| ball.dead_ends() as f64).collect();
        let ways: Vec<f64> = of_size.balls.iter().map(|ball| ball.ways() as f64).collect();
        let _ = writeln!(
            text,
            "- {} pages: {:.0} links and {:.1} dead ends in the mean.",
            of_size.pages,
            mean(&ways),
            mean(&ends)
        );
    }
    let _ = write!(
        text,
        "\nA walker leaves a dead end by the way it came, and else begins anew at the middle; so it does after {PATIENCE} \
         hops without a page that nobody had seen, as there are corners with no way out. A walk is given up after \
         {MOST_HOPS} hops; where a star stands, one was.\n\n{}",
        grids[1].markdown()
    );
    text
}

/// What we think of the paper, in our own words.
const AUDIT: &str = "## What we think of it\n\n\
- The bound of Broder and others holds for walks that begin at pages drawn by their number of links. Here all begin at \
one page, where k walkers are about k times faster at best on most graphs: five are five times faster, not 25.\n\
- m = O(n^2) is a web in which every page links to every other. A real page has some dozens of links.\n\
- Time is counted in rounds, and walkers are free. Who pays for fetches counts hops; that is the second picture.\n\
- The pheromone rule keeps the time between two visits of a page between ln(1/Max)/lambda and ln(1/Min)/lambda \
rounds. With A walkers that time is about n/A, so the population goes to about n*lambda/ln(1/Min). That counts births \
alone and takes all pages for equal. Deaths happen only with more walkers than that; pages with many links, on which \
walkers meet, bring it down again.\n\
- Below lambda = ln(1/Max)/2 (0.053 here) a walker that returns to the page it came from finds its own mark and dies. \
That is no meeting, and the balance of births and deaths does not know of it. With a Max that spares marks of two \
rounds and more, own ones among them, the balance of that rule is met more nearly; both are told with the populations.\n\
- The immune rule grows on news and shrinks when meetings are as usual; the last pages are then left to few.\n\
- The rules have no say in what is fetched: as crawlers, walkers are a baseline.\n";
