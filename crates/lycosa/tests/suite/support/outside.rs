//! What do other programs say? Clients and checkers that have nothing to do with our code.

use super::data::archive_files;
use super::{skip, text};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

/// Python with the packages that the tests use.
pub fn python() -> String {
    std::env::var("LYCOSA_TEST_PYTHON").unwrap_or_else(|_| "python3".into())
}

/// The host that is built beside our own program; `None`, and a line that says so, where it is not.
pub fn crawllet_host() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_BIN_EXE_lycosa")).with_file_name("crawllet-host");
    let path = std::env::var_os("CRAWLLET_HOST").map_or(beside, PathBuf::from);
    if path.is_file() {
        return Some(path);
    }
    skip("crawllet-host is not built: cargo build -p crawllet-host");
    None
}

/// Whether Python can import `module`; otherwise says so. Where everything is said to be here, it is an error.
pub fn python_has(module: &str) -> bool {
    let import = format!("import {module}");
    let there = Command::new(python()).args(["-c", &import]).output();
    let there = there.is_ok_and(|output| output.status.success());
    if !there {
        assert!(std::env::var_os("CI").is_none(), "no Python with {module} is here");
        skip(&format!("no Python with {module} is here"));
    }
    there
}

/// Runs Python, if there is one that can import `module`; otherwise says so and gives `None`.
pub fn python_with(module: &str, arguments: &[&str]) -> Option<Output> {
    if !python_has(module) {
        return None;
    }
    Some(Command::new(python()).args(arguments).output().expect("it ran a moment ago"))
}

/// Asserts that warcio finds nothing wrong with the archive of a data folder.
#[track_caller]
pub fn warcio_accepts(data: &Path) {
    for file in archive_files(data, ".warc.gz") {
        let check = ["-m", "warcio.cli", "check", "-v", text(&file)];
        let Some(output) = python_with("warcio", &check) else { return };
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{said}");
        assert!(said.contains("digest pass"), "digests are there and right: {said}");
        assert!(!said.contains("fail"), "{said}");
    }
}

/// Whether a program is here; otherwise says so.
pub fn is_here(program: &str) -> bool {
    let here = Command::new(program).arg("--version").output().is_ok();
    if !here {
        skip(&format!("{program} is not here"));
    }
    here
}

/// An HTTP answer.
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

/// The address of a server on a data folder, for somebody who has its token.
pub fn with_token(address: &str, data: &Path) -> String {
    let token = std::fs::read_to_string(data.join("token")).expect("the server made a token");
    format!("{}@{address}", token.trim())
}

/// Asks a server on loopback, with no client of ours between. The address is `HOST:PORT` or
/// `TOKEN@HOST:PORT`.
#[track_caller]
pub fn http(address: &str, method: &str, path: &str, body: &str) -> Answer {
    let (token, address) = address.rsplit_once('@').unwrap_or(("", address));
    let bearer = match token {
        "" => String::new(),
        token => format!("Authorization: Bearer {token}\r\n"),
    };
    let headers = format!("{bearer}Content-Type: application/json\r\n");
    exchange(address, method, path, &headers, body)
}

/// Somebody with a browser without scripts, who has loaded a page of a server on this machine.
pub struct Browser {
    address: String,
    cookie: String,
}

impl Browser {
    #[track_caller]
    pub fn open(address: &str) -> Browser {
        let first = exchange(address, "GET", "/about", "Accept: text/html\r\n", "");
        let cookie = first.head.lines().find_map(|line| line.strip_prefix("set-cookie: "));
        let cookie = cookie.and_then(|cookie| cookie.split(';').next()).expect("a session");
        Browser { address: address.to_owned(), cookie: cookie.to_owned() }
    }

    #[track_caller]
    pub fn get(&self, path: &str) -> Answer {
        let headers = format!("Accept: text/html\r\nCookie: {}\r\n", self.cookie);
        exchange(&self.address, "GET", path, &headers, "")
    }

    /// Sends a form of this page, as its fields are written in a query.
    #[track_caller]
    pub fn send(&self, page: &str, action: &str, fields: &str) -> Answer {
        let page = self.get(page).body;
        assert!(page.contains(&format!("action=\"{action}\"")), "no form for {action}: {page}");
        let proof = page.split("name=\"form_token\" value=\"").nth(1).expect("a form");
        let proof = proof.split('"').next().expect("a value");
        let headers = format!(
            "Accept: text/html\r\nCookie: {}\r\nOrigin: http://{}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\n",
            self.cookie, self.address
        );
        let body = format!("form_token={proof}&{fields}");
        exchange(&self.address, "POST", action, &headers, &body)
    }
}

fn exchange(address: &str, method: &str, path: &str, headers: &str, body: &str) -> Answer {
    let mut stream = TcpStream::connect(address).expect("a server");
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a socket");
    let length = body.len();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}\
         Content-Length: {length}\r\n\r\n{body}"
    )
    .expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n").expect("an HTTP answer");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    Answer { status: status.expect("a status"), head: head.to_owned(), body: body.to_owned() }
}
