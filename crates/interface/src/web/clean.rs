//! What of a crawled page may stand on ours?
//!
//! Titles, snippets and addresses come from strangers. Templates escape all text; this module takes care
//! of what escaping does not: marks in snippets, links that are not links, and characters that make a
//! line read other than it is.

use askama::filters::HtmlSafe;
use lycosa_frontier::whatwg;
use std::fmt;
use url::Url;

/// Characters of a title that are shown.
pub(super) const MAX_TITLE: usize = 160;
/// Characters of a snippet that are shown; the query agent cuts far below this.
pub(super) const MAX_SNIPPET: usize = 1_000;
/// Characters of a part of an address that are shown.
const MAX_PART: usize = 60;
/// Parts of a path that are shown.
const MAX_PARTS: usize = 4;

/// Whether a character would hide or reorder its neighbours: controls, and the bidirectional embeddings,
/// overrides and isolates. Plain direction marks stay; the page isolates what they act on.
fn is_trick(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Plain text in one line, at most `limit` characters, with an ellipsis where it was cut.
pub(super) fn line(text: &str, limit: usize) -> String {
    let mut out = String::new();
    let mut count = 0;
    for c in text.chars().filter(|c| !is_trick(*c)) {
        let c = if c.is_whitespace() { ' ' } else { c };
        if c == ' ' && (out.is_empty() || out.ends_with(' ')) {
            continue;
        }
        if count == limit {
            out.truncate(out.trim_end().len());
            out.push('…');
            return out;
        }
        out.push(c);
        count += 1;
    }
    out.truncate(out.trim_end().len());
    out
}

/// Plain text of several lines, without characters that make it read other than it is.
pub(super) fn text(text: &str) -> String {
    text.chars().filter(|c| !is_trick(*c)).collect()
}

/// A passage as HTML that holds text and balanced `<mark>`s, and nothing else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Snippet(String);

/// What [`Snippet::new`] leaves as it finds it: the references that escaping text makes.
const REFERENCES: [&str; 9] =
    ["&amp;", "&lt;", "&gt;", "&quot;", "&#34;", "&#39;", "&#x27;", "&#38;", "&apos;"];

impl Snippet {
    /// Reads a query agent's snippet. It should be clean already; what is not is escaped here.
    pub(super) fn new(html: &str) -> Snippet {
        let mut out = String::with_capacity(html.len() + 16);
        let mut rest = html;
        let mut marked = false;
        let mut shown = 0;
        while let Some(c) = rest.chars().next() {
            if let Some(after) = rest.strip_prefix("<mark>") {
                if !marked {
                    out.push_str("<mark>");
                }
                (marked, rest) = (true, after);
                continue;
            }
            if let Some(after) = rest.strip_prefix("</mark>") {
                if marked {
                    out.push_str("</mark>");
                }
                (marked, rest) = (false, after);
                continue;
            }
            if shown == MAX_SNIPPET {
                out.push('…');
                break;
            }
            shown += 1;
            if let Some(reference) = REFERENCES.iter().find(|known| rest.starts_with(**known)) {
                out.push_str(reference);
                rest = &rest[reference.len()..];
                continue;
            }
            rest = &rest[c.len_utf8()..];
            match c {
                '&' => out.push_str("&amp;"),
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                '"' => out.push_str("&quot;"),
                '\'' => out.push_str("&#39;"),
                c if is_trick(c) => {}
                c => out.push(c),
            }
        }
        if marked {
            out.push_str("</mark>");
        }
        Snippet(out)
    }

    /// Whether there is nothing to show.
    pub(super) fn is_empty(&self) -> bool {
        self.0.trim().is_empty()
    }
}

impl fmt::Display for Snippet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

// The only HTML that a template may write unescaped; `Snippet::new` is its only source.
impl HtmlSafe for Snippet {}

/// An address that a person may click on, and how it reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    /// Absolute http(s) address.
    pub(super) href: String,
    /// Host, with its port if it is not the default; ASCII, so that look-alikes show.
    pub(super) host: String,
    /// The first parts of the path, decoded.
    pub(super) parts: Vec<String>,
}

impl Address {
    /// Reads an address; `None` for everything that is not http(s) on some host.
    pub(super) fn new(url: &str) -> Option<Address> {
        let parsed = whatwg::read(None, None, url).ok()?;
        if !whatwg::is_web(&parsed) || has_user(&parsed) {
            return None;
        }
        let host = whatwg::host(&parsed)?;
        let host = match parsed.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.into_owned(),
        };
        let mut parts: Vec<String> = parsed
            .path_segments()
            .into_iter()
            .flatten()
            .map(|part| line(&decoded(part), MAX_PART))
            .filter(|part| !part.is_empty())
            .take(MAX_PARTS + 1)
            .collect();
        if parts.len() > MAX_PARTS {
            parts.truncate(MAX_PARTS);
            parts.push("…".into());
        }
        Some(Address { href: whatwg::written(&parsed).into_owned(), host, parts })
    }

    /// The address in words: `example.org › wiki › España`.
    pub(super) fn words(&self) -> String {
        let parts = self.parts.iter().map(String::as_str);
        std::iter::once(self.host.as_str()).chain(parts).collect::<Vec<_>>().join(" › ")
    }
}

/// Whether something stands before an `@`: there to deceive, and of no use in a crawler's index.
fn has_user(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}

/// A part of a path with its percent signs resolved, when that gives text; else as it is.
fn decoded(part: &str) -> String {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = |byte: &u8| char::from(*byte).to_digit(16);
        match (first, tail) {
            (b'%', [high, low, after @ ..]) if hex(high).is_some() && hex(low).is_some() => {
                let value = hex(high).unwrap_or(0) * 16 + hex(low).unwrap_or(0);
                bytes.push(value as u8);
                rest = after;
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| part.to_owned())
}

/// The contact of the operator as a link, when it is one that can do no harm.
pub(super) fn contact(address: &str) -> Option<String> {
    let parsed = Url::parse(address).ok()?;
    matches!(parsed.scheme(), "http" | "https" | "mailto").then(|| parsed.into())
}
