//! Are the pages found that only a sitemap names? And what does `lycosa inspect sitemap` see?

use crate::support::*;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// What was asked for, in order.
type Asked = Arc<Mutex<Vec<String>>>;

/// A site on loopback with one linked page and two that only its sitemaps name.
fn site() -> (String, Asked) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let home = format!("http://{}", listener.local_addr().expect("bound"));
    let answers = answers(&home);
    let asked = Asked::default();
    let log = Arc::clone(&asked);
    // The thread ends with the test program.
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // Who hangs up is not our trouble.
            drop(answer(stream, &answers, &log));
        }
    });
    (home, asked)
}

fn answers(home: &str) -> BTreeMap<&'static str, (&'static str, String)> {
    let html = |title: &str, body: &str| {
        let text = "<!DOCTYPE html><meta charset=utf-8>";
        ("text/html", format!("{text}<title>{title}</title><body>{body}"))
    };
    let robots = "User-agent: *\nDisallow: /secret\nSitemap: /maps.xml\n".to_owned();
    let maps = format!(
        "<sitemapindex><sitemap><loc>{home}/pages.xml</loc></sitemap>\
         <sitemap><loc>{home}/list.txt</loc></sitemap></sitemapindex>"
    );
    let pages = format!(
        "<urlset><url><loc>{home}/unlinked</loc></url><url><loc>{home}/secret</loc></url>\
         <url><loc>http://elsewhere.invalid/</loc></url></urlset>"
    );
    BTreeMap::from([
        ("/robots.txt", ("text/plain", robots)),
        ("/maps.xml", ("text/xml", maps)),
        ("/pages.xml", ("application/xml", pages)),
        ("/list.txt", ("text/plain", format!("{home}/listed\n{home}/linked\n"))),
        ("/", html("Front", "<p>Welcome to the lighthouse. <a href=/linked>More</a>")),
        ("/linked", html("Linked", "<p>The lamp was lit every evening.")),
        ("/unlinked", html("Unlinked", "<p>A pharos that nobody links to.")),
        ("/listed", html("Listed", "<p>The keeper wrote a list.")),
        ("/secret", html("Secret", "<p>Not for us.")),
    ])
}

fn answer(
    mut stream: TcpStream,
    answers: &BTreeMap<&'static str, (&'static str, String)>,
    log: &Asked,
) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    let (status, kind, body) = match answers.get(path.as_str()) {
        Some((kind, body)) => ("200 OK", *kind, body.as_str()),
        None => ("404 Not Found", "text/plain", "no such page"),
    };
    log.lock().expect("no test panics with it").push(path);
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn crawl(home: &str, data: &Path, trace: &Path, more: &[&str]) -> serde_json::Value {
    let mut command = lycosa(["crawl", "--json", "-q", "--allow-private", "--delay", "0s", home]);
    command.args(["--data", text(data), "--trace", text(trace)]).args(more);
    Running::start(command).finish().exits(0).json()
}

fn sorted(mut paths: Vec<String>) -> Vec<String> {
    paths.sort();
    paths
}

#[test]
fn pages_that_only_a_sitemap_names_are_found_and_the_sitemap_is_no_page() {
    let dir = tempfile::tempdir().expect("a folder");
    let (data, trace) = (dir.path().join("data"), dir.path().join("trace.jsonl"));
    let (home, asked) = site();
    let summary = crawl(&home, &data, &trace, &[]);
    assert_eq!(summary["pages"], 4);
    let expected = ["/", "/linked", "/list.txt", "/listed", "/maps.xml", "/pages.xml"];
    let expected: Vec<&str> = expected.into_iter().chain(["/robots.txt", "/unlinked"]).collect();
    let all = asked.lock().expect("whole").clone();
    assert_eq!(&all[..3], ["/robots.txt", "/", "/maps.xml"], "the seed comes first");
    assert_eq!(sorted(all), expected, "each is asked for once, the forbidden page never");
    let found = sorted(
        Trace::read(&trace).urls("fetched").iter().map(|url| url.replace(&home, "")).collect(),
    );
    assert_eq!(found, ["/", "/linked", "/listed", "/unlinked"]);
    let indexed = exported("jsonl", &data);
    assert_eq!(indexed.len(), 4);
    assert!(indexed.contains_key(&format!("{home}/unlinked")));
    let kept = archived(&data);
    assert_eq!(kept.pages.get(&format!("{home}/maps.xml")), Some(&1), "sitemaps are archived");
    let hit = run(["search", "pharos", "--json", "--data", text(&data)]).exits(0).json();
    assert_eq!(hit["results"][0]["title"], "Unlinked");
    let why = run(["url", &format!("{home}/secret"), "--data", text(&data)]).exits(0).stdout;
    assert!(why.contains("Disallow: /secret"), "{why}");

    // Going on with a crawl that has ended asks for nothing.
    let before = asked.lock().expect("whole").len();
    let summary = crawl(&home, &data, &dir.path().join("again.jsonl"), &["--resume"]);
    assert_eq!(asked.lock().expect("whole").len(), before, "{summary}");
}

#[test]
fn sitemaps_can_be_turned_off() {
    let dir = tempfile::tempdir().expect("a folder");
    let config = dir.path().join("lycosa.toml");
    std::fs::write(&config, "[crawl]\nsitemaps = false\n").expect("written");
    let (home, asked) = site();
    let (data, trace) = (dir.path().join("data"), dir.path().join("trace.jsonl"));
    let summary = crawl(&home, &data, &trace, &["--config", text(&config)]);
    assert_eq!(summary["pages"], 2);
    let all = asked.lock().expect("whole").clone();
    assert_eq!(all, ["/robots.txt", "/", "/linked"]);
}

#[test]
fn inspect_shows_entries_and_faults() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("map.xml");
    let map = "<urlset><url><loc>/a</loc><lastmod>2024-05-01</lastmod><priority>0.8</priority>\
        <changefreq>Daily</changefreq></url><url><loc>b</loc></url>";
    std::fs::write(&file, map).expect("written");
    let seen =
        run(["inspect", "sitemap", text(&file), "--url", "https://h.test/x/map.xml", "--json"])
            .exits(0)
            .json();
    assert_eq!(
        seen,
        serde_json::json!({
            "url": "https://h.test/x/map.xml",
            "kind": "urlset",
            "entries": [
                {"url": "https://h.test/a", "lastmod": "2024-05-01T00:00:00Z", "priority": 0.8,
                 "changefreq": "daily"},
                {"url": "https://h.test/x/b", "lastmod": null, "priority": null, "changefreq": null},
            ],
            "faults": ["it breaks off before its end"],
        })
    );
    let page = dir.path().join("page.html");
    std::fs::write(&page, "<!DOCTYPE html><html><p>Sorry").expect("written");
    let seen = run(["inspect", "sitemap", text(&page), "--json"]).exits(1).json();
    assert_eq!(
        (seen["kind"].as_str(), seen["faults"][0].as_str()),
        (Some("unknown"), Some("it is an HTML page"),)
    );
    run(["inspect", "sitemap", "nowhere.xml"]).fails_with(&["nowhere.xml", "No such file"], "");

    let batch = dir.path().join("batch.jsonl");
    let line = |file: &Path| serde_json::json!({ "file": file, "url": "http://b.test/" });
    let lines = format!("{}\n{}\n", line(&file), line(&dir.path().join("none")));
    std::fs::write(&batch, lines).expect("written");
    let rows = run(["inspect", "sitemap", "--batch", text(&batch)]).exits(0).json_lines();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["entries"][0]["url"], "http://b.test/a");
    assert!(rows[1]["error"].as_str().is_some_and(|why| why.contains("none")), "{}", rows[1]);
}
