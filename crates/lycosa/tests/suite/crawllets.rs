//! Are crawllets no burden to who has no key, and no obstacle where a site takes none?

use crate::support::outside::http;
use crate::support::site::{Answer, Site};
use crate::support::*;
use std::os::unix::fs::PermissionsExt;

/// Where sites are asked about crawllets.
const WELL_KNOWN: &str = "/.well-known/crawllet";

/// Nothing is asked for that nobody links to.
const PLAIN: &str = "[content]\nsoft_404 = false\n";

/// Makes the key of an engine.
fn keygen(data: &std::path::Path) -> Ran {
    let keygen = ["crawllet", "keygen", "--domain", "search.example.org", "--json", "--data"];
    run([&keygen[..], &[text(data)]].concat())
}

#[test]
fn bots_of_other_processes_send_none_and_whoever_asks_for_them_is_told() {
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let broker = ["agent", "broker", "--crawllets", "only", "--data", text(&data)];
    run([&broker[..], &["http://a.test/"]].concat()).fails_with(
        &["bots of other processes send no crawllets"],
        "lycosa crawl --crawllets only",
    );
    assert!(!data.join("broker").exists(), "nothing was begun");
}

#[test]
fn a_server_shows_the_public_key_as_web_bot_auth_wants_it() {
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let key = keygen(&data).exits(0).json();
    // Reached by others, it demands a token of them, but not for this.
    let command = lycosa(["serve", "--listen", "0.0.0.0:0", "--json", "--data", text(&data)]);
    let server = Running::start(command);
    let told: serde_json::Value = serde_json::from_str(&server.prints("listen")).expect("JSON");
    let port = told["listen"].as_str().and_then(|at| at.trim_end_matches('/').rsplit(':').next());
    let address = format!("127.0.0.1:{}", port.expect("a port"));
    assert_eq!(http(&address, "GET", "/api/status", "").status, 401);
    let answer = http(&address, "GET", "/.well-known/http-message-signatures-directory", "");
    assert_eq!(answer.status, 200, "{}", answer.body);
    let kind = "content-type: application/http-message-signatures-directory+json";
    assert!(answer.head.to_lowercase().lines().any(|line| line == kind), "{}", answer.head);
    for signed in ["signature-input: sig1=(\"@authority\";req);created=", "signature: sig1=:"] {
        assert!(answer.head.to_lowercase().contains(signed), "{}", answer.head);
    }
    let list: serde_json::Value = serde_json::from_str(&answer.body).expect("JSON");
    assert_eq!(list["keys"].as_array().map(Vec::len), Some(1), "{list}");
    let listed = &list["keys"][0];
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a clock");
    let now = now.as_secs();
    assert_eq!((&listed["kty"], &listed["crv"]), (&"OKP".into(), &"Ed25519".into()));
    assert_eq!(listed["x"], key["ed25519"], "the public key");
    assert_eq!(listed["kid"], key["thumbprint"], "RFC 7638");
    assert_eq!(listed["use"], "sig");
    assert!(listed["nbf"].as_u64() <= Some(now) && listed["exp"].as_u64() > Some(now), "{listed}");
    assert!(listed.get("d").is_none(), "nothing secret: {listed}");
    let secret = std::fs::read_to_string(data.join("crawllet.key")).expect("a key");
    let secret = secret.lines().last().and_then(|line| line.split(' ').next_back()).expect("one");
    assert!(!answer.body.contains(secret));
}

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
    let key = keygen(&data).exits(0).json();
    assert_eq!(key["domain"], "search.example.org");
    let file = data.join("crawllet.key");
    let mode = std::fs::metadata(&file).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let secret = std::fs::read_to_string(&file).expect("read");
    assert!(!key.to_string().contains(secret.lines().last().unwrap_or("?")), "it is not shown");
    keygen(&data).fails_with(&["crawllet.key"], "move it away");
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
fn a_page_that_says_where_crawllets_are_taken_is_believed_once() {
    let site = Site::serve(|_, path| match path {
        "/robots.txt" => Answer::missing(),
        "/" => Answer::html("<a href=/a>a</a> <a href=/b>b</a>")
            .with("Link", "</take-them>; rel=\"crawllet\""),
        "/a" | "/b" => {
            Answer::html(format!("<p>page {path}")).with("Link", "</take-them>; rel=crawllet")
        }
        _ => Answer::missing(),
    });
    let url = format!("http://{}", site.address);
    let said = run(["crawllet", "probe", &url, "--allow-private"]).exits(1).stdout;
    assert!(said.contains("takes no crawllets (its front page says so)"), "{said}");
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let asked = site.crawled_into(&data, &[], PLAIN);
    assert!(!asked.contains("/take-them"), "without a key: {asked:?}");
    run(["crawllet", "keygen", "--domain", "engine.test", "--data", text(&data)]).exits(0);
    let asked = site.crawled_into(&data, &[], PLAIN);
    assert!(asked.contains("/take-them") && !asked.contains(WELL_KNOWN), "{asked:?}");
    assert_eq!(asked.len(), 4, "its rules are known: {asked:?}");
    let asked = site.crawled_into(&data, &[], PLAIN);
    assert!(!asked.contains("/take-them"), "a no is kept: {asked:?}");
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
