//! The proxy with a client of our own and, where they are installed, with curl and wget.

use super::super::tests::{capture, encode, headers, write};
use super::*;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Output};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// A small site: a start page, two pages that it leads to, one that they lead to, one that nobody names.
fn small_web(dir: &Path) -> Arc<Replay> {
    let html = headers(&[
        ("Content-Type", "text/html"),
        ("Connection", "close, X-Hop"),
        ("X-Hop", "1"),
        ("Transfer-Encoding", "chunked"),
        ("Content-Length", "7"),
        ("Strict-Transport-Security", "max-age=1"),
        ("ETag", "\"v1\""),
    ]);
    let moved = headers(&[("Location", "http://site.example/a.html")]);
    let mut redirect = capture("http://site.example/old", &moved, b"");
    redirect.status = 301;
    let pages: [(&str, &[u8]); 5] = [
        ("http://site.example/", b"<a href='/a.html'>a</a> <a href='b.html'>b</a>"),
        ("http://site.example/a.html", b"<p>page a</p>"),
        ("http://site.example/b.html", b"<a href='/c.html'>c</a> <a href='/missing.html'>m</a>"),
        ("http://site.example/c.html", b"<p>page c</p>"),
        ("http://site.example/hidden.html", b"<p>hidden</p>"),
    ];
    let mut exchanges: Vec<_> =
        pages.iter().map(|(url, body)| encode(&capture(url, &html, body))).collect();
    exchanges.push(encode(&redirect));
    let replay = Replay::open(&[write(dir, &exchanges)], &|_| {}).unwrap();
    Arc::new(replay.with_latency(None))
}

/// Runs a proxy on loopback while `client` runs on another thread.
fn with_proxy<T: Send>(client: impl FnOnce(SocketAddr, &Path) -> T + Send) -> T {
    let dir = tempfile::tempdir().unwrap();
    let replay = small_web(&dir.path().join("archive"));
    let ca_dir = dir.path().join("ca");
    // An authority that was loaded again has to sign just as well as a new one.
    drop(Ca::load_or_create(&ca_dir).unwrap());
    let ca = Ca::load_or_create(&ca_dir).unwrap();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let served = runtime.spawn(serve(replay, listener, ca, async {
        let _ = stopped.await;
    }));
    let result = client(address, &ca_dir);
    drop(stop);
    runtime.block_on(served).unwrap().unwrap();
    result
}

/// Sends a text and reads until the proxy closes.
fn raw(address: SocketAddr, request: &str) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    })
}

fn run(program: &str, arguments: &[&str]) -> Option<Output> {
    match Command::new(program).args(arguments).output() {
        Ok(output) => Some(output),
        Err(_) => {
            let line = format!("skipped: {program} is not here\n");
            let _ = io::Write::write_all(&mut io::stderr(), line.as_bytes());
            None
        }
    }
}

#[test]
fn an_absolute_address_is_answered_without_the_headers_of_the_old_connection() {
    let answer = with_proxy(|address, _| {
        raw(
            address,
            "GET http://site.example/a.html HTTP/1.1\r\nHost: site.example\r\nConnection: close\r\n\r\n",
        )
    });
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK"), "{head}");
    assert_eq!(body, "<p>page a</p>");
    let head = head.to_ascii_lowercase();
    assert!(head.contains("content-length: 13"), "{head}");
    assert!(head.contains("x-lycosa-captured: yes"), "{head}");
    for gone in ["x-hop", "transfer-encoding", "strict-transport-security"] {
        assert!(!head.contains(&format!("\n{gone}:")), "{head}");
    }
}

#[test]
fn requests_follow_each_other_on_one_connection_and_head_has_no_body() {
    let answer = with_proxy(|address, _| {
        raw(
            address,
            "HEAD http://site.example/a.html HTTP/1.1\r\nHost: x\r\n\r\n\
             GET http://site.example/c.html HTTP/1.1\r\nHost: x\r\n\r\n\
             GET http://site.example/a.html HTTP/1.1\r\nHost: x\r\nIf-None-Match: \"v1\"\r\n\r\n\
             POST http://site.example/a.html HTTP/1.1\r\nHost: x\r\n\r\n\
             GET /b.html HTTP/1.1\r\nHost: site.example\r\nConnection: close\r\n\r\n",
        )
    });
    let statuses: Vec<&str> = answer.split("HTTP/1.1 ").skip(1).map(|part| &part[..3]).collect();
    assert_eq!(statuses, ["200", "200", "304", "405", "200"], "{answer}");
    assert!(!answer.contains("page a"), "{answer}");
    assert!(answer.contains("page c"), "{answer}");
}

#[test]
fn what_is_not_in_the_archive_is_a_404_in_plain_text() {
    let answer = with_proxy(|address, _| {
        raw(
            address,
            "GET http://elsewhere.example/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        )
    });
    assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
    assert!(answer.contains("x-lycosa-captured: no"), "{answer}");
    assert!(answer.ends_with("not in the archive: http://elsewhere.example/\n"), "{answer}");
}

#[test]
fn a_request_that_names_nothing_is_refused() {
    let answer = with_proxy(|address, _| raw(address, "GET / HTTP/1.0\r\n\r\n"));
    assert!(answer.starts_with("HTTP/1.0 400"), "{answer}");
}

#[test]
fn the_authority_is_kept_and_only_its_owner_can_read_the_key() {
    let dir = tempfile::tempdir().unwrap();
    let first = Ca::load_or_create(dir.path()).unwrap();
    let second = Ca::load_or_create(dir.path()).unwrap();
    assert_eq!(first.pem(), second.pem());
    let pem = std::fs::read_to_string(dir.path().join("ca.pem")).unwrap();
    assert_eq!(first.pem(), pem);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let key = std::fs::metadata(dir.path().join("ca.key")).unwrap();
        assert_eq!(key.permissions().mode() & 0o777, 0o600);
    }
    std::fs::write(dir.path().join("ca.key"), "no key").unwrap();
    assert!(matches!(Ca::load_or_create(dir.path()), Err(CaError::Certificate(_))));
}

#[test]
fn certificates_are_made_once_per_host_and_not_for_ever_more_hosts() {
    let ca = Ca::generate().unwrap();
    let first = ca.config_for("Site.example").unwrap();
    assert!(Arc::ptr_eq(&first, &ca.config_for("site.example").unwrap()));
    for n in 0..ca::MAX_HOSTS + 6 {
        ca.config_for(&format!("{n}.example")).unwrap();
    }
    assert!(ca.hosts.lock().unwrap().len() <= ca::MAX_HOSTS);
}

#[test]
fn curl_reads_https_through_the_proxy_when_it_trusts_the_authority() {
    with_proxy(|address, ca_dir| {
        let proxy = format!("http://{address}");
        let ca = ca_dir.join("ca.pem").display().to_string();
        let curl = |more: &[&str]| {
            let mut arguments = vec!["-sS", "--noproxy", "", "-m", "20", "-x", &proxy];
            arguments.extend(more);
            run("curl", &arguments)
        };
        let Some(output) = curl(&["--cacert", &ca, "https://site.example/a.html"]) else {
            return;
        };
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(text, "<p>page a</p>", "{output:?}");
        // Two requests and a redirect in one tunnel.
        let follow =
            ["--cacert", &ca, "-L", "https://site.example/old", "https://site.example/c.html"];
        let output = curl(&follow).unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(text, "<p>page a</p><p>page c</p>", "{output:?}");
        let untrusting = curl(&["https://site.example/a.html"]).unwrap();
        assert_eq!(untrusting.status.code(), Some(60), "{untrusting:?}");
        let tunnelled = curl(&["-p", "http://site.example/c.html"]).unwrap();
        assert_eq!(tunnelled.stdout, b"<p>page c</p>", "{tunnelled:?}");
    });
}

#[test]
fn wget_crawls_the_archive_through_the_proxy() {
    with_proxy(|address, _| {
        let out = tempfile::tempdir().unwrap();
        let proxy = format!("http_proxy=http://{address}");
        let folder = out.path().display().to_string();
        let arguments = [
            "--quiet",
            "--no-config",
            "--recursive",
            "--level=5",
            "--tries=1",
            "--timeout=20",
            "-e",
            "use_proxy=yes",
            "-e",
            &proxy,
            "-e",
            "no_proxy=",
            "-P",
            &folder,
            "http://site.example/",
        ];
        if run("wget", &arguments).is_none() {
            return;
        }
        let mut found: Vec<String> = std::fs::read_dir(out.path().join("site.example"))
            .unwrap()
            .map(|file| file.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        found.sort();
        assert_eq!(found, ["a.html", "b.html", "c.html", "index.html"]);
    });
}
