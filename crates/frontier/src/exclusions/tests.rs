//! What is left alone, and what is no exclusion.

use super::*;
use proptest::prelude::*;

fn of(texts: &[&str]) -> Exclusions {
    let mut all = Exclusions::default();
    for text in texts {
        all.add(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
    all
}

fn alone(exclusions: &Exclusions, url: &str) -> Option<String> {
    exclusions.of_address(&normal::parse(url).expect("an address")).map(str::to_owned)
}

#[test]
fn a_host_stands_for_itself_and_the_hosts_below_it_under_every_scheme() {
    for text in ["Example.org", "https://example.org", "http://example.org"] {
        let all = of(&[text]);
        assert_eq!(all.list(), ["example.org"]);
        for url in ["http://example.org/", "https://www.example.org/a", "http://example.org:81/"] {
            assert_eq!(alone(&all, url).as_deref(), Some("example.org"), "{url}");
            assert!(all.covers(&normal::parse(url).expect("an address").site));
        }
        for url in ["http://example.com/", "http://anexample.org/", "http://org/example.org"] {
            assert_eq!(alone(&all, url), None, "{url}");
        }
    }
    let port = of(&["example.org:81"]);
    assert!(alone(&port, "http://a.example.org:81/").is_some());
    assert!(alone(&port, "http://a.example.org/").is_none());
}

#[test]
fn the_beginning_of_addresses_stands_for_one_host_alone() {
    let all = of(&["https://example.org/shop/"]);
    assert_eq!(alone(&all, "http://example.org/shop/1?x").as_deref(), Some("example.org/shop/"));
    for url in ["http://example.org/shop", "http://www.example.org/shop/", "http://example.org/"] {
        assert_eq!(alone(&all, url), None, "{url}");
    }
    let site = |url: &str| normal::parse(url).expect("an address").site;
    assert!(!all.covers(&site("http://example.org/")), "a part is not all of it");
    assert!(of(&["example.org/"]).covers(&site("https://example.org/")));
    assert!(!of(&["example.org/"]).covers(&site("https://www.example.org/")));
}

#[test]
fn a_pattern_is_held_against_the_whole_address_and_without_a_slash_against_hosts_too() {
    let all = of(&["*/print/*", "*.pdf", "*.ads.test", "shop.test/*?page=*", "n.test/ñ*"]);
    for (url, by) in [
        ("http://a.test/x/print/2", "*/print/*"),
        ("http://a.test/report.pdf", "*.pdf"),
        ("http://one.ads.test/banner", "*.ads.test"),
        ("https://shop.test/shoes?page=2", "shop.test/*?page=*"),
        ("http://n.test/%c3%b1andu", "n.test/%C3%B1*"),
    ] {
        assert_eq!(alone(&all, url).as_deref(), Some(by), "{url}");
    }
    for url in [
        "http://a.test/printer",
        "http://a.test/report.pdf?download",
        "http://ads.test/",
        "https://shop.test/shoes",
        "https://other.test/shoes?page=2",
    ] {
        assert_eq!(alone(&all, url), None, "{url}");
    }
}

#[test]
fn what_is_removed_is_followed_again_in_whatever_spelling() {
    let mut all = of(&["a.test", "b.test/x", "*.pdf"]);
    assert_eq!(all.add("HTTP://A.test"), Ok(None), "it was there");
    for (text, url) in [
        ("https://A.TEST", "http://a.test/"),
        ("http://b.test/x", "http://b.test/xy"),
        ("*.pdf", "http://c.test/1.pdf"),
    ] {
        assert!(alone(&all, url).is_some());
        all.remove(text).expect("on the list");
        assert_eq!(alone(&all, url), None);
    }
    assert_eq!(all, Exclusions::default());
    assert_eq!(all.remove("a.test"), Err(NoExclusion::Unknown("a.test".into())));
}

#[test]
fn what_is_no_exclusion_is_refused_with_a_hint() {
    let long = "a".repeat(MAX_EXCLUSION_BYTES + 1);
    let stars = "*a".repeat(MAX_STARS + 1);
    for text in [
        "",
        "  ",
        "*",
        "*/*",
        "**",
        "a b",
        "ftp://a.test",
        "http://",
        "user@a.test",
        "a.test:port",
        "[::1",
        "ñ*/",
        &long,
        &stars,
    ] {
        let error = Exclusions::default().add(text).expect_err(text);
        assert!(!error.hint().is_empty() && !error.to_string().is_empty(), "{text}");
    }
    let mut all = Exclusions::default();
    for number in 0..MAX_EXCLUSIONS {
        all.add(&format!("h{number}.test")).expect("room");
    }
    assert_eq!(all.add("one-more.test"), Err(NoExclusion::TooMany));
    assert_eq!(all.add("h7.test"), Ok(None), "one that is there needs no room");
}

/// The same by trying every way to cut the text.
fn fits_slowly(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern.split_first(), text.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), _) if fits_slowly(rest, text) => true,
        (Some((b'*', _)), Some((_, text))) => fits_slowly(pattern, text),
        (Some((one, pattern)), Some((other, text))) if one == other => fits_slowly(pattern, text),
        _ => false,
    }
}

proptest! {
    #[test]
    fn a_pattern_fits_what_a_slow_matcher_says(pattern in "[ab*]{0,8}", text in "[ab]{0,10}") {
        prop_assume!(pattern.contains('*'));
        prop_assert_eq!(Pattern::of(&pattern).fits(&text), fits_slowly(pattern.as_bytes(), text.as_bytes()));
    }

    #[test]
    fn no_text_breaks_the_reader_and_what_it_writes_it_reads_again(text in "\\PC{0,40}") {
        let mut all = Exclusions::default();
        if let Ok(Some(written)) = all.add(&text) {
            prop_assert_eq!(all.remove(&written), Ok(written));
        }
    }
}
