//! What becomes of a request that a page makes? Pure.

use lycosa_model::{Headers, LinkKind};
use serde_json::{Value, json};

/// Headers that belong to the connection or to what we do not do (cookies, upgrades, downloads,
/// reports): the browser does not get them. The body it gets is decoded.
const WITHHELD: [&str; 16] = [
    "alt-svc",
    "clear-site-data",
    "connection",
    "content-disposition",
    "content-encoding",
    "content-length",
    "keep-alive",
    "link",
    "nel",
    "refresh",
    "report-to",
    "reporting-endpoints",
    "set-cookie",
    "strict-transport-security",
    "transfer-encoding",
    "upgrade",
];

/// A request that the browser holds until it is told what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Paused {
    /// The browser's name for it.
    pub(super) id: String,
    pub(super) url: String,
    pub(super) method: String,
    /// What the browser wants it for.
    pub(super) purpose: String,
    pub(super) frame: String,
    pub(super) accept: Option<String>,
}

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It leads elsewhere: it is noted and not made.
    Note(LinkKind),
    /// It is made through our own fetcher, and noted.
    Fetch,
    /// It is neither made nor noted.
    Drop,
}

impl Paused {
    /// Reads the event `Fetch.requestPaused`.
    pub(super) fn of(params: &Value) -> Option<Paused> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let request = &params["request"];
        let headers = request["headers"].as_object();
        let accept = headers.and_then(|headers| {
            let mut lines = headers.iter();
            lines
                .find(|(name, _)| name.eq_ignore_ascii_case("accept"))
                .map(|(_, value)| text(value))
        });
        Some(Paused {
            id: params["requestId"].as_str()?.to_owned(),
            url: request["url"].as_str()?.to_owned(),
            method: text(&request["method"]),
            purpose: text(&params["resourceType"]),
            frame: text(&params["frameId"]),
            accept,
        })
    }

    /// Whether it would replace the page.
    pub(super) fn is_navigation(&self, main_frame: &str) -> bool {
        self.purpose == "Document" && self.frame == main_frame
    }

    /// Scripts, styles and data are what a page needs to become itself. Frames are pages of their own.
    /// Only GET leaves the house: a page that is looked at must not change anything.
    pub(super) fn verdict(&self, main_frame: &str) -> Verdict {
        if !is_web(&self.url) {
            return Verdict::Drop;
        }
        match self.purpose.as_str() {
            "Document" if self.frame == main_frame => Verdict::Note(LinkKind::Script),
            "Document" => Verdict::Note(LinkKind::Frame),
            "Script" | "Stylesheet" | "XHR" | "Fetch" if self.method == "GET" => Verdict::Fetch,
            // The browser's own wish for an icon is none of the page.
            "Other" if self.url.ends_with("/favicon.ico") => Verdict::Drop,
            "Preflight" => Verdict::Drop,
            _ => Verdict::Note(LinkKind::Resource),
        }
    }
}

/// Whether an address is of the web.
pub(super) fn is_web(url: &str) -> bool {
    url.starts_with("http://") || url.starts_with("https://")
}

/// Headers as the browser gets them.
pub(super) fn shown(headers: &Headers) -> Vec<Value> {
    let shown = headers.0.iter().filter(|header| {
        !WITHHELD.iter().any(|withheld| header.name.eq_ignore_ascii_case(withheld))
    });
    shown
        .map(|header| {
            // Bytes of headers are read as Latin-1, as browsers do.
            let value: String = header.value.iter().map(|byte| char::from(*byte)).collect();
            json!({ "name": header.name, "value": value })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paused(method: &str, url: &str, purpose: &str, frame: &str) -> Paused {
        let event = json!({
            "requestId": "1",
            "frameId": frame,
            "resourceType": purpose,
            "request": { "url": url, "method": method, "headers": { "accept": "text/x" } },
        });
        Paused::of(&event).expect("a request")
    }

    #[test]
    fn scripts_styles_and_data_are_fetched_and_nothing_else() {
        let verdict = |method: &str, purpose: &str| {
            paused(method, "http://a.test/x", purpose, "main").verdict("main")
        };
        for purpose in ["Script", "Stylesheet", "XHR", "Fetch"] {
            assert_eq!(verdict("GET", purpose), Verdict::Fetch, "{purpose}");
            for method in ["POST", "PUT", "DELETE", "HEAD"] {
                assert_eq!(verdict(method, purpose), Verdict::Note(LinkKind::Resource));
            }
        }
        for purpose in ["Image", "Media", "Font", "Ping", "EventSource", "Prefetch", "new"] {
            assert_eq!(verdict("GET", purpose), Verdict::Note(LinkKind::Resource), "{purpose}");
        }
        assert_eq!(verdict("OPTIONS", "Preflight"), Verdict::Drop);
    }

    #[test]
    fn navigations_lead_elsewhere_and_are_not_made() {
        let verdict =
            |frame: &str, url: &str| paused("GET", url, "Document", frame).verdict("main");
        assert_eq!(verdict("main", "http://a.test/"), Verdict::Note(LinkKind::Script));
        assert_eq!(verdict("other", "https://a.test/"), Verdict::Note(LinkKind::Frame));
        for url in ["file:///etc/passwd", "chrome://version", "ftp://a.test/", "about:blank"] {
            assert_eq!(verdict("main", url), Verdict::Drop, "{url}");
        }
        assert_eq!(
            paused("GET", "http://a.test/", "XHR", "main").accept.as_deref(),
            Some("text/x")
        );
    }

    #[test]
    fn the_browser_gets_no_cookies_no_codings_and_no_downloads() {
        let mut headers = Headers::default();
        headers.push("Content-Type", "text/html");
        headers.push("Set-Cookie", "a=1");
        headers.push("content-ENCODING", "gzip");
        headers.push("Content-Disposition", "attachment");
        headers.push("X-Name", &b"caf\xe9"[..]);
        let expected = [
            json!({ "name": "Content-Type", "value": "text/html" }),
            json!({ "name": "X-Name", "value": "café" }),
        ];
        assert_eq!(shown(&headers), expected);
    }
}
