//! Where does an answer lead? Its headers and, in a page, what leads readers on: each target once.
//!
//! The same rules as the engine's own reader has, so that a crawl from inside finds the pages that a
//! crawl from outside does.

use crate::charset::Charset;
use crate::host::Meta;
use crate::html::{refresh_target, Page};
use crate::job::Job;
use crate::robots::{has_word, Robots};
use crate::table::{hash, Table};
use crate::url::{self, Url};

/// Links of one page.
const MAX_LINKS: usize = 5_000;
/// Bytes of an address; longer ones are left out.
const MAX_URL: usize = 2_048;

/// What named a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// Something that leads readers to another page.
    Page,
    /// Where a redirect leads.
    Redirect,
    /// What a page embeds; looked for only when wanted.
    Resource,
}

/// A link as it stands in a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawLink {
    /// The address as written.
    pub href: String,
    /// The `rel` attribute.
    pub rel: String,
    /// What named it.
    pub kind: LinkKind,
    /// The words on it, when wanted.
    pub anchor: String,
}

/// Where a link leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Path with query inside the granted part of the site, else the whole address.
    pub target: String,
    /// The hash of the form that is compared: inside, the normal form of the path.
    pub hash: u64,
    /// Whether it is inside the granted part of the site.
    pub is_inside: bool,
    /// What named it.
    pub kind: LinkKind,
    /// The words on it, when wanted.
    pub anchor: String,
}

/// Relations that lead a reader to another page.
const TO_PAGES: [&str; 23] = [
    "alternate",
    "appendix",
    "archives",
    "author",
    "bookmark",
    "chapter",
    "contents",
    "copyright",
    "first",
    "glossary",
    "help",
    "home",
    "index",
    "last",
    "license",
    "next",
    "prev",
    "previous",
    "section",
    "start",
    "subsection",
    "toc",
    "up",
];

/// Whether a `<link>` or a `Link` header of this `rel` and `type` leads readers to a page.
pub fn leads_to_page(rel: &str, media_type: &str) -> bool {
    if has_word(rel, "canonical") {
        return true;
    }
    let essence = media_type.split(';').next().unwrap_or("").trim();
    let is_page = ["", "text/html", "application/xhtml+xml"]
        .iter()
        .any(|known| essence.eq_ignore_ascii_case(known));
    is_page
        && TO_PAGES.iter().any(|word| has_word(rel, word))
        && !has_word(rel, "stylesheet")
        && !has_word(rel, "icon")
}

/// The links of an answer that robots may follow.
pub fn of(
    url: &Url,
    meta: &Meta,
    page: Option<&Page>,
    query: Option<Charset>,
    job: &Job,
) -> Vec<Link> {
    let mut robots = page.map(|page| page.robots).unwrap_or_default();
    meta.all("x-robots-tag").for_each(|value| Robots::obey_header(&mut robots, value));
    let (links, unwanted, places) = (Vec::new(), Vec::new(), Table::default());
    let mut found = Collector { site: url, job, query, links, unwanted, places };
    match meta.status {
        301 | 302 | 303 | 307 | 308 => {
            if let Some(target) = meta.header("location") {
                found.add(url, target, "", LinkKind::Redirect, "");
            }
        }
        200..=299 if !robots.nofollow => {
            found.add_headers(url, meta);
            if let Some(page) = page {
                found.add_page(url, page);
            }
        }
        _ => {}
    }
    let mut unwanted = found.unwanted.into_iter();
    found.links.retain(|_| unwanted.next() != Some(true));
    found.links
}

struct Collector<'a> {
    site: &'a Url,
    job: &'a Job,
    query: Option<Charset>,
    links: Vec<Link>,
    /// For each link whether robots shall not follow it: what is said where it stands first counts.
    unwanted: Vec<bool>,
    /// Where a target stands, by its hash.
    places: Table,
}

impl Collector<'_> {
    fn add_headers(&mut self, url: &Url, meta: &Meta) {
        if let Some(target) = meta.header("refresh").and_then(refresh_target) {
            self.add(url, target, "", LinkKind::Page, "");
        }
        for value in meta.all("link") {
            for link in header_links(value) {
                if !link.has_anchor && leads_to_page(link.rel, link.media_type) {
                    self.add(url, link.target, link.rel, LinkKind::Page, "");
                }
            }
        }
    }

    fn add_page(&mut self, url: &Url, page: &Page) {
        let declared = page.base.as_deref().and_then(|href| url.join(href, None));
        let base = declared.as_ref().unwrap_or(url);
        for raw in &page.links {
            // A place on this page is no other page.
            let is_place = raw.href.starts_with('#') && base == url;
            if !is_place {
                self.add(base, &raw.href, &raw.rel, raw.kind, raw.anchor.trim_end());
            }
        }
    }

    fn add(&mut self, base: &Url, href: &str, rel: &str, kind: LinkKind, anchor: &str) {
        let found = match base.plain(href).filter(|path| self.job.grants(path)) {
            Some(path) if base.same_site(self.site) => Some((path, true)),
            _ => base.join(href, self.query).map(|url| {
                let path = url.path_and_query();
                let is_inside = url.same_site(self.site) && self.job.grants(&path);
                (if is_inside { path } else { url.written() }, is_inside)
            }),
        };
        let (target, is_inside) = match found {
            Some(found) if found.0.len() <= MAX_URL => found,
            _ => return,
        };
        let is_unwanted = has_word(rel, "nofollow");
        let written = hash(&target);
        if let Some(place) = self.places.get(written) {
            let first = &mut self.links[place as usize];
            if first.kind == LinkKind::Resource && kind != LinkKind::Resource {
                first.kind = kind;
                self.unwanted[place as usize] = is_unwanted;
            }
            if first.anchor.is_empty() {
                first.anchor.push_str(anchor);
            }
        } else if self.links.len() < MAX_LINKS {
            self.places.insert(written, self.links.len() as u32);
            self.unwanted.push(is_unwanted);
            // Nearly all are plain, and then both forms are one.
            let hash = match is_inside && target.contains(['%', '?']) {
                true => hash(&url::normal(&target)),
                false => written,
            };
            self.links.push(Link { target, hash, is_inside, kind, anchor: anchor.to_owned() });
        }
    }
}

/// One link of a `Link` header.
struct HeaderLink<'h> {
    target: &'h str,
    rel: &'h str,
    media_type: &'h str,
    /// Whether it is about another document than this one.
    has_anchor: bool,
}

/// The links of a `Link` header (RFC 8288); what is malformed is passed over.
fn header_links(value: &str) -> Vec<HeaderLink<'_>> {
    let mut links = Vec::new();
    let mut rest = value;
    while let Some((target, after)) =
        rest.split_once('<').and_then(|(_, rest)| rest.split_once('>'))
    {
        let mut link =
            HeaderLink { target: target.trim(), rel: "", media_type: "", has_anchor: false };
        let end = outside_quotes(after, b',');
        let mut parameters = &after[..end];
        rest = &after[end..];
        while !parameters.is_empty() {
            let end = outside_quotes(parameters, b';');
            if let Some((name, value)) = parameters[..end].split_once('=') {
                let (name, value) = (name.trim(), value.trim().trim_matches('"'));
                if name.eq_ignore_ascii_case("rel") && link.rel.is_empty() {
                    link.rel = value;
                } else if name.eq_ignore_ascii_case("type") {
                    link.media_type = value;
                } else if name.eq_ignore_ascii_case("anchor") {
                    link.has_anchor = true;
                }
            }
            parameters = parameters.get(end + 1..).unwrap_or("");
        }
        links.push(link);
    }
    links
}

/// Where a byte first stands outside of quotes; the end when it does not.
fn outside_quotes(text: &str, wanted: u8) -> usize {
    let (mut quoted, mut escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if byte == wanted && !quoted => return at,
            _ => {}
        }
    }
    text.len()
}
