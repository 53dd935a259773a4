//! How is it told? Areas under the recall curves with intervals and tests, and cost.

use super::cases::Case;
use super::measure::{
    BEST, CHECKPOINTS, Cell, Crawled, LEARNED, MEAN, ORACLE, PERMUTED, POINTS, RANDOM, REPLICATES,
};
use super::{Field, Measured, analysis, plots};
use crate::evaluation::{Comparison, Interval, bootstrap, compare, holm, mean};
use crate::studies::table::{Table, probability};
use crate::studies::{Outcome, StudyError};

pub(super) const STUDY: &str = "strategies";

/// A mean that is larger by this is larger.
const MARGIN: f64 = 1e-6;

/// Page steps that a core is to make in a second, by the names of strategies.
const QUICK: [(&str, f64); 2] = [(LEARNED, 2_000.0), (BEST, 10_000.0)];

pub(super) fn areas(cell: &Cell) -> Vec<f64> {
    cell.crawls.iter().map(|crawled| crawled.area).collect()
}

pub(super) fn mean_of(cell: &Cell, of: impl Fn(&Crawled) -> f64) -> f64 {
    mean(&cell.crawls.iter().map(of).collect::<Vec<f64>>())
}

/// CPU milliseconds for each page.
fn milliseconds(cell: &Cell) -> f64 {
    mean_of(cell, |crawled| crawled.milliseconds)
        / mean_of(cell, |crawled| crawled.fetches).max(1.0)
}

pub(super) fn find<'a>(cells: &'a [Cell], name: &str, far: bool) -> Option<&'a Cell> {
    cells.iter().find(|cell| cell.name == name && cell.far == far)
}

pub(super) fn start(far: bool) -> &'static str {
    if far { "far" } else { "near" }
}

pub(super) fn title(far: bool) -> &'static str {
    if far { "seeds two links away" } else { "seeds of the topic" }
}

/// Nothing is better than one that knows everything, and on no topic better than is possible.
pub(super) fn check(cases: &[Case], cells: &[Cell]) -> Result<(), StudyError> {
    for cell in cells {
        let of_cell = cases.iter().filter(|case| case.far == cell.far);
        for (case, crawled) in of_cell.zip(&cell.crawls) {
            if crawled.area > case.ground.ceiling + MARGIN {
                return Err(StudyError::AboveOracle(format!(
                    "{} has an AURC of {:.4} on topic {} from {} seeds, where {:.4} is possible",
                    cell.name,
                    crawled.area,
                    case.topic + 1,
                    start(cell.far),
                    case.ground.ceiling
                )));
            }
        }
        let Some(oracle) = find(cells, ORACLE, cell.far) else { continue };
        let (own, most) = (mean(&areas(cell)), mean(&areas(oracle)));
        if own > most + MARGIN {
            return Err(StudyError::AboveOracle(format!(
                "{} has a mean AURC of {own:.4} from {} seeds, and the oracle has {most:.4}",
                cell.name,
                start(cell.far)
            )));
        }
    }
    Ok(())
}

pub(super) fn outcome(field: &Field<'_>, cases: &[Case], measured: &Measured) -> Outcome {
    let Measured { cells, parts, held } = measured;
    let mut outcome = Outcome { study: STUDY, ..Outcome::default() };
    outcome.figure("topics", field.topics.len());
    outcome.figure("fetches", field.fetches);
    let mut held_by: Vec<(&str, Option<f64>)> = Vec::new();
    for cell in cells {
        if !held_by.iter().any(|(name, _)| *name == cell.name) {
            held_by.push((&cell.name, held.get(held_by.len()).copied().flatten()));
        }
    }
    let mut sections = Vec::new();
    for far in [true, false].into_iter().filter(|far| cells.iter().any(|cell| cell.far == *far)) {
        let own = by_area(cells, far);
        sections.push(Section {
            far,
            quality: quality(field, cells, &own, &mut outcome),
            cost: cost(&own, &held_by, &mut outcome),
        });
    }
    let analysis = analysis::analysis(field, cases, measured, &mut outcome);
    let quick = quick(cells, &mut outcome);
    for Section { far, quality, cost } in &sections {
        let (far, quality, cost) = (start(*far), quality.plain(), cost.plain());
        outcome.text += &format!("seeds: {far}\n{quality}\n{cost}\n");
    }
    outcome.text += &format!("{quick}\n{}", analysis.plain);
    outcome.file(format!("{STUDY}.md"), markdown(field, &sections, &quick, &analysis.markdown));
    outcome.file(format!("{STUDY}.csv"), every(field, cases, cells.iter().chain(parts)).csv());
    outcome.file(format!("{STUDY}-curves.csv"), curves(field, cells).csv());
    outcome.file(format!("{STUDY}-cost.csv"), every_cost(cells, &held_by).csv());
    outcome.file(format!("{STUDY}-topics.csv"), topics(field, cases).csv());
    outcome.plot(STUDY, &plots::areas_drawn(field, cells));
    let recall = ("recall", "mean share of the relevant pages that was found");
    outcome.plot("strategies-recall", &plots::drawn(field, cells, recall, |of| &of.recall));
    let harvest = ("harvest rate", "mean share of relevant pages among all fetches");
    outcome.plot("strategies-harvest", &plots::drawn(field, cells, harvest, |of| &of.harvest));
    outcome
}

/// Seeds from one distance.
struct Section {
    far: bool,
    quality: Table,
    cost: Table,
}

/// Best first.
fn by_area(cells: &[Cell], far: bool) -> Vec<&Cell> {
    let mut own: Vec<&Cell> = cells.iter().filter(|cell| cell.far == far).collect();
    own.sort_by(|a, b| mean(&areas(b)).total_cmp(&mean(&areas(a))));
    own
}

/// Each against one, with p-values corrected for all but that one itself.
pub(super) fn against(own: &[&Cell], name: &str, seed: u64) -> Vec<(Comparison, f64)> {
    let other = own.iter().find(|cell| cell.name == name).map_or_else(Vec::new, |cell| areas(cell));
    let compared: Vec<Comparison> =
        own.iter().map(|cell| compare(&areas(cell), &other, seed)).collect();
    let others = own.iter().zip(&compared).filter(|(cell, _)| cell.name != name);
    let values: Vec<f64> = others.map(|(_, one)| one.signed_rank).collect();
    let mut corrected = holm(&values).into_iter();
    let with = |(cell, one): (&&Cell, Comparison)| {
        (one, if cell.name == name { 1.0 } else { corrected.next().unwrap_or(1.0) })
    };
    own.iter().zip(compared).map(with).collect()
}

fn quality(field: &Field<'_>, cells: &[Cell], own: &[&Cell], outcome: &mut Outcome) -> Table {
    let far = own.first().is_some_and(|cell| cell.far);
    let columns: Vec<Vec<f64>> = own.iter().map(|cell| areas(cell)).collect();
    let intervals = bootstrap(&columns, field.seed);
    let (best, parents) = (against(own, BEST, field.seed), against(own, MEAN, field.seed));
    let floor = find(cells, RANDOM, far).map_or(0.0, |cell| mean(&areas(cell)));
    let most = find(cells, ORACLE, far).map_or(1.0, |cell| mean(&areas(cell)));
    let reached: Vec<usize> = CHECKPOINTS.into_iter().filter(|at| *at <= field.fetches).collect();
    let mut head: Vec<String> =
        ["strategy", "AURC", "95 %", "of oracle"].map(str::to_owned).to_vec();
    head.extend(reached.iter().map(|at| format!("R@{at}")));
    head.extend(
        [
            "recall",
            "found",
            "on sites",
            "- best-first",
            "95 %",
            "won:lost",
            "p",
            "- mean-of-parents",
            "won:lost",
            "p",
        ]
        .map(str::to_owned),
    );
    let mut table = Table::new(&head.iter().map(String::as_str).collect::<Vec<_>>());
    for (number, cell) in own.iter().enumerate() {
        let Interval { mean: area, low, high } = intervals[number];
        let share = (area - floor) / (most - floor).max(MARGIN);
        let ((best, best_p), (parents, parents_p)) = (&best[number], &parents[number]);
        let recall = mean_of(cell, |crawled| crawled.recall.last().copied().unwrap_or_default());
        let found = mean_of(cell, |crawled| crawled.found);
        let of = |what: &str| format!("{}.{}.{what}", start(far), cell.name);
        outcome.figure(of("aurc"), area);
        outcome.figure(of("aurc.interval"), vec![low, high]);
        outcome.figure(of("of_oracle"), share);
        outcome.figure(of("recall"), recall);
        outcome.figure(of("found"), found);
        outcome.figure(of("wins_best_first"), best.wins);
        outcome.figure(of("p_best_first"), *best_p);
        outcome.figure(of("wins_mean_of_parents"), parents.wins);
        outcome.figure(of("p_mean_of_parents"), *parents_p);
        let mut row = vec![
            cell.name.clone(),
            format!("{area:.4}"),
            format!("{low:.3} to {high:.3}"),
            format!("{share:.2}"),
        ];
        for place in 0..reached.len() {
            let at = mean_of(cell, |crawled| crawled.at.get(place).copied().unwrap_or_default());
            row.push(format!("{at:.3}"));
        }
        row.extend([
            format!("{recall:.3}"),
            format!("{found:.1}"),
            format!("{:.1}", mean_of(cell, |crawled| crawled.sites)),
            format!("{:+.3}", best.difference.mean),
            format!("{:+.3} to {:+.3}", best.difference.low, best.difference.high),
            format!("{}:{}", best.wins, best.losses),
            probability(*best_p),
            format!("{:+.3}", parents.difference.mean),
            format!("{}:{}", parents.wins, parents.losses),
            probability(*parents_p),
        ]);
        table.row(row);
    }
    table
}

fn cost(own: &[&Cell], held: &[(&str, Option<f64>)], outcome: &mut Outcome) -> Table {
    let mut table = Table::new(&[
        "strategy",
        "fetches",
        "without a page",
        "MB received",
        "links waiting",
        "CPU ms a page",
        "pages a second and core",
        "kB held a page",
    ]);
    for cell in own {
        let cost = milliseconds(cell);
        let of = |what: &str| format!("{}.{}.{what}", start(cell.far), cell.name);
        outcome.figure(of("failed"), mean_of(cell, |crawled| crawled.failed));
        outcome.figure(of("ms_per_page"), cost);
        outcome.figure(of("pages_per_second"), 1_000.0 / cost);
        table.row(vec![
            cell.name.clone(),
            format!("{:.0}", mean_of(cell, |crawled| crawled.fetches)),
            format!("{:.0}", mean_of(cell, |crawled| crawled.failed)),
            format!("{:.1}", mean_of(cell, |crawled| crawled.bytes) / 1e6),
            format!("{:.0}", mean_of(cell, |crawled| crawled.most_waiting)),
            format!("{cost:.3}"),
            format!("{:.0}", 1_000.0 / cost),
            memory(held, &cell.name)
                .map_or_else(|| "-".into(), |held| format!("{:.1}", held / 1e3)),
        ]);
    }
    table
}

fn memory(held: &[(&str, Option<f64>)], name: &str) -> Option<f64> {
    held.iter().find(|(of, _)| *of == name).and_then(|(_, held)| *held)
}

/// Whether those are quick enough that have to be; the slower of their two kinds of seeds counts.
fn quick(cells: &[Cell], outcome: &mut Outcome) -> String {
    let mut text = String::new();
    for (name, least) in QUICK {
        let own = cells.iter().filter(|cell| cell.name == name);
        let slowest = own.map(|cell| 1_000.0 / milliseconds(cell)).fold(f64::INFINITY, f64::min);
        outcome.figure(format!("{name}.pages_per_second"), slowest);
        let verdict = if slowest >= least { "as wanted" } else { "too few" };
        text += &format!(
            "{name}: {slowest:.0} pages a second and core (CPU time, pages read beforehand); {verdict}, {least} are \
             wanted.\n"
        );
    }
    text
}

/// Every crawl.
fn every<'a>(field: &Field<'_>, cases: &[Case], cells: impl Iterator<Item = &'a Cell>) -> Table {
    let mut head: Vec<String> = ["strategy", "seeds", "topic", "aurc"].map(str::to_owned).to_vec();
    let reached = CHECKPOINTS.into_iter().filter(|at| *at <= field.fetches);
    head.extend(reached.map(|at| format!("recall_{at}")));
    let rest = ["recall", "found", "sites", "fetches", "failed", "bytes", "most_waiting"];
    head.extend(rest.map(str::to_owned));
    let mut table = Table::new(&head.iter().map(String::as_str).collect::<Vec<_>>());
    for cell in cells {
        let own = cases.iter().filter(|case| case.far == cell.far);
        for (case, crawled) in own.zip(&cell.crawls) {
            let mut row = vec![
                cell.name.clone(),
                start(cell.far).into(),
                field.topics[case.topic].topic.clone(),
                format!("{:.6}", crawled.area),
            ];
            row.extend(crawled.at.iter().map(|recall| format!("{recall:.6}")));
            row.push(format!("{:.6}", crawled.recall.last().copied().unwrap_or_default()));
            let counts = [
                crawled.found,
                crawled.sites,
                crawled.fetches,
                crawled.failed,
                crawled.bytes,
                crawled.most_waiting,
            ];
            row.extend(counts.map(|count| format!("{count:.2}")));
            table.row(row);
        }
    }
    table
}

/// What the machine was asked for; the only file that another run writes differently.
fn every_cost(cells: &[Cell], held: &[(&str, Option<f64>)]) -> Table {
    let mut table =
        Table::new(&["strategy", "seeds", "cpu_ms_page", "pages_second_core", "bytes_held_page"]);
    for cell in cells {
        let cost = milliseconds(cell);
        table.row(vec![
            cell.name.clone(),
            start(cell.far).into(),
            format!("{cost:.5}"),
            format!("{:.0}", 1_000.0 / cost),
            memory(held, &cell.name).map_or_else(String::new, |held| format!("{held:.0}")),
        ]);
    }
    table
}

/// How the topics lie in the web.
fn topics(field: &Field<'_>, cases: &[Case]) -> Table {
    let head = [
        "seeds",
        "topic",
        "relevant",
        "sites",
        "on_sites_of_seeds",
        "reachable",
        "shared_with_wrong_topic",
        "most_aurc",
    ];
    let mut table = Table::new(&head);
    for case in cases {
        let ground = case.ground;
        table.row(vec![
            start(case.far).into(),
            field.topics[case.topic].topic.clone(),
            case.relevant.len().to_string(),
            ground.sites.to_string(),
            format!("{:.4}", ground.at_home),
            format!("{:.4}", ground.reachable),
            format!("{:.4}", ground.shared),
            format!("{:.6}", ground.ceiling),
        ]);
    }
    table
}

pub(super) fn fetches_at(field: &Field<'_>, point: usize) -> f64 {
    ((point + 1) * field.fetches).div_ceil(POINTS) as f64
}

fn curves(field: &Field<'_>, cells: &[Cell]) -> Table {
    let mut table = Table::new(&["strategy", "seeds", "fetches", "recall", "harvest"]);
    for cell in cells {
        for point in 0..POINTS {
            table.row(vec![
                cell.name.clone(),
                start(cell.far).into(),
                format!("{}", fetches_at(field, point)),
                format!("{:.6}", mean_of(cell, |crawled| crawled.recall[point])),
                format!("{:.6}", mean_of(cell, |crawled| crawled.harvest[point])),
            ]);
        }
    }
    table
}

/// What is to be said where there are no example pages.
fn words_alone(field: &Field<'_>) -> &'static str {
    match field.topics.iter().all(|topic| topic.examples.is_empty()) {
        true => " **Strategies are given the words of topics alone; there are no example pages.**",
        false => "",
    }
}

fn markdown(field: &Field<'_>, sections: &[Section], quick: &str, analysis: &str) -> String {
    let mut text = format!(
        "# Which strategy finds most of a topic?\n\n{} topics, {} fetches each, failures included, seed {}; who draws crawls \
         {REPLICATES} times and counts with the mean. AURC is the mean over all fetches of the recall at that fetch; *of oracle* is how \
         far it is from the random frontier (0) to a strategy that knows the judgements (1); R@ is the recall after so many \
         fetches, *recall* that of the whole crawl. Intervals: 10,000 bootstrap draws of the topics; p: Wilcoxon's signed-rank test over topics, \
         corrected after Holm for all strategies. Judgements are people's; no strategy sees them. *Wrong topic* is \
         the control: the strategy is given the words and examples of another topic.{}\n",
        field.topics.len(),
        field.fetches,
        field.seed,
        words_alone(field)
    );
    for Section { far, quality, .. } in sections {
        let mut title = title(*far).to_owned();
        title[..1].make_ascii_uppercase();
        text += &format!("\n## {title}\n\n{}", quality.markdown());
    }
    text += "\n![areas](strategies.svg)\n![recall](strategies-recall.svg)\n![harvest](strategies-harvest.svg)\n\n";
    text += analysis;
    text += &format!(
        "\n## Cost\n\nCPU time is that of strategy and simulator on one core; pages were read beforehand. Memory is what \
         strategies hold at the end of a crawl, by how the process grows; a dash where it was too little to be seen. Both depend on the machine and stand in `{STUDY}-cost.csv`; \
         every other file is the same to the byte in every run.\n\n{quick}"
    );
    for Section { far, cost, .. } in sections {
        text += &format!("\nFrom {}:\n\n{}", title(*far), cost.markdown());
    }
    let wrong = PERMUTED.trim_end_matches([':', ' ']);
    text += &format!(
        "\nA strategy above the oracle in the mean, or above what is possible on any topic, ends the study with an error; *{wrong}* \
         rows have no memory of their own.\n"
    );
    text
}
