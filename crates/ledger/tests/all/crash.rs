//! Is what was acknowledged still there when the database was killed in the middle of everything?

use crate::world::*;
use lycosa_ledger::testing::{Server, let_pass};
use lycosa_ledger::{Completion, Found, Frontier, Grant, Lease, Postgres};
use lycosa_model::UrlState;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const BOTS: usize = 4;
const DOMAINS: usize = 40;
const URLS: usize = 4_000;

/// Pages that are acknowledged before the next kill.
const UNTIL_KILL: usize = 400;

/// What bots were told.
#[derive(Default)]
pub(crate) struct Log {
    /// Addresses whose completion was acknowledged.
    pub(crate) acknowledged: Vec<String>,
    /// All leases: domain and epoch, with those who got it.
    pub(crate) grants: HashMap<(String, u64), Vec<String>>,
}

impl Log {
    /// Notes grants; nobody else may ever have got the same.
    pub(crate) fn granted(&mut self, bot: &str, grants: &[Grant]) {
        for grant in grants {
            let holders = self.grants.entry((grant.name.clone(), grant.epoch)).or_default();
            holders.push(bot.to_owned());
            assert_eq!(holders.len(), 1, "{} was given out twice: {holders:?}", grant.name);
        }
    }

    pub(crate) fn acknowledged(&mut self, grants: &[Grant]) {
        let pages = grants.iter().flat_map(|grant| &grant.pages);
        self.acknowledged.extend(pages.map(|task| task.url.clone()));
    }
}

fn all_urls() -> Vec<Found> {
    (0..URLS).map(|n| found(&format!("http://d{}.example/{n}", n % DOMAINS))).collect()
}

/// Leases and completes until the database fails, or enough is done.
async fn fetch(frontier: Postgres, bot_name: String, log: Arc<Mutex<Log>>, enough: usize) {
    let lease = Lease { bot: bot(&bot_name), domains: 2, pages: 5, ttl: TTL };
    loop {
        let Ok(grants) = frontier.lease(&lease).await else { return };
        log.lock().expect("log").granted(&bot_name, &grants);
        let mut done: Vec<_> = grants.iter().map(fetched).collect();
        done.iter_mut().for_each(|done| done.delay = Some(Duration::ZERO));
        let completion = Completion { domains: done, blobs: Vec::new() };
        let Ok(completed) = frontier.complete(&completion).await else { return };
        assert!(completed.lost.is_empty(), "leases hold for a minute");
        let mut log = log.lock().expect("log");
        log.acknowledged(&grants);
        if log.acknowledged.len() >= enough
            || grants.is_empty() && log.acknowledged.len() > URLS / 2
        {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_survives_the_kill_of_all_processes() {
    let Some(mut server) = start(&[("max_connections", "50")]).await else { return };
    let address = server.database("crash").await.expect("a database");
    let log = Arc::new(Mutex::new(Log::default()));
    {
        let frontier = Postgres::open(&address).await.expect("open");
        let new = frontier.offer(&all_urls()).await.expect("offer");
        assert!(new.iter().all(|new| *new));
    }
    for kill in 1..=2 {
        kill_while_they_fetch(&mut server, &address, &log, kill * UNTIL_KILL).await;
        all_acknowledged_are_there(&address, &log).await;
    }
    // What the dead had on lease comes back, and in the end everything is fetched.
    let_pass(&address, TTL * 2).await.expect("time passes");
    let frontier = Postgres::open(&address).await.expect("open");
    let mut rest = 0;
    loop {
        let lease = Lease { bot: bot("last"), domains: 50, pages: 1_000, ttl: TTL };
        let grants = frontier.lease(&lease).await.expect("lease");
        log.lock().expect("log").granted("last", &grants);
        if grants.is_empty() {
            break;
        }
        let domains = grants.iter().map(fetched).collect();
        let completion = Completion { domains, blobs: Vec::new() };
        rest += frontier.complete(&completion).await.expect("complete").pages as usize;
        let_pass(&address, TTL).await.expect("time passes");
    }
    let acknowledged = log.lock().expect("log").acknowledged.len();
    // A commit whose answer was lost was not acknowledged, and is there all the same.
    assert!(acknowledged + rest <= URLS, "{acknowledged} and {rest}");
    let stats = frontier.stats().await.expect("stats");
    assert_eq!((stats.urls, stats.waiting), (URLS as u64, 0));
}

async fn kill_while_they_fetch(
    server: &mut Server,
    address: &str,
    log: &Arc<Mutex<Log>>,
    acknowledged: usize,
) {
    let mut bots = Vec::new();
    for number in 0..BOTS {
        let frontier = Postgres::open(address).await.expect("open");
        let name = format!("bot {number} until {acknowledged}");
        bots.push(tokio::spawn(fetch(frontier, name, Arc::clone(log), usize::MAX)));
    }
    while log.lock().expect("log").acknowledged.len() < acknowledged {
        tokio::task::yield_now().await;
    }
    server.kill_and_restart().await.expect("it starts again");
    for bot in bots {
        bot.await.expect("a bot ends in good order when the database is gone");
    }
}

async fn all_acknowledged_are_there(address: &str, log: &Arc<Mutex<Log>>) {
    let frontier = Postgres::open(address).await.expect("open");
    let acknowledged = log.lock().expect("log").acknowledged.clone();
    assert!(acknowledged.len() >= UNTIL_KILL);
    for url in acknowledged {
        let entry = frontier.url(key(&url)).await.expect("url").expect("known");
        assert_eq!(entry.state, UrlState::Answered(200), "{url}");
    }
}
