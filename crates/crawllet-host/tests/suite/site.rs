//! T5, T6 and T11: what a crawllet gets to see of the site.

use crate::engine::{Engine, little};
use crate::front::{ALL, Front, Running, Setup, open_to_all};
use crate::hostile::module;
use crate::upstream::Upstream;
use lycosa_crawllet::engine::Reason;
use lycosa_crawllet::record::Source;

/// Asks for each path, and gives the answers: 0 for a page, else the number of the error.
fn ask(host: &Running, paths: &[&str]) -> Vec<i32> {
    let mut data = String::new();
    let mut calls = String::new();
    let mut at = 1000;
    for path in paths {
        let hex: String = path.bytes().map(|byte| format!("\\{byte:02x}")).collect();
        data.push_str(&format!("(data (i32.const {at}) \"{hex}\")"));
        calls.push_str(&format!(
            "(local.set $i (call $fetch (i32.const {at}) (i32.const {})))
             (if (i32.gt_s (local.get $i) (i32.const 0)) (then (local.set $i (i32.const 0))))
             (i32.store8 (i32.const 0) (i32.sub (i32.const 65) (local.get $i)))
             (call $log (i32.const 0) (i32.const 1))",
            path.len()
        ));
        at += path.len();
    }
    let harvest =
        Engine::new(host).run_wat(&module(&format!("{calls} (i32.const 0)"), &data), little());
    assert_eq!(harvest.reason(), Reason::Done, "{:?}", harvest.logs);
    harvest.logs.concat().bytes().map(|letter| 65 - i32::from(letter)).collect()
}

#[test]
fn robots_scope_and_privacy_are_kept_and_the_web_server_sees_nothing_of_it() {
    let web = Upstream::small();
    let setup = Setup { change: &[("deny = []", "deny = [\"/admin/\"]")], ..Setup::default() };
    for front in ALL {
        let Some(host) = front.start(web.at, &setup) else { continue };
        let forbidden = [
            ("/secret/a.html", -2),
            ("/lycosa-not/a.html", -2),
            ("/x/../secret/a.html", -2),
            ("/admin/a.html", -1),
            ("/ADMIN/a.html", -1),
            ("/%61dmin/a.html", -1),
            ("/.git/config", -1),
            ("/.htpasswd", -1),
            ("/../etc/passwd", -1),
            ("/%2e%2e/etc/passwd", -1),
            ("//evil.example/", -1),
            ("http://evil.example/", -1),
            ("http://user@127.0.0.1/", -1),
            ("/\\evil", -1),
            ("/.well-known/crawllet", -1),
            ("/a\r\nHost: evil", -7),
        ];
        let paths: Vec<&str> = forbidden.iter().map(|(path, _)| *path).collect();
        let expected: Vec<i32> = forbidden.iter().map(|(_, code)| *code).collect();
        assert_eq!(ask(&host, &paths), expected, "{front:?}");
        assert_eq!(web.asked(), Vec::<String>::new(), "{front:?}");
        // Those it may ask for: what is private is not handed over, the rest is.
        let paths =
            ["/cookie", "/private", "/login", "/forbidden", "/big", "/", "/moved", "/missing"];
        assert_eq!(ask(&host, &paths), [-9, -9, -9, -9, -4, 0, 0, 0], "{front:?}");
        assert_eq!(web.asked(), paths);
    }
}

#[test]
fn files_are_read_where_the_owner_allows_it_and_the_rest_comes_by_http() {
    let web = Upstream::small();
    let docroot = tempfile::tempdir().unwrap();
    open_to_all(docroot.path());
    // As the web server has them, but for the last.
    for n in 1..=8 {
        let body = format!("<title>Page {n}</title><p>This is page {n}. <a href=\"/\">home</a>");
        std::fs::write(docroot.path().join(format!("page{n}.html")), body).unwrap();
    }
    std::os::unix::fs::symlink("/etc/passwd", docroot.path().join("page9.html")).unwrap();
    for front in ALL {
        let setup = Setup { docroot: Some(docroot.path()), ..Setup::default() };
        let Some(host) = front.start(web.at, &setup) else { continue };
        let harvest = Engine::new(&host).run_guest("pages", little(), None);
        assert_eq!(harvest.reason(), Reason::Done);
        assert_eq!(harvest.records.len(), 10);
        let files = harvest.records.iter().filter(|r| r.source == Source::File).count();
        assert_eq!(files, 8, "{front:?}");
        assert!(!harvest.records.iter().any(|r| r.body.starts_with(b"root:")));
        // Home, the link, and at least one file to compare.
        let asked = web.asked();
        assert!((3..10).contains(&asked.len()), "{front:?} {asked:?}");
        assert!(asked.contains(&"/page9.html".to_owned()));
    }
}

#[test]
fn files_that_are_not_what_the_web_server_sends_end_the_short_cut() {
    let web = Upstream::small();
    let docroot = tempfile::tempdir().unwrap();
    open_to_all(docroot.path());
    for n in 1..=9 {
        std::fs::write(docroot.path().join(format!("page{n}.html")), "a template").unwrap();
    }
    let setup = Setup { docroot: Some(docroot.path()), ..Setup::default() };
    let host = Front::Alone.start(web.at, &setup).unwrap();
    let harvest = Engine::new(&host).run_guest("pages", little(), None);
    assert_eq!(harvest.records.len(), 10);
    assert!(harvest.records.iter().all(|r| r.source == Source::Http && r.body != b"a template"));
    let jobs = host.jobs();
    assert!(jobs[0]["notes"].to_string().contains("no files under /"), "{}", jobs[0]);
}

#[test]
fn the_owners_pace_is_kept() {
    let web = Upstream::small();
    let setup = Setup { top: "delay = \"60ms\"", ..Setup::default() };
    let host = Front::Alone.start(web.at, &setup).unwrap();
    let harvest = Engine::new(&host).run_guest("pages", little(), None);
    assert_eq!(harvest.records.len(), 10);
    assert!(host.jobs()[0]["wall_ms"].as_u64().unwrap() >= 9 * 60);
}
