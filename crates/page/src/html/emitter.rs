//! How do the tokenizer's calls become events? One buffer each for text, name and attributes, reused
//! for the whole page; attributes that nobody reads are never stored.

use super::tag::Tag;
use html5gum::{Emitter, Error, State};
use std::convert::Infallible;

/// The attributes that somebody reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attr {
    Alt,
    Class,
    Content,
    Hidden,
    Href,
    HttpEquiv,
    Id,
    Itemprop,
    Lang,
    Name,
    Property,
    Rel,
    Role,
    Src,
    Srcdoc,
    Style,
    Type,
    XlinkHref,
    // From here on read only when resources are wanted.
    Action,
    Archive,
    Background,
    Cite,
    Codebase,
    Data,
    Dynsrc,
    Formaction,
    Implementation,
    Longdesc,
    Lowsrc,
    Manifest,
    Ping,
    Poster,
    Profile,
    Srcset,
    Value,
}

impl Attr {
    /// The attributes by which pages name resources.
    fn of_resource(name: &[u8]) -> Option<Attr> {
        Some(match name {
            b"action" => Attr::Action,
            b"archive" => Attr::Archive,
            b"background" => Attr::Background,
            b"cite" => Attr::Cite,
            b"codebase" => Attr::Codebase,
            b"data" => Attr::Data,
            b"dynsrc" => Attr::Dynsrc,
            b"formaction" => Attr::Formaction,
            b"implementation" => Attr::Implementation,
            b"longdesc" => Attr::Longdesc,
            b"lowsrc" => Attr::Lowsrc,
            b"manifest" => Attr::Manifest,
            b"ping" => Attr::Ping,
            b"poster" => Attr::Poster,
            b"profile" => Attr::Profile,
            b"srcset" | b"imagesrcset" => Attr::Srcset,
            b"value" => Attr::Value,
            _ => return None,
        })
    }

    fn of(name: &[u8]) -> Option<Attr> {
        Some(match name {
            b"alt" => Attr::Alt,
            b"class" => Attr::Class,
            b"content" => Attr::Content,
            b"hidden" => Attr::Hidden,
            b"href" => Attr::Href,
            b"http-equiv" => Attr::HttpEquiv,
            b"id" => Attr::Id,
            b"itemprop" => Attr::Itemprop,
            b"lang" | b"xml:lang" => Attr::Lang,
            b"name" => Attr::Name,
            b"property" => Attr::Property,
            b"rel" => Attr::Rel,
            b"role" => Attr::Role,
            b"src" => Attr::Src,
            b"srcdoc" => Attr::Srcdoc,
            b"style" => Attr::Style,
            b"type" => Attr::Type,
            b"xlink:href" => Attr::XlinkHref,
            _ => return None,
        })
    }
}

/// The attributes of one start tag.
#[derive(Default)]
pub(crate) struct Attrs {
    /// Values, one after the other.
    values: Vec<u8>,
    /// Attribute and where its value stands.
    found: Vec<(Attr, usize, usize)>,
}

impl Attrs {
    /// The value, if the attribute is there. Malformed UTF-8 cannot occur, since the input was text.
    pub(crate) fn get(&self, wanted: Attr) -> Option<&str> {
        let (_, start, end) = self.found.iter().find(|(attr, ..)| *attr == wanted)?;
        std::str::from_utf8(self.values.get(*start..*end)?).ok()
    }

    /// All attributes with their values, in the order of the tag.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Attr, &str)> {
        let value = |(attr, start, end): &(Attr, usize, usize)| {
            Some((*attr, std::str::from_utf8(self.values.get(*start..*end)?).ok()?))
        };
        self.found.iter().filter_map(value)
    }

    fn clear(&mut self) {
        self.values.clear();
        self.found.clear();
    }
}

/// What the reader of the events does with them.
pub(crate) trait Sink {
    /// Text between tags, entities decoded. Consecutive text comes in one piece unless it is very long.
    fn text(&mut self, text: &str);
    /// A start tag. The answer switches the tokenizer.
    fn start(&mut self, tag: Tag, attrs: &Attrs, self_closing: bool) -> Option<State>;
    /// An end tag.
    fn end(&mut self, tag: Tag);
    /// A comment. Told only to a sink that wants resources.
    fn comment(&mut self, text: &str);
    /// The system identifier of a private document type. Told only to a sink that wants resources.
    fn doctype(&mut self, system: &str);
    /// Whether resources are wanted, beside what every page is read for.
    fn wants_resources(&self) -> bool;
    /// Whether the place is inside svg or math, where CDATA sections are text.
    fn in_foreign(&self) -> bool;
}

/// A longer attribute value is as good as none; no address and no description is longer.
const MAX_VALUE: usize = 16 * 1024;
/// A longer name is the name of nothing we know.
const MAX_NAME: usize = 64;
/// More of a comment is not kept.
const MAX_ASIDE: usize = 64 * 1024;
/// Text is handed on when this much has come together.
const TEXT_PIECE: usize = 64 * 1024;

/// Feeds a [`Sink`] from html5gum.
pub(crate) struct Feeder<'s, S> {
    sink: &'s mut S,
    text: Vec<u8>,
    name: Vec<u8>,
    last_start: Vec<u8>,
    is_end: bool,
    self_closing: bool,
    attrs: Attrs,
    attr_name: Vec<u8>,
    /// The attribute whose value is being read, and where it begins; `None` when nobody reads it.
    attr_open: Option<(Attr, usize)>,
    attr_too_long: bool,
    in_attr: bool,
    resources: bool,
    /// A comment or the system identifier of the document type.
    aside: Vec<u8>,
    has_public_identifier: bool,
}

impl<'s, S: Sink> Feeder<'s, S> {
    pub(crate) fn new(sink: &'s mut S) -> Feeder<'s, S> {
        let resources = sink.wants_resources();
        Feeder {
            sink,
            text: Vec::new(),
            name: Vec::new(),
            last_start: Vec::new(),
            is_end: false,
            self_closing: false,
            attrs: Attrs::default(),
            attr_name: Vec::new(),
            attr_open: None,
            attr_too_long: false,
            in_attr: false,
            resources,
            aside: Vec::new(),
            has_public_identifier: false,
        }
    }

    /// Keeps part of a comment or of a document type.
    fn push_aside(&mut self, part: &[u8]) {
        if self.resources && self.aside.len() + part.len() <= MAX_ASIDE {
            self.aside.extend_from_slice(part);
        }
    }

    fn flush_text(&mut self) {
        if self.text.is_empty() {
            return;
        }
        // The input is text, so only a piece that was cut inside a character can be malformed.
        match std::str::from_utf8(&self.text) {
            Ok(text) => {
                self.sink.text(text);
                self.text.clear();
            }
            Err(error) => {
                let whole = error.valid_up_to();
                if let Ok(text) = std::str::from_utf8(&self.text[..whole]) {
                    self.sink.text(text);
                }
                let skip = whole + error.error_len().unwrap_or(0);
                self.text.drain(..skip);
                // What is left is the beginning of a character whose end is still to come, or it
                // never ends and is thrown away with the next piece.
                if whole == 0 && self.text.len() >= 4 {
                    self.text.clear();
                }
            }
        }
    }

    /// The name is complete: decide whether the value is wanted.
    fn name_is_complete(&mut self) {
        if self.in_attr && self.attr_open.is_none() && !self.attr_name.is_empty() {
            let known = match Attr::of(&self.attr_name) {
                None if self.resources => Attr::of_resource(&self.attr_name),
                known => known,
            };
            let wanted = known
                .filter(|_| !self.is_end)
                .filter(|attr| !self.attrs.found.iter().any(|(seen, ..)| seen == attr));
            self.attr_open = wanted.map(|attr| (attr, self.attrs.values.len()));
            if wanted.is_none() {
                self.in_attr = false;
            }
        }
    }

    fn flush_attr(&mut self) {
        self.name_is_complete();
        if let Some((attr, start)) = self.attr_open.take() {
            if self.attr_too_long {
                self.attrs.values.truncate(start);
            } else {
                self.attrs.found.push((attr, start, self.attrs.values.len()));
            }
        }
        self.attr_name.clear();
        self.attr_too_long = false;
        self.in_attr = false;
    }

    fn begin_tag(&mut self, is_end: bool) {
        self.name.clear();
        self.attrs.clear();
        self.attr_name.clear();
        self.attr_open = None;
        self.attr_too_long = false;
        self.in_attr = false;
        self.is_end = is_end;
        self.self_closing = false;
    }
}

impl<S: Sink> Emitter for Feeder<'_, S> {
    type Token = Infallible;

    fn set_last_start_tag(&mut self, last_start_tag: Option<&[u8]>) {
        self.last_start.clear();
        self.last_start.extend_from_slice(last_start_tag.unwrap_or_default());
    }

    fn emit_eof(&mut self) {
        self.flush_text();
    }

    fn emit_error(&mut self, _: Error) {}

    #[inline]
    fn should_emit_errors(&mut self) -> bool {
        false
    }

    #[inline]
    fn pop_token(&mut self) -> Option<Infallible> {
        None
    }

    fn emit_string(&mut self, text: &[u8]) {
        self.text.extend_from_slice(text);
        if self.text.len() >= TEXT_PIECE {
            self.flush_text();
        }
    }

    fn init_start_tag(&mut self) {
        self.begin_tag(false);
    }

    fn init_end_tag(&mut self) {
        self.begin_tag(true);
    }

    fn init_comment(&mut self) {
        self.aside.clear();
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        self.flush_attr();
        self.flush_text();
        let tag = Tag::of(&self.name);
        if self.is_end {
            self.last_start.clear();
            self.sink.end(tag);
            return None;
        }
        std::mem::swap(&mut self.last_start, &mut self.name);
        self.sink.start(tag, &self.attrs, self.self_closing)
    }

    fn emit_current_comment(&mut self) {
        if self.resources {
            self.flush_text();
            self.sink.comment(std::str::from_utf8(&self.aside).unwrap_or(""));
        }
    }

    fn emit_current_doctype(&mut self) {
        // A public one is a well-known name; its address is the same on half the web.
        if self.resources && !self.has_public_identifier {
            self.sink.doctype(std::str::from_utf8(&self.aside).unwrap_or(""));
        }
    }

    fn set_self_closing(&mut self) {
        self.self_closing = true;
    }

    fn set_force_quirks(&mut self) {}

    fn push_tag_name(&mut self, part: &[u8]) {
        if self.name.len() <= MAX_NAME {
            self.name.extend_from_slice(part);
        }
    }

    fn push_comment(&mut self, part: &[u8]) {
        self.push_aside(part);
    }

    fn push_doctype_name(&mut self, _: &[u8]) {}

    fn init_doctype(&mut self) {
        self.aside.clear();
        self.has_public_identifier = false;
    }

    fn init_attribute(&mut self) {
        self.flush_attr();
        self.in_attr = true;
    }

    fn push_attribute_name(&mut self, part: &[u8]) {
        if self.attr_name.len() <= MAX_NAME {
            self.attr_name.extend_from_slice(part);
        }
    }

    fn init_attribute_value(&mut self) {
        self.name_is_complete();
    }

    fn push_attribute_value(&mut self, part: &[u8]) {
        self.name_is_complete();
        if let Some((_, start)) = self.attr_open {
            if self.attrs.values.len() - start + part.len() > MAX_VALUE {
                self.attr_too_long = true;
            } else {
                self.attrs.values.extend_from_slice(part);
            }
        }
    }

    fn set_doctype_public_identifier(&mut self, _: &[u8]) {
        self.has_public_identifier = true;
    }

    fn set_doctype_system_identifier(&mut self, text: &[u8]) {
        self.aside.clear();
        self.push_aside(text);
    }

    fn push_doctype_public_identifier(&mut self, _: &[u8]) {}

    fn push_doctype_system_identifier(&mut self, part: &[u8]) {
        self.push_aside(part);
    }

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        self.is_end && !self.last_start.is_empty() && self.last_start == self.name
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&mut self) -> bool {
        self.sink.in_foreign()
    }
}
