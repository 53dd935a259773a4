use super::*;

#[test]
fn a_host_is_cut_to_the_name_that_was_registered() {
    assert_eq!(registrable_domain("news.example.co.uk"), "example.co.uk");
    assert_eq!(registrable_domain("example.org"), "example.org");
    assert_eq!(registrable_domain("a.b.example.org."), "example.org");
    assert_eq!(registrable_domain("WWW.Example.COM"), "Example.COM");
    assert_eq!(registrable_domain("page.someone.github.io"), "someone.github.io");
}

#[test]
fn what_has_no_owner_above_it_maps_to_itself() {
    for host in ["127.0.0.1", "[2001:db8::1]", "localhost", "co.uk", "github.io", "schools", ""] {
        assert_eq!(registrable_domain(host), host);
    }
    assert_eq!(registrable_domain("a.schools.test"), "schools.test");
}

#[test]
fn a_text_that_is_no_host_is_cut_nowhere_but_between_characters() {
    for text in [".\u{fffd}\u{fffd}..", "..\u{e4}..", "a..", "..", "."] {
        assert!(text.contains(registrable_domain(text)), "{text}");
    }
}
