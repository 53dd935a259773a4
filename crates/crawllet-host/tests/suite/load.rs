//! T7: many at once. What they cost is bounded, and who is let in gets through.

use crate::engine::{Engine, keys, little, now_ms};
use crate::front::{ALL, Front, Running, Setup};
use crate::hostile::module;
use crate::upstream::Upstream;
use lycosa_crawllet::descriptor::RUN;
use lycosa_crawllet::engine::Reason;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// 64 connections, as many whose answer is sent and that are just ending while others begin, and a few of its own.
const MOST_THREADS: usize = 2 * 64 + 40;

/// The most threads, open files and memory (kB) that a process had while `work` was done.
fn watched(pid: u32, work: impl FnOnce()) -> (usize, usize, u64) {
    let done = Arc::new(AtomicBool::new(false));
    let over = done.clone();
    let watch = std::thread::spawn(move || {
        let mut most = (0, 0, 0);
        while !over.load(Ordering::Relaxed) {
            let count = |what: &str| {
                std::fs::read_dir(format!("/proc/{pid}/{what}")).map_or(0, Iterator::count)
            };
            let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            let memory = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
            let memory =
                memory.and_then(|text| text.trim().split(' ').next()?.parse().ok()).unwrap_or(0);
            most = (count("task").max(most.0), count("fd").max(most.1), memory.max(most.2));
            std::thread::yield_now();
        }
        most
    });
    work();
    done.store(true, Ordering::Relaxed);
    watch.join().unwrap()
}

/// Five hundred hellos of a stranger at once, while an engine that is let in does its job: what they were answered.
fn flood(host: &Running) -> Vec<u16> {
    let stranger = Arc::new(Engine::with(host, keys(2)));
    let (hello, _) = stranger.hello_bytes(little(), now_ms());
    let all: Vec<_> = (0..500)
        .map(|_| {
            let (engine, hello) = (stranger.clone(), hello.clone());
            std::thread::spawn(move || {
                engine.client.send("POST", RUN, &hello).map_or(0, |a| a.status)
            })
        })
        .collect();
    let harvest = Engine::new(host).run_guest("pages", little(), None);
    assert_eq!(harvest.reason(), Reason::Done);
    all.into_iter().map(|one| one.join().unwrap()).collect()
}

/// What strangers leave behind: nothing.
fn is_clean(host: &Running) -> bool {
    let files = |path| std::fs::read_dir(path).unwrap().count();
    files(host.state()) < 20 && files(host.state().join("sessions")) == 0 && host.jobs().len() == 1
}

#[test]
fn five_hundred_hellos_at_once_cost_little_and_a_known_engine_gets_through() {
    let web = Upstream::small();
    // As the owner has it, but for the limit of one address: all of ours are one.
    let mut host = Front::Alone.start(web.at, &Setup::default()).unwrap();
    let pid = host.process().id();
    let mut statuses = Vec::new();
    let (threads, files, memory) = watched(pid, || statuses = flood(&host));
    println!("500 hellos: {threads} threads, {files} files, {memory} kB");
    assert!(statuses.iter().all(|status| [0, 200, 429, 503].contains(status)), "{statuses:?}");
    assert!(threads <= MOST_THREADS && files <= 64 * 4 + 32 && memory < 200 << 10);
    assert!(is_clean(&host));
}

#[test]
fn five_hundred_hellos_of_strangers_leave_no_file_behind_any_web_server() {
    let web = Upstream::small();
    for front in [Front::Apache, Front::Nginx] {
        let Some(host) = front.start(web.at, &Setup::default()) else { continue };
        let statuses = flood(&host);
        let expected = [0, 200, 429, 502, 503, 504];
        assert!(statuses.iter().all(|s| expected.contains(s)), "{front:?}: {statuses:?}");
        assert!(statuses.contains(&200), "{front:?}: some are heard, and refused");
        assert!(is_clean(&host), "{front:?}");
    }
}

#[test]
fn an_address_that_says_hello_too_often_waits() {
    let web = Upstream::small();
    for front in ALL {
        let setup = Setup {
            change: &[("hellos_per_minute = 10", "hellos_per_minute = 5")],
            ..Setup::default()
        };
        let Some(host) = front.start(web.at, &setup) else { continue };
        let engine = Engine::new(&host);
        let statuses: Vec<u16> = (0..12).map(|_| engine.post(RUN, b"CLP1 nonsense").0).collect();
        // The minute may turn once while we count.
        let let_in = statuses.iter().filter(|status| **status != 429).count();
        assert!((5..=10).contains(&let_in), "{front:?} {statuses:?}");
    }
}

#[test]
fn fifty_uploads_at_once_run_one_by_one() {
    let web = Upstream::small();
    let mut host = Front::Alone.start(web.at, &Setup::default()).unwrap();
    let pid = host.process().id();
    let engine = Arc::new(Engine::new(&host));
    let module = wat::parse_str(module("(i32.const 0)", "")).unwrap();
    // Sessions are had one after the other; all wait for their upload.
    let uploads: Vec<_> =
        (0..50).map(|_| engine.upload(&module, [0; 32], little(), true, None)).collect();
    let (threads, files, memory) = watched(pid, || {
        let all: Vec<_> = uploads
            .into_iter()
            .map(|(path, bytes, _)| {
                let engine = engine.clone();
                std::thread::spawn(move || {
                    loop {
                        match engine.client.send("POST", &path, &bytes) {
                            Ok(answer) if answer.status == 503 => std::thread::yield_now(),
                            Ok(answer) => return (answer.status, answer.body(1 << 20).is_ok()).0,
                            Err(_) => {}
                        }
                    }
                })
            })
            .collect();
        for one in all {
            assert_eq!(one.join().unwrap(), 200);
        }
    });
    println!("50 uploads: {threads} threads, {files} files, {memory} kB");
    assert!(threads <= MOST_THREADS && files <= 64 * 4 + 32 && memory < 300 << 10);
    assert_eq!(host.jobs().len(), 50);
    assert!(host.reasons().iter().all(|reason| reason == "done"));
}
