//! What does a person meet in a real browser? With the keyboard alone, without scripts, in both languages and both
//! colour schemes, and beside pages that would like to run something.

use crate::support::outside::{is_here, python, python_has};
use crate::support::site::{Answer, Site};
use crate::support::*;
use lycosa_lab::synthetic::Shape;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What would run if anything of a crawled page could.
const HOSTILE: &str =
    "zyzzyva <script>window.pwned=1</script><img src=x onerror=\"window.pwned=1\">";

/// Where the pictures go: the folder of `LYCOSA_PICTURES`, or one that is thrown away.
fn pictures(dir: &std::path::Path) -> PathBuf {
    match std::env::var_os("LYCOSA_PICTURES") {
        Some(folder) => PathBuf::from(folder),
        None => dir.to_owned(),
    }
}

/// A page that wants to run something, and three sites of which the first says most of quokkas, and the last least.
fn rows() -> String {
    let mut rows =
        vec![json!({"id": "h", "url": "http://hostile.test/", "title": HOSTILE, "text": HOSTILE})];
    for (site, times, about) in [
        ("alpha", 3, "sails and the wind over the bay"),
        ("beta", 2, "bread that rises slowly in a warm kitchen"),
        ("gamma", 1, "stones and stars in a dark northern night"),
    ] {
        let filler = format!("There is more to tell of {about}. ").repeat(40);
        let text = format!("{filler} A quokka smiles. ").repeat(times) + &filler.repeat(4 - times);
        let url = format!("http://{site}.test/page");
        rows.push(json!({"id": site, "url": url, "title": site, "text": text, "lang": "en"}));
    }
    rows.iter().map(|row| format!("{row}\n")).collect()
}

/// A page that says something else each time, and would like to run something.
fn changing() -> Site {
    let times = AtomicUsize::new(0);
    let hostile = HOSTILE.replace('<', "&lt;");
    Site::serve(move |_, path| match path {
        "/tide" => {
            let metres = times.fetch_add(1, Ordering::SeqCst);
            Answer::html(format!(
                "<title>Tide {hostile}</title><main><p>The tide in the harbour of the old town is at {metres} metres \
                 and {hostile} {metres} times this year, as the harbour master says every morning.</main>"
            ))
        }
        _ => Answer::missing(),
    })
}

#[test]
fn a_person_searches_hunts_watches_and_stops() {
    if !python_has("playwright") || !python_has("axe_playwright_python") || !is_here("chromium") {
        return;
    }
    let web = LiveWeb::serve(1, Shape::demo());
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let config = dir.path().join("config.toml");
    let settings = "[crawl]\ndelay = \"300ms\"\n[fetch]\nallow_private = true\n";
    std::fs::write(&config, settings).expect("write");
    let front = web.facts.fronts.iter().find(|front| front.contains("sailing")).expect("sailing");
    let mut crawl = lycosa(["crawl", front, "--allow-private", "-q", "--delay", "0s"]);
    crawl.args(["--pages", "60", "--data", text(&data)]);
    Running::start(crawl).finish().exits(0);
    let hostile = dir.path().join("hostile.jsonl");
    std::fs::write(&hostile, rows()).expect("write");
    run(["import", "jsonl", text(&hostile), "--data", text(&data), "-q"]).exits(0);
    let mut serve = lycosa(["serve", "--listen", "127.0.0.1:0", "--json", "--data", text(&data)]);
    serve.args(["--config", text(&config)]);
    let server = Running::start(serve);
    let told: Value = serde_json::from_str(&server.prints("listen")).expect("JSON");
    let origin = told["listen"].as_str().expect("an address").trim_end_matches('/');

    let site = changing();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite/support/browser.py");
    let how = json!({
        "origin": origin,
        "chromium": "/usr/bin/chromium",
        "out": text(&pictures(dir.path())),
        "front": front,
        "changing": format!("http://{}/tide", site.address),
        "walks": [["en", "light"], ["es", "dark"], ["en", "dark"], ["es", "light"]],
    });
    let walked = Command::new(python()).args([script, &how.to_string()]).output().expect("Python");
    assert!(walked.status.success(), "{}", String::from_utf8_lossy(&walked.stderr));
    let measured: Value = serde_json::from_slice(&walked.stdout).expect("JSON");
    note(&format!("{measured:#}"));
    assert!(measured["axe"].as_array().is_some_and(|pages| pages.len() == 4 * 22));
    assert!(measured["sizes"]["first"].as_u64().is_some_and(|bytes| bytes < 60_000), "{measured}");
    assert!(measured["sizes"]["all"].as_u64().is_some_and(|bytes| bytes < 150_000), "{measured}");
    drop(server);
}
