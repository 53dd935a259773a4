//! Can a hunt be watched and steered full-screen, and is the terminal as it was afterwards?

use crate::support::outside::python_has;
use crate::support::terminal::{Ended, Terminal};
use crate::support::*;
use lycosa_lab::synthetic::Shape;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const QUERY: &str = "telescope galaxy";
const SIZE: (u16, u16) = (40, 120);

/// The options of a hunt on this machine, slow enough to be watched.
fn hunt(data: &Path, web: &LiveWeb, more: &[&str]) -> Command {
    let fronts = &web.facts.fronts;
    let seed = fronts.iter().find(|front| front.contains("stars")).expect("stars");
    let mut command = lycosa(["hunt", QUERY, seed, "--data", text(data), "--allow-private"]);
    command.args(["--delay", "100ms", "--tui"]).args(more);
    command
}

#[track_caller]
fn is_restored(ended: &Ended, code: i64) {
    assert_eq!(
        (ended.code, ended.restored, ended.left_open),
        (code, true, false),
        "{}",
        ended.text
    );
}

#[test]
fn a_hunt_is_watched_paused_judged_and_stopped_with_keys() {
    if !python_has("termios") {
        return;
    }
    let web = LiveWeb::serve(1, Shape::demo());
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let mut terminal = Terminal::start(SIZE, None, &hunt(&data, &web, &["--pages", "5000"]));
    let seen = terminal.shows("The Night Sky");
    assert!(seen.contains("telescope galaxy  infospiders"), "{seen}");
    assert!(seen.contains("limited by") && seen.contains("of 5000 pages"), "{seen}");
    terminal.looks("births in the log", |text| text.contains("is born"));

    // An agent is opened, with its history.
    terminal.types("\t\r");
    let agent = terminal.shows("Pages that it read");
    assert!(agent.contains("is at") && agent.contains("mean relevance"), "{agent}");
    terminal.types("\u{1b}");
    terminal.shows("Over time");
    terminal.types("p");
    terminal.looks("a pause", |text| text.starts_with("paused"));
    terminal.types("p");
    terminal.looks("that it goes on", |text| text.starts_with("running"));

    // A verdict is on record, and in the log.
    terminal.types("1g");
    terminal.shows("good: http");

    // Small and large again.
    terminal.resize(5, 20);
    terminal.looks("one pane", |text| text.contains("▸ Results") && !text.contains("Agents"));
    terminal.resize(40, 120);
    terminal.looks("all panes", |text| text.contains("Agents") && text.contains("Log"));
    terminal.types("s");
    let ended = terminal.finish();
    is_restored(&ended, 0);
    assert!(ended.text.contains("pages") && ended.text.contains("http://"), "{}", ended.text);
    assert!(!ended.text.contains("Over time"), "the view is gone: {}", ended.text);
    let good = run(["hunts", "1", "--data", text(&data), "--json"]).exits(0).json();
    let results = good["results"].as_array().expect("results");
    assert!(results.iter().any(|row| row["verdict"] == true), "{good}");
    assert_eq!(good["state"], "finished");

    // What has ended can be looked at as well, and a signal ends that in order.
    let mut terminal =
        Terminal::start(SIZE, None, &lycosa(["hunts", "1", "--tui", "--data", text(&data)]));
    terminal.looks("an end", |text| text.starts_with("finished") && text.contains("is born"));
    terminal.types("p");
    terminal.shows("no crawl is running here");
    terminal.types("q");
    is_restored(&terminal.finish(), 0);
    let mut terminal =
        Terminal::start(SIZE, None, &lycosa(["agents", "--tui", "--data", text(&data)]));
    terminal.shows("telescope galaxy");
    terminal.signal("TERM");
    is_restored(&terminal.finish(), 0);
}

#[test]
fn ctrl_c_stops_in_order_and_twice_at_once_and_results_stay_apart() {
    if !python_has("termios") {
        return;
    }
    let web = LiveWeb::serve(1, Shape::demo());
    let dir = tempfile::tempdir().expect("a folder");
    let (data, out) = (dir.path().join("data"), dir.path().join("out.json"));
    let options = ["--pages", "5000", "--json"];
    let mut terminal = Terminal::start(SIZE, Some(&out), &hunt(&data, &web, &options));
    terminal.shows("The Night Sky");
    terminal.types("\u{3}");
    let ended = terminal.finish();
    is_restored(&ended, 1);
    let told: Value = serde_json::from_slice(&std::fs::read(&out).expect("a file")).expect("JSON");
    assert!(told["results"].as_array().is_some_and(|results| !results.is_empty()), "{told}");
    assert!(!ended.text.contains('{'), "no result is drawn: {}", ended.text);

    // Twice, without colours: at once, and the terminal is still given back.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}/", silent.local_addr().expect("bound"));
    let data = dir.path().join("silent");
    let mut crawl = lycosa(["crawl", &address, "--tui", "--allow-private", "--data", text(&data)]);
    crawl.env("NO_COLOR", "1");
    let mut terminal = Terminal::start(SIZE, None, &crawl);
    terminal.looks("a crawl", |text| text.starts_with("running"));
    terminal.types("\u{3}\u{3}");
    is_restored(&terminal.finish(), 130);
}

#[test]
fn a_crawl_that_looks_for_nothing_has_events_when_it_is_watched() {
    if !python_has("termios") {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let mut crawl = lycosa(["crawl", "--synthetic", "300", "--tui", "--data", text(&data)]);
    crawl.args(["--config", text(&dir.path().join("lycosa.toml"))]);
    std::fs::write(dir.path().join("lycosa.toml"), "").expect("write");
    let ended = Terminal::start(SIZE, None, &crawl).finish();
    is_restored(&ended, 0);
    assert!(ended.text.contains("300 pages"), "{}", ended.text);
    let mut terminal =
        Terminal::start((24, 80), None, &lycosa(["agents", "--tui", "--data", text(&data)]));
    let seen = terminal.looks("its last pages", |text| {
        text.starts_with("finished") && text.contains("Pages, the last first")
    });
    assert!(seen.contains("bot-1"), "{seen}");
    terminal.types("q");
    is_restored(&terminal.finish(), 0);
}

#[test]
fn without_a_terminal_there_is_no_view_but_a_hint() {
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    for command in [["hunt", QUERY], ["crawl", "http://127.0.0.1:1/"]] {
        let ran = run([&command[..], &["--tui", "--data", text(&data)]].concat());
        ran.fails_with(&["terminal"], "without --tui");
    }
    assert!(!data.exists(), "nothing was begun");
    run(["agents", "--tui", "--data", text(&data)]).fails_with(&["terminal"], "without --tui");
    run(["hunts", "--tui"]).fails_with(&["ID"], "--help");
    // The last word counts.
    let plain = ["crawl", "--synthetic", "20", "--tui", "--no-tui", "-q", "--data", text(&data)];
    run(plain).exits(0);
}
