//! Which links and anchors does a Markdown document have?
//!
//! Inline links and images, reference definitions, and `href`, `src`, `id` and `name` of inline
//! HTML; nothing inside code. Anchors are made from headings as the usual forges do.

use std::collections::{BTreeMap, BTreeSet};

/// What a document points to, and what in it can be pointed to.
#[derive(Debug, Default)]
pub(super) struct Document {
    pub(super) links: Vec<Link>,
    pub(super) anchors: BTreeSet<String>,
}

/// One link, with its line from 1.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) line: usize,
    pub(super) target: String,
}

/// Reads a document.
pub(super) fn read(text: &str) -> Document {
    let mut document = Document::default();
    let mut used: BTreeMap<String, usize> = BTreeMap::new();
    let mut fence: Option<&str> = None;
    for (number, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark)) {
            match fence {
                None => fence = Some(mark),
                Some(open) if open == mark => fence = None,
                Some(_) => {}
            }
            continue;
        }
        if fence.is_some() {
            continue;
        }
        if let Some(title) = heading(trimmed) {
            let slug = slug(title);
            let seen = used.entry(slug.clone()).or_default();
            let anchor = if *seen == 0 { slug } else { format!("{slug}-{seen}") };
            *seen += 1;
            document.anchors.insert(anchor);
        }
        let prose = without_code(line);
        let targets = inline(&prose).into_iter().chain(definition(&prose));
        let targets = targets.chain(["href", "src"].iter().flat_map(|a| attribute(&prose, a)));
        let links = targets.map(|target| Link { line: number + 1, target: target.to_owned() });
        document.links.extend(links);
        let anchors = ["id", "name"].iter().flat_map(|a| attribute(&prose, a));
        document.anchors.extend(anchors.map(str::to_owned));
    }
    document
}

/// The title of `## Title`.
fn heading(line: &str) -> Option<&str> {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    ((1..=6).contains(&level) && title.starts_with(' '))
        .then(|| title.trim().trim_end_matches('#').trim())
}

/// The anchor of a heading: lower case, spaces as hyphens, no punctuation, links by their text.
fn slug(title: &str) -> String {
    let mut text = String::new();
    let mut rest = title;
    while let Some((before, after)) = rest.split_once("](") {
        text.push_str(before);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    text.push_str(rest);
    let lower = text.to_lowercase();
    let kept = lower.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// A line with its code spans blanked.
fn without_code(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(start) = rest.find('`') {
        let ticks = rest[start..].len() - rest[start..].trim_start_matches('`').len();
        let (before, from) = rest.split_at(start);
        out.push_str(before);
        let body = &from[ticks..];
        let Some(end) = body.find(&from[..ticks]) else {
            rest = body;
            continue;
        };
        out.push(' ');
        rest = &body[end + ticks..];
    }
    out.push_str(rest);
    out
}

/// Targets of `[text](target "title")` and `![alt](<target>)`.
fn inline(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some((_, after)) = rest.split_once("](") {
        rest = after;
        found.push(destination(&after[..closing(after)]));
    }
    found
}

/// Where the parenthesis that was opened before `text` closes.
fn closing(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return at,
            ')' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

/// A destination without its angle brackets or title.
fn destination(text: &str) -> &str {
    let text = text.trim();
    match text.strip_prefix('<').and_then(|t| t.split_once('>')) {
        Some((target, _)) => target,
        None => text.split_whitespace().next().unwrap_or_default(),
    }
}

/// The target of a line `[name]: target`.
fn definition(line: &str) -> Option<&str> {
    let (name, target) = line.trim_start().strip_prefix('[')?.split_once("]:")?;
    let footnote = name.starts_with('^') || name.contains(']');
    (!footnote && !target.trim().is_empty()).then(|| destination(target))
}

/// Values of one attribute of inline HTML.
fn attribute<'a>(line: &'a str, name: &str) -> Vec<&'a str> {
    let open = format!(" {name}=\"");
    let tag = |at: usize| line[..at].rfind('<').is_some_and(|lt| !line[lt..at].contains('>'));
    line.match_indices(&open)
        .filter(|(at, _)| tag(*at))
        .filter_map(|(at, _)| line[at + open.len()..].split('"').next())
        .collect()
}

#[cfg(test)]
mod tests;
