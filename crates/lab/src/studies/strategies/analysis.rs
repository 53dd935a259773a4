//! What do the figures rest on? Whether the control falls to the random line, and what there was to be found
//! beyond best-first.

use super::cases::Case;
use super::measure::{BEST, BLIND, CONTROLLED, Cell, Crawled, LEARNED, ORACLE, PERMUTED, RANDOM};
use super::report::{against, areas, find, mean_of, start, title};
use super::{Field, Measured};
use crate::evaluation::{Comparison, compare, holm, mean};
use crate::studies::Outcome;
use crate::studies::table::{Table, probability};
use std::fmt::Write as _;

/// As many times the relevant pages of best-first are wanted of `learned`.
const WANTED: f64 = 1.5;
/// A topic is at home when so large a share of its pages is on the sites of its seeds.
const HOME: f64 = 0.9;

/// Which topics belong to a group.
type Rule = fn(&Case) -> bool;

/// The same for a terminal and for the report.
pub(super) struct Analysis {
    pub(super) plain: String,
    pub(super) markdown: String,
}

pub(super) fn analysis(
    field: &Field<'_>,
    cases: &[Case],
    measured: &Measured,
    outcome: &mut Outcome,
) -> Analysis {
    let cells = &measured.cells;
    let (gap, gap_said) = gap(field, cases, cells, outcome);
    let mut analysis = Analysis {
        plain: format!("{}\n{gap_said}", gap.plain()),
        markdown: format!(
            "## What there is to be found\n\n{gap_said}\nMeans over topics. *At home* are topics with {:.0} % of their relevant \
             pages on the sites of the seeds. *Gap* is how much of what the oracle finds beyond best-first learned finds.\n\n{}\n",
            100.0 * HOME,
            gap.markdown()
        ),
    };
    if let Some((control, said)) = control(field, cases, cells, outcome) {
        analysis.plain += &format!("\n{}\n{said}", control.plain());
        analysis.markdown += &format!(
            "## Control: the topic of somebody else\n\n{said}\nEach topic stands in for one with which it has as few relevant pages \
             and sites in common as there are. What a strategy then finds beyond the random frontier it does not find because of its topic.\n\n{}\n",
            control.markdown()
        );
    }
    if let Some(parts) = parts(field, measured, outcome) {
        analysis.plain += &format!("\n{}", parts.plain());
        analysis.markdown += &format!(
            "## Parts of learned\n\nWhat is lost when one is taken away, beside learned as it is; p as above, corrected for these \
             rows.\n\n{}\n",
            parts.markdown()
        );
    }
    analysis
}

/// What is lost when a part of `learned` is taken away.
fn parts(field: &Field<'_>, measured: &Measured, outcome: &mut Outcome) -> Option<Table> {
    let far = measured.parts.first()?.far;
    let whole = find(&measured.cells, LEARNED, far)?;
    let mut own: Vec<&Cell> = vec![whole];
    own.extend(&measured.parts);
    let mut table =
        Table::new(&["strategy", "seeds", "AURC", "- learned", "95 %", "won:lost", "p", "found"]);
    for (cell, (against, p)) in own.iter().zip(against(&own, LEARNED, field.seed)) {
        let difference = against.difference;
        outcome.figure(format!("{}.{}.aurc", start(far), cell.name), mean(&areas(cell)));
        table.row(vec![
            cell.name.clone(),
            start(far).into(),
            format!("{:.4}", mean(&areas(cell))),
            format!("{:+.4}", difference.mean),
            format!("{:+.4} to {:+.4}", difference.low, difference.high),
            format!("{}:{}", against.wins, against.losses),
            probability(p),
            format!("{:.1}", mean_of(cell, |crawled| crawled.found)),
        ]);
    }
    Some(table)
}

/// Relevant pages among those that came.
fn share(crawled: &Crawled) -> f64 {
    crawled.found / crawled.answered().max(1.0)
}

struct Controlled<'a> {
    name: &'static str,
    wrong: &'a Cell,
    random: &'a Cell,
    areas: Comparison,
    shares: Comparison,
    /// Against the random line that knows of dead links what `learned` knows.
    blind: Option<Comparison>,
}

fn control(
    field: &Field<'_>,
    cases: &[Case],
    cells: &[Cell],
    outcome: &mut Outcome,
) -> Option<(Table, String)> {
    let mut rows: Vec<Controlled<'_>> = Vec::new();
    for far in [true, false] {
        let Some(random) = find(cells, RANDOM, far) else { continue };
        for name in CONTROLLED {
            let Some(wrong) = find(cells, &format!("{PERMUTED}{name}"), far) else { continue };
            let column = |cell: &Cell| cell.crawls.iter().map(share).collect::<Vec<f64>>();
            rows.push(Controlled {
                name,
                wrong,
                random,
                areas: compare(&areas(wrong), &areas(random), field.seed),
                shares: compare(&column(wrong), &column(random), field.seed),
                blind: find(cells, BLIND, far)
                    .map(|blind| compare(&areas(wrong), &areas(blind), field.seed)),
            });
        }
    }
    let corrected = holm(&rows.iter().map(|row| row.areas.signed_rank).collect::<Vec<f64>>());
    let mut table = Table::new(&[
        "seeds",
        "wrong topic",
        "AURC - random",
        "95 %",
        "p",
        "found",
        "random finds",
        "pages that came",
        "random's",
        "relevant of these",
        "random's",
        "difference, 95 %",
    ]);
    let mut text = String::new();
    for (row, p) in rows.iter().zip(&corrected) {
        let Controlled { name, wrong, random, areas, shares, blind } = row;
        let far = wrong.far;
        let of = |cell: &Cell| {
            let came = mean_of(cell, Crawled::answered);
            let found = mean_of(cell, |crawled| crawled.found);
            (found, came, found / came.max(1.0))
        };
        let ((found, came, relevant), (chance, chance_came, usual)) = (of(wrong), of(random));
        let figure = |what: &str| format!("control.{}.{name}.{what}", start(far));
        outcome.figure(figure("aurc_minus_random"), areas.difference.mean);
        outcome.figure(
            figure("aurc_minus_random.interval"),
            vec![areas.difference.low, areas.difference.high],
        );
        if let Some(Comparison { difference, .. }) = blind {
            outcome.figure(figure("aurc_minus_living"), difference.mean);
            let interval = vec![difference.low, difference.high];
            outcome.figure(figure("aurc_minus_living.interval"), interval);
        }
        outcome.figure(figure("relevant_share"), relevant);
        outcome.figure(figure("relevant_share_of_random"), usual);
        table.row(vec![
            start(far).into(),
            (*name).into(),
            format!("{:+.3}", areas.difference.mean),
            format!("{:+.3} to {:+.3}", areas.difference.low, areas.difference.high),
            probability(*p),
            format!("{found:.1}"),
            format!("{chance:.1}"),
            format!("{came:.0}"),
            format!("{chance_came:.0}"),
            format!("{:.1} %", 100.0 * relevant),
            format!("{:.1} %", 100.0 * usual),
            format!("{:+.3} to {:+.3}", shares.difference.low, shares.difference.high),
        ]);
        let line = title(far);
        if areas.difference.low <= 0.0 {
            let _ = writeln!(
                text,
                "- {name}, {line}: not above the random line by more than chance ({:+.3}, {:+.3} to {:+.3}).",
                areas.difference.mean, areas.difference.low, areas.difference.high
            );
            continue;
        }
        if let Some(Comparison { difference, .. }) = blind {
            let verdict = match difference.low <= 0.0 {
                true => "not above",
                false => "above",
            };
            let _ = writeln!(
                text,
                "- {name}, {line}: {verdict} the line of a random frontier that has learned which links lead to no page \
                 ({:+.3}, {:+.3} to {:+.3}).",
                difference.mean, difference.low, difference.high
            );
        }
        // What it finds more is more pages at random's share, and another share of its pages.
        let (by_pages, by_choice) = ((came - chance_came) * usual, came * (relevant - usual));
        let chosen = match shares.difference.low > 0.0 {
            true => "also in what it chooses",
            false => "not in what it chooses",
        };
        let _ = writeln!(
            text,
            "- {name}, {line}: is above the random line ({:+.3}, {:+.3} to {:+.3}), but {chosen}: of its pages {:.1} % are relevant, of \
             random's {:.1} %. It finds {:+.1} relevant pages more; {by_pages:+.1} are there because {:.0} of its fetches meet \
             a page and {:.0} of random's, which can be learned without a topic, and {by_choice:+.1} by choice.",
            areas.difference.mean,
            areas.difference.low,
            areas.difference.high,
            100.0 * relevant,
            100.0 * usual,
            found - chance,
            came,
            chance_came
        );
    }
    let kin = cases.iter().filter(|case| case.ground.shared > 0.0).count();
    outcome.figure("control.crawls_with_shared_pages", kin);
    (!rows.is_empty()).then_some((table, text))
}

fn gap(
    field: &Field<'_>,
    cases: &[Case],
    cells: &[Cell],
    outcome: &mut Outcome,
) -> (Table, String) {
    let mut table = Table::new(&[
        "seeds",
        "topics",
        "number",
        "relevant pages",
        "on sites",
        "on sites of seeds",
        "reachable",
        "random finds",
        "best-first",
        "learned",
        "oracle",
        "learned / best-first",
        "oracle / best-first",
        "gap",
    ]);
    let mut text = String::new();
    for far in [true, false] {
        let own: Vec<&Case> = cases.iter().filter(|case| case.far == far).collect();
        let groups: [(&str, Rule); 3] = [
            ("all", |_| true),
            ("at home", |case| case.ground.at_home >= HOME),
            ("elsewhere", |case| case.ground.at_home < HOME),
        ];
        for (name, belongs) in groups {
            let chosen: Vec<usize> = (0..own.len()).filter(|place| belongs(own[*place])).collect();
            let Some(group) = Found::of(cells, far, &chosen) else { continue };
            if name == "all" {
                text += &told(field, cells, far, &own, &group, outcome);
            } else if chosen.len() == own.len() {
                // All of one kind: the row is there already.
                continue;
            }
            let ground = |of: fn(&Case) -> f64| {
                mean(&chosen.iter().map(|n| of(own[*n])).collect::<Vec<_>>())
            };
            table.row(vec![
                start(far).into(),
                name.into(),
                chosen.len().to_string(),
                format!("{:.0}", ground(|case| case.relevant.len() as f64)),
                format!("{:.1}", ground(|case| case.ground.sites as f64)),
                format!("{:.0} %", 100.0 * ground(|case| case.ground.at_home)),
                format!("{:.0} %", 100.0 * ground(|case| case.ground.reachable)),
                format!("{:.1}", group.random),
                format!("{:.1}", group.best),
                format!("{:.1}", group.learned),
                format!("{:.1}", group.oracle),
                format!("{:.2}", group.learned / group.best),
                format!("{:.2}", group.oracle / group.best),
                format!("{:.0} %", 100.0 * group.closed()),
            ]);
        }
    }
    (table, text)
}

/// Relevant pages that were found, means over some topics.
struct Found {
    random: f64,
    best: f64,
    learned: f64,
    oracle: f64,
}

impl Found {
    fn of(cells: &[Cell], far: bool, topics: &[usize]) -> Option<Found> {
        if topics.is_empty() {
            return None;
        }
        let found = |name: &str| {
            let cell = find(cells, name, far)?;
            Some(mean(&topics.iter().map(|topic| cell.crawls[*topic].found).collect::<Vec<_>>()))
        };
        Some(Found {
            random: found(RANDOM)?,
            best: found(BEST)?,
            learned: found(LEARNED)?,
            oracle: found(ORACLE)?,
        })
    }

    /// Of what the oracle finds beyond best-first.
    fn closed(&self) -> f64 {
        (self.learned - self.best) / (self.oracle - self.best)
    }
}

/// What the row of all topics says.
fn told(
    field: &Field<'_>,
    cells: &[Cell],
    far: bool,
    own: &[&Case],
    found: &Found,
    outcome: &mut Outcome,
) -> String {
    let (ratio, most) = (found.learned / found.best, found.oracle / found.best);
    let figure = |what: &str| format!("{}.learned_over_best_first.{what}", start(far));
    outcome.figure(figure("found"), ratio);
    outcome.figure(figure("of_oracle"), most);
    outcome.figure(figure("gap_closed"), found.closed());
    let mut text = format!(
        "- {}: learned finds {:.1} relevant pages in {} fetches, {ratio:.2} times the {:.1} of best-first; the oracle finds \
         {most:.2} times as many, so {:.0} % of the gap is closed.",
        title(far),
        found.learned,
        field.fetches,
        found.best,
        100.0 * found.closed()
    );
    if ratio < WANTED {
        let ground =
            |of: fn(&Case) -> f64| mean(&own.iter().map(|case| of(case)).collect::<Vec<_>>());
        let mean_at = |name: &str, of: fn(&Crawled) -> f64| {
            find(cells, name, far).map_or(0.0, |cell| mean_of(cell, of))
        };
        let came =
            |name: &str| mean_at(name, |crawled| crawled.found) / mean_at(name, Crawled::answered);
        let large = own.iter().filter(|case| case.relevant.len() > field.fetches).count();
        let _ = write!(
            text,
            " {} Why not more: {:.0} % of the relevant pages are on the sites of the \
             seeds, {large} of {} topics have more of them than there are fetches, and of the pages that came {:.0} % are relevant for a random frontier, {:.0} % for \
             best-first, {:.0} % for learned. {:.0} fetches of best-first and {:.0} of learned gave no page, against {:.0} of \
             the oracle.",
            match most < WANTED {
                true => format!("Not even the oracle finds {WANTED} times as many."),
                false => {
                    let share = 100.0 * (WANTED - 1.0) / (most - 1.0);
                    format!("{WANTED} times would be {share:.0} % of it.")
                }
            },
            100.0 * ground(|case| case.ground.at_home),
            own.len(),
            100.0 * came(RANDOM),
            100.0 * came(BEST),
            100.0 * came(LEARNED),
            mean_at(BEST, |crawled| crawled.failed),
            mean_at(LEARNED, |crawled| crawled.failed),
            mean_at(ORACLE, |crawled| crawled.failed)
        );
    }
    text.push('\n');
    text
}
