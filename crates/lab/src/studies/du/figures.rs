//! How do the teams do over time? Figures 15 to 20: precision and pages by strategy, with the comparison
//! that the paper lacks: one queue for as many crawlers.

use super::crawl::{Collected, EVERY, Kind, LOOKS, crawl};
use super::text::{agents, interval, method, shown, warnings};
use super::{Ground, all, table1};
use crate::evaluation::{Interval, compare, holm, mean};
use crate::studies::plot::{Axis, Drawing, Figure, Join, Panel, Point, Series};
use crate::studies::table::{Table, probability};
use crate::studies::{Outcome, Progress, StudyError};
use lycosa_strategy::team::{TeamParameters, Variant};

const STUDY: &str = "du-figures";
/// Agents of Figures 17 and 18, and of 19 and 20.
const SIZES: [usize; 2] = [5, 10];

fn kinds() -> [(&'static str, Kind); 6] {
    let team = |variant| Kind::Team(variant, TeamParameters::default());
    [
        ("breadth-first, alone", Kind::Alone("breadth-first")),
        ("best-first, alone", Kind::Alone("best-first")),
        ("xiangdan", team(Variant::XiangDan)),
        ("wyy", team(Variant::Wyy)),
        ("contract-net", team(Variant::ContractNet)),
        ("one shared queue", Kind::Shared),
    ]
}

struct Line<'a> {
    agents: usize,
    name: &'static str,
    crawls: &'a [Collected],
}

impl Line<'_> {
    fn precision(&self, minutes: usize) -> Vec<f64> {
        self.crawls.iter().map(|c| c.precision_at(minutes).unwrap_or_default()).collect()
    }

    fn relevant(&self, minutes: usize) -> Vec<f64> {
        self.crawls.iter().map(|c| c.relevant_at(minutes) as f64).collect()
    }

    fn pages(&self, minutes: usize) -> Vec<f64> {
        self.crawls.iter().map(|c| c.pages_at(minutes) as f64).collect()
    }
}

/// The figures on every topic.
pub fn run(
    ground: &Ground<'_>,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Outcome, StudyError> {
    let (cases, seed, kinds) = (ground.cases()?, ground.seed, kinds());
    let sizes = ground.sizes(&SIZES);
    let sweep = table1::sweep(ground, &cases, 1, progress);
    let mut jobs = Vec::new();
    for agents in sizes.iter().copied() {
        for (_, kind) in &kinds {
            jobs.extend(cases.iter().map(|case| (agents, kind, case)));
        }
    }
    let crawled: Vec<Collected> = all(
        &jobs,
        |(agents, kind, case)| crawl(ground, case, &case.seeds, kind, *agents),
        progress,
    );
    let names = sizes.iter().flat_map(|agents| kinds.iter().map(move |(name, _)| (*agents, *name)));
    let lines: Vec<Line<'_>> = names
        .zip(crawled.chunks(cases.len()))
        .map(|((agents, name), crawls)| Line { agents, name, crawls })
        .collect();
    let mut outcome = Outcome { study: STUDY, ..Outcome::default() };
    outcome.warnings = warnings(ground, &cases);
    for line in &lines {
        let of = |what: &str| format!("agents_{}.{}.{what}", line.agents, key(line.name));
        outcome.figure(of("precision"), mean(&line.precision(60)));
        outcome.figure(of("relevant"), mean(&line.relevant(60)));
        outcome.figure(of("pages"), mean(&line.pages(60)));
    }
    let (table, verdict) = (table(&lines, seed), verdict(&lines, &sizes, seed));
    outcome.text = format!("{verdict}\n{}", table.plain());
    outcome.file(
        format!("{STUDY}.md"),
        format!(
            "# Figures 15 to 20: precision and pages over time\n\n{verdict}\n{}\n\
             `alone`: crawlers that know nothing of each other, each with its own queue; pages that came again are \
             counted once. `one shared queue`: as many crawlers with the scores of the team in one queue. In \
             xiangdan and wyy nobody crawls while there are negotiations.\n\n{}\n{AUDIT}",
            method(ground, &cases),
            table.markdown(),
        ),
    );
    outcome.file(format!("{STUDY}.csv"), csv(&lines, seed).csv());
    outcome.plot("du-figure15", &table1::figure15(&sweep, seed));
    outcome.plot("du-figure16", &table1::figure16(&sweep, &sweep.intervals(seed)));
    for (number, agents) in [17, 19].into_iter().zip(sizes.iter().copied()) {
        let (precision, pages) = figures(&lines, agents, number, seed);
        outcome.plot(&format!("du-figure{number}"), &precision);
        outcome.plot(&format!("du-figure{}", number + 1), &pages);
    }
    Ok(outcome)
}

fn key(name: &str) -> String {
    name.replace(", alone", "").replace(' ', "_")
}

const AUDIT: &str = "## What we think of the paper's figures\n\n\
- The figures have no numbers in the text; the claim is that breadth-first collects most pages with the lowest \
precision, and that the three teams are almost equal. In equal time everybody who is never idle fetches as \
many pages. Here a page that came again is not counted, so that crawlers who do not talk have fewer, also breadth-first.\n\
- The paper compares teams with crawlers that do not talk. What is missing is one queue that all crawlers share: \
it talks about nothing, and nobody works on poor links while another has good ones. That line is here. A contract \
net is a way to share work between machines; within one, a queue is.\n";

fn verdict(lines: &[Line<'_>], sizes: &[usize], seed: u64) -> String {
    let mut compared = Vec::new();
    for size in sizes {
        let of = |name: &str| lines.iter().find(|line| line.agents == *size && line.name == name);
        let Some(team) = of("contract-net") else { continue };
        for other in ["best-first, alone", "xiangdan", "wyy", "one shared queue"] {
            let Some(line) = of(other) else { continue };
            compared.push((*size, other, compare(&team.relevant(60), &line.relevant(60), seed)));
        }
    }
    let values: Vec<f64> = compared.iter().map(|(.., one)| one.signed_rank).collect();
    let mut text = String::new();
    for ((size, other, comparison), p) in compared.iter().zip(holm(&values)) {
        text += &format!(
            "- {}, relevant pages in an hour, contract-net less {other}: {} (p {}), better on {} topics, worse \
             on {}.\n",
            agents(*size),
            shown(comparison.difference, 1),
            probability(p),
            comparison.wins,
            comparison.losses
        );
    }
    text + "\nTests are Wilcoxon's, corrected after Holm for all of these lines.\n"
}

fn table(lines: &[Line<'_>], seed: u64) -> Table {
    let mut table = Table::new(&[
        "agents",
        "strategy",
        "precision, 15 min",
        "precision, 60 min",
        "pages, 60 min",
        "relevant, 15 min",
        "relevant, 60 min",
        "messages per page",
        "contracts",
    ]);
    for line in lines {
        let of = |of: &dyn Fn(&Collected) -> f64| -> f64 {
            mean(&line.crawls.iter().map(of).collect::<Vec<_>>())
        };
        table.row(vec![
            line.agents.to_string(),
            line.name.into(),
            shown(interval(line.precision(15), seed), 3),
            shown(interval(line.precision(60), seed), 3),
            format!("{:.0}", mean(&line.pages(60))),
            format!("{:.1}", mean(&line.relevant(15))),
            shown(interval(line.relevant(60), seed), 1),
            format!("{:.2}", of(&|c| c.messages as f64 / c.pages.max(1) as f64)),
            format!("{:.1}", of(&|c| c.contracts as f64)),
        ]);
    }
    table
}

fn csv(lines: &[Line<'_>], seed: u64) -> Table {
    let mut table = Table::new(&[
        "agents",
        "strategy",
        "minutes",
        "precision",
        "low",
        "high",
        "pages",
        "pages_low",
        "pages_high",
        "relevant",
        "relevant_low",
        "relevant_high",
    ]);
    for line in lines {
        for minutes in (1..=LOOKS).map(|look| EVERY * look) {
            let columns = [line.precision(minutes), line.pages(minutes), line.relevant(minutes)];
            let numbers = columns.map(|column| {
                let Interval { mean, low, high } = interval(column, seed);
                [mean, low, high]
            });
            let numbers = numbers.iter().flatten().map(|number| format!("{number:.5}"));
            let head = [line.agents.to_string(), line.name.to_owned(), minutes.to_string()];
            table.row(head.into_iter().chain(numbers).collect());
        }
    }
    table
}

fn figures(lines: &[Line<'_>], agents: usize, number: usize, seed: u64) -> (Drawing, Drawing) {
    let series = |of: &dyn Fn(&Line<'_>, usize) -> Vec<f64>| -> Vec<Series> {
        let curve = |line: &Line<'_>| {
            let banded = line.name == "contract-net";
            let point = |look: usize| {
                let value = interval(of(line, EVERY * look), seed);
                let band = banded.then_some((value.low, value.high));
                Point { x: (EVERY * look) as f64, y: value.mean, band }
            };
            let join = match line.name {
                "one shared queue" => Join::Reference,
                _ => Join::Line,
            };
            Series { name: line.name.into(), points: (1..=LOOKS).map(point).collect(), join }
        };
        lines.iter().filter(|line| line.agents == agents).map(curve).collect()
    };
    let drawn = |number: usize, what: &str, y: &str, series: Vec<Series>| {
        Figure {
            title: format!("Figure {number}: {what} of {} over time", self::agents(agents)),
            columns: 1,
            panels: vec![Panel {
                title: String::new(),
                x: Axis::linear("virtual time, minutes").starting(0.0),
                y: Axis::linear(y).starting(0.0),
                series,
            }],
        }
        .draw()
    };
    (
        drawn(
            number,
            "precision",
            "precision, mean over topics (band: 95 % of contract-net)",
            series(&|line, minutes| line.precision(minutes)),
        ),
        drawn(
            number + 1,
            "pages",
            "distinct pages, mean over topics",
            series(&|line, minutes| line.pages(minutes)),
        ),
    )
}
