//! T1, T2 and T3, and the way a job goes.

use crate::engine::{DOMAIN, Engine, keys, little, now_ms};
use crate::front::{ALL, Front, Setup};
use crate::hostile::module;
use crate::upstream::Upstream;
use lycosa_crawllet::descriptor::{Descriptor, RUN, WELL_KNOWN};
use lycosa_crawllet::engine::{Hello, Reason, Wanted};
use lycosa_crawllet::identity::EngineKeys;
use lycosa_crawllet::limits::Limits;
use lycosa_crawllet::{Fault, Refusal};
use std::sync::Arc;

fn refusal(fault: Fault) -> Refusal {
    match fault {
        Fault::Refused { code, .. } => code,
        other => panic!("{other}"),
    }
}

fn sessions(state: &std::path::Path) -> usize {
    std::fs::read_dir(state.join("sessions")).unwrap().count()
}

#[test]
fn a_crawllet_brings_the_whole_site_in_one_transaction() {
    let web = Upstream::small();
    for front in ALL {
        let Some(host) = front.start(web.at, &Setup::default()) else { continue };
        let engine = Engine::new(&host);
        let harvest = engine.run_guest("pages", little(), None);
        assert_eq!(harvest.reason(), Reason::Done, "{front:?} {:?}", harvest.logs);
        let mut paths: Vec<&str> = harvest.records.iter().map(|r| r.path.as_str()).collect();
        paths.sort_unstable();
        assert_eq!(paths.len(), 10, "{front:?} {paths:?}");
        assert_eq!(web.asked().len(), 10, "each page is asked for once");
        assert_eq!(host.reasons(), ["done"]);
    }
}

/// The site's paths, by as many crawllets as it takes under these limits; and how many it took.
fn chain(engine: &Engine, guest: &str, limits: Limits) -> (Vec<String>, usize) {
    let (mut paths, mut state, mut jobs) = (Vec::new(), None, 0);
    loop {
        let harvest = engine.run_guest(guest, limits, state.as_deref());
        jobs += 1;
        paths.extend(harvest.records.iter().map(|record| record.path.clone()));
        match harvest.reason() {
            Reason::Done => break,
            Reason::Suspended => state = harvest.state,
            other => panic!("{other:?} {:?}", harvest.logs),
        }
        assert!(state.is_some() && jobs < 40);
    }
    paths.sort_unstable();
    let all = paths.len();
    paths.dedup();
    assert_eq!(paths.len(), all, "no page comes twice");
    (paths, jobs)
}

/// What a conventional crawl of the small web finds: every link is followed, once.
fn crawled(web: &Upstream) -> Vec<String> {
    let client = crawllet_host::client::Client::new(
        &format!("http://{}", web.at),
        std::time::Duration::from_secs(20),
    );
    let client = client.unwrap();
    let (mut waiting, mut found) = (vec!["/".to_owned()], Vec::new());
    while let Some(path) = waiting.pop() {
        if found.contains(&path) {
            continue;
        }
        let body = client.send("GET", &path, b"").unwrap().body(1 << 20).unwrap();
        let text = String::from_utf8(body).unwrap();
        let links = text.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
        waiting.extend(links.filter(|link| link.starts_with('/')).map(str::to_owned));
        found.push(path);
    }
    found.sort_unstable();
    web.asked();
    found
}

#[test]
fn a_job_that_comes_to_its_limit_goes_on_in_the_next() {
    let web = Upstream::small();
    let wanted = crawled(&web);
    for front in ALL {
        let Some(host) = front.start(web.at, &Setup::default()) else { continue };
        let engine = Engine::new(&host);
        let (paths, jobs) = chain(&engine, "pages", Limits { pages: 5, ..little() });
        assert_eq!(paths, wanted, "{front:?}");
        assert!(jobs > 1, "{front:?}");
    }
}

#[test]
fn a_fifth_of_the_needed_fuel_makes_a_chain_of_crawllets_with_the_same_pages() {
    let web = Upstream::wide(60);
    let wanted = crawled(&web);
    assert_eq!(wanted.len(), 61);
    for front in ALL {
        let Some(host) = front.start(web.at, &Setup::default()) else { continue };
        let engine = Engine::new(&host);
        for guest in ["pages", "summaries"] {
            let whole = engine.run_guest(guest, Limits { pages: 100, ..little() }, None);
            assert_eq!(whole.reason(), Reason::Done, "{front:?} {guest}");
            assert_eq!(whole.records.len(), 61, "{front:?} {guest}");
            let needed = whole.end.unwrap().unwrap().fuel_used;
            let limits = Limits { pages: 100, fuel: needed / 5, ..little() };
            let (paths, jobs) = chain(&engine, guest, limits);
            assert_eq!(paths, wanted, "{front:?} {guest}");
            assert!((3..40).contains(&jobs), "{front:?} {guest}: {jobs} jobs");
            println!("{front:?} {guest}: {needed} fuel, {jobs} crawllets at a fifth of it");
        }
    }
}

#[test]
fn strangers_get_no_session() {
    let web = Upstream::small();
    for front in ALL {
        let Some(host) = front.start(web.at, &Setup::default()) else { continue };
        // Another key for a known domain, and an unknown domain.
        let foreign = Engine::with(&host, keys(2));
        assert_eq!(refusal(foreign.try_hello(little()).err().unwrap()), Refusal::NotAdmitted);
        let unknown = EngineKeys::generate("other.example", [1; 32]).unwrap();
        let unknown = Engine::with(&host, unknown);
        assert_eq!(refusal(unknown.try_hello(little()).err().unwrap()), Refusal::NotAdmitted);

        // A clock that is wrong.
        let engine = Engine::new(&host);
        let (hello, sent) = engine.hello_bytes(little(), now_ms() - 200_000);
        let (_, body) = engine.post(RUN, &hello);
        assert_eq!(refusal(sent.read_grant(&body).err().unwrap()), Refusal::Clock);

        // Another authority, and another descriptor: both are part of the handshake.
        let (_, bytes) = engine.get(WELL_KNOWN);
        let mut descriptor = Descriptor::parse(&bytes).unwrap();
        let wanted = Wanted { limits: little(), ..Wanted::default() };
        descriptor.authority = "other.example".to_owned();
        let hello = Hello::new(
            &engine.keys,
            &descriptor,
            &bytes,
            "other.example",
            wanted.clone(),
            now_ms(),
            [9; 32],
        );
        assert_eq!(engine.post(RUN, &hello.unwrap().0).0, 403);
        let descriptor = Descriptor::parse(&bytes).unwrap();
        let other = [&bytes[..], b" "].concat();
        let hello = Hello::new(
            &engine.keys,
            &descriptor,
            &other,
            "site.example",
            wanted,
            now_ms(),
            [9; 32],
        );
        assert_eq!(engine.post(RUN, &hello.unwrap().0).0, 403);
        assert_eq!(sessions(&host.state()), 0, "{front:?}");
        assert!(host.jobs().is_empty() && web.asked().is_empty());
    }
}

#[test]
fn what_is_no_message_is_answered_by_status() {
    let web = Upstream::small();
    for front in ALL {
        let Some(host) = front.start(web.at, &Setup::default()) else { continue };
        let engine = Engine::new(&host);
        assert_eq!(engine.post(RUN, b"hello").0, 400, "{front:?}");
        assert_eq!(engine.post(RUN, b"").0, 400);
        assert_eq!(engine.post(RUN, &[b'x'; 3000]).0, 413);
        assert_eq!(engine.post(&format!("{RUN}?s=xyz"), b"").0, 400);
        assert_eq!(engine.post(&format!("{RUN}?s=../../../../etc/passwd"), b"").0, 400);
        assert_eq!(engine.post(&format!("{RUN}?s={}", "0".repeat(32)), b"CLP1").0, 404);
        assert_eq!(engine.get(RUN).0, 405);
        let mut hello = engine.hello_bytes(little(), now_ms()).0;
        let last = hello.len() - 1;
        hello[last] ^= 1;
        assert_eq!(engine.post(RUN, &hello).0, 403);
    }
}

#[test]
fn the_same_hello_counts_once() {
    let web = Upstream::small();
    for front in ALL {
        let Some(host) = front.start(web.at, &Setup::default()) else { continue };
        let engine = Engine::new(&host);
        let (hello, sent) = engine.hello_bytes(little(), now_ms());
        let (_, first) = engine.post(RUN, &hello);
        sent.read_grant(&first).unwrap();
        let (status, _) = engine.post(RUN, &hello);
        assert_eq!(status, 200, "the refusal is for the engine's eyes");
        assert_eq!(sessions(&host.state()), 1, "{front:?}");
    }
}

#[test]
fn of_a_hundred_equal_uploads_exactly_one_runs() {
    let web = Upstream::small();
    for front in ALL {
        let Some(host) = front.start(web.at, &Setup::default()) else { continue };
        let engine = Arc::new(Engine::new(&host));
        let module = wat::parse_str(module("(i32.const 0)", "")).unwrap();
        let (path, bytes, _) = engine.upload(&module, [0; 32], little(), true, None);
        let tries: Vec<_> = (0..100)
            .map(|_| {
                let (engine, path, bytes) = (engine.clone(), path.clone(), bytes.clone());
                std::thread::spawn(move || match engine.client.send("POST", &path, &bytes) {
                    Ok(answer) => (answer.status, answer.body(1 << 20).is_ok()),
                    // A server under load may drop a connection.
                    Err(_) => (0, false),
                })
            })
            .collect();
        let answers: Vec<_> = tries.into_iter().map(|t| t.join().unwrap()).collect();
        assert_eq!(answers.iter().filter(|(status, _)| *status == 200).count(), 1, "{front:?}");
        assert!(
            answers.iter().all(|(status, _)| [0, 200, 404, 409, 502, 503].contains(status)),
            "{answers:?}"
        );
        assert_eq!(host.jobs().len(), 1);
        assert_eq!(engine.post(&path, &bytes).0, 409, "also afterwards");
    }
}

#[test]
fn an_upload_that_was_touched_is_not_run() {
    let web = Upstream::small();
    for front in ALL {
        let Some(host) = front.start(web.at, &Setup::default()) else { continue };
        let engine = Engine::new(&host);
        let module = wat::parse_str(module("(i32.const 0)", "")).unwrap();
        let upload = || engine.upload(&module, [0; 32], little(), true, None);
        let length = upload().1.len();
        for at in [0, 5, 10, 22, 30, length / 2, length - 1] {
            let (path, mut bytes, _) = upload();
            bytes[at] ^= 1;
            assert_eq!(engine.post(&path, &bytes).0, 403, "{front:?}, byte {at}");
        }
        let (path, bytes, _) = upload();
        assert_eq!(engine.post(&path, &bytes[..length - 1]).0, 403, "{front:?}: cut short");
        let (path, _, _) = upload();
        let (_, other, _) = upload();
        assert_eq!(engine.post(&path, &other).0, 403, "{front:?}: the upload of another session");
        // Two frames change places; the first two follow the head of 22 bytes, each behind its length.
        let (path, bytes, _) = upload();
        let end =
            |at: usize| at + 4 + u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let (first, second) = (end(22), end(end(22)));
        let swapped =
            [&bytes[..22], &bytes[first..second], &bytes[22..first], &bytes[second..]].concat();
        assert_eq!(engine.post(&path, &swapped).0, 403, "{front:?}: frames out of order");
        let (path, bytes, _) = upload();
        let last = [&bytes[..22], &bytes[22..first], &bytes[second..]].concat();
        assert_eq!(engine.post(&path, &last).0, 403, "{front:?}: a frame is missing");
        assert!(host.jobs().is_empty(), "{front:?}");
    }
}

#[test]
fn an_open_site_takes_any_engine_but_no_false_one() {
    let web = Upstream::small();
    let setup = Setup { change: &[("open = false", "open = true")], ..Setup::default() };
    let host = Front::Alone.start(web.at, &setup).unwrap();
    let unknown = EngineKeys::generate("other.example", [3; 32]).unwrap();
    assert!(Engine::with(&host, unknown).try_hello(little()).is_ok());
    let false_one = EngineKeys::generate(DOMAIN, [3; 32]).unwrap();
    let fault = Engine::with(&host, false_one).try_hello(little()).err().unwrap();
    assert_eq!(refusal(fault), Refusal::NotAdmitted);
}
