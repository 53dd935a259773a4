//! The archive is tested as a whole (what is written is read back), against files of other makers, and
//! against another program.

mod encoding;
mod reading;
mod recovery;
mod samples;
mod writing;

use super::*;
use lycosa_model::{Headers, Tick};
use std::path::{Path, PathBuf};

/// 2026-11-15T08:19:24.363Z
const THEN: Tick = Tick(1_794_730_764_363);

fn headers(lines: &[(&str, &str)]) -> Headers {
    let mut headers = Headers::default();
    for (name, value) in lines {
        headers.push(*name, value.to_string());
    }
    headers
}

fn capture<'a>(url: &'a str, headers: &'a Headers, body: &'a [u8]) -> Capture<'a> {
    Capture {
        url,
        fetched: THEN,
        ip: Some([192, 0, 2, 7].into()),
        request: b"GET / HTTP/1.1\r\nHost: example.org\r\nUser-Agent: lycosa\r\n\r\n",
        status: 200,
        version: "1.1",
        headers,
        body,
        truncated: None,
    }
}

fn ids(seed: u8) -> RecordIds {
    RecordIds { response: [seed; 16], request: [seed ^ 0xff; 16] }
}

/// Page number `n`, encoded.
fn page(n: u8) -> Encoded {
    let headers = headers(&[("Content-Type", "text/html; charset=utf-8")]);
    let url = format!("http://example.org/{n}");
    let body = format!("<p>page {n}</p>{}", "filler ".repeat(usize::from(n)));
    encode_capture(&capture(&url, &headers, body.as_bytes()), ids(n), 6)
}

fn writer(dir: &Path, rotate_bytes: u64) -> Writer {
    let settings = WriterSettings {
        rotate_bytes,
        user_agent: "lycosa/0.1 (+http://example.org/bot)".into(),
        operator: "someone@example.org".into(),
        ..WriterSettings::default()
    };
    Writer::open(dir, "bot-1", settings).unwrap()
}

fn records(path: &Path) -> (Vec<Record>, Vec<Fault>) {
    let (mut records, mut faults) = (Vec::new(), Vec::new());
    for entry in Reader::open(path, Limits::default()).unwrap() {
        match entry.unwrap() {
            Entry::Record(record) => records.push(record),
            Entry::Fault(fault) => faults.push(fault),
        }
    }
    (records, faults)
}

fn kinds(records: &[Record]) -> Vec<&str> {
    records.iter().map(|record| record.kind.as_str()).collect()
}

fn files(dir: &Path, extension: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(dir)
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(extension))
        .collect();
    files.sort();
    files
}

/// What `warcio check` says of these files; `None` when it is not installed.
fn warcio_check(files: &[PathBuf]) -> Option<(bool, String)> {
    let installed =
        std::process::Command::new("python3").args(["-c", "import warcio.cli"]).output();
    if !installed.is_ok_and(|output| output.status.success()) {
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            b"skipped: the Python package warcio is not here\n",
        );
        return None;
    }
    let output = std::process::Command::new("python3")
        .args(["-m", "warcio.cli", "check", "-v"])
        .args(files)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    Some((output.status.success(), text))
}
