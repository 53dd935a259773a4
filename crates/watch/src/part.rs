//! Which part of a page counts? `#price`, `main .offer`, `table[data-kind=rates] td`: names, ids, classes and attributes,
//! inside each other. It is found in the bytes of the page, as browsers would nest them in most pages: an end tag closes what
//! is open inside, and items of lists and cells of tables close each other.

#[cfg(test)]
mod tests;

use std::ops::Range;

/// Elements inside each other that are followed.
const MAX_DEPTH: usize = 512;
/// Parts of one page.
const MAX_PARTS: usize = 200;
/// Steps of a selector.
const MAX_STEPS: usize = 8;

/// Elements without content.
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];
/// Elements that the next of their kind closes.
const SIBLINGS: [&str; 8] = ["li", "p", "td", "th", "tr", "dt", "dd", "option"];
/// Elements whose content is no markup.
const RAW: [&str; 4] = ["script", "style", "textarea", "title"];

/// What to write, for somebody who wrote something else.
pub const PART_HINT: &str =
    "write names, #ids, .classes and [attributes], as in `main .offer` or `#price`";

/// What an element must have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Step {
    name: Option<String>,
    classes: Vec<String>,
    /// Names of attributes and, where one is wanted, their value.
    attributes: Vec<(String, Option<String>)>,
}

/// Which part of a page counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    steps: Vec<Step>,
}

/// A tag as it stands in a page.
struct Tag<'a> {
    name: String,
    is_end: bool,
    is_closed: bool,
    attributes: &'a [u8],
    range: Range<usize>,
}

impl Selector {
    /// Reads a selector.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn parse(text: &str) -> Result<Selector, String> {
        let steps: Vec<Step> = text.split_whitespace().map(step).collect::<Result<_, _>>()?;
        match steps.len() {
            0 => Err("the part of the page is not named".into()),
            1..=MAX_STEPS => Ok(Selector { steps }),
            _ => Err(format!("`{text}` has more than {MAX_STEPS} steps")),
        }
    }

    /// The parts of a page, one after the other, as a page of the same charset; nothing if it has none.
    pub fn cut(&self, html: &[u8]) -> Option<Vec<u8>> {
        let mut parts: Vec<Range<usize>> = Vec::new();
        let mut charset = Vec::new();
        // Name, steps that it and those around it have taken, and where it began if it is a part.
        let mut open: Vec<(String, usize, Option<usize>)> = Vec::new();
        let mut close = |open: &mut Vec<(String, usize, Option<usize>)>, to: usize, at: usize| {
            while open.len() > to {
                if let Some((_, _, Some(from))) = open.pop()
                    && parts.len() < MAX_PARTS
                {
                    parts.push(from..at);
                }
            }
        };
        for tag in tags(html) {
            if tag.is_end {
                if let Some(place) = open.iter().rposition(|(name, ..)| *name == tag.name) {
                    close(&mut open, place, tag.range.end);
                }
                continue;
            }
            if tag.name == "meta" && find(tag.attributes, b"charset").is_some() {
                charset.extend_from_slice(&html[tag.range.clone()]);
            }
            let closes = open.last().is_some_and(|(name, ..)| *name == tag.name);
            if closes && SIBLINGS.contains(&tag.name.as_str()) {
                let last = open.len() - 1;
                close(&mut open, last, tag.range.start);
            }
            let inside = open.iter().any(|(_, _, from)| from.is_some());
            let taken = open.last().map_or(0, |(_, taken, _)| *taken);
            let is_next = self.steps.get(taken).is_some_and(|step| step.fits(&tag));
            let is_part = is_next && taken + 1 == self.steps.len() && !inside;
            let taken = if is_next && taken + 1 < self.steps.len() { taken + 1 } else { taken };
            let from = is_part.then_some(tag.range.start);
            open.push((tag.name.clone(), taken, from));
            if tag.is_closed || VOID.contains(&tag.name.as_str()) || open.len() > MAX_DEPTH {
                let last = open.len() - 1;
                close(&mut open, last, tag.range.end);
            }
        }
        close(&mut open, 0, html.len());
        if parts.is_empty() {
            return None;
        }
        let mut page = charset;
        for part in parts {
            // Each part is a block of its own.
            page.extend_from_slice(b"<div>");
            page.extend_from_slice(&html[part]);
            page.extend_from_slice(b"</div>\n");
        }
        Some(page)
    }
}

impl Step {
    fn fits(&self, tag: &Tag<'_>) -> bool {
        if self.name.as_ref().is_some_and(|name| *name != tag.name) {
            return false;
        }
        let has = attributes(tag.attributes);
        let value = |name: &str| has.iter().find(|(it, _)| it == name).map(|(_, value)| value);
        let classes: Vec<&str> =
            value("class").map(|list| list.split_whitespace().collect()).unwrap_or_default();
        self.classes.iter().all(|class| classes.contains(&class.as_str()))
            && self.attributes.iter().all(|(name, wanted)| match (value(name), wanted) {
                (Some(value), Some(wanted)) => value == wanted,
                (value, None) => value.is_some(),
                (None, Some(_)) => false,
            })
    }
}

/// `name#id.class[attribute=value]`
fn step(text: &str) -> Result<Step, String> {
    let wrong = || format!("`{text}` is no part of a page");
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let mut step = Step::default();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if first == '[' {
            let end = rest.find(']').ok_or_else(wrong)?;
            let (name, value) = match rest[1..end].split_once('=') {
                Some((name, value)) => (name, Some(value.trim_matches(['"', '\'']).to_owned())),
                None => (&rest[1..end], None),
            };
            if name.is_empty() || !name.chars().all(is_name) {
                return Err(wrong());
            }
            step.attributes.push((name.to_lowercase(), value));
            rest = &rest[end + 1..];
            continue;
        }
        let after = if matches!(first, '#' | '.') { &rest[1..] } else { rest };
        let end = after.find(|c| !is_name(c)).unwrap_or(after.len());
        let name = &after[..end];
        match first {
            _ if name.is_empty() => return Err(wrong()),
            '#' => step.attributes.push(("id".into(), Some(name.to_owned()))),
            '.' => step.classes.push(name.to_owned()),
            _ if step != Step::default() => return Err(wrong()),
            _ => step.name = Some(name.to_lowercase()),
        }
        rest = &after[end..];
    }
    Ok(step)
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|part| part.eq_ignore_ascii_case(needle))
}

/// The tags of a page, in order; comments and scripts have none.
fn tags(html: &[u8]) -> impl Iterator<Item = Tag<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            at += html.get(at..)?.iter().position(|byte| *byte == b'<')?;
            let rest = &html[at..];
            if rest.starts_with(b"<!--") {
                at += find(&rest[4..], b"-->").map_or(rest.len(), |end| end + 7);
                continue;
            }
            let is_end = rest.get(1) == Some(&b'/');
            let begin = if is_end { 2 } else { 1 };
            if !rest.get(begin).is_some_and(u8::is_ascii_alphabetic) {
                at += 1;
                continue;
            }
            let end = end_of_tag(rest)?;
            let inner = &rest[begin..end];
            let stop = inner.iter().position(|byte| byte.is_ascii_whitespace() || *byte == b'/');
            let (name, attributes) = inner.split_at(stop.unwrap_or(inner.len()));
            let name = String::from_utf8_lossy(name).to_lowercase();
            let range = at..at + end + 1;
            at = range.end;
            if !is_end && RAW.contains(&name.as_str()) {
                let close = format!("</{name}");
                at += find(&html[at..], close.as_bytes()).unwrap_or(html.len() - at);
            }
            let is_closed = attributes.ends_with(b"/");
            return Some(Tag { name, is_end, is_closed, attributes, range });
        }
    })
}

/// Where the `>` of a tag is, which may also stand in values.
fn end_of_tag(tag: &[u8]) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in tag.iter().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at),
            // A quote begins a value only behind an equals sign.
            (None, b'"' | b'\'') if tag[..at].trim_ascii_end().ends_with(b"=") => {
                quote = Some(*byte);
            }
            (Some(open), byte) if open == *byte => quote = None,
            _ => {}
        }
    }
    None
}

/// Names and values of attributes; references in them are not decoded.
fn attributes(text: &[u8]) -> Vec<(String, String)> {
    let text = String::from_utf8_lossy(text);
    let mut rest = text.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
    let mut found = Vec::new();
    while !rest.is_empty() {
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '=' | '/'));
        let (name, after) = rest.split_at(end.unwrap_or(rest.len()));
        let after = after.trim_start();
        let (value, after) = match after.strip_prefix('=').map(str::trim_start) {
            None => ("", after),
            Some(value) => match value.chars().next().filter(|c| matches!(c, '"' | '\'')) {
                Some(quote) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
                None => value.split_at(value.find(char::is_whitespace).unwrap_or(value.len())),
            },
        };
        if !name.is_empty() {
            found.push((name.to_lowercase(), value.to_owned()));
        }
        let next = after.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '/' | '='));
        // Whatever stands there, it goes on.
        rest = if next.len() < rest.len() { next } else { "" };
    }
    found
}
