//! What is an address that needs no parser?
//!
//! Nearly every link is a path of plain letters, relative to its page or to the top of its site, or an
//! address of a host in plain lower case. What the URL standard makes of such a text is plain to see,
//! and told here without the full parser: [`Base::join`] puts a link together from pieces of its base,
//! and [`split`] tells that an address is already what the parser would write. Whatever is not so plain
//! is left to the parser; the tests hold the two against each other.

use crate::whatwg;
use lycosa_model::Site;
use std::net::Ipv4Addr;
use std::ops::Range;
use url::Url;

/// The address against which a page's links are resolved.
#[derive(Clone, Debug)]
pub struct Base {
    /// Scheme and authority, as in `http://example.org:8080`.
    origin: String,
    /// The scheme with its colon.
    scheme: &'static str,
    /// The path up to its last slash.
    folder: String,
}

/// Bytes that the standard leaves as they are in paths and queries, and that mean nothing special.
const fn is_plain(byte: u8) -> bool {
    matches!(
        byte,
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' | b'!' | b'$' | b'('
            | b')' | b'*' | b'+' | b',' | b';' | b'=' | b'@' | b'&'
    )
}

const PLAIN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = is_plain(byte as u8);
        byte += 1;
    }
    table
};

fn all_plain(text: &[u8]) -> bool {
    text.iter().all(|byte| PLAIN[usize::from(*byte)])
}

impl Base {
    /// `None` for an address that is not http(s). The address is one from [`whatwg::read`].
    pub fn of(url: &Url) -> Option<Base> {
        let scheme = match url.scheme() {
            "http" => "http:",
            "https" => "https:",
            _ => return None,
        };
        let path = url.path();
        let folder = path[..path.rfind('/')? + 1].to_owned();
        Some(Base { origin: whatwg::origin(url).into_owned(), scheme, folder })
    }

    /// Writes where `href` leads, without its fragment, replacing what is in `out`. False when only the
    /// full parser can tell; `out` is then of no use.
    pub fn join(&self, href: &str, out: &mut String) -> bool {
        out.clear();
        let href = href.split_once('#').map_or(href, |(before, _)| before);
        let (path, query) = match href.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (href, None),
        };
        let path = match path.split_once("//") {
            Some((scheme @ ("http:" | "https:"), rest)) => match self.host(scheme, rest, out) {
                Some(path) => path,
                None => return false,
            },
            // Two slashes in a path are what they are; in front they begin a host.
            Some(("", _)) => return false,
            _ => match self.relative(path, out) {
                Some(path) => path,
                None => return false,
            },
        };
        if !all_plain(path.as_bytes()) || has_dots(path) {
            return false;
        }
        out.push_str(path);
        if let Some(query) = query {
            if !all_plain(query.as_bytes()) {
                return false;
            }
            out.push('?');
            out.push_str(query);
        }
        true
    }

    /// Writes the folder that a relative address begins at; gives what is left of it.
    fn relative<'h>(&self, path: &'h str, out: &mut String) -> Option<&'h str> {
        out.push_str(&self.origin);
        if path.starts_with('/') {
            return Some(path);
        }
        // Without a path the base's own file is meant, which is not kept here.
        if path.is_empty() {
            return None;
        }
        let (mut folder, mut rest) = (self.folder.as_str(), path);
        loop {
            if let Some(below) = rest.strip_prefix("../") {
                let above = &folder[..folder.len() - 1];
                folder = &folder[..above.rfind('/').map_or(1, |slash| slash + 1)];
                rest = below;
            } else if let Some(here) = rest.strip_prefix("./") {
                rest = here;
            } else {
                break;
            }
        }
        // A slash now would follow the one of the folder.
        if rest.starts_with('/') {
            return None;
        }
        out.push_str(folder);
        Some(rest)
    }

    /// Writes scheme and host of an absolute address; gives its path.
    fn host<'h>(&self, scheme: &str, rest: &'h str, out: &mut String) -> Option<&'h str> {
        let at = rest.find('/')?;
        let (host, path) = rest.split_at(at);
        let own = self.scheme == scheme && self.origin.get(scheme.len() + 2..) == Some(host);
        if !own && !is_usual_host(host) {
            return None;
        }
        out.push_str(scheme);
        out.push_str("//");
        out.push_str(host);
        Some(path)
    }
}

/// Where the path of an address begins and ends that is already in its request form and in its normal
/// form: what the parser would write, without fragment, credentials and percent-encoding. `None` when
/// only the parser can tell. An address on the site `near` begins as it should.
pub(crate) fn split(text: &str, near: Option<&Site>) -> Option<Range<usize>> {
    let at = match near.and_then(|site| text.strip_prefix(site.as_str())) {
        Some(rest) if rest.starts_with('/') => text.len() - rest.len(),
        _ => path_at(text)?,
    };
    let path = &text.as_bytes()[at..];
    let mut before = 0;
    let mut end = path.len();
    for (place, &byte) in path.iter().enumerate() {
        if byte == b'?' {
            end = place;
            break;
        }
        // A segment that begins with a dot may be more than a name.
        if !PLAIN[usize::from(byte)] || (byte == b'.' && before == b'/') {
            return None;
        }
        before = byte;
    }
    let query = path.get(end + 1..);
    let usual = query.is_none_or(|query| !query.is_empty() && all_plain(query));
    usual.then_some(at..at + end)
}

/// Where the path begins, behind a scheme and an authority as they should be.
fn path_at(text: &str) -> Option<usize> {
    let scheme = if text.starts_with("http://") { "http" } else { "https" };
    let rest = text.strip_prefix(scheme)?.strip_prefix("://")?;
    let at = text.len() - rest.len() + rest.find('/')?;
    is_usual_authority(scheme, &text[text.len() - rest.len()..at]).then_some(at)
}

/// A host that the standard leaves as it is, perhaps with a port that is not the usual one.
fn is_usual_authority(scheme: &str, authority: &str) -> bool {
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    let usual_port = if scheme == "http" { 80 } else { 443 };
    let port_is_fine = port.is_none_or(|port| {
        !port.starts_with(['0', '+']) && port.parse().is_ok_and(|port: u16| port != usual_port)
    });
    port_is_fine && (is_usual_host(host) || host.parse::<Ipv4Addr>().is_ok())
}

/// A host that the standard leaves as it is: labels of lower-case letters, digits and hyphens, none in
/// Punycode, the last of which begins with a letter, so that it is no number.
fn is_usual_host(host: &str) -> bool {
    let fine = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    host.split('.')
        .all(|label| !label.is_empty() && label.bytes().all(fine) && label.get(2..4) != Some("--"))
        && host
            .rsplit('.')
            .next()
            .is_some_and(|label| label.starts_with(|c: char| c.is_ascii_lowercase()))
}

/// Whether a segment of the path begins with a dot, and so may be more than a name.
fn has_dots(path: &str) -> bool {
    path.starts_with('.') || path.contains("/.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Nothing but the parser.
    fn full(base: &Url, href: &str) -> Option<String> {
        let mut url = base.join(href).ok()?;
        url.set_fragment(None);
        Some(url.into())
    }

    fn check(base: &str, href: &str) -> bool {
        let base = Url::parse(base).expect("a base");
        let mut out = String::new();
        let taken = Base::of(&base).is_some_and(|base| base.join(href, &mut out));
        if taken {
            assert_eq!(Some(out), full(&base, href), "{href:?} on {base}");
        }
        taken
    }

    #[test]
    fn usual_links_need_no_parser() {
        let base = "http://example.org:8080/a/b/c.html?q#f";
        for href in [
            "d.html",
            "d.html#x",
            "./d",
            "../d/e.html?x=1&y=2",
            "../../../d",
            "/",
            "/d/e/",
            "d/",
            "../",
            "http://example.org:8080/x",
            "https://www.other.example/x/y.html#z",
            "a//b",
        ] {
            assert!(check(base, href), "{href}");
        }
    }

    #[test]
    fn what_is_odd_is_left_to_the_parser() {
        let base = "https://example.org/a/b/c.html";
        for href in [
            "",
            "?q",
            "//host/x",
            "mailto:x",
            "a:b",
            "a b",
            "ü",
            "a\\b",
            "..",
            ".",
            "d/../e",
            "d/.",
            "%2e/",
            "http://EXAMPLE.org/",
            "http://1.2/x",
            "http://xn--a/x",
            "http://a@b/x",
            "http://h:1/x",
            "http:/x",
            "https:x",
            "https:///x",
            "x'",
            "?'",
            ".//x",
            "http://a..b/x",
            "a\tb",
            " a",
        ] {
            assert!(!check(base, href), "{href}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn what_is_taken_is_what_the_parser_says(
            base in "(http|https)://(ex[.]org|a@h:81|[0-9.]{1,8}|xn--a[.]b|h-.c)(/|/a/|/a//b|/a/%2e/c[?]d)?",
            href in "(https?:|//|[.]{1,2}/|/|[?#:@%&'()a-bA-B0-1;=, é\\\\.-]|ex[.]org|xn--){0,10}",
        ) {
            if Url::parse(&base).is_ok() {
                check(&base, &href);
            }
        }
    }
}
