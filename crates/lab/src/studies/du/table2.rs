//! What does talking to each other save? Table 2: pages that came twice, pages that came at all, and what
//! was said for it, in separate runs of equal virtual time.

use super::crawl::{Collected, Kind, crawl};
use super::paper::TABLE2;
use super::text::{agents, interval, method, shown, warnings};
use super::{Ground, all};
use crate::evaluation::Interval;
use crate::studies::plot::{Axis, Drawing, Figure, Join, Panel, Point, Series};
use crate::studies::table::Table;
use crate::studies::{Outcome, Progress, StudyError};
use lycosa_strategy::team::{Ownership, TeamParameters, Variant};

const STUDY: &str = "du-table2";
const SIZES: [usize; 3] = [5, 10, 20];
/// A threshold that nobody reaches: no contracts.
const NEVER: f32 = 1e6;

/// The ways to work together, with their names.
fn kinds() -> [(&'static str, &'static str, Kind); 4] {
    let hash = TeamParameters {
        ownership: Ownership::Hash,
        threshold: NEVER,
        beta: 0.0,
        ..TeamParameters::default()
    };
    [
        ("alone", "everybody alone", Kind::AloneAsTeam),
        (
            "contract_net",
            "contract net, visited service",
            Kind::Team(Variant::ContractNet, TeamParameters::default()),
        ),
        ("hash", "every URL has an owner", Kind::Team(Variant::ContractNet, hash)),
        ("shared", "one shared queue", Kind::Shared),
    ]
}

struct Row {
    agents: usize,
    key: &'static str,
    name: &'static str,
    pages: Interval,
    overlap: Interval,
    rate: Interval,
    unique: Interval,
    messages: Interval,
    precision: Interval,
    relevant: Interval,
}

/// Table 2 on every topic.
pub fn run(
    ground: &Ground<'_>,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Outcome, StudyError> {
    let cases = ground.cases()?;
    let (kinds, sizes) = (kinds(), ground.sizes(&SIZES));
    let mut jobs = Vec::new();
    for agents in sizes.iter().copied() {
        for (_, _, kind) in &kinds {
            jobs.extend(cases.iter().map(|case| (agents, kind, case)));
        }
    }
    let crawled: Vec<Collected> = all(
        &jobs,
        |(agents, kind, case)| crawl(ground, case, &case.seeds, kind, *agents),
        progress,
    );
    let names = sizes.iter().flat_map(|agents| kinds.iter().map(move |kind| (*agents, kind)));
    let rows: Vec<Row> = names
        .zip(crawled.chunks(cases.len()))
        .map(|((agents, (key, name, _)), crawls)| row(agents, key, name, crawls, ground.seed))
        .collect();
    let mut outcome = Outcome { study: STUDY, ..Outcome::default() };
    outcome.warnings = warnings(ground, &cases);
    for row in &rows {
        let of = |what: &str| format!("agents_{}.{}.{what}", row.agents, row.key);
        for (what, value) in [
            ("pages", row.pages),
            ("overlap", row.overlap),
            ("overlap_rate", row.rate),
            ("unique", row.unique),
            ("messages_per_page", row.messages),
            ("precision", row.precision),
            ("relevant", row.relevant),
        ] {
            outcome.figure(of(what), value.mean);
        }
    }
    let (table, paper, verdict) =
        (table(&rows), papers_table(), verdict(&rows, &sizes, &mut outcome));
    outcome.text = format!("{verdict}\n{}", table.plain());
    outcome.file(
        format!("{STUDY}.md"),
        format!(
            "# Table 2: what does talking to each other save?\n\n{verdict}\n{}\n\
             Every line is a separate run. Alone, crawlers begin at different seeds and know nothing of each \
             other. With owners, links are sent to whom a hash of the URL names, so that nobody needs to be \
             asked. Means over topics:\n\n{}\nThe paper's Table 2:\n\n{}\n{AUDIT}",
            method(ground, &cases),
            table.markdown(),
            paper.markdown(),
        ),
    );
    outcome.file(format!("{STUDY}.csv"), csv(&rows).csv());
    outcome.plot(STUDY, &figure(&rows));
    Ok(outcome)
}

const AUDIT: &str = "## What we think of the paper's table\n\n\
- 724 less 66 is 658, and 1,464 less 491 is 973: the pages \"with\" assistants are to the page the distinct pages \
\"without\". Two crawls of a live web do not agree like that. Either it is one crawl that was counted twice, or \
talking to each other brought no page more. So we make separate runs and count distinct pages in equal time.\n\
- A visited service makes the overlap zero by its construction; so does an owner for every URL, and so does one \
queue. The question is what it costs: see the messages. Of those of the contract net, two a page are between a crawler and its own assistant. A check with the \
facilitator covers 32 URLs and is made while pages are fetched, as here; were it waited for, two messages in 32 fetches \
would cost a quarter of a percent of the time.\n\
- Without talking, ten crawlers overlap more than five in the paper and here; how much depends on where they \
begin.\n";

fn row(
    agents: usize,
    key: &'static str,
    name: &'static str,
    crawls: &[Collected],
    seed: u64,
) -> Row {
    let column = |of: &dyn Fn(&Collected) -> f64| interval(crawls.iter().map(of).collect(), seed);
    Row {
        agents,
        key,
        name,
        pages: column(&|crawl| crawl.pages as f64),
        overlap: column(&|crawl| crawl.overlap() as f64),
        rate: column(&|crawl| crawl.overlap() as f64 / crawl.pages.max(1) as f64),
        unique: column(&|crawl| crawl.unique.len() as f64),
        messages: column(&|crawl| crawl.messages as f64 / crawl.pages.max(1) as f64),
        precision: column(&|crawl| crawl.precision_at(60).unwrap_or_default()),
        relevant: column(&|crawl| crawl.relevant_at(60) as f64),
    }
}

fn find<'a>(rows: &'a [Row], agents: usize, key: &str) -> Option<&'a Row> {
    rows.iter().find(|row| row.agents == agents && row.key == key)
}

fn verdict(rows: &[Row], sizes: &[usize], outcome: &mut Outcome) -> String {
    let mut text = String::new();
    for agents in sizes.iter().copied() {
        let (Some(alone), Some(team), Some(shared)) = (
            find(rows, agents, "alone"),
            find(rows, agents, "contract_net"),
            find(rows, agents, "shared"),
        ) else {
            continue;
        };
        let throughput = team.unique.mean / shared.unique.mean.max(1.0);
        outcome.figure(format!("agents_{agents}.contract_net.throughput_of_shared"), throughput);
        text += &format!(
            "{}: alone {:.1} % of the pages come again; with contracts {:.1} %, {:.0} distinct pages an \
             hour against {:.0} alone and {:.0} from one shared queue ({:.1} % of that), at {:.1} messages a page.\n",
            self::agents(agents),
            100.0 * alone.rate.mean,
            100.0 * team.rate.mean,
            team.unique.mean,
            alone.unique.mean,
            shared.unique.mean,
            100.0 * throughput,
            team.messages.mean,
        );
    }
    text
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        "agents",
        "way",
        "pages",
        "came again",
        "rate",
        "distinct pages",
        "messages per page",
        "relevant pages",
        "precision",
    ]);
    for row in rows {
        table.row(vec![
            row.agents.to_string(),
            row.name.into(),
            format!("{:.0}", row.pages.mean),
            format!("{:.1}", row.overlap.mean),
            format!("{:.2} %", 100.0 * row.rate.mean),
            shown(row.unique, 0),
            format!("{:.2}", row.messages.mean),
            shown(row.relevant, 1),
            format!("{:.3}", row.precision.mean),
        ]);
    }
    table
}

fn papers_table() -> Table {
    let mut table = Table::new(&[
        "agents",
        "without assistants: pages",
        "came again",
        "rate",
        "distinct (computed)",
        "with assistants: pages",
        "came again",
    ]);
    for (agents, overlap, pages, with) in TABLE2 {
        table.row(vec![
            agents.to_string(),
            pages.to_string(),
            overlap.to_string(),
            format!("{:.3} %", 100.0 * overlap as f64 / pages as f64),
            (pages - overlap).to_string(),
            with.to_string(),
            "0".into(),
        ]);
    }
    table
}

fn csv(rows: &[Row]) -> Table {
    let mut table = Table::new(&["agents", "way", "what", "mean", "low", "high"]);
    for row in rows {
        for (what, value) in [
            ("pages", row.pages),
            ("overlap", row.overlap),
            ("overlap_rate", row.rate),
            ("unique", row.unique),
            ("messages_per_page", row.messages),
            ("precision", row.precision),
            ("relevant", row.relevant),
        ] {
            table.row(vec![
                row.agents.to_string(),
                row.key.into(),
                what.into(),
                format!("{:.5}", value.mean),
                format!("{:.5}", value.low),
                format!("{:.5}", value.high),
            ]);
        }
    }
    table
}

fn figure(rows: &[Row]) -> Drawing {
    let series = |of: &dyn Fn(&Row) -> Interval, scale: f64| -> Vec<Series> {
        let line = |(key, name, _): &(&'static str, &'static str, Kind)| {
            let points = rows.iter().filter(|row| row.key == *key).map(|row| {
                let value = of(row);
                Point {
                    x: row.agents as f64,
                    y: scale * value.mean,
                    band: Some((scale * value.low, scale * value.high)),
                }
            });
            Series { name: (*name).into(), points: points.collect(), join: Join::Line }
        };
        kinds().iter().map(line).collect()
    };
    let mut sizes: Vec<f64> = rows.iter().map(|row| row.agents as f64).collect();
    sizes.dedup();
    let agents = || Axis::linear("agents").at(&sizes);
    let panel = |y: &str, series: Vec<Series>| Panel {
        title: String::new(),
        x: agents(),
        y: Axis::linear(y).starting(0.0),
        series,
    };
    Figure {
        title: "Table 2: pages that came again, and distinct pages in an hour".into(),
        columns: 2,
        panels: vec![
            panel("pages that came again, % of all", series(&|row| row.rate, 100.0)),
            panel("distinct pages in an hour of virtual time", series(&|row| row.unique, 1.0)),
            panel("messages per page", series(&|row| row.messages, 1.0)),
            panel("relevant pages found in an hour", series(&|row| row.relevant, 1.0)),
        ],
    }
    .draw()
}
