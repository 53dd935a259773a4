//! Does the path of a rule match the path of a URL?
//!
//! Both are percent-encoded before they are compared, so that `/ツ` and `/%e3%83%84` are one path. How far
//! this goes differs by rule, and always to the site's advantage: an `Allow` matches octet by octet; a
//! `Disallow` matches also when the two differ only in encoding what needs no encoding (`%62` for `b`).

use crate::percent;
use std::borrow::Cow;

/// The path of a rule, with `*` for any text and `$` at the end for the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    length: usize,
    exact: Form,
    normal: Form,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Form {
    /// What stands between the wildcards; never empty.
    parts: Vec<String>,
    /// Whether the last part must reach the end of the path.
    anchored: bool,
}

/// The path of a URL, prepared for many comparisons.
pub(super) struct Target {
    exact: String,
    normal: String,
}

impl Pattern {
    pub(super) fn new(value: &[u8]) -> Pattern {
        let (body, anchored) = match value.strip_suffix(b"$") {
            Some(body) => (body, true),
            None => (value, false),
        };
        let body = encode(body, true);
        let form = |text: &str| Form { parts: text.split('*').map(literal).collect(), anchored };
        Pattern {
            length: body.len() + usize::from(anchored),
            exact: form(&body),
            normal: form(&percent::normalise(&body)),
        }
    }

    /// How specific the rule is: octets of the encoded path.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    pub(super) fn matches_exactly(&self, target: &Target) -> bool {
        self.exact.matches(&target.exact)
    }

    pub(super) fn matches_in_spirit(&self, target: &Target) -> bool {
        self.normal.matches(&target.normal) || self.exact.matches(&target.exact)
    }
}

impl Form {
    /// Each part at its first possible place: if any placing fits, this one does, so there is nothing to
    /// go back to and the time is linear in the path.
    fn matches(&self, path: &str) -> bool {
        let Some((first, rest)) = self.parts.split_first() else {
            return true;
        };
        let Some(mut left) = path.strip_prefix(first.as_str()) else {
            return false;
        };
        let Some((last, middle)) = rest.split_last() else {
            return !self.anchored || left.is_empty();
        };
        for part in middle {
            match left.find(part.as_str()) {
                Some(at) => left = &left[at + part.len()..],
                None => return false,
            }
        }
        if self.anchored { left.ends_with(last.as_str()) } else { left.contains(last.as_str()) }
    }
}

impl Target {
    pub(super) fn new(path: &str) -> Target {
        let exact = literal(&encode(path.as_bytes(), false)).replace('*', "%2A");
        let all = encode(path.as_bytes(), true);
        let normal = literal(&percent::normalise(&all)).replace('*', "%2A");
        Target { exact, normal }
    }
}

/// A `$` that is not at the end of a pattern is itself; it is compared in its encoded form, so that a
/// rule may also write it `%24`.
fn literal(text: &str) -> String {
    text.replace('$', "%24")
}

/// Triplets in upper case and, when `all` is asked, octets beyond ASCII as triplets.
fn encode(bytes: &[u8], all: bool) -> String {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if let Some(octet) = percent::triplet(&bytes[at..]) {
            percent::push_triplet(&mut out, octet);
            at += 3;
            continue;
        }
        if bytes[at].is_ascii() || !all {
            out.push(bytes[at]);
        } else {
            percent::push_triplet(&mut out, bytes[at]);
        }
        at += 1;
    }
    String::from_utf8(out).unwrap_or_default()
}

/// Path and query of an address, or of a path that is given alone; `/` when there is none.
pub(super) fn path_of(url: &str) -> Cow<'_, str> {
    let url = url.split_once('#').map_or(url, |(before, _)| before);
    if url.starts_with('/') && !url.starts_with("//") {
        return Cow::Borrowed(url);
    }
    let is_scheme = |text: &str| {
        text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
    };
    let authority = match url.split_once("//") {
        Some((before, rest)) if before.strip_suffix(':').is_some_and(is_scheme) => rest,
        Some(("", rest)) => rest,
        _ => url,
    };
    match authority.find(['/', '?', ';']) {
        None => Cow::Borrowed("/"),
        Some(at) if authority[at..].starts_with('/') => Cow::Borrowed(&authority[at..]),
        Some(at) => Cow::Owned(format!("/{}", &authority[at..])),
    }
}

/// The rule for the folder whose index page this rule names: `/a/index.html` gives `/a/$`.
pub(super) fn folder_of_index(value: &[u8]) -> Option<Vec<u8>> {
    let slash = value.iter().rposition(|byte| *byte == b'/')?;
    let page = &value[slash + 1..];
    matches!(page, b"index.html" | b"index.htm").then(|| [&value[..=slash], b"$"].concat())
}
