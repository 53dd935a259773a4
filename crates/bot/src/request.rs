//! What does a bot say to a web server?

use lycosa_frontier::{normal, robots, whatwg};
use lycosa_model::{Headers, Previous, Tick};
use std::time::Duration;

/// Longest time that a server may ask us to stay away.
const MAX_RETRY_AFTER: u64 = 24 * 60 * 60;

/// Headers of a request; conditional when an earlier copy is known.
pub(crate) fn headers(user_agent: &str, previous: Option<&Previous>) -> Headers {
    let mut headers = Headers::default();
    headers.push("User-Agent", user_agent.to_owned());
    headers.push("Accept", "text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.5");
    headers.push("Accept-Encoding", "gzip, br, zstd, deflate");
    if let Some(previous) = previous {
        if let Some(etag) = &previous.etag {
            headers.push("If-None-Match", etag.clone());
        }
        if let Some(date) = &previous.last_modified {
            headers.push("If-Modified-Since", date.clone());
        }
    }
    headers
}

/// Headers of a request that a page makes: ours, but for what it accepts.
pub(crate) fn part_headers(user_agent: &str, accept: Option<String>) -> Headers {
    let mut headers = headers(user_agent, None);
    if let Some(accept) = accept {
        headers.0.retain(|header| header.name != "Accept");
        headers.push("Accept", accept.replace(['\r', '\n', '\0'], " "));
    }
    headers
}

/// The request as it stands in the archive.
pub(crate) fn head(url: &str, headers: &Headers) -> Vec<u8> {
    let Ok(url) = whatwg::read(None, None, url) else {
        return Vec::new();
    };
    let mut head = format!("GET {}", url.path()).into_bytes();
    if let Some(query) = url.query() {
        head.extend_from_slice(format!("?{query}").as_bytes());
    }
    let host = whatwg::host(&url).unwrap_or_default();
    let host = url.port().map_or_else(|| host.to_string(), |port| format!("{host}:{port}"));
    head.extend_from_slice(format!(" HTTP/1.1\r\nHost: {host}\r\n").as_bytes());
    for header in &headers.0 {
        head.extend_from_slice(header.name.as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(&header.value);
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
    head
}

/// Longest media type that is told; longer ones are nonsense.
const MAX_MEDIA: usize = 64;

/// The media type that the answer claims: in lower case, without parameters.
pub(crate) fn media(headers: &Headers) -> Option<String> {
    let essence = headers.get("content-type")?.split(';').next()?.trim();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/+-._".contains(&byte);
    let sound = essence.contains('/') && essence.len() <= MAX_MEDIA && essence.bytes().all(plain);
    sound.then(|| essence.to_ascii_lowercase())
}

/// Seconds that `Retry-After` asks for; `now` is needed for its date form.
pub(crate) fn retry_after(headers: &Headers, now: Duration) -> Option<u64> {
    let text = headers.get("retry-after")?.trim();
    let seconds = match text.parse::<u64>() {
        Ok(seconds) => seconds,
        Err(_) => http_date(text)?.saturating_sub(now.as_secs()),
    };
    Some(seconds.min(MAX_RETRY_AFTER))
}

/// When the server says that the page changed last.
pub(crate) fn modified(headers: &Headers) -> Option<Tick> {
    let seconds = http_date(headers.get("last-modified")?.trim())?;
    Some(Tick(seconds.saturating_mul(1000)))
}

/// Whether the answer is a feed, by its type.
pub(crate) fn is_feed(headers: &Headers) -> bool {
    let kind = headers.get("content-type").unwrap_or_default().to_ascii_lowercase();
    ["rss+xml", "atom+xml", "feed+json", "rdf+xml"].iter().any(|known| kind.contains(known))
}

/// Where the answer says that crawllets may be sent to its site: a path there.
pub fn crawllet_path(url: &str, headers: &Headers) -> Option<String> {
    let target = lycosa_page::header_link(headers, "crawllet")?;
    let page = normal::parse(url).ok()?;
    let address = normal::resolve(url, target).ok().filter(|address| address.site == page.site)?;
    let path = address.path_and_query();
    robots::is_crawllet_path(path).then(|| path.to_owned())
}

/// Seconds since the epoch of an HTTP date (RFC 9110: `Sun, 06 Nov 1994 08:49:37 GMT`).
fn http_date(text: &str) -> Option<u64> {
    let time = jiff::fmt::rfc2822::parse(text).ok()?;
    u64::try_from(time.timestamp().as_second()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_copy_makes_the_request_conditional() {
        let previous = Previous { etag: Some("\"x\"".into()), ..Previous::default() };
        let headers = headers("lycosa/0.1", Some(&previous));
        assert_eq!(headers.get("if-none-match"), Some("\"x\""));
        assert_eq!(headers.get("if-modified-since"), None);
        let head = String::from_utf8(head("http://a.test:81/x?y=1", &headers)).expect("text");
        assert!(
            head.starts_with("GET /x?y=1 HTTP/1.1\r\nHost: a.test:81\r\nUser-Agent: lycosa/0.1")
        );
        assert!(head.ends_with("\r\n\r\n"));
        let odd = super::head("http://xn--a:81/x", &Headers::default());
        assert_eq!(odd, b"GET /x HTTP/1.1\r\nHost: xn--a:81\r\n\r\n");
    }

    #[test]
    fn a_page_may_say_where_crawllets_are_taken_on_its_own_site() {
        let told = |value: &'static str| {
            let mut headers = Headers::default();
            headers.push("Link", "</style.css>; rel=preload");
            headers.push("Link", value);
            crawllet_path("http://a.test/x/y", &headers)
        };
        let path = Some("/.well-known/crawllet".to_owned());
        assert_eq!(told("</.well-known/crawllet>; rel=\"crawllet\""), path);
        assert_eq!(told("<../.well-known/crawllet>; rel=\"next CRAWLLET\""), path);
        assert_eq!(told("<http://a.test/here?x=1>; rel=crawllet").as_deref(), Some("/here?x=1"));
        assert_eq!(told("<http://b.test/here>; rel=crawllet"), None, "another site");
        assert_eq!(told("<//b.test/here>; rel=crawllet"), None);
        assert_eq!(told("</here>; rel=crawllets"), None);
        assert_eq!(told("</here>; rel=crawllet; anchor=\"/other\""), None, "of another page");
        let long: &'static str = format!("</{}>; rel=crawllet", "x".repeat(5_000)).leak();
        assert_eq!(told(long), None);
    }

    #[test]
    fn a_media_type_is_told_without_its_parameters_unless_it_is_nonsense() {
        let told = |value: &'static str| {
            let mut headers = Headers::default();
            headers.push("Content-Type", value);
            media(&headers)
        };
        assert_eq!(told("Text/HTML; charset=utf-8").as_deref(), Some("text/html"));
        assert_eq!(told("image/svg+xml").as_deref(), Some("image/svg+xml"));
        assert_eq!(told("html"), None);
        assert_eq!(told("text/<b>"), None);
        assert_eq!(media(&Headers::default()), None);
    }

    #[test]
    fn retry_after_is_read_in_both_forms_and_bounded() {
        let ask = |value: &'static str, now| {
            let mut headers = Headers::default();
            headers.push("Retry-After", value);
            retry_after(&headers, Duration::from_secs(now))
        };
        assert_eq!(ask("120", 0), Some(120));
        assert_eq!(ask("999999999", 0), Some(MAX_RETRY_AFTER));
        assert_eq!(ask("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_717), Some(60));
        assert_eq!(ask("Sun, 06 Nov 1994 08:49:37 GMT", 999_999_999), Some(0));
        assert_eq!(ask("soon", 0), None);
        assert_eq!(retry_after(&Headers::default(), Duration::ZERO), None);
    }
}
