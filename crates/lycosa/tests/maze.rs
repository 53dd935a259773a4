//! Which links does a crawl follow? The crawl maze with all of them, and a small site with some.

mod support;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use support::*;

/// Expected addresses outside JavaScript, less the exceptions.
const CASES: usize = 62;

/// Cases that no link leads to, and why.
const EXCEPTIONS: [(&str, &str); 2] = [
    ("/test/misc/known-files/robots.txt.found", "robots.txt forbids it, so it is not asked for"),
    ("/test/misc/known-files/sitemap.xml.found", "only a sitemap names it"),
];

struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: String,
}

impl Answer {
    fn html(body: impl Into<String>) -> Answer {
        Answer { status: 200, headers: Vec::new(), body: body.into() }.typed("text/html")
    }

    fn missing() -> Answer {
        Answer { status: 404, ..Answer::html("<p>There is nothing here.") }
    }

    fn with(mut self, name: &'static str, value: impl Into<String>) -> Answer {
        self.headers.push((name, value.into()));
        self
    }

    fn typed(mut self, content_type: &str) -> Answer {
        self.headers.retain(|(name, _)| *name != "Content-Type");
        self.with("Content-Type", content_type)
    }
}

/// A site on loopback that remembers what it was asked for.
struct Site {
    address: SocketAddr,
    asked: Arc<Mutex<BTreeSet<String>>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Site {
    fn serve(answer: impl Fn(&str, &str) -> Answer + Send + 'static) -> Site {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = listener.local_addr().expect("bound");
        let asked: Arc<Mutex<BTreeSet<String>>> = Arc::default();
        let stop = Arc::new(AtomicBool::new(false));
        let (seen, stopped) = (Arc::clone(&asked), Arc::clone(&stop));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if stopped.load(Ordering::SeqCst) {
                    return;
                }
                // A client that goes away in the middle has no answer to wait for.
                let _ = converse(&stream, |path| {
                    seen.lock().expect("whole").insert(path.to_owned());
                    answer(&address.to_string(), path)
                });
            }
        });
        Site { address, asked, stop, thread: Some(thread) }
    }

    fn asked(&self) -> BTreeSet<String> {
        self.asked.lock().expect("whole").clone()
    }

    /// Crawls the site and tells what was asked for.
    fn crawled(&self, arguments: &[&str], config: &str) -> BTreeSet<String> {
        let dir = tempfile::tempdir().expect("a folder");
        let (data, file) = (dir.path().join("data"), dir.path().join("config.toml"));
        std::fs::write(&file, format!("{IMPATIENT}{config}")).expect("written");
        self.asked.lock().expect("whole").clear();
        let mut command = lycosa(["crawl", "-q", "--allow-private", "--delay", "0s"]);
        command.args(["--data", text(&data), "--config", text(&file)]).args(arguments);
        command.arg(format!("http://{}/", self.address));
        Running::start(command).finish().exits(0);
        self.asked()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // The thread waits for a connection, so it gets one.
        if TcpStream::connect(self.address).is_ok()
            && let Some(thread) = self.thread.take()
        {
            let _ = thread.join();
        }
    }
}

/// One request and its answer.
fn converse(mut stream: &TcpStream, answer: impl FnOnce(&str) -> Answer) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let Some(path) = first.split(' ').nth(1) else { return Ok(()) };
    let answer = answer(path);
    let mut head = format!("HTTP/1.1 {} -\r\n", answer.status);
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let length = answer.body.len();
    head.push_str(&format!("Content-Length: {length}\r\nConnection: close\r\n\r\n"));
    stream.write_all(head.as_bytes())?;
    stream.write_all(answer.body.as_bytes())
}

/// The cases that need no JavaScript, as paths below the folder.
fn cases(folder: &Path) -> Vec<PathBuf> {
    let mut todo = vec![folder.to_path_buf()];
    let mut files = Vec::new();
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("a folder").flatten();
            todo.extend(
                entries.map(|entry| entry.path()).filter(|path| !path.ends_with("javascript")),
            );
        } else {
            files.push(path.strip_prefix(folder).expect("below").to_path_buf());
        }
    }
    files.sort();
    files
}

/// What the maze's own server answers.
fn maze(folder: &Path, host: &str, path: &str) -> Answer {
    let anchor = |href: &str| Answer::html(format!("<a href='{href}'></a>"));
    match path {
        "/" => {
            let links = cases(folder);
            let links =
                links.iter().map(|case| format!("<a href='/test/{0}'>{0}</a>\n", case.display()));
            Answer::html(links.collect::<String>())
        }
        "/robots.txt" => Answer {
            status: 200,
            headers: Vec::new(),
            body: "User-agent: *\nDisallow: /test/misc/known-files/robots.txt.found\n".into(),
        }
        .typed("text/plain"),
        "/css/font-face.css" => {
            Answer::html("@font-face { font-family: f; src: url('/test/css/font-face.found'); }")
                .typed("text/css")
        }
        "/test/headers/link" => {
            Answer::html("").with("Link", "</test/headers/link.found>; rel=\"prefetch\"")
        }
        "/test/headers/refresh" => {
            Answer::html("").with("Refresh", "10; url=/test/headers/refresh.found")
        }
        "/test/headers/content-location" => {
            Answer::html("").with("Content-Location", "/test/headers/content-location.found")
        }
        "/test/headers/location" => Answer { status: 302, ..Answer::html("") }
            .with("Location", "/test/headers/location.found"),
        "/test/html/misc/string/url-string" => {
            Answer::html(format!("<p>Somewhere at http://{host}{path}.found</p>"))
        }
        "/test/html/misc/url/full-url" => anchor(&format!("http://{host}{path}.found")),
        "/test/html/misc/url/protocol-relative-url" => anchor(&format!("//{host}{path}.found")),
        "/test/html/misc/url/path-relative-url" => anchor("path-relative-url.found"),
        path if path.ends_with(".found") || path.ends_with(".pdf") => Answer::html("<p>Found."),
        path => {
            let case = path.strip_prefix("/test/").map(|rest| folder.join(rest));
            match case.and_then(|file| std::fs::read_to_string(file).ok()) {
                Some(body) => Answer::html(body),
                None => Answer::missing(),
            }
        }
    }
}

#[test]
fn the_crawl_maze_is_crawled_as_far_as_no_javascript_is_needed() {
    let Some(root) = shared("conformance/crawl-maze") else { return };
    let all = std::fs::read(root.join("expected-results.json")).expect("a file");
    let all: Vec<String> = serde_json::from_slice(&all).expect("a list");
    let is_case = |target: &&String| {
        !target.contains("/javascript/") && !EXCEPTIONS.iter().any(|(except, _)| except == target)
    };
    let expected: BTreeSet<String> = all.iter().filter(is_case).cloned().collect();
    assert_eq!(expected.len(), CASES);
    let folder = root.join("test-cases");
    let site = Site::serve(move |host, path| maze(&folder, host, path));
    let asked = site.crawled(&["--follow", "all"], "");
    let missing: Vec<&String> = expected.difference(&asked).collect();
    assert!(missing.is_empty(), "never asked for: {missing:#?}");
    assert!(!asked.contains(EXCEPTIONS[0].0), "robots.txt is kept even so");
    let asked = site.crawled(&[], "");
    let found: Vec<&String> = expected.intersection(&asked).collect();
    assert_eq!(found.len(), 10, "by default only what leads readers on: {found:#?}");
}

#[test]
fn settings_decide_which_links_are_followed() {
    let site = Site::serve(|_, path| match path {
        "/" => Answer::html(
            "<link rel=next href=/next><a href=/plain>p</a><a rel='nofollow ugc' href=/marked>m</a>\
             <img src=/picture><form action=/form></form><a href=/closed>c</a>",
        ),
        "/closed" => Answer::html("<meta name=robots content=nofollow><a href=/inside>i</a>"),
        "/plain" => Answer::html("<p>x").with("Link", "</header>; rel=alternate"),
        "/next" | "/marked" | "/picture" | "/form" | "/inside" | "/header" => Answer::html("<p>x"),
        _ => Answer::missing(),
    });
    let pages = ["/", "/closed", "/header", "/next", "/plain"];
    let asked = |arguments: &[&str], config: &str, more: &[&str]| {
        let wanted: BTreeSet<String> =
            pages.iter().chain(more).map(|path| (*path).to_owned()).collect();
        let mut asked = site.crawled(arguments, config);
        // What is asked for by rule is no link.
        asked.retain(|path| path != "/robots.txt" && path != "/sitemap.xml");
        assert_eq!(asked, wanted, "{arguments:?} {config}");
    };
    asked(&[], "", &[]);
    asked(&[], "follow_nofollow = true\n", &["/marked"]);
    asked(&[], "follow = \"all\"\n", &["/picture", "/form"]);
    asked(&["--follow", "pages"], "follow = \"all\"\n", &[]);
    run(["crawl", "--follow", "none", "http://a.test/"]).exits(2);
}
