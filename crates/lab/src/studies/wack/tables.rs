//! The tables of the study: for a terminal, for the report, and for programs.

use super::measure::{Cell, WALKS, Ways, populations};
use super::report::Row;
use crate::evaluation::mean;
use crate::studies::table::Table;
use lycosa_strategy::walkers::Kind;

/// A number of which three digits count.
fn short(value: f64) -> String {
    match value.abs() {
        size if size >= 99.5 => format!("{value:.0}"),
        size if size >= 9.95 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

pub(super) fn walks(rows: &[Row<'_>]) -> Table {
    let head = [
        "ways",
        "pages",
        "population",
        "rounds",
        "95 %",
        "faster",
        "hops",
        "cost",
        "pages per hop",
        "done",
    ];
    let mut table = Table::new(&head);
    for row in rows {
        let seen = mean(&row.cell.walks.iter().map(|walked| walked.seen).collect::<Vec<f64>>());
        table.row(vec![
            row.cell.ways.name().into(),
            row.cell.pages.to_string(),
            row.cell.population.name(),
            format!("{:.0}", row.rounds.mean),
            format!("{:.0} to {:.0}", row.rounds.low, row.rounds.high),
            short(row.speed_up),
            format!("{:.0}", row.hops.mean),
            short(row.cost),
            format!("{:.4}", seen * row.cell.pages as f64 / row.hops.mean.max(1.0)),
            match row.complete() == row.cell.walks.len() {
                true => "all".into(),
                false => format!(
                    "{} of {}, {:.1} % seen",
                    row.complete(),
                    row.cell.walks.len(),
                    seen * 100.0
                ),
            },
        ]);
    }
    table
}

/// The same for a page of paper: a row for each size, rounds and hops in one cell.
pub(super) fn grid(rows: &[Row<'_>], ways: Ways) -> Table {
    let names = names();
    let mut head = vec!["pages"];
    head.extend(names.iter().map(String::as_str));
    let mut table = Table::new(&head);
    let of_ways = || rows.iter().filter(|row| row.cell.ways == ways);
    let mut sizes: Vec<usize> = of_ways().map(|row| row.cell.pages).collect();
    sizes.dedup();
    for pages in sizes {
        let cell = |row: &Row<'_>| {
            let open = if row.complete() == row.cell.walks.len() { "" } else { " *" };
            format!("{:.0} rounds, {:.0} hops{open}", row.rounds.mean, row.hops.mean)
        };
        let mut cells = vec![pages.to_string()];
        cells.extend(of_ways().filter(|row| row.cell.pages == pages).map(cell));
        table.row(cells);
    }
    table
}

pub(super) fn alive(rows: &[Row<'_>]) -> Table {
    let head = [
        "ways",
        "pages",
        "lambda",
        "walkers",
        "95 %",
        "predicted",
        "ratio",
        "balance",
        "ratio ",
        "spared",
        "of balance",
    ];
    let mut table = Table::new(&head);
    for row in rows {
        let (Some(predicted), Some(ratio)) = (row.predicted, row.ratio()) else { continue };
        let balanced = row.balanced.map_or_else(String::new, short);
        let to_balance = row.balanced.map(|balanced| row.alive.mean / balanced);
        table.row(vec![
            row.cell.ways.name().into(),
            row.cell.pages.to_string(),
            row.cell.population.lambda.to_string(),
            short(row.alive.mean),
            format!("{} to {}", short(row.alive.low), short(row.alive.high)),
            short(predicted),
            format!("{ratio:.2}"),
            balanced,
            to_balance.map_or_else(String::new, |ratio| format!("{ratio:.2}")),
            row.spared.map_or_else(String::new, |(alive, _)| short(alive)),
            row.spared
                .map_or_else(String::new, |(alive, balance)| format!("{:.2}", alive / balance)),
        ]);
    }
    table
}

/// The claims of the paper, and what we measured on links of both directions.
pub(super) fn claims(rows: &[Row<'_>]) -> Table {
    let head =
        ["scenario", "claim of the paper", "our rounds: times faster", "our hops: times as many"];
    let mut table = Table::new(&head);
    for population in populations() {
        let claim = match population.kind {
            Kind::Single => "O(n^2 log^3 n), the slowest",
            Kind::Multiple => "O(n^2 log^3 n / p^2): 25 times faster with p = 5",
            Kind::Cloning => "O(n^2 log^3 n / c_t^2), c_t walkers at a time: the fastest",
            Kind::Immune => "named, not measured",
        };
        let of = rows
            .iter()
            .filter(|row| row.cell.ways == Ways::Undirected && row.cell.population == population);
        let told = |values: Option<(f64, f64)>| {
            values.map_or_else(String::new, |(low, high)| {
                format!("{} to {}", short(low), short(high))
            })
        };
        table.row(vec![
            population.name(),
            claim.into(),
            told(range(of.clone().map(|row| row.speed_up))),
            told(range(of.map(|row| row.cost))),
        ]);
    }
    table
}

pub(super) fn every_walk(cells: &[Cell]) -> Table {
    let head = [
        "ways",
        "pages",
        "population",
        "ball",
        "walk",
        "rounds",
        "hops",
        "back",
        "to_seeds",
        "births",
        "deaths",
        "seen",
        "walkers",
    ];
    let mut table = Table::new(&head);
    for cell in cells {
        for (number, walked) in cell.walks.iter().enumerate() {
            let counts = walked.counts;
            let mut row = vec![
                cell.ways.name().into(),
                cell.pages.to_string(),
                cell.population.key(),
                (number / WALKS).to_string(),
                (number % WALKS).to_string(),
            ];
            let numbers = [
                walked.rounds,
                counts.hops,
                counts.back,
                counts.to_seeds,
                counts.births,
                counts.deaths,
            ];
            row.extend(numbers.map(|number| number.to_string()));
            row.extend([walked.seen, walked.population].map(|value| format!("{value:.4}")));
            table.row(row);
        }
    }
    table
}

pub(super) fn every(rows: &[Row<'_>]) -> Table {
    let head = [
        "ways",
        "pages",
        "population",
        "lambda",
        "walks",
        "complete",
        "rounds",
        "rounds_low",
        "rounds_high",
        "hops",
        "hops_low",
        "hops_high",
        "faster_than_single",
        "hops_of_single",
        "walkers",
        "walkers_low",
        "walkers_high",
        "predicted",
        "balance",
        "walkers_own_marks_spared",
        "balance_own_marks_spared",
    ];
    let mut table = Table::new(&head);
    for row in rows {
        let cell = row.cell;
        let cloning = cell.population.kind == Kind::Cloning;
        let mut cells = vec![
            cell.ways.name().into(),
            cell.pages.to_string(),
            cell.population.kind.name().into(),
            if cloning { cell.population.lambda.to_string() } else { String::new() },
            cell.walks.len().to_string(),
            row.complete().to_string(),
        ];
        for value in [row.rounds, row.hops] {
            cells.extend([value.mean, value.low, value.high].map(|value| format!("{value:.1}")));
        }
        cells.extend([row.speed_up, row.cost].map(|value| format!("{value:.4}")));
        let alive = [row.alive.mean, row.alive.low, row.alive.high];
        cells.extend(alive.map(|value| format!("{value:.2}")));
        let or_nothing =
            |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.2}"));
        let (spared, balance) = row.spared.unzip();
        cells.extend([row.predicted, row.balanced, spared, balance].map(or_nothing));
        table.row(cells);
    }
    table
}

/// The lowest and the highest.
pub(super) fn range(values: impl Iterator<Item = f64> + Clone) -> Option<(f64, f64)> {
    values.clone().reduce(f64::min).zip(values.reduce(f64::max))
}

/// Populations that are drawn, in their order.
pub(super) fn names() -> Vec<String> {
    populations().iter().map(super::measure::Population::name).collect()
}
