//! The events as html5gum tells them.

use super::super::attrs::{Attr, Attrs};
use super::super::tag::Tag;
use super::super::tokens::{Mode, Sink};
use html5gum::{Emitter, Error, State, Tokenizer};
use std::convert::Infallible;

/// Reads a page.
pub(super) fn read<S: Sink>(html: &str, sink: &mut S) {
    let feeder = Feeder {
        resources: sink.wants_resources(),
        sink,
        text: Vec::new(),
        name: Vec::new(),
        last_start: Vec::new(),
        is_end: false,
        self_closing: false,
        attributes: Vec::new(),
        aside: Vec::new(),
        has_public_identifier: false,
    };
    let Ok(()) = Tokenizer::new_with_emitter(html, feeder).finish();
}

/// Feeds a [`Sink`] from html5gum.
struct Feeder<'s, S> {
    sink: &'s mut S,
    resources: bool,
    text: Vec<u8>,
    name: Vec<u8>,
    last_start: Vec<u8>,
    is_end: bool,
    self_closing: bool,
    /// Names and values.
    attributes: Vec<(Vec<u8>, Vec<u8>)>,
    /// A comment or the system identifier of the document type.
    aside: Vec<u8>,
    has_public_identifier: bool,
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("the input was text")
}

impl<S: Sink> Feeder<'_, S> {
    fn flush_text(&mut self) {
        if !self.text.is_empty() {
            self.sink.text(text(&self.text));
            self.text.clear();
        }
    }

    fn attrs(&self) -> Attrs {
        let mut attrs = Attrs::default();
        for (name, value) in &self.attributes {
            let attr = match Attr::of(name) {
                None if self.resources => Attr::of_resource(name),
                known => known,
            };
            if let Some(attr) = attr {
                attrs.add(attr, |out| out.push_str(text(value)));
            }
        }
        attrs
    }
}

impl<S: Sink> Emitter for Feeder<'_, S> {
    type Token = Infallible;

    fn set_last_start_tag(&mut self, last_start_tag: Option<&[u8]>) {
        self.last_start = last_start_tag.unwrap_or_default().to_vec();
    }

    fn emit_eof(&mut self) {
        self.flush_text();
    }

    fn emit_error(&mut self, _: Error) {}

    fn should_emit_errors(&mut self) -> bool {
        false
    }

    fn pop_token(&mut self) -> Option<Infallible> {
        None
    }

    fn emit_string(&mut self, text: &[u8]) {
        self.text.extend_from_slice(text);
    }

    fn init_start_tag(&mut self) {
        self.name.clear();
        self.attributes.clear();
        self.is_end = false;
        self.self_closing = false;
    }

    fn init_end_tag(&mut self) {
        self.init_start_tag();
        self.is_end = true;
    }

    fn init_comment(&mut self) {
        self.aside.clear();
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        self.flush_text();
        let tag = Tag::of(&self.name);
        if self.is_end {
            self.last_start.clear();
            self.sink.end(tag);
            return None;
        }
        self.last_start.clone_from(&self.name);
        let attrs = self.attrs();
        let mode = self.sink.start(tag, &attrs, self.self_closing)?;
        Some(match mode {
            Mode::RcData => State::RcData,
            Mode::RawText => State::RawText,
            Mode::ScriptData => State::ScriptData,
            Mode::PlainText => State::PlainText,
        })
    }

    fn emit_current_comment(&mut self) {
        if self.resources {
            self.flush_text();
            self.sink.comment(text(&self.aside));
        }
    }

    fn emit_current_doctype(&mut self) {
        if self.resources && !self.has_public_identifier {
            self.sink.doctype(text(&self.aside));
        }
    }

    fn set_self_closing(&mut self) {
        self.self_closing = true;
    }

    fn set_force_quirks(&mut self) {}

    fn push_tag_name(&mut self, part: &[u8]) {
        self.name.extend_from_slice(part);
    }

    fn push_comment(&mut self, part: &[u8]) {
        self.aside.extend_from_slice(part);
    }

    fn push_doctype_name(&mut self, _: &[u8]) {}

    fn init_doctype(&mut self) {
        self.aside.clear();
        self.has_public_identifier = false;
    }

    fn init_attribute(&mut self) {
        self.attributes.push((Vec::new(), Vec::new()));
    }

    fn push_attribute_name(&mut self, part: &[u8]) {
        if let Some((name, _)) = self.attributes.last_mut() {
            name.extend_from_slice(part);
        }
    }

    fn init_attribute_value(&mut self) {}

    fn push_attribute_value(&mut self, part: &[u8]) {
        if let Some((_, value)) = self.attributes.last_mut() {
            value.extend_from_slice(part);
        }
    }

    fn set_doctype_public_identifier(&mut self, _: &[u8]) {
        self.has_public_identifier = true;
    }

    fn set_doctype_system_identifier(&mut self, text: &[u8]) {
        self.aside = text.to_vec();
    }

    fn push_doctype_public_identifier(&mut self, _: &[u8]) {}

    fn push_doctype_system_identifier(&mut self, part: &[u8]) {
        self.aside.extend_from_slice(part);
    }

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        self.is_end && !self.last_start.is_empty() && self.last_start == self.name
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&mut self) -> bool {
        self.sink.in_foreign()
    }
}
