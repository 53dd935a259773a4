//! Where does a test get a frontier, and how does time pass there?

use lycosa_frontier::normal;
use lycosa_ledger::testing::{CARELESS, Server, let_pass};
use lycosa_ledger::{
    Completed, Completion, DomainDone, DomainKey, Embedded, Found, Frontier, Grant, Held, Lease,
    NewCopy, PageDone, PageKey, Stage, Sweep, Task,
};
use lycosa_model::{BotId, Origin, Rank, Tick, UrlState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tempfile::TempDir;

/// How long leases of tests hold.
pub(crate) const TTL: Duration = Duration::from_secs(60);

/// A frontier, whose time a test lets pass.
pub(crate) struct World {
    pub(crate) frontier: Arc<dyn Frontier>,
    time: Time,
}

enum Time {
    Database(String),
    Clock(
        Arc<AtomicU64>,
        #[expect(dead_code, reason = "kept until the frontier is dropped")] TempDir,
    ),
}

impl World {
    /// In a folder that goes away, with a clock that stands still.
    pub(crate) fn in_folder() -> World {
        let dir = tempfile::tempdir().expect("temp dir");
        let now = Arc::new(AtomicU64::new(1_700_000_000_000));
        let clock = Arc::clone(&now);
        let frontier = Embedded::with_clock(dir.path(), move || Tick(clock.load(Ordering::SeqCst)));
        World { frontier: Arc::new(frontier.expect("open")), time: Time::Clock(now, dir) }
    }

    /// In a new database of this server.
    pub(crate) async fn in_database(server: &Server, name: &str) -> World {
        let address = server.database(name).await.expect("a new database");
        let frontier = lycosa_ledger::open(&address).await.expect("open");
        World { frontier, time: Time::Database(address) }
    }

    pub(crate) async fn pass(&self, time: Duration) {
        match &self.time {
            Time::Database(address) => let_pass(address, time).await.expect("time passes"),
            Time::Clock(now, _) => {
                now.fetch_add(time.as_millis() as u64, Ordering::SeqCst);
            }
        }
    }

    pub(crate) async fn pass_secs(&self, seconds: u64) {
        self.pass(Duration::from_secs(seconds)).await;
    }

    pub(crate) async fn offer(&self, urls: &[&str]) -> Vec<bool> {
        let found: Vec<Found> = urls.iter().map(|url| found(url)).collect();
        self.frontier.offer(&found).await.expect("offer")
    }

    pub(crate) async fn lease(&self, bot: BotId, domains: u32) -> Vec<Grant> {
        let lease = Lease { bot, domains, pages: 10, ttl: TTL };
        self.frontier.lease(&lease).await.expect("lease")
    }

    /// The one domain that is to be had.
    pub(crate) async fn lease_one(&self, bot: BotId) -> Grant {
        let mut grants = self.lease(bot, 10).await;
        assert_eq!(grants.len(), 1, "one domain is due: {grants:?}");
        grants.remove(0)
    }

    pub(crate) async fn complete(&self, domains: Vec<DomainDone>) -> Completed {
        let completion = Completion { domains, blobs: Vec::new() };
        self.frontier.complete(&completion).await.expect("complete")
    }

    /// Fetches all pages of a lease and gives it back.
    pub(crate) async fn finish(&self, grant: &Grant) -> Completed {
        self.complete(vec![fetched(grant)]).await
    }

    pub(crate) async fn state(&self, url: &str) -> UrlState {
        self.frontier.url(key(url)).await.expect("url").expect("known").state
    }

    pub(crate) async fn sweep(&self) -> lycosa_ledger::Swept {
        self.frontier.sweep(&Sweep::default()).await.expect("sweep")
    }
}

/// A server for a test that needs no power failures; without one the test is skipped.
pub(crate) async fn server() -> Option<Server> {
    start(CARELESS).await
}

/// A server with these settings; without one the test is skipped.
pub(crate) async fn start(settings: &[(&str, &str)]) -> Option<Server> {
    let server = Server::start(settings).await.expect("the server starts");
    if server.is_none() {
        eprintln!("skipped: no PostgreSQL server is installed (initdb and postgres)");
    }
    server
}

pub(crate) fn bot(name: &str) -> BotId {
    BotId::of(name, 1)
}

pub(crate) fn key(url: &str) -> PageKey {
    PageKey::of(&normal::parse(url).expect("an address"))
}

pub(crate) fn domain(name: &str) -> DomainKey {
    DomainKey::of(name)
}

pub(crate) fn found(url: &str) -> Found {
    Found::of(&normal::parse(url).expect("an address"), Origin::OtherPage)
}

pub(crate) fn ranked(url: &str, rank: u64) -> Found {
    Found { rank: Rank(rank), ..found(url) }
}

/// A page that came with status 200.
pub(crate) fn page(task: &Task) -> PageDone {
    PageDone {
        id: task.key.id,
        state: UrlState::Answered(200),
        copy: Some(NewCopy { outlinks: 3, ..NewCopy::default() }),
        again: None,
        work: None,
    }
}

/// A page that failed, and waits again after a while.
pub(crate) fn failed(task: &Task, again: Option<Duration>) -> PageDone {
    PageDone { state: UrlState::Answered(503), copy: None, again, ..page(task) }
}

/// All pages of a lease, which is given back.
pub(crate) fn fetched(grant: &Grant) -> DomainDone {
    let pages = grant.pages.iter().map(page).collect();
    DomainDone { pages, ..DomainDone::giving_back(grant.held(), Duration::ZERO) }
}

/// The same, with work to follow.
pub(crate) fn with_work(grant: &Grant, stage: Stage) -> DomainDone {
    let mut done = fetched(grant);
    done.pages.iter_mut().for_each(|page| page.work = Some(stage));
    done
}

pub(crate) fn older(held: Held) -> Held {
    Held { epoch: held.epoch - 1, ..held }
}
