//! Where are the tags? A scanner that goes on whatever comes.

use std::borrow::Cow;

/// One step of the scanner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event<'t> {
    /// `<name …>` or `<name … />`.
    Open {
        name: Name<'t>,
        /// What stands between the name and the end of the tag.
        attributes: &'t str,
        /// Whether the element ends here.
        empty: bool,
    },
    /// `</name>`.
    Close(Name<'t>),
    /// Text, still escaped.
    Text(&'t str),
    /// The inside of a CDATA section.
    Raw(&'t str),
    /// The text ends inside a tag, a comment or the like.
    Torn,
}

/// A name with its prefix; the prefix is empty when there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Name<'t> {
    pub(super) prefix: &'t str,
    pub(super) local: &'t str,
}

impl<'t> Name<'t> {
    fn of(text: &'t str) -> Name<'t> {
        match text.split_once(':') {
            Some((prefix, local)) => Name { prefix, local },
            None => Name { prefix: "", local: text },
        }
    }

    /// Names compare without case: what is meant is plain enough.
    pub(super) fn is(&self, local: &str) -> bool {
        self.local.eq_ignore_ascii_case(local)
    }
}

/// Goes through a text once.
pub(super) struct Scanner<'t> {
    rest: &'t str,
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t str) -> Scanner<'t> {
        Scanner { rest: text }
    }

    /// Skips over what begins with `open`, up to and with `close`.
    fn skip(&mut self, open: usize, close: &str) -> Option<&'t str> {
        let inside = self.rest.get(open..)?;
        let end = inside.find(close)?;
        self.rest = &inside[end + close.len()..];
        Some(&inside[..end])
    }

    /// A document type, with its inner subset if it has one. Nothing that it declares counts.
    fn skip_doctype(&mut self) -> bool {
        let Some(at) = self.rest.find(['[', '>']) else {
            return false;
        };
        let subset = self.rest[at..].starts_with('[');
        self.rest = &self.rest[at + 1..];
        !subset || (self.skip(0, "]").is_some() && self.skip(0, ">").is_some())
    }

    fn torn(&mut self) -> Option<Event<'t>> {
        self.rest = "";
        Some(Event::Torn)
    }

    fn tag(&mut self) -> Option<Event<'t>> {
        let inside = &self.rest[1..];
        let (closing, inside) = match inside.strip_prefix('/') {
            Some(inside) => (true, inside),
            None => (false, inside),
        };
        let Some(end) = tag_end(inside) else {
            return self.torn();
        };
        let tag = &inside[..end];
        // A tag that was never closed ends where the next one begins.
        self.rest = match inside[end..].strip_prefix('>') {
            Some(rest) => rest,
            None => &inside[end..],
        };
        let name_end = tag.find(|c: char| c.is_whitespace() || c == '/').unwrap_or(tag.len());
        let (name, attributes) = tag.split_at(name_end);
        let name = Name::of(name);
        if closing {
            return Some(Event::Close(name));
        }
        let (attributes, empty) = match attributes.trim_end().strip_suffix('/') {
            Some(attributes) => (attributes, true),
            None => (attributes, false),
        };
        Some(Event::Open { name, attributes, empty })
    }
}

/// Where a tag ends: at `>` outside quotes; at `<`, which no tag may hold, if that comes before.
fn tag_end(inside: &str) -> Option<usize> {
    let mut quote = None;
    let mut next_tag = None;
    for (at, byte) in inside.bytes().enumerate() {
        match (byte, quote) {
            (b'>', None) => return Some(at),
            (b'<', _) => {
                next_tag = Some(at);
                break;
            }
            (b'"' | b'\'', None) => quote = Some(byte),
            (byte, Some(open)) if byte == open => quote = None,
            _ => {}
        }
    }
    // An unbalanced quote swallowed the end of its tag.
    let before = &inside[..next_tag.unwrap_or(inside.len())];
    before.find('>').or(next_tag)
}

impl<'t> Iterator for Scanner<'t> {
    type Item = Event<'t>;

    fn next(&mut self) -> Option<Event<'t>> {
        loop {
            let rest = self.rest;
            if rest.is_empty() {
                return None;
            }
            if !rest.starts_with('<') {
                let end = rest.find('<').unwrap_or(rest.len());
                self.rest = &rest[end..];
                return Some(Event::Text(&rest[..end]));
            }
            let skipped = if rest.starts_with("<!--") {
                self.skip(4, "-->").is_some()
            } else if rest.starts_with("<![CDATA[") {
                match self.skip(9, "]]>") {
                    Some(raw) => return Some(Event::Raw(raw)),
                    None => false,
                }
            } else if rest.starts_with("<?") {
                self.skip(2, "?>").is_some()
            } else if rest.starts_with("<!") {
                self.skip_doctype()
            } else if rest[1..].starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '/') {
                return self.tag();
            } else {
                // A lone `<` is text.
                self.rest = &rest[1..];
                return Some(Event::Text(&rest[..1]));
            };
            if !skipped {
                return self.torn();
            }
        }
    }
}

/// The value of an attribute, unescaped. The name is as written, with its prefix.
pub(super) fn attribute<'t>(attributes: &'t str, wanted: &str) -> Option<Cow<'t, str>> {
    let mut rest = attributes;
    loop {
        rest = rest.trim_start();
        let name_end = rest.find(|c: char| c == '=' || c.is_whitespace())?;
        let (name, behind) = rest.split_at(name_end);
        let Some(value) = behind.trim_start().strip_prefix('=') else {
            // An attribute without value.
            rest = behind;
            continue;
        };
        let value = value.trim_start();
        let (value, behind) = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => match value[1..].split_once(quote) {
                Some((value, behind)) => (value, behind),
                None => (&value[1..], ""),
            },
            _ => value.split_at(value.find(char::is_whitespace).unwrap_or(value.len())),
        };
        if name.eq_ignore_ascii_case(wanted) {
            return Some(unescape(value));
        }
        rest = behind;
    }
}

/// Undoes the five escapes of XML and numbers. Everything else that begins with `&` is left as it is:
/// addresses with a bare `&` are common, and no entity of a document type is known.
pub(super) fn unescape(text: &str) -> Cow<'_, str> {
    /// Longest escape, without `&` and `;`.
    const MOST: usize = 10;
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        let escape = behind.bytes().take(MOST + 1).position(|byte| byte == b';');
        match escape.and_then(|end| Some((character(behind.get(..end)?)?, end))) {
            Some((character, end)) => {
                out.push(character);
                rest = &behind[end + 1..];
            }
            None => {
                out.push('&');
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn character(escape: &str) -> Option<char> {
    match escape {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = escape.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}
