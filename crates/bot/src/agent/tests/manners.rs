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
                welcome(&name, pid)
            }
            BrokerMessage::GiveMe { .. } if times > 0 => {
                times -= 1;
                BrokerReply::Refused(Refusal::Kissed)
            }
            BrokerMessage::GiveMe { .. } => give(Vec::new(), true),
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
        let tools = tools(broker_box, filter, Arc::new(Few::default()));
        let (handle, _mailbox) = start(Tools { door: Door::Http, ..tools });
        let told = tokio::spawn(retiring(broker_inbox, times));
        assert_eq!(handle.join().await, exit);
        assert_eq!(told.await.expect("the broker lives"), hellos);
    }
}
