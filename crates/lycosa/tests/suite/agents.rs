//! Can a crawl be looked into while it runs? All six communities, from the terminal and from the search
//! page of another process.

use crate::support::outside::http;
use crate::support::*;
use lycosa_lab::synthetic::Shape;
use serde_json::Value;
use std::collections::BTreeSet;

const COMMUNITIES: [&str; 6] = ["bot", "broker", "filter", "indexer", "interface", "query"];

/// What is said of the agents of one community, if any of them lives.
fn observed<'a>(agents: &'a Value, community: &str) -> Option<&'a Value> {
    let agents = agents.as_array().expect("a list").iter();
    let mut ours = agents.filter(|a| a["community"] == community && a["state"] == "running");
    ours.next().map(|agent| &agent["observed"])
}

fn communities(agents: &Value) -> BTreeSet<&str> {
    let agents = agents.as_array().expect("a list").iter();
    agents.filter_map(|agent| agent["community"].as_str()).collect()
}

#[test]
fn all_six_communities_show_while_a_crawl_runs() {
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let web = LiveWeb::serve(5, Shape::demo());
    // The rest between two pages of a site outlasts this test.
    let mut command = lycosa(["crawl", "--allow-private", "--delay", "2s", "--json", "-q"]);
    command.args(["--data", text(&data)]).args(&web.facts.fronts);
    let crawl = Running::start(command);
    let ask = |what: &str| run([what, "--json", "--data", text(&data)]);
    let agents = until("a page in the filter", || {
        let agents = ask("agents").json();
        let pages = observed(&agents, "filter")?["pages"].as_u64()?;
        (pages > 0).then_some(agents)
    });
    assert_eq!(communities(&agents), COMMUNITIES.into());
    for agent in agents.as_array().expect("a list") {
        assert!(agent["observed"].is_object(), "{agent}");
        assert!(agent["capacity"].as_u64() > Some(0), "its mailbox is bounded: {agent}");
    }
    // Whoever asks for the agents is a visitor of one of them.
    let requests = |agents: &Value| -> u64 {
        let agents = agents.as_array().expect("a list").iter();
        agents.filter_map(|agent| agent["observed"]["requests"].as_u64()).sum()
    };
    assert!(requests(&ask("agents").json()) > requests(&agents));
    let status = ask("status").exits(0).json();
    assert_eq!((&status["running"], &status["finished"]), (&true.into(), &false.into()));

    let mut command = lycosa(["serve", "--listen", "127.0.0.1:0", "--json"]);
    command.args(["--data", text(&data)]);
    let server = Running::start(command);
    let told: Value = serde_json::from_str(&server.prints("listen")).expect("JSON");
    let address = told["listen"].as_str().expect("an address");
    let address = address.trim_start_matches("http://").trim_end_matches('/').to_owned();
    let get = |path: &str| http(&address, "GET", path, "").body;
    assert!(get("/").contains("A crawl is running"));
    let agents: Value = serde_json::from_str(&get("/api/agents")).expect("JSON");
    assert_eq!(communities(&agents["agents"]), COMMUNITIES.into());
    until("a commit that the search page sees", || {
        let status: Value = serde_json::from_str(&get("/api/status")).expect("JSON");
        assert_eq!(status["running"], true, "{status}");
        status["documents"].as_u64().filter(|documents| *documents > 0)
    });

    crawl.signal("INT");
    crawl.finish().exits(1);
    assert_eq!(ask("agents").exits(1).stdout, "[]\n");
    assert!(!get("/").contains("A crawl is running"));
    let agents: Value = serde_json::from_str(&get("/api/agents")).expect("JSON");
    assert_eq!(communities(&agents["agents"]), ["interface", "query"].into());
    server.signal("INT");
    server.finish().exits(0);
}

#[test]
fn a_search_page_without_an_index_says_how_to_make_one() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut command = lycosa(["serve", "--listen", "127.0.0.1:0", "--json"]);
    command.args(["--data", text(dir.path())]);
    let server = Running::start(command);
    let told: Value = serde_json::from_str(&server.prints("listen")).expect("JSON");
    let address = told["listen"].as_str().expect("an address");
    let address = address.trim_start_matches("http://").trim_end_matches('/').to_owned();
    for path in ["/", "/search?q=wolf"] {
        let page = http(&address, "GET", path, "");
        assert_eq!(page.status, 200, "{path}");
        assert!(page.body.contains("lycosa crawl https://example.org"), "{path}: {}", page.body);
    }
}
