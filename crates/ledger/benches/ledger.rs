//! What does a URL cost the database? Starts a PostgreSQL of its own, offers URLs, offers them again, leases and
//! completes some, and tells the CPU time of all processes of the server for each, with rates and sizes. CPU time and
//! not wall time, so that a busy machine does not matter much.
//!
//! `cargo xtask bench ledger` or `cargo xtask bench ledger -- 1000000 20000 200000` (URLs, domains, fetches)
#![allow(clippy::print_stdout, reason = "a bench prints what it measured")]

use lycosa_frontier::normal;
use lycosa_ledger::testing::{Server, run};
use lycosa_ledger::{
    Blob, Completion, DomainDone, Found, Frontier, Grant, Lease, NewCopy, PageDone, Postgres, Stage,
};
use lycosa_model::{BotId, Lang, Origin, Rank, UrlState};
use std::time::{Duration, Instant};
use tokio_postgres::NoTls;

/// Links that come together, as from some sixteen pages.
const BATCH: usize = 1_000;

/// Pages that links come from together, and how many links of a hundred stay on their site.
const PAGES: usize = 16;
const OWN_SITE: u64 = 85;

/// What is leased together.
const DOMAINS: u32 = 10;
const PER_DOMAIN: u32 = 10;

/// The settings of the server: all that is acknowledged is on the disk.
const SETTINGS: &[(&str, &str)] =
    &[("shared_buffers", "1GB"), ("max_wal_size", "4GB"), ("wal_compression", "lz4")];

/// A generator of numbers that anybody can repeat (splitmix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}

/// Links as pages have them: most lead to the site that they stand on.
fn batches(urls: usize, domains: u64) -> impl Iterator<Item = Vec<Found>> {
    let mut dice = Dice(1);
    let mut counts = vec![0_u64; domains as usize];
    let batches = urls.div_ceil(BATCH);
    (0..batches).map(move |batch| {
        let pages: Vec<u64> = (0..PAGES).map(|_| dice.below(domains)).collect();
        let size = BATCH.min(urls - batch * BATCH);
        (0..size)
            .map(|link| {
                let own = pages[link % PAGES];
                let site = if dice.below(100) < OWN_SITE { own } else { dice.below(domains) };
                counts[site as usize] += 1;
                let number = counts[site as usize];
                let part = number % 37;
                let text = format!(
                    "https://www.site{site}.example/section-{part}/articles/{number}-the-name-of-a-page.html"
                );
                let address = normal::parse(&text).expect("an address");
                let via = Some(address.id);
                let rank = Rank(dice.below(1 << 20));
                let bot = Some(BotId::of("bench", 1));
                Found { via, rank, bot, depth: 3, ..Found::of(&address, Origin::OtherPage) }
            })
            .collect()
    })
}

/// What something cost.
struct Meter<'a> {
    server: &'a Server,
    cpu: Duration,
    begin: Instant,
    aside: Duration,
}

impl Meter<'_> {
    fn start(server: &Server) -> Meter<'_> {
        let cpu = server.cpu().expect("CPU time");
        Meter { server, cpu, begin: Instant::now(), aside: Duration::ZERO }
    }

    /// Time that is not the database's.
    fn leave_out(&mut self, time: Duration) {
        self.aside += time;
    }

    fn tell(&self, what: &str, urls: u64) {
        let cpu = self.server.cpu().expect("CPU time") - self.cpu;
        let wall = self.begin.elapsed() - self.aside;
        let each = cpu.as_secs_f64() * 1e6 / urls as f64;
        let rate = urls as f64 / wall.as_secs_f64();
        println!("{what:<28} {urls:>9} URLs {each:>8.1} us CPU/URL {rate:>10.0} URLs/s");
    }
}

#[tokio::main]
async fn main() {
    let numbers: Vec<u64> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    let [urls, domains, fetches] = match numbers[..] {
        [urls, domains, fetches] => [urls, domains, fetches],
        _ => [1_000_000, 20_000, 200_000],
    };
    let Some(server) = Server::start(SETTINGS).await.expect("the server starts") else {
        println!("skipped: no PostgreSQL server is installed (initdb and postgres)");
        return;
    };
    let address = server.database("bench").await.expect("a database");
    let frontier = Postgres::open(&address).await.expect("open");
    println!("{urls} URLs, {domains} domains, {fetches} fetches; links in batches of {BATCH}");

    offer(&server, &frontier, &address, urls, domains).await;
    let grants = lease(&server, &frontier, fetches).await;
    complete(&server, &frontier, &grants).await;
    advance(&server, &frontier, &grants).await;
    let fetched: u64 = grants.iter().map(|grant| grant.pages.len() as u64).sum();
    drop(grants);
    together(&server, &frontier, fetches / 4).await;

    let stats = frontier.stats().await.expect("stats");
    assert_eq!(stats.urls, urls, "every URL is there once");
    assert!(stats.waiting <= urls - fetched, "what was fetched does not wait");
    println!("{stats:?}");
    println!("{:.0} bytes per URL in the end", size(&address).await / urls as f64);
}

async fn offer(server: &Server, frontier: &Postgres, address: &str, urls: u64, domains: u64) {
    let wal = log_position(address).await;
    let mut meter = Meter::start(server);
    let mut new = 0;
    let mut making = batches(urls as usize, domains);
    loop {
        let begin = Instant::now();
        let Some(batch) = making.next() else { break };
        meter.leave_out(begin.elapsed());
        let told = frontier.offer(&batch).await.expect("offer");
        new += told.iter().filter(|new| **new).count() as u64;
    }
    meter.tell("offer, new", urls);
    assert_eq!(new, urls, "all were new");
    let log = (log_position(address).await - wal) / urls as f64;
    run(address, "VACUUM ANALYZE").await.expect("vacuum");
    println!("{:.0} bytes per URL, {log:.0} bytes of log", size(address).await / urls as f64);

    for (what, links) in [("offer, known", 0), ("offer, known and counted", 1)] {
        let mut meter = Meter::start(server);
        let some = urls / 4;
        let mut making = batches(urls as usize, domains).take((some as usize).div_ceil(BATCH));
        loop {
            let begin = Instant::now();
            let Some(mut batch) = making.next() else { break };
            batch.iter_mut().for_each(|found| found.links = links);
            meter.leave_out(begin.elapsed());
            let told = frontier.offer(&batch).await.expect("offer");
            assert!(!told.contains(&true), "all were known");
        }
        meter.tell(what, some);
    }
}

async fn lease(server: &Server, frontier: &Postgres, fetches: u64) -> Vec<Grant> {
    let meter = Meter::start(server);
    let mut grants: Vec<Grant> = Vec::new();
    let mut leased = 0;
    while leased < fetches {
        let granted = lease_some(frontier, "bench").await;
        if granted.is_empty() {
            break;
        }
        leased += granted.iter().map(|grant| grant.pages.len() as u64).sum::<u64>();
        grants.extend(granted);
    }
    meter.tell("lease", leased);
    let mut domains: Vec<_> = grants.iter().map(|grant| grant.domain).collect();
    domains.sort();
    domains.dedup();
    assert_eq!(domains.len(), grants.len(), "no domain was given out twice");
    grants
}

async fn lease_some(frontier: &Postgres, bot: &str) -> Vec<Grant> {
    let ttl = Duration::from_secs(3600);
    let bot = BotId::of(bot, 1);
    let lease = Lease { bot, domains: DOMAINS, pages: PER_DOMAIN, ttl };
    frontier.lease(&lease).await.expect("lease")
}

/// What came of some leases, which are given back.
fn completion(grants: &[Grant], number: usize) -> Completion {
    let page = |id| PageDone {
        id,
        state: UrlState::Answered(200),
        copy: Some(NewCopy {
            language: Some(Lang::EN),
            outlinks: 62,
            etag: Some("\"5f2a-61c7e3d4b5a00\"".into()),
            last_modified: Some("Tue, 17 Nov 2026 10:00:00 GMT".into()),
            digest: Some("sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ".into()),
        }),
        again: Some(Duration::from_secs(30 * 24 * 3600)),
        work: Some(Stage::Index),
    };
    let done = |grant: &Grant| DomainDone {
        pages: grant.pages.iter().map(|task| page(task.key.id)).collect(),
        address: Some(std::net::Ipv4Addr::from(grant.domain.0 as u32 | 1).into()),
        ..DomainDone::giving_back(grant.held(), Duration::ZERO)
    };
    let blob = Blob { key: format!("warc/{number}"), sha256: [1; 32], bytes: 1, records: 100 };
    Completion { domains: grants.iter().map(done).collect(), blobs: vec![blob] }
}

async fn complete(server: &Server, frontier: &Postgres, grants: &[Grant]) {
    let meter = Meter::start(server);
    let mut pages = 0;
    for (number, some) in grants.chunks(DOMAINS as usize).enumerate() {
        let completed = frontier.complete(&completion(some, number)).await.expect("complete");
        assert!(completed.lost.is_empty(), "all leases hold");
        pages += completed.pages;
    }
    meter.tell("complete", pages);
    let leased: u64 = grants.iter().map(|grant| grant.pages.len() as u64).sum();
    assert_eq!(pages, leased, "all pages were written");
}

async fn advance(server: &Server, frontier: &Postgres, grants: &[Grant]) {
    let meter = Meter::start(server);
    let mut pages = 0;
    for some in grants.chunks(DOMAINS as usize) {
        let keys: Vec<_> =
            some.iter().flat_map(|grant| &grant.pages).map(|task| task.key).collect();
        pages += frontier.advance(&keys, None).await.expect("advance");
    }
    meter.tell("work done", pages);
}

/// Four bots at once, each of which leases and completes.
async fn together(server: &Server, frontier: &Postgres, fetches: u64) {
    let meter = Meter::start(server);
    let bots = (0..4).map(|bot| {
        let frontier = frontier.clone();
        tokio::spawn(async move {
            let (mut pages, mut number) = (0, 0);
            while pages < fetches / 4 {
                let grants = lease_some(&frontier, &format!("bot {bot}")).await;
                number += 1;
                let mut completion = completion(&grants, number);
                completion.blobs.iter_mut().for_each(|blob| blob.key += &format!("-{bot}"));
                let completed = frontier.complete(&completion).await.expect("complete");
                assert!(completed.lost.is_empty(), "all leases hold");
                if grants.is_empty() {
                    break;
                }
                pages += completed.pages;
            }
            pages
        })
    });
    let mut pages = 0;
    for bot in bots.collect::<Vec<_>>() {
        pages += bot.await.expect("a bot");
    }
    meter.tell("lease and complete, 4 bots", pages.max(1));
}

async fn number(address: &str, statement: &str) -> f64 {
    let (client, connection) = tokio_postgres::connect(address, NoTls).await.expect("connect");
    tokio::spawn(connection);
    client.query_one(statement, &[]).await.expect("a row").get(0)
}

async fn size(address: &str) -> f64 {
    let statement = "SELECT (pg_table_size('url') + pg_indexes_size('url') + \
         pg_total_relation_size('domain') + pg_total_relation_size('work'))::float8";
    number(address, statement).await
}

async fn log_position(address: &str) -> f64 {
    number(address, "SELECT (pg_current_wal_lsn() - '0/0')::float8").await
}
