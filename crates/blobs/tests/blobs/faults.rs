//! Is nothing lost when a server is down, slow, or does not do as it should?

use crate::support::{at, at_endpoint, at_endpoint_with, content, key_of, settings, skipped};
use lycosa_blobs::{Blobs, Error, Put, Settings};
use lycosa_servers::s3::S3;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

#[test]
fn an_address_that_is_none_says_what_one_looks_like() {
    for bad in ["", "http://x", "s3://", "file://relative", "s3://bucket?colour=red"] {
        let error = Blobs::open(bad).unwrap_err();
        assert!(matches!(error, Error::Address { .. }), "{bad}: {error}");
        assert!(error.to_string().contains("s3://bucket/prefix"), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upload_waits_for_a_server_that_is_down() {
    let Some(mut server) = S3::moto().unwrap() else { return skipped("moto (LYCOSA_TEST_PYTHON)") };
    let blobs = at(&server);
    let bytes = content(11 << 20, 1);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("large");
    std::fs::write(&file, &bytes).unwrap();
    let key = key_of(&bytes);
    server.kill().unwrap();
    let impatient = Settings { patience: Duration::from_secs(1), ..settings() };
    let error = at_endpoint(&server.endpoint(), impatient).head(&key).await.unwrap_err();
    assert!(matches!(error, Error::Disturbed(_)) && error.passes(), "{error}");
    let upload = tokio::spawn({
        let (blobs, key, file) = (blobs.clone(), key.clone(), file.clone());
        async move { blobs.put_file_if_absent(&key, &file).await }
    });
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(!upload.is_finished());
    let server = tokio::task::spawn_blocking(move || server.revive().map(|()| server));
    let _server = server.await.unwrap().unwrap();
    assert_eq!(upload.await.unwrap().unwrap(), Put::Stored);
    assert!(blobs.get(&key).await.unwrap() == bytes);
}

/// Passes connections on to a server, and cuts each of the first `cuts` after `bytes` from the client.
async fn cutting_proxy(server: &S3, cuts: usize, bytes: u64) -> String {
    let target = server.endpoint().trim_start_matches("http://").to_owned();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let mut number = 0;
        while let Ok((mut client, _)) = listener.accept().await {
            number += 1;
            let (target, cut) = (target.clone(), number <= cuts);
            tokio::spawn(async move {
                let mut server = TcpStream::connect(target).await.unwrap();
                if cut {
                    let (from_client, mut to_client) = client.split();
                    let (mut from_server, mut to_server) = server.split();
                    let mut some = from_client.take(bytes);
                    tokio::select! {
                        _ = tokio::io::copy(&mut some, &mut to_server) => {}
                        _ = tokio::io::copy(&mut from_server, &mut to_client) => {}
                    }
                } else {
                    drop(copy_bidirectional(&mut client, &mut server).await);
                }
            });
        }
    });
    endpoint
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_torn_upload_leaves_nothing_and_is_done_again() {
    let Some(server) = S3::moto().unwrap() else { return skipped("moto (LYCOSA_TEST_PYTHON)") };
    let bytes = content(12 << 20, 2);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("large");
    std::fs::write(&file, &bytes).unwrap();
    let key = key_of(&bytes);
    // Every connection breaks: nothing of it may be seen.
    let always = cutting_proxy(&server, usize::MAX, 1 << 20).await;
    let impatient = Settings { patience: Duration::from_secs(2), ..settings() };
    let error = at_endpoint(&always, impatient).put_file_if_absent(&key, &file).await.unwrap_err();
    assert!(error.passes(), "{error}");
    let direct = at(&server);
    assert_eq!(direct.head(&key).await.unwrap(), None);
    // The first ones break: the rest of the parts and the broken ones again.
    let some = cutting_proxy(&server, 4, 2 << 20).await;
    let put = at_endpoint(&some, settings()).put_file_if_absent(&key, &file).await.unwrap();
    assert_eq!(put, Put::Stored);
    assert!(direct.get(&key).await.unwrap() == bytes);
}

/// A server that reads one request and answers what it is told, again and again; tells how many it had.
async fn answering(
    answer: impl Fn(usize, &str) -> Vec<u8> + Send + 'static,
) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&count);
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                match client.read_u8().await {
                    Ok(byte) => head.push(byte),
                    Err(_) => break,
                }
            }
            let number = counter.fetch_add(1, Ordering::Relaxed);
            let reply = answer(number, &String::from_utf8_lossy(&head));
            drop(client.write_all(&reply).await);
            drop(client.shutdown().await);
        }
    });
    (endpoint, count)
}

fn reply(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 {status}\r\nConnection: close\r\nETag: \"x\"\r\n\
         Last-Modified: Wed, 18 Nov 2026 09:00:00 GMT\r\n{headers}\r\n"
    );
    [head.as_bytes(), body].concat()
}

fn with_length(status: &str, body: &[u8]) -> Vec<u8> {
    reply(status, &format!("Content-Length: {}\r\n", body.len()), body)
}

#[tokio::test]
async fn a_range_is_right_at_a_server_that_ignores_ranges() {
    let bytes = content(100_000, 3);
    let key = key_of(&bytes);
    let all = bytes.clone();
    let (endpoint, _) = answering(move |_, head| {
        assert!(head.to_ascii_lowercase().contains("\r\nrange: bytes="), "{head}");
        with_length("200 OK", &all)
    })
    .await;
    let blobs = at_endpoint(&endpoint, settings());
    for range in [0..1, 1_000..90_000, 99_999..100_000, 99_000..200_000] {
        let part = blobs.get_range(&key, range.clone()).await.unwrap();
        assert_eq!(part, bytes[range.start as usize..range.end.min(100_000) as usize], "{range:?}");
    }
}

#[tokio::test]
async fn a_range_that_cannot_be_trusted_is_refused_and_says_why() {
    let bytes = content(1000, 4);
    let key = key_of(&bytes);
    let all = bytes.clone();
    let (endpoint, count) = answering(move |_, _| reply("200 OK", "", &all)).await;
    let error = at_endpoint(&endpoint, settings()).get_range(&key, 5..10).await.unwrap_err();
    assert!(matches!(error, Error::Rejected(_)) && !error.passes(), "{error}");
    assert!(error.to_string().contains("ignores ranges"), "{error}");
    // What cannot pass is not tried again.
    assert_eq!(count.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn an_overloaded_server_and_a_body_that_breaks_off_are_asked_again() {
    let bytes = content(1000, 5);
    let key = key_of(&bytes);
    let all = bytes.clone();
    let (endpoint, count) = answering(move |number, _| match number {
        0 => with_length("503 Slow Down", b"<Error><Code>SlowDown</Code></Error>"),
        1 => with_length("429 Too Many Requests", b""),
        2 => with_length("500 Internal Server Error", b""),
        3 => reply("200 OK", "Content-Length: 1000\r\n", &all[..400]),
        _ => with_length("200 OK", &all),
    })
    .await;
    assert_eq!(at_endpoint(&endpoint, settings()).get(&key).await.unwrap(), bytes);
    assert_eq!(count.load(Ordering::Relaxed), 5);
}

#[tokio::test]
async fn a_refusal_is_not_tried_again_and_names_the_variables() {
    let (endpoint, count) = answering(|_, _| {
        with_length("403 Forbidden", b"<Error><Code>SignatureDoesNotMatch</Code></Error>")
    })
    .await;
    let begin = Instant::now();
    let error = at_endpoint(&endpoint, settings()).get(&key_of(b"x")).await.unwrap_err();
    assert!(matches!(error, Error::Denied(_)) && !error.passes(), "{error}");
    assert!(error.to_string().contains("AWS_SECRET_ACCESS_KEY"), "{error}");
    assert_eq!(count.load(Ordering::Relaxed), 1);
    assert!(begin.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn a_server_with_tls_is_believed_if_its_certificate_is() {
    let bytes = content(1000, 6);
    let key = key_of(&bytes);
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("authorities.pem");
    std::fs::write(&bundle, made.cert.pem()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![made.cert.der().clone()],
            rustls::pki_types::PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()).into(),
        )
        .unwrap();
    let tls = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("https://localhost:{}", listener.local_addr().unwrap().port());
    let answer = with_length("200 OK", &bytes);
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let Ok(mut client) = tls.accept(client).await else { continue };
            let mut head = [0; 4096];
            let read = client.read(&mut head).await.unwrap_or_default();
            assert!(head[..read].starts_with(b"GET /test/some/prefix/split/"));
            drop(client.write_all(&answer).await);
            drop(client.shutdown().await);
        }
    });
    let trusting = [("AWS_CA_BUNDLE", bundle.to_str().unwrap())];
    let blobs = at_endpoint_with(&endpoint, settings(), &trusting);
    assert_eq!(blobs.get(&key).await.unwrap(), bytes);
    let impatient = Settings { patience: Duration::from_millis(100), ..settings() };
    let error = at_endpoint(&endpoint, impatient).get(&key).await.unwrap_err();
    assert!(error.to_string().contains("certificate"), "{error}");
}

#[tokio::test]
async fn a_server_that_stands_still_is_given_up_after_the_patience() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let short = Duration::from_millis(300);
    let blobs = at_endpoint(&endpoint, Settings { patience: short, stall: short, ..settings() });
    let begin = Instant::now();
    let error = blobs.get(&key_of(b"x")).await.unwrap_err();
    assert!(matches!(error, Error::Disturbed(_)), "{error}");
    assert!(begin.elapsed() < Duration::from_secs(5));
}
