//! Does an index stay true while the web changes, and does it hold each page once?

use crate::support::*;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Status, further header lines and body of each page, by path.
type Pages = Arc<Mutex<BTreeMap<String, (u16, String, String)>>>;

/// A site on loopback whose pages the test changes.
struct Site {
    front: String,
    pages: Pages,
    /// What is said of pages that are not there.
    missing: Arc<Mutex<(u16, String)>>,
}

impl Site {
    fn serve() -> Site {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        let pages = Pages::default();
        let missing = Arc::new(Mutex::new((404, "no".to_owned())));
        let (known, unknown) = (Arc::clone(&pages), Arc::clone(&missing));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (known, unknown) = (Arc::clone(&known), Arc::clone(&unknown));
                std::thread::spawn(move || answer(&stream, &known, &unknown));
            }
        });
        Site { front: format!("http://127.0.0.1:{port}/"), pages, missing }
    }

    fn put(&self, path: &str, status: u16, header: &str, body: &str) {
        let page = (status, header.to_owned(), body.to_owned());
        self.pages.lock().expect("pages").insert(path.into(), page);
    }

    /// A page of some words of its own and these links.
    fn page(&self, path: &str, words: &str, links: &[&str]) {
        let links: String =
            links.iter().map(|link| format!("<p><a href=\"{link}\">{link}</a>")).collect();
        let text = format!("{words} ").repeat(12);
        self.put(path, 200, "", &format!("<title>{words}</title><p>{text}{links}"));
    }

    fn url(&self, path: &str) -> String {
        format!("{}{}", self.front, path.trim_start_matches('/'))
    }
}

fn answer(mut stream: &TcpStream, pages: &Pages, missing: &Mutex<(u16, String)>) {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    while reader.read_line(&mut line).is_ok_and(|count| count > 0) {
        let target = line.split(' ').nth(1).unwrap_or("/").to_owned();
        let mut condition = None;
        while line.trim() != "" {
            line.clear();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            let field = line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value));
            if let Some((_, tag)) = field.filter(|(name, _)| name == "if-none-match") {
                condition = Some(format!("ETag: {tag}"));
            }
        }
        line.clear();
        let known = pages.lock().expect("pages").get(&target).cloned();
        let (status, header, body) = known.unwrap_or_else(|| {
            let (status, words) = missing.lock().expect("missing").clone();
            let status = if target == "/robots.txt" { 404 } else { status };
            (status, String::new(), format!("<title>{words}</title><p>{words}: {target}"))
        });
        let (status, body) = match condition.is_some_and(|tag| header.contains(&tag)) {
            true => (304, String::new()),
            false => (status, body),
        };
        let head = format!(
            "HTTP/1.1 {status} X\r\nContent-Type: text/html; charset=utf-8\r\n{header}\
             Content-Length: {}\r\n\r\n",
            body.len()
        );
        if stream.write_all((head + &body).as_bytes()).is_err() {
            return;
        }
    }
}

/// Pages come up again within moments, and what is said twice is believed.
const EAGER: &str = "[crawl]\nretry = \"20ms\"\n[revisit]\ncycle = \"1s\"\nmin_interval = \"1ms\"\n\
                     gone_after = \"1ms\"\n";

fn crawl(data: &Path, args: &[&str]) -> serde_json::Value {
    let config = data.with_extension("toml");
    std::fs::write(&config, EAGER).expect("written");
    let mut command = lycosa(["crawl", "--json", "-q", "--allow-private", "--delay", "0s"]);
    command.args(["--data", text(data), "--config", text(&config)]).args(args);
    Running::start(command).finish().exits(0).json()
}

fn indexed(data: &Path) -> Vec<String> {
    exported("jsonl", data).into_keys().collect()
}

fn reason(data: &Path, url: &str) -> String {
    let ran = run(["url", "--json", "--data", text(data), url]).exits(0);
    ran.json()["reason"].as_str().expect("a reason").to_owned()
}

#[test]
fn pages_that_are_gone_or_moved_leave_the_index_and_failing_ones_stay() {
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let site = Site::serve();
    let paths = ["/gone", "/failing", "/moved", "/changed", "/same"];
    site.page("/", "front", &paths);
    for path in paths {
        site.page(path, path.trim_start_matches('/'), &[]);
    }
    crawl(&data, &[&site.front]);
    assert_eq!(indexed(&data).len(), 6);
    site.pages.lock().expect("pages").remove("/gone");
    site.put("/failing", 500, "", "broken");
    site.put("/moved", 301, "Location: /new\r\n", "");
    site.page("/new", "arrival", &[]);
    site.page("/changed", "metamorphosis", &["/found"]);
    site.page("/found", "discovery", &[]);
    let summary = crawl(&data, &["--revisit", "--pages", "60"]);
    assert!(summary["revisit"]["changed"].as_u64() >= Some(3), "{summary}");
    assert!(summary["revisit"]["unchanged"].as_u64() >= Some(2), "{summary}");
    let expected: Vec<String> =
        ["/", "/changed", "/failing", "/found", "/new", "/same"].map(|path| site.url(path)).into();
    assert_eq!(indexed(&data), expected, "{summary}");
    assert!(reason(&data, &site.url("/gone")).contains("left_gone"));
    assert!(reason(&data, &site.url("/moved")).contains("left_moved"));
    let found = run(["search", "--json", "--data", text(&data), "metamorphosis"]).exits(0);
    assert_eq!(found.json()["results"][0]["url"], site.url("/changed"));
}

#[test]
fn what_has_left_leaves_the_index_also_when_the_index_was_not_there_to_be_told() {
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let site = Site::serve();
    site.page("/", "front", &["/a", "/b"]);
    site.page("/a", "herons", &[]);
    site.page("/b", "spiders", &[]);
    crawl(&data, &[&site.front]);
    site.put("/b", 410, "", "");
    crawl(&data, &["--revisit", "--pages", "9", "--no-index"]);
    assert_eq!(indexed(&data).len(), 3, "nobody has told the index");
    crawl(&data, &["--revisit", "--pages", "1"]);
    assert_eq!(indexed(&data), [site.url("/"), site.url("/a")]);
}

#[test]
fn one_page_under_many_addresses_is_archived_and_indexed_once() {
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let site = Site::serve();
    let copies = ["/a", "/a?print=1", "/a/index.html", "/b"];
    site.page("/", "front", &copies);
    for path in copies {
        site.page(path, "herons", &[]);
    }
    let summary = crawl(&data, &[&site.front]);
    assert_eq!(summary["outcomes"]["same_as"], 3, "{summary}");
    assert_eq!(indexed(&data), [site.url("/"), site.url("/a")]);
    let kept = archived(&data);
    let revisits: Vec<String> = kept.revisits.keys().cloned().collect();
    assert_eq!(revisits, ["/a/index.html", "/a?print=1", "/b"].map(|path| site.url(path)));
    assert!(reason(&data, &site.url("/b")).contains(&site.url("/a")));
    outside::warcio_accepts(&data);
    data::check_cdxj(&data);
}

/// Two pages with validators, and one that is at two addresses.
fn tagged() -> Site {
    let site = Site::serve();
    let body = |words: &str, links: &str| {
        format!("<title>{words}</title><p>{}{links}", format!("{words} ").repeat(12))
    };
    let links = "<a href=/a>a</a><a href=/b>b</a><a href=/copy>c</a>";
    site.put("/", 200, "ETag: \"front\"\r\n", &body("front", links));
    site.put("/a", 200, "ETag: \"a\"\r\n", &body("herons", ""));
    site.put("/b", 200, "", &body("spiders", ""));
    site.put("/copy", 200, "", &body("spiders", ""));
    site
}

#[test]
fn a_crawl_that_keeps_nothing_knows_what_has_not_changed_and_what_is_the_same() {
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let site = tagged();
    let nothing = ["--no-archive", "--no-index"];
    let summary = crawl(&data, &[&nothing[..], &[&site.front]].concat());
    assert_eq!(summary["outcomes"]["same_as"], 1, "{summary}");
    assert!(reason(&data, &site.url("/copy")).contains(&site.url("/b")));
    site.put("/copy", 200, "", "<title>flies</title><p>flies");
    let summary = crawl(&data, &[&nothing[..], &["--revisit", "--pages", "4"]].concat());
    let revisit = &summary["revisit"];
    assert_eq!((&revisit["changed"], &revisit["unchanged"]), (&1.into(), &3.into()), "{summary}");
    assert_eq!(summary["outcomes"]["not_modified"], 2, "{summary}");
}

#[test]
fn what_an_earlier_crawl_did_not_keep_is_fetched_whole_by_one_that_does() {
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let site = tagged();
    crawl(&data, &["--no-archive", "--no-index", &site.front]);
    let all = ["/", "/a", "/b"].map(|path| site.url(path));
    let summary = crawl(&data, &["--no-archive", &site.front]);
    assert_eq!(summary["outcomes"]["not_modified"], serde_json::Value::Null, "{summary}");
    assert_eq!(indexed(&data), all);
    // The index has them now, and the archive has not.
    let summary = crawl(&data, &["--no-archive", &site.front]);
    assert_eq!(summary["outcomes"]["not_modified"], 2, "{summary}");
    let summary = crawl(&data, &["--no-index", &site.front]);
    assert_eq!(summary["outcomes"]["not_modified"], serde_json::Value::Null, "{summary}");
    assert_eq!(archived(&data).pages.len(), 3);
    // What nobody keeps is not lost by a look at it.
    let summary = crawl(&data, &["--no-archive", "--no-index", &site.front]);
    assert_eq!(summary["outcomes"]["not_modified"], 2, "{summary}");
    let summary = crawl(&data, &[&site.front]);
    assert_eq!(summary["outcomes"]["not_modified"], 2, "{summary}");
    assert_eq!(archived(&data).revisits.len(), 4);
    assert_eq!(indexed(&data), all);
}

#[test]
fn a_site_that_says_not_found_with_status_200_is_seen_through() {
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let site = Site::serve();
    *site.missing.lock().expect("missing") = (200, "Sorry, nothing of that name is here".into());
    let broken: Vec<String> = (0..12).map(|n| format!("/lost/page-{n}.html")).collect();
    let mut links: Vec<&str> = broken.iter().map(String::as_str).collect();
    links.extend(["/a", "/b"]);
    site.page("/", "front", &links);
    site.page("/a", "herons", &[]);
    site.page("/b", "spiders", &[]);
    let summary = crawl(&data, &[&site.front]);
    assert_eq!(summary["outcomes"]["soft_404"], 12, "{summary}");
    assert_eq!(indexed(&data), ["/", "/a", "/b"].map(|path| site.url(path)));
    assert!(reason(&data, &site.url("/lost/page-3.html")).contains("soft_404"));
}
