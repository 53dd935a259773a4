//! What do many watchers, and long hunts, cost the server?

use crate::support::outside::{http, with_token};
use crate::support::*;
use lycosa_lab::synthetic::Shape;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

/// Who watch one hunt at the same time.
const WATCHERS: usize = 200;
/// Memory that a hunt with all its watchers may add: the index fills up to 64 MiB before it writes, watchers share the
/// rest.
const MOST_MEMORY: u64 = 96 << 20;
/// Pages on record in a long hunt.
const PAGES: usize = 100_000;
/// What the first page of a long hunt may cost.
const MOST_CPU: f64 = 1.0;
/// Clock ticks per second in `/proc` on every Linux that we know.
const TICKS: f64 = 100.0;

/// A server on a data folder, and its address with its token.
fn serve(data: &Path, dir: &Path) -> (Running, String) {
    let config = dir.join("config.toml");
    let settings = "[crawl]\ndelay = \"50ms\"\n[fetch]\nallow_private = true\n";
    std::fs::write(&config, settings).expect("write");
    let mut command = lycosa(["serve", "--listen", "127.0.0.1:0", "--json"]);
    command.args(["--data", text(data), "--config", text(&config)]);
    let server = Running::start(command);
    let told: Value = serde_json::from_str(&server.prints("listen")).expect("JSON");
    let address = told["listen"].as_str().expect("an address");
    let address = address.trim_start_matches("http://").trim_end_matches('/');
    (server, with_token(address, data))
}

/// Bytes of memory that a process has now.
fn memory(server: &Running) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).expect("alive");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("a line");
    let kib = line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok());
    kib.expect("a number") << 10
}

/// CPU-seconds of a process so far.
fn cpu(server: &Running) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", server.id())).expect("alive");
    let (_, fields) = stat.rsplit_once(')').expect("a name");
    let ticks = fields.split_whitespace().skip(11).take(2);
    ticks.map(|tick| tick.parse::<f64>().expect("a number")).sum::<f64>() / TICKS
}

/// What one watcher was told.
#[derive(Debug, Default, PartialEq)]
struct Told {
    /// The numbers of the pages, in order.
    pages: Vec<u64>,
    /// The last id.
    id: String,
    /// Whether it was the end.
    ended: bool,
}

/// Follows the stream of the first hunt to its end.
fn follow(address: &str) -> Told {
    let (_, address) = address.rsplit_once('@').expect("a token");
    let mut stream = TcpStream::connect(address).expect("a server");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a socket");
    let ask = "GET /api/v1/hunts/1/events HTTP/1.1\r\nConnection: close\r\nHost: ";
    write!(stream, "{ask}{address}\r\n\r\n").expect("sent");
    let mut all = Vec::new();
    stream.read_to_end(&mut all).expect("the stream ends with the hunt");
    let mut told = Told::default();
    let mut kind = "";
    let text = without_chunks(&all);
    for line in text.lines() {
        match line.split_once(": ") {
            Some(("event", event)) => {
                kind = event;
                told.ended |= event == "end";
            }
            Some(("id", id)) => told.id = id.to_owned(),
            Some(("data", data)) if kind == "log" => {
                let lines: Vec<Value> = serde_json::from_str(data).expect("a list");
                let pages = lines.iter().filter(|line| line["event"] == "page");
                told.pages.extend(pages.filter_map(|line| line["n"].as_u64()));
            }
            _ => {}
        }
    }
    told
}

/// The body of an answer in chunks.
fn without_chunks(answer: &[u8]) -> String {
    let head = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("a head") + 4;
    let (mut rest, mut body) = (&answer[head..], Vec::new());
    while let Some(end) = rest.windows(2).position(|two| two == b"\r\n") {
        let size = std::str::from_utf8(&rest[..end]).expect("a size");
        let size = usize::from_str_radix(size, 16).expect("a size");
        body.extend_from_slice(&rest[end + 2..end + 2 + size]);
        rest = &rest[end + 2 + size + 2..];
    }
    String::from_utf8(body).expect("text")
}

#[test]
fn two_hundred_watchers_see_the_same_and_cost_little_memory() {
    let web = LiveWeb::serve(1, Shape::demo());
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let (server, address) = serve(&data, dir.path());
    let order = json!({
        "query": "telescope galaxy", "urls": web.facts.fronts, "pages": 300, "strategy": "infospiders",
    });
    let begun = http(&address, "POST", "/api/v1/hunts", &order.to_string());
    assert_eq!(begun.status, 201, "{}", begun.body);
    let pages = || {
        let told = http(&address, "GET", "/api/v1/hunts/1", "");
        serde_json::from_str::<Value>(&told.body).expect("JSON")["pages"].as_u64()
    };
    until("the hunt has read some pages", || (pages() >= Some(20)).then_some(()));
    let before = memory(&server);
    let told: Vec<Told> = std::thread::scope(|scope| {
        let watchers: Vec<_> = (0..WATCHERS).map(|_| scope.spawn(|| follow(&address))).collect();
        let most = until("the hunt has ended", || {
            let now = memory(&server);
            assert!(now < before + MOST_MEMORY, "{before} bytes before, {now} with watchers");
            (pages() == Some(300)).then_some(now)
        });
        note(&format!("{WATCHERS} watchers: {} KiB more", most.saturating_sub(before) >> 10));
        watchers.into_iter().map(|watcher| watcher.join().expect("it saw the end")).collect()
    });
    let numbers: Vec<u64> = (1..=told[0].pages.len() as u64).collect();
    assert!(told[0].ended && told[0].pages.len() >= 300 && told[0].pages == numbers);
    assert!(told.iter().all(|one| *one == told[0]), "all saw the same");
    server.signal("INT");
    server.finish().exits(0);
}

#[test]
fn the_page_of_a_hunt_with_a_hundred_thousand_pages_is_drawn_in_less_than_a_second_of_work() {
    let web = LiveWeb::serve(1, Shape::demo());
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let mut hunt = lycosa(["hunt", "telescope galaxy", &web.facts.fronts[0], "--allow-private"]);
    hunt.args(["-q", "--strategy", "infospiders", "--delay", "0s", "--pages", "40"]);
    Running::start({
        hunt.args(["--data", text(&data)]);
        hunt
    })
    .finish()
    .exits(0);
    // The hunt goes on and on: what it has done so far happens again and again, at other addresses.
    let log = data.join("agents/events/1.jsonl");
    let told = std::fs::read_to_string(&log).expect("a log");
    let pages: Vec<Value> = told
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .filter(|line| line["event"] == "page" && line["via"].is_string())
        .collect();
    let mut more = String::new();
    for n in 0..PAGES {
        let mut page = pages[n % pages.len()].clone();
        let via = if n < pages.len() { String::new() } else { format!("?{}", n - pages.len()) };
        page["n"] = (1_000 + n).into();
        page["url"] = format!("{}?{n}", page["url"].as_str().expect("a URL")).into();
        page["via"] = format!("{}{via}", page["via"].as_str().expect("a URL")).into();
        more.push_str(&page.to_string());
        more.push('\n');
    }
    let mut file = std::fs::OpenOptions::new().append(true).open(&log).expect("a log");
    file.write_all(more.as_bytes()).expect("written");
    let (server, address) = serve(&data, dir.path());
    let views = ["", "?view=agents", "?view=ways", "?view=map", "?view=log", "?view=talk"];
    for view in views {
        let before = cpu(&server);
        let page = http(&address, "GET", &format!("/hunts/1{view}"), "");
        let spent = cpu(&server) - before;
        assert_eq!(page.status, 200);
        note(&format!("/hunts/1{view}: {spent:.2} s, {} bytes", page.body.len()));
        assert!(page.body.len() < 1 << 20, "{} bytes", page.body.len());
        assert!(!view.is_empty() || spent < MOST_CPU, "{spent} s");
    }
    server.signal("INT");
    server.finish().exits(0);
}
