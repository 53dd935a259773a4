//! Can a slot move to another database while bots work on it?

use crate::crash::Log;
use crate::world::*;
use lycosa_ledger::testing::{let_pass, run};
use lycosa_ledger::{
    Completion, DomainDone, Frontier, Lease, LedgerError, Postgres, Slot, Stage, Sweep,
};
use lycosa_model::UrlState;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const BOTS: usize = 3;
const DOMAINS: usize = 24;

fn slots() -> BTreeSet<Slot> {
    (0..DOMAINS).map(|n| domain(&format!("d{n}.example")).slot()).collect()
}

/// What the bots do together.
struct Shared {
    stop: AtomicBool,
    next: AtomicUsize,
    log: Mutex<Log>,
}

/// Offers, leases, renews and completes until it is told to stop; everything must work.
async fn work(frontier: Postgres, name: String, shared: Arc<Shared>) {
    let lease = Lease { bot: bot(&name), domains: 3, pages: 4, ttl: TTL };
    while !shared.stop.load(Ordering::SeqCst) {
        let first = shared.next.fetch_add(8, Ordering::SeqCst);
        let urls = (first..first + 8).map(|n| format!("http://d{}.example/{n}", n % DOMAINS));
        let found: Vec<_> = urls.map(|url| found(&url)).collect();
        let new = frontier.offer(&found).await.expect("offer");
        assert!(new.iter().all(|new| *new), "{new:?}");
        let grants = frontier.lease(&lease).await.expect("lease");
        shared.log.lock().expect("log").granted(&name, &grants);
        let held: Vec<_> = grants.iter().map(|grant| grant.held()).collect();
        assert!(frontier.renew(&held, TTL).await.expect("renew").is_empty());
        let domains = grants.iter().map(|grant| DomainDone {
            delay: Some(Duration::ZERO),
            address: Some(std::net::Ipv4Addr::from(grant.domain.0 as u32).into()),
            ..with_work(grant, Stage::Filter)
        });
        let completion = Completion { domains: domains.collect(), blobs: Vec::new() };
        let completed = frontier.complete(&completion).await.expect("complete");
        assert!(completed.lost.is_empty(), "{completed:?}");
        let pages: Vec<_> = grants.iter().flat_map(|grant| &grant.pages).map(|t| t.key).collect();
        let advanced = frontier.advance(&pages, None).await.expect("advance");
        assert_eq!(advanced as usize, pages.len());
        shared.log.lock().expect("log").acknowledged(&grants);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slots_move_to_another_database_and_back_while_bots_work() {
    let Some(server) = server().await else { return };
    let address = server.database("first").await.expect("a database");
    let other = server.database("other").await.expect("a database");
    let frontier = Postgres::open(&address).await.expect("open");
    let shared = Arc::new(Shared {
        stop: AtomicBool::new(false),
        next: AtomicUsize::new(0),
        log: Mutex::default(),
    });
    let mut bots = Vec::new();
    for number in 0..BOTS {
        // Each with a map of its own, which becomes old.
        let own = Postgres::open(&address).await.expect("open");
        bots.push(tokio::spawn(work(own, format!("bot {number}"), Arc::clone(&shared))));
    }
    let done = || shared.log.lock().expect("log").acknowledged.len();
    let some_more = async || {
        let before = done();
        while done() < before + 50 {
            tokio::task::yield_now().await;
            assert!(!bots.iter().any(tokio::task::JoinHandle::is_finished), "a bot failed");
        }
    };
    some_more().await;
    frontier.add_database("other", &other).await.expect("added");
    for slot in slots() {
        frontier.move_slot(slot, "other").await.expect("moved");
        assert_eq!(frontier.database_of(slot).await.expect("map").as_deref(), Some("other"));
    }
    some_more().await;
    for slot in slots().into_iter().take(5) {
        frontier.move_slot(slot, "main").await.expect("moved back");
    }
    some_more().await;
    shared.stop.store(true, Ordering::SeqCst);
    for bot in bots {
        bot.await.expect("no bot failed");
    }

    let stats = frontier.stats().await.expect("stats");
    assert_eq!(stats.urls as usize, shared.next.load(Ordering::SeqCst), "each is there once");
    assert_eq!((stats.domains as usize, stats.to_filter), (DOMAINS, 0));
    let acknowledged = shared.log.lock().expect("log").acknowledged.clone();
    assert_eq!(stats.waiting as usize, stats.urls as usize - acknowledged.len());
    for url in &acknowledged {
        let entry = frontier.url(key(url)).await.expect("url").expect("known");
        assert_eq!((entry.state, entry.work), (UrlState::Answered(200), None), "{url}");
    }
    // No domain sleeps while something waits there, whoever brought it at whatever moment.
    let lease = Lease { bot: bot("last"), domains: 50, pages: 10_000, ttl: TTL };
    let mut rest = 0;
    for _ in 0..2 {
        for place in [&address, &other] {
            let_pass(place, TTL * 2).await.expect("time passes");
        }
        let grants = frontier.lease(&lease).await.expect("lease");
        shared.log.lock().expect("log").granted("last", &grants);
        let domains = grants.iter().map(fetched).collect();
        let completion = Completion { domains, blobs: Vec::new() };
        rest += frontier.complete(&completion).await.expect("complete").pages;
    }
    assert_eq!(rest, stats.waiting);
    // Nothing is left where it was.
    let left = "DO $$ BEGIN IF (SELECT count(*) FROM domain) <> (SELECT count(*) FROM domain \
         JOIN slot_map ON slot = (did >> 52) & 4095 WHERE state = 1) \
         OR EXISTS (SELECT FROM slot_map WHERE state > 1) THEN RAISE 'left over'; END IF; END $$";
    run(&address, left).await.expect("nothing is left over in the first");
    run(&other, left).await.expect("nothing is left over in the other");
}

#[tokio::test]
async fn whoever_shows_an_old_map_is_refused() {
    let Some(server) = server().await else { return };
    let address = server.database("first").await.expect("a database");
    let other = server.database("other").await.expect("a database");
    let old = Postgres::open(&address).await.expect("open");
    old.offer(&[found("http://a.example/1")]).await.expect("offer");
    run(&address, "SELECT enter(1)").await.expect("the map is new");

    let mover = Postgres::open(&address).await.expect("open");
    mover.add_database("other", &other).await.expect("added");
    let slot = domain("a.example").slot();
    mover.move_slot(slot, "other").await.expect("moved");
    let Err(error) = run(&address, "SELECT enter(1)").await else { panic!("the map is old") };
    assert!(
        matches!(&error, LedgerError::Database { code, .. } if code.as_deref() == Some("LY001"))
    );
    // Another client of the same age reads the map again, and finds what has moved.
    assert!(!old.offer(&[found("http://a.example/1")]).await.expect("offer")[0], "it is known");
    let lease = Lease { bot: bot("a"), domains: 5, pages: 5, ttl: TTL };
    let grants = old.lease(&lease).await.expect("lease");
    assert_eq!(grants.len(), 1);
    assert_eq!(old.owner_of(grants[0].domain).await.expect("owner").map(|o| o.bot), Some(bot("a")));

    // A lease travels with its domain: the fence holds on the other side, too.
    mover.move_slot(slot, "main").await.expect("moved back");
    let done = Completion { domains: vec![fetched(&grants[0])], blobs: Vec::new() };
    assert_eq!(old.complete(&done).await.expect("complete").pages, 1);
}

#[tokio::test]
async fn a_move_that_was_cut_off_is_ended_by_the_next_one() {
    let Some(server) = server().await else { return };
    let address = server.database("first").await.expect("a database");
    let other = server.database("other").await.expect("a database");
    let frontier = Postgres::open(&address).await.expect("open");
    let slot = domain("a.example").slot();
    frontier.offer(&[found("http://a.example/1"), found("http://a.example/2")]).await.expect("ok");
    let Err(error) = frontier.move_slot(slot, "nobody").await else { panic!("there is none") };
    assert!(error.to_string().contains("no database is called nobody"), "{error}");
    frontier.add_database("other", &other).await.expect("added");

    // As it is when the mover died after the slot was frozen.
    let frozen = format!(
        "UPDATE slot_map SET state = 2 WHERE slot = {slot}; UPDATE self SET version = version + 1"
    );
    run(&address, &frozen).await.expect("cut off");
    assert_eq!(frontier.database_of(slot).await.expect("map"), None, "nobody serves it");
    let lease = Lease { bot: bot("a"), domains: 5, pages: 5, ttl: TTL };
    assert!(frontier.lease(&lease).await.expect("lease").is_empty(), "nor leases it");
    frontier.move_slot(slot, "other").await.expect("ended");
    assert_eq!(frontier.database_of(slot).await.expect("map").as_deref(), Some("other"));
    let stats = frontier.stats().await.expect("stats");
    assert_eq!((stats.domains, stats.urls, stats.waiting), (1, 2, 2));
    assert_eq!(frontier.lease(&lease).await.expect("lease").len(), 1);
    let_pass(&other, TTL * 2).await.expect("time passes");

    // The source let it go, and the target had not taken it yet.
    run(&address, &format!("UPDATE slot_map SET state = 3 WHERE slot = {slot}")).await.expect("ok");
    let taken_back = format!(
        "UPDATE slot_map SET state = 0 WHERE slot = {slot}; UPDATE self SET version = version + 1"
    );
    run(&other, &taken_back).await.expect("ok");
    assert_eq!(frontier.database_of(slot).await.expect("map"), None);
    frontier.move_slot(slot, "other").await.expect("ended");
    assert_eq!(frontier.lease(&lease).await.expect("lease")[0].pages.len(), 2);
    let_pass(&other, TTL * 2).await.expect("time passes");
    let sweep = Sweep { grace: Duration::ZERO, ..Sweep::default() };
    assert_eq!(frontier.sweep(&sweep).await.expect("sweep").run_out.len(), 1, "in all databases");
}
