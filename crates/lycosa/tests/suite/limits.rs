//! Does a crawl say why it is not faster? Crawls that are made to be limited by one thing each; the slow
//! disk, which needs a hand inside the program, is beside the crew.

use crate::support::outside::http;
use crate::support::*;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

/// A web without end on loopback: each page of each site leads to the next ones.
struct Endless {
    port: u16,
}

impl Endless {
    /// Pages of about this many bytes, each after this long.
    fn serve(bytes: usize, latency: Duration) -> Endless {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        let words: Arc<str> = "<p>A wolf spider <i>hunts</i> alone &amp; at night.</p>\n"
            .repeat(bytes / 52 + 1)
            .into();
        // The threads end with the test program.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let words = Arc::clone(&words);
                std::thread::spawn(move || answer(&stream, &words, latency));
            }
        });
        Endless { port }
    }

    fn seeds(&self, sites: usize) -> Vec<String> {
        (0..sites).map(|site| format!("http://site-{site}.localhost:{}/0", self.port)).collect()
    }
}

/// Answers requests until the client has enough; nothing that fails here is of interest.
fn answer(stream: &TcpStream, words: &str, latency: Duration) -> Option<()> {
    let mut lines = BufReader::new(stream).lines();
    loop {
        let request = lines.next()?.ok()?;
        let mut host = String::new();
        loop {
            let line = lines.next()?.ok()?;
            if line.is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("host")
            {
                value.trim().clone_into(&mut host);
            }
        }
        std::thread::sleep(latency);
        let path = request.split(' ').nth(1)?;
        let number: Option<u64> = path.trim_start_matches('/').parse().ok();
        let (status, body) = match number {
            None => ("404 Not Found", String::new()),
            Some(number) => {
                let next = number * 3;
                let links: String =
                    (1..=3).map(|more| format!("<a href=/{}>on</a>", next + more)).collect();
                // Each page in words of its own: a crawl soon ends where all pages say the same.
                let spider: String = format!("{host}{number}").bytes().map(letter).collect();
                let words = words.replace("wolf", &spider);
                ("200 OK", format!("<title>{spider}</title>{links}{words}"))
            }
        };
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let mut out = stream;
        out.write_all(head.as_bytes()).and_then(|()| out.write_all(body.as_bytes())).ok()?;
    }
}

/// A letter for each byte, so that names with numbers become different words.
fn letter(byte: u8) -> char {
    char::from(b'a' + byte % 26)
}

/// Crawls until the crawl says that it is limited by this, and gives what else it says then.
fn limited_by(reason: &str, web: &Endless, sites: usize, options: &[&str]) -> Value {
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let mut command = lycosa(["crawl", "--allow-private", "--json", "-q"]);
    command.args(options).args(["--data", text(&data)]).args(web.seeds(sites));
    let crawl = Running::start(command);
    let mut last = Value::Null;
    let status = until(reason, || {
        let ran = run(["status", "--json", "--data", text(&data)]);
        last = serde_json::from_str(ran.stdout.trim()).unwrap_or_default();
        let said = last["limited_by"].as_str()?;
        // A crawl that has just begun has not been measured.
        (last["pages"].as_u64()? > 5 && said.starts_with(reason)).then(|| last.clone())
    });
    crawl.signal("INT");
    crawl.finish().exits(1);
    status
}

#[test]
fn a_crawl_of_one_polite_site_is_limited_by_politeness() {
    let web = Endless::serve(200, Duration::ZERO);
    let status = limited_by("politeness", &web, 1, &["--delay", "100ms"]);
    assert!(status["waits"]["lease"].as_f64() > Some(0.5), "{status}");
}

#[test]
fn a_crawl_of_far_servers_is_limited_by_the_network() {
    let web = Endless::serve(200, Duration::from_millis(300));
    let status = limited_by("network", &web, 16, &["--delay", "0", "--concurrency", "4"]);
    assert!(status["waits"]["network"].as_f64() > Some(0.5), "{status}");
    assert!(!status["fetching"].as_array().expect("a list").is_empty(), "{status}");
    assert!(status["media"]["text/html"].as_u64() > Some(0), "{status}");
}

#[test]
fn a_crawl_of_large_pages_is_limited_by_the_processor() {
    let web = Endless::serve(1 << 20, Duration::ZERO);
    limited_by("CPU", &web, 16, &["--delay", "0", "--concurrency", "16", "--no-archive"]);
}

#[test]
fn a_crawl_without_a_search_page_serves_metrics_all_the_same() {
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let web = Endless::serve(200, Duration::ZERO);
    let mut command = lycosa(["crawl", "--allow-private", "--delay", "50ms"]);
    command.args(["--metrics", "127.0.0.1:0", "--data", text(&data)]).args(web.seeds(2));
    let crawl = Running::start(command);
    let told = crawl.notes("/metrics");
    let address = told.split("http://").nth(1).and_then(|rest| rest.split('/').next());
    let address = address.expect("an address").to_owned();
    let page = until("pages in the metrics", || {
        let page = http(&address, "GET", "/metrics", "");
        assert_eq!(page.status, 200);
        let pages = page.body.lines().find_map(|line| line.strip_prefix("lycosa_pages_total "))?;
        (pages.parse::<f64>().ok()? > 3.0).then_some(page.body)
    });
    for name in [
        "lycosa_queue{queue=\"frontier\"}",
        "lycosa_queue{queue=\"leases\"}",
        "lycosa_mailbox_waiting{agent=\"broker-1\"",
        "lycosa_mailbox_capacity{agent=\"indexer-1\"",
        "lycosa_sites{state=\"resting\"}",
        "lycosa_outcomes_total{outcome=\"fetched\"}",
        "lycosa_media_total{media=\"text/html\"}",
        "lycosa_limited_by{reason=",
        "lycosa_top_site_pages{site=",
    ] {
        assert!(page.contains(name), "{name} is not in:\n{page}");
    }
    assert_eq!(http(&address, "GET", "/", "").status, 404, "there is nothing else");
    crawl.signal("INT");
    crawl.finish().exits(1);
}
