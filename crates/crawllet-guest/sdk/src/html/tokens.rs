//! What do the characters of a page say? The HTML standard's tokenizer (13.2.5), as far as tags,
//! attributes and text go.

use super::references;
use super::scan::{self, Name};
use std::borrow::Cow;

/// A longer attribute value is as good as none.
const MAX_VALUE: usize = 16 << 10;
/// Attributes of one tag that are kept.
const MAX_ATTRIBUTES: usize = 32;

/// What the reader of the events does with them.
pub(super) trait Sink {
    /// Text between tags, character references decoded.
    fn text(&mut self, text: &str);
    /// Whether tags of this name say anything at all.
    fn minds(&self, name: Name) -> bool;
    /// A start tag. The answer says how the content is read.
    fn start(&mut self, name: Name, attributes: &Attributes<'_>, closes_itself: bool) -> Content;
    /// Whether the attributes of an element are asked for.
    fn reads(&self, name: Name) -> bool;
    /// An end tag.
    fn end(&mut self, name: Name);
    /// Whether the place is inside svg or math, where CDATA sections are text.
    fn in_foreign(&self) -> bool;
    /// Whether text is wanted here and now.
    fn wants_text(&self) -> bool;
}

/// How the content of an element is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// As markup.
    Markup,
    /// As text with character references, up to the end tag.
    Text,
    /// As text, up to the end tag.
    Raw,
    /// As text, up to the end tag, which a comment may hide.
    Script,
    /// As text, up to the end of the page.
    Rest,
}

/// The attributes of a tag, as written.
#[derive(Debug, Default)]
pub(super) struct Attributes<'h>(Vec<(&'h str, &'h str)>);

impl Attributes<'_> {
    /// The value of an attribute; of several with one name the first counts.
    pub(super) fn get(&self, name: &str) -> Option<Cow<'_, str>> {
        let mut named = self.0.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        let value = named.next()?.1;
        if !value.contains('&') {
            return Some(Cow::Borrowed(value));
        }
        let mut text = String::with_capacity(value.len());
        references::decode(value, true, &mut text);
        Some(Cow::Owned(text))
    }
}

/// Reads a page.
pub(super) fn read(html: &str, sink: &mut impl Sink) {
    let found = Attributes::default();
    Tokens { html, bytes: html.as_bytes(), at: 0, sink, found }.run();
}

struct Tokens<'h, 's, S> {
    html: &'h str,
    bytes: &'h [u8],
    at: usize,
    sink: &'s mut S,
    /// The attributes of the present tag.
    found: Attributes<'h>,
}

impl<S: Sink> Tokens<'_, '_, S> {
    fn run(mut self) {
        while self.at < self.bytes.len() {
            let open = self.find(self.at, b'<').unwrap_or(self.bytes.len());
            self.tell_text(self.at, open, true);
            self.at = open;
            if open < self.bytes.len() {
                self.tag_open();
            }
        }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// Where an ASCII character next stands.
    fn find(&self, from: usize, wanted: u8) -> Option<usize> {
        scan::find(self.bytes, from, wanted)
    }

    /// Where a word next stands that begins with this ASCII character.
    fn find_all(&self, mut from: usize, first: u8, rest: &[u8]) -> Option<usize> {
        loop {
            let found = self.find(from, first)?;
            if self.bytes[found + 1..].starts_with(rest) {
                return Some(found);
            }
            from = found + 1;
        }
    }

    fn tell_text(&mut self, from: usize, to: usize, decode: bool) {
        if from == to || !self.sink.wants_text() {
            return;
        }
        let piece = &self.html[from..to];
        if decode && piece.contains('&') {
            let mut text = String::with_capacity(piece.len());
            references::decode(piece, false, &mut text);
            self.sink.text(&text);
        } else {
            self.sink.text(piece);
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
                Some(_) => self.skip_to_close(open + 2),
                None => self.at = open + 2,
            },
            Some(b'!') => self.declaration(open + 2),
            Some(b'?') => self.skip_to_close(open + 1),
            _ => {
                self.tell_text(open, open + 1, false);
                self.at = open + 1;
            }
        }
    }

    /// A tag whose name begins at `from`. One that the page ends in is dropped.
    fn tag(&mut self, from: usize, is_end: bool) {
        self.at = scan::find_kind(self.bytes, from, scan::NAME_END);
        let name = Name::read(&self.bytes[from..self.at]);
        let is_minded = self.sink.minds(name);
        let closes_itself = match self.attributes(is_minded && !is_end && self.sink.reads(name)) {
            Some(closes_itself) => closes_itself,
            None => {
                self.at = self.bytes.len();
                return;
            }
        };
        if !is_minded {
            return;
        }
        if is_end {
            self.sink.end(name);
            return;
        }
        match self.sink.start(name, &self.found, closes_itself) {
            Content::Markup => {}
            content => self.raw(content, name),
        }
    }

    /// Reads attributes up to the `>` that ends the tag, and past it. Whether the tag ends itself; `None`
    /// when the page ends first.
    fn attributes(&mut self, keep: bool) -> Option<bool> {
        self.found.0.clear();
        loop {
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
                byte if scan::is(byte, scan::SPACE) => {
                    self.at += 1;
                    continue;
                }
                _ => {}
            }
            // A `=` in the first place belongs to the name.
            let name = (self.at, scan::find_kind(self.bytes, self.at + 1, scan::ATTRIBUTE_END));
            self.at = name.1;
            self.skip_space()?;
            let mut value = (self.at, self.at);
            if self.byte(self.at)? == b'=' {
                self.at += 1;
                value = self.value()?;
            }
            if keep && self.found.0.len() < MAX_ATTRIBUTES && value.1 - value.0 <= MAX_VALUE {
                self.found.0.push((&self.html[name.0..name.1], &self.html[value.0..value.1]));
            }
        }
    }

    fn skip_space(&mut self) -> Option<()> {
        while scan::is(self.byte(self.at)?, scan::SPACE) {
            self.at += 1;
        }
        Some(())
    }

    /// The value after a `=`.
    fn value(&mut self) -> Option<(usize, usize)> {
        self.skip_space()?;
        let quote = self.byte(self.at)?;
        if matches!(quote, b'"' | b'\'') {
            let from = self.at + 1;
            let to = self.find(from, quote)?;
            self.at = to + 1;
            return Some((from, to));
        }
        let from = self.at;
        self.at = scan::find_kind(self.bytes, from, scan::VALUE_END);
        self.byte(self.at)?;
        Some((from, self.at))
    }

    /// After `<!`.
    fn declaration(&mut self, from: usize) {
        let rest = &self.bytes[from..];
        if rest.starts_with(b"--") {
            self.comment(from + 2);
        } else if rest.starts_with(b"[CDATA[") && self.sink.in_foreign() {
            let from = from + 7;
            let end = self.find_all(from, b']', b"]>");
            let to = end.unwrap_or(self.bytes.len());
            self.tell_text(from, to, false);
            self.at = end.map_or(to, |end| end + 3);
        } else {
            self.skip_to_close(from);
        }
    }

    /// A comment from its first byte on.
    fn comment(&mut self, from: usize) {
        let rest = &self.bytes[from..];
        for early in [b">".as_slice(), b"->"] {
            if rest.starts_with(early) {
                self.at = from + early.len();
                return;
            }
        }
        let mut at = from;
        while let Some(dashes) = self.find_all(at, b'-', b"-") {
            at = dashes + 2;
            while self.byte(at) == Some(b'-') {
                at += 1;
            }
            self.at = match (self.byte(at), self.byte(at + 1)) {
                (Some(b'>'), _) => at + 1,
                (Some(b'!'), Some(b'>')) => at + 2,
                _ => continue,
            };
            return;
        }
        self.at = self.bytes.len();
    }

    /// What looks like a declaration or an instruction: passed over to the next `>`.
    fn skip_to_close(&mut self, from: usize) {
        self.at = self.find(from, b'>').map_or(self.bytes.len(), |end| end + 1);
    }

    /// The content of an element that is not markup; its end tag comes next.
    fn raw(&mut self, content: Content, name: Name) {
        let from = self.at;
        let end = match content {
            Content::Rest => None,
            Content::Script => script_end(&self.bytes[from..]),
            _ => raw_end(&self.bytes[from..], name),
        };
        let to = end.map_or(self.bytes.len(), |end| from + end);
        self.tell_text(from, to, content == Content::Text);
        self.at = to;
        if end.is_some() {
            self.tag(to + 2, true);
        }
    }
}

/// Where `</name` stands, with something behind it that ends a name.
fn raw_end(bytes: &[u8], name: Name) -> Option<usize> {
    let letters = name.letters();
    let length = letters.iter().filter(|letter| **letter != 0).count();
    let mut at = 0;
    loop {
        at = scan::find(bytes, at, b'<')?;
        if is_end_tag(&bytes[at..], &letters[letters.len() - length..]) {
            return Some(at);
        }
        at += 1;
    }
}

/// Whether an end tag of this name begins here.
fn is_end_tag(bytes: &[u8], name: &[u8]) -> bool {
    bytes.get(1) == Some(&b'/') && has_word(&bytes[2..], name)
}

/// Whether this word stands here, in any case, and is over: with a space, `/` or `>`.
fn has_word(bytes: &[u8], word: &[u8]) -> bool {
    let ends = |byte: &u8| scan::is(*byte, scan::NAME_END);
    bytes.get(..word.len()).map_or(false, |head| head.eq_ignore_ascii_case(word))
        && bytes.get(word.len()).map_or(false, ends)
}

/// Where the end tag of a script stands, by the standard's script data states.
fn script_end(bytes: &[u8]) -> Option<usize> {
    const NAME: &[u8] = b"script";
    // How deep in a comment: not, in one, or in another `<script` in one, which the next end tag ends.
    let mut depth = 0;
    let mut dashes = 0;
    let mut at = 0;
    loop {
        if depth == 0 {
            // Outside of comments nothing else counts.
            at = scan::find(bytes, at, b'<')?;
        }
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let mut step = 1;
        match rest[0] {
            b'<' => {
                dashes = 0;
                if depth < 2 && is_end_tag(rest, NAME) {
                    return Some(at);
                }
                if depth == 0 && rest.starts_with(b"<!--") {
                    (depth, dashes, step) = (1, 2, 4);
                } else if depth == 1 && has_word(&rest[1..], NAME) {
                    (depth, step) = (2, 1 + NAME.len());
                } else if depth == 2 && is_end_tag(rest, NAME) {
                    (depth, step) = (1, 2 + NAME.len());
                }
            }
            b'-' => dashes += 1,
            b'>' => {
                if dashes >= 2 {
                    depth = 0;
                }
                dashes = 0;
            }
            _ => dashes = 0,
        }
        at += step;
    }
}
