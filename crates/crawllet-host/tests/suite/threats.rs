//! The threats of the design that need more than one part: T4 under every front, T8, T9 and T10 with the real host,
//! and the check through TLS.
//!
//! | threat | stand-alone, Apache, nginx + fcgiwrap (and plain CGI) |
//! |---|---|
//! | T1 foreign engine | `protocol::strangers_get_no_session`, all fronts |
//! | T2 replay | `protocol::the_same_hello…`, `of_a_hundred_equal_uploads…`, all fronts |
//! | T3 splice, reorder, truncate | `protocol::an_upload_that_was_touched…`, all fronts; every byte: `lycosa-crawllet` |
//! | T4 hostile modules | here, all fronts; more of them in `hostile` and `smith`, stand-alone |
//! | T5, T6 outside of the scope, SSRF | `site::robots_scope_and_privacy…`, `files_are_read…`, all fronts |
//! | T7 floods | `load`: 500 hellos under all, 50 uploads stand-alone |
//! | T8 floods of the engine | here, all fronts; synthetic hosts in `lycosa-crawllet` |
//! | T9 lying host | here, all fronts |
//! | T10 rotation, theft | here and `owner::a_new_key_is_signed…`, all fronts |
//! | T11 robots | `site::robots_scope_and_privacy…`, all fronts |
//! | T12 state shipped back | `protocol::a_fifth_of_the_needed_fuel…`, all fronts |
//! | T13 differences of CGI | this suite |
//! | T14 cryptography | `lycosa-crawllet`: no front is involved |

use crate::engine::{Engine, little, now_ms};
use crate::front::{ALL, Front, Running, Setup, call};
use crate::hostile::{EXPORTS, bombs, module};
use crate::upstream::Upstream;
use lycosa_crawllet::Fault;
use lycosa_crawllet::descriptor::{Descriptor, RUN, WELL_KNOWN};
use lycosa_crawllet::engine::{Hello, Reason, Wanted};
use lycosa_crawllet::limits::Limits;
use lycosa_crawllet::trust::{Audit, Look, Outcome, Standing, Verdict, audits, draw, verdict};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Longer than any of the limits, on a slow machine.
const LONG: Duration = Duration::from_secs(60);

/// T4: what a hostile module is, and how it may end.
fn hostile() -> Vec<(&'static str, Vec<u8>, &'static [Reason])> {
    let text = |run: &str, more: &str| wat::parse_str(module(run, more)).unwrap();
    let down =
        "(func $down (param i32) (result i32) (i32.add (call $down (local.get 0)) (i32.const 1)))";
    let grow = "(loop $l (br_if $l (i32.ne (memory.grow (i32.const 16)) (i32.const -1))))
                (if (i32.gt_u (memory.size) (i32.const 256)) (then unreachable)) (i32.const 0)";
    let tables = "(loop $l (br_if $l (i32.ne (table.grow $t (ref.null func) (i32.const 1000)) (i32.const -1))))
                  (if (i32.gt_u (table.size $t) (i32.const 10000)) (then unreachable)) (i32.const 0)";
    let run = "(func (export \"clp_run\") (result i32) (i32.const 0))";
    let memory = "(memory (export \"memory\") 1)";
    let whole = |text: String| wat::parse_str(text).unwrap();
    let many = "(func)".repeat(20_001);
    let good = text("(i32.const 0)", "");
    vec![
        ("endless loop", text("(loop $l (br $l)) (i32.const 0)", ""), &[Reason::Fuel][..]),
        ("recursion", text("(call $down (i32.const 1))", down), &[Reason::Trap]),
        // Refused beyond the grant, and no trap inside says that it got no more.
        ("memory", text(grow, ""), &[Reason::Done]),
        ("tables", text(tables, "(table $t 1 funcref)"), &[Reason::Done]),
        ("functions", whole(format!("(module {memory} {EXPORTS} {run} {many})")), &[Reason::Trap]),
        ("malformed", good[..good.len() / 2].to_vec(), &[Reason::Trap]),
        (
            "extra import",
            whole(format!("(module (import \"clp1\" \"open\" (func)) {memory} {EXPORTS} {run})")),
            &[Reason::Trap],
        ),
        (
            "start function",
            whole(format!("(module {memory} {EXPORTS} {run} (func $s) (start $s))")),
            &[Reason::Trap],
        ),
        // A quick compiler may be done before its limit.
        (
            "compile bomb",
            text("(i32.const 0)", &bombs(4)),
            &[Reason::Time, Reason::Memory, Reason::Done],
        ),
    ]
}

#[test]
fn hostile_modules_end_with_a_named_reason_under_every_front_and_the_host_goes_on() {
    let web = Upstream::small();
    let modules = hostile();
    for front in ALL {
        let Some(host) = front.start(web.at, &Setup::default()) else { continue };
        let engine = Engine::new(&host);
        let limits = Limits { fuel: 50_000_000, wall_s: 60, ..little() };
        for (what, module, reasons) in &modules {
            let started = Instant::now();
            let harvest = engine.run_module(module, limits);
            let reason = harvest.reason();
            assert!(reasons.contains(&reason), "{front:?}, {what}: {reason:?} {:?}", harvest.logs);
            assert!(started.elapsed() < LONG, "{front:?}, {what}: {:?}", started.elapsed());
        }
        let names: Vec<String> = host.reasons();
        assert_eq!(names.len(), modules.len(), "{front:?}: the owner sees each with its reason");
        let after = engine.run_guest("pages", little(), None);
        assert_eq!((after.reason(), after.records.len()), (Reason::Done, 10), "{front:?}");
    }
}

#[test]
fn a_module_larger_than_the_grant_is_refused_by_both_sides() {
    let web = Upstream::small();
    for front in ALL {
        let Some(host) = front.start(web.at, &Setup::default()) else { continue };
        let engine = Engine::new(&host);
        let granted = engine.hello(little());
        let path = format!("{RUN}?s={}", granted.session_hex());
        let huge = vec![0; 2 << 20];
        let cargo = lycosa_crawllet::engine::Cargo {
            module: &huge,
            mac_key: [0; 32],
            output: lycosa_crawllet::engine::OutputKind { compressed: true },
            params: &[],
            scope: &[],
            seeds: &[],
            seen: &[],
            resume: None,
            soft_limit_percent: 0,
        };
        let fault = granted.upload(cargo).unwrap_err();
        assert_eq!(fault, Fault::TooLarge("module"), "{front:?}: the engine does not send it");
        // Sent nevertheless, by who does not look: the host does not read so much.
        let flood = engine.client.send("POST", &path, &vec![0; 12 << 20]);
        let status = flood.map_or(0, |answer| answer.status);
        assert!([0, 403, 413].contains(&status), "{front:?}: {status}");
        assert!(host.jobs().is_empty(), "{front:?}");
        assert_eq!(engine.run_guest("pages", little(), None).reason(), Reason::Done, "{front:?}");
    }
}

/// T8: a site whose pages pack a thousand times better than pages do.
#[test]
fn pages_that_are_bombs_end_the_job_and_not_the_engine() {
    let html = "Content-Type: text/html\r\n";
    let mut pages = BTreeMap::new();
    let links: String = (0..300).map(|n| format!("<a href=\"/b{n}.html\">b</a>")).collect();
    pages.insert("/".to_owned(), (200, html, links.into_bytes()));
    for n in 0..300 {
        pages.insert(format!("/b{n}.html"), (200, html, vec![b' '; 512 << 10]));
    }
    let web = Upstream::new(pages);
    for front in ALL {
        let Some(host) = front.start(web.at, &Setup::default()) else { continue };
        let limits = Limits { mem_mib: 64, cpu_ms: 10_000, pages: 400, wall_s: 60, ..little() };
        let harvest = Engine::new(&host).run_guest("pages", limits, None);
        let reason = harvest.reason();
        // 150 MiB would come; a grant of 1 MiB unpacks to 64 at most.
        assert!(
            matches!(reason, Reason::Suspended | Reason::Output | Reason::Fuel),
            "{front:?}: {reason:?}"
        );
        let unpacked: usize = harvest.records.iter().map(|record| record.body.len()).sum();
        assert!(unpacked <= 64 << 20, "{front:?}: {unpacked}");
        assert!(harvest.records.len() > 1, "{front:?}: what fits does come: {reason:?}");
    }
}

/// T8: a page that never ends coming is given up, and the job goes on.
#[test]
fn a_page_that_drips_holds_nobody_up() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || drip(stream));
        }
    });
    let setup = Setup { top: "page_timeout = \"300ms\"", ..Setup::default() };
    for front in ALL {
        let Some(host) = front.start(at, &setup) else { continue };
        let started = Instant::now();
        let harvest = Engine::new(&host).run_guest("pages", little(), None);
        assert_eq!(harvest.reason(), Reason::Done, "{front:?} {:?}", harvest.logs);
        let paths: Vec<&str> = harvest.records.iter().map(|r| r.path.as_str()).collect();
        assert_eq!(paths, ["/", "/good.html"], "{front:?}");
        assert!(started.elapsed() < Duration::from_secs(20), "{front:?}");
    }
}

/// A server whose page `/drip.html` comes byte by byte, for ever.
fn drip(mut stream: TcpStream) {
    let mut request = [0; 4096];
    while let Ok(length @ 1..) = stream.read(&mut request) {
        let text = String::from_utf8_lossy(&request[..length]).into_owned();
        let body = match text.split(' ').nth(1).unwrap_or_default() {
            "/" => "<a href=\"/drip.html\">a</a> <a href=\"/good.html\">b</a>",
            "/good.html" => "good",
            "/drip.html" => {
                let head =
                    "HTTP/1.1 200 X\r\nContent-Type: text/html\r\nContent-Length: 1000000\r\n\r\n";
                let mut alive = stream.write_all(head.as_bytes()).is_ok();
                while alive {
                    alive = stream.write_all(b"x").is_ok();
                    std::thread::sleep(Duration::from_millis(20));
                }
                return;
            }
            _ => {
                let _ = stream.write_all(b"HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n");
                continue;
            }
        };
        let head = "HTTP/1.1 200 X\r\nContent-Type: text/html\r\n";
        let _ = stream
            .write_all(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }
}

/// The pages of a site: as everybody sees them, and with every tenth altered for the crawllet.
fn two_faces(lies: bool) -> BTreeMap<String, (u16, &'static str, Vec<u8>)> {
    let html = "Content-Type: text/html\r\n";
    let links: String = (0..99).map(|n| format!("<a href=\"/p{n}.html\">p</a>")).collect();
    let mut pages = BTreeMap::from([("/".to_owned(), (200, html, links.into_bytes()))]);
    for n in 0..99 {
        let word = if lies && n % 10 == 0 { "casino" } else { "garden" };
        let body = format!("<title>{n}</title><p>All about the {word} of page {n}.");
        pages.insert(format!("/p{n}.html"), (200, html, body.into_bytes()));
    }
    pages
}

/// One audit of one harvest: what came is held against what everybody sees.
fn audit(host: &Running, all_see: &Upstream, fresh: [u8; 32]) -> Outcome {
    let harvest = Engine::new(host).run_guest("pages", Limits { pages: 200, ..little() }, None);
    assert_eq!((harvest.reason(), harvest.records.len()), (Reason::Done, 100));
    let direct =
        crawllet_host::client::Client::new(&format!("http://{}", all_see.at), LONG).unwrap();
    let mut audit = Audit::default();
    let count = audits(harvest.records.len(), &Standing::default());
    for at in draw(harvest.records.len(), count, fresh) {
        let record = &harvest.records[at];
        let body = direct.send("GET", &record.path, b"").unwrap().body(1 << 20).unwrap();
        // Without a simhash only equal bytes agree; these pages stand still, so a second look would say the same.
        let look = |sha256| Look { status: 200, sha256, simhash: 0 };
        let direct = look(crawllet_host::host::sha256(&body));
        audit.add(verdict(&look(record.sha256), &direct).unwrap_or(Verdict::False));
    }
    audit.outcome()
}

#[test]
fn a_host_that_alters_a_tenth_of_its_pages_is_caught_as_predicted_and_an_honest_one_is_not() {
    let (honest, lying) = (Upstream::new(two_faces(false)), Upstream::new(two_faces(true)));
    for front in ALL {
        let Some(host) = front.start(lying.at, &Setup::default()) else { continue };
        // 30 samples of 100 with 10 false ones: 97.7 % each time. These six draws are fixed.
        let is_caught = |job: &u8| audit(&host, &honest, [*job; 32]) == Outcome::Failed;
        let caught = (0..6).filter(is_caught).count();
        assert!(caught >= 5, "{front:?}: {caught} of 6");
        let host = front.start(honest.at, &Setup::default()).unwrap();
        assert_eq!(audit(&host, &honest, [9; 32]), Outcome::Clean, "{front:?}");
    }
}

/// T10: a job that was granted under the old key is finished, and a new one begins under the new key.
#[test]
fn a_key_that_is_rotated_in_the_middle_of_a_job_breaks_nothing() {
    let web = Upstream::small();
    for front in ALL {
        let Some(host) = front.start(web.at, &Setup::default()) else { continue };
        let engine = Engine::new(&host);
        let wasm = wat::parse_str(module("(i32.const 0)", "")).unwrap();
        let before = engine.get(WELL_KNOWN).1;
        let (path, bytes, _) = engine.upload(&wasm, [0; 32], little(), true, None);
        assert!(call(&["rotate", "--dir", host.dir.to_str().unwrap()]).status.success());
        assert_eq!(engine.post(&path, &bytes).0, 200, "{front:?}: the grant was given");
        // Who still has the old descriptor is told to look again, and gets no session.
        let old = Descriptor::parse(&before).unwrap();
        let wanted = Wanted { limits: little(), ..Wanted::default() };
        let hello =
            Hello::new(&engine.keys, &old, &before, "site.example", wanted, now_ms(), [4; 32]);
        assert_eq!(engine.post(RUN, &hello.unwrap().0).0, 403, "{front:?}");
        assert_eq!(engine.run_guest("pages", little(), None).reason(), Reason::Done, "{front:?}");
    }
}

/// T10: whoever stole a key that has ended can do nothing with it, on either side.
#[test]
fn a_key_that_has_ended_opens_nothing() {
    let web = Upstream::small();
    for front in ALL {
        let Some(host) = front.start(web.at, &Setup::default()) else { continue };
        let engine = Engine::new(&host);
        let before = engine.get(WELL_KNOWN).1;
        assert!(call(&["rotate", "--dir", host.dir.to_str().unwrap()]).status.success());
        // Time passes: the old key ended a minute ago.
        let path = host.dir.join("keys.json");
        let mut keys: serde_json::Value =
            serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        keys[1]["exp"] = (now_ms() / 1000 - 60).into();
        std::fs::write(&path, serde_json::to_vec(&keys).unwrap()).unwrap();
        let after = Descriptor::parse(&engine.get(WELL_KNOWN).1).unwrap();
        assert_eq!(after.keys.len(), 1, "{front:?}: it is listed no more");
        // Back to the old descriptor: the host refuses the handshake…
        let old = Descriptor::parse(&before).unwrap();
        let wanted = Wanted { limits: little(), ..Wanted::default() };
        let hello =
            Hello::new(&engine.keys, &old, &before, "site.example", wanted, now_ms(), [4; 32]);
        assert_eq!(engine.post(RUN, &hello.unwrap().0).0, 403, "{front:?}");
        // … and an engine that knows the new one does not take the old one for its successor.
        assert!(old.verify_rotation(&after, now_ms()).is_err(), "{front:?}");
        assert!(host.jobs().is_empty(), "{front:?}");
        assert_eq!(engine.run_guest("pages", little(), None).reason(), Reason::Done, "{front:?}");
    }
}

/// A TLS server that forwards to `to`, and its certificate.
pub(crate) fn tls_before(to: SocketAddr) -> (SocketAddr, String) {
    let signed = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let key = rustls::pki_types::PrivateKeyDer::try_from(signed.signing_key.serialize_der());
    let config = rustls::ServerConfig::builder_with_provider(Arc::new(
        rustls::crypto::ring::default_provider(),
    ))
    .with_safe_default_protocol_versions()
    .unwrap()
    .with_no_client_auth()
    .with_single_cert(vec![signed.cert.der().clone()], key.unwrap())
    .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    let config = Arc::new(config);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let config = config.clone();
            std::thread::spawn(move || {
                let _ = forward(stream, to, config);
            });
        }
    });
    (at, signed.cert.pem())
}

/// One request and its answer; the client closes, or says that it will.
fn forward(
    mut stream: TcpStream,
    to: SocketAddr,
    config: Arc<rustls::ServerConfig>,
) -> std::io::Result<()> {
    let mut session = rustls::ServerConnection::new(config).map_err(std::io::Error::other)?;
    let mut tls = rustls::Stream::new(&mut session, &mut stream);
    let mut behind = TcpStream::connect(to)?;
    // The head, then as much body as it says.
    let mut request = Vec::new();
    let mut byte = [0; 16 << 10];
    let whole = |request: &[u8]| {
        let text = String::from_utf8_lossy(request);
        let end = text.find("\r\n\r\n").map(|end| end + 4)?;
        let length = text[..end].lines().find_map(|l| l.strip_prefix("Content-Length: "))?;
        Some(request.len() >= end + length.parse::<usize>().ok()?)
    };
    while whole(&request) != Some(true) {
        let length = tls.read(&mut byte)?;
        request.extend_from_slice(&byte[..length]);
    }
    behind.write_all(&request)?;
    loop {
        let length = behind.read(&mut byte)?;
        if length == 0 {
            break;
        }
        tls.write_all(&byte[..length])?;
        tls.flush()?;
    }
    session.send_close_notify();
    session.complete_io(&mut stream).map(drop)
}

#[test]
fn check_is_green_through_tls_with_a_certificate_that_is_named_and_red_without() {
    let web = Upstream::small();
    let host = Front::Alone.start(web.at, &Setup::default()).unwrap();
    let (at, pem) = tls_before(host.at);
    let (url, file) = (format!("https://localhost:{}", at.port()), host.dir.join("own.pem"));
    std::fs::write(&file, pem).unwrap();
    let (dir, file) = (host.dir.to_str().unwrap(), file.to_str().unwrap());
    let said = |output: &std::process::Output| String::from_utf8_lossy(&output.stdout).into_owned();
    let green = call(&["check", "--dir", dir, "--url", &url, "--trust", file]);
    assert_eq!(green.status.code(), Some(0), "{}", said(&green));
    assert_eq!(said(&green).matches("ok ").count(), 7, "{}", said(&green));
    let red = call(&["check", "--dir", dir, "--url", &url]);
    assert_eq!(red.status.code(), Some(1), "{}", said(&red));
    assert!(said(&red).contains("BAD  descriptor"), "{}", said(&red));
    let none = call(&["check", "--dir", dir, "--url", &url, "--trust", "/dev/null"]);
    assert_eq!(none.status.code(), Some(2), "no certificate in it");
}
