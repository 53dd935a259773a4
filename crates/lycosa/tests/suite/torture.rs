//! Do sites that do everything wrong get the outcome they deserve, and do the others notice them?

use crate::support::torture::{Bad, Door, GOOD_PAGES, GOOD_SITES, Good, bad_sites, serve_pages};
use crate::support::*;
use lycosa_model::Outcome;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// How long a good site thinks about a page where time is measured: much longer than anything else
/// takes, so that the time of the crawl is known in advance.
const THINKING: Duration = Duration::from_millis(200);
/// How much slower good sites may be crawled beside bad ones.
const SLOWER: f64 = 1.05;
/// A machine that is busy with other things may spoil a comparison; a fault of ours spoils all.
const COMPARISONS: usize = 4;
/// Resident memory that a crawl of bad sites may need. Seven of them send 100 MB or more, at the same
/// time, and want us to hold it.
const MEMORY: u64 = 300 << 20;

/// Limits of the program, made small so that bad sites are not waited for.
const CONFIG: &str = "[crawl]\nattempts = 3\nretry = \"50ms\"\n\
    [fetch]\ntimeout = \"5s\"\nhead_timeout = \"1s\"\nsilence = \"2s\"\nmin_rate = \"1KiB\"\n\
    rate_window = \"700ms\"\nmax_body = \"1MiB\"\nmax_decoded_body = \"8MiB\"\n";

/// Starts a crawl of these sites.
fn start(dir: &Path, config: &str, good: &[Good], bad: &[Bad]) -> Running {
    let (file, trace) = (dir.join("my.toml"), dir.join("trace.jsonl"));
    std::fs::write(&file, config).expect("written");
    let data = dir.join("data");
    let mut command = lycosa(["crawl", "--json", "-q", "--allow-private", "--delay", "0s"]);
    command.args(["--data", text(&data), "--config", text(&file), "--trace", text(&trace)]);
    command.args(good.iter().map(|site| format!("{}0", site.prefix())));
    command.args(bad.iter().map(|site| &site.url));
    Running::start(command)
}

/// The trace of a crawl that has ended, in which every page of the good sites was fetched once.
#[track_caller]
fn trace_with_all_of(dir: &Path, good: &[Good]) -> Trace {
    let trace = Trace::read(&dir.join("trace.jsonl"));
    for site in good {
        let mut pages = trace.urls("fetched");
        pages.retain(|url| url.starts_with(&site.prefix()));
        pages.sort_unstable();
        pages.dedup();
        assert_eq!(pages.len(), GOOD_PAGES, "every page of a good site: {pages:?}");
    }
    trace
}

#[test]
fn each_fault_has_its_name_and_costs_little_memory() {
    let bad = bad_sites();
    let good: Vec<Good> = (0..GOOD_SITES).map(|n| Good::serve(n, Duration::ZERO, || ())).collect();
    let dir = tempfile::tempdir().expect("a folder");
    let mut crawl = start(dir.path(), CONFIG, &good, &bad);
    let mut most = 0;
    until("the end of the crawl", || {
        most = most.max(most_memory(crawl.id()));
        (!crawl.is_alive()).then_some(())
    });
    let ran = crawl.finish().exits(0);
    assert!(!ran.stderr.contains("panic"), "{}", ran.stderr);
    let summary = ran.json();
    assert_eq!(summary["finished"], true, "{summary}");
    let trace = trace_with_all_of(dir.path(), &good);
    let data = dir.path().join("data");
    for site in &bad {
        let told = run(["url", &site.url, "--json", "--data", text(&data)]).exits(0).json();
        assert_eq!(name_of(&told["record"]["outcome"]), site.outcome, "{}: {told}", site.name);
        let reason = told["reason"].as_str().unwrap_or_default();
        let plain = ["fetched", "redirect"].contains(&site.outcome);
        let named = plain || reason.contains(site.outcome);
        assert!(named, "{}: {reason}", site.name);
        assert!(summary["outcomes"][site.outcome].as_u64() > Some(0), "{}: {summary}", site.name);
        let traced = trace.0.iter().find(|row| row["url"] == site.url.as_str());
        match site.name {
            // Their robots.txt is not to be had, so the page is not asked for.
            "silent site" | "TLS abort" => assert!(traced.is_none(), "{traced:?}"),
            name => assert_eq!(traced.expect("a line")["outcome"], site.outcome, "{name}"),
        }
    }
    let count = |outcome: &str| summary["outcomes"][outcome].as_u64();
    assert_eq!(count("redirect_limit"), Some(1), "{summary}");
    assert_eq!(count("trap_calendar"), Some(1), "{summary}");
    let aborted = bad.iter().find(|site| site.name == "TLS abort").expect("it is there");
    assert_eq!(summary["tls"][aborted.url.trim_end_matches('/')], "aborted", "{summary}");
    note(&format!("{} MiB of memory at most", most >> 20));
    if most > 0 {
        assert!(most < MEMORY, "{most} bytes of memory");
    }
}

/// The name of an outcome in a record.
fn name_of(outcome: &Value) -> &'static str {
    serde_json::from_value::<Outcome>(outcome.clone()).map_or("none", Outcome::name)
}

/// Most memory that a process has had so far; 0 where the system does not tell.
fn most_memory(id: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kib.unwrap_or(0) << 10
}

#[test]
fn good_sites_are_read_to_their_end_while_every_bad_site_keeps_us_waiting() {
    let door = Arc::new(Door::default());
    let held = Arc::new(AtomicUsize::new(0));
    // As many as there are places for, but for those of the good sites.
    let bad: Vec<Bad> = (0..32 - GOOD_SITES)
        .map(|n| {
            let (door, held) = (Arc::clone(&door), Arc::clone(&held));
            let port = serve_pages(Box::new(move |_, _| {
                held.fetch_add(1, Ordering::SeqCst);
                door.pass();
                Ok(false)
            }));
            Bad { name: "held", url: format!("http://127.0.0.1:{port}/{n}"), outcome: "" }
        })
        .collect();
    let (sites, every) = (bad.len(), GOOD_SITES * GOOD_PAGES);
    let served = Arc::new(AtomicUsize::new(0));
    let good: Vec<Good> = (0..GOOD_SITES)
        .map(|n| {
            let (door, held, served) = (Arc::clone(&door), Arc::clone(&held), Arc::clone(&served));
            Good::serve(n, Duration::ZERO, move || {
                // The first page waits until all bad sites hold a connection.
                until("all bad sites", || (held.load(Ordering::SeqCst) >= sites).then_some(()));
                if served.fetch_add(1, Ordering::SeqCst) + 1 == every {
                    door.open();
                }
            })
        })
        .collect();
    let dir = tempfile::tempdir().expect("a folder");
    // No limit of time ends before the test gives up.
    let config = "[crawl]\nattempts = 1\nretry = \"50ms\"\n\
        [fetch]\ntimeout = \"1h\"\nhead_timeout = \"1h\"\nsilence = \"1h\"\n";
    let crawl = start(dir.path(), config, &good, &bad);
    until("the last good page", || door.is_open().then_some(()));
    crawl.finish().exits(0);
    trace_with_all_of(dir.path(), &good);
}

/// How long the slowest good site takes in a crawl of its own and beside these.
fn slowest(bad: &[Bad]) -> Duration {
    let served = Arc::new(AtomicUsize::new(0));
    let good: Vec<Good> = (0..GOOD_SITES)
        .map(|n| {
            let served = Arc::clone(&served);
            Good::serve(n, THINKING, move || {
                served.fetch_add(1, Ordering::SeqCst);
            })
        })
        .collect();
    let dir = tempfile::tempdir().expect("a folder");
    let crawl = start(dir.path(), CONFIG, &good, bad);
    let every = GOOD_SITES * GOOD_PAGES;
    until("all good pages", || (served.load(Ordering::SeqCst) == every).then_some(()));
    // What becomes of the bad ones is told elsewhere.
    crawl.kill();
    good.iter().map(Good::took).max().expect("good sites")
}

#[test]
fn good_sites_are_crawled_beside_bad_ones_as_fast_as_alone() {
    let bad = bad_sites();
    let mut compared = Vec::new();
    while compared.len() < COMPARISONS {
        let (alone, beside) = (slowest(&[]), slowest(&bad));
        let ratio = beside.as_secs_f64() / alone.as_secs_f64();
        compared.push((alone, beside, ratio));
        note(&format!("{alone:?} alone, {beside:?} beside bad sites: {ratio:.3} times"));
        if ratio <= SLOWER {
            return;
        }
    }
    panic!("good sites are slower beside bad ones: {compared:?}");
}
