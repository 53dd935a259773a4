//! Do all strategies crawl a web to its end, and can what their agents did be read afterwards?

use crate::support::*;
use lycosa_lab::synthetic::{Facts, Naming, Shape};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The demo web in an archive.
fn kept() -> &'static (PathBuf, Facts) {
    static KEPT: OnceLock<(PathBuf, Facts)> = OnceLock::new();
    KEPT.get_or_init(|| kept_web(7, Shape::demo(), Naming::plain(), &lasting_folder("hunting")))
}

/// Crawls the web with a strategy: the summary.
fn crawl(dir: &Path, strategy: &str, more: &[&str]) -> Value {
    let (archive, facts) = kept();
    let trace = dir.join("trace.jsonl");
    let mut command = lycosa(["crawl", "--json", "-q", "--scope", "any", "--no-index"]);
    command.args(["--replay", text(archive), "--strategy", strategy, "--topic", "stars"]);
    command.args(["--data", text(&dir.join("data")), "--trace", text(&trace)]);
    command.args(more).arg(&facts.fronts[0]);
    Running::start(command).finish().exits(0).json()
}

#[test]
fn every_strategy_finds_every_page_once() {
    let (_, facts) = kept();
    for strategy in lycosa_strategy::NAMES.iter().chain(&lycosa_strategy::AGENTS) {
        let dir = tempfile::tempdir().expect("a folder");
        let summary = crawl(dir.path(), &strategy.replace(":N", ":8"), &[]);
        assert_eq!(summary["pages"], facts.pages.len(), "{strategy}");
        let trace = Trace::read(&dir.path().join("trace.jsonl"));
        let fetched = trace.urls("fetched");
        let distinct: BTreeSet<&str> = fetched.iter().copied().collect();
        assert_eq!(distinct.len(), fetched.len(), "{strategy} fetched a page twice");
    }
}

#[test]
fn strategies_with_chance_repeat_themselves_to_the_byte() {
    for strategy in ["learned", "infospiders", "contract-net", "walkers:cloning"] {
        let dirs = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        let [first, second] = dirs.each_ref().map(|dir| {
            crawl(dir.path(), strategy, &["--pages", "150"]);
            std::fs::read_to_string(dir.path().join("trace.jsonl")).expect("a trace")
        });
        assert_eq!(first, second, "{strategy}");
    }
}

#[test]
fn a_site_whose_rules_two_agents_wait_for_is_asked_once_and_then_crawled() {
    let (_, facts) = kept();
    let site = facts.fronts[0].trim_end_matches('/');
    let mut of_site = facts.pages.iter().filter(|page| page.starts_with(site));
    let more: Vec<&str> = of_site.by_ref().take(4).map(String::as_str).collect();
    for strategy in ["contract-net", "random", "tag-path", "learned"] {
        let dir = tempfile::tempdir().expect("a folder");
        let summary = crawl(dir.path(), strategy, &more);
        assert_eq!(summary["pages"], facts.pages.len(), "{strategy}");
    }
}

#[test]
fn spiders_have_a_tree_and_histories() {
    let dir = tempfile::tempdir().expect("a folder");
    crawl(dir.path(), "infospiders", &["--pages", "150"]);
    let data = dir.path().join("data");
    let ask = |more: &[&str]| run([&["agents", "--data", text(&data)], more].concat());
    let tree = ask(&["--tree", "--json"]).exits(0).json();
    let lives = tree.as_array().expect("a list");
    let pages: u64 = lives.iter().filter_map(|life| life["pages"].as_u64()).sum();
    assert!(pages >= 100, "{pages} pages were read by {} spiders", lives.len());
    let name = lives[0]["name"].as_str().expect("a name");
    let drawn = ask(&["--tree"]).exits(0);
    assert!(drawn.stdout.contains(name), "{}", drawn.stdout);
    let history = ask(&["--history", name]).exits(0);
    assert!(history.stdout.contains("born of") && history.stdout.contains("read http"));
    ask(&["--history", "nobody"]).exits(1);
    ask(&["--conversations"]).exits(1);
}

#[test]
fn what_a_team_said_can_be_read_as_conversations() {
    let dir = tempfile::tempdir().expect("a folder");
    let summary = crawl(dir.path(), "contract-net", &["--pages", "200", "--agents", "5"]);
    assert_eq!(summary["overlap"], 0);
    let data = dir.path().join("data");
    let ask = |more: &[&str]| run([&["agents", "--data", text(&data)], more].concat());
    let rows = ask(&["--conversations", "--json"]).exits(0).json();
    let rows = rows.as_array().expect("a list");
    let of_net = rows.iter().filter(|row| row["protocol"] == "fipa-contract-net");
    let longest = of_net.max_by_key(|row| row["messages"].as_u64()).expect("a contract net");
    let id = longest["conversation_id"].as_str().expect("an id");
    let said = ask(&["--conversation", id]).exits(0);
    for act in ["cfp to", "propose to", "accept-proposal to"] {
        assert!(said.stdout.contains(act), "{act} in {}", said.stdout);
    }
    ask(&["--conversation", "nowhere"]).exits(1);
    let stop = rows.iter().find(|row| {
        let id = row["conversation_id"].as_str().expect("an id");
        ask(&["--conversation", id]).exits(0).stdout.contains("stop")
    });
    assert!(stop.is_some(), "the facilitator says stop at the end");

    // What the agents' pages have in common can be taken out, and drawn.
    let export =
        |more: &[&str]| run([&["export", "lattice", "--data", text(&data)], more].concat());
    let xml = export(&[]).exits(0).stdout;
    assert!(xml.contains("<agent name=\"facilitator\">") && xml.contains("<concept"), "{xml}");
    let drawn = export(&["--format", "dot", "--agent", "crawler-1"]).exits(0).stdout;
    assert!(drawn.starts_with("// crawler-1\ngraph lattice {"), "{drawn}");
    export(&["--agent", "nobody"]).fails_with(&["nobody"], "crawler-1");
    let trace = Trace::read(&dir.path().join("trace.jsonl"));
    let by_contract = trace.0.iter().find(|line| line["why"]["contract"].is_string());
    let line = by_contract.expect("a link that passed by contract");
    let url = line["url"].as_str().expect("a url");
    let shown = run(["url", "--data", text(&data), url]).exits(0).stdout;
    assert!(shown.contains("contract ") && shown.contains("because"), "{shown}");
}

#[test]
fn what_was_learned_gets_over_a_restart() {
    let dir = tempfile::tempdir().expect("a folder");
    crawl(dir.path(), "learned", &["--pages", "60"]);
    let data = dir.path().join("data");
    let memory = data.join("agents/memory");
    assert!(memory.exists());
    let summary = crawl(dir.path(), "learned", &["--pages", "120", "--resume"]);
    assert_eq!((&summary["pages"], &summary["overlap"]), (&120.into(), &0.into()));
    // A torn file is told of and does no harm.
    std::fs::write(&memory, b"rubbish").expect("write");
    crawl(dir.path(), "learned", &["--pages", "150", "--resume"]);
    run(["export", "lattice", "--data", text(&data)]).fails_with(&["learned"], "contract-net");
}

#[test]
fn a_folder_without_such_agents_says_so() {
    let dir = tempfile::tempdir().expect("a folder");
    crawl(dir.path(), "best-first", &["--pages", "20"]);
    let data = dir.path().join("data");
    run(["agents", "--data", text(&data), "--tree"]).fails_with(&["agents/events"], "infospiders");
}
