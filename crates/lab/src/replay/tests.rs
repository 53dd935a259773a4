//! The replayed web, over archives that are written here and over the development webs.

use super::*;
use lycosa_model::Tick;
use lycosa_runtime::Clock;
use lycosa_store::archive::{
    Capture, Encoded, Profile, RecordIds, Revisit, Writer, WriterSettings, encode_capture,
    encode_revisit,
};
use std::path::Path;

const THEN: Tick = Tick(1_794_730_764_363);

pub(in crate::replay) fn headers(lines: &[(&str, &str)]) -> Headers {
    let mut headers = Headers::default();
    for (name, value) in lines {
        headers.push(*name, value.to_string());
    }
    headers
}

pub(in crate::replay) fn capture<'a>(
    url: &'a str,
    headers: &'a Headers,
    body: &'a [u8],
) -> Capture<'a> {
    Capture {
        url,
        fetched: THEN,
        ip: Some([192, 0, 2, 7].into()),
        request: b"GET / HTTP/1.1\r\n\r\n",
        status: 200,
        version: "1.1",
        headers,
        body,
        truncated: None,
    }
}

pub(in crate::replay) fn encode(capture: &Capture<'_>) -> Encoded {
    let ids = RecordIds { response: [1; 16], request: [2; 16] };
    encode_capture(capture, ids, 6)
}

pub(in crate::replay) fn write(dir: &Path, exchanges: &[Encoded]) -> PathBuf {
    let mut writer = Writer::open(dir, "test", WriterSettings::default()).unwrap();
    for exchange in exchanges {
        writer.append(exchange).unwrap();
    }
    let path = dir.join(&writer.marks()[0].file);
    writer.finish().unwrap();
    path
}

fn open(paths: &[PathBuf]) -> Replay {
    Replay::open(paths, &|_| {}).unwrap()
}

fn body(replay: &Replay, url: &str) -> (u16, String) {
    let answer = replay.answer(url, &Headers::default()).unwrap();
    (answer.status, String::from_utf8_lossy(&answer.body).into_owned())
}

fn ask(url: &str) -> Ask {
    Ask {
        url: url.into(),
        headers: Headers::default(),
        max_body: 1 << 20,
        cut: false,
        timeout: Duration::from_secs(30),
    }
}

#[test]
fn what_was_captured_is_answered_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let stored = headers(&[("Content-Type", "text/html"), ("X-Odd", "yes")]);
    let page = encode(&capture("http://a.example/x?y=1", &stored, b"hello"));
    let replay = open(&[write(dir.path(), &[page])]);
    let answer = replay.answer("http://a.example/x?y=1", &Headers::default()).unwrap();
    assert_eq!((answer.status, &answer.body[..]), (200, &b"hello"[..]));
    assert_eq!(answer.headers, stored);
    assert_eq!(answer.ip, Some([192, 0, 2, 7].into()));
    assert!(answer.captured);
    // Other spellings of one address.
    assert!(replay.has("http://A.example:80/./x?y=1#part"));
    assert!(!replay.has("http://a.example/x"));
    let summary = replay.summary();
    assert_eq!((summary.records, summary.addresses, summary.faults), (3, 1, 0));
}

#[test]
fn what_was_not_captured_is_a_404_that_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let page = encode(&capture("http://a.example/", &Headers::default(), b"x"));
    let replay = open(&[write(dir.path(), &[page])]);
    for url in ["http://a.example/none", "http://b.example/", "not an address"] {
        let answer = replay.answer(url, &Headers::default()).unwrap();
        assert_eq!((answer.status, answer.captured), (404, false), "{url}");
    }
}

#[test]
fn the_own_scheme_is_asked_first_and_then_the_other() {
    let dir = tempfile::tempdir().unwrap();
    let none = Headers::default();
    let replay = open(&[write(
        dir.path(),
        &[
            encode(&capture("http://a.example/", &none, b"plain")),
            encode(&capture("https://a.example/", &none, b"secure")),
            encode(&capture("http://a.example/only", &none, b"only plain")),
        ],
    )]);
    assert_eq!(body(&replay, "http://a.example/").1, "plain");
    assert_eq!(body(&replay, "https://a.example/").1, "secure");
    assert_eq!(body(&replay, "https://a.example/only").1, "only plain");
}

#[test]
fn the_newest_good_capture_is_served() {
    let dir = tempfile::tempdir().unwrap();
    let none = Headers::default();
    let at = |millis: u64, status: u16, body: &'static [u8]| {
        let mut capture = capture("http://a.example/", &none, body);
        capture.fetched = Tick(THEN.0 + millis);
        capture.status = status;
        encode(&capture)
    };
    let replay = open(&[write(
        dir.path(),
        &[
            at(2, 200, b"second"),
            at(1, 200, b"first"),
            at(3, 503, b"down"),
            at(2, 200, b"same time"),
        ],
    )]);
    assert_eq!(body(&replay, "http://a.example/"), (200, "second".into()));
}

#[test]
fn a_failure_is_served_where_there_is_nothing_better() {
    let dir = tempfile::tempdir().unwrap();
    let none = Headers::default();
    let mut gone = capture("http://a.example/", &none, b"gone");
    gone.status = 410;
    let replay = open(&[write(dir.path(), &[encode(&gone)])]);
    assert_eq!(body(&replay, "http://a.example/"), (410, "gone".into()));
}

#[test]
fn a_revisit_is_served_with_the_body_it_refers_to() {
    let dir = tempfile::tempdir().unwrap();
    let none = Headers::default();
    let original = encode(&capture("http://a.example/", &none, b"the body"));
    let digest = original.payload_digest.clone();
    let ids = RecordIds { response: [3; 16], request: [4; 16] };
    let revisit = |url: &'static str, digest: Option<&str>| {
        let mut capture = capture(url, &none, b"");
        capture.fetched = Tick(THEN.0 + 5000);
        let revisit = Revisit {
            profile: Profile::IdenticalPayload,
            payload_digest: digest,
            refers_to_date: Some(THEN),
            refers_to_url: None,
        };
        encode_revisit(&capture, &revisit, ids, 6)
    };
    let replay = open(&[write(
        dir.path(),
        &[
            revisit("http://a.example/copy", Some(&digest)),
            original,
            revisit("http://a.example/", None),
            revisit("http://a.example/lost", None),
        ],
    )]);
    assert_eq!(body(&replay, "http://a.example/copy"), (200, "the body".into()));
    assert_eq!(body(&replay, "http://a.example/"), (200, "the body".into()));
    assert_eq!(body(&replay, "http://a.example/lost").0, 404);
    assert_eq!(replay.summary().unresolved, 1);
}

#[test]
fn who_has_it_already_is_told_so() {
    let dir = tempfile::tempdir().unwrap();
    let stored = headers(&[
        ("ETag", "\"v1\""),
        ("Last-Modified", "Sat, 01 Sep 2007 00:00:00 GMT"),
        ("Content-Type", "text/html"),
    ]);
    let page = encode(&capture("http://a.example/", &stored, b"body"));
    let replay = open(&[write(dir.path(), &[page])]);
    for (name, value, status) in [
        ("If-None-Match", "\"v1\"", 304),
        ("If-None-Match", "\"v0\", W/\"v1\"", 304),
        ("If-None-Match", "*", 304),
        ("If-None-Match", "\"v2\"", 200),
        ("If-Modified-Since", "Sat, 01 Sep 2007 00:00:00 GMT", 304),
        ("If-Modified-Since", "Sun, 02 Sep 2007 00:00:00 GMT", 304),
        ("If-Modified-Since", "Fri, 31 Aug 2007 00:00:00 GMT", 200),
        ("If-Modified-Since", "yesterday", 200),
    ] {
        let answer = replay.answer("http://a.example/", &headers(&[(name, value)])).unwrap();
        assert_eq!(answer.status, status, "{name}: {value}");
        assert_eq!(answer.body.is_empty(), status == 304);
        assert_eq!(answer.headers.get("etag"), Some("\"v1\""));
        assert!(answer.captured);
    }
    // The tag has the last word.
    let both = headers(&[
        ("If-None-Match", "\"v2\""),
        ("If-Modified-Since", "Sat, 01 Sep 2007 00:00:00 GMT"),
    ]);
    assert_eq!(replay.answer("http://a.example/", &both).unwrap().status, 200);
}

#[test]
fn answers_take_time_on_the_virtual_clock_only() {
    let dir = tempfile::tempdir().unwrap();
    let none = Headers::default();
    let large = vec![b'x'; 500_000];
    let page = encode(&capture("http://a.example/", &none, &large));
    let replay = open(&[write(dir.path(), &[page])]);
    let runtime = Clock::replay_runtime().unwrap();
    let started = std::time::Instant::now();
    runtime.block_on(async {
        let clock = Clock::start(Tick(0));
        for _ in 0..20 {
            let answer = replay.get(ask("http://a.example/")).await.unwrap();
            assert_eq!(answer.took, Duration::from_millis(550));
        }
        assert_eq!(clock.elapsed(), Duration::from_secs(11));
        let mut small = ask("http://a.example/");
        small.max_body = 499_999;
        assert_eq!(replay.get(small).await.unwrap_err(), FetchError::TooLarge);
        let mut hasty = ask("http://a.example/");
        hasty.timeout = Duration::from_millis(100);
        let before = clock.elapsed();
        assert_eq!(replay.get(hasty).await.unwrap_err(), FetchError::Timeout);
        assert_eq!(clock.elapsed() - before, Duration::from_millis(100));
    });
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_folder_is_read_by_name_and_every_file_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let none = Headers::default();
    for n in 0..5 {
        let url = format!("http://a.example/{n}");
        write(dir.path(), &[encode(&capture(&url, &none, b"x"))]);
    }
    std::fs::write(dir.path().join("notes.txt"), "no archive").unwrap();
    let told = std::sync::Mutex::new(Vec::new());
    let replay = Replay::open(&[dir.path().to_owned()], &|progress| {
        told.lock().unwrap().push(progress.files_done);
    })
    .unwrap();
    assert_eq!(replay.summary().addresses, 5);
    let mut told = told.into_inner().unwrap();
    told.sort_unstable();
    assert_eq!(told, [1, 2, 3, 4, 5]);
}

#[test]
fn what_cannot_be_replayed_is_named_with_its_reason() {
    let dir = tempfile::tempdir().unwrap();
    let text = |paths: &[PathBuf]| Replay::open(paths, &|_| {}).unwrap_err().to_string();
    let missing = text(&[dir.path().join("missing.warc.gz")]);
    assert!(missing.contains("missing.warc.gz"), "{missing}");
    let empty = text(&[dir.path().to_owned()]);
    assert!(empty.contains("no *.warc"), "{empty}");
    let page = dir.path().join("page.html");
    std::fs::write(&page, "<html>").unwrap();
    let html = text(std::slice::from_ref(&page));
    assert!(html.contains("page.html") && html.contains("<html>"), "{html}");
    std::fs::write(&page, "").unwrap();
    let nothing = text(&[page]);
    assert!(nothing.contains("no responses in"), "{nothing}");
}

#[test]
fn a_capture_that_is_gone_is_an_error_and_no_other_page() {
    let dir = tempfile::tempdir().unwrap();
    let none = Headers::default();
    let path = write(dir.path(), &[encode(&capture("http://a.example/", &none, b"x"))]);
    let replay = open(std::slice::from_ref(&path));
    std::fs::write(&path, b"").unwrap();
    let gone = replay.answer("http://a.example/", &none);
    assert_eq!(gone.unwrap_err(), FetchError::Protocol);
}

#[test]
fn a_web_of_thousands_of_pages_is_open_at_once() {
    let shared = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared");
    let path = Path::new(shared).join("web/schools.warc.gz");
    if !path.exists() {
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            b"skipped: ../shared/web/schools.warc.gz is not here\n",
        );
        return;
    }
    let replay = open(&[path]);
    assert_eq!(replay.summary().addresses, 4599);
    assert_eq!(replay.summary().faults, 0);
    let (status, page) = body(&replay, "https://schools.test/wiki/Sport");
    assert_eq!(status, 200);
    assert!(page.contains("<title>Sport</title>"));
}
