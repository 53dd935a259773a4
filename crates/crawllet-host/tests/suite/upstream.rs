//! A web server for tests: pages by path, and a list of what was asked.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A page: status, header lines, body.
pub(crate) type Page = (u16, &'static str, Vec<u8>);

#[derive(Clone)]
pub(crate) struct Upstream {
    pub(crate) at: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Upstream {
    pub(crate) fn new(pages: BTreeMap<String, Page>) -> Upstream {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (pages, log) = (Arc::new(pages), asked.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (pages, log) = (pages.clone(), log.clone());
                std::thread::spawn(move || serve(stream, &pages, &log));
            }
        });
        Upstream { at, asked }
    }

    /// A small web: a home page, some others, a robots.txt, some that are private.
    pub(crate) fn small() -> Upstream {
        let html = "Content-Type: text/html; charset=utf-8\r\n";
        let mut pages = BTreeMap::new();
        let mut add = |path: &str, page: Page| pages.insert(path.to_owned(), page);
        let links: String =
            (1..=9).map(|n| format!("<a href=\"/page{n}.html\">page {n}</a> ")).collect();
        let home = format!(
            "<title>Home</title><p>Welcome. {links}<a href=\"https://other.example/\">other</a>"
        );
        add("/", (200, html, home.into_bytes()));
        for n in 1..=9 {
            let body =
                format!("<title>Page {n}</title><p>This is page {n}. <a href=\"/\">home</a>");
            add(&format!("/page{n}.html"), (200, html, body.into_bytes()));
        }
        let robots = "User-agent: *\nDisallow: /secret/\n\nUser-agent: lycosa\nDisallow: /secret/\nDisallow: /lycosa-not/\n";
        add("/robots.txt", (200, "Content-Type: text/plain\r\n", robots.as_bytes().to_vec()));
        for path in ["/secret/a.html", "/lycosa-not/a.html", "/admin/a.html", "/.git/config"] {
            add(path, (200, html, b"secret".to_vec()));
        }
        add("/cookie", (200, "Set-Cookie: a=b\r\n", b"cookie".to_vec()));
        add("/private", (200, "Cache-Control: private\r\n", b"private".to_vec()));
        add("/login", (401, "", b"login".to_vec()));
        add("/forbidden", (403, "", b"no".to_vec()));
        add("/moved", (301, "Location: /page1.html\r\n", vec![]));
        add("/big", (200, html, vec![b'x'; 9 << 20]));
        Upstream::new(pages)
    }

    /// A home page with links to `count` others, each of some kilobytes and with a link back.
    pub(crate) fn wide(count: usize) -> Upstream {
        let html = "Content-Type: text/html; charset=utf-8\r\n";
        let links: String =
            (1..=count).map(|n| format!("<a href=\"/p/{n}.html\">page {n}</a>\n")).collect();
        let mut pages = BTreeMap::new();
        pages.insert("/".to_owned(), (200, html, format!("<title>Home</title>{links}").into()));
        for n in 1..=count {
            let words = format!("<p>Words of page {n}, and more of them.</p>\n").repeat(60);
            let body = format!("<title>Page {n}</title>{words}<a href=\"/\">home</a>");
            pages.insert(format!("/p/{n}.html"), (200, html, body.into()));
        }
        Upstream::new(pages)
    }

    /// What was asked since the last time, without robots.txt.
    pub(crate) fn asked(&self) -> Vec<String> {
        let mut asked = std::mem::take(&mut *self.asked.lock().unwrap());
        asked.retain(|path| path != "/robots.txt");
        asked
    }
}

fn serve(stream: TcpStream, pages: &BTreeMap<String, Page>, log: &Mutex<Vec<String>>) {
    let mut from = BufReader::new(stream.try_clone().unwrap());
    let mut to = stream;
    // Head and body are two writes; nobody should wait between them.
    to.set_nodelay(true).unwrap();
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        let path = line.split(' ').nth(1).unwrap_or("").to_owned();
        while from.read_line(&mut line).unwrap_or(0) > 2 {}
        log.lock().unwrap().push(path.clone());
        let missing = (404, "", b"nothing".to_vec());
        let (status, headers, body) = pages.get(&path).unwrap_or(&missing);
        let head =
            format!("HTTP/1.1 {status} X\r\n{headers}Content-Length: {}\r\n\r\n", body.len());
        if to.write_all(head.as_bytes()).and_then(|()| to.write_all(body)).is_err() {
            return;
        }
    }
}
