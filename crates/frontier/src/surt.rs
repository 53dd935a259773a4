//! Under which key does an archive's index list a URL?
//!
//! A CDXJ file is sorted by SURT ("sort-friendly URI reordering transform"), and a replay tool finds a
//! page by computing the same key from the address it was asked for. So this is not our normal form but
//! the key that the Python package `surt` makes and pywb looks up, with all that it folds:
//!
//! - host reversed and joined by commas (IP addresses too), without `www.` or `www2.`; no scheme, no
//!   credentials, no default port, no fragment;
//! - percent-encoding undone until nothing is left of it, then applied once to what must be encoded;
//! - path without empty and dot segments and without a slash at its end; path and query in lower case;
//! - query arguments sorted; session ids of Java, PHP, ASP and ColdFusion removed.
//!
//! Two URLs of ours may share a key. That is for the index to bear: it lists both under it.

use crate::{percent, whatwg};

mod session;
#[cfg(test)]
mod tests;

/// Schemes of an archive's own records, which are never addresses.
const OWN_KEYS: [&str; 2] = ["filedesc:", "warcinfo:"];

/// The SURT key of an address, as in `com,example)/path?a=1`. A text that has no host (`urn:`,
/// `dns:`, `warcinfo:`) is its own key, and the empty text has the key `-`.
pub fn surt(address: &str) -> String {
    if address.is_empty() {
        return "-".to_owned();
    }
    if OWN_KEYS.iter().any(|scheme| address.starts_with(scheme)) {
        return address.to_owned();
    }
    let Some((url, host)) = whatwg::read(None, None, address).ok().and_then(|url| {
        let host = host_key(&whatwg::host(&url)?);
        (!host.is_empty()).then_some((url, host))
    }) else {
        return address.to_owned();
    };
    let mut key = host;
    if let Some(port) = url.port() {
        key.push_str(&format!(":{port}"));
    }
    key.push(')');
    key.push_str(&path_key(url.path()));
    if let Some(query) = url.query().and_then(query_key) {
        key.push('?');
        key.push_str(&query);
    }
    key
}

fn host_key(host: &str) -> String {
    let host = host.trim_matches(['.', '[', ']']).to_ascii_lowercase();
    let mut labels: Vec<&str> = host.split('.').filter(|label| !label.is_empty()).collect();
    let is_www = |label: &str| {
        let digits = label.strip_prefix("www");
        digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
    };
    if labels.len() > 1 && is_www(labels[0]) {
        labels.remove(0);
    }
    labels.reverse();
    labels.join(",")
}

fn path_key(path: &str) -> String {
    let path = escape(&fold_segments(&unescape(path))).to_ascii_lowercase();
    let path = session::without_path_id(&path);
    match path.strip_suffix('/') {
        Some(shorter) if !shorter.is_empty() => shorter.to_owned(),
        _ => path,
    }
}

fn query_key(query: &str) -> Option<String> {
    let query = session::without_query_ids(&escape(&unescape(query)).to_ascii_lowercase());
    let mut arguments: Vec<(&str, Option<&str>)> = query
        .split('&')
        .map(|argument| match argument.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (argument, None),
        })
        .collect();
    arguments.sort_unstable();
    let arguments: Vec<String> = arguments
        .into_iter()
        .map(|(name, value)| match value {
            Some(value) => format!("{name}={value}"),
            None => name.to_owned(),
        })
        .collect();
    let query = arguments.join("&");
    (!query.is_empty()).then_some(query)
}

/// Decodes until no triplet is left. A decoded octet may complete a triplet with what stands before it,
/// so each is looked at again; no triplet overlaps another, so one pass comes to the same end as many.
fn unescape(text: &str) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    for byte in text.bytes() {
        out.push(byte);
        while let Some(octet) = out.last_chunk::<3>().and_then(|last| percent::triplet(last)) {
            out.truncate(out.len() - 3);
            out.push(octet);
        }
    }
    out
}

/// Encodes what is not printable ASCII, and `#` and `%`.
fn escape(bytes: &[u8]) -> String {
    let mut out = Vec::with_capacity(bytes.len());
    for &byte in bytes {
        if byte.is_ascii_graphic() && !matches!(byte, b'#' | b'%') {
            out.push(byte);
        } else {
            percent::push_triplet(&mut out, byte);
        }
    }
    // Only printable ASCII was pushed.
    String::from_utf8(out).unwrap_or_default()
}

/// Resolves `.` and `..` and removes empty segments, but keeps a slash at the end.
fn fold_segments(path: &[u8]) -> Vec<u8> {
    let mut kept: Vec<&[u8]> = Vec::new();
    for segment in path.split(|byte| *byte == b'/').skip(1) {
        match segment {
            b"." => {}
            b".." => {
                if kept.pop().is_none() {
                    kept.push(segment);
                }
            }
            _ => kept.push(segment),
        }
    }
    let last = kept.pop().unwrap_or_default();
    let mut out = vec![b'/'];
    for segment in kept.into_iter().filter(|segment| !segment.is_empty()) {
        out.extend_from_slice(segment);
        out.push(b'/');
    }
    out.extend_from_slice(last);
    out
}
