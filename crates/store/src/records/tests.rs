use super::*;
use lycosa_model::{Door, FetchKind, Origin, Tick};

fn record(url: &str) -> UrlRecord {
    UrlRecord { queued: Some(7), run: 1, ..UrlRecord::new(url.into(), Origin::Seed, Tick(1)) }
}

fn queued(id: UrlId) -> Queued {
    Queued {
        url_id: id,
        parent_relevance: 0.5,
        wanted_language: true,
        seed: false,
        not_before: Tick(0),
    }
}

#[test]
fn everything_written_together_is_read_back_after_reopening() {
    let dir = tempfile::tempdir().expect("temp dir");
    let id = UrlId::of("http://a.test/");
    let bot_id = BotId::of("bot", 1);
    let url = url::Url::parse("http://a.test/").expect("url");
    let site = Site::of(&url).expect("site");
    let bot = BotRecord {
        name: "bot".into(),
        door: Door::Inside,
        dinit: Tick(1),
        dlast: Tick(2),
        requests: 3,
        reported: 4,
        expired: 0,
        kissed: None,
    };
    let held = Held { bot: bot_id, until: Tick(9), kind: FetchKind::Page, score: 0.25 };
    let run = Run { number: 1, pages: 5, ..Run::default() };
    let mark = ArchiveMark { file: "a.warc.gz".into(), end: 42 };
    {
        let records = Records::open(dir.path()).expect("open");
        let mut change = records.change();
        change.put_url(id, &record("http://a.test/"));
        change.put_outlinks(id, &[id]);
        change.put_site(&site, &SiteRecord { pages: 3, ..SiteRecord::default() });
        change.put_bot(bot_id, &bot);
        change.put_lease(id, &held);
        change.enqueue(7, &queued(id));
        change.put_mark(&mark);
        change.put_run(&run);
        change.commit().expect("commit");
    }
    let records = Records::open(dir.path()).expect("reopen");
    assert_eq!(records.url(id).expect("read"), Some(record("http://a.test/")));
    assert_eq!(records.urls().count(), 1);
    assert_eq!(records.outlinks(id).expect("read"), [id]);
    assert_eq!(records.site(&site).expect("read").expect("site").pages, 3);
    assert_eq!(records.bot(bot_id).expect("read"), Some(bot));
    assert_eq!(records.leases().next().expect("one").expect("read"), (id, held));
    assert_eq!(records.frontier().next().expect("one").expect("read"), (7, queued(id)));
    assert_eq!(records.mark("a.warc.gz").expect("read"), Some(42));
    assert_eq!(records.marks().expect("read"), [mark]);
    assert_eq!(records.run().expect("read"), Some(run));
}

#[test]
fn the_sitemaps_of_a_site_are_found_by_site_and_all_together() {
    let dir = tempfile::tempdir().expect("temp dir");
    let records = Records::open(dir.path()).expect("open");
    let site = |url: &str| Site::of(&url::Url::parse(url).expect("url")).expect("site");
    let (one, two) = (site("http://a.test:8080/"), site("https://b.test/"));
    let sitemap = SitemapRecord {
        url: "http://a.test:8080/map.xml".into(),
        nesting: 1,
        failures: 2,
        not_before: Tick(3),
        done: Some(Tick(4)),
    };
    let sitemaps = Sitemaps { run: 7, list: vec![sitemap] };
    let mut change = records.change();
    change.put_sitemaps(&two, &Sitemaps::default());
    change.put_sitemaps(&one, &sitemaps);
    change.commit().expect("commit");
    assert_eq!(records.sitemaps(&one).expect("read").as_ref(), Some(&sitemaps));
    let all: Vec<_> = records.all_sitemaps().map(|row| row.expect("read")).collect();
    assert_eq!(all, [(one, sitemaps), (two, Sitemaps::default())]);
}

#[test]
fn a_change_that_is_not_committed_never_happened() {
    let dir = tempfile::tempdir().expect("temp dir");
    let records = Records::open(dir.path()).expect("open");
    let id = UrlId::of("http://a.test/");
    let mut change = records.change();
    change.put_url(id, &record("http://a.test/"));
    change.enqueue(1, &queued(id));
    drop(change);
    assert_eq!(records.url(id).expect("read"), None);
    assert_eq!(records.frontier().count(), 0);
}

#[test]
fn the_frontier_comes_back_in_the_order_it_was_queued() {
    let dir = tempfile::tempdir().expect("temp dir");
    let records = Records::open(dir.path()).expect("open");
    let mut change = records.change();
    for place in [300, 2, 70_000] {
        change.enqueue(place, &queued(UrlId::of(&place.to_string())));
    }
    change.dequeue(300);
    change.commit().expect("commit");
    let places: Vec<u64> = records.frontier().map(|row| row.expect("read").0).collect();
    assert_eq!(places, [2, 70_000]);
}

#[test]
fn a_store_of_another_layout_is_refused() {
    let dir = tempfile::tempdir().expect("temp dir");
    let records = Records::open(dir.path()).expect("open");
    let mut change = records.change();
    change.put_layout(99);
    change.commit().expect("commit");
    drop(records);
    let error = Records::open(dir.path()).err().expect("refused");
    assert!(matches!(error, StoreError::Layout { found: 99, .. }));
}
