//! Do secrets stay where they belong?

use crate::support::*;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};

const PASSWORD: &str = "pa55-w0rd";
/// `me:pa55-w0rd` in base 64.
const BASIC: &str = "bWU6cGE1NS13MHJk";

/// A site on loopback that notes the requests it gets.
struct Site {
    address: String,
    heard: Arc<Mutex<String>>,
}

impl Site {
    /// Answers each path with what `answer` makes of it and of the whole request.
    fn serve(answer: impl Fn(&str, &str) -> String + Send + Sync + 'static) -> Site {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = format!("http://{}", listener.local_addr().expect("bound"));
        let heard = Arc::<Mutex<String>>::default();
        let (answer, ears) = (Arc::new(answer), Arc::clone(&heard));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answer, ears) = (Arc::clone(&answer), Arc::clone(&ears));
                std::thread::spawn(move || serve(&stream, &*answer, &ears));
            }
        });
        Site { address, heard }
    }

    fn heard(&self) -> String {
        self.heard.lock().expect("no panic").clone()
    }
}

fn serve(mut stream: &TcpStream, answer: &dyn Fn(&str, &str) -> String, ears: &Mutex<String>) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut request = String::new();
        while !request.ends_with("\r\n\r\n") {
            if reader.read_line(&mut request).unwrap_or(0) == 0 {
                return;
            }
        }
        ears.lock().expect("no panic").push_str(&request);
        let path = request.split(' ').nth(1).unwrap_or("/").to_owned();
        if stream.write_all(answer(&path, &request).as_bytes()).is_err() {
            return;
        }
    }
}

fn html(body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n{body}")
}

fn every_byte_below(dir: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in std::fs::read_dir(dir).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            bytes.extend(every_byte_below(&path));
        } else if path.is_file() {
            std::fs::File::open(&path).and_then(|mut file| file.read_to_end(&mut bytes)).ok();
        }
    }
    bytes
}

#[test]
fn credentials_reach_their_site_and_no_archive_log_record_or_other_site() {
    let other = Site::serve(|path, _| match path {
        "/landing" => html("<p>landed</p>"),
        _ => "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".into(),
    });
    let away = other.address.clone();
    let site = Site::serve(move |path, request| match path {
        "/robots.txt" => "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".into(),
        _ if !request.contains(&format!("Authorization: Basic {BASIC}\r\n")) => {
            "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n".into()
        }
        "/" => html("<a href=/away>away</a> <a href=/in>in</a>"),
        "/away" => {
            format!("HTTP/1.1 302 Found\r\nLocation: {away}/landing\r\nContent-Length: 0\r\n\r\n")
        }
        _ => html("<p>inside</p>"),
    });
    let dir = tempfile::tempdir().expect("a folder");
    let (data, config) = (dir.path().join("data"), dir.path().join("my.toml"));
    let table = format!("[sites.\"{}\"]\nuser = \"me\"\npassword = \"{PASSWORD}\"\n", site.address);
    std::fs::write(&config, table).expect("written");
    let crawl = |arguments: &[&str]| {
        let common = ["crawl", "--data", text(&data), "--allow-private", "--delay", "0s", "-vv"];
        run(common.iter().chain(arguments))
    };
    let front = format!("{}/", site.address);
    let trace = dir.path().join("trace.jsonl");
    let arguments = ["--config", text(&config), "--scope", "any", "--trace", text(&trace), &front];
    let told = crawl(&arguments).exits(0);
    let fetched = Trace::read(&trace).urls("fetched").len();
    assert_eq!(fetched, 3, "{}", told.stdout);
    assert!(!other.heard().contains("Authorization"), "{}", other.heard());
    assert!(other.heard().contains("GET /landing "), "the redirect was followed");
    let kept = archived(&data);
    assert_eq!(kept.pages.len(), 3);
    assert!(kept.requests.iter().any(|request| request.contains("GET /in ")));
    let outside = [told.stdout, told.stderr, kept.requests.concat()].concat();
    let inside = String::from_utf8_lossy(&every_byte_below(&data)).into_owned();
    for secret in [PASSWORD, BASIC] {
        assert!(!outside.contains(secret) && !inside.contains(secret), "{secret}");
    }

    crawl(&["--resume"]).fails_with(&["credentials", &site.address], "--config");
    crawl(&["--resume", "--config", text(&config)]);
}

#[test]
fn users_in_addresses_are_neither_sent_nor_kept() {
    let site = Site::serve(|path, _| match path {
        "/" => html("<a href=//me:pa55-w0rd@127.0.0.1/x>far</a><p>in"),
        _ => "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".into(),
    });
    let dir = tempfile::tempdir().expect("a folder");
    let data = dir.path().join("data");
    let seed = format!("{}/", site.address.replace("http://", "http://me:pa55-w0rd@"));
    let common =
        ["crawl", "--data", text(&data), "--allow-private", "--delay", "0s", "--no-archive"];
    run(common.iter().copied().chain([seed.as_str()])).exits(0);
    assert!(!site.heard().contains("Authorization"), "{}", site.heard());
    let records = String::from_utf8_lossy(&every_byte_below(&data.join("broker"))).into_owned();
    assert!(!records.contains(PASSWORD), "a user in an address is on record");
}
