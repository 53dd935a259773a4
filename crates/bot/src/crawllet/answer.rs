//! How does a record of a crawllet look as an answer of the web?

use bytes::Bytes;
use lycosa_crawllet::cbor;
use lycosa_crawllet::record::{Kind, LinkOut, Record, Source};
use lycosa_model::Headers;
use lycosa_runtime::Answer;
use lycosa_store::archive::CRAWLLET;
use std::time::Duration;

/// The header by which such an answer is told from one of the site itself.
pub(crate) const MARK: &str = "X-Lycosa-Crawllet";

/// What a summary says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) title: String,
    pub(crate) text: String,
    pub(crate) language: String,
    pub(crate) description: String,
    pub(crate) robots: String,
}

impl Summary {
    /// Reads the body of a record that is no whole page.
    pub(crate) fn read(body: &[u8]) -> Option<Summary> {
        let fields = cbor::map(body).ok()?;
        let text = |key: u64| {
            let item = fields.get(key);
            item.and_then(|item| item.text().ok()).unwrap_or_default().to_owned()
        };
        // Without a text it is none.
        fields.get(2)?.text().ok()?;
        Some(Summary {
            title: text(1),
            text: text(2),
            language: text(3),
            description: text(6),
            robots: text(7),
        })
    }
}

/// Whether the site is not asked for this any more. What it refused or failed on at home is asked for from
/// here.
fn is_final(status: u16) -> bool {
    matches!(status, 200..=299 | 301..=303 | 307 | 308 | 404 | 410)
}

/// The answer that a record stands for; none when the site must be asked. `has_copy` says that `as before`
/// is a good answer.
pub(crate) fn answer(record: Record, has_copy: bool) -> Option<Answer> {
    let source = match record.source {
        Source::Http => "http",
        Source::File => "file",
    };
    let marked = |headers: &[(String, String)], kind: &str| {
        let mut all = Headers::default();
        for (name, value) in headers {
            all.push(name.clone(), value.clone());
        }
        all.push(MARK, format!("{kind}; source={source}"));
        all
    };
    match record.kind {
        Kind::Page if !is_final(record.status) => None,
        Kind::Page if record.is_whole() => {
            let headers = marked(&record.headers, "page");
            Some(made(record.status, headers, record.body.into()))
        }
        Kind::Page => {
            let summary = Summary::read(&record.body)?;
            let headers = marked(&as_html(&record.headers), "summary");
            Some(made(record.status, headers, page_of(&summary, &record)))
        }
        Kind::LinkOnly if (200..=299).contains(&record.status) => {
            let mut headers = marked(&as_html(&record.headers), "links");
            // Nobody has seen what the page says.
            headers.push("x-robots-tag", "noindex, noarchive");
            Some(made(record.status, headers, page_of(&Summary::default(), &record)))
        }
        Kind::LinkOnly if matches!(record.status, 301..=303 | 307 | 308) => {
            let headers = marked(&record.headers, "links");
            Some(made(record.status, headers, Bytes::new()))
        }
        Kind::LinkOnly => None,
        Kind::Gone => {
            let status = if record.status == 410 { 410 } else { 404 };
            Some(made(status, marked(&record.headers, "gone"), Bytes::new()))
        }
        Kind::Unchanged => {
            has_copy.then(|| made(304, marked(&record.headers, "unchanged"), Bytes::new()))
        }
    }
}

/// Whether the body of such an answer is not what the site would send.
pub(crate) fn is_made_up(answer: &Answer) -> bool {
    let mark = answer.headers.get(MARK).filter(|_| answer.version == CRAWLLET);
    mark.is_some_and(is_made_up_mark)
}

/// The same, by the header alone.
pub(crate) fn is_made_up_mark(mark: &str) -> bool {
    mark.starts_with("summary") || mark.starts_with("links")
}

fn made(status: u16, headers: Headers, body: Bytes) -> Answer {
    Answer {
        status,
        version: CRAWLLET,
        headers,
        body,
        ip: None,
        cut: false,
        took: Duration::ZERO,
        captured: true,
    }
}

/// The headers of a page that we write in place of another.
fn as_html(headers: &[(String, String)]) -> Vec<(String, String)> {
    let kept = headers.iter().filter(|(name, _)| {
        // They speak of the bytes that we do not have.
        !matches!(name.as_str(), "content-type" | "etag" | "last-modified")
    });
    let mut kept: Vec<_> = kept.cloned().collect();
    kept.push(("content-type".into(), "text/html; charset=utf-8".into()));
    kept
}

/// A small page that says what is known of another.
fn page_of(summary: &Summary, record: &Record) -> Bytes {
    let mut html = String::from("<!DOCTYPE html>\n<html");
    if !summary.language.is_empty() {
        html.push_str(&format!(" lang=\"{}\"", escaped(&summary.language)));
    }
    html.push_str(&format!("><head><title>{}</title>\n", escaped(&summary.title)));
    for (name, text) in [("description", &summary.description), ("robots", &summary.robots)] {
        if !text.is_empty() {
            html.push_str(&format!("<meta name=\"{name}\" content=\"{}\">\n", escaped(text)));
        }
    }
    html.push_str("</head><body><main>\n");
    for line in summary.text.lines().filter(|line| !line.trim().is_empty()) {
        html.push_str(&format!("<p>{}</p>\n", escaped(line)));
    }
    html.push_str("</main><nav>\n");
    let link = |link: &LinkOut| {
        format!("<a href=\"{}\">{}</a>\n", escaped(&link.url), escaped(&link.anchor))
    };
    html.extend(record.in_links.iter().chain(&record.out_links).map(link));
    html.push_str("</nav></body></html>\n");
    html.into()
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crawllet::tests::record;

    #[test]
    fn a_whole_page_is_answered_as_it_is_and_marked() {
        let mut page = record("/a", 200, b"<p>hello");
        page.headers = vec![("content-type".into(), "text/html".into())];
        let answer = answer(page, false).expect("an answer");
        assert_eq!((answer.status, &answer.body[..]), (200, &b"<p>hello"[..]));
        assert_eq!(answer.headers.get("content-type"), Some("text/html"));
        assert_eq!(answer.headers.get(MARK), Some("page; source=http"));
        assert!(!is_made_up(&answer));
        let mut moved = record("/a", 301, b"");
        moved.headers = vec![("location".into(), "/b".into())];
        let moved = super::answer(moved, false).expect("an answer");
        assert_eq!((moved.status, moved.headers.get("location")), (301, Some("/b")));
    }

    #[test]
    fn what_the_site_failed_on_at_home_is_asked_for_from_here() {
        for status in [401, 403, 429, 500, 503] {
            assert!(answer(record("/a", status, b"no"), false).is_none(), "{status}");
        }
        let mut altered = record("/a", 200, b"hello");
        altered.body = b"other".to_vec();
        assert!(answer(altered, false).is_none(), "neither the page nor a summary");
    }

    #[test]
    fn a_summary_becomes_a_small_page_that_says_so() {
        let mut to = cbor::Writer::new();
        to.map(3).uint(1).text("<T>").uint(2).text("one\n\ntwo & three").uint(3).text("en");
        let mut summary = record("/a", 200, b"the page itself");
        summary.body = to.finish();
        summary.headers = vec![("etag".into(), "\"x\"".into())];
        summary.in_links = vec![LinkOut { url: "/b?x=1&y".into(), anchor: "B".into() }];
        summary.out_links = vec![LinkOut { url: "http://c.test/".into(), anchor: String::new() }];
        let answer = answer(summary, false).expect("an answer");
        let html = String::from_utf8_lossy(&answer.body).into_owned();
        assert!(html.contains("<html lang=\"en\"><head><title>&lt;T&gt;</title>"), "{html}");
        assert!(html.contains("<p>one</p>\n<p>two &amp; three</p>"), "{html}");
        assert!(html.contains("<a href=\"/b?x=1&amp;y\">B</a>"), "{html}");
        assert!(html.contains("http://c.test/"), "{html}");
        assert_eq!(answer.headers.get("etag"), None, "it is that of another page");
        assert!(is_made_up(&answer));
    }

    #[test]
    fn links_without_a_page_are_followed_and_neither_kept_nor_found() {
        let mut links = record("/a", 200, b"");
        links.kind = Kind::LinkOnly;
        links.in_links = vec![LinkOut { url: "/b".into(), anchor: "B".into() }];
        let answer = answer(links, false).expect("an answer");
        assert_eq!(answer.headers.get("x-robots-tag"), Some("noindex, noarchive"));
        assert!(String::from_utf8_lossy(&answer.body).contains("href=\"/b\""));
    }

    #[test]
    fn gone_is_404_and_unchanged_is_304_only_where_there_is_a_copy() {
        let of = |kind, has_copy| {
            let record = Record { kind, ..record("/a", 200, b"") };
            answer(record, has_copy).map(|answer| answer.status)
        };
        assert_eq!(of(Kind::Gone, false), Some(404));
        assert_eq!(of(Kind::Unchanged, true), Some(304));
        assert_eq!(of(Kind::Unchanged, false), None);
    }
}
