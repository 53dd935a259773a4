//! Does a crawl with crawllets end with the pages of one without, whatever the site does?

use super::super::last_moment;
use super::fake_host::{FakeSite, Hand, Manner, REVISITS};
use crate::commands::crawl::{Job, Summary, crawl_web};
use crate::config::{Config, CrawlletMode};
use crate::interrupt::Interrupt;
use crate::units::Span;
use lycosa_bot::crawllet::{CrawlletSettings, Crawllets, Program};
use lycosa_crawllet::identity::EngineKeys;
use lycosa_model::{CrawlletRecord, CrawlletStatus, Outcome, Site, Tick};
use lycosa_runtime::{Clock, Web};
use lycosa_store::folder::DataFolder;
use lycosa_store::records::Records;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Enough for an audit to be a sample.
const PAGES: usize = 200;

fn config() -> Config {
    let mut config = Config::default();
    // On one thread, with a clock of its own: pauses take no time.
    config.crawl.synthetic = Some("100".parse().expect("a web"));
    config.crawl.delay = Span(Duration::from_secs(1));
    config
}

/// What bots need to send crawllets to this site; chance begins with this number.
fn crawllets(site: &Arc<FakeSite>, folder: &Path, seed: u64, now: Tick) -> Arc<Crawllets> {
    let program = |name: &str, end: &[u8]| {
        let wasm = [&b"\0asm"[..], b"CLP1-MAC-KEY-SLOT", &[0; 32], end].concat();
        Program { name: name.into(), wasm: wasm.into(), params: Vec::new() }
    };
    let settings = CrawlletSettings {
        keys: EngineKeys::generate("engine.test", [1; 32]).expect("keys"),
        program: program("pages", b"rest"),
        again: program("changed", REVISITS),
        wanted: Config::default().crawllets.wanted(),
        compress: true,
        sign: true,
        audit_share: None,
        folder: folder.join(lycosa_bot::crawllet::FOLDER),
        archive: Some(folder.join("archive")),
        max_spool: 1 << 30,
        max_spools: 1 << 30,
        silence: Duration::from_secs(30),
        max_parts: 64,
    };
    let count = AtomicU64::new(seed * 1_000);
    let chance = move || {
        let mut bytes = [0; 32];
        let n = count.fetch_add(1, Ordering::SeqCst);
        bytes[..8].copy_from_slice(&n.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_le_bytes());
        bytes[8..16].copy_from_slice(&n.to_le_bytes());
        Some(bytes)
    };
    let hand = Arc::new(Hand(Arc::clone(site)));
    Arc::new(Crawllets::with_chance(settings, hand, now, Box::new(chance)))
}

/// How a crawl ended.
struct Ended {
    summary: Summary,
    /// The digest of each page that was fetched, and of each that was as before.
    pages: BTreeMap<String, String>,
    unchanged: BTreeMap<String, String>,
    outcomes: BTreeMap<String, Outcome>,
    record: Option<CrawlletRecord>,
}

impl Ended {
    fn crawllets(&self) -> &CrawlletStatus {
        self.summary.crawllets.as_ref().expect("crawllets were on")
    }
}

fn crawl(
    dir: &Path,
    site: &Arc<FakeSite>,
    seed: Option<u64>,
    change: impl FnOnce(&mut Job),
) -> Ended {
    let summary = crawl_until(dir, site, seed, change, None).expect("it ends");
    let folder = DataFolder::lock(dir).expect("a folder");
    let records = Records::open(&folder.broker()).expect("a store");
    let (mut pages, mut unchanged) = (BTreeMap::new(), BTreeMap::new());
    let mut outcomes = BTreeMap::new();
    for row in records.urls() {
        let (_, url) = row.expect("a row");
        let digest = url.previous.payload_digest.unwrap_or_default();
        match url.outcome {
            Some(Outcome::Fetched) => drop(pages.insert(url.url.clone(), digest)),
            Some(Outcome::NotModified) => drop(unchanged.insert(url.url.clone(), digest)),
            _ => {}
        }
        outcomes.extend(url.outcome.map(|outcome| (url.url, outcome)));
    }
    let record = records.crawllet(&Site::of_usual("http://site.test")).expect("store");
    Ended { summary, pages, unchanged, outcomes, record }
}

/// Crawls, unless the plug is pulled: then everything stops where it stands.
fn crawl_until(
    dir: &Path,
    site: &Arc<FakeSite>,
    seed: Option<u64>,
    change: impl FnOnce(&mut Job),
    plug: Option<&dyn Fn() -> bool>,
) -> Option<Summary> {
    let runtime = Clock::replay_runtime().expect("a runtime");
    runtime.block_on(async {
        let folder = DataFolder::lock(dir).expect("a folder");
        let now = last_moment(&Records::open(&folder.broker()).expect("a store")).expect("store");
        let web: Arc<dyn Web> = Arc::clone(site) as Arc<dyn Web>;
        let mut job = Job {
            seeds: vec!["http://site.test/".into()],
            quiet: true,
            crawllets: seed.map(|seed| crawllets(site, dir, seed, now)),
            ..Job::new(config(), dir.to_owned())
        };
        change(&mut job);
        let interrupt = Interrupt::watch().expect("signals");
        let pulled = async {
            let Some(plug) = plug else { return std::future::pending().await };
            // Looked at between any two steps of the crawl, for which the clock goes on a little.
            while !plug() {
                tokio::time::advance(Duration::from_millis(1)).await;
            }
        };
        tokio::select! {
            summary = crawl_web(job, &folder, web, &interrupt) => Some(summary.expect("a crawl")),
            () = pulled => None,
        }
    })
}

/// The pages of the site, as a crawl without crawllets has them.
fn conventional() -> &'static BTreeMap<String, String> {
    static PLAIN: OnceLock<BTreeMap<String, String>> = OnceLock::new();
    PLAIN.get_or_init(|| {
        let dir = tempfile::tempdir().expect("temp dir");
        let site = Arc::new(FakeSite::new(PAGES, Manner::Honest));
        let pages = crawl(dir.path(), &site, None, |_| {}).pages;
        assert_eq!((pages.len(), asked(&site)), (PAGES, PAGES));
        pages
    })
}

/// Crawls with crawllets and checks that nothing is lost or different.
fn crawled(manner: Manner, seed: u64) -> (Ended, Arc<FakeSite>) {
    let dir = tempfile::tempdir().expect("temp dir");
    let site = Arc::new(FakeSite::new(PAGES, manner));
    let ended = crawl(dir.path(), &site, Some(seed), |_| {});
    assert_eq!(&ended.pages, conventional(), "{manner:?}");
    assert_eq!(ended.summary.indexed, PAGES as u64, "{manner:?}");
    (ended, site)
}

/// Pages that were asked for in the ordinary way.
fn asked(site: &FakeSite) -> usize {
    let asked = site.asked.lock().expect("whole");
    asked.keys().filter(|path| *path == "/" || path.starts_with("/page/")).count()
}

#[test]
fn an_honest_site_is_crawled_by_one_crawllet_and_some_pages_are_looked_at() {
    let (ended, site) = crawled(Manner::Honest, 1);
    let told = ended.crawllets();
    assert_eq!((told.sites, told.records, told.answered), (1, PAGES as u64, PAGES as u64));
    assert_eq!(site.jobs.load(Ordering::SeqCst), 1);
    assert_eq!(asked(&site), 30, "the audit");
    let record = ended.record.expect("on record");
    assert_eq!((record.trust.clean_jobs, record.trust.clean_pages), (1, 30));
    assert_eq!(record.last.expect("one").reason, "done");
    assert!(record.pinned.is_some() && record.weights["/page/"].pages > 100);
    assert!(ended.summary.seconds < 60.0, "{} s", ended.summary.seconds);
}

#[test]
fn a_site_that_alters_one_page_in_ten_is_distrusted_as_often_as_the_formula_says() {
    let mut caught = 0;
    for seed in 0..12 {
        let (ended, site) = crawled_liar(seed);
        if ended.record.as_ref().is_some_and(|record| record.trust.distrusted.is_some()) {
            caught += 1;
            assert_eq!(&ended.pages, conventional(), "nothing of it was used");
            assert_eq!(ended.crawllets().answered, 0);
            assert_eq!(asked(&site), PAGES, "crawled as always");
        }
    }
    // 30 of 200 find one in ten with 96 %: of 12, ten or more are caught with 99 %.
    assert!(caught >= 10, "{caught} of 12");
}

fn crawled_liar(seed: u64) -> (Ended, Arc<FakeSite>) {
    let dir = tempfile::tempdir().expect("temp dir");
    let site = Arc::new(FakeSite::new(PAGES, Manner::Lying(seed)));
    (crawl(dir.path(), &site, Some(seed), |_| {}), site)
}

#[test]
fn a_lively_site_is_not_taken_for_a_liar() {
    for seed in 0..4 {
        let dir = tempfile::tempdir().expect("temp dir");
        let site = Arc::new(FakeSite::new(PAGES, Manner::Lively));
        let ended = crawl(dir.path(), &site, Some(seed), |_| {});
        assert_eq!(ended.pages.len(), PAGES);
        let record = ended.record.expect("on record");
        assert_eq!(record.trust.distrusted, None, "{:?}", record.last);
        assert_eq!(ended.summary.crawllets.expect("on").answered, PAGES as u64);
    }
}

#[test]
fn a_grant_that_is_too_small_is_followed_by_others() {
    let (ended, site) = crawled(Manner::Small(40), 2);
    let last = ended.record.expect("on record").last.expect("one");
    assert!(last.parts >= 5, "{last:?}");
    assert_eq!((last.reason.as_str(), last.records), ("done", PAGES as u64));
    assert_eq!(site.jobs.load(Ordering::SeqCst), u64::from(last.parts));
    assert_eq!(asked(&site), 30);
}

#[test]
fn where_fuel_runs_out_without_a_word_the_next_one_begins_with_what_was_linked_to() {
    let (ended, site) = crawled(Manner::Starving(45), 3);
    let last = ended.record.expect("on record").last.expect("one");
    assert_eq!((last.parts, last.records), (5, PAGES as u64), "{last:?}");
    assert_eq!(asked(&site), 30);
}

#[test]
fn what_came_before_a_connection_broke_is_used() {
    let (ended, site) = crawled(Manner::Breaking(59), 4);
    let told = ended.crawllets();
    assert_eq!(told.answered, told.records);
    assert!(told.records > 60, "others followed: {told:?}");
    assert!(site.jobs.load(Ordering::SeqCst) > 1);
}

#[test]
fn a_bomb_a_babbler_a_mute_one_who_is_gone_and_one_without_a_key_cost_time_and_nothing_else() {
    for (manner, reason) in [
        (Manner::Bombing, "fault"),
        (Manner::Talking, "timeout"),
        (Manner::Silent, "timeout"),
        (Manner::Gone, "connection"),
        (Manner::Busy, "refused"),
        (Manner::Late, "http_status"),
        (Manner::Expired, "key_expired"),
    ] {
        let (ended, site) = crawled(manner, 5);
        let told = ended.crawllets();
        assert_eq!(told.answered, 0, "{manner:?}");
        assert_eq!(told.reasons.get(reason), Some(&1), "{manner:?}: {told:?}");
        assert_eq!(asked(&site), PAGES, "{manner:?}");
    }
}

#[test]
fn a_key_that_ends_or_is_exchanged_in_the_middle_leaves_what_came_by_then() {
    for (manner, reason) in
        [(Manner::Expiring(40), "key_expired"), (Manner::Rotating(40, false), "http_status")]
    {
        let (ended, site) = crawled(manner, 10);
        let told = ended.crawllets();
        assert_eq!((told.answered, told.records), (36, 36), "{manner:?}: the first part");
        assert_eq!(told.reasons.get(reason), Some(&1), "{manner:?}: {told:?}");
        assert_eq!(asked(&site), 30 + PAGES - 36, "{manner:?}: the audit, and what is missing");
        assert_eq!(ended.record.expect("on record").trust.distrusted, None);
    }
}

#[test]
fn a_key_that_was_exchanged_as_it_should_be_holds_nobody_up() {
    let (ended, site) = crawled(Manner::Rotating(40, true), 11);
    let told = ended.crawllets();
    assert_eq!((told.answered, told.records), (PAGES as u64, PAGES as u64));
    assert_eq!(asked(&site), 30);
    let record = ended.record.expect("on record");
    assert!(record.pinned.is_some_and(|pinned| pinned.contains("\"sig\"")), "the new one");
}

#[test]
fn another_key_that_nobody_signed_is_believed_over_https_only() {
    for (scheme, answered) in [("https", PAGES), ("http", 0)] {
        let dir = tempfile::tempdir().expect("temp dir");
        let site = Arc::new(FakeSite::new(PAGES, Manner::Honest));
        let seeds = |job: &mut Job| job.seeds = vec![format!("{scheme}://site.test/")];
        let first = crawl(dir.path(), &site, Some(12), seeds);
        assert_eq!(first.crawllets().answered, PAGES as u64);
        site.rotate(false);
        let second = crawl(dir.path(), &site, Some(13), seeds);
        assert_eq!(second.crawllets().answered, answered as u64, "{scheme}");
        assert_eq!(second.pages.len() + second.unchanged.len(), PAGES, "{scheme}");
    }
}

#[test]
fn the_budget_of_a_crawl_holds_for_its_crawllets() {
    let dir = tempfile::tempdir().expect("temp dir");
    let site = Arc::new(FakeSite::new(PAGES, Manner::Honest));
    let ended = crawl(dir.path(), &site, Some(6), |job| job.config.crawl.pages = Some(50));
    assert_eq!(ended.summary.pages, 50);
    assert!(ended.crawllets().records <= 50, "{:?}", ended.crawllets());
}

#[test]
fn of_a_site_that_was_crawled_without_one_a_crawllet_brings_only_what_is_new_or_different() {
    let dir = tempfile::tempdir().expect("temp dir");
    let site = Arc::new(FakeSite::new(PAGES, Manner::Honest));
    assert_eq!(crawl(dir.path(), &site, None, |_| {}).pages.len(), PAGES);
    // The last two are leaves; their parents say where they lead.
    site.change(&[3, 50], &[150, 160], PAGES + 1);
    site.asked.lock().expect("whole").clear();
    let ended = crawl(dir.path(), &site, Some(7), |_| {});
    let told = ended.crawllets();
    assert_eq!(told.last[0].1.guest, "changed");
    let sent = site.sent.lock().expect("whole").clone();
    // Two that were edited, two that lost a link and one that has a new one, and the new one itself.
    assert_eq!((sent["page"], sent["gone"]), (6, 2), "{sent:?}");
    assert_eq!(sent["unchanged"], (PAGES - 2 - 5) as u64);
    assert_eq!(asked(&site), 30, "the audit and nothing else");
    assert_eq!(ended.summary.outcomes["not_modified"], (PAGES - 2 - 5) as u64);
    assert_eq!(ended.summary.outcomes["fetched"], 6);
    assert_eq!(told.answered, (PAGES - 2 + 1) as u64);
    let gone = |page: usize| ended.outcomes[&format!("http://site.test/page/{page}")];
    assert_eq!(
        (gone(150), gone(160)),
        (Outcome::ClientError, Outcome::ClientError),
        "named, not linked"
    );
    let elsewhere = tempfile::tempdir().expect("temp dir");
    let fresh = crawl(elsewhere.path(), &site, None, |_| {});
    assert_eq!(fresh.pages.len(), PAGES - 1);
    let mut pages = ended.pages.clone();
    pages.extend(ended.unchanged.clone());
    assert_eq!(pages, fresh.pages, "nothing else is there, and nothing is old");
}

#[test]
fn a_harvest_outlives_a_kill_and_is_then_used_up_as_quickly_and_each_page_once() {
    let dir = tempfile::tempdir().expect("temp dir");
    let site = Arc::new(FakeSite::new(PAGES, Manner::Honest));
    let trace = dir.path().join("trace.jsonl");
    let lines = || std::fs::read_to_string(&trace).unwrap_or_default();
    let traced = |job: &mut Job| job.trace = Some(trace.clone());
    let is_time = || lines().lines().count() >= 60;
    let killed = crawl_until(dir.path(), &site, Some(8), traced, Some(&is_time));
    assert!(killed.is_none(), "it ended before");
    let before = lines().lines().count();
    assert!(before < PAGES, "{before} pages");
    let ended = crawl(dir.path(), &site, Some(9), |job| {
        traced(job);
        job.resume = true;
        job.seeds.clear();
    });
    assert_eq!(&ended.pages, conventional());
    assert_eq!(ended.crawllets().answered, PAGES as u64, "before and after");
    assert_eq!((ended.crawllets().sites, ended.crawllets().records), (1, PAGES as u64));
    assert_eq!((site.jobs.load(Ordering::SeqCst), asked(&site)), (1, 30), "as without a kill");
    assert_eq!(ended.summary.overlap, 0);
    let all = lines();
    let mut urls: Vec<serde_json::Value> =
        all.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(urls.iter().all(|line| line["crawllet"] == true), "{all}");
    let t = |line: &serde_json::Value| line["t"].as_f64().expect("a time");
    let after = t(&urls[urls.len() - 1]) - t(&urls[before]);
    assert!(after < 0.05, "{} pages took {after} s", PAGES - before);
    urls.sort_by_key(|line| line["url"].to_string());
    urls.dedup_by_key(|line| line["url"].to_string());
    assert_eq!((urls.len(), all.lines().count()), (PAGES, PAGES), "each page once");
}

#[test]
fn a_crawl_of_crawllets_only_leaves_a_site_that_declines_at_its_door() {
    let dir = tempfile::tempdir().expect("temp dir");
    let site = Arc::new(FakeSite::new(PAGES, Manner::Lying(0)));
    let ended = crawl(dir.path(), &site, Some(0), |job| {
        job.config.crawllets.mode = CrawlletMode::Only;
    });
    assert!(ended.pages.is_empty());
    assert_eq!(ended.summary.outcomes.get("no_crawllet"), Some(&1));
}
