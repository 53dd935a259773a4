//! Is it clear what to do when a server is missing or unfit?

use crate::support::{s, skipped};
use lycosa_bus::{Bus, Error, WorkSettings};
use lycosa_servers::{Process, free_port, programs, wait_until};
use std::net::TcpStream;
use std::process::Command;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

#[tokio::test]
async fn an_address_that_is_none_says_what_one_looks_like() {
    for bad in ["", "nats", "redis://x", "nats://"] {
        let error = Bus::open(bad, "c").await.unwrap_err();
        assert!(matches!(error, Error::Address { .. }) && !error.passes(), "{error}");
        assert!(error.to_string().contains("nats://host:4222"), "{error}");
    }
    assert!(matches!(Bus::open("local", "two words").await, Err(Error::Subject(_))));
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_with_a_hint_and_without_its_password() {
    let port = free_port().unwrap();
    let address = format!("nats://me:secret@127.0.0.1:{port}");
    let error = Bus::open(&address, "c").await.unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, Error::Unreachable { .. }) && error.passes(), "{text}");
    assert!(text.contains(&port.to_string()) && text.contains("nats-server -js"), "{text}");
    assert!(!text.contains("secret"), "{text}");
}

/// Speaks just enough of the protocol to say how old it is.
async fn old_server(version: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (read, mut write) = stream.into_split();
            let info = format!(
                "INFO {{\"server_id\":\"x\",\"version\":\"{version}\",\"headers\":true,\
                 \"proto\":1,\"max_payload\":1048576}}\r\n"
            );
            write.write_all(info.as_bytes()).await.unwrap();
            let mut lines = BufReader::new(read).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                if line.starts_with("PING") {
                    write.write_all(b"PONG\r\n").await.unwrap();
                }
            }
        }
    });
    port
}

#[tokio::test]
async fn a_server_that_is_too_old_is_refused_with_both_versions() {
    let port = old_server("2.8.4").await;
    let error = Bus::open(&format!("nats://127.0.0.1:{port}"), "c").await.unwrap_err();
    assert_eq!(error, Error::TooOld { found: "2.8.4".to_owned(), needed: "2.9.0" });
    assert!(!error.passes() && error.to_string().contains("update"), "{error}");
}

#[tokio::test]
async fn a_server_without_streams_carries_messages_and_says_why_it_keeps_no_work() {
    let Some(program) = programs("nats-server").into_iter().next() else { return skipped() };
    let folder = tempfile::tempdir().unwrap();
    let port = free_port().unwrap();
    let mut command = Command::new(program);
    command.args(["-a", "127.0.0.1", "-p", &port.to_string()]);
    let _server = Process::start(&mut command, &folder.path().join("log")).unwrap();
    wait_until("a server", s(20), || TcpStream::connect(("127.0.0.1", port)).is_ok()).unwrap();
    let bus = Bus::open(&format!("nats://127.0.0.1:{port}"), "c").await.unwrap();
    let mut news = bus.subscribe("a").await.unwrap();
    bus.publish("a", "1").await.unwrap();
    assert_eq!(news.next().await.unwrap().bytes, "1");
    let error = bus.work("w", WorkSettings::default()).await.unwrap_err();
    assert_eq!(error, Error::NoStreams);
    assert!(error.to_string().contains("-js"), "{error}");
}
