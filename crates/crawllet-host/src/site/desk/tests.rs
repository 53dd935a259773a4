use super::*;
use crate::config::{Files, Upstream};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;

/// A web server that answers everything with its path, and the desk before it.
fn desk(docroot: Option<&std::path::Path>) -> Desk {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = Upstream::Tcp(listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut from = BufReader::new(stream.try_clone().unwrap());
            let mut line = String::new();
            while from.read_line(&mut line).unwrap_or(0) > 0 {
                let path = line.split(' ').nth(1).unwrap().to_owned();
                let mut header = String::new();
                while from.read_line(&mut header).unwrap_or(0) > 2 {
                    header.clear();
                }
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Powered-By: x\r\n";
                let text = format!("{head}Content-Length: {}\r\n\r\n{path}", path.len());
                (&stream).write_all(text.as_bytes()).unwrap();
                line.clear();
            }
        }
    });
    let folder = docroot.map(|docroot| {
        let files = Files {
            docroot: docroot.to_owned(),
            prefixes: vec!["/".to_owned()],
            extensions: vec!["html".to_owned()],
            index: "index.html".to_owned(),
        };
        Folder::open(&files, 1000).unwrap()
    });
    Desk {
        bounds: Bounds::new(&["/".to_owned()], &["/admin/".to_owned()]),
        robots: Robots::parse(b"User-agent: *\nDisallow: /no/\n"),
        token: "lycosa".to_owned(),
        web: Web::new(at, "example.org", "test", 1000, Duration::from_secs(5)),
        folder,
        pause: Duration::ZERO,
        first_pause: Duration::ZERO,
        budget: Budget {
            pages: 10,
            out: 1 << 20,
            fuel: 1000,
            wall: Duration::from_secs(60),
            packing: 1,
            soft: 90,
            started: Instant::now(),
        },
        tally: {
            let tally = Tally::default();
            tally.fuel_left.store(1000, std::sync::atomic::Ordering::Relaxed);
            Arc::new(tally)
        },
        stop: Arc::default(),
        dice: Box::new(|| 1),
        notes: Vec::new(),
        last: None,
        refusals: (0, 0),
    }
}

#[test]
fn a_page_comes_with_the_headers_that_matter() {
    let (meta, body) = desk(None).fetch(b"/a?b").unwrap().unwrap();
    assert_eq!(body, b"/a?b");
    let text = String::from_utf8_lossy(&meta);
    assert!(text.contains("text/html") && !text.contains("x-powered-by"));
    assert!(meta.ends_with(&sha256(b"/a?b")), "and with its digest");
}

#[test]
fn what_may_not_be_asked_is_refused_by_name() {
    let mut desk = desk(None);
    for (argument, code) in [
        ("//evil/", Code::OutOfScope),
        ("/admin/x", Code::OutOfScope),
        ("/.git/config", Code::OutOfScope),
        ("/no/x", Code::Robots),
        ("/a b", Code::BadArgument),
        ("/a\nno-quotes", Code::BadArgument),
        ("/a\n\"x\"\r\nCookie: y\"", Code::BadArgument),
    ] {
        assert_eq!(desk.fetch(argument.as_bytes()).unwrap(), Err(code), "{argument:?}");
    }
    assert!(desk.fetch(b"/a\nW/\"x\"").unwrap().is_ok());
}

#[test]
fn at_nine_tenths_of_the_pages_it_is_told_to_stop() {
    let mut desk = desk(None);
    for _ in 0..9 {
        assert!(desk.fetch(b"/").unwrap().is_ok());
    }
    assert_eq!(desk.fetch(b"/").unwrap(), Err(Code::SoftLimit));
}

#[test]
fn who_asks_for_forbidden_things_for_ever_is_ended() {
    let mut desk = desk(None);
    let verdict = (0..=MAX_REFUSED).find_map(|_| desk.fetch(b"//x").err());
    assert_eq!(verdict, Some(Verdict::Scope));
}

#[test]
fn a_pause_ends_when_the_host_does() {
    let mut desk = Desk { first_pause: Duration::from_secs(3600), ..desk(None) };
    let stop = desk.stop.clone();
    let waiting = std::thread::spawn(move || desk.fetch(b"/"));
    stop.say();
    assert_eq!(waiting.join().unwrap(), Err(Verdict::Stopped));
}

#[test]
fn a_file_that_the_web_server_answers_otherwise_ends_the_short_cut() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.html");
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(dir.path().join("b.html"), "/b.html").unwrap();
    // The web server answers with the path: the first is as on disk, the second is not.
    std::fs::write(&path, "/a.html").unwrap();
    let mut desk = desk(Some(dir.path()));
    assert_eq!(desk.fetch(b"/a.html").unwrap().unwrap().1, b"/a.html");
    assert_eq!(Tally::get(&desk.tally.files), 1);
    std::fs::write(&path, "changed").unwrap();
    assert_eq!(desk.fetch(b"/a.html").unwrap().unwrap().1, b"changed", "no spot check");
    desk.dice = Box::new(|| 0);
    assert_eq!(desk.fetch(b"/a.html").unwrap().unwrap().1, b"/a.html", "the web server is right");
    assert_eq!(desk.notes.len(), 1);
    desk.dice = Box::new(|| 1);
    assert!(desk.fetch(b"/b.html").unwrap().is_ok());
    assert_eq!(Tally::get(&desk.tally.files), 2, "no more files in this job");
}
