//! How is it told? Recall and precision beside best-first, parts taken away, and the population.

use super::measure::{ABLATIONS, Cell, Crawled, FETCHES, FORMS, REPLICATES, RIVAL, STEP, Start};
use crate::evaluation::{Comparison, Interval, bootstrap, compare, holm, mean};
use crate::simulator::Topic;
use crate::studies::Outcome;
use crate::studies::plot::{Axis, Drawing, Figure, Group, Join, Panel, Point, Series, intervals};
use crate::studies::table::{Table, probability};
use std::fmt::Write as _;

/// Name of the study.
const STUDY: &str = "myspiders";
/// Fetches after which recall and precision are told.
const CHECKPOINTS: [usize; 4] = [100, 250, 500, 1_000];

/// One of the curves of a crawl.
type Curve = fn(&Crawled) -> &Vec<f64>;

fn column(cell: &Cell, of: impl Fn(&Crawled) -> f64) -> Vec<f64> {
    cell.topics.iter().map(of).collect()
}

fn at(curve: &[f64], fetches: usize) -> f64 {
    curve.get(fetches / STEP - 1).copied().unwrap_or_default()
}

fn find<'a>(
    cells: &'a [Cell],
    start: Start,
    name: &str,
    part_of: Option<&str>,
) -> Option<&'a Cell> {
    cells
        .iter()
        .find(|cell| (cell.start, cell.system.name, cell.system.part_of) == (start, name, part_of))
}

fn areas(cell: &Cell) -> Vec<f64> {
    column(cell, |crawled| crawled.area)
}

pub(super) fn outcome(topics: &[Topic], cells: &[Cell], timeout: f64, seed: u64) -> Outcome {
    let mut outcome = Outcome { study: STUDY, ..Outcome::default() };
    outcome.figure("topics", topics.len());
    outcome.figure("fetches", FETCHES);
    let systems = systems(cells, seed, &mut outcome);
    let parts = parts(cells, seed, &mut outcome);
    outcome.text = format!("{}\n{}", systems.plain(), parts.plain());
    outcome.file(format!("{STUDY}.md"), markdown(topics, cells, timeout, &systems, &parts));
    outcome.file(format!("{STUDY}.csv"), every(topics, cells).csv());
    outcome.file(format!("{STUDY}-curves.csv"), curves(cells).csv());
    outcome.plot(STUDY, &figure(cells));
    outcome.plot("myspiders-parts", &parts_drawn(cells, seed));
    outcome.plot("myspiders-population", &population(cells, seed));
    outcome
}

/// Those that are compared with each other, and best-first with each.
fn systems(cells: &[Cell], seed: u64, outcome: &mut Outcome) -> Table {
    let mut head =
        vec!["start", "system", "AURC", "95 %", "against best-first", "95 % ", "wins", "p"];
    let names: Vec<String> = CHECKPOINTS.iter().map(|n| format!("R@{n}")).collect();
    head.extend(names.iter().map(String::as_str));
    let names: Vec<String> = CHECKPOINTS.iter().map(|n| format!("P@{n}")).collect();
    head.extend(names.iter().map(String::as_str));
    let mut table = Table::new(&head);
    let compared: Vec<&Cell> = cells.iter().filter(|cell| cell.system.part_of.is_none()).collect();
    let rivals = |cell: &Cell| find(cells, cell.start, RIVAL, None);
    let all = corrected(&compared, rivals, seed);
    for (cell, (against, p)) in compared.into_iter().zip(all) {
        let own = areas(cell);
        let area = bootstrap(std::slice::from_ref(&own), seed).first().copied().unwrap_or_default();
        let of = |what: &str| format!("{}.{}.{what}", cell.start.name(), cell.system.name);
        outcome.figure(of("aurc"), area.mean);
        outcome.figure(of("aurc.interval"), vec![area.low, area.high]);
        outcome.figure(of("against_best_first"), against.difference.mean);
        let mut row = vec![
            cell.start.name().to_owned(),
            cell.system.name.to_owned(),
            format!("{:.3}", area.mean),
            format!("{:.3} to {:.3}", area.low, area.high),
        ];
        outcome.figure(of("p_best_first"), p);
        row.extend(told(cell.system.name == RIVAL, &against, p));
        for fetches in CHECKPOINTS {
            let recall = mean(&column(cell, |crawled| at(&crawled.recall, fetches)));
            outcome.figure(of(&format!("recall_{fetches}")), recall);
            row.push(format!("{recall:.3}"));
        }
        for fetches in CHECKPOINTS {
            let precision = mean(&column(cell, |crawled| at(&crawled.precision, fetches)));
            outcome.figure(of(&format!("precision_{fetches}")), precision);
            row.push(format!("{precision:.3}"));
        }
        table.row(row);
    }
    table
}

/// Each beside what it is compared with, and p-values of Wilcoxon's test, corrected after Holm for all of them
/// but those that would be compared with themselves.
fn corrected<'a>(
    own: &[&'a Cell],
    other: impl Fn(&Cell) -> Option<&'a Cell>,
    seed: u64,
) -> Vec<(Comparison, f64)> {
    let compared: Vec<(bool, Comparison)> = own
        .iter()
        .map(|cell| {
            let other = other(cell);
            let itself = other.is_some_and(|other| std::ptr::eq(other, *cell));
            (itself, compare(&areas(cell), &other.map(areas).unwrap_or_default(), seed))
        })
        .collect();
    let tests = compared.iter().filter(|(itself, _)| !itself);
    let mut corrected =
        holm(&tests.map(|(_, one)| one.signed_rank).collect::<Vec<f64>>()).into_iter();
    let with = |(itself, one)| (one, if itself { 1.0 } else { corrected.next().unwrap_or(1.0) });
    compared.into_iter().map(with).collect()
}

/// A comparison in four cells; empty ones for who is compared with itself.
fn told(itself: bool, against: &Comparison, p: f64) -> [String; 4] {
    if itself {
        return Default::default();
    }
    let Comparison { difference, wins, losses, .. } = against;
    [
        format!("{:+.3}", difference.mean),
        format!("{:+.3} to {:+.3}", difference.low, difference.high),
        format!("{wins}:{losses}"),
        probability(p),
    ]
}

/// What is lost when a part is taken away.
fn parts(cells: &[Cell], seed: u64, outcome: &mut Outcome) -> Table {
    let head = [
        "form",
        "change",
        "AURC",
        "difference",
        "95 %",
        "wins",
        "p",
        "born",
        "died",
        "alive",
        "s per page",
    ];
    let mut table = Table::new(&head);
    let full = |form: &str| find(cells, Start::Far, form, None);
    let mut compared: Vec<&Cell> = Vec::new();
    for form in FORMS {
        let without = ABLATIONS.iter().filter_map(|what| find(cells, Start::Far, what, Some(form)));
        compared.extend(full(form).into_iter().chain(without));
    }
    let all =
        corrected(&compared, |cell| full(cell.system.part_of.unwrap_or(cell.system.name)), seed);
    for (cell, (against, p)) in compared.into_iter().zip(all) {
        let form = cell.system.part_of.unwrap_or(cell.system.name);
        let is_full = cell.system.part_of.is_none();
        let own = areas(cell);
        let what = if is_full { "" } else { cell.system.name };
        let of = |name: &str| {
            let what = if is_full { "nothing" } else { what };
            format!("without.{form}.{what}.{name}")
        };
        outcome.figure(of("aurc"), mean(&own));
        outcome.figure(of("difference"), against.difference.mean);
        let mut row = vec![form.to_owned(), what.to_owned(), format!("{:.3}", mean(&own))];
        outcome.figure(of("p"), p);
        row.extend(told(is_full, &against, p));
        let last: [(&str, Curve); 3] = [
            ("births", |crawled| &crawled.births),
            ("deaths", |crawled| &crawled.deaths),
            ("alive", |crawled| &crawled.alive),
        ];
        for (name, curve) in last {
            let value = mean(&column(cell, |crawled| at(curve(crawled), FETCHES)));
            outcome.figure(of(name), value);
            row.push(format!("{value:.1}"));
        }
        let seconds = mean(&column(cell, |crawled| crawled.seconds));
        outcome.figure(of("seconds_per_page"), seconds);
        row.push(format!("{seconds:.4}"));
        table.row(row);
    }
    table
}

fn markdown(
    topics: &[Topic],
    cells: &[Cell],
    timeout: f64,
    systems: &Table,
    parts: &Table,
) -> String {
    let mut text = format!(
        "# Do adaptive spiders find more than a queue does?\n\n\
         Pant and Menczer, *MySpiders: evolve your own intelligent web crawlers*. {} topics, {FETCHES} fetches each; systems \
         that draw crawl {REPLICATES} times, each with another seed, and count with their mean. Who judges are people: the categories that pages \
         are in, which no strategy sees. Intervals are of 10,000 bootstrap draws of the topics, p of Wilcoxon's \
         signed-rank test over topics, corrected after Holm for all rows of a table.\n\n",
        topics.len()
    );
    text += "## The paper beside ours\n\n\
             The paper has no figures of a crawl: it tells of 1,723 users in April 2001 and leaves evaluation to others. Its \
             claims, and those of the line of work that it belongs to:\n\n";
    text += &claims(cells).markdown();
    let _ = write!(
        text,
        "\n## Systems\n\n{}\nAURC is the mean share of the relevant pages that was found, over all fetches; R and P are \
         recall and precision after so many. `infospiders` keeps links of earlier pages; `Figure 1` chooses among \
         those of the page where a spider is.\n\n![recall and precision](myspiders.svg)\n\n## Parts taken away\n\n\
         Start pages two links away. The time-out is {timeout:.3} s, twice what a page takes in the mean.\n\n{}\n\
         ![AURC without parts](myspiders-parts.svg)\n\n## Population\n\n\
         ![births, deaths and the living](myspiders-population.svg)\n\n",
        systems.markdown(),
        parts.markdown()
    );
    text += &audit(topics.len(), cells);
    text
}

/// What we think of it, with what it rests on.
fn audit(topics: usize, cells: &[Cell]) -> String {
    let last = |curve: Curve| {
        let full = find(cells, Start::Far, FORMS[0], None);
        full.map_or(0.0, |cell| mean(&column(cell, |crawled| at(curve(crawled), FETCHES))))
    };
    let (born, died) = (last(|crawled| &crawled.births), last(|crawled| &crawled.deaths));
    format!(
        "## What we think of it\n\n\
         - The cost of the paper, #INIT * THETA / MAX_PAGES for a page that takes the whole time-out, makes the energy of the \
         beginning last for MAX_PAGES pages of which none is relevant. A page of the topic brings 1: with five start pages \
         that is a hundred times as much. So of {born:.0} spiders that are born in a crawl {died:.1} die ({topics} topics). A cap on the \
         population is needed, and selection begins only where time is dear.\n\
         - {FETCHES} pages for {born:.0} spiders are {:.0} for each. That may be too few to learn from, and to gain by a \
         word of a page of birth; the table says what each part adds, not why.\n\
         - To choose among the links of one page is the weak point of the first form: a queue has all of them.\n",
        FETCHES as f64 / born.max(1.0)
    )
}

fn claims(cells: &[Cell]) -> Table {
    let mut table = Table::new(&["claim", "what we measured"]);
    let area =
        |start, name, part_of| find(cells, start, name, part_of).map(|cell| mean(&areas(cell)));
    let pair = |first: Option<f64>, second: Option<f64>| match first.zip(second) {
        Some((first, second)) => format!("{first:.3} against {second:.3} (AURC)"),
        None => "not measured".into(),
    };
    let rival = |start| area(start, RIVAL, None);
    for (start, form) in Start::ALL.into_iter().flat_map(|start| FORMS.map(|form| (start, form))) {
        table.row(vec![
            format!(
                "best-first is a valid alternative under certain circumstances: {form}, {}",
                start.title()
            ),
            pair(area(start, form, None), rival(start)),
        ]);
    }
    let without =
        |what| pair(area(Start::Far, FORMS[0], None), area(Start::Far, what, Some(FORMS[0])));
    for (claim, what) in [
        ("a cost of latency does not make results worse", ABLATIONS[0]),
        ("spiders learn from what they see", ABLATIONS[1]),
        ("offspring look for words of the page of their birth", ABLATIONS[2]),
    ] {
        table.row(vec![format!("{claim}: with it against {what}"), without(what)]);
    }
    let late = |name: &str| {
        let cell = find(cells, Start::Far, name, None)?;
        Some(mean(&column(cell, |crawled| at(&crawled.recall, FETCHES))))
    };
    let late = late(FORMS[0]).zip(late(RIVAL));
    table.row(vec![
        "after long crawls the evolutionary crawler is ahead of the best one that does not adapt"
            .into(),
        late.map_or_else(String::new, |(ours, rival)| {
            format!("recall after {FETCHES} fetches: {ours:.3} against {rival:.3}")
        }),
    ]);
    table
}

fn every(topics: &[Topic], cells: &[Cell]) -> Table {
    let mut table = Table::new(&[
        "start",
        "system",
        "part_of",
        "topic",
        "aurc",
        "recall",
        "precision",
        "born",
        "died",
        "seconds_per_page",
    ]);
    for cell in cells {
        for (topic, crawled) in topics.iter().zip(&cell.topics) {
            let mut row = vec![
                cell.start.name().to_owned(),
                cell.system.name.to_owned(),
                cell.system.part_of.unwrap_or_default().to_owned(),
                topic.topic.clone(),
            ];
            let numbers = [
                crawled.area,
                at(&crawled.recall, FETCHES),
                at(&crawled.precision, FETCHES),
                at(&crawled.births, FETCHES),
                at(&crawled.deaths, FETCHES),
                crawled.seconds,
            ];
            row.extend(numbers.map(|number| format!("{number:.5}")));
            table.row(row);
        }
    }
    table
}

fn curves(cells: &[Cell]) -> Table {
    let mut table = Table::new(&[
        "start",
        "system",
        "part_of",
        "fetches",
        "recall",
        "precision",
        "alive",
        "born",
        "died",
    ]);
    for cell in cells {
        for fetches in (STEP..=FETCHES).step_by(STEP) {
            let mut row = vec![
                cell.start.name().to_owned(),
                cell.system.name.to_owned(),
                cell.system.part_of.unwrap_or_default().to_owned(),
                fetches.to_string(),
            ];
            let curves: [Curve; 5] = [
                |crawled| &crawled.recall,
                |crawled| &crawled.precision,
                |crawled| &crawled.alive,
                |crawled| &crawled.births,
                |crawled| &crawled.deaths,
            ];
            for curve in curves {
                row.push(format!(
                    "{:.5}",
                    mean(&column(cell, |crawled| at(curve(crawled), fetches)))
                ));
            }
            table.row(row);
        }
    }
    table
}

fn curve(cell: &Cell, name: &str, join: Join, of: Curve, seed: u64) -> Series {
    let fetches: Vec<usize> = (STEP..=FETCHES).step_by(STEP).collect();
    let columns: Vec<Vec<f64>> =
        fetches.iter().map(|count| column(cell, |crawled| at(of(crawled), *count))).collect();
    let point = |(count, value): (&usize, &Interval)| Point {
        x: *count as f64,
        y: value.mean,
        band: Some((value.low, value.high)),
    };
    let points = fetches.iter().zip(&bootstrap(&columns, seed)).map(point).collect();
    Series { name: name.into(), points, join }
}

fn figure(cells: &[Cell]) -> Drawing {
    let mut panels = Vec::new();
    for start in Start::ALL {
        let of_start =
            || cells.iter().filter(|cell| cell.start == start && cell.system.part_of.is_none());
        let panel = |label: &str, of: Curve| Panel {
            title: start.title().into(),
            x: Axis::linear("fetches").starting(0.0),
            y: Axis::linear(label).starting(0.0),
            series: of_start()
                // Eight bands on each other say nothing; the intervals are in the table.
                .map(|cell| {
                    let point = |count: usize| {
                        let values = column(cell, |crawled| at(of(crawled), count));
                        (count as f64, mean(&values))
                    };
                    let points = (STEP..=FETCHES).step_by(STEP).map(point);
                    Series::new(cell.system.name, Join::Line, points)
                })
                .collect(),
        };
        if of_start().next().is_some() {
            panels.push(panel("recall (share of the relevant pages)", |crawled| &crawled.recall));
            panels.push(panel("precision (relevant among fetched)", |crawled| &crawled.precision));
        }
    }
    let title = "InfoSpiders beside other crawlers (means over topics)";
    Figure { title: title.into(), columns: 2, panels }.draw()
}

fn parts_drawn(cells: &[Cell], seed: u64) -> Drawing {
    let of_form = |form: &'static str| {
        let full = find(cells, Start::Far, form, None).into_iter();
        let parts = ABLATIONS.iter().filter_map(|what| find(cells, Start::Far, what, Some(form)));
        let columns: Vec<Vec<f64>> = full.chain(parts).map(areas).collect();
        Group { name: form.into(), values: bootstrap(&columns, seed) }
    };
    let mut series = vec!["as it is"];
    series.extend(ABLATIONS);
    let title = "AURC when a part is taken away (means over topics, 95 % intervals)";
    intervals(title, "AURC, mean over topics", &series, &FORMS.map(of_form))
}

fn population(cells: &[Cell], seed: u64) -> Drawing {
    let panel = |(form, what): (&'static str, Option<&'static str>)| {
        let cell = match what {
            None => find(cells, Start::Far, form, None)?,
            Some(what) => find(cells, Start::Far, what, Some(form))?,
        };
        let series = vec![
            curve(cell, "alive", Join::Step, |crawled| &crawled.alive, seed),
            curve(cell, "born so far", Join::Step, |crawled| &crawled.births, seed),
            curve(cell, "died so far", Join::Step, |crawled| &crawled.deaths, seed),
        ];
        Some(Panel {
            title: what.map_or_else(|| form.to_owned(), |what| format!("{form}: {what}")),
            x: Axis::linear("fetches").starting(0.0),
            y: Axis::linear("spiders").starting(0.0),
            series,
        })
    };
    let title =
        "Births, deaths and living spiders, start pages two links away (means, 95 % intervals)";
    let dear = ABLATIONS.last().copied();
    let all = FORMS.into_iter().flat_map(|form| [(form, None), (form, dear)]);
    Figure { title: title.into(), columns: 2, panels: all.filter_map(panel).collect() }.draw()
}
