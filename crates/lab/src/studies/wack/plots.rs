//! How does it look? Figure 1 in rounds and in hops, and the population against its prediction.

use super::measure::Ways;
use super::report::Row;
use super::tables::names;
use crate::evaluation::Interval;
use crate::studies::plot::{Axis, Drawing, Figure, Join, Panel, Point, Series};
use lycosa_strategy::walkers::Kind;

/// Points of a curve over rounds.
const POINTS: usize = 60;
const PREDICTED: &str = "predicted: n lambda / ln(1/Min)";

fn sizes(rows: &[Row<'_>]) -> Vec<f64> {
    let mut sizes: Vec<usize> = rows.iter().map(|row| row.cell.pages).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes.into_iter().map(|pages| pages as f64).collect()
}

fn over_sizes(
    rows: &[Row<'_>],
    ways: Ways,
    name: &str,
    of: fn(&Row<'_>) -> Interval,
) -> Option<Series> {
    let of_name =
        rows.iter().filter(|row| row.cell.ways == ways && row.cell.population.name() == name);
    let point = |row: &Row<'_>| {
        let Interval { mean, low, high } = of(row);
        Point { x: row.cell.pages as f64, y: mean, band: Some((low, high)) }
    };
    let points: Vec<Point> = of_name.map(point).collect();
    (!points.is_empty()).then(|| Series { name: name.into(), points, join: Join::Line })
}

pub(super) fn figure1(rows: &[Row<'_>]) -> Drawing {
    let sizes = sizes(rows);
    let panel = |ways: Ways, label: &str, of: fn(&Row<'_>) -> Interval| Panel {
        title: match ways {
            Ways::Undirected => "links in both directions, as in the paper".into(),
            Ways::Directed => "links as they are, with dead ends".into(),
        },
        x: Axis::log("pages of the ball").at(&sizes),
        y: Axis::log(label),
        series: names().iter().filter_map(|name| over_sizes(rows, ways, name, of)).collect(),
    };
    let mut panels = Vec::new();
    for ways in Ways::ALL {
        panels.push(panel(ways, "rounds until all pages are seen", |row| row.rounds));
        panels.push(panel(ways, "hops of all walkers until then", |row| row.hops));
    }
    panels.retain(|panel| !panel.series.is_empty());
    let title = "Time and cost of random walkers on a real link graph (means, 95 % intervals)";
    Figure { title: title.into(), columns: 2, panels }.draw()
}

pub(super) fn population(rows: &[Row<'_>]) -> Drawing {
    let undirected = || rows.iter().filter(|row| row.cell.ways == Ways::Undirected);
    let largest = undirected().map(|row| row.cell.pages).max().unwrap_or_default();
    let mut panels = vec![against_sizes(rows)];
    let regulated = undirected().filter(|row| {
        row.cell.pages == largest
            && matches!(row.cell.population.kind, Kind::Cloning | Kind::Immune)
    });
    for row in regulated {
        let Some(history) = row.cell.walks.first().map(|walked| &walked.history) else { continue };
        let name = row.cell.population.name();
        let curve = Series { name: name.clone(), points: course(history), join: Join::Line };
        let mut series = vec![curve];
        if let Some(predicted) = row.predicted {
            let ends = [(1.0, predicted), (history.len() as f64, predicted)];
            series.push(Series::new(PREDICTED, Join::Reference, ends));
        }
        panels.push(Panel {
            title: format!("one walk over {largest} pages: {name}"),
            x: Axis::log("rounds"),
            y: Axis::linear("walkers alive, with the fewest and the most").starting(0.0),
            series,
        });
    }
    let title = "How many walkers live (means with 95 % intervals, and one walk each)";
    Figure { title: title.into(), columns: 2, panels }.draw()
}

/// How a population went: means over stretches of rounds that get longer, with the fewest and the most.
fn course(history: &[u32]) -> Vec<Point> {
    let end = |number: usize| {
        let along = number as f64 / POINTS as f64;
        (history.len() as f64).powf(along).round() as usize
    };
    let mut points = Vec::new();
    let mut from = 0;
    for number in 0..=POINTS {
        let to = end(number).min(history.len());
        if let Some(part) = history.get(from..to).filter(|part| !part.is_empty()) {
            let alive = part.iter().map(|alive| f64::from(*alive));
            let (low, high) = alive.clone().fold((f64::INFINITY, 0.0), |(low, high), alive| {
                (f64::min(low, alive), f64::max(high, alive))
            });
            let y = alive.sum::<f64>() / part.len() as f64;
            points.push(Point { x: to as f64, y, band: Some((low, high)) });
            from = to;
        }
    }
    points
}

fn against_sizes(rows: &[Row<'_>]) -> Panel {
    let names = names();
    let mut series: Vec<Series> = Vec::new();
    for name in &names {
        let of_name = || {
            rows.iter().filter(|row| {
                row.cell.ways == Ways::Undirected && row.cell.population.name() == **name
            })
        };
        let regulated =
            of_name().any(|row| !matches!(row.cell.population.kind, Kind::Single | Kind::Multiple));
        if !regulated {
            continue;
        }
        series.extend(over_sizes(rows, Ways::Undirected, name, |row| row.alive));
        let predicted = of_name().filter_map(|row| Some((row.cell.pages as f64, row.predicted?)));
        let predicted = Series::new(PREDICTED, Join::Reference, predicted);
        if !predicted.points.is_empty() {
            series.push(predicted);
        }
    }
    Panel {
        title: "mean population after the growth".into(),
        x: Axis::log("pages of the ball").at(&sizes(rows)),
        y: Axis::log("walkers alive"),
        series,
    }
}
