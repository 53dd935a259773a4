//! How is it told? Areas under the recall curves with intervals and tests, curves, and cost.

use super::Field;
use super::measure::{
    BEST, BREADTH, Case, Cell, Crawled, LEARNED, MEAN, ORACLE, PERMUTED, POINTS, RANDOM,
};
use crate::evaluation::{Interval, bootstrap, compare, holm, mean};
use crate::studies::plot::{Axis, Drawing, Figure, Group, Join, Panel, Series, intervals};
use crate::studies::table::Table;
use crate::studies::{Outcome, StudyError};

const STUDY: &str = "strategies";

/// Those whose curves are drawn: more cannot be told apart.
const DRAWN: [&str; 9] =
    [ORACLE, LEARNED, MEAN, "shark", "contract-net", BEST, "infospiders", RANDOM, BREADTH];

/// A mean that is larger by this is larger.
const MARGIN: f64 = 1e-6;

fn areas(cell: &Cell) -> Vec<f64> {
    cell.crawls.iter().map(|crawled| crawled.area).collect()
}

fn mean_of(cell: &Cell, of: impl Fn(&Crawled) -> f64) -> f64 {
    mean(&cell.crawls.iter().map(of).collect::<Vec<f64>>())
}

fn find<'a>(cells: &'a [Cell], name: &str, far: bool) -> Option<&'a Cell> {
    cells.iter().find(|cell| cell.name == name && cell.far == far)
}

fn start(far: bool) -> &'static str {
    if far { "far" } else { "near" }
}

/// Nothing is better than one that knows everything.
pub(super) fn check(cells: &[Cell]) -> Result<(), StudyError> {
    for cell in cells {
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

pub(super) fn outcome(field: &Field<'_>, cases: &[Case], cells: &[Cell]) -> Outcome {
    let mut outcome = Outcome { study: STUDY, ..Outcome::default() };
    outcome.figure("topics", field.topics.len());
    outcome.figure("fetches", field.fetches);
    let mut tables = Vec::new();
    for far in [true, false] {
        if cells.iter().any(|cell| cell.far == far) {
            tables.push((far, table(field, cells, far, &mut outcome)));
        }
    }
    let texts: Vec<String> = tables
        .iter()
        .map(|(far, table)| format!("seeds: {}\n{}", start(*far), table.plain()))
        .collect();
    outcome.text = texts.join("\n");
    outcome.file(format!("{STUDY}.md"), markdown(field, &tables));
    outcome.file(format!("{STUDY}.csv"), every(field, cases, cells).csv());
    outcome.file(format!("{STUDY}-curves.csv"), curves(field, cells).csv());
    outcome.plot(STUDY, &areas_drawn(field, cells));
    outcome.plot("strategies-recall", &drawn(field, cells, "recall", |crawled| &crawled.recall));
    let harvest: fn(&Crawled) -> &Vec<f64> = |crawled| &crawled.harvest;
    outcome.plot("strategies-harvest", &drawn(field, cells, "harvest rate", harvest));
    outcome
}

/// One row for each strategy, best first.
fn table(field: &Field<'_>, cells: &[Cell], far: bool, outcome: &mut Outcome) -> Table {
    let mut own: Vec<&Cell> = cells.iter().filter(|cell| cell.far == far).collect();
    own.sort_by(|a, b| mean(&areas(b)).total_cmp(&mean(&areas(a))));
    let columns: Vec<Vec<f64>> = own.iter().map(|cell| areas(cell)).collect();
    let intervals = bootstrap(&columns, field.seed);
    let against = |name: &str| {
        let other = find(cells, name, far).map(areas).unwrap_or_default();
        let compared: Vec<_> =
            columns.iter().map(|column| compare(column, &other, field.seed)).collect();
        let corrected = holm(&compared.iter().map(|one| one.p).collect::<Vec<f64>>());
        compared.into_iter().zip(corrected).collect::<Vec<_>>()
    };
    let (best, parents) = (against(BEST), against(MEAN));
    let floor = find(cells, RANDOM, far).map_or(0.0, |cell| mean(&areas(cell)));
    let most = find(cells, ORACLE, far).map_or(1.0, |cell| mean(&areas(cell)));
    let mut table = Table::new(&[
        "strategy",
        "AURC",
        "95 %",
        "of oracle",
        "recall",
        "found",
        "failed",
        "wins:losses best-first",
        "p",
        "wins:losses mean-of-parents",
        "p",
        "ms/page",
        "waiting",
    ]);
    for (number, cell) in own.iter().enumerate() {
        let Interval { mean: area, low, high } = intervals[number];
        let share = (area - floor) / (most - floor).max(MARGIN);
        let ((best, best_p), (parents, parents_p)) = (&best[number], &parents[number]);
        let recall = mean_of(cell, |crawled| crawled.recall.last().copied().unwrap_or_default());
        let found = mean_of(cell, |crawled| crawled.found);
        let name = format!("{}.{}", start(far), cell.name);
        outcome.figure(format!("{name}.aurc"), area);
        outcome.figure(format!("{name}.found"), found);
        outcome.figure(format!("{name}.wins_best_first"), best.wins);
        outcome.figure(format!("{name}.wins_mean_of_parents"), parents.wins);
        let cost = mean_of(cell, |crawled| crawled.milliseconds_per_page);
        outcome.figure(format!("{name}.ms_per_page"), cost);
        table.row(vec![
            cell.name.clone(),
            format!("{area:.4}"),
            format!("{low:.3}-{high:.3}"),
            format!("{share:.2}"),
            format!("{recall:.3}"),
            format!("{found:.1}"),
            format!("{:.0}", mean_of(cell, |crawled| crawled.failed)),
            format!("{}:{}", best.wins, best.losses),
            format!("{best_p:.4}"),
            format!("{}:{}", parents.wins, parents.losses),
            format!("{parents_p:.4}"),
            format!("{cost:.3}"),
            format!("{:.0}", mean_of(cell, |crawled| crawled.most_waiting)),
        ]);
    }
    table
}

/// Every crawl.
fn every(field: &Field<'_>, cases: &[Case], cells: &[Cell]) -> Table {
    let mut table =
        Table::new(&["strategy", "seeds", "topic", "aurc", "found", "failed", "ms_page"]);
    for cell in cells {
        let own = cases.iter().filter(|case| case.far == cell.far);
        for (case, crawled) in own.zip(&cell.crawls) {
            table.row(vec![
                cell.name.clone(),
                start(cell.far).into(),
                field.topics[case.topic].topic.clone(),
                format!("{:.6}", crawled.area),
                format!("{:.2}", crawled.found),
                format!("{:.2}", crawled.failed),
                format!("{:.4}", crawled.milliseconds_per_page),
            ]);
        }
    }
    table
}

fn fetches_at(field: &Field<'_>, point: usize) -> f64 {
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

/// Areas with their intervals, the best from far first.
fn areas_drawn(field: &Field<'_>, cells: &[Cell]) -> Drawing {
    let has = |far: bool| cells.iter().any(|cell| cell.far == far);
    let starts: Vec<bool> = [true, false].into_iter().filter(|far| has(*far)).collect();
    let first = starts.first().copied().unwrap_or_default();
    let mut order: Vec<&Cell> = cells.iter().filter(|cell| cell.far == first).collect();
    order.sort_by(|a, b| mean(&areas(b)).total_cmp(&mean(&areas(a))));
    let group = |cell: &&Cell| {
        let columns: Vec<Vec<f64>> = starts
            .iter()
            .map(|far| find(cells, &cell.name, *far).map(areas).unwrap_or_default())
            .collect();
        Group { name: cell.name.clone(), values: bootstrap(&columns, field.seed) }
    };
    let groups: Vec<Group> = order.iter().map(group).collect();
    let series: Vec<&str> =
        starts.iter().map(|far| if *far { "far seeds" } else { "near seeds" }).collect();
    let title = format!(
        "Mean recall over {} fetches (AURC), {} topics, 95 % intervals",
        field.fetches,
        field.topics.len()
    );
    intervals(&title, &series, &groups)
}

fn drawn(field: &Field<'_>, cells: &[Cell], what: &str, of: fn(&Crawled) -> &Vec<f64>) -> Drawing {
    let panel = |far: bool| {
        let series = DRAWN.iter().filter_map(|name| {
            let cell = find(cells, name, far)?;
            let join = if *name == ORACLE { Join::Reference } else { Join::Line };
            let points = (0..POINTS).map(|point| {
                (fetches_at(field, point), mean_of(cell, |crawled| of(crawled)[point]))
            });
            Some(Series::new(name, join, points))
        });
        Panel {
            title: if far { "seeds two links away" } else { "seeds of the topic" }.into(),
            x: Axis::linear("fetches").starting(0.0),
            y: Axis::linear(&format!("mean {what}")).starting(0.0),
            series: series.collect(),
        }
    };
    let has = |far: &bool| cells.iter().any(|cell| cell.far == *far);
    let panels: Vec<Panel> = [true, false].into_iter().filter(has).map(panel).collect();
    let title = format!("Mean {what} over {} topics, by fetches", field.topics.len());
    Figure { title, columns: panels.len(), panels }.draw()
}

fn markdown(field: &Field<'_>, tables: &[(bool, Table)]) -> String {
    let mut text = format!(
        "# Which strategy finds most of a topic?\n\n{} topics, {} fetches each, failures included, seed {}. \
         AURC is the mean over all fetches of the recall at that fetch; *of oracle* is how far it is from the random \
         frontier (0) to a strategy that knows the judgements (1). Recall is that of the whole crawl. Intervals: bootstrap over topics; \
         p: paired randomisation test over topics, corrected after Holm for all strategies. *ms/page* is CPU time of strategy and \
         simulator; *waiting* the most links in memory. Judgements are people's; no strategy sees them. *Wrong topic* is the \
         control: the strategy is given the words and examples of another topic.\n",
        field.topics.len(),
        field.fetches,
        field.seed
    );
    for (far, table) in tables {
        let title = if *far { "Seeds two links away" } else { "Seeds of the topic" };
        text += &format!("\n## {title}\n\n{}", table.markdown());
    }
    let wrong = PERMUTED.trim_end_matches([':', ' ']);
    text += &format!(
        "\n![areas](strategies.svg)\n![recall](strategies-recall.svg)\n![harvest](strategies-harvest.svg)\n\n\
         A *{wrong}* row near the random one says that what a strategy finds, it finds because of its topic. A strategy above \
         the oracle ends the study with an error.\n"
    );
    text
}
