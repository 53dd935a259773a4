//! How does it look? Areas with their intervals, and curves over fetches.

use super::Field;
use super::measure::{BEST, BREADTH, Cell, Crawled, LEARNED, MEAN, ORACLE, POINTS, RANDOM};
use super::report::{areas, fetches_at, find, mean_of, title};
use crate::evaluation::{bootstrap, mean};
use crate::studies::plot::{Axis, Drawing, Figure, Group, Join, Panel, Series, intervals};

/// Those whose curves are drawn: more cannot be told apart.
const DRAWN: [&str; 9] =
    [ORACLE, LEARNED, MEAN, "shark", "contract-net", BEST, "infospiders", RANDOM, BREADTH];

/// The kinds of seeds that there are, far ones first.
fn starts(cells: &[Cell]) -> Vec<bool> {
    let has = |far: &bool| cells.iter().any(|cell| cell.far == *far);
    [true, false].into_iter().filter(has).collect()
}

fn topics(cells: &[Cell], far: bool) -> usize {
    cells.iter().find(|cell| cell.far == far).map_or(0, |cell| cell.crawls.len())
}

/// Areas with their intervals, the best from far first.
pub(super) fn areas_drawn(field: &Field<'_>, cells: &[Cell]) -> Drawing {
    let starts = starts(cells);
    let first = starts.first().copied().unwrap_or_default();
    let mut order: Vec<&Cell> = cells.iter().filter(|cell| cell.far == first).collect();
    order.sort_by(|a, b| mean(&areas(b)).total_cmp(&mean(&areas(a))));
    let group = |cell: &&Cell| {
        // Each on its own: not every topic has both kinds of seeds.
        let of = |far: &bool| {
            let column = find(cells, &cell.name, *far).map(areas).unwrap_or_default();
            bootstrap(&[column], field.seed).first().copied().unwrap_or_default()
        };
        Group { name: cell.name.clone(), values: starts.iter().map(of).collect() }
    };
    let groups: Vec<Group> = order.iter().map(group).collect();
    let series: Vec<String> = starts
        .iter()
        .map(|far| format!("{}, {} topics", title(*far), topics(cells, *far)))
        .collect();
    let heading = format!("Mean recall over {} fetches (AURC), 95 % intervals", field.fetches);
    let series: Vec<&str> = series.iter().map(String::as_str).collect();
    intervals(&heading, "AURC, mean over topics", &series, &groups)
}

pub(super) fn drawn(
    field: &Field<'_>,
    cells: &[Cell],
    (what, axis): (&str, &str),
    of: fn(&Crawled) -> &Vec<f64>,
) -> Drawing {
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
            title: format!("{}, {} topics", title(far), topics(cells, far)),
            x: Axis::linear("fetches").starting(0.0),
            y: Axis::linear(axis).starting(0.0),
            series: series.collect(),
        }
    };
    let panels: Vec<Panel> = starts(cells).into_iter().map(panel).collect();
    let heading = format!("Mean {what} over topics, by fetches");
    Figure { title: heading, columns: panels.len(), panels }.draw()
}
