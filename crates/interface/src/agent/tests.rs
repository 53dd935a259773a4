use super::*;
use lycosa_model::message::{BrokerMessage, BrokerReply, QueryMessage, QueryReply};
use lycosa_model::{SearchRequest, SearchResponse};
use lycosa_runtime::{Envelope, Inbox, Registry};
use std::path::Path;

/// A desk whose query agent and broker are played by the test itself.
struct Stage {
    interface: Mailbox<InterfaceMessage>,
    agents: Vec<Handle>,
    registry: Registry,
    query: Inbox<QueryMessage>,
    broker: Inbox<BrokerMessage>,
}

fn stage() -> Stage {
    let registry = Registry::default();
    let (query, queries) = mailbox(8);
    let (broker, reports) = mailbox(8);
    let desk = Desk {
        query,
        registry: registry.clone(),
        crawl: Crawl::Here(broker),
        crawl_patience: Duration::from_secs(2),
        hunts: None,
        watches: None,
    };
    let (interface, agents) = open(desk);
    Stage { interface, agents, registry, query: queries, broker: reports }
}

impl Stage {
    /// Asks in a task of its own.
    fn ask(&self, message: InterfaceMessage) -> tokio::task::JoinHandle<InterfaceReply> {
        let interface = self.interface.clone();
        tokio::spawn(async move { super::ask(&interface, message, Duration::from_secs(20)).await })
    }

    /// The observable states of the pool, added up.
    fn seen(&self) -> (u64, u64, u64, u64) {
        let sum = |field: &str| {
            let views = self.registry.agents();
            views.iter().filter_map(|view| view.observed[field].as_u64()).sum()
        };
        (sum("requests"), sum("searches"), sum("failures"), sum("under_way"))
    }
}

fn search(words: &str) -> InterfaceMessage {
    InterfaceMessage::Search(SearchRequest { query: words.into(), ..SearchRequest::default() })
}

fn found(envelope: Envelope<QueryMessage>) {
    let (message, way_back) = envelope.open();
    let QueryMessage::Search(request) = message else { panic!("{message:?}") };
    way_back.send(QueryReply::Found(SearchResponse {
        query: request.query,
        ..SearchResponse::default()
    }));
}

fn why(reply: &InterfaceReply) -> Option<Unanswered> {
    match reply {
        InterfaceReply::Refused { why, .. } => Some(*why),
        _ => None,
    }
}

#[tokio::test(start_paused = true)]
async fn slow_searches_do_not_keep_anyone_from_asking_something_else() {
    let stage = stage();
    // More than there are agents, and nobody answers them yet.
    let slow: Vec<_> = (0..3 * AGENTS).map(|n| stage.ask(search(&n.to_string()))).collect();
    let status = stage.ask(InterfaceMessage::Status);
    let (message, way_back) = stage.broker.next().await.unwrap().open();
    assert!(matches!(message, BrokerMessage::Status));
    way_back.send(BrokerReply::Status(Box::default()));
    assert!(matches!(status.await.unwrap(), InterfaceReply::Status(Some(_))));
    for _ in &slow {
        found(stage.query.next().await.unwrap());
    }
    for (n, asked) in slow.into_iter().enumerate() {
        let reply = asked.await.unwrap();
        assert!(
            matches!(&reply, InterfaceReply::Found(found) if found.query == n.to_string()),
            "{reply:?}"
        );
    }
    let Stage { interface, agents, query, broker, registry } = stage;
    drop((interface, query, broker));
    for agent in agents {
        assert_eq!(agent.join().await, Exit::Finished);
    }
    let handled: u64 = registry.agents().iter().map(|view| view.handled).sum();
    assert_eq!(handled, 3 * AGENTS as u64 + 1);
}

#[tokio::test(start_paused = true)]
async fn the_state_tells_what_was_asked_and_how_it_went() {
    let stage = stage();
    let first = stage.ask(search("wolf"));
    let envelope = stage.query.next().await.unwrap();
    assert_eq!(stage.seen(), (0, 0, 0, 1), "under way");
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    found(envelope);
    first.await.unwrap();
    let broken = stage.ask(InterfaceMessage::Size);
    stage.query.next().await.unwrap().open().1.send(QueryReply::Broken("why".into()));
    assert_eq!(why(&broken.await.unwrap()), Some(Unanswered::Broken));
    tokio::task::yield_now().await;
    assert_eq!(stage.seen(), (2, 1, 1, 0));
    let views = stage.registry.agents();
    let last: f64 = views.iter().filter_map(|v| v.observed["last_search_ms"].as_f64()).sum();
    assert!((1_500.0..1_600.0).contains(&last), "{last}");
    assert!(views.iter().all(|view| view.community == "interface"));
}

#[tokio::test(start_paused = true)]
async fn a_question_is_put_to_a_second_query_agent_and_to_no_third() {
    let stage = stage();
    let asked = stage.ask(search("wolf"));
    drop(stage.query.next().await.unwrap().open());
    found(stage.query.next().await.unwrap());
    assert!(matches!(asked.await.unwrap(), InterfaceReply::Found(_)));
    let asked = stage.ask(InterfaceMessage::Lexicon { words: vec!["wolf".into()] });
    drop(stage.query.next().await.unwrap().open());
    drop(stage.query.next().await.unwrap().open());
    assert_eq!(why(&asked.await.unwrap()), Some(Unanswered::Failed));
}

#[tokio::test(start_paused = true)]
async fn patience_ends() {
    let stage = stage();
    for (message, seconds) in
        [(search("wolf"), 10), (InterfaceMessage::Size, 2), (InterfaceMessage::Status, 2)]
    {
        let began = tokio::time::Instant::now();
        let reply = stage.ask(message.clone()).await.unwrap();
        assert_eq!(why(&reply), Some(Unanswered::Slow), "{message:?}");
        assert_eq!(began.elapsed().as_secs(), seconds, "{message:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn more_conversations_than_there_is_room_for_wait_and_are_given_up() {
    let stage = stage();
    // Nobody reads the mailbox of the query agents, so every conversation lasts.
    let room = AGENTS * MAX_CONVERSATIONS;
    let asked: Vec<_> = (0..room + 10).map(|_| stage.ask(search("wolf"))).collect();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(stage.seen().3, room as u64);
    assert_eq!(stage.interface.len(), 10);
    for asked in asked {
        assert_eq!(why(&asked.await.unwrap()), Some(Unanswered::Slow));
    }
    assert_eq!(stage.interface.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_pool_that_has_left_or_has_no_time_is_told_from_one_that_answers() {
    let (gone, inbox) = mailbox(1);
    drop(inbox);
    let patience = Duration::from_secs(1);
    let reply = super::ask(&gone, InterfaceMessage::Size, patience).await;
    assert_eq!(why(&reply), Some(Unanswered::Gone));
    let (busy, _inbox) = mailbox(1);
    let reply = super::ask(&busy, InterfaceMessage::Size, patience).await;
    assert_eq!(why(&reply), Some(Unanswered::Slow));
}

#[tokio::test]
async fn without_a_crawl_there_is_a_status_but_nothing_to_stop() {
    let nowhere = Path::new("there-is-no-such-folder").to_owned();
    for crawl in [Crawl::None, Crawl::Folder(nowhere)] {
        let (query, _inbox) = mailbox(1);
        let crawl_patience = Duration::from_secs(2);
        let mut agent = Interface::new(Desk {
            query,
            registry: Registry::default(),
            crawl,
            crawl_patience,
            hunts: None,
            watches: None,
        });
        let status = agent.handle(InterfaceMessage::Status).await;
        assert!(matches!(status, InterfaceReply::Status(None)), "{status:?}");
        let agents = agent.handle(InterfaceMessage::Agents).await;
        assert!(matches!(agents, InterfaceReply::Agents(agents) if agents.is_empty()));
        assert_eq!(why(&agent.handle(InterfaceMessage::Stop).await), Some(Unanswered::NoCrawl));
        assert_eq!(agent.observe().failures, 1);
    }
}

#[test]
fn messages_travel_as_one_line_of_json() {
    for (message, line) in [
        (InterfaceMessage::Size, r#"{"ask":"size"}"#),
        (InterfaceMessage::Url { url: "u".into() }, r#"{"ask":"url","url":"u"}"#),
        (
            InterfaceMessage::Lexicon { words: vec!["a".into()] },
            r#"{"ask":"lexicon","words":["a"]}"#,
        ),
    ] {
        assert_eq!(serde_json::to_string(&message).unwrap(), line);
        assert_eq!(serde_json::from_str::<InterfaceMessage>(line).unwrap(), message);
    }
    let line = serde_json::to_string(&search("wolf")).unwrap();
    assert_eq!(serde_json::from_str::<InterfaceMessage>(&line).unwrap(), search("wolf"));
}
