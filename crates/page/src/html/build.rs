//! How do tags become a tree? With a stack of open elements, end tags implied where authors leave them
//! out, and limits on everything.

use super::attrs::{Attr, Attrs};
use super::hints::{Classes, Hints};
use super::shown::is_hidden;
use super::tag::Tag;
use super::tokens::{Mode, Sink};
use super::tree::{RawLink, Tree};
use crate::about::About;
use crate::facts::{self, Facts};
use crate::space::fold_space;
use crate::{Limits, relation};
use lycosa_model::LinkKind;

/// Builds a [`Tree`] and collects the [`Facts`] of the head in one pass over the tokens.
pub(crate) struct Builder<'l> {
    pub(crate) tree: Tree,
    pub(crate) facts: Facts,
    /// What the page says about its making, when that is wanted.
    pub(super) about: Option<Box<About>>,
    pub(super) limits: &'l Limits,
    /// Whether more than links and facts is wanted; without it the tree has only its root.
    wants_tree: bool,
    /// Whether what only Markdown shows is wanted.
    pub(super) wants_markdown: bool,
    /// Whether the classes of elements are kept.
    pub(super) wants_classes: bool,
    /// Elements and runs of text that stand in the tree, or would.
    nodes: usize,
    /// Whether this is a page inside an attribute or a comment of another one.
    pub(super) is_nested: bool,
    /// Open elements, the root first.
    stack: Vec<(Tag, u32)>,
    /// How many of each kind are open, so that an end tag of nothing costs nothing.
    open: [u32; Tag::COUNT],
    /// Open elements that were too deep to be kept.
    too_deep: u32,
    /// The link that is open, as an index into the links.
    open_link: Option<usize>,
    title: Option<String>,
    classes: Classes,
}

impl<'l> Builder<'l> {
    pub(crate) fn new(limits: &'l Limits, wants_tree: bool) -> Builder<'l> {
        Builder {
            tree: Tree::new(),
            facts: Facts::default(),
            about: None,
            limits,
            wants_tree,
            wants_markdown: false,
            wants_classes: false,
            nodes: 1,
            is_nested: false,
            stack: vec![(Tag::Root, 0)],
            open: [0; Tag::COUNT],
            too_deep: 0,
            open_link: None,
            title: None,
            classes: Classes::default(),
        }
    }

    /// Closes whatever is open.
    pub(crate) fn finish(mut self) -> (Tree, Facts, Option<Box<About>>) {
        self.pop_to(1);
        let end = self.tree.len();
        self.tree.nodes[0].end = end;
        self.close_link();
        (self.tree, self.facts, self.about)
    }

    fn parent(&self) -> u32 {
        self.stack.last().map_or(0, |(_, index)| *index)
    }

    pub(super) fn has_open(&self, tag: Tag) -> bool {
        self.open[tag as usize] > 0
    }

    /// Closes every element from this place of the stack on.
    fn pop_to(&mut self, place: usize) {
        let end = self.tree.len();
        while self.stack.len() > place.max(1) {
            let Some((tag, index)) = self.stack.pop() else {
                return;
            };
            self.open[tag as usize] -= 1;
            if !self.wants_tree {
                continue;
            }
            self.tree.nodes[index as usize].end = end;
            match tag {
                Tag::A => self.close_link(),
                Tag::Title => self.close_title(),
                Tag::Script => {
                    if let Some(about) = &mut self.about {
                        about.end_script();
                    }
                }
                _ => {}
            }
        }
    }

    fn close_link(&mut self) {
        if let Some(link) = self.open_link.take() {
            let end = self.tree.len();
            if let Some(link) = self.tree.links.get_mut(link) {
                link.nodes.end = end;
            }
        }
    }

    fn close_title(&mut self) {
        if let Some(title) = self.title.take()
            && self.facts.title.is_empty()
        {
            let mut folded = String::with_capacity(title.len());
            fold_space(title.trim_matches(facts::is_html_space), &mut folded, usize::MAX);
            self.facts.title = folded;
        }
    }

    /// Closes the nearest open element that `wanted` accepts, unless one that `stops` accepts, or a
    /// barrier, stands between.
    fn close_nearest(&mut self, wanted: impl Fn(Tag) -> bool, stops: impl Fn(Tag) -> bool) -> bool {
        for place in (1..self.stack.len()).rev() {
            let tag = self.stack[place].0;
            if wanted(tag) {
                self.pop_to(place);
                return true;
            }
            if stops(tag) {
                return false;
            }
        }
        false
    }

    fn in_heading(&self) -> bool {
        self.stack.last().is_some_and(|(open, _)| open.heading().is_some())
    }

    /// The end tags that a start tag implies.
    fn imply_ends(&mut self, tag: Tag) {
        match tag {
            Tag::Li if self.has_open(Tag::Li) => {
                self.close_nearest(
                    |open| open == Tag::Li,
                    |open| matches!(open, Tag::Ul | Tag::Ol | Tag::Menu) || open.is_barrier(),
                );
            }
            Tag::Dd | Tag::Dt if self.has_open(Tag::Dd) || self.has_open(Tag::Dt) => {
                self.close_nearest(
                    |open| matches!(open, Tag::Dd | Tag::Dt),
                    |open| open == Tag::Dl || open.is_barrier(),
                );
            }
            Tag::Option | Tag::Optgroup if self.has_open(Tag::Option) => {
                self.close_nearest(|open| open == Tag::Option, |open| open == Tag::Select);
            }
            Tag::Td | Tag::Th if self.has_open(Tag::Td) || self.has_open(Tag::Th) => {
                self.close_nearest(
                    |open| matches!(open, Tag::Td | Tag::Th),
                    |open| matches!(open, Tag::Tr | Tag::Table),
                );
            }
            Tag::Tr if self.has_open(Tag::Tr) => {
                self.close_nearest(|open| open == Tag::Tr, |open| open == Tag::Table);
            }
            Tag::Tbody | Tag::Thead | Tag::Tfoot if self.has_open(Tag::Table) => {
                self.close_nearest(
                    |open| matches!(open, Tag::Tbody | Tag::Thead | Tag::Tfoot),
                    |open| open == Tag::Table,
                );
            }
            Tag::A if self.open_link.is_some() => {
                self.close_link();
                self.close_nearest(
                    |open| open == Tag::A,
                    |open| open.is_block() || open.is_barrier(),
                );
            }
            _ if tag.heading().is_some() && self.in_heading() => self.pop_to(self.stack.len() - 1),
            _ => {}
        }
        if tag.ends_paragraph() && self.has_open(Tag::P) {
            self.close_nearest(
                |open| open == Tag::P,
                |open| open.is_barrier() || open == Tag::Button,
            );
        }
    }

    /// Whether one more link may be kept.
    pub(super) fn has_room_for_link(&self) -> bool {
        self.tree.links.len() < self.limits.max_links.saturating_mul(RAW_LINKS_PER_LINK)
            && !self.has_open(Tag::Template)
    }

    fn add_link(&mut self, node: Option<u32>, href: &str, attrs: &Attrs, kind: LinkKind) {
        if !self.has_room_for_link() {
            return;
        }
        let start = node.unwrap_or(self.tree.len());
        self.tree.links.push(RawLink {
            href: href.trim_matches(facts::is_html_space).to_owned(),
            rel: attrs.get(Attr::Rel).unwrap_or("").to_owned(),
            kind,
            nodes: start..start + u32::from(node.is_some()),
            alt: attrs.get(Attr::Alt).unwrap_or("").to_owned(),
        });
        if let Some(node) = node {
            self.tree.set_link(node);
        }
    }

    /// Elements that name a link or a fact and have no content of interest.
    fn take_facts(&mut self, tag: Tag, attrs: &Attrs) {
        match tag {
            Tag::Area => {
                if let Some(href) = attrs.get(Attr::Href) {
                    self.add_link(None, href, attrs, LinkKind::Area);
                }
            }
            Tag::Iframe | Tag::Frame => {
                if let Some(src) = attrs.get(Attr::Src) {
                    self.add_link(None, src, attrs, LinkKind::Frame);
                }
                if let Some(html) = attrs.get(Attr::Srcdoc) {
                    self.add_nested(html, LinkKind::Frame);
                }
            }
            Tag::Link => {
                if !self.has_open(Tag::Template)
                    && let Some(about) = &mut self.about
                {
                    about.take_link(attrs);
                }
                if let (Some(rel), Some(href)) = (attrs.get(Attr::Rel), attrs.get(Attr::Href)) {
                    match relation::kind(rel, attrs.get(Attr::Type)) {
                        Some(kind) if kind.leads_to_page() || kind == LinkKind::Feed => {
                            self.add_link(None, href, attrs, kind);
                        }
                        Some(kind) => self.add_named(href, rel, kind),
                        None => {}
                    }
                }
            }
            Tag::Base => {
                if let Some(href) = attrs.get(Attr::Href)
                    && self.facts.base.is_none()
                    && !self.has_open(Tag::Template)
                {
                    self.facts.base = Some(href.trim_matches(facts::is_html_space).to_owned());
                }
            }
            Tag::Meta if !self.has_open(Tag::Template) => {
                if let Some(url) = self.facts.take_meta(attrs) {
                    self.add_link(None, &url, attrs, LinkKind::Refresh);
                }
                if let Some(about) = &mut self.about {
                    about.take_meta(attrs);
                }
            }
            Tag::Html | Tag::Body => {
                if let Some(lang) = attrs.get(Attr::Lang)
                    && self.facts.lang.is_none()
                {
                    self.facts.lang = lycosa_model::Lang::parse(lang.trim());
                }
            }
            _ => {}
        }
    }

    /// Puts an element into the tree, with the link that it opens.
    fn add_node(&mut self, tag: Tag, attrs: &Attrs) -> u32 {
        let node = self.tree.push(tag, self.parent());
        let hints = Hints::of(attrs, &mut self.classes);
        let hidden = is_hidden(attrs);
        if self.wants_classes
            && let Some(class) = attrs.get(Attr::Class)
        {
            self.tree.set_class(node, class);
        }
        if let Some(entry) = self.tree.nodes.get_mut(node as usize) {
            entry.hints = hints;
            entry.hidden |= hidden;
        }
        match tag {
            Tag::A => {
                if let Some(href) = attrs.get(Attr::Href).or_else(|| attrs.get(Attr::XlinkHref)) {
                    self.add_link(Some(node), href, attrs, LinkKind::Anchor);
                    self.open_link = self.tree.link(node as usize);
                }
            }
            Tag::Script => {
                if let Some(about) = &mut self.about {
                    about.begin_script(attrs);
                }
            }
            Tag::Img => {
                if let Some(alt) = attrs.get(Attr::Alt) {
                    let from = self.tree.buffer().len();
                    let room = self.limits.max_text_bytes.saturating_sub(from);
                    fold_space(
                        alt,
                        self.tree.buffer(),
                        from + room.min(self.limits.max_field_bytes),
                    );
                    self.tree.set_text(node, from);
                }
            }
            _ => {}
        }
        if self.wants_markdown {
            self.keep_for_markdown(tag, attrs, node);
        }
        if (tag == Tag::Time || attrs.get(Attr::Itemprop).is_some())
            && !self.has_open(Tag::Template)
            && let Some(about) = &mut self.about
        {
            about.take_element(tag, attrs, node);
        }
        node
    }

    /// Keeps the link that an element opens, without the element.
    fn add_anchor(&mut self, tag: Tag, attrs: &Attrs) -> u32 {
        if tag == Tag::A
            && let Some(href) = attrs.get(Attr::Href).or_else(|| attrs.get(Attr::XlinkHref))
        {
            self.add_link(None, href, attrs, LinkKind::Anchor);
            self.open_link = self.tree.links.len().checked_sub(1);
        }
        0
    }

    fn next_mode(&self, tag: Tag) -> Option<Mode> {
        match tag {
            // In a drawing a title is an element like any other.
            Tag::Title if self.has_open(Tag::Svg) => None,
            Tag::Title | Tag::Textarea => Some(Mode::RcData),
            Tag::Style | Tag::Xmp | Tag::Iframe | Tag::OtherRaw => Some(Mode::RawText),
            Tag::Script => Some(Mode::ScriptData),
            Tag::Plaintext => Some(Mode::PlainText),
            _ => None,
        }
    }
}

/// A page may name one target this many times before further links are not looked at.
pub(super) const RAW_LINKS_PER_LINK: usize = 4;

impl Sink for Builder<'_> {
    fn text(&mut self, text: &str) {
        let Some(&(tag, parent)) = self.stack.last() else {
            return;
        };
        if tag == Tag::Title && !self.has_open(Tag::Svg) {
            let title = self.title.get_or_insert_default();
            fold_space(text, title, self.limits.max_field_bytes);
            return;
        }
        if matches!(tag, Tag::Script | Tag::Style | Tag::Iframe | Tag::OtherRaw) {
            self.take_raw_text(tag, text);
            return;
        }
        let room = self.limits.max_text_bytes.saturating_sub(self.tree.buffer().len());
        if !self.wants_tree || room == 0 || self.nodes >= self.limits.max_nodes {
            return;
        }
        let pre = self.tree.nodes[parent as usize].pre;
        let from = self.tree.buffer().len();
        if pre {
            let cut = text.floor_char_boundary(room);
            self.tree.buffer().push_str(&text[..cut]);
        } else {
            fold_space(text, self.tree.buffer(), from + room);
        }
        if self.tree.buffer().len() > from {
            let node = self.tree.push(Tag::Text, parent);
            self.nodes += 1;
            self.tree.set_text(node, from);
        }
    }

    fn start(&mut self, tag: Tag, attrs: &Attrs, self_closing: bool) -> Option<Mode> {
        self.imply_ends(tag);
        self.take_facts(tag, attrs);
        if self.wants_resources() {
            self.take_resources(tag, attrs);
        }
        if matches!(tag, Tag::Html | Tag::Head | Tag::Body | Tag::Base | Tag::Meta | Tag::Link) {
            return None;
        }
        let foreign = self.in_foreign();
        let mode = if foreign && self_closing { None } else { self.next_mode(tag) };
        let is_void =
            tag.is_void() || (self_closing && (foreign || matches!(tag, Tag::Svg | Tag::Math)));
        // Raw text has to be on the stack whatever the limits are, or it would count as text.
        let full = self.nodes >= self.limits.max_nodes || self.stack.len() >= self.limits.max_depth;
        if full && mode.is_none() {
            if !is_void {
                self.too_deep = self.too_deep.saturating_add(1);
            }
            if tag == Tag::A
                && let Some(href) = attrs.get(Attr::Href).or_else(|| attrs.get(Attr::XlinkHref))
            {
                self.add_link(None, href, attrs, LinkKind::Anchor);
            }
            return None;
        }
        self.nodes += 1;
        let node = match self.wants_tree {
            true => self.add_node(tag, attrs),
            false => self.add_anchor(tag, attrs),
        };
        if !is_void {
            self.stack.push((tag, node));
            self.open[tag as usize] += 1;
        }
        mode
    }

    fn end(&mut self, tag: Tag) {
        match tag {
            Tag::Html | Tag::Head | Tag::Body => return,
            // As the standard has it, `</p>` and `</br>` out of place stand for elements.
            Tag::Br => {
                self.start(Tag::Br, &Attrs::default(), false);
                return;
            }
            _ => {}
        }
        let raw =
            matches!(tag, Tag::Script | Tag::Style | Tag::Title | Tag::Textarea | Tag::Iframe);
        if self.too_deep > 0 && !tag.is_void() && !raw {
            self.too_deep -= 1;
            return;
        }
        if tag == Tag::A {
            self.close_link();
        }
        if !self.has_open(tag) {
            return;
        }
        let is_block = tag.is_block();
        self.close_nearest(
            |open| open == tag || (tag.heading().is_some() && open.heading().is_some()),
            |open| {
                if tag.is_table_part() {
                    open == Tag::Table
                } else {
                    // Formatting does not end blocks.
                    open.is_barrier() || (!is_block && !raw && open.is_block() && tag != Tag::A)
                }
            },
        );
    }

    fn comment(&mut self, text: &str) {
        self.take_comment(text);
    }

    fn doctype(&mut self, system: &str) {
        self.add_named(system, "", LinkKind::Resource);
    }

    fn wants_text(&self) -> bool {
        self.wants_tree || self.wants_resources()
    }

    fn wants_resources(&self) -> bool {
        self.limits.max_resources > 0
    }

    fn reads(&self, attr: Attr) -> bool {
        match attr.is_of_facts() {
            true => self.about.as_ref().is_some_and(|about| about.wants_facts()),
            false => self.wants_text() || !attr.is_of_tree(),
        }
    }

    fn in_foreign(&self) -> bool {
        self.has_open(Tag::Svg) || self.has_open(Tag::Math)
    }
}
