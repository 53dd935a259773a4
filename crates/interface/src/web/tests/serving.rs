//! The server on a real socket, and the crawl that it shows.

use super::*;
use crate::control;
use crate::web::serve;
use lycosa_model::message::{BrokerMessage, BrokerReply, BrokerStatus};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

fn silent_query() -> Mailbox<QueryMessage> {
    mailbox(1).0
}

#[tokio::test]
async fn it_answers_on_a_socket_and_stops_when_told() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let doors = doors(silent_query(), Registry::default(), Crawl::None);
    let server = tokio::spawn(serve(listener, doors, async move { drop(stopped.await) }));
    let mut client = TcpStream::connect(address).await.unwrap();
    client
        .write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        .await
        .unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("ok\n"), "{answer}");
    drop(stop);
    server.await.unwrap().unwrap();
    assert!(TcpStream::connect(address).await.is_err(), "nobody listens any more");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_never_ends_does_not_hold_up_the_stop() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let doors = doors(silent_query(), Registry::default(), Crawl::None);
    let server = tokio::spawn(serve(listener, doors, async move { drop(stopped.await) }));
    let mut client = TcpStream::connect(address).await.unwrap();
    client.write_all(b"GET / HTTP/1.1\r\nHost:").await.unwrap();
    let started = tokio::time::Instant::now();
    drop(stop);
    server.await.unwrap().unwrap();
    assert!(started.elapsed() < Duration::from_secs(2));
}

#[tokio::test(start_paused = true)]
async fn a_silent_client_is_let_go() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let doors = doors(silent_query(), Registry::default(), Crawl::None);
    tokio::spawn(serve(listener, doors, std::future::pending()));
    let mut client = TcpStream::connect(address).await.unwrap();
    let mut byte = [0];
    assert_eq!(client.read(&mut byte).await.unwrap_or(0), 0);
}

#[tokio::test(start_paused = true)]
async fn a_search_that_hangs_is_given_up() {
    // The inbox is kept, and nobody reads it.
    let (query, _inbox) = mailbox(1);
    let router = router(doors(query, Registry::default(), Crawl::None));
    let stage = Stage { router, registry: Registry::default(), asked: Arc::default() };
    let page = stage.get("/search?q=a").await;
    assert_eq!(page.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(page.body.contains("took too long"));
}

/// A broker that is in the middle of a crawl.
struct Busy;

impl Agent for Busy {
    type Message = BrokerMessage;
    type State = Seen;

    fn observe(&self) -> Seen {
        Seen::default()
    }

    async fn handle(&mut self, _: BrokerMessage) -> BrokerReply {
        BrokerReply::Status(Box::new(BrokerStatus {
            pages: 842,
            queued: 3_127,
            seconds: 60.0,
            strategy: "best-first".into(),
            ..BrokerStatus::default()
        }))
    }
}

fn busy_broker(registry: &Registry) -> Mailbox<BrokerMessage> {
    let (broker, inbox) = mailbox(4);
    spawn_pool(registry, "broker", 1, (&broker, inbox), |_| Busy);
    broker
}

#[tokio::test]
async fn a_crawl_in_this_process_is_shown() {
    let registry = Registry::default();
    let crawl = Crawl::Here(busy_broker(&registry));
    let doors = doors(silent_query(), registry.clone(), crawl);
    let stage = Stage { router: router(doors), registry, asked: Arc::default() };
    let home = stage.get("/").await.body;
    assert!(home.contains("A crawl is running: 842 pages fetched, 3,127 waiting"));
    assert!(home.contains("best-first, 14 pages a second"));
    let status: serde_json::Value =
        serde_json::from_str(&stage.get("/api/status").await.body).unwrap();
    for field in
        ["running", "pages", "known", "queued", "sites", "agents", "pages_per_second", "limited_by"]
    {
        assert!(status.get(field).is_some(), "{field} in {status}");
    }
    assert_eq!((&status["running"], &status["agents"]), (&true.into(), &3.into()));
}

#[tokio::test]
async fn a_crawl_in_another_process_is_shown_through_its_door() {
    let dir = tempfile::tempdir().unwrap();
    let elsewhere = Registry::default();
    let crawl = Crawl::Here(busy_broker(&elsewhere));
    let desk = Desk {
        query: silent_query(),
        registry: elsewhere.clone(),
        crawl,
        crawl_patience: control::BROKER_PATIENCE,
        hunts: None,
        watches: None,
    };
    let door = control::listen(dir.path(), || crate::open(desk).0).unwrap();
    let crawl = Crawl::Folder(dir.path().to_owned());
    let doors = doors(silent_query(), Registry::default(), crawl);
    let stage = Stage { router: router(doors), registry: elsewhere, asked: Arc::default() };
    assert!(stage.get("/").await.body.contains("A crawl is running: 842 pages"));
    let names = async || {
        let got: serde_json::Value =
            serde_json::from_str(&stage.get("/api/agents").await.body).unwrap();
        let agents = got["agents"].as_array().unwrap().clone();
        let names = agents.iter().filter_map(|agent| agent["name"].as_str().map(str::to_owned));
        names.collect::<Vec<_>>()
    };
    let ours = ["interface-1", "interface-2"];
    let theirs = ["broker-1", "interface-1", "interface-2"];
    assert_eq!(names().await, [&ours[..], &theirs].concat());
    drop(door);
    assert!(!stage.get("/").await.body.contains("A crawl is running"));
    assert_eq!(names().await, ours);
}
