//! Does the house have its documents, and does its code keep calm?

use std::collections::BTreeMap;

use super::{Finding, Tree};

/// The two commands of a newcomer.
const COMMANDS: &[&str] = &["cargo run --release -- demo", "cargo xtask test"];

/// Files that a reader looks for at the root.
const DOCUMENTS: &[&str] = &[
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "LICENSE",
    "LICENSE-MIT",
    "LICENSE-APACHE",
];

/// How many `.unwrap()` and `.expect(` the shipped code of all crates may have together: each is
/// a place where the program can die, and must be one that input cannot reach.
const MAX_PANICS: usize = 40;

const PANICS: &[&str] = &[".unwrap()", ".expect("];

/// Findings about the documents of the house and of each room.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for path in DOCUMENTS.iter().filter(|path| !tree.exists(path)) {
        findings.push(Finding::new(*path, 1, "missing"));
    }
    for folder in crates(tree) {
        let readme = format!("{folder}/README.md");
        if !tree.exists(&readme) {
            findings.push(Finding::new(readme, 1, "missing: every crate has a one-screen README"));
        }
    }
    if let Some(readme) = tree.text("README.md") {
        for command in COMMANDS.iter().filter(|command| !readme.contains(**command)) {
            findings.push(Finding::new("README.md", 1, format!("does not name `{command}`")));
        }
    }
    if let Some(changelog) = tree.text("CHANGELOG.md")
        && !changelog.lines().any(is_release_heading)
    {
        let message = "has no heading `## Unreleased` or `## 1.2.3`";
        findings.push(Finding::new("CHANGELOG.md", 1, message));
    }
    findings
}

fn is_release_heading(line: &str) -> bool {
    let Some(title) = line.strip_prefix("## ") else {
        return false;
    };
    let title = title.trim_start_matches(['[', 'v']);
    title.to_lowercase().starts_with("unreleased")
        || (title.starts_with(|c: char| c.is_ascii_digit()) && title.contains('.'))
}

/// The folders of crates, by their manifests.
fn crates(tree: &Tree) -> impl Iterator<Item = &str> {
    let manifests = tree.paths().filter_map(|path| path.strip_suffix("/Cargo.toml"));
    manifests.filter(|folder| {
        let room = folder.strip_prefix("crates/");
        *folder == "xtask" || room.is_some_and(|name| !name.contains('/'))
    })
}

/// A place where shipped code can die.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Panic {
    path: String,
    line: usize,
}

/// All such places in `crates/`; chores and tests may stop when something is odd.
pub(super) fn panics(tree: &Tree) -> Vec<Panic> {
    let mut found = Vec::new();
    for (path, code) in tree.shipped_code().filter(|(path, _)| path.starts_with("crates/")) {
        for (number, line) in code.lines().enumerate() {
            let times: usize = PANICS.iter().map(|word| line.matches(word).count()).sum();
            found.extend((0..times).map(|_| Panic { path: path.to_owned(), line: number + 1 }));
        }
    }
    found
}

/// One line about them: how many, and in which crates.
pub(super) fn counts(panics: &[Panic]) -> String {
    let mut per_crate: BTreeMap<&str, usize> = BTreeMap::new();
    for panic in panics {
        *per_crate.entry(panic.path.split('/').nth(1).unwrap_or_default()).or_default() += 1;
    }
    let list: Vec<String> = per_crate.iter().map(|(name, n)| format!("{name} {n}")).collect();
    let list = if list.is_empty() { "none".to_owned() } else { list.join(", ") };
    format!("unwrap and expect outside tests: {} of at most {MAX_PANICS} ({list})", panics.len())
}

/// Every place, if there are more than allowed.
pub(super) fn too_many_panics(panics: &[Panic]) -> Vec<Finding> {
    if panics.len() <= MAX_PANICS {
        return Vec::new();
    }
    let message = format!("unwrap or expect: {} in all, at most {MAX_PANICS}", panics.len());
    panics.iter().map(|p| Finding::new(&p.path, p.line, &message)).collect()
}

#[cfg(test)]
mod tests;
