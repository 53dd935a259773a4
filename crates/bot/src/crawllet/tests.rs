//! Records as crawllets send them, and what is answered from them.

use super::audit::sha256;
use super::*;
use lycosa_crawllet::record::{Kind, LinkOut, Source};
use lycosa_model::FetchError;
use std::future::Future;
use std::path::Path;
use std::pin::Pin;

/// A page.
pub(crate) fn record(path: &str, status: u16, body: &[u8]) -> Record {
    Record {
        path: path.into(),
        status,
        kind: Kind::Page,
        headers: Vec::new(),
        body: body.to_vec(),
        sha256: sha256(body),
        out_links: Vec::new(),
        in_links: Vec::new(),
        source: Source::Http,
        seq: 0,
        tag: [0; 8],
    }
}

/// The same, with links within its site.
pub(crate) fn links(record: Record, paths: &[&str]) -> Record {
    let link = |path: &&str| LinkOut { url: (*path).into(), anchor: String::new() };
    Record { in_links: paths.iter().map(link).collect(), ..record }
}

/// Carries nothing.
struct Nobody;

impl Courier for Nobody {
    fn post<'a>(
        &'a self,
        _: Letter,
    ) -> Pin<Box<dyn Future<Output = Result<Reply, FetchError>> + Send + 'a>> {
        Box::pin(async { Err(FetchError::Connect) })
    }
}

fn crawllets(folder: &Path, now: Tick) -> Crawllets {
    let program = Program { name: "pages".into(), wasm: Arc::default(), params: Vec::new() };
    let settings = CrawlletSettings {
        keys: EngineKeys::generate("engine.test", [1; 32]).expect("keys"),
        program: program.clone(),
        again: program,
        wanted: Limits::default(),
        compress: true,
        sign: false,
        audit_share: None,
        folder: folder.to_owned(),
        archive: None,
        max_spool: 1 << 20,
        max_spools: 1 << 20,
        silence: Duration::from_secs(1),
        max_parts: 1,
    };
    Crawllets::open(settings, Arc::new(Nobody), now)
}

#[test]
fn a_harvest_answers_each_lease_once_and_outlives_its_process_by_an_hour() {
    let dir = tempfile::tempdir().expect("temp dir");
    let site = Site::of_usual("http://a.test");
    let first = crawllets(dir.path(), Tick(0));
    let mut spool = first.begin(&site).expect("begin");
    for path in ["/", "/b", "/c"] {
        spool.append(&record(path, 200, path.as_bytes())).expect("append");
    }
    assert!(first.answer("http://a.test/", false, Tick(0)).is_none(), "not before the audit");
    first.keep(&site, spool, Tick(0)).expect("kept");
    let body = |all: &Crawllets, url: &str, now| all.answer(url, false, now).map(|it| it.body);
    assert_eq!(body(&first, "http://a.test/#x", Tick(1)).as_deref(), Some(&b"/"[..]));
    assert_eq!(body(&first, "http://a.test/", Tick(1)), None, "used");
    assert_eq!(body(&first, "http://b.test/", Tick(1)), None, "another site");
    assert!(first.gate("http://a.test/x", Tick(1)).is_some());
    assert!(first.gate("http://b.test/x", Tick(1)).is_none());
    // As after a kill.
    drop(first);
    let second = crawllets(dir.path(), Tick(2));
    assert_eq!(body(&second, "http://a.test/b", Tick(3)).as_deref(), Some(&b"/b"[..]));
    let late = Tick(0).after(spool::FRESH);
    assert_eq!(body(&second, "http://a.test/c", late), None, "too old");
    assert_eq!(
        second.seen(&site, &DecodeLimit::default()).len(),
        3,
        "what was there is known to the next"
    );
    let third = crawllets(dir.path(), late);
    assert_eq!(body(&third, "http://a.test/c", Tick(4)), None);
}

#[test]
fn a_site_that_is_distrusted_leaves_nothing_behind() {
    let dir = tempfile::tempdir().expect("temp dir");
    let site = Site::of_usual("http://a.test");
    let all = crawllets(dir.path(), Tick(0));
    let mut spool = all.begin(&site).expect("begin");
    spool.append(&record("/", 200, b"front")).expect("append");
    all.keep(&site, spool, Tick(0)).expect("kept");
    all.forget(&site);
    assert!(all.answer("http://a.test/", false, Tick(0)).is_none());
    assert_eq!(std::fs::read_dir(dir.path()).expect("a folder").count(), 0);
}
