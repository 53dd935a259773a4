//! Do the links in our documents lead somewhere?
//!
//! Relative links must point to a file or folder of the project, and an anchor to a heading (or
//! an `id`) of that document. Links to the web are not followed: tests use no network.

mod markdown;

use std::collections::BTreeMap;

use super::{Finding, Tree};

/// Findings about links in all `*.md` files.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let documents: BTreeMap<&str, markdown::Document> =
        tree.with_ending(".md").map(|(path, text)| (path, markdown::read(text))).collect();
    let mut findings = Vec::new();
    for (path, document) in &documents {
        for link in &document.links {
            if let Some(problem) = problem(path, &link.target, tree, &documents) {
                findings.push(Finding::new(*path, link.line, problem));
            }
        }
    }
    findings
}

fn problem(
    from: &str,
    target: &str,
    tree: &Tree,
    documents: &BTreeMap<&str, markdown::Document>,
) -> Option<String> {
    if has_scheme(target) {
        return None;
    }
    if target.is_empty() {
        return Some("an empty link".to_owned());
    }
    if target.starts_with('/') {
        return Some(format!("`{target}`: links inside the project are relative"));
    }
    let (file, anchor) = match target.split_once('#') {
        Some((file, anchor)) => (file, Some(anchor)),
        None => (target, None),
    };
    let file = percent_decoded(file.split('?').next().unwrap_or_default());
    let Some(file) = (if file.is_empty() { Some(from.to_owned()) } else { resolve(from, &file) })
    else {
        return Some(format!("`{target}` leads out of the project"));
    };
    if !tree.exists(&file) {
        return Some(format!("`{target}`: there is no {file}"));
    }
    let document = documents.get(file.as_str())?;
    let anchor = percent_decoded(anchor?);
    (!document.anchors.contains(&anchor))
        .then(|| format!("`{target}`: {file} has no heading for #{anchor}"))
}

/// Whether a target begins with a scheme (`https:`, `mailto:`) or is `//host`.
fn has_scheme(target: &str) -> bool {
    let scheme = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    };
    target.starts_with("//") || target.split_once(':').is_some_and(|(name, _)| scheme(name))
}

/// The path of `target` seen from the document `from`; `None` above the root.
fn resolve(from: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digit =
            |offset: usize| bytes.get(at + offset).and_then(|byte| char::from(*byte).to_digit(16));
        match (bytes[at], digit(1), digit(2)) {
            (b'%', Some(high), Some(low)) => {
                // Two digits of base 16 fit a byte.
                out.push((high * 16 + low) as u8);
                at += 3;
            }
            _ => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests;
