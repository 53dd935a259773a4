//! How is it told? A table for the terminal, figures for programs, and files for a report.

use super::SYSTEMS;
use super::measure::{Contest, Measured, System};
use crate::evaluation::{Interval, MEASURES, mean, percentile};
use crate::studies::Outcome;
use crate::studies::plot::{self, Drawing, Group};
use crate::studies::table::Table;
use std::fmt::Write as _;

/// Name of the study.
const STUDY: &str = "ir";

pub(super) fn outcome(measured: &[Measured]) -> Outcome {
    let mut outcome = Outcome { study: STUDY, ..Outcome::default() };
    for collection in measured {
        figures(collection, &mut outcome);
        let named = |warning: &String| format!("{}: {warning}", collection.name);
        outcome.warnings.extend(collection.warnings.iter().map(named));
    }
    let means = |system: usize| mean(&column(measured, |m| m.systems[system].means[0].mean));
    outcome.figure("mean.lycosa.ndcg_10", means(0));
    outcome.figure("mean.tantivy.ndcg_10", means(1));
    outcome.figure("mean.difference", means(0) - means(1));
    let has_hybrid = measured.iter().all(|collection| collection.systems.len() > 2);
    if has_hybrid {
        outcome.figure("mean.hybrid.ndcg_10", means(2));
    }
    let (scores, differences) = (scores(measured), differences(measured));
    let mut notes = notes(measured);
    let _ = writeln!(
        notes,
        "Mean nDCG@10 over {} collections: lycosa {:.4}, tantivy {:.4}, difference {:+.4}.",
        measured.len(),
        means(0),
        means(1),
        means(0) - means(1)
    );
    if has_hybrid {
        let _ = writeln!(notes, "With meaning mixed in (hybrid): {:.4}.", means(2));
    }
    outcome.text = format!("{}\n{}\n{notes}", scores.plain(), differences.plain());
    outcome.file("ir.md", markdown(measured, &scores, &differences, &notes));
    outcome.file("ir.csv", summary(measured).csv());
    outcome.file("ir-queries.csv", queries(measured).csv());
    outcome.plot("ir", &picture(measured));
    for collection in measured {
        for system in &collection.systems {
            let name = format!("{}.{}.run", collection.name, system.name);
            outcome.file(name, run_file(collection, system));
        }
    }
    outcome
}

fn column(measured: &[Measured], value: impl Fn(&Measured) -> f64) -> Vec<f64> {
    measured.iter().map(value).collect()
}

fn figures(collection: &Measured, outcome: &mut Outcome) {
    let name = &collection.name;
    outcome.figure(format!("{name}.documents"), collection.documents);
    outcome.figure(format!("{name}.queries"), collection.queries.len());
    for system in &collection.systems {
        let of = |what: &str| format!("{name}.{}.{what}", system.name);
        for (measure, value) in MEASURES.iter().zip(&system.means) {
            outcome.figure(of(measure.name()), value.mean);
            let ends = vec![value.low, value.high];
            outcome.figure(of(&format!("{}.interval", measure.name())), ends);
        }
        let costs = system.costs();
        outcome.figure(of("cpu_ms.median"), percentile(&costs, 0.5));
        outcome.figure(of("cpu_ms.p99"), percentile(&costs, 0.99));
        outcome.figure(of("indexing_cpu_s"), system.indexing);
    }
    for contest in &collection.contests {
        // Ours against the reference is what is meant unless something else is said.
        let which = if contest.one == SYSTEMS[0] { "" } else { contest.one };
        let which = format!("{which}{}difference", if which.is_empty() { "" } else { "_" });
        for (measure, against) in MEASURES.iter().zip(&contest.comparisons) {
            let of = |what: &str| format!("{name}.{which}.{}{what}", measure.name());
            outcome.figure(of(""), against.difference.mean);
            let ends = vec![against.difference.low, against.difference.high];
            outcome.figure(of(".interval"), ends);
            outcome.figure(of(".p"), against.p);
        }
    }
    if let Some(accents) = &collection.accents {
        let of = |what: &str| format!("{name}.without_accents.{what}");
        outcome.figure(of("queries"), accents.queries);
        outcome.figure(of("ndcg_10"), accents.ndcg);
        outcome.figure(of("changed"), accents.changed);
    }
}

fn scores(measured: &[Measured]) -> Table {
    let mut head = vec!["collection", "queries", "system"];
    for measure in MEASURES {
        head.push(measure.title());
        if measure == MEASURES[0] {
            head.push("95 %");
        }
    }
    head.extend(["CPU ms", "p99"]);
    let mut table = Table::new(&head);
    for collection in measured {
        for system in &collection.systems {
            let mut row = vec![
                collection.name.clone(),
                collection.queries.len().to_string(),
                system.name.to_owned(),
            ];
            for (measure, value) in MEASURES.iter().zip(&system.means) {
                row.push(format!("{:.4}", value.mean));
                if *measure == MEASURES[0] {
                    row.push(ends(value));
                }
            }
            let costs = system.costs();
            row.push(format!("{:.2}", percentile(&costs, 0.5)));
            row.push(format!("{:.2}", percentile(&costs, 0.99)));
            table.row(row);
        }
    }
    table
}

/// The ends of an interval around what is not negative.
fn ends(value: &Interval) -> String {
    format!("{:.3} to {:.3}", value.low, value.high)
}

fn differences(measured: &[Measured]) -> Table {
    let head =
        ["collection", "measure", "systems", "difference", "95 %", "p", "better", "same", "worse"];
    let mut table = Table::new(&head);
    for collection in measured {
        // The two that are told most often.
        let told =
            |contest: &'_ Contest| MEASURES.into_iter().zip(contest.comparisons.clone()).take(2);
        for (contest, (measure, against)) in collection
            .contests
            .iter()
            .flat_map(|contest| told(contest).map(move |row| (contest, row)))
        {
            let difference = against.difference;
            table.row(vec![
                collection.name.clone(),
                measure.title().to_owned(),
                format!("{} against {}", contest.one, contest.other),
                format!("{:+.4}", difference.mean),
                format!("{:+.4} to {:+.4}", difference.low, difference.high),
                format!("{:.4}", against.p),
                against.wins.to_string(),
                against.ties.to_string(),
                against.losses.to_string(),
            ]);
        }
    }
    table
}

/// What tables do not tell, in sentences.
fn notes(measured: &[Measured]) -> String {
    let mut text = String::new();
    for collection in measured {
        let Some(accents) = &collection.accents else { continue };
        let verdict = match accents.changed {
            0 => "every score is the same".to_owned(),
            changed => format!("{changed} scores are others"),
        };
        let _ = writeln!(
            text,
            "{}: {} queries have accents; without them nDCG@10 is {:.4} and {verdict}.",
            collection.name, accents.queries, accents.ndcg
        );
    }
    text
}

fn markdown(measured: &[Measured], scores: &Table, differences: &Table, notes: &str) -> String {
    let mut text = "# Does the search find what people judged relevant?\n\n".to_owned();
    for collection in measured {
        let lang = collection.lang.map_or_else(|| "unknown".to_owned(), |lang| lang.to_string());
        let costs = collection.systems.iter();
        let costs = costs.map(|system| format!("{} {:.2}", system.name, system.indexing));
        let _ = writeln!(
            text,
            "- {}: {} documents, language {lang}, {} judged queries; CPU-seconds to index: {}.",
            collection.name,
            collection.documents,
            collection.queries.len(),
            costs.collect::<Vec<_>>().join(", ")
        );
        for warning in &collection.warnings {
            let _ = writeln!(text, "  - {warning}");
        }
    }
    text += "\n`hybrid`, where there is one, is that with the meaning of the first hundred mixed in, 0.7 to 0.3. \
             `lycosa` is the search as it is set by default, to a depth of 1,000. `tantivy` is tantivy \
             alone: one field of title, text, authors and keywords, with its own stop words, stemmer \
             and folding, BM25 with k1 1.2 and b 0.75, any of the words. Measures as trec_eval defines \
             them; intervals are of 10,000 bootstrap draws of the queries, p of a paired randomisation \
             test with as many. CPU time is per query, median and 99th percentile.\n\n";
    text += &scores.markdown();
    text.push('\n');
    text += &differences.markdown();
    text.push('\n');
    for line in notes.lines() {
        let _ = writeln!(text, "{line}\n");
    }
    text + "![nDCG@10 with 95 % intervals](ir.svg)\n"
}

fn summary(measured: &[Measured]) -> Table {
    let mut table = Table::new(&["collection", "system", "measure", "mean", "low", "high"]);
    for collection in measured {
        let mut row = |system: &str, measure: &str, value: &Interval| {
            let numbers = [value.mean, value.low, value.high].map(|number| format!("{number:.6}"));
            let mut row = vec![collection.name.clone(), system.into(), measure.into()];
            row.extend(numbers);
            table.row(row);
        };
        for system in &collection.systems {
            for (measure, value) in MEASURES.iter().zip(&system.means) {
                row(system.name, measure.name(), value);
            }
        }
        for contest in &collection.contests {
            let name = format!("{} - {}", contest.one, contest.other);
            for (measure, against) in MEASURES.iter().zip(&contest.comparisons) {
                row(&name, measure.name(), &against.difference);
            }
        }
    }
    table
}

fn queries(measured: &[Measured]) -> Table {
    let mut head = vec!["collection", "system", "query"];
    head.extend(MEASURES.iter().map(|measure| measure.name()));
    head.push("cpu_ms");
    let mut table = Table::new(&head);
    for collection in measured {
        for system in &collection.systems {
            for (query, answer) in collection.queries.iter().zip(&system.answers) {
                let mut row = vec![collection.name.clone(), system.name.into(), query.clone()];
                row.extend(answer.scores.iter().map(|score| format!("{score:.6}")));
                row.push(format!("{:.3}", answer.cpu));
                table.row(row);
            }
        }
    }
    table
}

fn picture(measured: &[Measured]) -> Drawing {
    let group = |collection: &Measured| Group {
        name: collection.name.clone(),
        values: collection.systems.iter().map(|system| system.means[0]).collect(),
    };
    let groups: Vec<Group> = measured.iter().map(group).collect();
    let count =
        measured.iter().map(|collection| collection.systems.len()).max().unwrap_or_default();
    plot::intervals(
        "nDCG@10 with 95 % intervals",
        "nDCG@10, mean over queries",
        &SYSTEMS[..count],
        &groups,
    )
}

/// TREC format: query, Q0, document, rank, score, system.
fn run_file(collection: &Measured, system: &System) -> String {
    let name = |name: &str| name.replace(char::is_whitespace, "_");
    let mut text = String::new();
    for (query, answer) in collection.queries.iter().zip(&system.answers) {
        for (place, (document, score)) in answer.ranking.iter().enumerate() {
            let (query, document) = (name(query), name(document));
            let _ = writeln!(text, "{query} Q0 {document} {} {score} {}", place + 1, system.name);
        }
    }
    text
}
