//! May we use, and pass on, everything that is built into the program?
//!
//! Every package of the graph must offer a licence of the list below. The same list is in
//! `deny.toml` for those who have cargo-deny; the two are kept equal.

mod spdx;

use super::{Finding, Tree};
use crate::metadata::Package;

/// Licences we accept, by their SPDX names: all allow closed and open use, with notice.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "Unlicense",
    "Zlib",
];

const DENY: &str = "deny.toml";
const LOCK: &str = "Cargo.lock";

/// Findings about the licences of the graph and about `deny.toml`.
pub(super) fn check(graph: &[Package], tree: &Tree) -> Vec<Finding> {
    let lock = tree.text(LOCK).unwrap_or_default();
    let mut findings = Vec::new();
    for package in graph {
        let problem = match package.license.as_deref() {
            None => Some("names no licence".to_owned()),
            Some(text) => match spdx::allowed(text, |name| ALLOWED.contains(&name)) {
                Ok(true) => None,
                Ok(false) => Some(format!("its licence is not on our list: {text}")),
                Err(why) => Some(format!("its licence cannot be read: {text} ({why})")),
            },
        };
        if let Some(problem) = problem {
            let message = format!("{} {}: {problem}", package.name, package.version);
            findings.push(Finding::new(LOCK, lock_line(lock, package), message));
        }
    }
    findings.extend(in_step(tree));
    findings
}

/// Where the lock file has the package; 1 if it has not.
fn lock_line(lock: &str, package: &Package) -> usize {
    let name = format!("name = \"{}\"", package.name);
    let version = format!("version = \"{}\"", package.version);
    let lines: Vec<&str> = lock.lines().collect();
    let at = lines.windows(2).position(|pair| pair[0] == name && pair[1] == version);
    at.map_or(1, |index| index + 1)
}

/// The list in `deny.toml` must be ours.
fn in_step(tree: &Tree) -> Vec<Finding> {
    let Some(text) = tree.text(DENY) else {
        return vec![Finding::new(DENY, 1, "missing")];
    };
    let Some(start) = text.lines().position(|line| line.trim() == "allow = [") else {
        return vec![Finding::new(DENY, 1, "has no list `allow = [`")];
    };
    let listed: Vec<&str> = text
        .lines()
        .skip(start + 1)
        .take_while(|line| line.trim() != "]")
        .filter_map(|line| line.split('"').nth(1))
        .collect();
    let mut findings = Vec::new();
    for name in ALLOWED.iter().filter(|name| !listed.contains(name)) {
        findings.push(Finding::new(DENY, start + 1, format!("`{name}` is missing here")));
    }
    for name in listed.iter().filter(|name| !ALLOWED.contains(name)) {
        let message = format!("`{name}` is not allowed by tidy/licences.rs");
        findings.push(Finding::new(DENY, start + 1, message));
    }
    findings
}

#[cfg(test)]
mod tests;
