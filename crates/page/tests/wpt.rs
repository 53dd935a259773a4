//! Do links lead where browsers go? The URL tests of the Web Platform, as links of a page.

use lycosa_frontier::normal;
use lycosa_model::UrlId;
use lycosa_page::{Input, Limits, Reading, read};
use serde_json::Value;
use std::path::Path;

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/conformance/wpt-url");

/// Links of `urltestdata.json` that lead to the web, or nowhere, at least.
const AT_LEAST: usize = 350;

/// Queries of `percent-encoding.json`, at least.
const QUERIES: usize = 15;

#[allow(clippy::print_stderr, reason = "a skipped test must say so")]
fn cases(name: &str) -> Option<Vec<Value>> {
    let Ok(text) = std::fs::read(Path::new(CASES).join(name)) else {
        eprintln!("skipped: ../shared/conformance/wpt-url/{name} is not here");
        return None;
    };
    let cases: Vec<Value> = serde_json::from_slice(&text).expect("a list");
    Some(cases.into_iter().filter(Value::is_object).collect())
}

/// Where the only link of a page leads; without credentials, which nobody sends.
fn link(page: &str, href: &str, charset: &str) -> Option<String> {
    let ascii = |c: char| match c {
        '&' | '"' => format!("&#{};", u32::from(c)),
        c if c.is_ascii() || charset == "utf-8" => c.to_string(),
        c => format!("&#{};", u32::from(c)),
    };
    let href: String = href.chars().map(ascii).collect();
    let html = format!("<!doctype html><title>t</title><a href=\"{href}\">words</a>");
    let content_type = format!("text/html; charset={charset}");
    let input = Input {
        content_type: Some(&content_type),
        ..Input::new(UrlId::of(page), page, html.as_bytes())
    };
    let Reading::Document(document) = read(&input, &Limits::default()) else {
        panic!("no document: {href:?}");
    };
    let address = document.links.first().map(|link| normal::parse(&link.url));
    address.map(|address| address.expect("an address").request)
}

#[test]
fn links_lead_where_browsers_go() {
    let Some(cases) = cases("urltestdata.json") else {
        return;
    };
    let (mut asked, mut misses) = (0, Vec::new());
    for case in cases {
        let field = |name: &str| case[name].as_str();
        let href = field("input").expect("an input");
        // HTML does not let these through as they are, and a place on the same page is no link.
        if href.contains(['\0', '\r']) || href.starts_with('#') {
            continue;
        }
        let page = field("base").unwrap_or("about:blank");
        let leads = matches!(field("protocol"), Some("http:" | "https:"));
        let expected = field("href").filter(|_| leads);
        let expected = expected.map(|href| normal::parse(href).expect("an address").request);
        let found = link(page, href, "utf-8");
        asked += 1;
        if found != expected {
            misses.push(format!("{href:?} on {page}: {found:?} instead of {expected:?}"));
        }
    }
    assert!(asked >= AT_LEAST, "only {asked} links");
    assert!(misses.is_empty(), "{} of {asked}:\n{}", misses.len(), misses.join("\n"));
}

#[test]
fn queries_are_written_in_the_encoding_of_their_page() {
    let Some(cases) = cases("percent-encoding.json") else {
        return;
    };
    let mut asked = 0;
    for case in cases {
        let input = case["input"].as_str().expect("an input");
        for (charset, expected) in case["output"].as_object().expect("encodings") {
            let found =
                link("http://a.test/", &format!("https://b.test/?{input}#{input}"), charset);
            let query = found.as_deref().and_then(|url| url.strip_prefix("https://b.test/?"));
            assert_eq!(query, expected.as_str(), "{input:?} in {charset}");
            asked += 1;
        }
    }
    assert!(asked >= QUERIES, "only {asked} queries");
}
