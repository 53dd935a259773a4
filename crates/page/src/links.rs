//! Where can a reader go from here? Each target once, with the words on it and around it.

use crate::html::{Named, RawLink, Tag, Tree};
use crate::mentions::{self, Source};
use crate::places::Places;
use crate::visible::{Visible, range_text};
use crate::{Input, Limits, css, facts, link_header, relation};
use encoding_rs::{Encoding, UTF_8};
use lycosa_frontier::usual::Base;
use lycosa_frontier::whatwg;
use lycosa_model::{Link, LinkKind};
use std::borrow::Cow;
use url::Url;

mod query;

/// Words of context on either side.
const CONTEXT_WORDS: usize = 10;
/// Bytes of context on either side, for texts without spaces.
const CONTEXT_BYTES: usize = 300;

/// Feeds that one page may name.
pub(crate) const MAX_FEEDS: usize = 4;

/// Collects the links of one page.
pub(crate) struct Collector<'a> {
    page: Option<&'a Url>,
    base: Option<Url>,
    /// The base, as far as most links need it.
    usual: Option<Base>,
    /// Where the present link leads.
    target: String,
    encoding: &'static Encoding,
    limits: &'a Limits,
    links: Vec<Link>,
    places: Places,
    /// How many of the links lead no reader to a page.
    resources: usize,
    feeds: usize,
}

impl<'a> Collector<'a> {
    pub(crate) fn new(
        page: Option<&'a Url>,
        encoding: &'static Encoding,
        limits: &'a Limits,
    ) -> Collector<'a> {
        Collector {
            page,
            base: page.cloned(),
            usual: page.and_then(Base::of),
            target: String::new(),
            encoding,
            limits,
            links: Vec::new(),
            places: Places::default(),
            resources: 0,
            feeds: 0,
        }
    }

    /// Takes `<base href>`; one that does not resolve to http(s) is ignored.
    pub(crate) fn set_base(&mut self, href: Option<&str>) {
        let Some(href) = href else {
            return;
        };
        if let Ok(base) = whatwg::read(self.page, None, href)
            && whatwg::is_web(&base)
        {
            self.usual = Base::of(&base);
            self.base = Some(base);
        }
    }

    /// Takes what the headers of the response name.
    pub(crate) fn add_headers(&mut self, input: &Input<'_>) {
        if let Some(target) = input.refresh.and_then(facts::refresh_target) {
            self.add(target, "", LinkKind::Refresh);
        }
        for link in input.link.iter().flat_map(|value| link_header::parse(value)) {
            let kind = match link.has_anchor {
                false => relation::kind(link.rel, link.media_type),
                true => Some(LinkKind::Resource),
            };
            if let Some(kind) = kind {
                self.add(link.target, link.rel, kind);
            }
        }
        if let Some(target) = input.content_location {
            // Another name of the same content, so nothing to lead a reader to.
            self.add(target.trim(), "", LinkKind::Resource);
        }
    }

    /// Takes an address that readers are led to.
    pub(crate) fn add_address(&mut self, target: &str) {
        self.add(target.trim(), "", LinkKind::Anchor);
    }

    fn add(&mut self, target: &str, words: &str, kind: LinkKind) {
        if !target.is_empty() && self.resolve(target) {
            self.insert(kind, words, Words::default);
        }
    }

    /// Takes the addresses of a page beside its links, and those that its text mentions.
    pub(crate) fn add_named(&mut self, named: &[Named], text: &str) {
        if self.limits.max_resources == 0 {
            return;
        }
        if self.base.as_ref() != self.page
            && let Some(base) = self.base.as_ref().map(|base| whatwg::written(base).into_owned())
        {
            self.add(&base, "", LinkKind::Resource);
        }
        for named in named {
            match named.kind {
                LinkKind::Inline => self.add_mention(&named.href, &named.rel),
                kind => self.add(&named.href, &named.rel, kind),
            }
        }
        self.add_mentions(text, Source::Prose);
    }

    /// Takes the addresses of a stylesheet.
    pub(crate) fn add_css(&mut self, css: &str) {
        css::addresses(css, |address| self.add(address, "", LinkKind::Resource));
    }

    /// Takes the addresses that a text mentions.
    pub(crate) fn add_mentions(&mut self, text: &str, source: Source) {
        if self.limits.max_resources > 0 {
            mentions::addresses(text, source, |address| self.add_mention(address, ""));
        }
    }

    /// Nobody says against what an address in a text or a script is meant: the page, the top of the site
    /// or, when one is declared, the base as a folder. Each reading that differs is taken.
    fn add_mention(&mut self, address: &str, rel: &str) {
        self.add(address, rel, LinkKind::Inline);
        if address.starts_with('.') {
            let above = address.trim_start_matches(['.', '/']);
            self.add(&format!("/{above}"), rel, LinkKind::Inline);
        } else if address.starts_with('/')
            && !address.starts_with("//")
            && self.base.as_ref() != self.page
            && let Some(base) = &self.base
        {
            let under = format!("{}{address}", base.path().trim_end_matches('/'));
            self.add(&under, rel, LinkKind::Inline);
        }
    }

    /// Takes the links of a page; tells for each link of the tree which of ours it is. The words on and
    /// around them are taken only where `visible` has them, those on them alone with `anchors`.
    pub(crate) fn add_all(
        &mut self,
        tree: &Tree,
        visible: Option<&Visible>,
        anchors: bool,
    ) -> Vec<Option<usize>> {
        let mut numbers = vec![None; tree.links.len()];
        let is_own_base = self.base.as_ref() == self.page;
        for (number, raw) in tree.links.iter().enumerate() {
            if raw.href.starts_with('#') && is_own_base {
                // A place on this page, not another one.
                continue;
            }
            if !self.resolve(&raw.href) {
                continue;
            }
            let limit = self.limits.max_field_bytes;
            numbers[number] = self.insert(raw.kind, &raw.rel, || match visible {
                Some(visible) => words(tree, raw, visible, number, limit),
                None if anchors => Words { anchor: anchor(tree, raw, limit), ..Words::default() },
                None => Words::default(),
            });
        }
        numbers
    }

    /// The address in `<link rel=canonical>`.
    pub(crate) fn canonical(&self) -> Option<String> {
        let mut canonical = self.links.iter().filter(|link| link.kind == LinkKind::Canonical);
        canonical.next().map(|link| link.url.clone())
    }

    /// An address of the page as it should be requested; `None` when it leads nowhere.
    pub(crate) fn absolute(&mut self, href: &str) -> Option<String> {
        self.resolve(href.trim_matches(facts::is_html_space)).then(|| self.target.clone())
    }

    /// The links in the order of the page.
    pub(crate) fn finish(self) -> Vec<Link> {
        self.links
    }

    /// Takes a link to [`target`](Self::target). `words` gives its anchor and its context, and is asked
    /// only when they are needed.
    fn insert(
        &mut self,
        kind: LinkKind,
        rel_words: &str,
        words: impl FnOnce() -> Words,
    ) -> Option<usize> {
        let leads = kind.leads_to_page();
        let known = self.places.find(&self.target, |place| &self.links[place].url);
        if let Some(place) = known {
            let first = &mut self.links[place];
            if leads && !first.kind.leads_to_page() {
                match first.kind {
                    LinkKind::Feed => self.feeds -= 1,
                    _ => self.resources -= 1,
                }
                // A resource that readers are led to as well is a page.
                words().put(first);
                (first.rel, first.kind) = (rel(rel_words), kind);
            } else if first.anchor.is_empty() {
                let words = words();
                if !words.anchor.is_empty() {
                    words.put(first);
                }
            }
            return Some(place);
        }
        // What a page embeds must not crowd out where it leads.
        let full = match kind {
            LinkKind::Feed => self.feeds >= MAX_FEEDS,
            _ if leads => self.links.len() - self.resources - self.feeds >= self.limits.max_links,
            _ => self.resources >= self.limits.max_resources,
        };
        if full {
            return None;
        }
        match kind {
            LinkKind::Feed => self.feeds += 1,
            _ => self.resources += usize::from(!leads),
        }
        let Words { anchor, context, tag_path } = words();
        let place = self.links.len();
        self.links.push(Link {
            url: self.target.clone(),
            anchor,
            context,
            tag_path,
            rel: rel(rel_words),
            kind,
        });
        self.places.add(place, |place| &self.links[place].url);
        Some(place)
    }

    /// Finds the absolute http(s) address without fragment, as it should be requested, and leaves it in
    /// [`target`](Self::target). False when there is none.
    fn resolve(&mut self, href: &str) -> bool {
        let known = self.usual.as_ref().is_some_and(|base| base.join(href, &mut self.target));
        if !known && !self.resolve_unusual(href) {
            return false;
        }
        self.target.len() <= self.limits.max_url_bytes
    }

    fn resolve_unusual(&mut self, href: &str) -> bool {
        // As in browsers, the query of a link is written in the encoding of its page.
        let encode = any_lifetime(|text| query::encode(self.encoding, text));
        let encode = (self.encoding.output_encoding() != UTF_8).then_some(&encode as _);
        let Ok(mut url) = whatwg::read(self.base.as_ref(), encode, href) else {
            return false;
        };
        if !whatwg::is_web(&url) {
            return false;
        }
        url.set_fragment(None);
        self.target.clear();
        self.target.push_str(&whatwg::written(&url));
        true
    }
}

/// Helps the compiler to see that the closure takes text of any lifetime.
fn any_lifetime<F: Fn(&str) -> Cow<'_, [u8]>>(encode: F) -> F {
    encode
}

fn rel(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for token in text.split_ascii_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(token.chars().map(|c| c.to_ascii_lowercase()));
    }
    out
}

/// What a page says around a link.
#[derive(Default)]
struct Words {
    anchor: String,
    context: String,
    tag_path: String,
}

impl Words {
    fn put(self, link: &mut Link) {
        (link.anchor, link.context, link.tag_path) = (self.anchor, self.context, self.tag_path);
    }
}

/// Anchor, context and tag path of a link of the tree.
fn words(tree: &Tree, raw: &RawLink, visible: &Visible, number: usize, limit: usize) -> Words {
    let context = match (raw.kind, visible.places.get(number)) {
        (LinkKind::Anchor | LinkKind::Area, Some(place)) => context(&visible.text, *place),
        _ => String::new(),
    };
    let tag_path = match raw.kind {
        LinkKind::Anchor if !raw.nodes.is_empty() => tree.path(raw.nodes.start),
        _ => String::new(),
    };
    Words { anchor: anchor(tree, raw, limit), context, tag_path }
}

/// The words of a link, else the `alt` of an image in it.
fn anchor(tree: &Tree, raw: &RawLink, limit: usize) -> String {
    if raw.kind == LinkKind::Area {
        return raw.alt.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    if raw.kind != LinkKind::Anchor {
        return String::new();
    }
    let nodes = raw.nodes.start as usize..raw.nodes.end as usize;
    let text = range_text(tree, nodes.clone(), limit);
    if !text.is_empty() {
        return text;
    }
    nodes
        .filter(|index| tree.nodes.get(*index).is_some_and(|node| node.tag == Tag::Img))
        .map(|index| tree.text(index).trim())
        .find(|alt| !alt.is_empty())
        .unwrap_or("")
        .to_owned()
}

/// Ten words before and ten after a place of the text.
fn context(text: &str, (start, end): (usize, usize)) -> String {
    let before = &text[text.ceil_char_boundary(start.saturating_sub(CONTEXT_BYTES))..start];
    let after = &text[end..text.floor_char_boundary(end.saturating_add(CONTEXT_BYTES))];
    let mut words: Vec<&str> = before.split_whitespace().rev().take(CONTEXT_WORDS).collect();
    words.reverse();
    words.extend(after.split_whitespace().take(CONTEXT_WORDS));
    words.join(" ")
}
