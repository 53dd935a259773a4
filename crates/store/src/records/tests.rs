use super::*;
use lycosa_model::{Door, FetchKind, Origin, Rank, Spot, Tick};

fn record(url: &str) -> UrlRecord {
    UrlRecord { queued: Some(spot(7)), run: 1, ..UrlRecord::new(url.into(), Origin::Seed, Tick(1)) }
}

fn spot(place: u64) -> Spot {
    Spot { rank: Rank::new(true, 3), place }
}

fn entry(place: u64, id: UrlId) -> Entry {
    let queued =
        Queued { url_id: id, depth: 3, parent_relevance: 0.5, wanted_language: true, seed: false };
    Entry { spot: spot(place), queued }
}

fn bundle(place: u64, id: UrlId) -> Bundle {
    let mut bundle = Bundle::again(&entry(place, id).queued);
    bundle.put(place, id, "");
    bundle
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
    let held = Held {
        bot: bot_id,
        until: Tick(9),
        kind: FetchKind::Page,
        score: 0.25,
        entry: Some(entry(3, id)),
    };
    let run = Run { number: 1, pages: 5, ..Run::default() };
    let mark = ArchiveMark { file: "a.warc.gz".into(), end: 42 };
    {
        let records = Records::open(dir.path()).expect("open");
        let mut change = records.change();
        change.put_url(id, &record("http://a.test/"));
        change.put_outlinks(300, &[u64::MAX, id.fingerprint()]);
        change.put_site(&site, &SiteRecord { pages: 3, ..SiteRecord::default() });
        change.put_bot(bot_id, &bot);
        change.put_lease(id, &held);
        change.put_bundle(1, 5, spot(7), &bundle(7, id));
        change.put_line(&site, &Line { number: 5, run: 1, waiting: 1, first: None });
        change.postpone(1, Tick(8), &entry(9, id));
        change.put_robots(&site, "User-agent: *");
        change.put_root(1, 0, &Root::Seed("http://a.test/".into()));
        change.put_mark(&mark);
        change.put_run(&run);
        change.commit().expect("commit");
    }
    let records = Records::open(dir.path()).expect("reopen");
    assert_eq!(records.url(id).expect("read"), Some(record("http://a.test/")));
    assert_eq!(records.urls().count(), 1);
    assert_eq!(records.outlinks(300).expect("read"), [u64::MAX, id.fingerprint()]);
    assert!(records.outlinks(1).expect("read").is_empty());
    assert_eq!(records.url_of(id.fingerprint()).expect("read"), Some(record("http://a.test/")));
    assert_eq!(records.url_of(id.fingerprint() + 1).expect("read"), None);
    assert_eq!(records.site(&site).expect("read").expect("site").pages, 3);
    assert_eq!(records.bot(bot_id).expect("read"), Some(bot));
    assert_eq!(records.leases().next().expect("one").expect("read"), (id, held));
    let waiting = records.waiting(1, 5, None).next().expect("one").expect("read");
    assert_eq!(waiting, (spot(7), id));
    assert_eq!(records.bundle(1, 5, spot(7)).expect("read"), Some(bundle(7, id)));
    let line = Line { number: 5, run: 1, waiting: 1, first: None };
    assert_eq!(records.line(&site).expect("read"), Some(line));
    assert_eq!(records.lines().next().expect("one").expect("read"), (site.clone(), line));
    let postponed = records.agenda(1, None).next().expect("one").expect("read");
    assert_eq!(postponed, (Tick(8), entry(9, id)));
    assert_eq!(records.robots(&site).expect("read").as_deref(), Some("User-agent: *"));
    assert_eq!(records.roots(1).expect("read"), [Root::Seed("http://a.test/".into())]);
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
    change.put_bundle(1, 1, spot(1), &bundle(1, id));
    drop(change);
    assert_eq!(records.url(id).expect("read"), None);
    assert_eq!(records.frontier(1).count(), 0);
}

#[test]
fn a_change_leaves_no_full_table_to_the_engine() {
    use fjall::AbstractTree;
    let dir = tempfile::tempdir().expect("temp dir");
    let records = Records::open(dir.path()).expect("open");
    let bytes = || records.outlinks.tree.active_memtable().size();
    let targets = vec![7; 40_000];
    let (mut written, mut number) = (0, 0_u64);
    while written < 2 * TABLE_BYTES {
        let mut change = records.change();
        change.put_outlinks(number, &targets);
        change.commit().expect("commit");
        assert!(bytes() <= TABLE_BYTES, "{} bytes after change {number}", bytes());
        written += (targets.len() * 8) as u64;
        number += 1;
    }
    drop(records);
    let records = Records::open(dir.path()).expect("reopen");
    for number in 0..number {
        assert_eq!(records.outlinks(number).expect("read").len(), targets.len());
    }
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
