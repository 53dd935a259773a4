//! Where does an address lead, and when are two addresses one?
//!
//! The WHATWG standard as far as http(s) goes, without fragments and credentials. A host that is not
//! all ASCII is left as written: only the engine can tell its Punycode, so links to it
//! count as links to another site. IPv4 addresses in odd spellings stay odd for the same reason.

use crate::charset::{self, Charset};
use std::borrow::Cow;

/// An http(s) address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    is_https: bool,
    host: String,
    /// `None` for the usual one.
    port: Option<u16>,
    /// Begins with a slash.
    path: String,
    query: Option<String>,
}

/// Which bytes mean nothing but themselves wherever they stand in a path.
const NAMES: [bool; 256] = {
    let mut names = [false; 256];
    let signs = b"-_~+,=@!$()*;&";
    let mut at = 0;
    while at < names.len() {
        names[at] = (at as u8).is_ascii_alphanumeric();
        at += 1;
    }
    at = 0;
    while at < signs.len() {
        names[signs[at] as usize] = true;
        at += 1;
    }
    names
};

impl Url {
    /// Reads an absolute address.
    pub fn parse(text: &str) -> Option<Url> {
        let text = cleaned(text);
        let (is_https, rest) = scheme(&text)?.ok()?;
        authority(is_https, rest, None)
    }

    /// Where a link on this page leads; `None` when it leads to no http(s) address. `query`: how its
    /// query is encoded.
    pub fn join(&self, href: &str, query: Option<Charset>) -> Option<Url> {
        let text = cleaned(href);
        let rest = match scheme(&text) {
            Some(Ok((is_https, rest))) => {
                if is_https != self.is_https || rest.starts_with("//") {
                    return authority(is_https, rest, query);
                }
                rest
            }
            Some(Err(Foreign)) => return None,
            None => &text,
        };
        let is_slash = |at: usize| matches!(rest.as_bytes().get(at), Some(b'/' | b'\\'));
        if is_slash(0) && is_slash(1) {
            return authority(self.is_https, rest, query);
        }
        let (path, own_query) = split_query(rest);
        let mut url =
            Url { query: own_query.map(|text| encode_query(text, query)), ..self.clone() };
        if path.is_empty() {
            if own_query.is_none() {
                url.query = self.query.clone();
            }
        } else if is_slash(0) {
            url.path = resolved("", path);
        } else {
            let folder = self.path.rfind('/').map_or("", |slash| &self.path[..slash]);
            url.path = resolved(folder, path);
        }
        Some(url)
    }

    /// Where a link leads that is nothing but a path of plain letters, as nearly all are: to the path that
    /// is told, on the same site. `None` when [`join`](Self::join) has to look.
    pub fn plain(&self, href: &str) -> Option<String> {
        let href = &href[..href.find('#').unwrap_or(href.len())];
        let mut folder = &self.path[..self.path.rfind('/').map_or(0, |slash| slash + 1)];
        let mut rest = href;
        if rest.starts_with('/') {
            folder = "";
        } else {
            while let Some(below) = rest.strip_prefix("../") {
                let above = folder.strip_suffix('/').unwrap_or("");
                folder = &folder[..above.rfind('/').map_or(1, |slash| slash + 1)];
                rest = below;
            }
        }
        // Dots and slashes mean more than a name where a segment begins.
        let mut before = b'/';
        for (at, byte) in rest.bytes().enumerate() {
            let is_name = NAMES[usize::from(byte)];
            let in_place = before != b'/' && matches!(byte, b'.' | b'/');
            let is_root = at == 0 && byte == b'/' && folder.is_empty();
            if !(is_name || in_place || is_root) {
                return None;
            }
            before = byte;
        }
        if rest.is_empty() {
            return None;
        }
        let mut path = String::with_capacity(folder.len() + rest.len());
        path.push_str(folder);
        path.push_str(rest);
        Some(path)
    }

    /// Path and query, as they are requested.
    pub fn path_and_query(&self) -> String {
        let mut out = self.path.clone();
        if let Some(query) = &self.query {
            out.push('?');
            out.push_str(query);
        }
        out
    }

    /// The whole address, as it is requested.
    pub fn written(&self) -> String {
        let mut out = String::from(if self.is_https { "https://" } else { "http://" });
        out.push_str(&self.host);
        if let Some(port) = self.port {
            out.push(':');
            out.push_str(&port.to_string());
        }
        out.push_str(&self.path_and_query());
        out
    }

    /// Whether both are on one site: scheme, host and port.
    pub fn same_site(&self, other: &Url) -> bool {
        let host = |url: &'_ Url| url.host.trim_end_matches('.').len();
        self.is_https == other.is_https
            && self.port == other.port
            && self.host[..host(self)] == other.host[..host(other)]
    }
}

/// Without white space at its ends, line breaks and tabs anywhere, and the fragment.
fn cleaned(text: &str) -> String {
    let text = text.trim_matches(|c: char| c <= ' ');
    let text = text.split('#').next().unwrap_or("");
    text.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect()
}

/// A scheme that is not ours.
struct Foreign;

/// Whether it is https, and the rest; `None` for a relative address.
fn scheme(text: &str) -> Option<Result<(bool, &str), Foreign>> {
    let (scheme, rest) = text.split_once(':')?;
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    if !scheme.starts_with(|c: char| c.is_ascii_alphabetic()) || !scheme.bytes().all(is_part) {
        return None;
    }
    Some(if scheme.eq_ignore_ascii_case("http") {
        Ok((false, rest))
    } else if scheme.eq_ignore_ascii_case("https") {
        Ok((true, rest))
    } else {
        Err(Foreign)
    })
}

fn split_query(text: &str) -> (&str, Option<&str>) {
    match text.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (text, None),
    }
}

/// An address from behind its scheme on, whatever the number of slashes.
fn authority(is_https: bool, text: &str, charset: Option<Charset>) -> Option<Url> {
    let text = text.trim_start_matches(['/', '\\']);
    let end = text.find(['/', '\\', '?']).unwrap_or(text.len());
    let (authority, rest) = text.split_at(end);
    let authority = authority.rsplit('@').next()?;
    // A colon inside brackets belongs to the number of a machine.
    let from = authority.rfind(']').map_or(0, |at| at + 1);
    let (host, port) = match authority[from..].find(':') {
        Some(at) => (&authority[..from + at], &authority[from + at + 1..]),
        None => (authority, ""),
    };
    let port = match port {
        "" => None,
        digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            let digits = digits.trim_start_matches('0');
            Some(if digits.is_empty() { 0 } else { digits.parse().ok()? })
        }
        _ => return None,
    };
    let usual = if is_https { 443 } else { 80 };
    let (path, query) = split_query(rest);
    Some(Url {
        is_https,
        host: host_of(host)?,
        port: port.filter(|port| *port != usual),
        path: resolved("", path),
        query: query.map(|query| encode_query(query, charset)),
    })
}

/// A host in lower case; `None` when it has what no host may have.
fn host_of(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some(first) = rest.first() {
        let octet = triplet(rest);
        rest = &rest[if octet.is_some() { 3 } else { 1 }..];
        bytes.push(octet.unwrap_or(*first));
    }
    let host = String::from_utf8(bytes).ok()?.to_ascii_lowercase();
    let name = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let forbidden = |byte: u8| byte <= b' ' || byte == 0x7f || b"#/:<>?@[\\]^|%".contains(&byte);
    let is_number = |byte: u8| byte.is_ascii_hexdigit() || byte == b':' || byte == b'.';
    let fine = match name {
        Some(number) => number.bytes().all(is_number),
        None => !host.bytes().any(forbidden),
    };
    Some(host).filter(|host| fine && !host.is_empty())
}

/// A path from a folder (which ends without its slash) and what is relative to it.
fn resolved(folder: &str, path: &str) -> String {
    let mut out = String::from(folder);
    let mut rest = match (folder, path.strip_prefix(|c| matches!(c, '/' | '\\'))) {
        ("", Some(rest)) => rest,
        _ => path,
    };
    loop {
        let (segment, after) = match rest.find(['/', '\\']) {
            Some(at) => (&rest[..at], Some(&rest[at + 1..])),
            None => (rest, None),
        };
        match dots(segment) {
            0 => {
                out.push('/');
                encode(segment.as_bytes(), is_plain_in_path, &mut out);
            }
            count => {
                if count == 2 {
                    out.truncate(out.rfind('/').unwrap_or(0));
                }
                // At the end, what is left is a folder.
                if after.is_none() {
                    out.push('/');
                }
            }
        }
        match after {
            Some(after) => rest = after,
            None => return out,
        }
    }
}

/// How many dots a segment stands for that is nothing but one or two, written or encoded.
fn dots(segment: &str) -> usize {
    let mut count = 0;
    let mut rest = segment.as_bytes();
    while let Some(first) = rest.first() {
        rest = match (first, triplet(rest)) {
            (b'.', _) => &rest[1..],
            (_, Some(b'.')) => &rest[3..],
            _ => return 0,
        };
        count += 1;
    }
    if count <= 2 {
        count
    } else {
        0
    }
}

fn is_plain_in_path(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\"#<>?^`{}".contains(&byte)
}

fn is_plain_in_query(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\"#<>'".contains(&byte)
}

fn encode(bytes: &[u8], is_plain: impl Fn(u8) -> bool, out: &mut String) {
    for byte in bytes {
        match is_plain(*byte) {
            true => out.push(char::from(*byte)),
            false => push_triplet(out, *byte),
        }
    }
}

/// A query as it is requested. As in browsers, that is in the encoding of its page; a character that the
/// encoding lacks becomes its number.
fn encode_query(query: &str, charset: Option<Charset>) -> String {
    let mut out = String::with_capacity(query.len());
    if charset.is_none() || query.is_ascii() {
        encode(query.as_bytes(), is_plain_in_query, &mut out);
        return out;
    }
    for c in query.chars() {
        match charset::byte(c) {
            Some(byte) => encode(&[byte], is_plain_in_query, &mut out),
            None => {
                out.push_str("%26%23");
                out.push_str(&u32::from(c).to_string());
                out.push_str("%3B");
            }
        }
    }
    out
}

fn push_triplet(out: &mut String, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.push('%');
    out.push(char::from(DIGITS[usize::from(byte >> 4)]));
    out.push(char::from(DIGITS[usize::from(byte & 15)]));
}

/// The octet that a percent-encoded triplet at the start of a text stands for.
fn triplet(text: &[u8]) -> Option<u8> {
    let hex = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    match text {
        [b'%', high, low, ..] => Some(hex(*high)? << 4 | hex(*low)?),
        _ => None,
    }
}

/// The form of a path with query that is compared, never requested: percent-encoding in upper case,
/// unreserved octets decoded, an empty query removed (RFC 3986, 6.2.2).
pub fn normal(path: &str) -> Cow<'_, str> {
    let path = path.strip_suffix('?').filter(|path| !path.contains('?')).unwrap_or(path);
    if !path.contains('%') {
        return Cow::Borrowed(path);
    }
    let bytes = path.as_bytes();
    let mut out = String::with_capacity(path.len());
    // Octets of output since a `%` that begins no triplet, counting from 1 for the `%` itself: an octet
    // that would complete it stays encoded.
    let mut since_stray = usize::MAX;
    let mut at = 0;
    while at < bytes.len() {
        match triplet(&bytes[at..]) {
            Some(octet) => {
                let completes = since_stray <= 2 && octet.is_ascii_hexdigit();
                let unreserved = octet.is_ascii_alphanumeric() || b"-._~".contains(&octet);
                if unreserved && !completes {
                    out.push(char::from(octet));
                    since_stray = since_stray.saturating_add(1);
                } else {
                    push_triplet(&mut out, octet);
                    since_stray = usize::MAX;
                }
                at += 3;
            }
            None => {
                // What is not ASCII may come from a stranger; it only has to come out the same again.
                out.push(char::from(bytes[at]));
                since_stray = match bytes[at] {
                    b'%' => 1,
                    _ => since_stray.saturating_add(1),
                };
                at += 1;
            }
        }
    }
    Cow::Owned(out)
}
