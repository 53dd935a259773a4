//! What is in a page? Bytes in; charset, links, text, main text, Markdown, languages and digests out.
//!
//! Pure: no I/O, no clock, no chance. [`read`] takes any bytes, never panics, and its time and memory
//! grow with the size of the body and are bounded by [`Limits`].

mod about;
mod charset;
mod count;
mod css;
mod date;
mod digest;
mod extract;
mod facts;
pub mod fingerprint;
#[cfg(test)]
mod fuzz;
mod html;
mod language;
mod link_header;
mod links;
mod markdown;
mod media;
mod mentions;
mod pdf;
mod places;
mod relation;
pub mod script;
pub mod sitemap;
mod space;
mod srcset;
mod visible;
pub mod xml;

pub use date::parse as moment;
pub use facts::ROBOTS_NAME;

use about::Clock;
use lycosa_frontier::whatwg;
use lycosa_model::message::Parts;
use lycosa_model::{Document, Headers, Lang, Link, RobotsMeta, UrlId};
use media::Media;
use std::collections::HashMap;
use url::Url;

/// A response, as far as reading it needs.
#[derive(Clone, Debug)]
pub struct Input<'a> {
    /// Id of the URL.
    pub url_id: UrlId,
    /// The address that was requested; links resolve against it.
    pub url: &'a str,
    /// The `Content-Type` header.
    pub content_type: Option<&'a str>,
    /// Every `X-Robots-Tag` header.
    pub x_robots_tag: Vec<&'a str>,
    /// The `Refresh` header.
    pub refresh: Option<&'a str>,
    /// Every `Link` header.
    pub link: Vec<&'a str>,
    /// The `Content-Location` header.
    pub content_location: Option<&'a str>,
    /// The `Date` header: no page is younger than that.
    pub date: Option<&'a str>,
    /// The `Last-Modified` header.
    pub last_modified: Option<&'a str>,
    /// The body after content decoding.
    pub body: &'a [u8],
    /// What is made of it.
    pub parts: Parts,
}

impl<'a> Input<'a> {
    /// A body of which nothing but the address is known.
    pub fn new(url_id: UrlId, url: &'a str, body: &'a [u8]) -> Input<'a> {
        Input {
            url_id,
            url,
            content_type: None,
            x_robots_tag: Vec::new(),
            refresh: None,
            link: Vec::new(),
            content_location: None,
            date: None,
            last_modified: None,
            body,
            parts: Parts::ALL,
        }
    }

    /// With only these parts of the document made.
    pub fn for_parts(self, parts: Parts) -> Input<'a> {
        Input { parts, ..self }
    }

    /// With what the headers of the response tell.
    pub fn with_headers(self, headers: &'a Headers) -> Input<'a> {
        Input {
            content_type: headers.get("content-type"),
            x_robots_tag: headers.all("x-robots-tag").collect(),
            refresh: headers.get("refresh"),
            link: headers.all("link").collect(),
            content_location: headers.get("content-location"),
            date: headers.get("date"),
            last_modified: headers.get("last-modified"),
            ..self
        }
    }
}

/// What a page may cost. Whatever lies beyond a limit is left out; nothing fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the body that are read: 16 MiB.
    pub max_body_bytes: usize,
    /// Bytes of text that are kept: 4 MiB.
    pub max_text_bytes: usize,
    /// Elements and runs of text that are kept: 400,000.
    pub max_nodes: usize,
    /// Elements inside each other: 256. Deeper ones are read as if they were not there; their text and
    /// links count.
    pub max_depth: usize,
    /// Distinct links to pages: 5,000.
    pub max_links: usize,
    /// Distinct addresses of what a page embeds, sends forms to or only mentions. With 0, the default,
    /// none is looked for.
    pub max_resources: usize,
    /// Bytes of the address of a link: 2,048. Links with longer ones are left out.
    pub max_url_bytes: usize,
    /// Bytes of the title, and of one anchor: 1,024.
    pub max_field_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            max_body_bytes: 16 << 20,
            max_text_bytes: 4 << 20,
            max_nodes: 400_000,
            max_depth: 256,
            max_links: 5_000,
            max_resources: 0,
            max_url_bytes: 2_048,
            max_field_bytes: 1_024,
        }
    }
}

impl Limits {
    /// The default, with up to 5,000 resources as well.
    pub fn with_resources() -> Limits {
        Limits { max_resources: 5_000, ..Limits::default() }
    }
}

/// What came of reading.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// It is a document.
    Document(Box<Document>),
    /// It is nothing that we read.
    NotText {
        /// The media type it claims, or shows if it claims none.
        media_type: String,
        /// What its headers name and, when resources are wanted, what a stylesheet or a script names.
        links: Vec<Link>,
        /// Why it is not read, where we would read others of its kind.
        why: Option<String>,
    },
}

/// Reads a page. Total: every input gives a reading.
pub fn read(input: &Input<'_>, limits: &Limits) -> Reading {
    let body = &input.body[..input.body.len().min(limits.max_body_bytes)];
    let media = media::decide(input.content_type, body);
    let page_url = whatwg::read(None, None, input.url).ok();
    let not_text = |media_type: String, why| {
        let links = links_of_data(input, body, &media_type, page_url.as_ref(), limits);
        Reading::NotText { media_type, links, why }
    };
    let is_html = match media {
        Ok(Media::Html) => true,
        Ok(Media::Plain) => false,
        Ok(Media::Pdf) => {
            let links = links::Collector::new(page_url.as_ref(), encoding_rs::UTF_8, limits);
            return match read_pdf(input, body, links, limits) {
                Ok(document) => Reading::Document(Box::new(document)),
                Err(why) => not_text(media::PDF.to_owned(), Some(why.to_string())),
            };
        }
        Err(media_type) => return not_text(media_type, None),
    };
    let tld = page_url.as_ref().and_then(Url::domain).and_then(|host| host.rsplit('.').next());
    let encoding = charset::choose(body, input.content_type, is_html, tld);
    let text = charset::decode(body, encoding);
    let mut document = Document::empty(input.url_id, input.url);
    document.charset = encoding.name().to_owned();
    document.media_type = if is_html { Media::Html } else { Media::Plain }.name().to_owned();
    document.robots = robots_of(input.x_robots_tag.iter().copied());
    let mut links = links::Collector::new(page_url.as_ref(), encoding, limits);
    links.add_headers(input);
    let parts = input.parts;
    let lang = if is_html {
        read_html(&text, links, &mut document, limits, input)
    } else {
        read_plain(&text, links, &mut document, limits, parts);
        if parts.about {
            (document.published, document.modified) = Clock::of(input).settle(None, None);
        }
        None
    };
    finish(&mut document, lang, !is_html, parts);
    Reading::Document(Box::new(document))
}

/// Adds what is made from the text of a document. `lang` is the language that it claims; in text that is
/// `wrapped`, empty lines part paragraphs.
fn finish(document: &mut Document, lang: Option<Lang>, wrapped: bool, parts: Parts) {
    if parts.languages {
        document.languages = language::shares(&document.text, lang);
    }
    if parts.facts {
        let facts = document.facts.get_or_insert_default();
        facts.paragraphs = language::paragraphs(&document.text, lang, wrapped);
    }
    if parts.text {
        document.digest = digest::of_text(&document.text);
    }
    if parts.main {
        let told = digest::Told::by(document);
        document.simhash = told.simhash;
        document.shape = told.shape;
        document.main_words = told.words;
    }
    if !(parts.text || parts.languages || parts.main) {
        document.text = String::new();
    }
}

/// Reads a PDF.
fn read_pdf(
    input: &Input<'_>,
    body: &[u8],
    mut links: links::Collector<'_>,
    limits: &Limits,
) -> Result<Document, pdf::Unreadable> {
    let parts = input.parts;
    let wants = pdf::Wants {
        text: parts.any_text() || limits.max_resources > 0,
        max_text: limits.max_text_bytes,
        max_links: limits.max_links,
    };
    let pdf = pdf::read(body, wants)?;
    let mut document = Document::empty(input.url_id, input.url);
    document.media_type = Media::Pdf.name().to_owned();
    document.robots = robots_of(input.x_robots_tag.iter().copied());
    links.add_headers(input);
    pdf.links.iter().for_each(|address| links.add_address(address));
    document.text = pdf.text;
    fill_plain(links, &mut document, parts);
    if parts.markdown {
        // Every line is a paragraph.
        document.markdown = markdown::plain(&document.text.replace('\n', "\n\n"));
    }
    if parts.text {
        document.title = pdf.title;
        document.keywords = pdf.keywords;
        document.description = pdf.description;
    }
    if parts.about {
        document.headings = pdf.headings;
        document.byline = pdf.byline;
        (document.published, document.modified) =
            Clock::of(input).settle(pdf.published, pdf.modified);
    }
    if parts.facts {
        document.facts.get_or_insert_default().pages = u32::try_from(pdf.pages).ok();
    }
    finish(&mut document, pdf.lang, false, parts);
    Ok(document)
}

/// What the headers of a response ask of robots (`X-Robots-Tag`); the page itself may ask for more.
pub fn robots_of_headers(headers: &Headers) -> RobotsMeta {
    robots_of(headers.all("x-robots-tag"))
}

/// The target of the first link of this relation in the headers of a response (`Link`), as written.
pub fn header_link<'h>(headers: &'h Headers, rel: &str) -> Option<&'h str> {
    let mut links = headers.all("link").flat_map(link_header::parse);
    let is_it = |link: &link_header::HeaderLink<'_>| {
        let mut names = link.rel.split_ascii_whitespace();
        !link.has_anchor && names.any(|name| name.eq_ignore_ascii_case(rel))
    };
    links.find(is_it).map(|link| link.target)
}

fn robots_of<'a>(values: impl Iterator<Item = &'a str>) -> RobotsMeta {
    let mut robots = RobotsMeta::default();
    for value in values {
        facts::obey_header(&mut robots, value);
    }
    robots
}

/// The links of a body that is no document; none when its headers say `nofollow`.
fn links_of_data(
    input: &Input<'_>,
    body: &[u8],
    media_type: &str,
    page_url: Option<&Url>,
    limits: &Limits,
) -> Vec<Link> {
    if robots_of(input.x_robots_tag.iter().copied()).nofollow {
        return Vec::new();
    }
    let mut links = links::Collector::new(page_url, encoding_rs::UTF_8, limits);
    links.add_headers(input);
    let text = || charset::decode(body, charset::choose(body, input.content_type, false, None));
    match media_type {
        _ if limits.max_resources == 0 => {}
        "text/css" => links.add_css(&text()),
        "text/javascript" | "application/javascript" | "application/x-javascript" => {
            links.add_mentions(&text(), mentions::Source::Script);
        }
        _ => {}
    }
    links.finish()
}

/// Fills in what plain text tells.
fn read_plain(
    text: &str,
    links: links::Collector<'_>,
    document: &mut Document,
    limits: &Limits,
    parts: Parts,
) {
    if parts.any_text() || limits.max_resources > 0 {
        document.text = visible::plain(text, limits.max_text_bytes);
    }
    fill_plain(links, document, parts);
}

/// Fills in what follows from text without structure, and its links.
fn fill_plain(mut links: links::Collector<'_>, document: &mut Document, parts: Parts) {
    if parts.main {
        document.main = document.text.clone();
    }
    if parts.markdown {
        document.markdown = markdown::plain(&document.text);
    }
    links.add_mentions(&document.text, mentions::Source::Prose);
    document.canonical = links.canonical();
    document.links = links.finish();
}

/// Fills in what HTML tells and gives the language that the page claims.
fn read_html(
    text: &str,
    mut links: links::Collector<'_>,
    document: &mut Document,
    limits: &Limits,
    input: &Input<'_>,
) -> Option<Lang> {
    let parts = input.parts;
    // Addresses that are only written down are looked for in the visible text.
    let wants_text = parts.any_text() || limits.max_resources > 0;
    let wants = html::Wants {
        tree: wants_text,
        markdown: parts.markdown,
        about: parts.about,
        facts: parts.facts,
        classes: parts.words_of_links,
    };
    let (tree, mut facts, mut about) = html::parse(text, limits, wants);
    document.robots.join(facts.robots);
    let visible = wants_text.then(|| visible::Visible::of(&tree, parts.words_of_links));
    links.set_base(facts.base.as_deref());
    let around = visible.as_ref().filter(|_| parts.words_of_links);
    let numbers = links.add_all(&tree, around, parts.anchors && wants_text);
    let visible = visible.map(|visible| visible.text).unwrap_or_default();
    links.add_named(&tree.named, &visible);
    document.canonical = links.canonical();
    document.facts = about.as_mut().and_then(|about| about.facts(|href| links.absolute(href)));
    let images: HashMap<usize, String> = tree
        .images
        .iter()
        .filter_map(|(node, src)| Some((*node as usize, links.absolute(src)?)))
        .collect();
    document.links = links.finish();
    if parts.main || parts.markdown || parts.about {
        let main = extract::main_content(&tree);
        if let Some(about) = about.filter(|_| parts.about) {
            let told = about.tell(&tree, &main, &Clock::of(input), limits.max_field_bytes);
            document.headings = told.headings;
            document.byline = told.byline;
            document.published = told.published;
            document.modified = told.modified;
        }
        if parts.main {
            document.main = visible::main_text(&tree, &main);
        }
        if parts.markdown {
            let target = |link: usize| {
                let number = numbers.get(link).copied().flatten()?;
                Some(document.links[number].url.as_str())
            };
            let picture = |node: usize| images.get(&node).map(String::as_str);
            document.markdown = markdown::write(&tree, &main, target, picture);
        }
    }
    if parts.text {
        document.title = if facts.title.is_empty() {
            visible::first_heading(&tree, limits.max_field_bytes)
        } else {
            std::mem::take(&mut facts.title)
        };
        document.keywords = std::mem::take(&mut facts.keywords);
        document.description = facts.description();
    }
    document.text = visible;
    facts.lang
}

#[cfg(test)]
mod tests;
