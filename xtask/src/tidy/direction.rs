//! Do dependencies point one way only?
//!
//! `model` <- pure crates <- runtime, store, segments <- agents <- lab <- lycosa. A crate may
//! use crates of lower layers, never of its own or a higher one; so agents never depend on each
//! other. Pure crates do no I/O and read no clock.

use super::source;
use super::{Finding, Tree};
use crate::metadata::Package;

/// The layers, from the ground up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Layer {
    /// What tests stand on; it knows no word of the project.
    Bare,
    /// The words as types.
    Model,
    /// Algorithms: bytes, time and chance come in as arguments.
    Pure,
    /// What agents stand on: mailboxes, records, archive, index segments.
    Ground,
    /// The six communities.
    Agent,
    /// Webs made or replayed for crawls and studies.
    Lab,
    /// The composition root.
    Binary,
    /// Chores; part of no other crate, and of no layer below.
    Tool,
}

/// The layer of every crate.
const LAYERS: &[(&str, Layer)] = &[
    ("lycosa-fuzz", Layer::Bare),
    ("lycosa-servers", Layer::Bare),
    ("lycosa-model", Layer::Model),
    ("lycosa-page", Layer::Pure),
    ("lycosa-frontier", Layer::Pure),
    ("lycosa-knowledge", Layer::Pure),
    ("lycosa-strategy", Layer::Pure),
    ("lycosa-watch", Layer::Pure),
    ("lycosa-runtime", Layer::Ground),
    ("lycosa-store", Layer::Ground),
    ("lycosa-segments", Layer::Ground),
    ("lycosa-ledger", Layer::Ground),
    ("lycosa-crawllet", Layer::Ground),
    ("lycosa-bus", Layer::Ground),
    ("lycosa-blobs", Layer::Ground),
    ("lycosa-broker", Layer::Agent),
    ("lycosa-bot", Layer::Agent),
    ("lycosa-filter", Layer::Agent),
    ("lycosa-indexer", Layer::Agent),
    ("lycosa-query", Layer::Agent),
    ("lycosa-interface", Layer::Agent),
    ("lycosa-lab", Layer::Lab),
    ("lycosa", Layer::Binary),
    ("crawllet-host", Layer::Binary),
    ("xtask", Layer::Tool),
];

/// Dependencies inside one layer that are allowed: user, used, why.
const SIDEWAYS: &[(&str, &str, &str)] = &[
    ("lycosa-page", "lycosa-frontier", "where a plain link leads"),
    ("lycosa-page", "lycosa-knowledge", "folding and stop words for the main text"),
    ("lycosa-strategy", "lycosa-knowledge", "similarity of a page to the topic"),
    ("lycosa-bus", "lycosa-runtime", "pauses between tries"),
    ("lycosa-blobs", "lycosa-runtime", "pauses between tries"),
];

/// Crates that pure code must not be built on: they do I/O or bring a runtime.
const NOT_PURE: &[&str] = &[
    "tokio",
    "tokio-rustls",
    "hyper",
    "hyper-util",
    "axum",
    "fjall",
    "tantivy",
    "reqwest",
    "rustls",
    "tempfile",
];

/// Words that betray I/O or a clock in pure code, and what to do instead.
const NOT_PURE_WORDS: &[(&str, &str)] = &[
    ("std::fs", "take the bytes as an argument"),
    ("std::net::Tcp", "leave the network to an agent"),
    ("std::net::Udp", "leave the network to an agent"),
    ("std::net::ToSocketAddrs", "leave the network to an agent"),
    ("std::process", "leave processes to an agent"),
    ("std::thread", "leave threads to an agent"),
    ("std::time::SystemTime", "take the time as an argument"),
    ("SystemTime::now", "take the time as an argument"),
    ("Instant::now", "take the time as an argument"),
];

fn layer(name: &str) -> Option<Layer> {
    LAYERS.iter().find(|(crate_name, _)| *crate_name == name).map(|(_, layer)| *layer)
}

fn is_pure(layer: Layer) -> bool {
    matches!(layer, Layer::Model | Layer::Pure)
}

/// Findings about who depends on whom, and about impure pure crates.
pub(super) fn check(packages: &[Package], tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in packages {
        match layer(&package.name) {
            Some(own) => {
                findings.extend(dependencies(package, own, packages, tree));
                if is_pure(own) {
                    findings.extend(purity(package, tree));
                }
            }
            None => findings.push(Finding::new(
                &package.manifest,
                1,
                format!("{} has no layer: give it one in tidy/direction.rs", package.name),
            )),
        }
    }
    findings
}

fn dependencies(package: &Package, own: Layer, members: &[Package], tree: &Tree) -> Vec<Finding> {
    let name = package.name.as_str();
    let mut findings = Vec::new();
    for dependency in &package.dependencies {
        let used = dependency.name.as_str();
        let line = line_of(tree, &package.manifest, used, dependency.dev);
        if is_pure(own) && !dependency.dev && NOT_PURE.contains(&used) {
            let message = format!("{name} is pure and must not depend on {used}");
            findings.push(Finding::new(&package.manifest, line, message));
        }
        let Some(other) = layer(used).filter(|_| members.iter().any(|m| m.name == used)) else {
            continue;
        };
        if other == Layer::Bare && !dependency.dev {
            let message = format!("{used} is for tests: make it a dev-dependency of {name}");
            findings.push(Finding::new(&package.manifest, line, message));
            continue;
        }
        let listed = SIDEWAYS.iter().any(|(user, what, _)| (*user, *what) == (name, used));
        if other < own && own != Layer::Tool || other == own && listed {
            continue;
        }
        let message = match (own, other) {
            (Layer::Agent, Layer::Agent) => {
                format!("agents talk by messages only: {name} must not depend on {used}")
            }
            _ => format!("wrong direction: {name} ({own:?}) must not depend on {used} ({other:?})"),
        };
        findings.push(Finding::new(&package.manifest, line, message));
    }
    findings
}

/// Where a manifest names a dependency; 1 if it is written in an unusual way.
fn line_of(tree: &Tree, manifest: &str, dependency: &str, dev: bool) -> usize {
    let text = tree.text(manifest).unwrap_or_default();
    let mut in_dev = false;
    for (number, line) in text.lines().enumerate() {
        if line.starts_with('[') {
            in_dev = line.starts_with("[dev-dependencies");
        }
        let rest = line.strip_prefix(dependency);
        if in_dev == dev && rest.is_some_and(|rest| rest.starts_with(['.', ' ', '='])) {
            return number + 1;
        }
    }
    1
}

fn purity(package: &Package, tree: &Tree) -> Vec<Finding> {
    let folder = package.manifest.trim_end_matches("Cargo.toml").to_owned() + "src/";
    let mut findings = Vec::new();
    for (path, code) in tree.shipped_code().filter(|(path, _)| path.starts_with(&folder)) {
        for (number, line) in code.lines().enumerate() {
            for (word, instead) in NOT_PURE_WORDS {
                if source::has_word_start(line, word) {
                    let message = format!("{word} in a pure crate: {instead}");
                    findings.push(Finding::new(path, number + 1, message));
                }
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests;
