//! Is each file fit to be read: short, finished, and free of one machine's paths?

use super::source::{self, bare};
use super::{Finding, Tree};

/// Longest Rust file that is not a table.
const MAX_LINES: usize = 500;

/// Rust files that are tables and may be longer, each with its reason.
const TABLES: &[(&str, &str)] = &[];

/// Words in Rust code that say that something is not done.
const UNFINISHED: &[&str] = &["todo!", "unimplemented!", "#[ignore"];

/// Words in any text that say that something is not done. Written in two parts, so that this
/// table is not a finding.
const MARKS: &[&str] = &[concat!("FIX", "ME"), concat!("XX", "X")];

/// Beginnings of paths that exist on one machine only; written in two parts as above.
const MACHINE_PATHS: &[&str] =
    &[concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/")];

/// Findings about single files.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in tree.texts() {
        if path.ends_with(".rs") {
            findings.extend(length(path, text));
            findings.extend(unfinished(path, text));
        }
        if path != "Cargo.lock" {
            findings.extend(marks(path, text));
            findings.extend(machine_paths(path, text));
        }
    }
    findings
}

fn length(path: &str, text: &str) -> Option<Finding> {
    let lines = text.lines().count();
    let table = TABLES.iter().any(|(table, _)| *table == path);
    (lines > MAX_LINES && !table).then(|| {
        let message = format!("{lines} lines: over {MAX_LINES} only tables are readable; split it");
        Finding::new(path, MAX_LINES + 1, message)
    })
}

fn unfinished(path: &str, text: &str) -> Vec<Finding> {
    let code = bare(text);
    let mut findings = Vec::new();
    for (number, line) in code.lines().enumerate() {
        for word in UNFINISHED.iter().filter(|word| source::has_word_start(line, word)) {
            findings.push(Finding::new(path, number + 1, format!("`{word}` is not finished work")));
        }
    }
    findings
}

fn marks(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for mark in MARKS {
            if line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == *mark) {
                let message = format!("{mark}: do it, or write an issue");
                findings.push(Finding::new(path, number + 1, message));
            }
        }
    }
    findings
}

fn machine_paths(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for start in MACHINE_PATHS {
            let found = line
                .match_indices(start)
                .any(|(at, _)| begins_path(&line[..at]) && goes_on(&line[at + start.len()..]));
            if found {
                let message = format!("a path of one machine ({start}…)");
                findings.push(Finding::new(path, number + 1, message));
            }
        }
    }
    findings
}

/// Whether a `/` after this text begins an absolute path, and not the path of a URL or a folder
/// deeper down.
fn begins_path(before: &str) -> bool {
    !before.chars().next_back().is_some_and(|c| c.is_alphanumeric() || "._-~}$%)/*".contains(c))
        || before.ends_with("file://")
}

/// Whether a name follows: the folder alone, as in a robots rule, is nobody's machine.
fn goes_on(after: &str) -> bool {
    after.chars().next().is_some_and(|c| c.is_alphanumeric() || c == '.' || c == '_')
}

#[cfg(test)]
mod tests;
