//! Is a name refused that changes its mind, from a public address to one of this machine?
//!
//! The test has a network and a name server of its own (`unshare`, `ip`), in which an address of the
//! internet is on the loopback device, so that nothing is allowed that is not allowed by default.

use crate::support::*;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpListener, UdpSocket};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Set where the test runs in its own network.
const INSIDE: &str = "LYCOSA_TEST_OWN_NETWORK";
/// An address that the guard calls public. Nobody outside is asked: there is no way out.
const PUBLIC: Ipv4Addr = Ipv4Addr::new(198, 41, 0, 4);
const HOST: &str = "turncoat.example.net";

#[test]
fn a_name_that_moves_to_a_private_address_is_refused_from_then_on() {
    if std::env::var_os(INSIDE).is_some() {
        return inside();
    }
    let dir = tempfile::tempdir().expect("a folder");
    let resolv = dir.path().join("resolv.conf");
    std::fs::write(&resolv, "nameserver 127.0.0.1\n").expect("written");
    let script = format!(
        "ip link set lo up && ip addr add {PUBLIC}/32 dev lo && \
         mount --bind '{}' /etc/resolv.conf || exit 99; \
         exec '{}' --exact rebinding::a_name_that_moves_to_a_private_address_is_refused_from_then_on",
        text(&resolv),
        text(&std::env::current_exe().expect("a test program")),
    );
    let mut shell = Command::new("unshare");
    shell.args(["-rmn", "sh", "-c", &script]).env(INSIDE, "yes").stdin(Stdio::null());
    let Ok(output) = shell.output() else { return skip("no program unshare is here") };
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    match output.status.code() {
        Some(0) => assert!(said.contains("1 passed"), "{said}"),
        Some(101) => panic!("{said}"),
        _ => skip(&format!("no network of our own can be had here: {}", said.trim())),
    }
}

/// A site whose name is at a public address until its front page was read.
fn inside() {
    let moved = Arc::new(AtomicBool::new(false));
    let reached = Arc::<Mutex<Vec<(IpAddr, String)>>>::default();
    serve_names(Arc::clone(&moved));
    serve_pages(Arc::clone(&moved), Arc::clone(&reached));
    let dir = tempfile::tempdir().expect("a folder");
    let (data, trace) = (dir.path().join("data"), dir.path().join("trace.jsonl"));
    let mut command = lycosa(["crawl", "--json", "-q", "--delay", "0s", "--data", text(&data)]);
    command.args(["--trace", text(&trace), &format!("http://{HOST}/")]);
    let summary = Running::start(command).finish().exits(0).json();
    assert_eq!(summary["pages"], 1, "{summary}");
    let (front, next) = (format!("http://{HOST}/"), format!("http://{HOST}/next"));
    let trace = Trace::read(&trace);
    assert_eq!(trace.urls("fetched"), [front]);
    assert_eq!(trace.urls("private_address"), [next.as_str()]);
    let told = run(["url", &next, "--data", text(&data)]).exits(0).stdout;
    assert!(told.contains("private_address"), "{told}");
    let reached = reached.lock().expect("no panic").clone();
    let paths: Vec<&str> = reached.iter().map(|(_, path)| path.as_str()).collect();
    assert_eq!(paths, ["/robots.txt", "/"], "nobody came to the private address");
    assert!(reached.iter().all(|(address, _)| *address == PUBLIC), "{reached:?}");
}

/// A name server: every name is at the public address, and after the move on this machine.
fn serve_names(moved: Arc<AtomicBool>) {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 53)).expect("we are root here");
    std::thread::spawn(move || {
        let mut query = [0; 512];
        while let Ok((count, from)) = socket.recv_from(&mut query) {
            let address = match moved.load(Ordering::SeqCst) {
                true => Ipv4Addr::LOCALHOST,
                false => PUBLIC,
            };
            if let Some(answer) = answer(&query[..count], address) {
                drop(socket.send_to(&answer, from));
            }
        }
    });
}

/// The answer to a question of DNS (RFC 1035, 4.1): this address, for who asks for one of IPv4.
fn answer(query: &[u8], address: Ipv4Addr) -> Option<Vec<u8>> {
    let name = query.get(12..)?.iter().position(|byte| *byte == 0)? + 13;
    let question = query.get(12..name + 4)?;
    let is_a = query[name..name + 2] == [0, 1];
    let mut answer = query[..2].to_vec();
    // An answer without fault, with one question, and a record or none.
    answer.extend([0x81, 0x80, 0, 1, 0, u8::from(is_a), 0, 0, 0, 0]);
    answer.extend(question);
    if is_a {
        // The name of the question, of type A, class IN, good for no time at all.
        answer.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4]);
        answer.extend(address.octets());
    }
    Some(answer)
}

/// A site on all addresses that remembers at which one it was asked for what. Each answer ends its
/// connection, so that the next page needs a new one.
fn serve_pages(moved: Arc<AtomicBool>, reached: Arc<Mutex<Vec<(IpAddr, String)>>>) {
    let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 80)).expect("we are root here");
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut request = [0; 4096];
            let count = stream.read(&mut request).unwrap_or(0);
            let request = String::from_utf8_lossy(&request[..count]);
            let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
            let (status, body) = match path.as_str() {
                "/robots.txt" => ("404 Not Found", ""),
                _ => ("200 OK", "<title>Front</title><p>Come in. <a href=/next>More</a>"),
            };
            moved.store(path == "/", Ordering::SeqCst);
            let address = stream.local_addr().expect("connected").ip();
            reached.lock().expect("no panic").push((address, path));
            let length = body.len();
            drop(write!(
                stream,
                "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nConnection: close\r\n\
                 Content-Length: {length}\r\n\r\n{body}"
            ));
        }
    });
}
