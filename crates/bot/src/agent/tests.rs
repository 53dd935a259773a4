mod overlap;
mod rendering;

use super::*;
use bytes::Bytes;
use lycosa_model::message::{FilterReply, Finding, Opinion, Original, Report};
use lycosa_model::{
    ArchiveMark, BotId, FetchError, FetchKind, Headers, Lease, Outcome, Page, Previous, Tick, UrlId,
};
use lycosa_runtime::{Answer, Ask, Handle, Inbox, Registry, RestartLimit, mailbox, spawn};
use lycosa_store::archive::{Entry, Kind, Limits, Reader, WriterSettings, payload_digest};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;

mod manners;

/// Status, headers and body.
type Said = (u16, Vec<(&'static str, &'static str)>, &'static str);

/// What the bot is told to call itself.
const AGENT: &str = "lycosa-test";

/// A web of a few answers, by address. Who calls itself otherwise gets none.
#[derive(Default)]
struct Few(BTreeMap<&'static str, Said>);

impl Web for Few {
    fn get<'a>(
        &'a self,
        ask: Ask,
    ) -> Pin<Box<dyn Future<Output = Result<Answer, FetchError>> + Send + 'a>> {
        Box::pin(async move {
            if ask.headers.get("User-Agent") != Some(AGENT) {
                return Err(FetchError::Protocol);
            }
            let (status, lines, body) =
                self.0.get(ask.url.as_str()).cloned().ok_or(FetchError::Connect)?;
            let mut headers = Headers::default();
            for (name, value) in lines {
                headers.push(name, value);
            }
            let answer = Answer {
                status,
                version: "1.1",
                headers,
                body: Bytes::from_static(body.as_bytes()),
                ip: None,
                cut: false,
                took: Duration::from_millis(5),
                captured: true,
            };
            answer.within(&ask)
        })
    }
}

fn lease(url: &str, kind: FetchKind, previous: Option<Previous>) -> Lease {
    Lease {
        crawllet: None,
        url_id: UrlId::of(url),
        url: url.into(),
        kind,
        until: Tick(u64::MAX),
        last_down: None,
        previous,
    }
}

/// A body that the archive has from another address.
const KNOWN: &str = "words that were met before";

/// What the broker was told.
#[derive(Default)]
struct Told {
    reports: Vec<Report>,
    marks: Vec<ArchiveMark>,
}

fn welcome(name: &str, pid: u32) -> BrokerReply {
    BrokerReply::Welcome(Welcome {
        bot_id: BotId::of(name, pid),
        user_agent: AGENT.into(),
        wants_evidence: false,
        wants_languages: true,
        store_only_lang: None,
        now: Tick(0),
    })
}

fn give(leases: Vec<Lease>, finished: bool) -> BrokerReply {
    let (removed, copies) = (Vec::new(), Vec::new());
    BrokerReply::Leases { leases, ask_again_ms: 1, finished, removed, copies, removals: 0 }
}

/// What a bot of four places without archive and index works with.
fn tools(
    broker: Mailbox<BrokerMessage>,
    filter: Mailbox<FilterMessage>,
    web: Arc<dyn Web>,
) -> Tools {
    Tools {
        broker,
        filter,
        indexer: None,
        removals: None,
        web,
        renderer: None,
        crawllets: None,
        clock: Clock::start(Tick(0)),
        archive: None,
        settings: JobSettings::default(),
        concurrency: 4,
        name: "bot-1".into(),
        door: Door::Inside,
    }
}

/// A bot that lives once. It stops when the mailbox is dropped.
fn start(tools: Tools) -> (Handle, Mailbox<BotMessage>) {
    let (mailbox, inbox) = mailbox(1);
    let mut tools = Some(tools);
    let handle = spawn(
        &Registry::default(),
        "bot",
        "bot-1".into(),
        (&mailbox, inbox),
        RestartLimit { restarts: 0, period: Duration::from_secs(1) },
        move || Bot::new(tools.take().expect("built once")),
    );
    (handle, mailbox)
}

/// Plays the broker for one batch of leases.
async fn broker(inbox: Inbox<BrokerMessage>, leases: Vec<Lease>) -> Told {
    let mut told = Told::default();
    let mut leases = Some(leases);
    while let Some(envelope) = inbox.next().await {
        let (message, reply) = envelope.open();
        reply.send(match message {
            BrokerMessage::Authenticate { name, pid, .. } => welcome(&name, pid),
            BrokerMessage::GiveMe { .. } => {
                let leases = leases.take().unwrap_or_default();
                let finished = leases.is_empty();
                give(leases, finished)
            }
            BrokerMessage::Report { reports, marks, .. } => {
                let acks = reports.iter().map(|_| Ok(())).collect();
                told.reports.extend(reports);
                told.marks = marks;
                BrokerReply::Acks(acks)
            }
            BrokerMessage::Judge { findings, .. } => {
                let opinion = |finding: &Finding| {
                    let known = finding.payload_digest == Some(payload_digest(KNOWN.as_bytes()));
                    let original =
                        Original { url: "http://b.test/original".into(), fetched: Tick(5) };
                    Opinion { index: !known, revisit: known.then_some(original) }
                };
                BrokerReply::Opinions(findings.iter().map(opinion).collect())
            }
            BrokerMessage::Marks { .. } => BrokerReply::Marks(told.marks.clone()),
            BrokerMessage::May { urls, .. } => {
                BrokerReply::May(urls.iter().map(|url| !url.contains("/forbidden")).collect())
            }
            other => panic!("a bot does not say {other:?}"),
        });
    }
    told
}

async fn work(web: Few, leases: Vec<Lease>, writer: Option<Arc<Mutex<Writer>>>) -> Told {
    let read =
        |_: &Page| FilterReply::NotText { media_type: "text/test".into(), links: Vec::new() };
    work_with(Arc::new(web), None, read, leases, writer).await
}

async fn work_with(
    web: Arc<dyn Web>,
    renderer: Option<Arc<Renderer>>,
    read: impl Fn(&Page) -> FilterReply + Send + 'static,
    leases: Vec<Lease>,
    writer: Option<Arc<Mutex<Writer>>>,
) -> Told {
    let (broker_box, broker_inbox) = mailbox(8);
    let (filter, filter_inbox) = mailbox::<FilterMessage>(8);
    let filters = tokio::spawn(async move {
        while let Some(envelope) = filter_inbox.next().await {
            let (FilterMessage::Read(page, _), reply) = envelope.open();
            reply.send(read(&page));
        }
    });
    let tools = tools(broker_box, filter, web);
    let (handle, _mailbox) = start(Tools { renderer, archive: writer, ..tools });
    let told = tokio::spawn(broker(broker_inbox, leases));
    assert_eq!(handle.join().await, Exit::Finished);
    filters.abort();
    told.await.expect("the broker lives")
}

#[tokio::test]
async fn robots_txt_is_followed_through_redirects_and_its_text_reported() {
    let web = Few(BTreeMap::from([
        ("http://a.test/robots.txt", (301, vec![("Location", "https://b.test/robots.txt")], "")),
        ("https://b.test/robots.txt", (200, vec![], "User-agent: *\nDisallow: /x")),
    ]));
    let told =
        work(web, vec![lease("http://a.test/robots.txt", FetchKind::Robots, None)], None).await;
    assert_eq!(told.reports[0].outcome, Outcome::Fetched);
    assert!(told.reports[0].robots.as_deref().is_some_and(|text| text.contains("Disallow: /x")));
}

#[tokio::test]
async fn of_a_robots_txt_of_any_size_the_first_500_kib_count() {
    let rules = "User-agent: *\nDisallow: /first\n".to_owned();
    let large = rules + &"# rules and rules and rules\n".repeat(1_000_000) + "Disallow: /last\n";
    let web = Few(BTreeMap::from([("http://a.test/robots.txt", (200, vec![], &*large.leak()))]));
    let leases = vec![lease("http://a.test/robots.txt", FetchKind::Robots, None)];
    let told = work(web, leases, None).await;
    let report = &told.reports[0];
    assert_eq!(report.outcome, Outcome::Fetched);
    let text = report.robots.as_deref().unwrap_or_default();
    assert!(text.contains("Disallow: /first") && text.ends_with("and rules"), "whole lines");
    assert!((499 * 1024..500 * 1024).contains(&text.len()), "{}", text.len());
}

#[tokio::test]
async fn a_robots_txt_that_redirects_for_ever_ends_at_the_limit() {
    let location = vec![("Location", "/robots.txt?again")];
    let web = Few(BTreeMap::from([
        ("http://a.test/robots.txt", (302, location.clone(), "")),
        ("http://a.test/robots.txt?again", (302, location, "")),
    ]));
    let told =
        work(web, vec![lease("http://a.test/robots.txt", FetchKind::Robots, None)], None).await;
    assert_eq!(told.reports[0].outcome, Outcome::RedirectLimit);
}

#[tokio::test]
async fn a_redirect_is_reported_and_not_followed() {
    let web = Few(BTreeMap::from([
        ("http://a.test/", (302, vec![("Location", "/next#part")], "")),
        ("http://a.test/lost", (302, vec![], "")),
    ]));
    let leases = vec![
        lease("http://a.test/", FetchKind::Page, None),
        lease("http://a.test/lost", FetchKind::Page, None),
        lease("http://nobody.test/", FetchKind::Page, None),
    ];
    let told = work(web, leases, None).await;
    let by_url = |url: &str| {
        let report = told.reports.iter().find(|report| report.url_id == UrlId::of(url));
        report.unwrap_or_else(|| panic!("no report of {url}"))
    };
    assert_eq!(by_url("http://a.test/").links[0].url, "http://a.test/next");
    assert_eq!(by_url("http://a.test/lost").outcome, Outcome::OddStatus, "leads nowhere");
    assert_eq!(by_url("http://nobody.test/").outcome, Outcome::Failed(FetchError::Connect));
}

fn kinds(dir: &std::path::Path) -> Vec<Kind> {
    let mut kinds = Vec::new();
    let mut files: Vec<_> = std::fs::read_dir(dir)
        .expect("archive")
        .map(|file| file.expect("file").path())
        .filter(|path| path.extension().is_some_and(|end| end == "gz"))
        .collect();
    files.sort();
    for path in files {
        for entry in Reader::open(&path, Limits::default()).expect("open") {
            match entry.expect("read") {
                Entry::Record(record) => kinds.push(record.kind),
                Entry::Fault(fault) => panic!("{fault:?}"),
            }
        }
    }
    kinds
}

#[tokio::test]
async fn an_unchanged_page_becomes_a_revisit_record() {
    let dir = tempfile::tempdir().expect("temp dir");
    let writer = Writer::open(dir.path(), "bot-1", WriterSettings::default()).expect("writer");
    let web = Few(BTreeMap::from([
        ("http://a.test/304", (304, vec![], "")),
        ("http://a.test/same", (200, vec![], "as ever")),
        ("http://a.test/new", (200, vec![("ETag", "\"2\"")], "new words")),
    ]));
    let previous = |body: &str| {
        Some(Previous {
            payload_digest: Some(payload_digest(body.as_bytes())),
            fetched: Some(Tick(1)),
            archived: true,
            ..Previous::default()
        })
    };
    let leases = vec![
        lease("http://a.test/304", FetchKind::Page, previous("old")),
        lease("http://a.test/same", FetchKind::Page, previous("as ever")),
        lease("http://a.test/new", FetchKind::Page, previous("old words")),
    ];
    let told = work(web, leases, Some(Arc::new(Mutex::new(writer)))).await;
    let new = told.reports.iter().find(|report| report.etag.is_some()).expect("the new one");
    assert!(new.archived.is_some());
    assert_eq!(new.payload_digest, Some(payload_digest(b"new words")));
    let kinds = kinds(dir.path());
    let count = |kind: &Kind| kinds.iter().filter(|known| *known == kind).count();
    assert_eq!((count(&Kind::Revisit), count(&Kind::Response)), (2, 1));
}

#[tokio::test]
async fn a_bot_that_takes_over_removes_what_was_archived_and_never_reported() {
    let dir = tempfile::tempdir().expect("temp dir");
    let writer = Writer::open(dir.path(), "bot-1", WriterSettings::default()).expect("writer");
    let writer = Arc::new(Mutex::new(writer));
    let web = || Few(BTreeMap::from([("http://a.test/", (200, vec![], "words"))]));
    let leases = || vec![lease("http://a.test/", FetchKind::Page, None)];
    // The first bot's reports are lost: this broker knows no marks when the next one asks.
    work(web(), leases(), Some(Arc::clone(&writer))).await;
    {
        let mut writer = writer.lock().expect("lock");
        let fresh = Writer::open(dir.path(), "bot-1", WriterSettings::default()).expect("writer");
        *writer = fresh;
    }
    let appended = |writer: &Arc<Mutex<Writer>>| {
        let headers = Headers::default();
        let capture = lycosa_store::archive::Capture {
            url: "http://a.test/unreported",
            fetched: Tick(9),
            ip: None,
            request: b"",
            status: 200,
            version: "1.1",
            headers: &headers,
            body: b"words",
            truncated: None,
        };
        let ids = RecordIds { response: [1; 16], request: [2; 16] };
        let encoded = lycosa_store::archive::encode_capture(&capture, ids, 6);
        writer.lock().expect("lock").append(&encoded).expect("append");
    };
    appended(&writer);
    let before = kinds(dir.path()).len();
    work(web(), Vec::new(), Some(writer)).await;
    assert_eq!(kinds(dir.path()).len(), before - 2, "the record and its warcinfo are gone");
}

#[tokio::test]
async fn a_sitemap_is_read_and_its_entries_reported_dearest_first() {
    let set = "<urlset><url><loc>/a</loc></url><url><loc>/b</loc><priority>0.9</priority></url>";
    let index = "<sitemapindex><sitemap><loc>/set.xml</loc></sitemap></sitemapindex>";
    let web = Few(BTreeMap::from([
        ("http://a.test/set.xml", (200, vec![("Content-Type", "text/xml")], set)),
        ("http://a.test/index.xml", (200, vec![], index)),
        ("http://a.test/old.xml", (301, vec![("Location", "/set.xml")], "")),
        ("http://a.test/none.xml", (404, vec![], "<urlset><url><loc>/no</loc></url></urlset>")),
    ]));
    let names = ["set", "index", "old", "none"];
    let urls = names.map(|name| format!("http://a.test/{name}.xml"));
    let leases = urls.iter().map(|url| lease(url, FetchKind::Sitemap, None)).collect();
    let dir = tempfile::tempdir().expect("temp dir");
    let writer = Writer::open(dir.path(), "bot-1", WriterSettings::default()).expect("writer");
    let told = work(web, leases, Some(Arc::new(Mutex::new(writer)))).await;
    let by_url = |url: &str| {
        let report = told.reports.iter().find(|report| report.url_id == UrlId::of(url));
        let report = report.unwrap_or_else(|| panic!("no report of {url}"));
        let links: Vec<String> = report.links.iter().map(|link| link.url.clone()).collect();
        (report.outcome, links, report.sitemaps.clone())
    };
    let [set, index, old, none] = &urls;
    let named = vec!["http://a.test/b".to_owned(), "http://a.test/a".to_owned()];
    assert_eq!(by_url(set), (Outcome::Fetched, named, vec![]));
    assert_eq!(by_url(index), (Outcome::Fetched, vec![], vec![set.clone()]));
    assert_eq!(by_url(old), (Outcome::Redirect, vec![set.clone()], vec![]));
    assert_eq!(by_url(none), (Outcome::ClientError, vec![], vec![]));
    let responses = kinds(dir.path()).into_iter().filter(|kind| *kind == Kind::Response).count();
    assert_eq!(responses, 4, "all of it is in the archive");
}

#[tokio::test]
async fn a_body_that_the_archive_has_from_elsewhere_becomes_a_revisit_of_that() {
    let web = Few(BTreeMap::from([
        ("http://a.test/copy", (200, vec![], KNOWN)),
        ("http://a.test/new", (200, vec![], "other words")),
    ]));
    let leases = ["http://a.test/copy", "http://a.test/new"]
        .map(|url| lease(url, FetchKind::Page, None))
        .to_vec();
    let dir = tempfile::tempdir().expect("temp dir");
    let writer = Writer::open(dir.path(), "bot-1", WriterSettings::default()).expect("writer");
    let told = work(web, leases, Some(Arc::new(Mutex::new(writer)))).await;
    let report = |url: &str| {
        let report = told.reports.iter().find(|report| report.url_id == UrlId::of(url));
        report.unwrap_or_else(|| panic!("no report of {url}"))
    };
    assert_eq!(report("http://a.test/copy").archived, None, "its body is elsewhere");
    assert_eq!(report("http://a.test/copy").payload_digest, Some(payload_digest(KNOWN.as_bytes())));
    assert!(report("http://a.test/new").archived.is_some());
    let file = std::fs::read_dir(dir.path())
        .expect("archive")
        .map(|file| file.expect("file").path())
        .find(|path| path.extension().is_some_and(|end| end == "gz"))
        .expect("a file");
    let revisit = Reader::open(&file, Limits::default())
        .expect("open")
        .find_map(|entry| match entry.expect("read") {
            Entry::Record(record) if record.kind == Kind::Revisit => Some(record),
            _ => None,
        })
        .expect("a revisit");
    assert_eq!(revisit.target_uri.as_deref(), Some("http://a.test/copy"));
    assert_eq!(revisit.headers.get("WARC-Refers-To-Target-URI"), Some("http://b.test/original"));
}

#[tokio::test]
async fn a_probe_is_answered_and_leaves_no_trace_in_the_archive() {
    let web = Few(BTreeMap::from([("http://a.test/nothing", (200, vec![], "sorry"))]));
    let dir = tempfile::tempdir().expect("temp dir");
    let writer = Writer::open(dir.path(), "bot-1", WriterSettings::default()).expect("writer");
    let leases = vec![lease("http://a.test/nothing", FetchKind::Probe, None)];
    let told = work(web, leases, Some(Arc::new(Mutex::new(writer)))).await;
    assert_eq!((told.reports[0].kind, told.reports[0].status), (FetchKind::Probe, 200));
    assert_eq!(kinds(dir.path()).iter().filter(|kind| **kind == Kind::Response).count(), 0);
}
