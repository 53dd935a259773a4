//! Can a crawl be repeated? From an archive, without a network, to the byte.

use crate::support::*;
use lycosa_lab::synthetic::{Facts, Naming, Shape};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The demo web in an archive.
fn kept() -> &'static (PathBuf, Facts) {
    static KEPT: OnceLock<(PathBuf, Facts)> = OnceLock::new();
    KEPT.get_or_init(|| kept_web(7, Shape::demo(), Naming::plain(), &lasting_folder("replay")))
}

/// A crawl of an archive: its summary and its trace.
fn replay(archive: &Path, dir: &Path, arguments: &[&str]) -> (Value, String) {
    let (summary, trace) = replayed(archive, dir, arguments);
    (summary, std::fs::read_to_string(trace).expect("a trace"))
}

#[test]
fn the_same_crawl_twice_gives_the_same_trace_to_the_byte() {
    let (archive, facts) = kept();
    for more in
        [&["--strategy", "breadth-first"][..], &["--strategy", "best-first", "--topic", "stars"]]
    {
        let mut arguments = vec!["--scope", "any", facts.fronts[0].as_str()];
        arguments.extend(more);
        let dirs = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        let [first, second] = dirs.each_ref().map(|dir| replay(archive, dir.path(), &arguments));
        assert_eq!(first.1, second.1, "traces of {more:?}");
        assert_eq!(first.0, second.0, "summaries of {more:?}");
        assert_eq!(first.0["pages"], facts.pages.len(), "one front page leads to all others");
    }
}

#[test]
fn three_bots_take_turns_in_the_same_order_each_time() {
    let (archive, facts) = kept();
    let arguments = ["--scope", "any", "--agents", "3", facts.fronts[0].as_str()];
    let dirs = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let [first, second] = dirs.each_ref().map(|dir| replay(archive, dir.path(), &arguments));
    assert_eq!(first.1, second.1);
    let trace = Trace::read(&dirs[0].path().join("trace.jsonl"));
    let fetched = trace.urls("fetched");
    let distinct: BTreeSet<&str> = fetched.iter().copied().collect();
    assert_eq!((fetched.len(), distinct.len()), (facts.pages.len(), facts.pages.len()));
    let agents: BTreeSet<&str> = trace.0.iter().filter_map(|row| row["agent"].as_str()).collect();
    assert_eq!(agents, BTreeSet::from(["bot-1", "bot-2", "bot-3"]));
    assert_eq!(first.0["overlap"], 0);
    data::check_cdxj(&dirs[0].path().join("data"));
}

#[test]
fn the_trace_tells_where_each_page_was_found() {
    let (archive, facts) = kept();
    let dir = tempfile::tempdir().expect("a folder");
    replay(archive, dir.path(), &["--scope", "any", &facts.fronts[0]]);
    let trace = Trace::read(&dir.path().join("trace.jsonl"));
    let mut known = BTreeSet::from([facts.fronts[0].clone()]);
    let mut last = 0.0;
    for (at, row) in trace.0.iter().enumerate() {
        let fields: Vec<&str> =
            row.as_object().expect("an object").keys().map(String::as_str).collect();
        let shape =
            ["n", "t", "url", "status", "bytes", "agent", "score", "via", "outcome", "lang"];
        assert_eq!(fields, shape);
        assert_eq!(row["n"], at + 1);
        let t = row["t"].as_f64().expect("seconds");
        assert!(t >= last, "time goes forward: {row}");
        last = t;
        assert!(!row["url"].as_str().expect("url").ends_with("/robots.txt"), "{row}");
        let found = row["via"].as_str().map_or(at == 0, |via| known.contains(via));
        assert!(found, "found on a page that was fetched before: {row}");
        known.insert(row["url"].as_str().expect("url").to_owned());
    }
}

#[test]
fn a_replay_uses_no_network() {
    let dir = tempfile::tempdir().expect("a folder");
    // The same web is there, on loopback, and allowed: a crawl that asked it would be seen.
    let live = LiveWeb::serve(3, Shape { sites: 2, ..Shape::demo() });
    let archive = dir.path().join("web");
    std::fs::create_dir_all(&archive).expect("a folder");
    live.web().export_warc(&archive).expect("an archive");
    let mut arguments = vec!["--scope", "any", "--allow-private"];
    arguments.extend(live.facts.fronts.iter().map(String::as_str));
    let (summary, _) = replay(&archive, dir.path(), &arguments);
    assert_eq!(summary["pages"], live.facts.pages.len());
    assert_eq!(live.total(), 0);
}

#[test]
fn what_a_crawl_has_archived_can_be_crawled_again() {
    let (archive, facts) = kept();
    let dirs = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let arguments = ["--scope", "any", facts.fronts[0].as_str()];
    let first = replay(archive, dirs[0].path(), &arguments);
    let again = replay(&dirs[0].path().join("data/archive"), dirs[1].path(), &arguments);
    assert_eq!(first.0["pages"], again.0["pages"]);
    let pages = |dir: &Path| -> BTreeSet<String> {
        let trace = Trace::read(&dir.join("trace.jsonl"));
        trace.urls("fetched").into_iter().map(str::to_owned).collect()
    };
    assert_eq!(pages(dirs[0].path()), pages(dirs[1].path()));
}

/// The replay proxy, listening.
fn proxy(dir: &Path) -> (Running, String, String) {
    let (archive, _) = kept();
    let data = dir.join("proxy");
    let command = lycosa([
        "replay",
        text(archive),
        "--listen",
        "127.0.0.1:0",
        "--json",
        "--data",
        text(&data),
    ]);
    let running = Running::start(command);
    let told: Value = serde_json::from_str(&running.prints("proxy")).expect("JSON");
    let field = |name: &str| told[name].as_str().expect("text").to_owned();
    let (address, ca) = (field("proxy"), field("ca"));
    (running, address, ca)
}

#[test]
fn curl_reads_the_archive_through_the_proxy() {
    if !outside::is_here("curl") {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let (running, address, ca) = proxy(dir.path());
    let front = &kept().1.fronts[0];
    let secure = front.replace("http://", "https://");
    let curl = |arguments: &[&str]| {
        let mut command = Command::new("curl");
        command.args(["-sS", "--noproxy", "", "--proxy", &address]).args(arguments);
        command.output().expect("curl runs")
    };
    let plain = curl(&["-f", front]);
    assert!(plain.status.success(), "{}", String::from_utf8_lossy(&plain.stderr));
    let page = String::from_utf8_lossy(&plain.stdout).into_owned();
    assert!(page.contains("<title>"), "{page}");
    let missing = curl(&["-o", "/dev/null", "-w", "%{http_code}", "http://elsewhere.test/"]);
    assert_eq!(String::from_utf8_lossy(&missing.stdout), "404");
    let secured = curl(&["-f", "--cacert", &ca, &secure]);
    assert!(secured.status.success(), "{}", String::from_utf8_lossy(&secured.stderr));
    assert_eq!(secured.stdout, plain.stdout, "http and https are served from the same archive");
    assert!(!curl(&["-f", &secure]).status.success(), "its certificates are not trusted by chance");
    running.signal("INT");
    running.finish().exits(0);
}

#[test]
fn wget_crawls_through_the_proxy() {
    if !outside::is_here("wget") {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let (_running, address, _) = proxy(dir.path());
    let front = &kept().1.fronts[0];
    let mut command = Command::new("wget");
    command.args(["-q", "-r", "-l", "1", "-P", text(dir.path()), front]);
    command.env("http_proxy", &address).env_remove("no_proxy");
    command.output().expect("wget runs");
    let host = front.trim_start_matches("http://").trim_end_matches('/');
    let index = dir.path().join(host).join("index.html");
    assert!(index.exists(), "the front page was kept");
    let kept = std::fs::read_dir(dir.path().join(host)).expect("a mirror").count();
    assert!(kept > 3, "and the pages that it links to: {kept}");
}

#[test]
fn our_own_crawl_works_through_the_proxy() {
    let dir = tempfile::tempdir().expect("a folder");
    let (_running, address, _) = proxy(dir.path());
    let (data, config) = (dir.path().join("data"), dir.path().join("config.toml"));
    std::fs::write(&config, IMPATIENT).expect("written");
    let mut command = lycosa(["crawl", "--proxy", &address, "--delay", "0s", "--json", "-q"]);
    command.args(["--data", text(&data), "--config", text(&config), "--pages", "20"]);
    command.args(["--allow-private", &kept().1.fronts[0]]);
    let summary = Running::start(command).finish().exits(0).json();
    assert_eq!(summary["pages"], 20);
}

#[test]
fn a_large_archive_is_crawled_as_the_contract_says() {
    let Some(schools) = shared("web/schools.warc.gz") else { return };
    let seed = "http://schools.test/wiki/Sport";
    let arguments = ["--strategy", "breadth-first", "--pages", "300", seed];
    let dirs = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let [first, second] = dirs.each_ref().map(|dir| replay(&schools, dir.path(), &arguments));
    assert_eq!(first.1, second.1, "equal traces");
    assert_eq!((&first.0["pages"], &first.0["distinct"]), (&300.into(), &300.into()));
    assert_eq!(first.0["indexed"], 300);
    let data = dirs[0].path().join("data");
    let found = run(["search", "football world cup", "--json", "--data", text(&data)]);
    let found = found.exits(0).json();
    let hits = found["results"].as_array().expect("results");
    let urls: Vec<&str> = hits.iter().filter_map(|hit| hit["url"].as_str()).collect();
    assert!(urls.contains(&"http://schools.test/wiki/FIFA"), "{urls:?}");
    outside::warcio_accepts(&data);
}

#[test]
fn a_made_up_web_is_crawled_whole_and_its_measures_are_kept_for_a_resume() {
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let crawl = |arguments: &[&str]| {
        let mut command = lycosa(["crawl", "--json", "-q", "--data", text(&data)]);
        command.args(arguments);
        Running::start(command).finish()
    };
    let half = crawl(&["--synthetic", "300,6,5", "--pages", "150"]).exits(0).json();
    assert_eq!(half["pages"], 150);
    let whole = crawl(&["--resume", "--pages", "1000"]).exits(0).json();
    assert_eq!((&whole["distinct"], &whole["errors"]), (&300.into(), &0.into()));
    assert_eq!((&whole["indexed"], &whole["overlap"]), (&300.into(), &0.into()));
    let bad = crawl(&["--synthetic", "10,20"]);
    bad.exits(2);
}
