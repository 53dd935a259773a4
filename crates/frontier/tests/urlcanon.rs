//! Where do our forms differ from older, careful ones, and why? Every difference has a named reason.

mod shared;

use lycosa_frontier::{UrlError, normal::parse, surt};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Why a normal form of ours is not the one in the data. The crate's README explains each.
const REASONS: [(&str, usize); 9] = [
    ("a host of dots stays as it is", 12),
    ("an empty query is removed", 1),
    ("fragments are removed", 6),
    ("hosts that no browser accepts are refused", 7),
    ("neighbouring slashes stay", 3),
    ("no scheme is guessed", 3),
    ("octets that are not UTF-8 are no address", 3),
    ("only unreserved octets are decoded, and only once", 25),
    ("the order of a query stays", 3),
];

#[test]
fn every_difference_from_the_precise_form_has_a_reason() {
    let Some(text) = shared::text("conformance/urlcanon/semantic_precise.json") else {
        return;
    };
    let cases: Map<String, Value> = serde_json::from_str(&text).expect("a map");
    let (mut same, mut table) = (0, BTreeMap::new());
    for (input, expected) in &cases {
        let expected = expected.as_str().expect("a text");
        if !expected.starts_with("http:") && !expected.starts_with("https:") {
            assert!(parse(input).is_err(), "{input:?} is not of the web");
            continue;
        }
        // The data writes octets as the characters of the same number.
        let octets: Option<Vec<u8>> = input.chars().map(|c| u8::try_from(c).ok()).collect();
        let text = octets.map_or(Ok(input.clone()), String::from_utf8);
        let found = text.as_ref().ok().map(|text| parse(text));
        let found = found.map(|read| read.map(|address| address.normal().to_owned()));
        if found == Some(Ok(expected.to_owned())) {
            same += 1;
            continue;
        }
        let reason = reason(found.as_ref(), expected);
        let reason = reason.unwrap_or_else(|| panic!("{input:?}: {expected:?}, not {found:?}"));
        shared::say(&format!("{reason}: {input:?}: {expected:?}, ours {found:?}"));
        *table.entry(reason).or_insert(0) += 1;
    }
    shared::say(&format!("{same} equal, differences: {table:#?}"));
    assert_eq!(table, BTreeMap::from(REASONS));
    assert_eq!(same, 99);
}

fn reason(found: Option<&Result<String, UrlError>>, expected: &str) -> Option<&'static str> {
    let ours = match found {
        None => return Some("octets that are not UTF-8 are no address"),
        Some(Err(UrlError::Relative)) => return Some("no scheme is guessed"),
        Some(Err(UrlError::Malformed(_))) => {
            return Some("hosts that no browser accepts are refused");
        }
        Some(Err(_)) => return None,
        Some(Ok(ours)) => ours,
    };
    let without_fragment = expected.split('#').next().unwrap_or_default();
    let host = |url: &str| url.split('/').nth(2).unwrap_or_default().to_owned();
    if without_fragment == ours {
        Some("fragments are removed")
    } else if expected.strip_suffix('?') == Some(ours) {
        Some("an empty query is removed")
    } else if host(ours).chars().all(|c| c == '.') {
        Some("a host of dots stays as it is")
    } else if sorted_query(ours) == sorted_query(expected) {
        Some("the order of a query stays")
    } else if single_slashes(ours) == single_slashes(expected) {
        Some("neighbouring slashes stay")
    } else if decoded(ours) == decoded(expected) {
        Some("only unreserved octets are decoded, and only once")
    } else {
        None
    }
}

fn sorted_query(url: &str) -> (String, Vec<&str>) {
    let (place, query) = url.split_once('?').unwrap_or((url, ""));
    let mut arguments: Vec<&str> = query.split('&').collect();
    arguments.sort_unstable();
    (place.to_owned(), arguments)
}

fn single_slashes(url: &str) -> String {
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let segments: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    format!("{}?{query}", segments.join("/"))
}

/// Decoded until nothing changes, as the other form does before it encodes.
fn decoded(url: &str) -> Vec<u8> {
    let mut bytes = url.as_bytes().to_vec();
    loop {
        let mut next = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let digits = bytes.get(at + 1..at + 3).unwrap_or_default();
            let octet = std::str::from_utf8(digits)
                .ok()
                .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
                .and_then(|digits| u8::from_str_radix(digits, 16).ok());
            match octet {
                Some(octet) if bytes[at] == b'%' => {
                    next.push(octet);
                    at += 3;
                }
                _ => {
                    next.push(bytes[at]);
                    at += 1;
                }
            }
        }
        if next == bytes {
            return bytes;
        }
        bytes = next;
    }
}

#[test]
fn archive_keys_are_those_of_the_surt_package() {
    let Some(text) = shared::text("conformance/urlcanon/surt.json") else {
        return;
    };
    let data: Value = serde_json::from_str(&text).expect("a map");
    let section = |name: &str| data[name].as_object().expect("a section").clone();
    let mut asked = 0;
    let mut check = |address: &str, expected: &str| {
        asked += 1;
        assert_eq!(surt(address), expected, "{address:?}");
    };
    for (address, expected) in section("defaultIASurt") {
        check(&address, expected.as_str().expect("a text"));
    }
    for (host, expected) in section("massageHost") {
        let mut labels: Vec<&str> = expected.as_str().expect("a host").split('.').collect();
        labels.reverse();
        check(&format!("http://{host}/"), &format!("{})/", labels.join(",")));
    }
    for (query, expected) in section("alphaRorderQuery") {
        let expected = expected.as_str().expect("a query");
        let mark = if expected.is_empty() { "" } else { "?" };
        check(&format!("http://a/?{query}"), &format!("a)/{mark}{expected}"));
    }
    for (path, expected) in section("stripPathSessionId") {
        let expected = expected.as_str().expect("a path").to_ascii_lowercase();
        let expected = expected.strip_suffix('/').unwrap_or(&expected);
        check(&format!("http://a{path}"), &format!("a){expected}"));
    }
    assert_eq!(asked, 36);
}
