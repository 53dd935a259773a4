//! What is in a page? Bytes in; charset, links, text, main text, Markdown, languages and digests out.
//!
//! Pure: no I/O, no clock, no chance. [`read`] takes any bytes, never panics, and its time and memory
//! grow with the size of the body and are bounded by [`Limits`].

mod charset;
mod digest;
mod extract;
mod facts;
mod html;
mod language;
mod links;
mod markdown;
mod media;
pub mod sitemap;
mod visible;
pub mod xml;

pub use facts::ROBOTS_NAME;

use lycosa_model::{Document, RobotsMeta, UrlId};
use media::Media;
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
    /// The body after content decoding.
    pub body: &'a [u8],
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
    /// Distinct links: 5,000.
    pub max_links: usize,
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
            max_url_bytes: 2_048,
            max_field_bytes: 1_024,
        }
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
    },
}

/// Reads a page. Total: every input gives a reading.
pub fn read(input: &Input<'_>, limits: &Limits) -> Reading {
    let body = &input.body[..input.body.len().min(limits.max_body_bytes)];
    let media = match media::decide(input.content_type, body) {
        Ok(media) => media,
        Err(media_type) => return Reading::NotText { media_type },
    };
    let page_url = Url::parse(input.url).ok();
    let tld = page_url.as_ref().and_then(Url::domain).and_then(|host| host.rsplit('.').next());
    let encoding = charset::choose(body, input.content_type, media == Media::Html, tld);
    let text = charset::decode(body, encoding);
    let mut document = Document {
        url_id: input.url_id,
        url: input.url.to_owned(),
        charset: encoding.name().to_owned(),
        title: String::new(),
        keywords: String::new(),
        description: String::new(),
        text: String::new(),
        main: String::new(),
        markdown: String::new(),
        links: Vec::new(),
        languages: Vec::new(),
        digest: String::new(),
        simhash: 0,
        robots: RobotsMeta::default(),
        canonical: None,
    };
    for value in &input.x_robots_tag {
        facts::obey_header(&mut document.robots, value);
    }
    let mut links = links::Collector::new(page_url.as_ref(), encoding, limits);
    if let Some(target) = input.refresh.and_then(facts::refresh_target) {
        links.add_refresh(target);
    }
    let lang = match media {
        Media::Html => read_html(&text, links, &mut document, limits),
        Media::Plain => {
            document.text = visible::plain(&text, limits.max_text_bytes);
            document.main = document.text.clone();
            document.markdown = markdown::plain(&document.text);
            document.links = links.finish();
            None
        }
    };
    document.languages = language::shares(&document.text, lang);
    document.digest = digest::of_text(&document.text);
    document.simhash = digest::simhash(&document.main);
    Reading::Document(Box::new(document))
}

/// Fills in what HTML tells and gives the language that the page claims.
fn read_html(
    text: &str,
    mut links: links::Collector<'_>,
    document: &mut Document,
    limits: &Limits,
) -> Option<lycosa_model::Lang> {
    let (tree, mut facts) = html::parse(text, limits);
    let visible = visible::Visible::of(&tree);
    links.set_base(facts.base.as_deref());
    let numbers = links.add_all(&tree, &visible);
    document.canonical = links.canonical();
    document.links = links.finish();
    let main = extract::main_content(&tree);
    document.main = visible::main_text(&tree, &main);
    document.markdown = markdown::write(&tree, &main, |link| {
        let number = numbers.get(link).copied().flatten()?;
        Some(document.links[number].url.as_str())
    });
    document.title = if facts.title.is_empty() {
        visible::first_heading(&tree, limits.max_field_bytes)
    } else {
        std::mem::take(&mut facts.title)
    };
    document.keywords = std::mem::take(&mut facts.keywords);
    document.description = facts.description();
    document.robots.noindex |= facts.robots.noindex;
    document.robots.nofollow |= facts.robots.nofollow;
    document.robots.noarchive |= facts.robots.noarchive;
    document.text = visible.text;
    facts.lang
}

#[cfg(test)]
mod tests;
