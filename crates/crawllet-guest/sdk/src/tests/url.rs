//! Where do links lead, and which of them are one?

use crate::charset::Charset;
use crate::url::{normal, Url};

fn join(base: &str, href: &str) -> Option<String> {
    Url::parse(base)?.join(href, None).map(|url| url.written())
}

#[test]
fn links_lead_where_the_standard_says() {
    let base = "http://example.org:8080/a/b/c.html?q#f";
    let cases = [
        ("d.html#x", "http://example.org:8080/a/b/d.html"),
        ("", "http://example.org:8080/a/b/c.html?q"),
        ("?x=1", "http://example.org:8080/a/b/c.html?x=1"),
        ("../d/./e", "http://example.org:8080/a/d/e"),
        ("../../../../d", "http://example.org:8080/d"),
        ("..", "http://example.org:8080/a/"),
        (".", "http://example.org:8080/a/b/"),
        ("%2e%2E/d", "http://example.org:8080/a/d"),
        ("d/..", "http://example.org:8080/a/b/"),
        ("/", "http://example.org:8080/"),
        ("\\d\\e", "http://example.org:8080/d/e"),
        ("//other.example", "http://other.example/"),
        ("///other.example/x", "http://other.example/x"),
        ("http:d", "http://example.org:8080/a/b/d"),
        ("http:/d", "http://example.org:8080/d"),
        ("https:d/e", "https://d/e"),
        ("HTTPS://User:pw@Other.EXAMPLE:443/%7e?a b", "https://other.example/%7e?a%20b"),
        (" d\n.ht\tml ", "http://example.org:8080/a/b/d.html"),
        ("é?é'", "http://example.org:8080/a/b/%C3%A9?%C3%A9%27"),
        ("a//b", "http://example.org:8080/a/b/a//b"),
        ("./..a/.b", "http://example.org:8080/a/b/..a/.b"),
        ("d:e/f", ""),
        ("mailto:x@y", ""),
        ("javascript:void(0)", ""),
        ("http://", ""),
        ("http://h:99999/", ""),
        ("http://a b/", ""),
        ("//[::1]:81/x", "http://[::1]:81/x"),
    ];
    for (href, expected) in cases {
        let expected = Some(expected.to_owned()).filter(|expected| !expected.is_empty());
        assert_eq!(join(base, href), expected, "{href}");
    }
}

#[test]
fn a_query_is_written_in_the_encoding_of_its_page() {
    let base = Url::parse("http://h/").unwrap();
    let url = base.join("é?é€†α", Some(Charset::Windows1252)).unwrap();
    assert_eq!(url.path_and_query(), "/%C3%A9?%E9%80%86%26%23945%3B");
}

#[test]
fn a_site_is_scheme_host_and_port() {
    let own = Url::parse("https://example.org").unwrap();
    let is_own = |text: &str| Url::parse(text).unwrap().same_site(&own);
    assert!(is_own("https://EXAMPLE.org:443/x") && is_own("https://example.org./x"));
    assert!(!is_own("http://example.org/") && !is_own("https://www.example.org/"));
    assert!(!is_own("https://example.org:8443/"));
}

#[test]
fn paths_that_say_the_same_have_one_normal_form() {
    let same = [
        ("/%7euser/", "/~user/"),
        ("/a%2fb", "/a%2Fb"),
        ("/%41?", "/A"),
        ("/x?%c3%a9=%61", "/x?%C3%A9=a"),
        ("/%%34%31", "/%%34%31"),
    ];
    for (one, other) in same {
        assert_eq!(normal(one), normal(other));
        assert_eq!(normal(&normal(one)), normal(one));
    }
    for (one, other) in [("/a", "/A"), ("/a/", "/a"), ("/a%2Fb", "/a/b"), ("/?a&b", "/?b&a")] {
        assert_ne!(normal(one), normal(other));
    }
}

#[test]
fn any_text_is_resolved_or_refused() {
    let parts =
        ["/", "..", "%2e", "?", "#", ":", "@", "[", "]", "é", " ", "http", "\\", "%", "a", "&"];
    for first in parts {
        for second in parts {
            for third in parts {
                let href = [first, second, third].concat();
                if let Some(url) = join("http://h/p/q?r", &href) {
                    // What is requested resolves to itself.
                    assert_eq!(join("http://other/", &url).as_ref(), Some(&url), "{href}");
                }
            }
        }
    }
}

#[test]
fn a_plain_link_leads_where_any_link_does() {
    let parts =
        ["/", "../", "./", "..", ".", "a", "b.c", "?", "#", "%41", ":", "é", "~", "//", ".d", "&"];
    for base in ["http://h/", "http://h/p/q/r?s", "http://h/p//q", "http://h/p/../q"] {
        let base = Url::parse(base).unwrap();
        let mut taken = 0;
        for number in 0..parts.len().pow(4) {
            let at = |place: u32| parts[number / parts.len().pow(place) % parts.len()];
            let href = [at(0), at(1), at(2), at(3)].concat();
            if let Some(path) = base.plain(&href) {
                let full = base.join(&href, None).map(|url| url.path_and_query());
                assert_eq!(Some(path), full, "{href}");
                taken += 1;
            }
        }
        assert!(taken > 500, "{taken}");
    }
}
