//! What the owner does: set up, check, read the report, change keys, switch off.

use crate::engine::{Engine, little};
use crate::front::{ALL, Front, Running, Setup, call};
use crate::hostile::module;
use crate::upstream::Upstream;
use lycosa_crawllet::descriptor::{Descriptor, WELL_KNOWN};
use lycosa_crawllet::engine::Reason;
use lycosa_crawllet::limits::Limits;

fn dir(host: &Running) -> &str {
    host.dir.to_str().unwrap()
}

fn said(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

#[test]
fn check_is_all_green_after_pasting_what_init_printed() {
    let web = Upstream::small();
    for front in ALL {
        let Some(host) = front.start(web.at, &Setup::default()) else { continue };
        let output = call(&["check", "--dir", dir(&host), "--url", &host.url()]);
        let text = said(&output);
        assert_eq!(output.status.code(), Some(0), "{front:?}\n{text}");
        assert_eq!(text.matches("ok ").count(), 7, "{front:?}\n{text}");
        let left = std::fs::read_dir(host.state()).unwrap();
        assert!(!left.flatten().any(|entry| entry.file_name() == "check.json"), "the pass is gone");
    }
}

#[test]
fn check_says_what_is_wrong() {
    let web = Upstream::small();
    let host = Front::Alone.start(web.at, &Setup::default()).unwrap();
    // An address where the site is, but no host.
    let elsewhere = format!("http://{}", web.at);
    let output = call(&["check", "--dir", dir(&host), "--url", &elsewhere]);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains("BAD  descriptor: the web server answers 404\n     hint: paste"),
        "{text}"
    );
}

#[test]
fn mistakes_are_told_in_a_line_with_a_hint() {
    let nowhere = call(&["serve", "--dir", "/nowhere"]);
    assert_eq!(nowhere.status.code(), Some(2));
    assert!(said(&nowhere).contains("hint: `crawllet-host init`"), "{}", said(&nowhere));
    let web = Upstream::small();
    let host = Front::Cgi.start(web.at, &Setup::default()).unwrap();
    let again = call(&["init", "--dir", dir(&host), "--authority", "a.example"]);
    assert_eq!(again.status.code(), Some(2));
    assert!(said(&again).contains("is set up already"));
}

#[test]
fn the_switch_works_under_every_front() {
    let web = Upstream::small();
    for front in ALL {
        let Some(host) = front.start(web.at, &Setup::default()) else { continue };
        let engine = Engine::new(&host);
        let module = wat::parse_str(module("(i32.const 0)", "")).unwrap();
        let (path, bytes, _) = engine.upload(&module, [0; 32], little(), true, None);
        assert!(call(&["off", "--dir", dir(&host)]).status.success());
        assert_eq!(engine.get(WELL_KNOWN).0, 404, "{front:?}");
        assert_eq!(engine.post(&path, &bytes).0, 404, "{front:?}");
        assert!(call(&["on", "--dir", dir(&host)]).status.success());
        assert_eq!(engine.post(&path, &bytes).0, 200, "{front:?}");
    }
}

/// A crawllet that never ends by itself, and what is done to it meanwhile.
fn while_it_runs(host: &Running, what: impl FnOnce() + Send) -> Reason {
    let engine = Engine::new(host);
    let wat = module("(loop $l (br $l)) (i32.const 0)", "");
    let limits = Limits { cpu_ms: 60_000, fuel: 1 << 60, wall_s: 60, ..little() };
    let state = host.state();
    std::thread::scope(|scope| {
        let running = scope.spawn(|| engine.run_wat(&wat, limits).reason());
        // The day's count goes up when the job begins.
        while !std::fs::read_to_string(state.join("day")).unwrap_or_default().contains("\"jobs\":1")
        {
            std::thread::yield_now();
        }
        what();
        running.join().unwrap()
    })
}

#[test]
fn the_switch_ends_what_runs() {
    let web = Upstream::small();
    for front in ALL {
        let Some(host) = front.start(web.at, &Setup::default()) else { continue };
        let folder = dir(&host).to_owned();
        let reason =
            while_it_runs(&host, || assert!(call(&["off", "--dir", &folder]).status.success()));
        assert_eq!(reason, Reason::HostShutdown, "{front:?}");
    }
}

#[test]
fn a_service_that_is_ended_says_so_to_its_engines() {
    let web = Upstream::small();
    let mut host = Front::Alone.start(web.at, &Setup::default()).unwrap();
    let pid = rustix::process::Pid::from_child(host.process());
    let end = || rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert_eq!(while_it_runs(&host, end), Reason::HostShutdown);
    assert_eq!(host.process().wait().unwrap().code(), Some(0));
}

#[test]
fn a_new_key_is_signed_by_the_old_one_and_both_are_good() {
    let web = Upstream::small();
    for front in ALL {
        let Some(host) = front.start(web.at, &Setup::default()) else { continue };
        let engine = Engine::new(&host);
        let before = Descriptor::parse(&engine.get(WELL_KNOWN).1).unwrap();
        assert!(call(&["rotate", "--dir", dir(&host)]).status.success());
        let after = Descriptor::parse(&engine.get(WELL_KNOWN).1).unwrap();
        let now = crate::engine::now_ms();
        assert_eq!(after.keys.len(), 2, "{front:?}");
        assert_ne!(after.key_at(now), before.key_at(now));
        after.verify_rotation(&before, now).unwrap();
        assert_eq!(engine.run_guest("pages", little(), None).reason(), Reason::Done, "{front:?}");
    }
}

#[test]
fn the_report_shows_who_ran_what() {
    let web = Upstream::small();
    let host = Front::Alone.start(web.at, &Setup::default()).unwrap();
    assert_eq!(call(&["report", "--dir", dir(&host)]).status.code(), Some(1), "nobody yet");
    Engine::new(&host).run_guest("pages", little(), None);
    let text = said(&call(&["report", "--dir", dir(&host)]));
    assert!(
        text.contains("engine.example") && text.contains("10 pages") && text.contains("done"),
        "{text}"
    );
    let json: serde_json::Value =
        serde_json::from_slice(&call(&["report", "--dir", dir(&host), "--json"]).stdout).unwrap();
    assert_eq!(json["engines"]["engine.example"]["pages"], 10);
    assert_eq!(json["jobs"][0]["reason"], "done");
}
