//! Are dependencies declared once, and is each one decided in writing?

use super::{Finding, Tree};
use crate::metadata::Package;

const ROOT: &str = "Cargo.toml";
const DECISIONS: &str = "docs/decisions.md";
const OURS: &str = "lycosa";

/// Findings about manifests: versions outside the root, dependencies without a decision.
pub(super) fn check(packages: &[Package], tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in packages {
        for (line, name, value) in entries(tree.text(&package.manifest).unwrap_or_default(), |s| {
            s.ends_with("dependencies")
        }) {
            if !name.ends_with(".workspace") && !value.contains("workspace = true") {
                let message =
                    format!("{name}: declare it in the root manifest and use it from there");
                findings.push(Finding::new(&package.manifest, line, message));
            }
        }
    }
    let Some(decisions) = tree.text(DECISIONS) else {
        findings.push(Finding::new(DECISIONS, 1, "missing: every dependency has a line in it"));
        return findings;
    };
    let root = tree.text(ROOT).unwrap_or_default();
    for (line, name, _) in entries(root, |section| section == "workspace.dependencies") {
        if !name.starts_with(OURS) && !decisions.contains(&format!("`{name}`")) {
            let message = format!("`{name}` has no line in {DECISIONS}");
            findings.push(Finding::new(ROOT, line, message));
        }
    }
    findings
}

/// The `name = value` lines of the wanted sections: line number, name, value.
fn entries(manifest: &str, wanted: impl Fn(&str) -> bool) -> Vec<(usize, &str, &str)> {
    let mut inside = false;
    let mut found = Vec::new();
    for (number, line) in manifest.lines().enumerate() {
        let line = line.trim_end();
        if let Some(section) = line.strip_prefix('[') {
            inside = wanted(section.trim_end_matches(']'));
        } else if inside
            && !line.starts_with([' ', '#', ']', '}'])
            && let Some((name, value)) = line.split_once('=')
        {
            found.push((number + 1, name.trim(), value.trim()));
        }
    }
    found
}

#[cfg(test)]
mod tests;
