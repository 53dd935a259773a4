//! Does a hunt find what is wanted, tell who found it, and do as it is told?

use crate::support::data::lines_in;
use crate::support::outside::{http, with_token};
use crate::support::*;
use lycosa_lab::synthetic::Shape;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

const QUERY: &str = "telescope galaxy";

/// The options of a hunt on this machine.
fn hunt(data: &Path, more: &[&str]) -> Command {
    let mut command = lycosa(["hunt", QUERY, "--data", text(data), "--allow-private"]);
    command.args(more);
    command
}

/// A server on a data folder, and its address with its token.
fn serve(data: &Path, config: &Path) -> (Running, String) {
    let mut command = lycosa(["serve", "--listen", "127.0.0.1:0", "--json"]);
    command.args(["--data", text(data), "--config", text(config)]);
    let server = Running::start(command);
    let told: Value = serde_json::from_str(&server.prints("listen")).expect("JSON");
    let address = told["listen"].as_str().expect("an address");
    let address = address.trim_start_matches("http://").trim_end_matches('/');
    (server, with_token(address, data))
}

fn config(dir: &TempDir, text: &str) -> PathBuf {
    let path = dir.path().join("config.toml");
    std::fs::write(&path, text).expect("write");
    path
}

/// The front page of the kitchen, which is far from the stars.
fn kitchen(web: &LiveWeb) -> String {
    let fronts = &web.facts.fronts;
    fronts.iter().find(|front| front.contains("kitchen")).expect("a kitchen").clone()
}

fn ask(address: &str, method: &str, path: &str, body: &Value) -> Value {
    let body = if method == "GET" { String::new() } else { body.to_string() };
    let answer = http(address, method, &format!("/api/v1/hunts{path}"), &body);
    serde_json::from_str(&answer.body).unwrap_or_else(|_| panic!("{path}: {}", answer.body))
}

/// Asks again until what is told is as wanted.
fn until_told(address: &str, path: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    until(path, || Some(ask(address, "GET", path, &Value::Null)).filter(&wanted))
}

#[test]
fn spiders_hunt_across_sites_and_results_name_them() {
    let web = LiveWeb::serve(1, Shape::demo());
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let seed = kitchen(&web);
    let options = ["--pages", "150", "--delay", "0s", "--json", "-q", &seed];
    let told = Running::start(hunt(&data, &options)).finish().exits(0).json();
    assert_eq!((&told["strategy"], &told["pages"]), (&"infospiders".into(), &150.into()));
    let results = told["results"].as_array().expect("results");
    let first = &results[0];
    assert!(first["url"].as_str().expect("a url").contains("stars"), "{first}");
    assert_eq!(first["finder"], first["agent"]);
    let ranks: Vec<f64> = results.iter().filter_map(|row| row["relevance"].as_f64()).collect();
    assert!(ranks.windows(2).all(|pair| pair[0] >= pair[1]), "{ranks:?}");

    // The spider that found it is known, and why it went there.
    let finder = first["finder"].as_str().expect("a name");
    let history = run(["agents", "--data", text(&data), "--history", finder]).exits(0);
    assert!(history.stdout.contains(first["url"].as_str().expect("a url")), "{}", history.stdout);
    let why = run(["url", "--data", text(&data), "--json", first["url"].as_str().expect("a url")]);
    let why = why.exits(0).json();
    assert_eq!(why["find"]["agent"], first["agent"]);
    assert!(why["find"]["why"]["energy"].as_f64().is_some(), "{}", why["find"]);
    assert!(!why["find"]["why"]["parts"].as_array().expect("parts").is_empty());
    let shown = run(["hunts", "1", "--data", text(&data)]).exits(0);
    assert!(shown.stdout.contains(finder), "{}", shown.stdout);
}

#[test]
fn search_engines_name_where_a_hunt_begins_and_one_that_fails_is_left_out() {
    let web = LiveWeb::serve(1, Shape::demo());
    let dir = tempfile::tempdir().expect("a folder");
    let library = dir.path().join("library");
    let stars = web.facts.fronts.iter().find(|front| front.contains("stars")).expect("stars");
    let mut crawl = lycosa(["crawl", stars, "--data", text(&library), "--allow-private", "-q"]);
    crawl.args(["--delay", "0s", "--pages", "40"]);
    Running::start(crawl).finish().exits(0);
    let (server, address) = serve(&library, &config(&dir, ""));
    let (_, address) = address.rsplit_once('@').expect("a token");
    let engines = config(
        &dir,
        &format!(
            "[hunt]\nseeds = 3\n[[hunt.engines]]\nname = \"library\"\nurl = \"http://{address}\"\n\
             [[hunt.engines]]\nname = \"dead\"\nurl = \"http://127.0.0.1:1\"\n\
             [[hunt.engines]]\nname = \"no engine\"\nurl = \"{stars}\"\n"
        ),
    );
    let data = dir.path().join("data");
    let engines = ["--config", text(&engines), "--delay", "0s", "--json"];
    let ran = Running::start(hunt(&data, &[&engines[..], &["--pages", "20"]].concat())).finish();
    let ran = ran.exits(0);
    let told = ran.json();
    let errors: Vec<bool> = told["engines"]
        .as_array()
        .expect("engines")
        .iter()
        .map(|it| !it["error"].is_null())
        .collect();
    assert_eq!(errors, [false, true, true], "{}", told["engines"]);
    assert!(ran.stderr.contains("dead is left out"), "{}", ran.stderr);
    let begun = told["begun_at"].as_array().expect("seeds");
    assert_eq!((begun.len(), &begun[0]["engines"][0]), (3, &"library".into()));
    let results = told["results"].as_array().expect("results");
    let named = results.iter().filter(|row| row["finder"] == "library").count();
    assert!(named >= 2, "{named} of {results:?}");

    // From now on there is an index of one's own, which is asked, too; also by a crawl with a topic.
    server.signal("INT");
    server.finish().exits(0);
    let mut crawl = lycosa(["crawl", "--topic", QUERY, "--data", text(&data), "--allow-private"]);
    crawl.args(engines).args(["--pages", "5"]);
    let told = Running::start(crawl).finish().exits(0).json();
    let results = told["results"].as_array().expect("results");
    assert!(results.iter().any(|row| row["finder"] == "own index"), "{results:?}");
    let again = Running::start(hunt(&data, &[&engines[..], &["--pages", "5"]].concat())).finish();
    let told = again.exits(0).json();
    assert_eq!(told["engines"][0]["engine"], "own index");
    assert!(!told["engines"][1]["error"].is_null(), "the library is closed");
}

#[test]
fn nowhere_to_begin_and_nothing_to_find_are_told() {
    let web = LiveWeb::serve(1, Shape::demo());
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let nowhere = Running::start(hunt(&data, &[])).finish();
    nowhere.fails_with(&["nowhere to begin", "no search engine"], "hunt.engines");
    run(["hunt", " ", "--data", text(&data)])
        .fails_with(&["nothing to look for"], "name some words");
    let seed = kitchen(&web);
    for query in ["xyzzyplugh", "the"] {
        let mut command = lycosa(["hunt", query, &seed, "--data", text(&data), "--allow-private"]);
        command.args(["--delay", "0s", "--pages", "20"]);
        let ran = Running::start(command).finish().exits(1);
        assert!(ran.stdout.contains("20 pages fetched"), "it goes on all the same: {}", ran.stdout);
        let told = ran.stderr.contains("has a word of the topic")
            || ran.stderr.contains("no words that say anything");
        assert!(told, "{query}: {}", ran.stderr);
    }
}

#[test]
fn a_hunt_is_paused_corrected_and_stopped_from_another_terminal() {
    let web = LiveWeb::serve(1, Shape::demo());
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let seed = kitchen(&web);
    let options = ["--strategy", "learned", "--delay", "20ms", "-q", &seed];
    let hunting = Running::start(hunt(&data, &options));
    let steer = |more: &[&str]| run([&["steer", "--data", text(&data)], more].concat());
    let found = until("five results", || {
        let ran = steer(&["results", "--json"]);
        let rows: Vec<Value> = serde_json::from_str(&ran.stdout).ok()?;
        (rows.len() >= 5).then_some(rows)
    });
    steer(&["pause"]).exits(0);
    let status = || run(["status", "--data", text(&data), "--json"]).exits(0).json();
    until("the pause", || (status()["state"] == "paused").then_some(()));
    let before = web.total();
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(web.total(), before, "nothing is asked for in a pause");
    let (good, bad) = (found[0]["url"].as_str(), found[1]["url"].as_str());
    let (good, bad) = (good.expect("a url"), bad.expect("a url"));
    steer(&["good", good]).exits(0);
    steer(&["bad", bad]).exits(0);
    steer(&["good", "http://nowhere.test/"]).fails_with(&["was not read"], "check");
    let rows = steer(&["results", "--limit", "1000", "--json"]).exits(0).json();
    let rows = rows.as_array().expect("results");
    let last = rows.last().expect("one");
    assert_eq!((last["url"].as_str(), last["verdict"].as_bool()), (Some(bad), Some(false)));
    assert!(rows.iter().any(|row| row["url"] == good && row["verdict"] == true));
    let agents = run(["agents", "--data", text(&data)]).exits(0);
    assert!(agents.stdout.contains("broker"), "{}", agents.stdout);
    steer(&["limit", "--pages", "100000"]).exits(0);
    steer(&["go-on"]).exits(0);
    until("more requests", || (web.total() > before).then_some(()));
    steer(&["stop"]).exits(0);
    hunting.finish().exits(0);
    steer(&["pause"]).fails_with(&["no crawl is running"], "--data");
    let why = run(["url", good, "--data", text(&data)]).exits(0);
    assert!(why.stdout.contains("verdict      good"), "{}", why.stdout);
}

#[test]
fn a_hunt_that_was_killed_goes_on_and_keeps_its_finders() {
    let web = LiveWeb::serve(1, Shape::demo());
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let seed = kitchen(&web);
    let trace = dir.path().join("trace");
    let options = ["--pages", "200", "--delay", "5ms", "-q", "--trace", text(&trace)];
    let hunting = Running::start(hunt(&data, &[&options[..], &[&seed]].concat()));
    until("fifty lines", || (trace.exists() && lines_in(&trace) >= 50).then_some(()));
    hunting.kill();
    let mut command = lycosa(["hunt", "--resume", "--data", text(&data), "-q", "--json"]);
    command.args(["--trace", text(&trace)]);
    let told = Running::start(command).finish().exits(0).json();
    assert_eq!((&told["id"], &told["pages"]), (&1.into(), &200.into()));
    assert_eq!(told["overlap"], 0);
    let results = told["results"].as_array().expect("results");
    assert!(results.iter().all(|row| !row["finder"].as_str().expect("a name").is_empty()));
    let lines = Trace::read(&trace).urls("fetched").len();
    assert!(lines >= 199, "a line may be missing where it was cut: {lines}");
}

#[test]
fn hunts_over_http_take_turns_and_survive_a_restart_of_the_server() {
    let web = LiveWeb::serve(1, Shape::demo());
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let here = config(&dir, "[crawl]\ndelay = \"100ms\"\n[fetch]\nallow_private = true\n");
    let (server, address) = serve(&data, &here);
    let order = |pages: u64| json!({"query": QUERY, "urls": [kitchen(&web)], "pages": pages});
    let first = ask(&address, "POST", "", &order(400))["id"].clone();
    let second = ask(&address, "POST", "", &order(30))["id"].clone();
    assert_eq!((&first, &second), (&1.into(), &2.into()));
    let refused = ask(&address, "POST", "", &json!({"query": "x", "strategy": "dance"}));
    assert!(refused["hint"].as_str().expect("a hint").contains("learned"), "{refused}");
    assert!(ask(&address, "POST", "", &json!({"qery": "x"}))["error"].is_string());
    assert!(ask(&address, "GET", "/9", &Value::Null)["error"].is_string());
    assert!(ask(&address, "POST", "/9/pause", &json!({}))["error"].is_string());

    let begun = until_told(&address, "/1", |hunt| hunt["pages"].as_u64() >= Some(10));
    assert_eq!(ask(&address, "GET", "/2", &Value::Null)["state"], "waiting");
    assert_eq!(begun["state"], "running");
    let paused = ask(&address, "POST", "/1/pause", &json!({}));
    assert_eq!(paused["done"], true, "{paused}");
    let paused = until_told(&address, "/1", |hunt| hunt["state"] == "paused");
    assert_eq!(paused["order"]["query"], QUERY);
    assert_eq!(ask(&address, "POST", "/1/limit", &json!({"pages": 60}))["done"], true);
    let found = ask(&address, "GET", "/1/results?limit=3", &Value::Null);
    assert!(found["results"].as_array().expect("results").len() <= 3);
    server.signal("INT");
    server.finish().exits(0);

    let (server, address) = serve(&data, &here);
    // The paused one stays as it is, and the next waits for it.
    std::thread::sleep(Duration::from_millis(500));
    let states = ask(&address, "GET", "", &Value::Null);
    assert_eq!((&states[1]["state"], &states[0]["state"]), (&"paused".into(), &"waiting".into()));
    // What it leaves alone is changed before it goes on.
    let patterns = |all: &[&str]| json!({"patterns": all});
    let said = ask(&address, "POST", "/1/exclude", &patterns(&["gone.test", "*/print/*"]));
    assert_eq!(said["done"], true, "{said}");
    assert_eq!(ask(&address, "POST", "/1/include", &patterns(&["gone.test"]))["done"], true);
    let said = ask(&address, "POST", "/1/include", &patterns(&["gone.test"]));
    assert!(said["error"].as_str().is_some_and(|error| error.contains("not excluded")), "{said}");
    assert_eq!(ask(&address, "POST", "/1/resume", &json!({}))["done"], true);
    let going = until_told(&address, "/1", |hunt| hunt["state"] == "running");
    assert_eq!(going["order"]["exclude"], json!(["*/print/*"]));
    let ended = until_told(&address, "/1", |hunt| hunt["state"] == "finished");
    assert_eq!((&ended["pages"], &ended["error"]), (&60.into(), &Value::Null));
    assert_eq!(ended["order"]["exclude"], json!(["*/print/*"]));
    let ended = until_told(&address, "/2", |hunt| hunt["state"] == "finished");
    assert_eq!(ended["pages"], 30);
    // One that was told to stop does not go on after a restart.
    let stopped = ask(&address, "POST", "", &order(400))["id"].clone();
    until_told(&address, &format!("/{stopped}"), |hunt| hunt["pages"].as_u64() >= Some(1));
    assert_eq!(ask(&address, "POST", &format!("/{stopped}/stop"), &json!({}))["done"], true);
    server.kill();
    let (server, address) = serve(&data, &here);
    let ended = until_told(&address, &format!("/{stopped}"), |hunt| hunt["state"] == "finished");
    assert!(ended["pages"].as_u64() < Some(400), "{ended}");
    // One that is killed with the server goes on by itself.
    let third = ask(&address, "POST", "", &order(150))["id"].clone();
    until_told(&address, &format!("/{third}"), |hunt| hunt["pages"].as_u64() >= Some(20));
    server.kill();
    let (server, address) = serve(&data, &here);
    let path = format!("/{third}");
    let ended = until_told(&address, &path, |hunt| hunt["state"] == "finished");
    assert_eq!((&ended["pages"], &ended["error"]), (&150.into(), &Value::Null));
    assert!(!ended["results"].as_array().expect("results").is_empty());
    // What was found can be searched for.
    let answer = http(&address, "GET", "/search?q=telescope&format=json", "");
    let answer: Value = serde_json::from_str(&answer.body).expect("JSON");
    assert!(answer["number_of_results"].as_u64() > Some(0), "{answer}");
    server.signal("INT");
    server.finish().exits(0);
}

#[test]
fn a_server_leaves_the_hunts_and_crawls_of_others_alone() {
    let web = LiveWeb::serve(1, Shape::demo());
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let seed = kitchen(&web);
    // One that was cut off at a terminal waits for the terminal.
    let hunting = Running::start(hunt(&data, &["--delay", "50ms", "-q", "--pages", "100", &seed]));
    until("a page", || (web.total() > 5).then_some(()));
    hunting.kill();
    let (server, address) = serve(&data, &config(&dir, ""));
    let before = web.total();
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(web.total(), before);
    assert_eq!(ask(&address, "GET", "/1", &Value::Null)["served"], false);
    assert!(ask(&address, "POST", "/1/stop", &json!({}))["error"].is_string());

    // A crawl that holds the folder is not steered by what is said to a hunt that waits for it.
    let mut crawl = lycosa(["crawl", &seed, "--data", text(&data), "--allow-private", "-q"]);
    crawl.args(["--delay", "20ms", "--json", "--scope", "any", "--pages", "150"]);
    let crawling = Running::start(crawl);
    until("the crawl", || (web.total() > before + 5).then_some(()));
    ask(&address, "POST", "", &json!({"query": QUERY, "urls": [seed]}));
    for _ in 0..20 {
        ask(&address, "POST", "/2/limit", &json!({"pages": 3}));
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(ask(&address, "POST", "/2/stop", &json!({}))["done"], true);
    until_told(&address, "/2", |hunt| hunt["state"] == "finished");
    let told = crawling.finish().exits(0).json();
    assert_eq!(told["pages"], 150);
    // The hunt before it cannot be gone on with any more, and what goes on is the crawl.
    run(["hunts", "1", "--data", text(&data)]).exits(0);
    server.signal("INT");
    server.finish().exits(0);
}

#[test]
fn a_hunt_is_steered_by_hand_and_keeps_it_after_a_kill() {
    // More pages than are read on the slowest machine while it is steered.
    let web = LiveWeb::serve(1, Shape { pages_per_site: 400, ..Shape::demo() });
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let seed = kitchen(&web);
    let host = seed.trim_start_matches("http://").trim_end_matches('/').to_owned();
    let stars = web.facts.fronts.iter().find(|front| front.contains("stars")).expect("stars");
    let options =
        ["--delay", "100ms", "--pages", "4000", "-q", "--exclude", "nowhere.test", &seed, stars];
    let hunting = Running::start(hunt(&data, &options));
    let steer = |more: &[&str]| run([&["steer", "--data", text(&data)], more].concat());
    let status = || -> Value {
        let told = run(["status", "--data", text(&data), "--json"]);
        serde_json::from_str(&told.stdout).unwrap_or_default()
    };
    let population = || -> Vec<Value> {
        let told = run(["agents", "--data", text(&data), "--json"]).exits(0).json();
        let all = told.as_array().cloned().expect("agents");
        all.into_iter().filter(|one| one["kind"] == "spider" && one["alive"] == true).collect()
    };
    until("some pages", || (status()["pages"].as_u64() >= Some(15)).then_some(()));
    let living = until("two spiders", || Some(population()).filter(|all| all.len() >= 2));
    let name = |at: usize| living[at]["name"].as_str().expect("a name").to_owned();

    // An agent is fed, and another ends.
    let fed = steer(&["feed", &name(0), "--json"]).exits(0).json();
    let (before, after) = (fed["before"].as_f64(), fed["after"].as_f64());
    assert!(after.expect("energy") > before.expect("energy") + 0.9, "{fed}");
    let stopped = steer(&["stop-agent", &name(1)]).exits(0);
    assert!(stopped.stdout.contains("was stopped"), "{}", stopped.stdout);
    assert!(population().iter().all(|agent| agent["name"] != living[1]["name"]));
    steer(&["feed", &name(1)]).fails_with(&["has died"], "lycosa agents");
    let history = run(["agents", "--data", text(&data), "--history", &name(0)]).exits(0);
    assert!(history.stdout.contains("was fed: energy"), "{}", history.stdout);

    // A site is left alone from now on: nothing is asked for there any more.
    steer(&["exclude", "*/*"]).fails_with(&["is no exclusion"], "example.org");
    steer(&["exclude", &host]).exits(0);
    assert_eq!(status()["excluded"], json!(["nowhere.test", host]));
    let asked = || {
        let visits = web.visits();
        let there = visits.iter().filter(|(url, _)| url.contains(&host));
        there.map(|(_, count)| count).sum::<u64>()
    };
    until("what was under way", || {
        let (before, all) = (asked(), web.total());
        until("further requests", || (web.total() > all + 4).then_some(()));
        (asked() == before).then_some(())
    });
    let before = asked();
    let one = format!("{seed}whatever");
    let why = run(["url", &one, "--data", text(&data)]).exits(0);
    assert!(
        why.stdout.contains("excluded by hand") && why.stdout.contains(&host),
        "{}",
        why.stdout
    );
    hunting.kill();

    // The same run remembers it, and lets it go when it is told to.
    let mut command = lycosa(["hunt", "--resume", "--data", text(&data), "-q"]);
    command.args(["--delay", "100ms", "--exclude", "elsewhere.test"]);
    let mut hunting = Running::start(command);
    let told = until("the run again", || {
        // Whoever looks at the folder does not keep the run from beginning.
        assert!(hunting.is_alive());
        Some(status()).filter(|told| told["excluded"].as_array().is_some_and(|all| all.len() == 3))
    });
    assert_eq!(told["excluded"], json!(["nowhere.test", host, "elsewhere.test"]));
    let all = web.total();
    until("further requests", || (web.total() > all + 10).then_some(()));
    assert_eq!(asked(), before, "it is still left alone");
    assert!(population().iter().all(|agent| agent["name"] != living[1]["name"]), "still dead");
    steer(&["include", &host]).exits(0);
    steer(&["include", &host]).fails_with(&["is not excluded"], "list");
    steer(&["stop"]).exits(0);
    hunting.finish();
}
