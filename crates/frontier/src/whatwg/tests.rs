use super::*;

fn text(base: Option<&str>, text: &str) -> Option<String> {
    let base = base.map(|base| read(None, None, base).expect("a base"));
    read(base.as_ref(), None, text).ok().map(|url| written(&url).into_owned())
}

#[test]
fn a_host_with_a_label_that_is_no_punycode_is_taken_as_it_is() {
    for (written, expected) in [
        ("http://xn--a/", "http://xn--a/"),
        ("http://XN--A:81/b?c#d", "http://xn--a:81/b?c#d"),
        ("http:xn--a", "http://xn--a/"),
        ("https:\\\\u:p@xn--a\\b", "https://xn--a/b"),
        (" ht\ntp://x\tn--a/ ", "http://xn--a/"),
        ("http://x%6e--a/%6e", "http://xn--a/%6e"),
        ("http://www.xn--a.xn--zca./xn--a", "http://www.xn--a.xn--zca./xn--a"),
        ("http://xn--a/xn--a@xn--b:1?xn--c", "http://xn--a/xn--a@xn--b:1?xn--c"),
    ] {
        assert_eq!(text(None, written).as_deref(), Some(expected), "{written:?}");
    }
}

#[test]
fn links_on_and_to_such_a_host_are_resolved() {
    let base = Some("https://xn--a/b/c");
    for (href, expected) in [
        ("d", "https://xn--a/b/d"),
        ("../../d?e", "https://xn--a/d?e"),
        ("//xn--b", "https://xn--b/"),
        ("////xn--b/c", "https://xn--b/c"),
        ("http:xn--b", "http://xn--b/"),
        ("https:xn--b", "https://xn--a/b/xn--b"),
        ("/xn--b", "https://xn--a/xn--b"),
    ] {
        assert_eq!(text(base, href).as_deref(), Some(expected), "{href:?}");
    }
}

#[test]
fn what_the_standard_refuses_is_refused() {
    for refused in [
        "http://xn--a.ß/",
        "http://xn--a%C3%9F/",
        "http://xn--a%2Fb/",
        "http://xn--a%40b/",
        "http://xn--a%00/",
        "http://xn--a b/",
        "http://xn--a<b/",
        "http://xn--a%/",
        "http://xn--a:x/",
        "http://xn--a:70000/",
        "http://xn--a.1/",
        "http://a@/",
    ] {
        assert_eq!(text(None, refused), None, "{refused}");
    }
}

#[test]
fn the_host_is_told_by_its_own_name() {
    let url = read(None, None, "http://a.xn--a:81/").expect("an address");
    assert_eq!(host(&url).as_deref(), Some("a.xn--a"));
    assert!(is_name("a.xn--a") && !is_name("10.0.0.1") && !is_name("[::1]"));
}

#[test]
fn no_name_server_takes_a_stand_in() {
    const LONGEST_LABEL: usize = 63;
    assert!(STAND_IN.len() > LONGEST_LABEL);
}
