//! Does the bot keep to what pages and brokers ask of it?

use super::*;

#[tokio::test]
async fn a_page_that_wants_no_copy_is_reported_and_not_archived() {
    let dir = tempfile::tempdir().expect("temp dir");
    let writer = Writer::open(dir.path(), "bot-1", WriterSettings::default()).expect("writer");
    let tag = |value| vec![("X-Robots-Tag", value)];
    let web = Few(BTreeMap::from([
        ("http://a.test/all", (200, tag("noarchive"), "no copy")),
        ("http://a.test/us", (200, tag("lycosa: noarchive"), "no copy for us")),
        ("http://a.test/others", (200, tag("otherbot: noarchive"), "a copy for us")),
        ("http://a.test/index", (200, tag("noindex"), "a copy, not indexed")),
    ]));
    let urls = ["all", "us", "others", "index"].map(|name| format!("http://a.test/{name}"));
    let leases = urls.iter().map(|url| lease(url, FetchKind::Page, None)).collect();
    let told = work(web, leases, Some(Arc::new(Mutex::new(writer)))).await;
    let archived = |url: &str| {
        let report = told.reports.iter().find(|report| report.url_id == UrlId::of(url));
        let report = report.unwrap_or_else(|| panic!("no report of {url}"));
        assert_eq!(report.outcome, Outcome::Fetched, "{url}");
        report.archived.is_some()
    };
    assert_eq!(urls.map(|url| archived(&url)), [false, false, true, true]);
    let responses = kinds(dir.path()).into_iter().filter(|kind| *kind == Kind::Response).count();
    assert_eq!(responses, 2);
}

#[tokio::test]
async fn a_report_tells_the_media_type() {
    let html = vec![("Content-Type", "text/HTML; charset=utf-8")];
    let web = Few(BTreeMap::from([("http://a.test/", (200, html, "words"))]));
    let told = work(web, vec![lease("http://a.test/", FetchKind::Page, None)], None).await;
    assert_eq!(told.reports[0].media.as_deref(), Some("text/html"));
    assert_eq!(told.reports[0].address, None, "this web has no addresses");
}

/// Plays a broker that retires the bot as often as it is told to, and then has nothing to do.
async fn retiring(inbox: Inbox<BrokerMessage>, mut times: u32) -> u32 {
    let mut hellos = 0;
    while let Some(envelope) = inbox.next().await {
        let (message, reply) = envelope.open();
        reply.send(match message {
            BrokerMessage::Authenticate { name, pid, .. } => {
                hellos += 1;
                BrokerReply::Welcome(Welcome {
                    bot_id: BotId::of(&name, pid),
                    user_agent: AGENT.into(),
                    wants_evidence: false,
                    wants_languages: false,
                    store_only_lang: None,
                    now: Tick(0),
                })
            }
            BrokerMessage::GiveMe { .. } if times > 0 => {
                times -= 1;
                BrokerReply::Refused(Refusal::Kissed)
            }
            BrokerMessage::GiveMe { .. } => BrokerReply::Leases {
                leases: Vec::new(),
                ask_again_ms: 1,
                finished: true,
                removed: Vec::new(),
                removals: 0,
            },
            other => panic!("a bot does not say {other:?}"),
        });
    }
    hellos
}

#[tokio::test(start_paused = true)]
async fn a_bot_that_was_retired_comes_back_but_not_for_ever() {
    for (times, hellos, exit) in [
        (2, 3, Exit::Finished),
        (99, MAX_RETURNS + 1, Exit::Failed(Refusal::Kissed.explain().into())),
    ] {
        let (broker_box, broker_inbox) = mailbox(8);
        let (filter, _filters) = mailbox::<FilterMessage>(8);
        let mut tools = Some(Tools {
            broker: broker_box,
            filter,
            indexer: None,
            removals: None,
            web: Arc::new(Few::default()),
            renderer: None,
            clock: Clock::start(Tick(0)),
            archive: None,
            settings: JobSettings::default(),
            concurrency: 4,
            name: "bot-1".into(),
            door: Door::Http,
        });
        let (mailbox, inbox) = mailbox(1);
        let handle = spawn(
            &Registry::default(),
            "bot",
            "bot-1".into(),
            (&mailbox, inbox),
            RestartLimit { restarts: 0, period: Duration::from_secs(1) },
            move || Bot::new(tools.take().expect("built once")),
        );
        let told = tokio::spawn(retiring(broker_inbox, times));
        assert_eq!(handle.join().await, exit);
        assert_eq!(told.await.expect("the broker lives"), hellos);
    }
}
