//! What does a site answer? Status, headers and body for a path, also to a conditional request.

use super::article::{day, http_date, parse_http_date};
use super::faults::{Fault, PRIVATE_FOLDER, gzip_site, legacy_site};
use super::html::{Charset, Html};
use super::place::{self, Place};
use super::render::Print;
use super::{Response, SyntheticWeb};
use bytes::Bytes;
use flate2::{Compression, GzBuilder};
use lycosa_model::Headers;
use std::io::Write;

/// The article that redirects lead to, that is reprinted, and so on.
const FIRST: usize = 0;
/// The article that the chain of redirects ends at, and the one that is sent compressed.
const SECOND: usize = 1;

impl SyntheticWeb {
    /// The answer to a plain request that accepts gzip. A pure function of the seed, the shape, the
    /// naming, `site` (its bare name) and `path`; an unknown site answers 421.
    pub fn page(&self, site: &str, path: &str) -> Response {
        let Some(site) = self.shape.site(site) else {
            return plain(421, "no such site in this web\n");
        };
        match place::place(&self.shape, site, path) {
            Place::Front => self.ok(site, self.front_html(site), Charset::Utf8),
            Place::Section(section) => {
                self.ok(site, self.section_html(site, section), Charset::Utf8)
            }
            Place::Article(article) => self.article(site, article),
            Place::Robots => plain(200, &self.robots()),
            Place::Fault(fault) => self.fault(site, fault),
            Place::Nothing => self.apology(site, 404),
        }
    }

    /// The answer to a request with these headers: [`SyntheticWeb::page`], or 304 when the condition
    /// says that the client's copy is right, and without gzip when the client does not accept it.
    pub fn answer(&self, site: &str, path: &str, request: &Headers) -> Response {
        let mut response = self.page(site, path);
        if response.headers.get("content-encoding").is_some() && !accepts_gzip(request) {
            response = self.identity(site, path).unwrap_or(response);
        }
        if response.status == 200 && is_current(&response.headers, request) {
            response.status = 304;
            response.body = Bytes::new();
            let kept = ["etag", "last-modified", "vary"];
            let keep = |name: &str| kept.iter().any(|known| name.eq_ignore_ascii_case(known));
            response.headers.0.retain(|header| keep(&header.name));
        }
        response
    }

    /// How a path of a site encodes its text.
    pub(super) fn charset(&self, site: usize, article: usize) -> Charset {
        if legacy_site(&self.shape) != Some(site) {
            return Charset::Utf8;
        }
        match article % 3 {
            0 => Charset::Utf8,
            1 => Charset::Latin1Header,
            _ => Charset::Windows1252Meta,
        }
    }

    /// The article that is sent compressed.
    pub(super) fn compressed(&self) -> Option<(usize, usize)> {
        let site = gzip_site(&self.shape)?;
        (SECOND < self.shape.articles()).then_some((site, SECOND))
    }

    /// The article that is reprinted elsewhere.
    pub(super) fn reprinted(&self) -> Option<(usize, usize)> {
        (self.shape.faults && FIRST < self.shape.articles()).then_some((0, FIRST))
    }

    /// Where a redirecting fault leads, as a path of the same site.
    pub(super) fn redirect(&self, site: usize, fault: Fault) -> Option<(u16, String)> {
        let article = |number: usize| {
            if number < self.shape.articles() {
                place::article_path(&self.shape, site, number)
            } else {
                "/".to_owned()
            }
        };
        let to = |target: Fault| {
            super::faults::faults(&self.shape, site)
                .find(|placed| placed.fault == target)
                .map_or_else(|| "/".to_owned(), |placed| placed.path.to_owned())
        };
        match fault {
            Fault::Moved => Some((301, article(FIRST))),
            Fault::ChainStart => Some((302, to(Fault::ChainEnd))),
            Fault::ChainEnd => Some((302, article(SECOND))),
            Fault::Loop => Some((302, to(Fault::LoopBack))),
            Fault::LoopBack => Some((302, to(Fault::Loop))),
            _ => None,
        }
    }

    fn article(&self, site: usize, article: usize) -> Response {
        let plain = self.plain_article(site, article);
        if self.compressed() != Some((site, article)) {
            return plain;
        }
        let mut gzip = GzBuilder::new().write(Vec::new(), Compression::default());
        // Writing into memory does not fail; if it did, the page would go out as it is.
        let Ok(packed) = gzip.write_all(&plain.body).and_then(|()| gzip.finish()) else {
            return plain;
        };
        let charset = self.charset(site, article);
        let mut response = self.html(packed, charset, self.modified(site, article));
        response.headers.push("Content-Encoding", "gzip");
        response.headers.push("Vary", "Accept-Encoding");
        response
    }

    fn plain_article(&self, site: usize, article: usize) -> Response {
        let charset = self.charset(site, article);
        let html = self.article_html(site, article, charset, Print::Original);
        self.html(charset.encode(html), charset, self.modified(site, article))
    }

    fn identity(&self, site: &str, path: &str) -> Option<Response> {
        let site = self.shape.site(site)?;
        match place::place(&self.shape, site, path) {
            Place::Article(article) => {
                let mut response = self.plain_article(site, article);
                response.headers.push("Vary", "Accept-Encoding");
                Some(response)
            }
            _ => None,
        }
    }

    fn fault(&self, site: usize, fault: Fault) -> Response {
        if let Some((status, path)) = self.redirect(site, fault) {
            let mut response = plain(status, "moved\n");
            response.headers.push("Location", self.url(site, &path));
            return response;
        }
        match fault {
            Fault::Missing => self.apology(site, 404),
            Fault::Broken => self.apology(site, 500),
            Fault::Mirror => match self.reprinted() {
                Some((owner, article)) => {
                    let html = self.article_html(owner, article, Charset::Utf8, Print::Reprint);
                    self.ok(site, html, Charset::Utf8)
                }
                None => self.ok(site, self.odd_html(site, fault), Charset::Utf8),
            },
            // The tag soup declares its encoding nowhere but in the header.
            _ => self.ok(site, self.odd_html(site, fault), Charset::Utf8),
        }
    }

    fn modified(&self, site: usize, article: usize) -> String {
        http_date(day(self.seed, &self.shape.name(site), article))
    }

    /// A page that is not an article; it changes with the web, so it has the day of no article.
    fn ok(&self, site: usize, html: String, charset: Charset) -> Response {
        let modified = self.modified(site, self.shape.articles() + 100);
        self.html(charset.encode(html), charset, modified)
    }

    fn html(&self, body: Vec<u8>, charset: Charset, modified: String) -> Response {
        let mut headers = Headers::default();
        headers.push("Content-Type", charset.content_type());
        headers.push("ETag", format!("\"{:016x}\"", fingerprint(&body)));
        headers.push("Last-Modified", modified);
        Response { status: 200, headers, body: body.into() }
    }

    fn robots(&self) -> String {
        if self.shape.faults {
            format!("User-agent: *\nDisallow: {PRIVATE_FOLDER}\nCrawl-delay: 0\n")
        } else {
            "User-agent: *\nDisallow:\n".to_owned()
        }
    }

    /// An error page: one sentence, and the way home.
    fn apology(&self, site: usize, status: u16) -> Response {
        let labels = &self.shape.frame(site).labels;
        let text = if status == 404 { labels.not_found } else { labels.failed };
        let mut html = Html::new();
        html.raw("<!DOCTYPE html>\n<meta charset=\"utf-8\">\n")
            .tag("title", text)
            .tag("p", text)
            .raw("<p>")
            .link("/", labels.home)
            .raw("</p>\n");
        let mut headers = Headers::default();
        headers.push("Content-Type", Charset::Utf8.content_type());
        Response { status, headers, body: html.take().into() }
    }

    /// The list of all sites, for people who come without a site name.
    pub(super) fn directory(&self) -> Response {
        /// Sites that the list names at most.
        const MAX_LISTED: usize = 200;
        let sites: Vec<_> = (0..self.shape.sites.min(MAX_LISTED))
            .map(|site| (self.url(site, "/"), self.shape.edition(site).title.to_owned()))
            .collect();
        let mut html = Html::new();
        html.raw("<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>A synthetic web</title>\n")
            .links("A synthetic web", &sites);
        let mut headers = Headers::default();
        headers.push("Content-Type", Charset::Utf8.content_type());
        Response { status: 200, headers, body: html.take().into() }
    }
}

pub(super) fn plain(status: u16, text: &str) -> Response {
    let mut headers = Headers::default();
    headers.push("Content-Type", "text/plain; charset=utf-8");
    Response { status, headers, body: Bytes::copy_from_slice(text.as_bytes()) }
}

/// A quick digest for entity tags, eight bytes at a time; it only has to tell versions apart.
fn fingerprint(body: &[u8]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, word: u64| (hash.rotate_left(23) ^ word).wrapping_mul(ODD);
    let (words, tail) = body.as_chunks::<8>();
    let hash =
        words.iter().fold(body.len() as u64, |hash, word| mix(hash, u64::from_le_bytes(*word)));
    let hash = tail.iter().fold(hash, |hash, byte| mix(hash, u64::from(*byte)));
    hash ^ (hash >> 29)
}

fn accepts_gzip(request: &Headers) -> bool {
    let codings = request.all("accept-encoding");
    codings.flat_map(|value| value.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let refused = weight
            .split_once('=')
            .is_some_and(|(_, q)| q.trim().parse::<f32>().is_ok_and(|q| q == 0.0));
        matches!(name.trim(), "gzip" | "x-gzip" | "*") && !refused
    })
}

/// RFC 9110: `If-None-Match` decides alone when it is there, else `If-Modified-Since`.
fn is_current(headers: &Headers, request: &Headers) -> bool {
    let mut tags = request.all("if-none-match").peekable();
    if tags.peek().is_some() {
        let current = headers.get("etag");
        return tags.flat_map(|value| value.split(',')).any(|tag| {
            let tag = tag.trim();
            tag == "*" || Some(tag.strip_prefix("W/").unwrap_or(tag)) == current
        });
    }
    let since = request.get("if-modified-since").and_then(parse_http_date);
    let modified = headers.get("last-modified").and_then(parse_http_date);
    since.zip(modified).is_some_and(|(since, modified)| modified <= since)
}
