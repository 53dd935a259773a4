//! A site of a test: made of a function, on loopback, and it remembers what it was asked for.

use super::{IMPATIENT, Running, lycosa, text};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// What a page of the site answers.
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
}

impl Answer {
    pub fn html(body: impl Into<String>) -> Answer {
        Answer { status: 200, headers: Vec::new(), body: body.into() }.typed("text/html")
    }

    pub fn missing() -> Answer {
        Answer { status: 404, ..Answer::html("<p>There is nothing here.") }
    }

    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Answer {
        self.headers.push((name, value.into()));
        self
    }

    pub fn typed(mut self, content_type: &str) -> Answer {
        self.headers.retain(|(name, _)| *name != "Content-Type");
        self.with("Content-Type", content_type)
    }
}

/// A site on loopback that remembers what it was asked for.
pub struct Site {
    pub address: SocketAddr,
    asked: Arc<Mutex<BTreeSet<String>>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Site {
    /// Serves until it is dropped. The answer is made of the site's own authority and the path.
    pub fn serve(answer: impl Fn(&str, &str) -> Answer + Send + 'static) -> Site {
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

    /// Paths that were asked for.
    pub fn asked(&self) -> BTreeSet<String> {
        self.asked.lock().expect("whole").clone()
    }

    /// Crawls the site and tells what was asked for.
    pub fn crawled(&self, arguments: &[&str], config: &str) -> BTreeSet<String> {
        let dir = tempfile::tempdir().expect("a folder");
        self.crawled_into(&dir.path().join("data"), arguments, config)
    }

    /// Crawls the site into a data folder and tells what was asked for.
    pub fn crawled_into(&self, data: &Path, arguments: &[&str], config: &str) -> BTreeSet<String> {
        let file = data.with_extension("toml");
        std::fs::write(&file, format!("{IMPATIENT}{config}")).expect("written");
        self.asked.lock().expect("whole").clear();
        let mut command = lycosa(["crawl", "-q", "--allow-private", "--delay", "0s"]);
        command.args(["--data", text(data), "--config", text(&file)]).args(arguments);
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
