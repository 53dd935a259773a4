use super::*;

#[test]
fn the_host_is_reversed_and_the_port_kept() {
    assert_eq!(surt("https://Example.com/Path?B=2&a=1"), "com,example)/path?a=1&b=2");
    assert_eq!(surt("http://example.com:8080/"), "com,example:8080)/");
    assert_eq!(surt("https://example.com:443/"), "com,example)/");
    assert_eq!(surt("http://127.0.0.1:4000/a"), "1,0,0,127:4000)/a");
    assert_eq!(surt("http://XN--a.com:81/B"), "com,xn--a:81)/b");
}

#[test]
fn only_a_leading_www_is_stripped() {
    assert_eq!(surt("http://www.foo.com/"), "com,foo)/");
    assert_eq!(surt("http://www12.foo.com/"), "com,foo)/");
    assert_eq!(surt("http://www2foo.com/"), "com,www2foo)/");
    assert_eq!(surt("http://www2.www2foo.com/"), "com,www2foo)/");
    assert_eq!(surt("http://www/"), "www)/");
}

#[test]
fn repeated_encoding_is_undone_and_applied_once() {
    assert_eq!(surt("http://host/%2525252525252525"), "host)/%25");
    assert_eq!(surt("http://host/%25%32%35%25%32%35"), "host)/%25%25");
    assert_eq!(surt("http://host/caf%c3%a9"), "host)/caf%c3%a9");
}

#[test]
fn session_ids_are_removed_and_other_arguments_kept() {
    let id = "0123456789abcdefghijklemopqrstuv";
    assert_eq!(surt(&format!("http://a.org/x?sid={id}&z=1")), "org,a)/x?z=1");
    assert_eq!(surt(&format!("http://a.org/x?JSESSIONID={id}")), "org,a)/x");
    assert_eq!(surt("http://a.org/x?CFID=1&CFTOKEN=2&z=1"), "org,a)/x?z=1");
    assert_eq!(surt("http://a.org/x?sid=short"), "org,a)/x?sid=short");
    assert_eq!(surt("http://a.org/(S(4hqa0555fwsecu455xqckv45))/mileg.aspx"), "org,a)/mileg.aspx");
}

#[test]
fn what_has_no_host_is_its_own_key() {
    assert_eq!(surt(""), "-");
    assert_eq!(surt("urn:uuid:1234"), "urn:uuid:1234");
    assert_eq!(surt("warcinfo:foo.warc.gz"), "warcinfo:foo.warc.gz");
}

proptest::proptest! {
    #[test]
    fn any_text_has_a_key_without_spaces_or_line_breaks_in_its_path(text in "\\PC{0,40}") {
        let key = surt(&format!("http://example.org/{text}"));
        proptest::prop_assert!(key.starts_with("org,example)/"), "{key}");
        proptest::prop_assert!(key.bytes().all(|byte| byte.is_ascii_graphic()), "{key}");
    }

    #[test]
    fn decoding_in_one_pass_equals_decoding_until_nothing_changes(text in "[%0-9a-f]{0,24}") {
        let mut slow = text.clone().into_bytes();
        loop {
            let mut next = Vec::new();
            let mut at = 0;
            while at < slow.len() {
                match percent::triplet(&slow[at..]) {
                    Some(octet) => { next.push(octet); at += 3; }
                    None => { next.push(slow[at]); at += 1; }
                }
            }
            if next == slow { break; }
            slow = next;
        }
        proptest::prop_assert_eq!(unescape(&text), slow);
    }
}
