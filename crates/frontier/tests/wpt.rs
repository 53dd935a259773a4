//! Do we read addresses as browsers do? The URL tests of the Web Platform.

mod shared;

use lycosa_frontier::normal::{parse, resolve};
use serde_json::Value;

/// Cases that end in http(s), or must fail, at least; so that a changed format cannot pass unseen.
const AT_LEAST: usize = 350;

/// Hosts with an `xn--` label that decodes to nothing. The standard lately lets ASCII hosts through
/// unchecked; our parser refuses them. No registry sells such names, so nothing is lost.
const BROKEN_PUNYCODE: usize = 7;

#[test]
fn addresses_of_the_web_are_read_as_browsers_read_them() {
    let Some(text) = shared::text("conformance/wpt-url/urltestdata.json") else {
        return;
    };
    let cases: Vec<Value> = serde_json::from_str(&text).expect("a list");
    let (mut asked, mut broken_punycode, mut misses) = (0, 0, Vec::new());
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
        if found.is_none() && expected.as_ref().is_some_and(|url| url.contains("xn--")) {
            broken_punycode += 1;
        } else if found != expected {
            misses.push(format!("{input:?}: {found:?} instead of {expected:?}"));
        }
    }
    shared::say(&format!(
        "{asked} cases, {broken_punycode} refused for broken Punycode, {} differ",
        misses.len()
    ));
    assert!(asked >= AT_LEAST, "only {asked} cases");
    assert_eq!(broken_punycode, BROKEN_PUNYCODE);
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
