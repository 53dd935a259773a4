//! What becomes of pages that scripts make? Crawled with a browser, archived, indexed and replayed.

use crate::support::site::{Answer, Site};
use crate::support::*;
use lycosa_store::archive::{Entry, Kind, Limits, Reader, Record};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const SHELL: &str = "<!DOCTYPE html><title>shell</title>\
    <div id=root></div><script src=/app.js></script>";
const APP: &str = "const root = document.getElementById('root');\
    const data = location.pathname === '/other' ? '/other.json' : '/data.json';\
    fetch(data).then(answer => answer.json()).then(data => {\
        document.title = data.title;\
        root.innerHTML = `<p>${data.text}</p><a href=/second>second</a><a href=/other>other</a>`;\
    });\
    fetch('/private/data.json').then(() => root.append('forbidden'));\
    setTimeout(() => { location = '/third'; }, 3000);";

/// A site of which readers without scripts see nothing.
fn application() -> Site {
    Site::serve(|_, path| match path {
        // Applications send the same bytes for all their pages.
        "/" | "/other" => Answer::html(SHELL).with("ETag", "\"shell\""),
        "/app.js" => Answer::html(APP).typed("text/javascript"),
        "/data.json" => {
            Answer::html(r#"{"title": "Lighthouses", "text": "Fresnel lenses gather the light."}"#)
                .typed("application/json")
        }
        "/other.json" => {
            Answer::html(r#"{"title": "Foghorns", "text": "Compressed air sounds the horn."}"#)
                .typed("application/json")
        }
        "/robots.txt" => Answer::html("User-agent: *\nDisallow: /private/\n").typed("text/plain"),
        "/second" | "/third" => Answer::html("<p>A page that speaks for itself, at some length."),
        _ => Answer::missing(),
    })
}

fn records(data: &Path, kind: Kind) -> Vec<Record> {
    let files = data::archive_files(data, ".warc.gz");
    let entries =
        files.iter().flat_map(|path| Reader::open(path, Limits::default()).expect("WARC"));
    let records = entries.map(|entry| match entry.expect("readable") {
        Entry::Record(record) => record,
        Entry::Fault(fault) => panic!("{fault:?}"),
    });
    records.filter(|record| record.kind == kind).collect()
}

fn hits(data: &Path, words: &str) -> Vec<String> {
    let found = run(["search", "--json", "--data", text(data), words]).exits(0).json();
    let hits = found["hits"].as_array().or_else(|| found["results"].as_array());
    let title = |hit: &Value| hit["title"].as_str().unwrap_or_default().to_owned();
    hits.expect("a list").iter().map(title).collect()
}

#[test]
fn what_scripts_make_of_a_page_is_followed_archived_and_found() {
    if !outside::is_here("chromium") {
        return;
    }
    let site = application();
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let plain = site.crawled(&[], "");
    assert!(!plain.contains("/second") && !plain.contains("/app.js"), "{plain:?}");

    let asked = site.crawled_into(&data, &["--render", "auto"], "");
    for path in ["/app.js", "/data.json", "/second", "/third"] {
        assert!(asked.contains(path), "{path}: {asked:?}");
    }
    assert!(!asked.iter().any(|path| path.starts_with("/private/")), "robots.txt holds for parts");
    outside::warcio_accepts(&data);
    let conversions = records(&data, Kind::Conversion);
    assert_eq!(conversions.len(), 2, "auto renders only what needs it");
    let page = format!("http://{}/", site.address);
    let first = conversions.iter().find(|record| record.target_uri.as_deref() == Some(&page));
    let first = first.expect("the page as it was rendered");
    let html = String::from_utf8_lossy(&first.block);
    assert!(html.contains("Fresnel") && html.contains("href=\"/second\""), "{html}");
    let responses = records(&data, Kind::Response);
    let original = responses.iter().find(|record| record.target_uri.as_deref() == Some(&page));
    let original = original.expect("the page as it came");
    assert_eq!(first.refers_to(), original.id());
    assert!(original.block.ends_with(SHELL.as_bytes()));
    assert_eq!(hits(&data, "fresnel"), ["Lighthouses"]);
    assert_eq!(hits(&data, "compressed"), ["Foghorns"], "equal bytes are not one page");

    // An index that is lost is built again from the archive, rendered pages as they were rendered.
    std::fs::remove_dir_all(data.join("index")).expect("an index");
    let mut resume = lycosa(["crawl", "-q", "--resume", "--allow-private", "--render", "never"]);
    resume.args(["--data", text(&data)]);
    Running::start(resume).finish();
    assert_eq!(hits(&data, "fresnel"), ["Lighthouses"]);
    let imported = dir.path().join("imported");
    let mut import: Vec<String> =
        ["import", "warc", "--data", text(&imported)].map(Into::into).into();
    import.extend(data::archive_files(&data, ".warc.gz").iter().map(|path| text(path).to_owned()));
    run(&import).exits(0);
    assert_eq!(hits(&imported, "fresnel"), ["Lighthouses"]);

    // The archive has everything that the page needed, so it can be rendered again without a network.
    let archive = data.join("archive");
    drop(site);
    let again = dir.path().join("again");
    let mut replay = lycosa(["crawl", "-q", "--render", "always", "--replay", text(&archive)]);
    replay.args(["--data", text(&again), &page]);
    Running::start(replay).finish().exits(0);
    assert_eq!(hits(&again, "fresnel"), ["Lighthouses"]);
    // The third page has the bytes of the second, and neither is rendered.
    let kept = archived(&again);
    let pages: BTreeSet<String> = kept.pages.into_keys().chain(kept.revisits.into_keys()).collect();
    assert!(pages.contains(&format!("{page}third")), "{pages:?}");
    assert_eq!(records(&again, Kind::Conversion).len(), 2, "what has no scripts is not rendered");
}

#[test]
fn a_missing_browser_is_an_error_with_a_hint() {
    let dir = tempfile::tempdir().expect("a folder");
    let config = dir.path().join("c.toml");
    std::fs::write(&config, "[render]\nchromium = \"/nowhere/chromium\"\n").expect("written");
    let data = dir.path().join("data");
    run([
        "crawl",
        "-q",
        "--render",
        "auto",
        "--config",
        text(&config),
        "--data",
        text(&data),
        "--allow-private",
        "http://127.0.0.1:9/",
    ])
    .fails_with(&["/nowhere/chromium was not found"], "apt install chromium");
    run(["crawl", "--render", "sometimes", "http://a.test/"]).exits(2);
}

#[test]
fn the_browser_dies_with_the_crawl() {
    if !outside::is_here("chromium") {
        return;
    }
    let site = Site::serve(|_, path| match path {
        "/robots.txt" => Answer::missing(),
        _ => Answer::html("<p>x<script>for(;;);</script>"),
    });
    let dir = tempfile::tempdir().expect("a folder");
    let (data, config) = (dir.path().join("data"), dir.path().join("c.toml"));
    // The browser takes no temporary folder with a long name.
    let long = dir.path().join("x".repeat(60));
    std::fs::create_dir(&long).expect("a folder");
    // By this name its processes are known.
    let name = format!("https://{}.test", std::process::id());
    std::fs::write(&config, format!("contact = \"{name}\"\n")).expect("written");
    let browsers = || -> Vec<String> {
        let processes = std::fs::read_dir("/proc").expect("Linux").flatten();
        let lines = processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
        let lines = lines.map(|line| String::from_utf8_lossy(&line).into_owned());
        lines.filter(|line| line.contains(&name)).collect()
    };
    let folder = || {
        let lines = browsers();
        let words = lines.iter().flat_map(|line| line.split(['\0', ' ']));
        words.filter_map(|word| word.strip_prefix("--user-data-dir=")).map(PathBuf::from).next()
    };
    let mut command =
        lycosa(["crawl", "-q", "--allow-private", "--render", "always", "--delay", "0s"]);
    command.args(["--data", text(&data), "--config", text(&config)]);
    command.arg(format!("http://{}/", site.address)).env("TMPDIR", &long);
    let running = Running::start(command);
    until("the page is asked for", || site.asked().contains("/").then_some(()));
    let folder = folder().expect("a browser that was told where to keep its things");
    assert!(folder.exists());
    running.kill();
    until("no browser is left", || browsers().is_empty().then_some(()));
    until("its folder is removed", || (!folder.exists()).then_some(()));
}
