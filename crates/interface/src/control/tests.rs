use super::*;
use crate::{Crawl, Desk};
use lycosa_model::message::{
    BrokerMessage, BrokerReply, BrokerStatus, CrawlStatus, InterfaceMessage, InterfaceReply,
    QueryMessage, QueryReply, SiteCounts, UrlView,
};
use lycosa_model::{Origin, Tick, UrlRecord};
use lycosa_model::{SearchRequest, SearchResponse, UrlId};
use lycosa_runtime::{Agent, Clock, Mailbox, Registry, mailbox, spawn_pool};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use tempfile::TempDir;

/// A broker that knows one URL.
#[derive(Default)]
struct Broker {
    stopped: bool,
}

const KNOWN: &str = "https://example.org/";

impl Agent for Broker {
    type Message = BrokerMessage;
    type State = bool;

    fn observe(&self) -> bool {
        self.stopped
    }

    async fn handle(&mut self, message: BrokerMessage) -> BrokerReply {
        match message {
            BrokerMessage::Status => BrokerReply::Status(Box::new(BrokerStatus {
                pages: 30,
                seconds: 15.0,
                sites: SiteCounts { ready: 1, resting: 2, blocked: 3 },
                limited_by: "politeness".into(),
                ..BrokerStatus::default()
            })),
            BrokerMessage::Url { url } if url == KNOWN => BrokerReply::Url(Some(Box::new(view()))),
            BrokerMessage::Url { url } if url == "panic" => panic!("a broker of a test fails"),
            BrokerMessage::Url { .. } => BrokerReply::Url(None),
            BrokerMessage::Stop => {
                self.stopped = true;
                BrokerReply::Done
            }
            _ => BrokerReply::Broken("a test asked what it should not".into()),
        }
    }
}

fn view() -> UrlView {
    UrlView {
        url_id: UrlId::of(KNOWN),
        normal: KNOWN.into(),
        record: UrlRecord {
            queued: Some(lycosa_model::Spot::default()),
            run: 1,
            ..UrlRecord::new(KNOWN.into(), Origin::Seed, Tick(1))
        },
        inlinks: 2,
        via: None,
        leased_to: None,
        reason: "waits in the frontier".into(),
        history: None,
        explain: vec!["a seed".into()],
        find: None,
        site: None,
    }
}

/// A query agent without an index.
struct Reader;

impl Agent for Reader {
    type Message = QueryMessage;
    type State = bool;

    fn observe(&self) -> bool {
        true
    }

    async fn handle(&mut self, message: QueryMessage) -> QueryReply {
        match message {
            QueryMessage::Search(request) => {
                QueryReply::Found(SearchResponse { query: request.query, ..Default::default() })
            }
            QueryMessage::Lexicon(_) => QueryReply::Lexicon(Vec::new()),
            QueryMessage::Complete(_) => QueryReply::Completions(Vec::new()),
            QueryMessage::Page(_) => QueryReply::Page(None),
            QueryMessage::Size => QueryReply::Size(7),
        }
    }
}

/// Those who answer at the door.
fn staff(registry: &Registry, broker: Mailbox<BrokerMessage>) -> Mailbox<InterfaceMessage> {
    let (query, inbox) = mailbox(4);
    spawn_pool(registry, "query", 1, (&query, inbox), |_| Reader);
    let crawl = Crawl::Here(broker);
    let registry = registry.clone();
    crate::open(Desk {
        query,
        registry,
        crawl,
        crawl_patience: BROKER_PATIENCE,
        hunts: None,
        watches: None,
    })
    .0
}

/// A crawl with an open door, on a paused clock as in a replay: the door must not care.
fn with_crawl<T: Send + 'static>(dir: &Path, client: impl FnOnce() -> T + Send + 'static) -> T {
    let runtime = Clock::replay_runtime().unwrap();
    let dir = dir.to_owned();
    runtime.block_on(async move {
        let registry = Registry::default();
        let (broker, inbox) = mailbox(4);
        spawn_pool(&registry, "broker", 1, (&broker, inbox), |_| Broker::default());
        let door = listen(&dir, || staff(&registry, broker)).unwrap();
        let (told, done) = tokio::sync::oneshot::channel::<()>();
        let thread = std::thread::spawn(move || {
            let answer = client();
            drop(told);
            answer
        });
        assert!(done.await.is_err());
        drop(door);
        thread.join().unwrap()
    })
}

#[test]
fn every_request_has_its_answer() {
    let dir = TempDir::new().unwrap();
    let at = dir.path().to_owned();
    with_crawl(dir.path(), move || {
        let InterfaceReply::Status(Some(status)) = ask(&at, &InterfaceMessage::Status).unwrap()
        else {
            panic!("no status");
        };
        assert_eq!((status.broker.pages, status.agents), (30, 4), "with query and interface");
        assert_eq!((status.pages_per_second, status.broker.sites.blocked), (2.0, 3));

        let InterfaceReply::Agents(agents) = ask(&at, &InterfaceMessage::Agents).unwrap() else {
            panic!("no agents");
        };
        assert_eq!(
            (&agents[0]["name"], &agents[0]["state"]),
            (&"broker-1".into(), &"running".into())
        );

        let known = ask(&at, &InterfaceMessage::Url { url: KNOWN.into() }).unwrap();
        let InterfaceReply::Url(Some(known)) = known else { panic!("not known") };
        assert_eq!((known.url_id, known.record), (view().url_id, view().record));
        let unknown = ask(&at, &InterfaceMessage::Url { url: "https://other.example/".into() });
        assert!(matches!(unknown, Ok(InterfaceReply::Url(None))));

        let words = SearchRequest { query: "wolf".into(), ..SearchRequest::default() };
        let found = ask(&at, &InterfaceMessage::Search(words)).unwrap();
        assert!(matches!(found, InterfaceReply::Found(found) if found.query == "wolf"));
        assert!(matches!(ask(&at, &InterfaceMessage::Size), Ok(InterfaceReply::Size(7))));
        let words = InterfaceMessage::Lexicon { words: vec!["wolf".into()] };
        assert!(matches!(ask(&at, &words), Ok(InterfaceReply::Lexicon(_))));

        assert!(matches!(ask(&at, &InterfaceMessage::Stop), Ok(InterfaceReply::Stopping)));
        let InterfaceReply::Agents(agents) = ask(&at, &InterfaceMessage::Agents).unwrap() else {
            panic!("no agents");
        };
        assert_eq!(agents[0]["observed"], true, "the broker was told");
    });
}

#[test]
#[cfg(target_os = "linux")]
fn a_very_long_path_works_too() {
    let dir = TempDir::new().unwrap();
    let deep =
        (0..12).fold(dir.path().to_owned(), |path, n| path.join(format!("a-long-folder-name-{n}")));
    assert!(deep.as_os_str().len() > 200);
    std::fs::create_dir_all(&deep).unwrap();
    let at = deep.clone();
    with_crawl(&deep, move || {
        assert!(at.join(SOCKET_NAME).exists());
        assert!(matches!(ask(&at, &InterfaceMessage::Status), Ok(InterfaceReply::Status(_))));
    });
    assert!(!deep.join(SOCKET_NAME).exists());
    assert!(matches!(ask(&deep, &InterfaceMessage::Status), Err(ControlError::NotRunning)));
}

#[test]
fn without_a_crawl_nobody_answers() {
    let dir = TempDir::new().unwrap();
    let ask_at = |dir: &Path| ask(dir, &InterfaceMessage::Status);
    assert!(matches!(ask_at(dir.path()), Err(ControlError::NotRunning)));
    assert!(matches!(ask_at(&dir.path().join("missing")), Err(ControlError::NotRunning)));
    // What a killed crawl leaves behind: a socket without a listener.
    drop(UnixListener::bind(dir.path().join(SOCKET_NAME)).unwrap());
    assert!(matches!(ask_at(dir.path()), Err(ControlError::NotRunning)));
}

#[test]
fn a_stale_socket_is_replaced_and_ours_is_private_and_removed() {
    let dir = TempDir::new().unwrap();
    let socket = dir.path().join(SOCKET_NAME);
    drop(UnixListener::bind(&socket).unwrap());
    let (at, seen) = (dir.path().to_owned(), socket.clone());
    with_crawl(dir.path(), move || {
        assert!(ask(&at, &InterfaceMessage::Status).is_ok());
        let mode = std::fs::metadata(seen).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    });
    assert!(!socket.exists());
}

#[test]
fn a_file_in_the_way_is_not_removed() {
    let dir = TempDir::new().unwrap();
    let socket = dir.path().join(SOCKET_NAME);
    std::fs::write(&socket, "precious").unwrap();
    let refused = listen(dir.path(), || mailbox(1).0).err().unwrap();
    assert_eq!(refused.kind(), std::io::ErrorKind::AlreadyExists);
    assert_eq!(std::fs::read_to_string(&socket).unwrap(), "precious");
}

#[test]
fn a_socket_that_took_our_place_is_left_alone() {
    let dir = TempDir::new().unwrap();
    let socket = dir.path().join(SOCKET_NAME);
    let door = listen(dir.path(), || mailbox(1).0).unwrap();
    // Made before the old one goes, so that the two cannot share an inode.
    let other = UnixListener::bind(dir.path().join("other")).unwrap();
    std::fs::rename(dir.path().join("other"), &socket).unwrap();
    drop(door);
    assert!(socket.exists());
    drop(other);
}

/// Sends bytes as they are and returns the lines that come back.
fn raw(dir: &Path, bytes: &[u8]) -> Vec<String> {
    let mut stream = UnixStream::connect(dir.join(SOCKET_NAME)).unwrap();
    // The door may hang up before it has read everything.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(std::net::Shutdown::Write);
    BufReader::new(stream).lines().map_while(Result::ok).collect()
}

#[test]
fn nonsense_is_refused_with_a_hint() {
    let dir = TempDir::new().unwrap();
    let at = dir.path().to_owned();
    with_crawl(dir.path(), move || {
        for bad in
            [&b"\n"[..], b"{}\n", b"{\"ask\":\"dance\"}\n", b"\xff\xfe\n", b"{\"ask\":\"status\"}"]
        {
            let lines = raw(&at, bad);
            assert_eq!(lines.len(), 1, "{bad:?}");
            assert!(lines[0].starts_with("{\"refused\":{\"error\":"), "{}", lines[0]);
        }
        let two = raw(&at, b"{\"ask\":\"agents\"}\n{\"ask\":\"status\"}\n");
        assert!(
            two[0].starts_with("{\"agents\":[") && two[1].starts_with("{\"status\":{"),
            "{two:?}"
        );
    });
}

#[test]
fn an_endless_line_is_cut_off() {
    let dir = TempDir::new().unwrap();
    let at = dir.path().to_owned();
    with_crawl(dir.path(), move || {
        let mut stream = UnixStream::connect(at.join(SOCKET_NAME)).unwrap();
        stream.write_all(&vec![b'x'; MAX_REQUEST]).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.contains("too long"), "{answer}");
    });
}

#[test]
fn more_clients_than_slots_are_served_in_turn() {
    let dir = TempDir::new().unwrap();
    let at = dir.path().to_owned();
    with_crawl(dir.path(), move || {
        let clients: Vec<_> = (0..MAX_CONNECTIONS * 2)
            .map(|_| {
                let at = at.clone();
                std::thread::spawn(move || ask(&at, &InterfaceMessage::Status).is_ok())
            })
            .collect();
        assert!(clients.into_iter().all(|client| client.join().unwrap()));
    });
}

#[test]
fn a_broker_that_fails_is_an_error_and_not_the_end() {
    let dir = TempDir::new().unwrap();
    let at = dir.path().to_owned();
    with_crawl(dir.path(), move || {
        let failed = ask(&at, &InterfaceMessage::Url { url: "panic".into() });
        assert!(matches!(failed, Err(ControlError::Refused { .. })), "{failed:?}");
        assert!(ask(&at, &InterfaceMessage::Status).is_ok());
    });
}

#[test]
fn the_agents_of_the_door_answer_while_the_crawl_does_not() {
    let dir = TempDir::new().unwrap();
    let runtime = Clock::replay_runtime().unwrap();
    // The broker's inbox is kept and nobody reads it; its runtime never runs again.
    let (registry, (broker, _inbox)) = (Registry::default(), mailbox(1));
    let door = runtime.block_on(async { listen(dir.path(), || staff(&registry, broker)) }).unwrap();
    assert!(matches!(ask(dir.path(), &InterfaceMessage::Size), Ok(InterfaceReply::Size(7))));
    let InterfaceReply::Agents(agents) = ask(dir.path(), &InterfaceMessage::Agents).unwrap() else {
        panic!("no agents");
    };
    let communities: Vec<&str> = agents.iter().filter_map(|a| a["community"].as_str()).collect();
    assert_eq!(communities, ["query", "interface", "interface"]);
    drop(door);
}

#[test]
fn a_run_that_has_not_begun_has_no_rate() {
    let rate = |pages, seconds| {
        let broker = BrokerStatus { pages, seconds, ..BrokerStatus::default() };
        CrawlStatus::new(broker, 0, 0).pages_per_second
    };
    assert_eq!((rate(5, 0.0), rate(5, 2.0)), (0.0, 2.5));
}
