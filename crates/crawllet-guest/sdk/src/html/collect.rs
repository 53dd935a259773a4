//! Which tags say something to a crawler, and what?

use super::scan::Name;
use super::tokens::{self, Attributes, Content, Sink};
use super::{is_space, refresh_target, Page, Wants};
use crate::links::{leads_to_page, LinkKind, RawLink};
use crate::robots::NAME;
use std::borrow::Cow;

/// Links of one page before targets are compared.
const MAX_RAW_LINKS: usize = 20_000;
/// Bytes of a title, a description or an anchor.
const MAX_FIELD: usize = 1_024;
/// Bytes of visible text that are kept.
const MAX_TEXT: usize = 1 << 20;

/// Elements whose text nobody sees.
fn hides(name: Name) -> bool {
    matches!(
        name,
        Name::SCRIPT
            | Name::STYLE
            | Name::NOSCRIPT
            | Name::NOFRAMES
            | Name::TEMPLATE
            | Name::SVG
            | Name::IFRAME
            | Name::OBJECT
            | Name::VIDEO
            | Name::AUDIO
            | Name::CANVAS
            | Name::NOEMBED
            | Name::TITLE
    )
}

/// Elements that do not end the line that they stand on.
fn is_inline(name: Name) -> bool {
    matches!(
        name,
        Name::A
            | Name::ABBR
            | Name::ACRONYM
            | Name::B
            | Name::BDI
            | Name::BDO
            | Name::BIG
            | Name::CITE
            | Name::CODE
            | Name::DATA
            | Name::DEL
            | Name::DFN
            | Name::EM
            | Name::FONT
            | Name::I
            | Name::IMG
            | Name::INPUT
            | Name::INS
            | Name::KBD
            | Name::LABEL
            | Name::MARK
            | Name::NOBR
            | Name::OUTPUT
            | Name::Q
            | Name::RUBY
            | Name::S
            | Name::SAMP
            | Name::SMALL
            | Name::SPAN
            | Name::STRIKE
            | Name::STRONG
            | Name::SUB
            | Name::SUP
            | Name::TIME
            | Name::TT
            | Name::U
            | Name::VAR
            | Name::WBR
    )
}

/// Takes what tags say.
#[derive(Default)]
pub(super) struct Collector {
    page: Page,
    wants: Wants,
    og_description: String,
    has_title: bool,
    in_title: bool,
    /// The link that is open.
    open: Option<usize>,
    /// Text is hidden by the element of this name, and so often by others of its name inside.
    hidden: Option<(Name, u32)>,
    templates: u32,
    foreign: u32,
    /// Whether this is a page in an attribute of another one.
    is_nested: bool,
}

impl Collector {
    pub(super) fn new(wants: Wants) -> Collector {
        Collector { wants, ..Collector::default() }
    }

    pub(super) fn finish(mut self) -> Page {
        if self.page.description.is_empty() {
            self.page.description = self.og_description;
        }
        let kept = self.page.text.trim_end().len();
        self.page.text.truncate(kept);
        self.page
    }

    fn add(
        &mut self,
        href: &str,
        attributes: &Attributes<'_>,
        kind: LinkKind,
        anchor: &str,
    ) -> bool {
        if self.templates > 0 || self.page.links.len() >= MAX_RAW_LINKS {
            return false;
        }
        let mut folded = String::new();
        if self.wants.anchors {
            fold(anchor, &mut folded, MAX_FIELD);
        }
        self.page.links.push(RawLink {
            href: href.trim_matches(is_space).to_owned(),
            rel: attributes.get("rel").map_or(String::new(), Cow::into_owned),
            kind,
            anchor: folded,
        });
        true
    }

    fn take_link(&mut self, attributes: &Attributes<'_>) {
        if let (Some(rel), Some(href)) = (attributes.get("rel"), attributes.get("href")) {
            if leads_to_page(&rel, &attributes.get("type").unwrap_or_default()) {
                self.add(&href, attributes, LinkKind::Page, "");
            }
        }
    }

    fn take_meta(&mut self, attributes: &Attributes<'_>) {
        let content = match attributes.get("content") {
            Some(content) if self.templates == 0 => content,
            _ => return,
        };
        let content = content.as_ref();
        if let Some(equiv) = attributes.get("http-equiv") {
            if equiv.eq_ignore_ascii_case("refresh") {
                if let Some(target) = refresh_target(content) {
                    self.add(target, attributes, LinkKind::Page, "");
                }
                return;
            }
            if equiv.eq_ignore_ascii_case("content-language") && self.page.language.is_empty() {
                self.page.language = content.trim().to_owned();
            }
        }
        let property = attributes.get("property");
        let name = attributes.get("name").or_else(|| property.clone()).unwrap_or_default();
        let name = name.trim();
        let is = |word: &str| name.eq_ignore_ascii_case(word);
        if is("robots") || is(NAME) {
            self.page.robots.obey_meta(content);
            if !self.page.robots_meta.is_empty() {
                self.page.robots_meta.push_str(", ");
            }
            fold(content, &mut self.page.robots_meta, MAX_FIELD);
        } else if is("description") && self.page.description.is_empty() {
            fold(content, &mut self.page.description, MAX_FIELD);
        } else if property.map_or(false, |word| word.eq_ignore_ascii_case("og:description"))
            && self.og_description.is_empty()
        {
            fold(content, &mut self.og_description, MAX_FIELD);
        }
    }

    fn take_frame(&mut self, attributes: &Attributes<'_>) {
        if let Some(src) = attributes.get("src") {
            self.add(&src, attributes, LinkKind::Page, "");
        }
        if let (Some(html), false) = (attributes.get("srcdoc"), self.is_nested) {
            let mut inner = Collector { is_nested: true, ..Collector::new(Wants::default()) };
            tokens::read(&html, &mut inner);
            if self.templates == 0 {
                let room = MAX_RAW_LINKS - self.page.links.len();
                self.page.links.extend(inner.page.links.into_iter().take(room));
            }
        }
    }

    fn take_resource(&mut self, name: Name, attributes: &Attributes<'_>) {
        let own: &[&str] = match name {
            Name::IMG
            | Name::IMAGE
            | Name::SOURCE
            | Name::TRACK
            | Name::VIDEO
            | Name::AUDIO
            | Name::EMBED
            | Name::INPUT => &["src", "poster", "data-src"],
            Name::OBJECT => &["data"],
            _ => &[],
        };
        for attribute in own {
            if let Some(src) = attributes.get(attribute) {
                let alt = attributes.get("alt").unwrap_or_default();
                self.add(&src, attributes, LinkKind::Resource, &alt);
            }
        }
        for list in ["srcset", "imagesrcset"] {
            // An address, then how wide or dense it is; a comma inside an address is part of it.
            for word in attributes.get(list).unwrap_or_default().split_ascii_whitespace() {
                let is_size = |end: &str| end.ends_with(['w', 'x', 'h']);
                let word = word.trim_end_matches(',');
                let starts_like_number = word.starts_with(|c: char| c.is_ascii_digit());
                let says_size = starts_like_number && is_size(word);
                if !(word.is_empty() || says_size) {
                    self.add(word, attributes, LinkKind::Resource, "");
                }
            }
        }
    }

    fn end_line(&mut self) {
        let kept = self.page.text.trim_end_matches(' ').len();
        self.page.text.truncate(kept);
        if !self.page.text.is_empty() && !self.page.text.ends_with('\n') {
            self.page.text.push('\n');
        }
    }

    /// How text stands that begins here: after a line or at its beginning.
    fn breaks_line(&mut self, name: Name) {
        if !self.wants.text || self.hidden.is_some() {
            return;
        }
        if matches!(name, Name::TD | Name::TH) {
            push_space(&mut self.page.text);
        } else if !is_inline(name) {
            self.end_line();
        }
    }
}

impl Sink for Collector {
    fn text(&mut self, text: &str) {
        if self.in_title {
            fold(text, &mut self.page.title, MAX_FIELD);
            return;
        }
        if self.hidden.is_some() {
            return;
        }
        if let (Some(open), true) = (self.open, self.wants.anchors) {
            fold(text, &mut self.page.links[open].anchor, MAX_FIELD);
        }
        if self.wants.text {
            fold(text, &mut self.page.text, MAX_TEXT);
        }
    }

    fn start(&mut self, name: Name, attributes: &Attributes<'_>, closes_itself: bool) -> Content {
        self.breaks_line(name);
        match name {
            Name::A => {
                let href = attributes.get("href").or_else(|| attributes.get("xlink:href"));
                self.open = None;
                if let Some(href) = href {
                    if self.add(&href, attributes, LinkKind::Page, "") {
                        self.open = Some(self.page.links.len() - 1);
                    }
                }
            }
            Name::AREA => {
                if let Some(href) = attributes.get("href") {
                    let alt = attributes.get("alt").unwrap_or_default();
                    self.add(&href, attributes, LinkKind::Page, &alt);
                }
            }
            Name::IFRAME | Name::FRAME => self.take_frame(attributes),
            Name::LINK => self.take_link(attributes),
            Name::META => self.take_meta(attributes),
            Name::BASE if self.page.base.is_none() && self.templates == 0 => {
                self.page.base =
                    attributes.get("href").map(|href| href.trim_matches(is_space).to_owned());
            }
            Name::HTML | Name::BODY if self.page.language.is_empty() => {
                let lang = attributes.get("lang").or_else(|| attributes.get("xml:lang"));
                self.page.language = lang.unwrap_or_default().trim().to_owned();
            }
            Name::IMG => {
                if let (Some(open), Some(alt), true) =
                    (self.open, attributes.get("alt"), self.wants.anchors)
                {
                    let anchor = &mut self.page.links[open].anchor;
                    if anchor.is_empty() {
                        fold(&alt, anchor, MAX_FIELD);
                    }
                }
            }
            _ => {}
        }
        if self.wants.resources {
            self.take_resource(name, attributes);
        }
        let foreign = self.foreign > 0;
        if foreign && closes_itself {
            return Content::Markup;
        }
        match name {
            Name::TEMPLATE => self.templates += 1,
            Name::SVG | Name::MATH if !closes_itself => self.foreign += 1,
            _ => {}
        }
        if hides(name) && !closes_itself_here(name, closes_itself) {
            match &mut self.hidden {
                None => self.hidden = Some((name, 1)),
                Some((hiding, depth)) if *hiding == name => *depth += 1,
                Some(_) => {}
            }
        }
        match name {
            Name::TITLE if foreign => Content::Markup,
            Name::TITLE => {
                self.in_title = !self.has_title;
                self.has_title = true;
                Content::Text
            }
            Name::TEXTAREA => Content::Text,
            Name::STYLE | Name::XMP | Name::IFRAME | Name::NOEMBED => Content::Raw,
            Name::SCRIPT => Content::Script,
            Name::PLAINTEXT => Content::Rest,
            _ => Content::Markup,
        }
    }

    fn end(&mut self, name: Name) {
        match name {
            Name::A => self.open = None,
            Name::TITLE => {
                if self.in_title && self.page.title.trim().is_empty() {
                    self.has_title = false;
                }
                self.in_title = false;
                let kept = self.page.title.trim_end().len();
                self.page.title.truncate(kept);
            }
            Name::TEMPLATE => self.templates = self.templates.saturating_sub(1),
            Name::SVG | Name::MATH => self.foreign = self.foreign.saturating_sub(1),
            _ => {}
        }
        if let Some((hiding, depth)) = &mut self.hidden {
            if *hiding == name {
                *depth -= 1;
                if *depth == 0 {
                    self.hidden = None;
                }
            }
        }
        self.breaks_line(name);
    }

    fn minds(&self, name: Name) -> bool {
        // Without text nobody cares where lines end, and most tags say nothing else.
        let holds_text = || matches!(name, Name::TEXTAREA | Name::XMP | Name::PLAINTEXT);
        let is_read = self.wants.text || self.reads(name);
        is_read || hides(name) || holds_text() || name == Name::MATH
    }

    fn reads(&self, name: Name) -> bool {
        match name {
            Name::A
            | Name::AREA
            | Name::BASE
            | Name::BODY
            | Name::FRAME
            | Name::HTML
            | Name::IFRAME
            | Name::LINK
            | Name::META => true,
            Name::IMG => self.wants.anchors || self.wants.resources,
            Name::IMAGE
            | Name::SOURCE
            | Name::TRACK
            | Name::VIDEO
            | Name::AUDIO
            | Name::EMBED
            | Name::INPUT
            | Name::OBJECT => self.wants.resources,
            _ => false,
        }
    }

    fn in_foreign(&self) -> bool {
        self.foreign > 0
    }

    fn wants_text(&self) -> bool {
        self.in_title
            || (self.hidden.is_none()
                && (self.wants.text || (self.wants.anchors && self.open.is_some())))
    }
}

/// Whether a tag that says so ends itself: only drawings do.
fn closes_itself_here(name: Name, closes_itself: bool) -> bool {
    closes_itself && name == Name::SVG
}

fn push_space(out: &mut String) {
    if !out.is_empty() && !out.ends_with([' ', '\n']) {
        out.push(' ');
    }
}

/// Appends text with every run of white space as one space, none in front, up to a limit.
fn fold(text: &str, out: &mut String, most: usize) {
    if text.starts_with(is_space) {
        push_space(out);
    }
    let mut words = text.split(is_space).filter(|word| !word.is_empty()).peekable();
    while let Some(word) = words.next() {
        if out.len() + word.len() > most {
            return;
        }
        out.push_str(word);
        if words.peek().is_some() || text.ends_with(is_space) {
            out.push(' ');
        }
    }
}
