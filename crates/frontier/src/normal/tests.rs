use super::*;
use proptest::prelude::*;

fn normal(text: &str) -> String {
    parse(text).expect("an address").normal().to_owned()
}

#[test]
fn spellings_of_one_url_have_one_normal_form_and_one_id() {
    let spellings = [
        "http://example.org/~a/b",
        "HTTP://EXAMPLE.org:80/%7Ea/b",
        "http://example.org./%7ea/x/../b#part",
        "http://user:secret@example.org/~a/%2e/b",
        "  http://example.org/~a/b?\n",
    ];
    for text in spellings {
        let address = parse(text).expect("an address");
        assert_eq!(address.normal(), "http://example.org/~a/b", "{text}");
        assert_eq!(address.id, UrlId::of("http://example.org/~a/b"), "{text}");
        assert_eq!(address.site.as_str(), "http://example.org", "{text}");
    }
}

#[test]
fn what_is_requested_is_what_was_written() {
    let address = parse("http://example.org./A%7eb?").expect("an address");
    assert_eq!(address.request, "http://example.org./A%7eb?");
    assert_eq!(address.path_and_query(), "/A%7eb?");
}

#[test]
fn a_host_with_a_label_that_is_no_punycode_has_both_forms_and_a_site() {
    let address = parse("http://u@www.XN--a.:81/%7eb?#c").expect("an address");
    assert_eq!(address.request, "http://www.xn--a.:81/%7eb?");
    assert_eq!(address.normal(), "http://www.xn--a:81/~b");
    assert_eq!(address.site.as_str(), "http://www.xn--a:81");
    assert_eq!((address.path(), address.query()), ("/%7eb", Some("")));
    assert_eq!(address.id, parse("http://www.xn--a:81/~b").expect("an address").id);
    let link = resolve(&address.request, "../c").expect("a link");
    assert_eq!(link.request, "http://www.xn--a.:81/c");
}

#[test]
fn pages_that_may_differ_stay_apart() {
    let pairs = [
        ("http://a.org/Page", "http://a.org/page"),
        ("http://a.org/?b=1&a=2", "http://a.org/?a=2&b=1"),
        ("http://a.org/?utm_source=x", "http://a.org/"),
        ("http://a.org/x/", "http://a.org/x"),
        ("http://a.org//x", "http://a.org/x"),
        ("http://www.a.org/", "http://a.org/"),
        ("https://a.org/", "http://a.org/"),
        ("http://a.org/index.html", "http://a.org/"),
        ("http://a.org/a%2Fb", "http://a.org/a/b"),
        ("http://a.org/?q=a%26b", "http://a.org/?q=a&b"),
        ("http://a.org/%2541", "http://a.org/%41"),
        ("http://a.org/?q=a+b", "http://a.org/?q=a%20b"),
    ];
    for (one, other) in pairs {
        assert_ne!(normal(one), normal(other));
    }
}

#[test]
fn a_lone_percent_sign_is_left_alone_and_never_completed() {
    assert_eq!(normal("http://a.org/100%"), "http://a.org/100%");
    assert_eq!(normal("http://a.org/%%34%31"), "http://a.org/%%341");
    assert_eq!(normal("http://a.org/%4%31"), "http://a.org/%4%31");
}

#[test]
fn links_resolve_against_their_page() {
    let at = |text: &str| resolve("https://a.org/x/y?z", text).map(|address| address.request);
    assert_eq!(at("../w#part").as_deref(), Ok("https://a.org/w"));
    assert_eq!(at("//b.org").as_deref(), Ok("https://b.org/"));
    assert_eq!(at("///b.org/c").as_deref(), Ok("https://b.org/c"));
    assert_eq!(at("?q").as_deref(), Ok("https://a.org/x/y?q"));
    assert_eq!(at("").as_deref(), Ok("https://a.org/x/y?z"));
    assert_eq!(at("mailto:a@b.org"), Err(UrlError::Scheme("mailto".into())));
    assert!(matches!(resolve("x", "y"), Err(UrlError::Base(_))));
}

#[test]
fn what_cannot_be_crawled_says_why() {
    assert_eq!(parse("example.org"), Err(UrlError::Relative));
    assert_eq!(parse("ftp://a.org/"), Err(UrlError::Scheme("ftp".into())));
    assert_eq!(parse("http://"), Err(UrlError::NoHost));
    assert!(matches!(parse("http://a b/"), Err(UrlError::Malformed(_))));
    let hint = UrlError::Relative.to_string();
    assert!(hint.contains("https://"), "{hint}");
}

#[test]
fn an_address_may_be_long_but_not_too_long() {
    let of_length = |length: usize| {
        let start = "http://a.org/";
        format!("{start}{}", "x".repeat(length - start.len()))
    };
    assert!(parse(&of_length(MAX_URL_BYTES)).is_ok());
    assert_eq!(parse(&of_length(MAX_URL_BYTES + 1)), Err(UrlError::TooLong(MAX_URL_BYTES + 1)));
    // Encoding triples the length; the limit holds for what would be requested.
    let accents = format!("http://a.org/{}", "é".repeat(MAX_URL_BYTES / 4));
    assert!(matches!(parse(&accents), Err(UrlError::TooLong(_))));
}

/// Texts that exercise the normal form: dots, percent signs, ports, odd hosts.
fn address_text() -> impl Strategy<Value = String> {
    (
        prop_oneof![
            "[a-zA-Z0-9.-]{1,12}",
            "[0-9x.]{1,10}",
            "[éüß☃a-z.]{1,6}",
            "(xn--[a-c0-9.-]{0,4}[.]?){1,2}"
        ],
        prop_oneof![Just(String::new()), ":(80|443|8080)"],
        "[/.%0-9a-fA-FzZ~é ?#&=+;:@$*-]{0,24}",
        prop::bool::ANY,
    )
        .prop_map(|(host, port, rest, tls)| {
            let scheme = if tls { "https" } else { "http" };
            format!("{scheme}://{host}{port}/{rest}")
        })
}

/// Addresses near the border between those that need the parser and those that do not.
fn nearly_usual() -> impl Strategy<Value = String> {
    let host = "(ex[.]org|[a-c-]{1,4}|[0-9.]{1,9}|1[.]2[.]3[.]4|xn--a|A[.]b|0x1|a[.]1|)";
    let path = "(/|[a-b.]|%2e|[.][.]/|[?]|#|[&=;:@!'~ é\\\\]|[A-B]|http://){0,8}";
    (any::<bool>(), host, "(:[0-9]{0,6}|:80|:443|)", path).prop_map(|(secure, host, port, path)| {
        format!("http{}://{host}{port}/{path}", if secure { "s" } else { "" })
    })
}

#[test]
fn most_addresses_need_no_parser() {
    for text in ["http://a.org/", "https://www.a.org:8080/b/c.html?d=e&f=g", "http://127.0.0.1:1/x"]
    {
        assert!(usual::split(text, None).is_some(), "{text}");
    }
}

proptest! {
    #[test]
    fn an_address_that_needs_no_parser_is_what_the_parser_makes_of_it(text in nearly_usual()) {
        if let Some(path) = usual::split(&text, None) {
            let usual = Address::usual(text.clone(), path, None);
            let url = Url::parse(&text).expect("an address");
            let parsed = Address::of(url.clone()).expect("of the web");
            prop_assert_eq!(&usual.request, &parsed.request);
            prop_assert_eq!(usual.normal(), parsed.normal());
            prop_assert_eq!((usual.id, &usual.site), (parsed.id, &parsed.site));
            prop_assert_eq!(usual.path_and_query(), &url[url::Position::BeforePath..]);
            prop_assert_eq!((usual.path(), usual.query()), (url.path(), url.query()));
            for near in [&parsed.site, &Site::of_usual("http://other.test")] {
                let again = parse_near(text.clone(), Some(near)).expect("an address");
                prop_assert_eq!(&again.site, &parsed.site);
                prop_assert_eq!((again.id, again.path()), (parsed.id, parsed.path()));
            }
        }
    }

    #[test]
    fn an_address_near_another_is_read_like_any_other(
        text in address_text(),
        path in "(/[a-b.%2e?=;]{0,4}){0,3}",
    ) {
        if let Ok(first) = parse(&text) {
            let text = format!("{}{path}", first.site);
            let (near, far) = (parse_near(text.clone(), Some(&first.site)), parse(&text));
            prop_assert_eq!(near.is_ok(), far.is_ok());
            if let (Ok(near), Ok(far)) = (near, far) {
                prop_assert_eq!((near.id, &near.site), (far.id, &far.site));
                prop_assert_eq!((&near.request, near.path()), (&far.request, far.path()));
                prop_assert_eq!(near.query(), far.query());
            }
        }
    }

    #[test]
    fn the_normal_form_is_its_own_normal_form(text in address_text()) {
        if let Ok(address) = parse(&text) {
            let again = parse(address.normal());
            prop_assert_eq!(again.as_ref().map(|again| again.normal()), Ok(address.normal()));
            prop_assert_eq!(again.map(|again| again.id), Ok(address.id));
        }
    }

    #[test]
    fn the_request_form_is_its_own_request_form(text in address_text()) {
        if let Ok(address) = parse(&text) {
            prop_assert_eq!(parse(&address.request), Ok(address));
        }
    }

    #[test]
    fn no_text_breaks_the_parser(base in "\\PC{0,30}", text in "\\PC{0,60}") {
        let _ = parse(&text);
        let _ = resolve(&base, &text);
        if let Ok(address) = resolve("http://example.org/a/b", &text) {
            prop_assert!(!address.request.contains('#'));
            prop_assert!(address.normal().len() <= address.request.len());
        }
    }
}
