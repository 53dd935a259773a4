//! Where can a reader go from here? Each target once, with the words on it and around it.

use crate::html::{Named, RawLink, Tag, Tree};
use crate::mentions::{self, Source};
use crate::visible::{Visible, range_text};
use crate::{Input, Limits, css, facts, link_header, relation};
use encoding_rs::{Encoding, UTF_8};
use lycosa_model::{Link, LinkKind};
use std::borrow::Cow;
use std::collections::HashMap;
use url::Url;

/// Words of context on either side.
const CONTEXT_WORDS: usize = 10;
/// Bytes of context on either side, for texts without spaces.
const CONTEXT_BYTES: usize = 300;

/// Collects the links of one page.
pub(crate) struct Collector<'a> {
    page: Option<&'a Url>,
    base: Option<Url>,
    encoding: &'static Encoding,
    limits: &'a Limits,
    links: Vec<Link>,
    places: HashMap<String, usize>,
    /// How many of the links lead no reader to a page.
    resources: usize,
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
            encoding,
            limits,
            links: Vec::new(),
            places: HashMap::new(),
            resources: 0,
        }
    }

    /// Takes `<base href>`; one that does not resolve to http(s) is ignored.
    pub(crate) fn set_base(&mut self, href: Option<&str>) {
        let Some(href) = href else {
            return;
        };
        let parsed = match self.page {
            Some(page) => page.join(href),
            None => Url::parse(href),
        };
        if let Ok(base) = parsed
            && is_http(&base)
        {
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

    fn add(&mut self, target: &str, words: &str, kind: LinkKind) {
        if !target.is_empty()
            && let Some(url) = self.resolve(target)
        {
            let rel = rel(words);
            self.insert(Link { url, anchor: String::new(), context: String::new(), rel, kind });
        }
    }

    /// Takes the addresses of a page beside its links, and those that its text mentions.
    pub(crate) fn add_named(&mut self, named: &[Named], text: &str) {
        if self.limits.max_resources == 0 {
            return;
        }
        if self.base.as_ref() != self.page
            && let Some(base) = self.base.as_ref().map(Url::to_string)
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

    /// Takes the links of a page; tells for each link of the tree which of ours it is.
    pub(crate) fn add_all(&mut self, tree: &Tree, visible: &Visible) -> Vec<Option<usize>> {
        let mut numbers = vec![None; tree.links.len()];
        for (number, (raw, place)) in tree.links.iter().zip(&visible.places).enumerate() {
            if raw.href.starts_with('#') && self.base.as_ref() == self.page {
                // A place on this page, not another one.
                continue;
            }
            let Some(url) = self.resolve(&raw.href) else {
                continue;
            };
            let link = Link {
                url,
                anchor: anchor(tree, raw, self.limits.max_field_bytes),
                context: match raw.kind {
                    LinkKind::Anchor | LinkKind::Area => context(&visible.text, *place),
                    _ => String::new(),
                },
                rel: rel(&raw.rel),
                kind: raw.kind,
            };
            numbers[number] = self.insert(link);
        }
        numbers
    }

    /// The address in `<link rel=canonical>`.
    pub(crate) fn canonical(&self) -> Option<String> {
        let mut canonical = self.links.iter().filter(|link| link.kind == LinkKind::Canonical);
        canonical.next().map(|link| link.url.clone())
    }

    /// The links in the order of the page.
    pub(crate) fn finish(self) -> Vec<Link> {
        self.links
    }

    fn insert(&mut self, link: Link) -> Option<usize> {
        let leads = link.kind.leads_to_page();
        if let Some(place) = self.places.get(&link.url).copied() {
            let first = &mut self.links[place];
            if leads && !first.kind.leads_to_page() {
                // A resource that readers are led to as well is a page.
                *first = link;
                self.resources -= 1;
            } else if first.anchor.is_empty() && !link.anchor.is_empty() {
                first.anchor = link.anchor;
                first.context = link.context;
            }
            return Some(place);
        }
        // What a page embeds must not crowd out where it leads.
        let full = match leads {
            true => self.links.len() - self.resources >= self.limits.max_links,
            false => self.resources >= self.limits.max_resources,
        };
        if full {
            return None;
        }
        self.resources += usize::from(!leads);
        let place = self.links.len();
        self.places.insert(link.url.clone(), place);
        self.links.push(link);
        Some(place)
    }

    /// The absolute http(s) address without fragment, as it should be requested.
    fn resolve(&self, href: &str) -> Option<String> {
        // As in browsers, the query of a link is written in the encoding of its page.
        let encode = any_lifetime(|text| self.encoding.encode(text).0);
        let mut url = Url::options()
            .base_url(self.base.as_ref())
            .encoding_override(if self.encoding == UTF_8 { None } else { Some(&encode) })
            .parse(href)
            .ok()
            .filter(is_http)?;
        url.set_fragment(None);
        let url = String::from(url);
        (url.len() <= self.limits.max_url_bytes).then_some(url)
    }
}

/// Helps the compiler to see that the closure takes text of any lifetime.
fn any_lifetime<F: Fn(&str) -> Cow<'_, [u8]>>(encode: F) -> F {
    encode
}

fn is_http(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.has_host()
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
