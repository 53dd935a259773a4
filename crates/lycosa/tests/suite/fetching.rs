//! Is the web asked politely, within limits, and only for what is new? And can the crawl be looked at
//! while it runs?

use crate::support::*;
use lycosa_lab::synthetic::{Facts, Naming, Shape};
use lycosa_model::{Headers, Tick};
use lycosa_store::archive::{
    Capture, DEFAULT_LEVEL, RecordIds, Writer, WriterSettings, encode_capture,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

fn kept() -> &'static (PathBuf, Facts) {
    static KEPT: OnceLock<(PathBuf, Facts)> = OnceLock::new();
    KEPT.get_or_init(|| kept_web(9, Shape::demo(), Naming::plain(), &lasting_folder("fetching")))
}

/// A crawl of an archive: its summary and its trace.
fn replay(archive: &Path, dir: &Path, arguments: &[&str]) -> (Value, Trace) {
    let (summary, trace) = replayed(archive, dir, arguments);
    (summary, Trace::read(&trace))
}

#[test]
fn a_second_crawl_asks_only_whether_pages_have_changed() {
    let dir = tempfile::tempdir().expect("a folder");
    let web = LiveWeb::serve(41, Shape::demo());
    let (data, config) = (dir.path().join("data"), dir.path().join("config.toml"));
    std::fs::write(&config, IMPATIENT).expect("written");
    let crawl = |trace: &str| {
        let trace = dir.path().join(trace);
        let mut command = lycosa(["crawl", "--json", "-q", "--scope", "any", "--allow-private"]);
        command.args(["--delay", "0s", "--data", text(&data), "--config", text(&config)]);
        command.args(["--trace", text(&trace)]).args(&web.facts.fronts);
        (Running::start(command).finish().exits(0).json(), Trace::read(&trace))
    };
    let (first, _) = crawl("first.jsonl");
    let indexed = exported("jsonl", &data);
    let (second, trace) = crawl("second.jsonl");
    assert_eq!(first["pages"], web.facts.pages.len());
    assert_eq!(second["pages"], 0, "nothing has changed");
    assert_eq!(second["seeds"], serde_json::json!([]), "which is no failure");
    assert_eq!(second["outcomes"]["not_modified"], web.facts.pages.len());
    let unchanged: BTreeSet<&str> = trace.urls("not_modified").into_iter().collect();
    assert_eq!(unchanged, web.facts.pages.iter().map(String::as_str).collect());
    assert!(
        trace
            .0
            .iter()
            .filter(|row| row["outcome"] == "not_modified")
            .all(|row| row["status"] == 304)
    );
    let kept = archived(&data);
    assert!(kept.pages.values().all(|copies| *copies == 1), "one copy of each page");
    let revisited: BTreeSet<&str> = kept.revisits.keys().map(String::as_str).collect();
    assert_eq!(revisited, unchanged, "and a record that it was the same");
    let conditional = |request: &&String| {
        let request = request.to_ascii_lowercase();
        request.contains("\r\nif-none-match:") || request.contains("\r\nif-modified-since:")
    };
    let asked = kept.requests.iter().filter(conditional).count();
    assert!(asked >= web.facts.pages.len(), "{asked} conditional requests");
    assert_eq!(exported("jsonl", &data), indexed, "the index is as it was");
    outside::warcio_accepts(&data);
    data::check_cdxj(&data);
}

#[test]
fn what_was_crawled_without_an_archive_is_archived_whole_by_the_next_crawl() {
    let dir = tempfile::tempdir().expect("a folder");
    let web = LiveWeb::serve(44, Shape::demo());
    let (data, config) = (dir.path().join("data"), dir.path().join("config.toml"));
    std::fs::write(&config, IMPATIENT).expect("written");
    let crawl = |more: &[&str]| {
        let mut command = lycosa(["crawl", "--json", "-q", "--scope", "any", "--allow-private"]);
        command.args(["--delay", "0s", "--data", text(&data), "--config", text(&config)]);
        command.args(more).args(&web.facts.fronts);
        Running::start(command).finish().exits(0).json()
    };
    let first = crawl(&["--no-archive", "--no-index"]);
    assert_eq!((&first["pages"], &first["stored"]), (&web.facts.pages.len().into(), &0.into()));
    let second = crawl(&[]);
    assert_eq!(second["pages"], web.facts.pages.len(), "{second}");
    let kept = archived(&data);
    let pages: BTreeSet<&String> = kept.pages.keys().collect();
    assert_eq!(pages, web.facts.pages.iter().collect());
    assert!(kept.revisits.is_empty(), "they would refer to nothing");
    assert!(web.facts.fronts.iter().all(|front| exported("jsonl", &data).contains_key(front)));
}

#[test]
fn a_web_that_is_down_takes_nothing_out_of_the_index() {
    let dir = tempfile::tempdir().expect("a folder");
    let web = LiveWeb::serve(43, Shape::demo());
    let (data, config) = (dir.path().join("data"), dir.path().join("config.toml"));
    std::fs::write(&config, IMPATIENT).expect("written");
    let fronts = web.facts.fronts.clone();
    let crawl = |code| {
        let mut command = lycosa(["crawl", "--json", "-q", "--scope", "any", "--allow-private"]);
        command.args(["--delay", "0s", "--data", text(&data), "--config", text(&config)]);
        command.args(&fronts);
        Running::start(command).finish().exits(code).json()
    };
    let first = crawl(0);
    let indexed = exported("jsonl", &data);
    assert!(fronts.iter().all(|front| indexed.contains_key(front)), "{first}");
    drop(web);
    let second = crawl(1);
    assert_eq!(second["pages"], 0);
    assert_eq!(second["seeds"].as_array().map(Vec::len), Some(fronts.len()), "{second}");
    assert_eq!(exported("jsonl", &data), indexed, "what was good is still found");
}

#[test]
fn a_crawl_keeps_to_its_limits() {
    let (archive, facts) = kept();
    let front = facts.fronts[0].as_str();
    let crawl = |arguments: &[&str]| {
        let dir = tempfile::tempdir().expect("a folder");
        replay(archive, dir.path(), arguments)
    };
    for agents in ["1", "3"] {
        let (summary, trace) =
            crawl(&["--pages", "40", "--agents", agents, "--scope", "any", front]);
        assert_eq!((&summary["pages"], &summary["stored"]), (&40.into(), &40.into()));
        assert_eq!(trace.urls("fetched").len(), 40, "{agents} agents");
        assert!(summary["queued"].as_u64() > Some(0));
    }
    let (_, trace) = crawl(&["--depth", "0", front]);
    assert_eq!(trace.urls("fetched"), [front]);
    let (_, trace) = crawl(&["--depth", "1", "--scope", "any", front]);
    assert!(trace.urls("fetched").len() > 5);
    assert!(trace.0.iter().all(|row| row["via"].is_null() || row["via"] == front), "one link away");
    let (_, trace) = crawl(&["--scope", "site", front]);
    assert!(
        trace.0.iter().all(|row| row["url"].as_str().is_some_and(|url| url.starts_with(front)))
    );
    let on_site = facts.pages.iter().filter(|page| page.starts_with(front)).count();
    assert_eq!(trace.urls("fetched").len(), on_site, "the whole site");
    let section = trace.urls("fetched").into_iter().find(|url| *url != front && url.ends_with('/'));
    let section = section.expect("a section").to_owned();
    let (_, trace) = crawl(&["--scope", "prefix", &section]);
    let fetched = trace.urls("fetched");
    assert!(fetched.len() > 1 && fetched.iter().all(|url| url.starts_with(&section)));
    let (summary, _) = crawl(&["--time", "20s", "--delay", "1s", "--scope", "site", front]);
    let pages = summary["pages"].as_u64().expect("a number");
    assert!((10..=21).contains(&pages), "a page a second for 20 seconds: {summary}");
}

#[test]
fn only_pages_with_the_wanted_language_are_kept() {
    let (archive, facts) = kept();
    let dir = tempfile::tempdir().expect("a folder");
    let arguments = ["--lang", "es", "--store-only-lang", "--scope", "any", &facts.fronts[0]];
    let (summary, _) = replay(archive, dir.path(), &arguments);
    assert_eq!(summary["pages"], facts.pages.len(), "all are fetched, for their links");
    let data = dir.path().join("data");
    let kept: BTreeSet<String> = archived(&data).pages.into_keys().collect();
    assert_eq!(summary["stored"], kept.len());
    assert!(facts.spanish.iter().all(|page| kept.contains(page)), "every Spanish page");
    assert!(kept.len() < facts.pages.len(), "and not all the others");
    let indexed = exported("jsonl", &data);
    assert!(indexed.keys().all(|page| kept.contains(page)));
    // A page that is kept and not in Spanish has a line of it: the title of a Spanish page.
    let part =
        |page: &String, field: &str| indexed[page][field].as_str().unwrap_or_default().to_owned();
    let spanish = facts.spanish.iter().filter(|page| indexed.contains_key(*page));
    let titles: BTreeSet<String> = spanish
        .map(|page| part(page, "title").split(" – ").next().unwrap_or_default().to_owned())
        .collect();
    for page in facts.english.iter().filter(|page| indexed.contains_key(*page)) {
        let text = part(page, "text");
        assert!(text.lines().any(|line| titles.contains(line)), "{page} has no Spanish: {text}");
    }
}

#[test]
fn links_from_pages_in_the_wanted_language_come_first() {
    let (archive, facts) = kept();
    let spanish = |arguments: &[&str]| {
        let dir = tempfile::tempdir().expect("a folder");
        let (_, trace) = replay(archive, dir.path(), arguments);
        let fetched = trace.urls("fetched");
        fetched.iter().filter(|url| facts.spanish.iter().any(|page| page == *url)).count()
    };
    // One exchange at a time: otherwise no site is left alone while it may be asked.
    let limits = ["--scope", "any", "--pages", "150", "--concurrency", "1", "--delay", "0s"];
    let limits = [&limits[..], &[facts.fronts[0].as_str()]].concat();
    let without = spanish(&limits);
    let with = spanish(&[&["--lang", "es"], &limits[..]].concat());
    assert!(with > without + 30, "{with} of 150 pages instead of {without}");
}

/// Seconds between one attempt on a site and the next.
fn pauses(trace: &Trace) -> BTreeMap<String, Vec<f64>> {
    let mut last: BTreeMap<String, f64> = BTreeMap::new();
    let mut pauses: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for row in &trace.0 {
        let url = row["url"].as_str().expect("url");
        let site = url.split('/').nth(2).expect("a host").to_owned();
        let t = row["t"].as_f64().expect("seconds");
        if let Some(before) = last.insert(site.clone(), t) {
            pauses.entry(site).or_default().push(t - before);
        }
    }
    pauses
}

#[test]
fn a_site_is_left_alone_between_two_requests() {
    let (archive, facts) = kept();
    let dir = tempfile::tempdir().expect("a folder");
    let mut arguments = vec!["--scope", "any", "--delay", "3s", "--agents", "2"];
    arguments.extend(facts.fronts.iter().map(String::as_str));
    let (summary, trace) = replay(archive, dir.path(), &arguments);
    let pauses = pauses(&trace);
    assert_eq!(pauses.len(), facts.fronts.len());
    for (site, pauses) in &pauses {
        let shortest = pauses.iter().copied().fold(f64::INFINITY, f64::min);
        assert!(shortest >= 2.99, "{site} was asked again after {shortest} s");
    }
    // Twelve sites are asked side by side: politeness is owed to each, not to all together.
    let seconds = summary["seconds"].as_f64().expect("seconds");
    let longest = pauses.values().map(Vec::len).max().unwrap_or(0) as f64;
    assert!(seconds < 2.0 * 3.0 * longest, "{seconds} s for {longest} pages on the largest site");
}

/// Writes a site of a front page and some pages, with this robots.txt, as an archive.
fn small_site(dir: &Path, robots: &str) -> PathBuf {
    let archive = dir.join("web");
    std::fs::create_dir_all(&archive).expect("a folder");
    let mut writer = Writer::open(&archive, "site", WriterSettings::default()).expect("an archive");
    let links: String = (0..10).map(|n| format!("<a href=/{n}>page {n}</a> ")).collect();
    let mut pages = vec![("/robots.txt".to_owned(), "text/plain", robots.to_owned())];
    pages.push(("/".into(), "text/html", format!("<title>Front</title><p>{links}")));
    pages.extend((0..10).map(|n| (format!("/{n}"), "text/html", format!("<p>Page {n}."))));
    for (number, (path, kind, body)) in pages.into_iter().enumerate() {
        let mut headers = Headers::default();
        headers.push("Content-Type", kind);
        let capture = Capture {
            url: &format!("http://small.test{path}"),
            fetched: Tick(1_700_000_000_000),
            ip: None,
            request: b"",
            status: 200,
            version: "1.1",
            headers: &headers,
            body: body.as_bytes(),
            truncated: None,
        };
        let ids = RecordIds { response: [number as u8; 16], request: [number as u8; 16] };
        writer.append(&encode_capture(&capture, ids, DEFAULT_LEVEL)).expect("appended");
    }
    writer.finish().expect("finished");
    archive
}

#[test]
fn a_crawl_delay_in_robots_txt_is_honoured() {
    let dir = tempfile::tempdir().expect("a folder");
    let robots = "User-agent: *\nCrawl-delay: 7\nDisallow: /3\n";
    let archive = small_site(dir.path(), robots);
    let (summary, trace) = replay(&archive, dir.path(), &["--delay", "1s", "http://small.test/"]);
    assert_eq!(summary["pages"], 10, "the front page and nine of ten pages");
    assert!(trace.urls("fetched").iter().all(|url| *url != "http://small.test/3"));
    let pauses = &pauses(&trace)["small.test"];
    assert!(pauses.iter().all(|pause| *pause >= 6.99), "{pauses:?}");
    // Its pages differ by a number only, so it is asked once for one that cannot be there.
    assert!(pauses.iter().filter(|pause| **pause >= 8.0).count() <= 1, "{pauses:?}");
}

#[test]
fn rules_for_us_by_name_come_before_those_for_everybody() {
    let dir = tempfile::tempdir().expect("a folder");
    let robots = "User-agent: *\nDisallow: /\n\nUser-agent: lycosa\nDisallow: /1\nAllow: /1$\n";
    let archive = small_site(dir.path(), robots);
    let (summary, _) = replay(&archive, dir.path(), &["http://small.test/"]);
    assert_eq!(summary["pages"], 11);
}

#[test]
fn a_running_crawl_can_be_looked_at_and_searched() {
    let dir = tempfile::tempdir().expect("a folder");
    let web = LiveWeb::serve(42, Shape::demo());
    let data = dir.path().join("data");
    let mut command = lycosa(["crawl", "--json", "--scope", "any", "--allow-private", "-q"]);
    command.args(["--delay", "200ms", "--agents", "2", "--data", text(&data)]);
    let crawl = Running::start({
        command.args(&web.facts.fronts);
        command
    });
    let look = |what: &[&str]| run(what.iter().chain(&["--json", "--data", text(&data)]));
    let agents = until("agents at work", || {
        let agents = look(&["agents"]).json();
        let busy = |agent: &Value| {
            agent["community"] == "bot" && agent["observed"]["pages"].as_u64() > Some(0)
        };
        agents.as_array()?.iter().any(busy).then_some(agents)
    });
    let agents = agents.as_array().expect("a list");
    for community in ["broker", "bot", "filter", "indexer"] {
        let here: Vec<&Value> = agents.iter().filter(|a| a["community"] == community).collect();
        assert!(!here.is_empty(), "{community}: {agents:?}");
        for agent in here {
            assert!(agent["observed"].is_object(), "it shows its state: {agent}");
            assert!(agent["handled"].is_u64() && agent["waiting"].is_u64(), "{agent}");
            assert_eq!(agent["restarts"], 0, "{agent}");
        }
    }
    assert_eq!(agents.iter().filter(|agent| agent["community"] == "bot").count(), 2);
    let status = look(&["status"]).exits(0).json();
    assert_eq!((&status["running"], &status["finished"]), (&true.into(), &false.into()));
    assert!(status["agents"].as_u64() >= Some(5) && status["queued"].as_u64() > Some(0));
    assert!(
        status["limited_by"].as_str().is_some_and(|why| why.contains("politeness")),
        "{status}"
    );
    let url = look(&["url", &web.facts.fronts[0]]).exits(0).json();
    assert_eq!(url["record"]["url"], web.facts.fronts[0]);
    let mut crawl = crawl;
    let found = until("a search that finds something", || {
        let ran = look(&["search", "telescope stars football receta"]);
        (ran.code == Some(0)).then(|| ran.json())
    });
    assert!(crawl.is_alive(), "it was found while the crawl ran: {found}");
    crawl.signal("INT");
    crawl.finish().exits(1);
}

#[test]
fn a_crawl_without_archive_or_index_leaves_none() {
    let (archive, facts) = kept();
    let dir = tempfile::tempdir().expect("a folder");
    let arguments = ["--no-index", "--no-archive", "--pages", "20", "--scope", "any"];
    let arguments = [&arguments[..], &[facts.fronts[0].as_str()]].concat();
    let (summary, _) = replay(archive, dir.path(), &arguments);
    assert_eq!((&summary["pages"], &summary["indexed"]), (&20.into(), &0.into()));
    assert_eq!(summary["stored"], 0);
    let data = dir.path().join("data");
    let files = std::fs::read_dir(data.join("archive")).map_or(0, Iterator::count);
    assert_eq!(files, 0);
    run(["search", "telescope", "--data", text(&data)]).fails_with(&["index"], "");
}

#[test]
fn examples_teach_a_topic_and_are_not_counted() {
    let (archive, facts) = kept();
    let dir = tempfile::tempdir().expect("a folder");
    let list = dir.path().join("examples.txt");
    let football = |page: &&String| page.contains("://football.");
    let example = facts.english.iter().rfind(football).expect("the demo has football");
    std::fs::write(&list, format!("# football\n{example}\n")).expect("written");
    let found = |arguments: &[&str]| {
        let dir = tempfile::tempdir().expect("a folder");
        let (summary, trace) = replay(archive, dir.path(), arguments);
        assert_eq!(summary["pages"], 100, "the example itself is not counted");
        assert_eq!(trace.0[0]["url"], facts.fronts[0], "nor traced");
        trace.urls("fetched").iter().filter(|url| url.contains("://football.")).count()
    };
    let limits = ["--scope", "any", "--pages", "100", "--concurrency", "1", "--delay", "0s"];
    let limits = [&limits[..], &[facts.fronts[0].as_str()]].concat();
    let plain = found(&limits);
    let focus = ["--strategy", "best-first", "--examples", text(&list)];
    let focused = found(&[&focus, &limits[..]].concat());
    assert!(focused > 2 * plain, "{focused} of 100 pages instead of {plain}");
}

#[test]
fn an_empty_list_of_examples_leaves_the_words_of_the_topic() {
    let (archive, facts) = kept();
    let dir = tempfile::tempdir().expect("a folder");
    let list = dir.path().join("empty.txt");
    std::fs::write(&list, "# nothing yet\n").expect("written");
    let limits = ["--pages", "3", "--delay", "0s", &facts.fronts[0], "--examples", text(&list)];
    let (summary, _) =
        replay(archive, dir.path(), &[&["--topic", "football"], &limits[..]].concat());
    assert_eq!(summary["pages"], 3);
    let data = dir.path().join("other");
    let without = ["crawl", "--data", text(&data), "--replay", text(archive)];
    run(without.iter().chain(&limits))
        .fails_with(&["none of the examples"], "one URL or file a line");
}
