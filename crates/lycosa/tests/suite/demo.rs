//! Does the whole journey work? One crawl of the made-up web, and everything a person may ask of it
//! afterwards.

use crate::support::outside::{self, http};
use crate::support::process::run_with_input;
use crate::support::*;
use lycosa_lab::synthetic::{Naming, Shape, SyntheticWeb};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock};

/// A finished crawl of the demo web, which the test itself served.
struct Crawled {
    web: LiveWeb,
    /// Requests of the crawl, by address.
    visits: BTreeMap<String, u64>,
    data: PathBuf,
    summary: Value,
    trace: Trace,
    /// Commands that open the records hold the data folder; they take turns.
    records: Mutex<()>,
}

fn crawled() -> &'static Crawled {
    static CRAWLED: OnceLock<Crawled> = OnceLock::new();
    CRAWLED.get_or_init(|| {
        let dir = lasting_folder("demo");
        let web = LiveWeb::serve(1, Shape::demo());
        let (data, trace) = (dir.join("data"), dir.join("trace.jsonl"));
        let config = dir.join("config.toml");
        std::fs::write(&config, IMPATIENT).expect("written");
        let mut command = lycosa(["crawl", "--allow-private", "--delay", "0s", "--scope", "any"]);
        command.args(["--agents", "2", "--json", "--data", text(&data), "--trace", text(&trace)]);
        command.args(["--config", text(&config)]).args(&web.facts.fronts);
        let summary = Running::start(command).finish().exits(0).json();
        let visits = web.visits();
        let trace = Trace::read(&trace);
        Crawled { web, visits, data, summary, trace, records: Mutex::default() }
    })
}

/// Runs a command on the data of the shared crawl.
#[track_caller]
fn ask(arguments: &[&str]) -> Ran {
    run(arguments.iter().chain(&["--json", "--data", text(&crawled().data)]))
}

fn urls(rows: &Value) -> Vec<&str> {
    rows.as_array().expect("a list").iter().map(|row| row["url"].as_str().expect("url")).collect()
}

#[test]
fn every_page_is_fetched_once_and_nothing_that_robots_txt_forbids() {
    let Crawled { web, visits, summary, trace, .. } = crawled();
    let facts = &web.facts;
    for page in &facts.pages {
        assert_eq!(visits.get(page), Some(&1), "{page}");
    }
    for forbidden in facts.disallowed.iter().chain(&facts.nofollow) {
        assert_eq!(visits.get(forbidden), None, "{forbidden}");
    }
    for front in &facts.fronts {
        assert_eq!(visits.get(&format!("{front}robots.txt")), Some(&1), "once per site");
    }
    let fetched: BTreeSet<&str> = trace.urls("fetched").into_iter().collect();
    assert_eq!(fetched, facts.pages.iter().map(String::as_str).collect());
    assert_eq!(summary["pages"], facts.pages.len());
    assert_eq!(summary["distinct"], facts.pages.len());
    assert_eq!(summary["stored"], facts.pages.len());
    assert_eq!(summary["overlap"], 0);
    assert_eq!(summary["outcomes"]["robots_disallowed"], facts.disallowed.len());
    assert_eq!(summary["outcomes"]["client_error"], facts.missing.len());
    let numbers: Vec<u64> = trace.0.iter().filter_map(|row| row["n"].as_u64()).collect();
    assert!(numbers.iter().copied().eq(1..=trace.0.len() as u64), "n counts from 1: {numbers:?}");
}

#[test]
fn every_page_is_archived_and_all_but_those_that_ask_not_to_are_indexed() {
    let Crawled { web, data, summary, .. } = crawled();
    let kept = archived(data);
    assert!(kept.pages.keys().eq(web.facts.pages.iter().collect::<BTreeSet<_>>()));
    assert!(kept.pages.values().all(|copies| *copies == 1));
    let indexed = exported("jsonl", data);
    let (original, copy) = near_duplicates();
    let stands = |page: &String| indexed.contains_key(page);
    for page in &web.facts.pages {
        let same = [(&original, &copy), (&copy, &original)];
        let is_copy = same.iter().any(|(one, other)| page == *one && stands(other));
        let hidden = web.facts.noindex.contains(page) || is_copy;
        assert_eq!(indexed.contains_key(page), !hidden, "{page}");
    }
    assert_eq!(summary["indexed"], indexed.len());
    for row in indexed.values() {
        for field in ["url_id", "url", "title", "text", "lang", "fetched"] {
            assert!(row[field].as_str().is_some_and(|text| !text.is_empty()), "{field}: {row}");
        }
    }
    for spanish in web.facts.spanish.iter().filter(|page| indexed.contains_key(*page)) {
        assert_eq!(indexed[spanish]["lang"], "es", "{spanish}");
    }
    for (page, label) in &web.facts.legacy_charset {
        let text = indexed[page]["text"].as_str().expect("text");
        assert!(!text.contains('\u{fffd}'), "{page} is in {label} and was read as such");
    }
    outside::warcio_accepts(data);
    data::check_cdxj(data);
}

/// Two pages that are nearly the same.
fn near_duplicates() -> (String, String) {
    crawled().web.facts.near_duplicates.clone().expect("the demo has a pair")
}

#[test]
fn near_duplicates_are_indexed_once_and_the_other_one_says_where() {
    let Crawled { data, records, .. } = crawled();
    let _turn = records.lock().expect("no test panics with it");
    let (original, copy) = near_duplicates();
    let indexed = exported("jsonl", data);
    let (kept, left): (Vec<_>, Vec<_>) =
        [&original, &copy].into_iter().partition(|url| indexed.contains_key(*url));
    assert_eq!((kept.len(), left.len()), (1, 1), "one stands for both");
    let told = ask(&["url", left[0]]).exits(0).json();
    assert!(told["reason"].as_str().is_some_and(|why| why.contains(kept[0])), "{told}");
    let title = indexed[kept[0]]["title"].as_str().expect("title");
    assert_eq!(also_at(title, kept[0], data), [left[0].as_str()]);
    // An index that is made anew knows it as well.
    let dir = tempfile::tempdir().expect("a folder");
    let copied = Command::new("cp").args(["-r", text(data), text(dir.path())]).status();
    assert!(copied.is_ok_and(|status| status.success()));
    let again = dir.path().join(data.file_name().expect("a name"));
    std::fs::remove_dir_all(again.join("index")).expect("removed");
    run(["crawl", "--resume", "-q", "--data", text(&again)]);
    assert_eq!(exported("jsonl", &again).len(), indexed.len());
    assert_eq!(also_at(title, kept[0], &again), [left[0].as_str()]);
}

/// Where else a page stands, by the result of a search for its title.
fn also_at(title: &str, page: &str, data: &Path) -> Vec<String> {
    let found = run(["search", title, "--limit", "50", "--json", "--data", text(data)]).exits(0);
    let found = found.json();
    let hits = found["results"].as_array().expect("results");
    let hit = hits.iter().find(|hit| hit["url"] == page).expect("the page is found");
    let names = hit["also_at"].as_array().into_iter().flatten();
    names.map(|url| url.as_str().expect("an address").to_owned()).collect()
}

#[test]
fn near_duplicates_are_folded_into_one_result() {
    // Whoever imports an archive has no broker to say which pages are the same.
    let dir = tempfile::tempdir().expect("a folder");
    let (file, data) = (dir.path().join("out.warc.gz"), dir.path().join("data"));
    ask(&["export", "warc", "--out", text(&file)]).exits(0);
    run(["import", "warc", text(&file), "--data", text(&data)]).exits(0);
    let (original, copy) = near_duplicates();
    let title = exported("jsonl", &data)[&original]["title"].as_str().expect("title").to_owned();
    let found = run(["search", &title, "--limit", "50", "--json", "--data", text(&data)]);
    let found = found.exits(0).json();
    let hits = found["results"].as_array().expect("results");
    let pair = [original.as_str(), copy.as_str()];
    let of_pair = |hit: &&Value| pair.contains(&hit["url"].as_str().expect("url"));
    let shown: Vec<&Value> = hits.iter().filter(of_pair).collect();
    assert_eq!(shown.len(), 1, "one of the two is shown: {found}");
    let other = pair.iter().find(|url| shown[0]["url"] != **url).expect("two addresses");
    assert_eq!(shown[0]["also_at"], serde_json::json!([other]), "and tells of the other");
}

#[test]
fn searches_answer_in_both_languages_with_or_without_accents() {
    let Crawled { web, .. } = crawled();
    let plain = ask(&["search", "receta de tortilla con jamon", "--lang", "es"]).exits(0).json();
    let accents = ask(&["search", "receta de tortilla con jamón", "--lang", "es"]).exits(0).json();
    assert_eq!(urls(&plain["results"]), urls(&accents["results"]));
    // Behind two of the best site come pages with fewer of the words; some are Spanish only in part.
    for hit in plain["results"].as_array().expect("results").iter().take(2) {
        assert_eq!(hit["lang"], "es", "{hit}");
        assert!(web.facts.spanish.iter().any(|page| hit["url"] == **page), "{hit}");
    }
    assert!(urls(&plain["results"])[0].starts_with("http://cocina."), "{plain}");
    let english = ask(&["search", "black hole telescope"]).exits(0).json();
    assert!(urls(&english["results"])[0].starts_with("http://stars."), "{english}");
    let first = &english["results"][0];
    assert_eq!(first["rank"], 1);
    assert!(first["snippet"].as_str().is_some_and(|text| text.contains("<mark>")), "{first}");
    assert!(first["score"].as_f64().is_some_and(|score| score > 0.0), "{first}");
    assert!(first["agent"].as_str().is_some_and(|agent| agent.starts_with("bot-")), "{first}");
    assert!(english["took_ms"].is_number() && english["total"].as_u64() > Some(0), "{english}");
}

#[test]
fn a_search_can_be_kept_to_a_site_and_can_explain_itself() {
    let front = &crawled().web.facts.fronts[3];
    let host = front.trim_start_matches("http://").trim_end_matches('/');
    let name = host.split(':').next().expect("a name");
    let all = ask(&["search", "tortilla"]).exits(0).json();
    for site in [host, name] {
        let here = ask(&["search", "tortilla", "--site", site, "--explain"]).exits(0).json();
        assert!(here["total"].as_u64() <= all["total"].as_u64());
        for hit in here["results"].as_array().expect("results") {
            assert!(hit["url"].as_str().is_some_and(|url| url.starts_with(front)), "{hit}");
            let explained = hit["explain"]["value"].as_f64().expect("an explanation");
            let score = hit["score"].as_f64().expect("a score");
            assert!((explained - score).abs() < 1e-3 * score, "{hit}");
        }
    }
    let nothing = ask(&["search", "tortilla", "--site", "nowhere.test"]).exits(1).json();
    assert_eq!(nothing["total"], 0);
    // A site that is blocked is left out, and it is told how much that was.
    let without = ask(&["search", "tortilla", "--block", name]).json();
    let count = |found: &serde_json::Value, what: &str| found[what].as_u64().unwrap_or_default();
    assert!(count(&without, "blocked") > 0, "{without}");
    assert_eq!(count(&without, "total") + count(&without, "blocked"), count(&all, "total"));
    let hit = &all["results"][0];
    assert_eq!(hit["positions"].as_array().map(Vec::len), Some(32), "{hit}");
    let site = hit["site"].as_str().expect("a site");
    for (option, factor) in [("--raise", 2.0), ("--lower", 0.5)] {
        let wanted = ask(&["search", "tortilla", "--limit", "100", option, site]).exits(0).json();
        let mut hits = wanted["results"].as_array().expect("results").iter();
        let same = hits.find(|other| other["url"] == hit["url"]).expect("it is still there");
        let (score, before) = (same["score"].as_f64(), hit["score"].as_f64());
        let (score, before) = (score.expect("a score"), before.expect("a score"));
        assert!((score - factor * before).abs() < 1e-3 * before, "{option}: {score}, {before}");
    }
}

#[test]
fn a_batch_of_queries_becomes_a_run_file() {
    let dir = tempfile::tempdir().expect("a folder");
    let (queries, run_file) = (dir.path().join("queries.tsv"), dir.path().join("out.run"));
    std::fs::write(&queries, "q1\tblack hole\nq2\treceta de tortilla\n").expect("written");
    let batch = ["search", "--batch", text(&queries), "--run", text(&run_file)];
    ask(&batch).exits(0);
    let lines = std::fs::read_to_string(&run_file).expect("a run");
    for id in ["q1", "q2"] {
        let of_query = lines.lines().filter(|line| line.starts_with(&format!("{id} Q0 ")));
        let ranks: Vec<&str> = of_query.map(|line| line.split(' ').nth(3).expect("rank")).collect();
        let expected: Vec<String> = (1..=ranks.len()).map(|rank| rank.to_string()).collect();
        assert!(ranks.len() > 10 && ranks == expected, "{id}: {ranks:?}");
    }
}

#[test]
fn the_lexicon_counts_documents_and_occurrences() {
    let indexed = exported("jsonl", &crawled().data);
    let rows = ask(&["lexicon", "telescope", "Tortilla", "zzzz"]).exits(0).json();
    for (row, word) in rows.as_array().expect("rows").iter().zip(["telescope", "tortilla"]) {
        let occurrences = |document: &Value| -> usize {
            let of = |field: &str| {
                let text = document[field].as_str().expect("text").to_lowercase();
                text.split(|c: char| !c.is_alphanumeric()).filter(|w| *w == word).count()
            };
            of("title") + of("text")
        };
        let counts: Vec<usize> = indexed.values().map(occurrences).collect();
        let documents = counts.iter().filter(|count| **count > 0).count();
        assert_eq!(row["documents"], documents, "{row}");
        assert_eq!(row["occurrences"], counts.iter().sum::<usize>(), "{row}");
    }
    assert_eq!(rows[2]["documents"], 0);
    ask(&["lexicon", "zzzz"]).exits(1);
}

#[test]
fn the_xml_is_well_formed_and_has_both_forms() {
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("out.xml");
    ask(&["export", "xml", "--out", text(&out)]).exits(0);
    let count = "import sys, xml.etree.ElementTree as E; root = E.parse(sys.argv[1]).getroot(); \
                 assert all(d.find(\"text[@form='folded']\") is not None for d in root); \
                 print(len(root.findall('document')))";
    let Some(output) = outside::python_with("xml", &["-c", count, text(&out)]) else { return };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let documents = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    assert_eq!(documents, crawled().summary["indexed"].to_string());
}

#[test]
fn the_graph_of_links_is_read_by_other_programs_in_both_forms() {
    let dir = tempfile::tempdir().expect("a folder");
    let count = "import sys, xml.etree.ElementTree as E; root = E.parse(sys.argv[1]).getroot(); \
                 nodes = {n.get('id') for n in root.iter() if n.tag.endswith('}node')}; \
                 edges = [e for e in root.iter() if e.tag.endswith('}edge')]; \
                 assert all(e.get('source') in nodes and e.get('target') in nodes for e in edges); \
                 print(len(nodes), len(edges) > len(nodes))";
    for form in ["graphml", "gexf"] {
        let out = dir.path().join(form);
        ask(&["export", "graph", "--format", form, "--out", text(&out)]).exits(0);
        let Some(said) = outside::python_with("xml", &["-c", count, text(&out)]) else { return };
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        let said = String::from_utf8_lossy(&said.stdout).trim().to_owned();
        assert_eq!(said, format!("{} True", crawled().summary["indexed"]), "{form}");
    }
}

#[test]
fn what_is_exported_can_be_imported() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = |name: &str| dir.path().join(name);
    let count = crawled().summary["indexed"].as_u64().expect("a number");
    let query = "receta de tortilla con jamon";
    let there = ask(&["search", query]).json();
    // The archive also has the page that another one stands for.
    for (what, count) in [("jsonl", count), ("warc", count + 1)] {
        let (file, data) = (path(&format!("out.{what}")), path(what));
        ask(&["export", what, "--out", text(&file)]).exits(0);
        let import = ["import", what, text(&file), "--json", "--data", text(&data)];
        let told = run(import).exits(0).json();
        assert_eq!(told["documents"], count, "{what}");
        let here = run(["search", query, "--json", "--data", text(&data)]).exits(0).json();
        assert_eq!(here["total"], there["total"], "{what}");
        let (mut here, mut there) = (urls(&here["results"]), urls(&there["results"]));
        assert_eq!(here[0], there[0], "{what}");
        if what == "jsonl" {
            // Documents leave their links behind, by which some of them ranked higher.
            here.sort_unstable();
            there.sort_unstable();
        }
        assert_eq!(here, there, "{what}");
    }
    let cdxj = ask(&["export", "cdxj"]).exits(0).stdout;
    let lines: Vec<&str> = cdxj.lines().collect();
    assert!(lines.len() > crawled().web.facts.pages.len() && lines.is_sorted());
}

#[test]
fn records_tell_what_became_of_every_address_and_why() {
    let Crawled { web, data, summary, records, .. } = crawled();
    let _turn = records.lock().expect("no test panics with it");
    let status = ask(&["status"]).exits(0).json();
    for field in ["pages", "known", "queued", "sites", "agents", "pages_per_second", "limited_by"] {
        assert!(!status[field].is_null(), "{field}: {status}");
    }
    assert_eq!((&status["pages"], &status["running"]), (&summary["pages"], &false.into()));
    let reason = |url: &str, code| {
        let told = ask(&["url", url]).exits(code).json();
        told["reason"].as_str().unwrap_or_default().to_owned()
    };
    let forbidden = &web.facts.disallowed[0];
    assert!(reason(forbidden, 0).contains("Disallow: /private/"), "{}", reason(forbidden, 0));
    assert!(reason(&web.facts.missing[0], 0).contains("404"));
    assert!(reason(&web.facts.failing[0], 0).contains("500"));
    assert_eq!(reason("http://never.test/", 1), "");
    let rows = exported("urls", data);
    let states = |url: &String| rows[url]["state"].clone();
    assert!(web.facts.pages.iter().all(|page| states(page) == 200));
    assert!(web.facts.disallowed.iter().all(|url| states(url) == "robots_disallowed"));
    let page = &rows[&web.facts.spanish[1]];
    assert_eq!(page["language"], "es");
    for field in ["url_id", "inlinks", "outlinks", "dinit", "dlast", "bot1_id", "bot2_id"] {
        assert!(!page[field].is_null(), "{field}: {page}");
    }
    // They are the seeds of a crawl elsewhere, too.
    let dir = tempfile::tempdir().expect("a folder");
    let (file, other) = (dir.path().join("urls.jsonl"), dir.path().join("data"));
    ask(&["export", "urls", "--out", text(&file)]).exits(0);
    let import = ["import", "urls", text(&file), "--json", "--data", text(&other)];
    assert_eq!(run(import).exits(0).json()["imported"], rows.len());
    let status = run(["status", "--json", "--data", text(&other)]).exits(0).json();
    assert_eq!(status["queued"], rows.len());
}

#[test]
fn an_export_may_be_read_in_part() {
    let _turn = crawled().records.lock().expect("no test panics with it");
    for what in ["xml", "jsonl", "urls", "warc", "cdxj"] {
        let program = env!("CARGO_BIN_EXE_lycosa");
        // What is not read of it comes to nothing; its exit status goes to standard error.
        let script = format!(
            "{{ '{program}' export {what} --data '{}'; echo code $? >&2; }} | head -c 10",
            text(&crawled().data)
        );
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &script]);
        let ran = Running::start(shell).finish();
        assert_eq!(ran.stderr, "code 0\n", "{what}");
    }
}

#[test]
fn a_page_a_robots_txt_and_an_address_can_be_looked_at() {
    let web = &crawled().web;
    let front = &web.facts.fronts[1];
    let page = ask(&["inspect", "page", front, "--allow-private"]).exits(0).json();
    for field in ["url", "charset", "title", "keywords", "description", "text", "main", "markdown"]
    {
        assert!(page[field].is_string(), "{field}: {page}");
    }
    assert_eq!(page["languages"][0]["lang"], "es");
    let links = page["links"].as_array().expect("links");
    assert!(links.iter().any(|link| link["url"] == web.facts.fronts[0]), "the twin is linked to");
    assert!(page["digest"].is_string() && !page["simhash"].is_null() && !page["robots"].is_null());
    ask(&["inspect", "page", front]).fails_with(&["private"], "--allow-private");

    let dir = tempfile::tempdir().expect("a folder");
    let robots = dir.path().join("robots.txt");
    std::fs::write(&robots, "User-agent: *\nDisallow: /no\nCrawl-delay: 2\n").expect("written");
    let look = ["inspect", "robots", text(&robots), "http://a.test/no/x", "http://a.test/yes"];
    let rows = ask(&look).exits(1).json_lines();
    assert_eq!((&rows[0]["allowed"], &rows[1]["allowed"]), (&false.into(), &true.into()));
    assert_eq!((&rows[0]["rule"], &rows[0]["crawl_delay"]), (&"Disallow: /no".into(), &2.0.into()));

    let rows = ask(&["inspect", "url", "HTTP://A.test:80/a/../b#c", "nonsense:"]).exits(1);
    let rows = rows.json_lines();
    assert_eq!(rows[0]["normal"], "http://a.test/b");
    assert_eq!(
        (&rows[0]["site"], &rows[0]["surt"]),
        (&"http://a.test".into(), &"test,a)/b".into())
    );
    assert_eq!(rows[0]["url_id"].as_str().map(str::len), Some(32));
    assert!(rows[1]["error"].is_string());
}

#[test]
fn a_batch_to_look_at_is_answered_line_by_line() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("page.html");
    std::fs::write(&file, "<title>Hello</title><p>world").expect("written");
    let line = serde_json::json!({ "file": file, "url": "http://a.test/", "content_type": null });
    let pages = run_with_input(["inspect", "page", "--batch"], &format!("{line}\nbroken\n"));
    let pages = pages.exits(0).json_lines();
    assert_eq!((pages.len(), &pages[0]["title"]), (2, &"Hello".into()));
    assert!(pages[1]["error"].is_string());
    let line = r#"{"robots":"User-agent: x\nDisallow: /","agent":"x","url":"http://a.test/"}"#;
    let robots = run_with_input(["inspect", "robots", "--batch"], line).exits(0).json();
    assert_eq!(robots["allowed"], false);
    let line = r#"{"url":"../c","base":"http://a.test/b/d/"}"#;
    let url = run_with_input(["inspect", "url", "--batch"], line).exits(0).json();
    assert_eq!(url["normal"], "http://a.test/b/c");
}

#[test]
fn the_search_page_and_the_api_answer() {
    let mut command = lycosa(["serve", "--listen", "127.0.0.1:0", "--json"]);
    command.args(["--data", text(&crawled().data)]);
    let server = Running::start(command);
    let told: Value = serde_json::from_str(&server.prints("listen")).expect("JSON");
    let address = told["listen"].as_str().expect("an address");
    let address = address.trim_start_matches("http://").trim_end_matches('/').to_owned();
    let page = http(&address, "GET", "/search?q=tortilla", "");
    assert_eq!(page.status, 200);
    assert!(page.head.to_lowercase().contains("content-type: text/html"), "{}", page.head);
    assert!(page.body.contains("http://cocina.localhost"), "results without JavaScript");
    let answer = http(&address, "GET", "/api/search?q=receta+de+tortilla&lang=es", "");
    let answer: Value = serde_json::from_str(&answer.body).expect("JSON");
    let same = ask(&["search", "receta de tortilla", "--lang", "es"]).json();
    assert_eq!(urls(&answer["results"]), urls(&same["results"]));
    server.signal("INT");
    server.finish().exits(0);
}

#[test]
fn the_demo_runs_without_any_argument_but_a_folder() {
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let ran = run(["demo", "--no-serve", "--json", "--seed", "5", "--data", text(&data)]).exits(0);
    let line = ran.errors()[0].to_owned();
    let (_, port) = line.rsplit_once("localhost:").expect("it says where");
    let port = port.trim_end_matches('/').parse().expect("a port");
    let facts = SyntheticWeb::new(5, Shape::demo(), Naming::Loopback { port }).facts();
    let summary = ran.json();
    assert_eq!(summary["pages"], facts.pages.len());
    assert_eq!(summary["finished"], true);
    let rows = exported("urls", &data);
    assert!(facts.pages.iter().all(|page| rows[page]["state"] == 200));
    assert!(facts.disallowed.iter().all(|url| rows[url]["state"] == "robots_disallowed"));
    // Again, in words, into the same folder.
    let told = run(["demo", "--no-serve", "-q", "--data", text(&data)]).exits(0).stdout;
    assert_eq!(told.matches("$ lycosa search").count(), 3, "{told}");
    assert!(told.contains("cocina.localhost") && told.contains("[es]"), "{told}");
}

#[test]
fn the_demo_serves_its_search_page_until_it_is_interrupted() {
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let demo = lycosa(["demo", "--listen", "127.0.0.1:0", "--data", text(&data)]);
    let demo = Running::start(demo);
    let line = demo.notes("The search page is at http://");
    let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
    let page = http(address.expect("an address"), "GET", "/search?q=telescope", "");
    assert!(page.status == 200 && page.body.contains("stars.localhost"));
    demo.signal("INT");
    demo.finish().exits(0);
}
