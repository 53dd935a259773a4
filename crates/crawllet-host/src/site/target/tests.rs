use super::*;
use proptest::prelude::*;

fn bounds() -> Bounds {
    Bounds::new(&["/".to_owned()], &["/admin/".to_owned(), "/private".to_owned()])
}

#[test]
fn ordinary_paths_are_sent_as_they_are() {
    for path in
        ["/", "/a/b.html", "/a?x=1&y=/../z", "/%C3%A4", "/a//b", "/~me/", "/a;v=1/b", "/a%20b"]
    {
        let target = Target::parse(path.as_bytes()).unwrap();
        assert_eq!(target.wire(), path);
        assert!(bounds().admit(&target), "{path}");
    }
}

#[test]
fn what_is_compared_is_what_is_sent() {
    for (given, sent) in [
        ("/a/./b", "/a/b"),
        ("/a/../b", "/b"),
        ("/a/b/..", "/a/"),
        ("/%61/%2e/b", "/a/b"),
        ("/x/%2e%2e/admin/", "/admin/"),
        ("/%c3%a4", "/%C3%A4"),
    ] {
        assert_eq!(Target::parse(given.as_bytes()).unwrap().wire(), sent);
    }
}

/// T5 and T6: other servers, other folders, other meanings.
#[test]
fn nothing_leads_out() {
    for text in [
        "//evil.example/",
        "http://evil.example/",
        "https://127.0.0.1:22/",
        "http://user@127.0.0.1/",
        "file:///etc/passwd",
        "evil.example",
        "@evil.example/",
        ":80/",
        "",
        "a/b",
        "\\\\evil\\x",
        "/\\evil.example",
        "/..",
        "/../etc/passwd",
        "/a/../../etc/passwd",
        "/%2e%2e/etc/passwd",
        "/%2E%2e/%2e%2E/etc",
        "/.%2e/x",
        "/a/..%2f..%2fetc",
        "/a%5c..%5cx",
        "/a%00.html",
        "/%252e%252e/x",
        "/%25%32%65",
        "/a//../admin/",
        "/%zz",
        "/%",
        "/a#b",
        "/http://xn--bcher-kva.example/ HTTP/1.1\r\nHost: evil",
        "/a\r\nX: y",
        "/a b",
        "/b\u{fc}cher",
        "/[::1]\\x",
    ] {
        let parsed = Target::parse(text.as_bytes());
        assert!(parsed.is_err(), "{text:?} became {parsed:?}");
    }
    assert!(Target::parse(&vec![b'/'; MAX_TARGET + 1]).is_err());
}

#[test]
fn the_deny_list_holds_in_every_spelling() {
    for path in [
        "/admin/",
        "/admin",
        "/Admin/x",
        "/%61dmin/x",
        "/x/../admin/y",
        "/admin;a=b/y",
        "/a/../ADMIN/y",
        "/ADMIN//y",
        "/private",
        "/privateer",
        "/.well-known/crawllet/run",
        "/.well-known/crawllet?x",
        "/.git/config",
        "/a/.htpasswd",
        "/.well-known/.htaccess",
        "/%2egit/HEAD",
    ] {
        let target = Target::parse(path.as_bytes()).unwrap();
        assert!(!bounds().admit(&target), "{path}");
    }
    for path in ["/administration", "/.well-known/security.txt"] {
        assert!(bounds().admit(&Target::parse(path.as_bytes()).unwrap()), "{path}");
    }
}

#[test]
fn scope_is_by_prefix() {
    let bounds = Bounds::new(&["/docs/".to_owned()], &[]);
    let admits = |path: &str| bounds.admit(&Target::parse(path.as_bytes()).unwrap());
    assert!(admits("/docs/a") && admits("/docs/x/../b"));
    assert!(!admits("/docs") && !admits("/docs/../a") && !admits("/other/"));
}

proptest! {
    #[test]
    fn a_target_has_no_dots_and_stays_what_it_is(
        text in "(/|/\\.|/\\.\\.|/%2e|//|%2f|%25|a|b|;|\\?|%41|\\\\){0,12}"
    ) {
        if let Ok(target) = Target::parse(text.as_bytes()) {
            prop_assert!(target.path().starts_with('/') && !target.path().starts_with("//"));
            prop_assert!(!target.path().split('/').any(|s| s == "." || s == ".."));
            prop_assert_eq!(Target::parse(target.wire().as_bytes()), Ok(target));
        }
    }
}
