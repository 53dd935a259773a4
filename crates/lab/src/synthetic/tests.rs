//! The web keeps its promises.

mod content;
mod crawl;
mod served;

use super::*;
use std::collections::{BTreeSet, VecDeque};

pub(super) fn demo() -> SyntheticWeb {
    SyntheticWeb::new(7, Shape::demo(), Naming::plain())
}

/// The answer at an address.
pub(super) fn get(web: &SyntheticWeb, url: &str) -> Response {
    let (site, path) = web.locate(url).unwrap_or_else(|| panic!("not ours: {url}"));
    web.page(site, path)
}

/// The body as text, decompressed and decoded as the page declares.
pub(super) fn text(response: &Response) -> String {
    let mut body = response.body.to_vec();
    if response.headers.get("content-encoding") == Some("gzip") {
        let mut plain = Vec::new();
        let mut gzip = flate2::read::GzDecoder::new(&body[..]);
        std::io::Read::read_to_end(&mut gzip, &mut plain).expect("whole gzip");
        body = plain;
    }
    let header = response.headers.get("content-type").unwrap_or_default();
    let head = String::from_utf8_lossy(&body[..body.len().min(300)]).to_ascii_lowercase();
    let label = header
        .split_once("charset=")
        .map(|(_, label)| label.to_owned())
        .or_else(|| {
            let (_, rest) = head.split_once("charset=\"")?;
            rest.split('"').next().map(str::to_owned)
        })
        .unwrap_or_default();
    let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).expect("a known encoding");
    let (text, _, faulty) = encoding.decode(&body);
    assert!(!faulty, "the body is {label}");
    text.into_owned()
}

/// Targets of the links of a page, resolved, with their `rel`: just enough of a scanner for our pages.
pub(super) fn links(base: &str, html: &str) -> Vec<(String, bool)> {
    let base = url::Url::parse(base).expect("base");
    let lower = html.to_ascii_lowercase();
    let mut found = Vec::new();
    for (at, _) in lower.match_indices("<a ") {
        let end = at + lower[at..].find('>').expect("a whole tag");
        let tag = &html[at..end];
        let Some(href) = tag.to_ascii_lowercase().find("href=") else {
            continue;
        };
        let value = &tag[href + 5..];
        let value = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => value[1..].split(quote).next().unwrap_or_default(),
            _ => value.split(' ').next().unwrap_or_default(),
        };
        let target = base.join(&value.replace("&amp;", "&")).expect("a target");
        found.push((target.into(), tag.contains("nofollow")));
    }
    found
}

/// What a polite crawl sees.
#[derive(Default)]
pub(super) struct Crawled {
    pub(super) fetched: BTreeSet<String>,
    pub(super) disallowed: BTreeSet<String>,
    pub(super) missing: BTreeSet<String>,
    pub(super) failing: BTreeSet<String>,
    pub(super) redirects: BTreeSet<(String, String)>,
    pub(super) nofollow: BTreeSet<String>,
}

/// Crawls the whole web from these addresses, breadth first.
pub(super) fn crawl(web: &SyntheticWeb, seeds: &[String]) -> Crawled {
    let mut crawled = Crawled::default();
    let mut seen: BTreeSet<String> = seeds.iter().cloned().collect();
    let mut queue: VecDeque<String> = seeds.iter().cloned().collect();
    while let Some(url) = queue.pop_front() {
        if url.contains("/private/") {
            crawled.disallowed.insert(url);
            continue;
        }
        let response = get(web, &url);
        let mut targets = Vec::new();
        match response.status {
            200 => {
                for (target, nofollow) in links(&url, &text(&response)) {
                    if nofollow {
                        crawled.nofollow.insert(target);
                    } else {
                        targets.push(target);
                    }
                }
                crawled.fetched.insert(url);
            }
            301 | 302 => {
                let location = response.headers.get("location").expect("Location");
                targets.push(location.to_owned());
                crawled.redirects.insert((url, location.to_owned()));
            }
            404 => drop(crawled.missing.insert(url)),
            500 => drop(crawled.failing.insert(url)),
            other => panic!("{url} answered {other}"),
        }
        for target in targets {
            if seen.insert(target.clone()) {
                queue.push_back(target);
            }
        }
    }
    crawled
}
