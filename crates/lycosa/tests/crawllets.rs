//! Are crawllets no burden to who has no key, and no obstacle where a site takes none?

mod support;

use std::os::unix::fs::PermissionsExt;
use support::site::{Answer, Site};
use support::*;

/// Where sites are asked about crawllets.
const WELL_KNOWN: &str = "/.well-known/crawllet";

/// Nothing is asked for that nobody links to.
const PLAIN: &str = "[content]\nsoft_404 = false\n";

/// A small site that announces what it does not have.
fn boaster() -> Site {
    Site::serve(|_, path| match path {
        "/robots.txt" => Answer::html(format!("Crawllet: {WELL_KNOWN}\n")).typed("text/plain"),
        "/" => Answer::html("<p>front <a href=/a>a</a> <a href=/b>b</a>"),
        "/a" | "/b" => Answer::html(format!("<p>page {path}")),
        _ => Answer::missing(),
    })
}

#[test]
fn a_key_is_made_once_and_for_its_owner_alone() {
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let keygen = || {
        run([
            "crawllet",
            "keygen",
            "--domain",
            "search.example.org",
            "--json",
            "--data",
            text(&data),
        ])
    };
    let key = keygen().exits(0).json();
    assert_eq!(key["domain"], "search.example.org");
    let file = data.join("crawllet.key");
    let mode = std::fs::metadata(&file).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let secret = std::fs::read_to_string(&file).expect("read");
    assert!(!key.to_string().contains(secret.lines().last().unwrap_or("?")), "it is not shown");
    keygen().fails_with(&["crawllet.key"], "move it away");
    run(["crawllet", "keygen", "--domain", "no domain", "--data", text(&dir.path().join("x"))])
        .fails_with(&["no domain"], "example.org");
}

#[test]
fn a_site_that_takes_none_says_so_to_a_probe() {
    let site = boaster();
    let url = format!("http://{}", site.address);
    let probe = run(["crawllet", "probe", &url, "--allow-private", "--json"]).exits(1).json();
    assert_eq!(
        (probe["announced"].as_bool(), probe["supported"].as_bool()),
        (Some(true), Some(false))
    );
    assert!(probe["why_not"].as_str().is_some_and(|why| why.contains("404")), "{probe}");
    let said = run(["crawllet", "probe", &url, "--allow-private"]).exits(1).stdout;
    assert!(said.contains("takes no crawllets (its robots.txt says so)"), "{said}");
}

#[test]
fn without_a_key_no_site_is_asked_and_with_one_a_no_costs_one_request() {
    let site = boaster();
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let asked = site.crawled_into(&data, &[], PLAIN);
    assert!(!asked.contains(WELL_KNOWN), "{asked:?}");
    assert_eq!(asked.len(), 4, "robots.txt and three pages: {asked:?}");
    run(["crawllet", "keygen", "--domain", "engine.test", "--data", text(&data)]).exits(0);
    let asked = site.crawled_into(&data, &[], PLAIN);
    assert!(asked.contains(WELL_KNOWN), "{asked:?}");
    assert_eq!(asked.len(), 4, "its rules are known, the rest is as before: {asked:?}");
    let status = run(["status", "--json", "--data", text(&data)]).exits(0).json();
    assert_eq!(status["crawllets"]["without"], 1, "{status}");
    let asked = site.crawled_into(&data, &[], PLAIN);
    assert!(!asked.contains(WELL_KNOWN), "a no is kept: {asked:?}");
    let asked = site.crawled_into(&data, &["--crawllets", "never"], PLAIN);
    assert!(!asked.contains(WELL_KNOWN), "{asked:?}");
}
