//! Does the engine get along with the host that site owners install, also when the engine is killed?

use crate::support::data::lines_in;
use crate::support::outside::crawllet_host;
use crate::support::site::{Answer, Site};
use crate::support::*;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

/// Pages of the site; more than are audited.
const PAGES: usize = 300;

/// A site with a web server, a host of crawllets behind it, and a door that leads to both.
struct Place {
    address: SocketAddr,
    /// How often each page was asked for in the ordinary way.
    asked: Arc<Mutex<BTreeMap<String, u32>>>,
    dir: PathBuf,
    host: PathBuf,
    _site: Site,
    _serving: Running,
}

impl Place {
    fn open(host: &Path, dir: &Path, engine: &serde_json::Value) -> Place {
        let site = Site::serve(|_, path| {
            let number = match path {
                "/" => Some(0),
                "/robots.txt" => {
                    let announced = "Crawllet: /.well-known/crawllet\n";
                    return Answer::html(announced).typed("text/plain");
                }
                path => path.strip_prefix("/page/").and_then(|number| number.parse().ok()),
            };
            match number.filter(|number| *number < PAGES) {
                None => Answer::missing(),
                Some(number) => {
                    let next = [2 * number + 1, 2 * number + 2].into_iter().filter(|n| *n < PAGES);
                    let next: String =
                        next.map(|n| format!(" <a href=/page/{n}>{n}</a>")).collect();
                    Answer::html(format!("<title>Page {number}</title><p>This is {number}.{next}"))
                }
            }
        });
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = listener.local_addr().expect("bound");
        let settings = dir.join("host");
        let allow = format!(
            "{}={}",
            engine["domain"].as_str().expect("a domain"),
            engine["ed25519"].as_str().expect("a key")
        );
        let made = Command::new(host)
            .args([
                "init",
                "--compile-later",
                "--plain-http",
                "--dir",
                text(&settings),
                "--allow",
                &allow,
            ])
            .args(["--authority", &address.to_string()])
            .args(["--upstream", &format!("http://{}", site.address)])
            .output()
            .expect("it runs");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let mut serve = Command::new(host);
        serve.args(["serve", "--listen", "127.0.0.1:0", "--dir", text(&settings)]);
        let serving = Running::start(serve);
        let said = serving.prints("serving");
        let hosted = said.trim().rsplit("http://").next().expect("an address");
        let hosted: SocketAddr = hosted.parse().expect("an address");
        let asked: Arc<Mutex<BTreeMap<String, u32>>> = Arc::default();
        let (counts, upstream) = (Arc::clone(&asked), site.address);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let counts = Arc::clone(&counts);
                // Whoever goes away in the middle has no answer to wait for.
                std::thread::spawn(move || forward(&stream, hosted, upstream, &counts).ok());
            }
        });
        let (dir, host) = (settings, host.to_owned());
        Place { address, asked, dir, host, _site: site, _serving: serving }
    }

    /// Pages that were asked for in the ordinary way, and how often the one that was asked for most.
    fn asked(&self) -> (usize, u32) {
        let asked = self.asked.lock().expect("whole");
        (asked.len(), asked.values().copied().max().unwrap_or_default())
    }

    fn report(&self) -> String {
        let ran = Command::new(&self.host).args(["report", "--dir", text(&self.dir)]).output();
        String::from_utf8_lossy(&ran.expect("it runs").stdout).into_owned()
    }
}

/// Carries one request to the host or to the web server, and the answer back.
fn forward(
    from: &TcpStream,
    host: SocketAddr,
    site: SocketAddr,
    counts: &Mutex<BTreeMap<String, u32>>,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(from);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head)? > 0 {}
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let to = if path.starts_with("/.well-known/crawllet") { host } else { site };
    if path == "/" || path.starts_with("/page/") {
        *counts.lock().expect("whole").entry(path).or_default() += 1;
    }
    // One request for each connection, so that the next one may go elsewhere.
    let (first, rest) = head.split_once("\r\n").unwrap_or_default();
    let kept = rest.lines().filter(|line| !line.to_lowercase().starts_with("connection:"));
    let kept: Vec<&str> = kept.filter(|line| !line.is_empty()).collect();
    let head = format!("{first}\r\n{}\r\nConnection: close\r\n\r\n", kept.join("\r\n"));
    let mut stream = TcpStream::connect(to)?;
    stream.write_all(head.as_bytes())?;
    let length = kept.iter().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<u64>().ok())?
    });
    std::io::copy(&mut reader.take(length.unwrap_or(0)), &mut stream)?;
    std::io::copy(&mut stream, &mut &*from)?;
    from.shutdown(Shutdown::Both)
}

/// A crawl of the place, with a key and a trace.
struct Engine {
    data: PathBuf,
    trace: PathBuf,
    key: serde_json::Value,
}

impl Engine {
    fn new(dir: &Path) -> Engine {
        let data = dir.join("data");
        let keygen = ["crawllet", "keygen", "--domain", "engine.test", "--json", "--data"];
        let key = run([&keygen[..], &[text(&data)]].concat()).exits(0).json();
        Engine { data, trace: dir.join("trace.jsonl"), key }
    }

    fn start(&self, place: &Place, arguments: &[&str]) -> Running {
        let mut command = lycosa(["crawl", "--json", "-q", "--allow-private", "--delay", "20ms"]);
        command.args(["--data", text(&self.data), "--trace", text(&self.trace)]).args(arguments);
        if !arguments.contains(&"--resume") {
            command.arg(format!("http://{}/", place.address));
        }
        Running::start(command)
    }

    fn traced(&self) -> Vec<serde_json::Value> {
        let text = std::fs::read_to_string(&self.trace).expect("a trace");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

#[test]
fn a_harvest_of_the_real_host_outlives_a_kill_and_each_page_comes_once() {
    let Some(host) = crawllet_host() else { return };
    let dir = tempfile::tempdir().expect("a folder");
    let engine = Engine::new(dir.path());
    let place = Place::open(&host, dir.path(), &engine.key);
    let mut running = engine.start(&place, &[]);
    until("some pages", || (lines_in(&engine.trace) >= 40 || !running.is_alive()).then_some(()));
    assert!(running.is_alive(), "it ended before");
    running.kill();
    let before = lines_in(&engine.trace);
    assert!(before < PAGES, "{before} pages came before the kill");
    let ended = engine.start(&place, &["--resume"]).finish().exits(0).json();
    assert_eq!((ended["pages"].as_u64(), ended["overlap"].as_u64()), (Some(300), Some(0)));
    let traced = engine.traced();
    let urls: std::collections::BTreeSet<String> =
        traced.iter().map(|line| line["url"].to_string()).collect();
    assert_eq!((traced.len(), urls.len()), (PAGES, PAGES), "each page once");
    assert!(traced.iter().all(|line| line["crawllet"] == true), "none was fetched");
    let status = run(["status", "--json", "--data", text(&engine.data)]).exits(0).json();
    let crawllets = &status["crawllets"];
    assert_eq!(crawllets["sites"], 1, "{crawllets}");
    assert_eq!(crawllets["answered"], PAGES, "{crawllets}");
    assert_eq!(crawllets["last"][0][1]["reason"], "done", "{crawllets}");
    let (asked, most) = place.asked();
    assert!(asked <= 40 && most == 1, "{asked} pages were asked for, {most} times");
    let report = place.report();
    assert!(report.contains("engine.test"), "{report}");
}

#[test]
fn of_a_site_that_was_crawled_before_the_real_guest_brings_only_what_is_new() {
    let Some(host) = crawllet_host() else { return };
    let dir = tempfile::tempdir().expect("a folder");
    let engine = Engine::new(dir.path());
    let place = Place::open(&host, dir.path(), &engine.key);
    let first = engine.start(&place, &["--crawllets", "never"]).finish().exits(0).json();
    assert_eq!(first["pages"], PAGES);
    assert!(place.asked().0 >= PAGES, "each was asked for");
    place.asked.lock().expect("whole").clear();
    let second = engine.start(&place, &[]).finish().exits(0).json();
    let crawllets = &second["crawllets"];
    assert_eq!(crawllets["last"][0][1]["guest"], "changed", "{crawllets}");
    assert_eq!(second["outcomes"]["not_modified"], PAGES, "{second}");
    assert_eq!(crawllets["answered"], PAGES, "{crawllets}");
    let (asked, _) = place.asked();
    assert!(asked <= 40, "{asked} pages were asked for beside the audit");
}
