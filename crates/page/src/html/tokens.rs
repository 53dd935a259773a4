//! What do the bytes of a page say? The HTML standard's tokenizer (13.2.5), as one pass of jumps.
//!
//! Every state of the standard is here, but not as a state: where a state only waits for the next of
//! a few bytes, the search for that byte takes its place, and what lies between is handed on as a
//! slice of the page. Parse errors are not told, since nobody here would do anything about them.
//! That the events are those of the standard is held against html5gum, which is written state by
//! state, on pages and on soup made up of everything that is odd (`tests.rs`).

use super::attrs::{Attr, Attrs};
use super::references;
use super::tag::Tag;
use memchr::{memchr, memmem};
use std::borrow::Cow;

/// What the reader of the events does with them.
pub(crate) trait Sink {
    /// Text between tags, character references decoded. Consecutive text comes in one piece.
    fn text(&mut self, text: &str);
    /// A start tag. The answer switches the tokenizer.
    fn start(&mut self, tag: Tag, attrs: &Attrs, self_closing: bool) -> Option<Mode>;
    /// An end tag.
    fn end(&mut self, tag: Tag);
    /// A comment. Told only to a sink that wants resources.
    fn comment(&mut self, text: &str);
    /// The system identifier of a private document type. Told only to a sink that wants resources.
    fn doctype(&mut self, system: &str);
    /// Whether text is wanted here and now.
    fn wants_text(&self) -> bool;
    /// Whether resources are wanted, beside what every page is read for.
    fn wants_resources(&self) -> bool;
    /// Whether the place is inside svg or math, where CDATA sections are text.
    fn in_foreign(&self) -> bool;
    /// Whether the value of this attribute is read by anybody.
    fn reads(&self, attr: Attr) -> bool;
}

/// How the content of an element is read that is not markup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Text with character references, up to the end tag.
    RcData,
    /// Text, up to the end tag.
    RawText,
    /// Text, up to the end tag, which a comment may hide.
    ScriptData,
    /// Text, up to the end of the page.
    PlainText,
}

/// A longer name is the name of nothing we know.
const MAX_NAME: usize = 64;
/// More of a comment is not kept.
const MAX_ASIDE: usize = 64 * 1024;

/// Reads a page.
pub(crate) fn read<S: Sink>(html: &str, sink: &mut S) {
    let html = one_line_end(html);
    let has_nul = memchr(0, html.as_bytes()).is_some();
    let resources = sink.wants_resources();
    let tokens = Tokens {
        html: &html,
        bytes: html.as_bytes(),
        at: 0,
        sink,
        attrs: Attrs::default(),
        resources,
        has_nul,
        first: 0..0,
        text: String::new(),
    };
    tokens.run();
}

/// The standard's preprocessing: every line ends with a line feed alone.
fn one_line_end(html: &str) -> Cow<'_, str> {
    if memchr(b'\r', html.as_bytes()).is_none() {
        return Cow::Borrowed(html);
    }
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = memchr(b'\r', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        out.push('\n');
        rest = &rest[at + 1..];
        rest = rest.strip_prefix('\n').unwrap_or(rest);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// What may stand between attributes, line ends normalised.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | 0x0c)
}

/// What a byte is to a name: an end of it, a capital letter, or nothing of both.
type Kinds = [u8; 256];
const END: u8 = 1;
const CAPITAL: u8 = 2;

/// What ends a name of a tag.
const TAG_NAME: Kinds = kinds(b" \n\t\x0c/>");
/// What ends a name of an attribute.
const ATTRIBUTE_NAME: Kinds = kinds(b" \n\t\x0c/>=");

const fn kinds(ends: &[u8]) -> Kinds {
    let mut kinds = [0; 256];
    let mut at = b'A';
    while at <= b'Z' {
        kinds[at as usize] = CAPITAL;
        at += 1;
    }
    let mut at = 0;
    while at < ends.len() {
        kinds[ends[at] as usize] = END;
        at += 1;
    }
    kinds
}

/// A name of a tag or an attribute.
#[derive(Clone, Copy)]
struct Name {
    from: usize,
    to: usize,
    has_capital: bool,
}

struct Tokens<'h, 's, S> {
    html: &'h str,
    bytes: &'h [u8],
    at: usize,
    sink: &'s mut S,
    attrs: Attrs,
    resources: bool,
    has_nul: bool,
    /// Text that was found and not told yet: a piece of the page, as long as one is enough …
    first: std::ops::Range<usize>,
    /// … or what was put together.
    text: String,
}

impl<S: Sink> Tokens<'_, '_, S> {
    fn run(mut self) {
        while let Some(byte) = self.byte(self.at) {
            if byte == b'<' {
                // Most tags stand behind another one.
                self.tag_open();
                continue;
            }
            let found = memchr(b'<', &self.bytes[self.at..]);
            let open = found.map_or(self.bytes.len(), |found| self.at + found);
            self.push_text(self.at, open, true, false);
            self.at = open;
            if found.is_some() {
                self.tag_open();
            }
        }
        self.flush();
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// Adds a piece of the page to the text. `decode`: it may hold character references; `raw`: of
    /// raw text, in which a NUL is replaced.
    fn push_text(&mut self, from: usize, to: usize, decode: bool, raw: bool) {
        if from == to || !self.sink.wants_text() {
            return;
        }
        let piece = &self.html[from..to];
        let changes = (self.has_nul && raw) || (decode && memchr(b'&', piece.as_bytes()).is_some());
        if !changes && self.text.is_empty() {
            if self.first.is_empty() {
                self.first = from..to;
                return;
            }
            if self.first.end == from {
                self.first.end = to;
                return;
            }
        }
        if !self.first.is_empty() {
            self.text.push_str(&self.html[self.first.clone()]);
            self.first = 0..0;
        }
        let piece = without_nul(piece, self.has_nul && raw);
        match decode {
            true => references::decode(&piece, false, &mut self.text),
            false => self.text.push_str(&piece),
        }
    }

    /// Tells the text.
    fn flush(&mut self) {
        if !self.first.is_empty() {
            self.sink.text(&self.html[self.first.clone()]);
            self.first = 0..0;
        } else if !self.text.is_empty() {
            self.sink.text(&self.text);
            self.text.clear();
        }
    }

    /// At a `<` in markup.
    fn tag_open(&mut self) {
        let open = self.at;
        match self.byte(open + 1) {
            Some(byte) if byte.is_ascii_alphabetic() => self.tag(open + 1, false),
            Some(b'/') => match self.byte(open + 2) {
                Some(byte) if byte.is_ascii_alphabetic() => self.tag(open + 2, true),
                // `</>` is nothing at all.
                Some(b'>') => self.at = open + 3,
                Some(_) => self.bogus_comment(open + 2),
                None => {
                    self.push_text(open, open + 2, false, false);
                    self.at = open + 2;
                }
            },
            Some(b'!') => self.declaration(open + 2),
            Some(b'?') => self.bogus_comment(open + 1),
            _ => {
                self.push_text(open, open + 1, false, false);
                self.at = open + 1;
            }
        }
    }

    /// A tag whose name begins at `name`. One that the page ends in is dropped.
    fn tag(&mut self, name: usize, is_end: bool) {
        let name = self.name(name, name, &TAG_NAME);
        self.at = name.to;
        let Some(self_closing) = self.attributes(is_end) else {
            self.at = self.bytes.len();
            return;
        };
        self.flush();
        let mut room = [0; MAX_NAME];
        let tag = self.folded(name, &mut room).map_or(Tag::Other, Tag::of);
        if is_end {
            self.sink.end(tag);
        } else if let Some(mode) = self.sink.start(tag, &self.attrs, self_closing) {
            self.raw(mode, name.from, name.to);
        }
    }

    /// The name that begins at `from` and does not end before `least`; it ends with the page at last.
    fn name(&self, from: usize, least: usize, kinds: &Kinds) -> Name {
        let mut seen = 0;
        for byte in &self.bytes[from..least] {
            seen |= kinds[usize::from(*byte)];
        }
        let mut to = least;
        while let Some(byte) = self.bytes.get(to) {
            let kind = kinds[usize::from(*byte)];
            if kind == END {
                break;
            }
            seen |= kind;
            to += 1;
        }
        Name { from, to, has_capital: seen & CAPITAL != 0 }
    }

    /// A name in lower case; `None` for one that is too long to be known.
    fn folded<'b>(&'b self, name: Name, room: &'b mut [u8; MAX_NAME]) -> Option<&'b [u8]> {
        let bytes = &self.bytes[name.from..name.to];
        if bytes.len() > MAX_NAME {
            return None;
        }
        if !name.has_capital {
            return Some(bytes);
        }
        let out = room.get_mut(..bytes.len())?;
        for (out, byte) in out.iter_mut().zip(bytes) {
            *out = byte.to_ascii_lowercase();
        }
        Some(out)
    }

    /// Reads attributes up to the `>` that ends the tag, and past it. Whether the tag ends itself;
    /// `None` when the page ends first. The attributes of an end tag are skipped.
    fn attributes(&mut self, skip: bool) -> Option<bool> {
        self.attrs.clear();
        loop {
            // Before attribute name.
            match self.byte(self.at)? {
                b'>' => {
                    self.at += 1;
                    return Some(false);
                }
                b'/' => {
                    self.at += 1;
                    if self.byte(self.at)? == b'>' {
                        self.at += 1;
                        return Some(true);
                    }
                    continue;
                }
                byte if is_space(byte) => {
                    self.at += 1;
                    continue;
                }
                _ => {}
            }
            // A `=` in the first place belongs to the name.
            let name = self.name(self.at, self.at + 1, &ATTRIBUTE_NAME);
            self.at = name.to;
            let attr = if skip { None } else { self.attribute(name) };
            while is_space(self.byte(self.at)?) {
                self.at += 1;
            }
            let value = if self.byte(self.at)? == b'=' {
                self.at += 1;
                self.value()?
            } else {
                self.at..self.at
            };
            if let Some(attr) = attr {
                let value = without_nul(&self.html[value], self.has_nul);
                self.attrs.add(attr, |out| references::decode(&value, true, out));
            }
        }
    }

    /// The attribute of this name, if somebody reads it.
    fn attribute(&self, name: Name) -> Option<Attr> {
        let mut room = [0; MAX_NAME];
        let name = self.folded(name, &mut room)?;
        match Attr::of(name) {
            None if self.resources => Attr::of_resource(name),
            known => known.filter(|attr| self.sink.reads(*attr)),
        }
    }

    /// The value after a `=`.
    fn value(&mut self) -> Option<std::ops::Range<usize>> {
        while is_space(self.byte(self.at)?) {
            self.at += 1;
        }
        let quote = self.byte(self.at)?;
        if matches!(quote, b'"' | b'\'') {
            let from = self.at + 1;
            let to = from + memchr(quote, &self.bytes[from..])?;
            self.at = to + 1;
            return Some(from..to);
        }
        let from = self.at;
        while !(is_space(self.byte(self.at)?) || self.byte(self.at)? == b'>') {
            self.at += 1;
        }
        Some(from..self.at)
    }

    /// After `<!`.
    fn declaration(&mut self, from: usize) {
        let rest = &self.bytes[from..];
        if rest.starts_with(b"--") {
            self.comment(from + 2);
        } else if rest.get(..7).is_some_and(|word| word.eq_ignore_ascii_case(b"doctype")) {
            self.doctype(from + 7);
        } else if rest.starts_with(b"[CDATA[") && self.sink.in_foreign() {
            let from = from + 7;
            let end = memmem::find(&self.bytes[from..], b"]]>").map(|end| from + end);
            let to = end.unwrap_or(self.bytes.len());
            self.push_text(from, to, false, false);
            self.at = end.map_or(to, |end| end + 3);
        } else {
            self.bogus_comment(from);
        }
    }

    /// A comment from its first byte on.
    fn comment(&mut self, from: usize) {
        let rest = &self.bytes[from..];
        for early in [b">".as_slice(), b"->"] {
            if rest.starts_with(early) {
                self.at = from + early.len();
                return self.tell_comment(from, from);
            }
        }
        let mut at = from;
        while let Some(dashes) = memmem::find(&self.bytes[at..], b"--") {
            at += dashes + 2;
            while self.byte(at) == Some(b'-') {
                at += 1;
            }
            let end = match (self.byte(at), self.byte(at + 1)) {
                (Some(b'>'), _) => at + 1,
                (Some(b'!'), Some(b'>')) => at + 2,
                _ => continue,
            };
            self.at = end;
            return self.tell_comment(from, at - 2);
        }
        // The page ends in the comment; what might have begun its end is not part of it.
        self.at = self.bytes.len();
        let rest = &self.html[from..];
        let text = ["--!", "--", "-"].iter().find_map(|end| rest.strip_suffix(end));
        self.tell_comment(from, from + text.unwrap_or(rest).len());
    }

    /// What looks like a declaration or an instruction and is none: a comment up to the next `>`.
    fn bogus_comment(&mut self, from: usize) {
        let end = memchr(b'>', &self.bytes[from..]).map(|end| from + end);
        self.at = end.map_or(self.bytes.len(), |end| end + 1);
        self.tell_comment(from, end.unwrap_or(self.bytes.len()));
    }

    fn tell_comment(&mut self, from: usize, to: usize) {
        if self.resources {
            self.flush();
            let text = &self.html[from..to];
            let text = &text[..text.floor_char_boundary(MAX_ASIDE)];
            self.sink.comment(&without_nul(text, self.has_nul));
        }
    }

    /// A document type; whatever stands in it, the next `>` ends it.
    fn doctype(&mut self, from: usize) {
        let end = memchr(b'>', &self.bytes[from..]).map(|end| from + end);
        self.at = end.map_or(self.bytes.len(), |end| end + 1);
        if self.resources
            && let Some(system) =
                system_identifier(&self.html[from..end.unwrap_or(self.bytes.len())])
        {
            self.sink.doctype(&without_nul(system, self.has_nul));
        }
    }

    /// The content of an element that is not markup, and its end tag.
    fn raw(&mut self, mode: Mode, name: usize, name_end: usize) {
        let from = self.at;
        let name = &self.bytes[name..name_end];
        let end = match mode {
            Mode::PlainText => None,
            Mode::ScriptData => super::raw::script_end(&self.bytes[from..], name),
            Mode::RcData | Mode::RawText => super::raw::end(&self.bytes[from..], name),
        };
        let to = end.map_or(self.bytes.len(), |end| from + end);
        self.push_text(from, to, mode == Mode::RcData, true);
        self.at = to;
        if end.is_some() {
            self.tag(to + 2, true);
        }
    }
}

fn without_nul(text: &str, has_nul: bool) -> Cow<'_, str> {
    match has_nul && text.contains('\0') {
        true => Cow::Owned(text.replace('\0', "\u{fffd}")),
        false => Cow::Borrowed(text),
    }
}

/// The system identifier of a document type that has no public one: that is a well-known name, and its
/// address is the same on half the web.
fn system_identifier(text: &str) -> Option<&str> {
    let space = |c: char| matches!(c, ' ' | '\n' | '\t' | '\x0c');
    let rest = text.trim_start_matches(space);
    let rest = rest.trim_start_matches(|c| !space(c)).trim_start_matches(space);
    let (word, rest) = rest.split_at_checked(6)?;
    if !word.eq_ignore_ascii_case("system") {
        return None;
    }
    let rest = rest.trim_start_matches(space);
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    rest[1..].split(quote).next()
}
