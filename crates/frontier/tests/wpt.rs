//! Do we read addresses as browsers do? The URL tests of the Web Platform.
//!
//! Of the files there, `percent-encoding.json` and the way through `<a href>` are for the `page` crate;
//! `setters_tests.json` and `urltestdata-javascript-only.json` are about what scripts do to a URL object.

mod shared;

use lycosa_frontier::normal::{parse, resolve};
use serde_json::Value;

/// Cases that end in http(s), or must fail, at least; so that a changed format cannot pass unseen.
const AT_LEAST: usize = 350;

/// Hosts in each file, at least.
const HOSTS: [(&str, usize); 3] =
    [("toascii", 80), ("IdnaTestV2", 2_500), ("IdnaTestV2-removed", 20)];

/// Characters of Unicode 18. The tests were made of an older version, in which they mean nothing; ours
/// knows them.
const SEAL_SCRIPT: std::ops::RangeInclusive<char> = '\u{3d000}'..='\u{3fc3f}';

/// Hosts of `IdnaTestV2` with such a character, which the tests therefore want refused.
const NEW_CHARACTERS: usize = 2;

#[test]
fn addresses_of_the_web_are_read_as_browsers_read_them() {
    let Some(text) = shared::text("conformance/wpt-url/urltestdata.json") else {
        return;
    };
    let cases: Vec<Value> = serde_json::from_str(&text).expect("a list");
    let (mut asked, mut misses) = (0, Vec::new());
    for case in cases.iter().filter(|case| case.is_object()) {
        let field = |name: &str| case[name].as_str();
        let input = field("input").expect("an input");
        let read = match field("base") {
            Some(base) => resolve(base, input),
            None => parse(input),
        };
        let expected = match (case["failure"].as_bool(), field("protocol")) {
            (Some(true), _) => None,
            // Credentials and fragments are not requested, the rest is.
            (_, Some(scheme @ ("http:" | "https:"))) => Some(format!(
                "{scheme}//{}{}{}",
                field("host").unwrap_or_default(),
                field("pathname").unwrap_or_default(),
                search_of(case)
            )),
            (_, Some(scheme)) => {
                assert!(read.is_err(), "{scheme} was accepted: {input:?}");
                continue;
            }
            other => panic!("neither a failure nor a URL: {other:?}"),
        };
        asked += 1;
        let found = read.ok().map(|address| address.request);
        if found != expected {
            misses.push(format!("{input:?}: {found:?} instead of {expected:?}"));
        }
    }
    shared::say(&format!("{asked} cases, {} differ", misses.len()));
    assert!(asked >= AT_LEAST, "only {asked} cases");
    assert!(misses.is_empty(), "{}", misses.join("\n"));
}

/// `search` is empty for `?` alone, which `href` keeps.
fn search_of(case: &Value) -> &str {
    let href = case["href"].as_str().unwrap_or_default();
    let before_fragment = href.split('#').next().unwrap_or_default();
    match case["search"].as_str() {
        Some("") | None if before_fragment.ends_with('?') => "?",
        search => search.unwrap_or_default(),
    }
}

#[test]
fn names_of_hosts_are_read_as_browsers_read_them() {
    for (name, at_least) in HOSTS {
        let Some(text) = shared::text(&format!("conformance/wpt-url/{name}.json")) else {
            return;
        };
        let text = without_lone_surrogates(&text);
        let cases: Vec<Value> = serde_json::from_str(&text).expect("a list");
        let (mut asked, mut new, mut misses) = (0, 0, Vec::new());
        for case in cases.iter().filter(|case| case.is_object()) {
            let input = case["input"].as_str().expect("an input");
            // An empty host cannot be tried in an address: what follows would be taken for it.
            if input.is_empty() {
                continue;
            }
            let expected = case["output"].as_str().map(|host| format!("https://{host}/x"));
            let found = parse(&format!("https://{input}/x")).ok();
            asked += 1;
            if let Some(address) = &found {
                assert_eq!(address.path_and_query(), "/x", "{input:?}");
                let again = parse(address.normal()).expect("an address");
                assert_eq!((again.id, &again.site), (address.id, &address.site), "{input:?}");
            }
            let found = found.map(|address| address.request);
            if found.is_some() && expected.is_none() && input.contains(|c| SEAL_SCRIPT.contains(&c))
            {
                new += 1;
            } else if found != expected {
                misses.push(format!("{input:?}: {found:?} instead of {expected:?}"));
            }
        }
        shared::say(&format!("{name}: {asked} hosts, {} differ", misses.len()));
        assert!(asked >= at_least, "{name}: only {asked} hosts");
        assert_eq!(new, if name == "IdnaTestV2" { NEW_CHARACTERS } else { 0 }, "{name}");
        assert!(misses.is_empty(), "{name}:\n{}", misses.join("\n"));
    }
}

/// Halves of a character that only scripts can have; browsers read U+FFFD when they parse a URL.
fn without_lone_surrogates(json: &str) -> String {
    let half = |text: &str, first: std::ops::Range<u32>| {
        let digits = text.strip_prefix("\\u").and_then(|rest| rest.get(..4));
        digits.and_then(|hex| u32::from_str_radix(hex, 16).ok()).is_some_and(|n| first.contains(&n))
    };
    let (mut out, mut rest) = (String::new(), json);
    while let Some(at) = rest.find("\\u") {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let high = half(escape, 0xd800..0xdc00);
        let length = if high && half(&escape[6..], 0xdc00..0xe000) { 12 } else { 6 };
        let lone = length == 6 && half(escape, 0xd800..0xe000);
        out.push_str(if lone { "\\ufffd" } else { &escape[..length] });
        rest = &escape[length..];
    }
    out + rest
}
