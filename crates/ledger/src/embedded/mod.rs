//! How does the frontier lie in one folder?
//!
//! For one process, without a service: the same rules as in the database, over the embedded engine that also keeps
//! the broker's records. One operation at a time; each is one atomic change.

mod change;
mod lease;
mod rows;
mod work;

use crate::code::{of_state, state_of};
use crate::port::Frontier;
use crate::words::{
    Blob, Completed, Completion, Found, Grant, Held, Lease, Owner, Sighting, Stage, Stats, Sweep,
    Swept, UrlEntry,
};
use crate::{DomainKey, LedgerError, PageKey};
use async_trait::async_trait;
use change::{Change, read};
use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};
use lycosa_model::{BotId, BotRecord, Rank, Tick, UrlState};
use rows::{DomainRow, UrlRow, WorkRow, decode, encode, key, name_of};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

/// The layout on disk. A folder of a newer one is refused.
const LAYOUT: u32 = 1;

/// Memory for blocks read from disk.
const CACHE_BYTES: u64 = 32 << 20;

/// Bytes of changes that are not in sorted files yet: what a start has to read again.
const JOURNAL_BYTES: u64 = 64 << 20;

/// Pause between two requests of a domain that nobody has told anything about.
const DELAY_MS: u64 = 1_000;

/// Tells the time, in milliseconds since the epoch.
type Clock = Box<dyn Fn() -> Tick + Send + Sync>;

/// The frontier in a folder.
pub struct Embedded {
    store: Mutex<Store>,
    clock: Clock,
}

/// The keyspaces. Numbers in keys are as in [`rows`].
struct Store {
    db: Database,
    /// By domain.
    domains: Keyspace,
    /// By domain and first half of the id.
    urls: Keyspace,
    /// What waits, by domain, rank and arrival.
    todo: Keyspace,
    /// Domains that may be leased, by moment.
    ready: Keyspace,
    /// URLs that wait for a moment, by moment.
    later: Keyspace,
    /// By domain and first half of the id.
    work: Keyspace,
    /// By address.
    gates: Keyspace,
    /// Domains in line for their address, by address and moment.
    line: Keyspace,
    blobs: Keyspace,
    bots: Keyspace,
    meta: Keyspace,
    /// The next arrival's number.
    arrival: u64,
}

impl Embedded {
    /// Opens the frontier in this folder, or makes an empty one.
    ///
    /// # Errors
    /// If the folder cannot be used, another process has it, or a newer program wrote it.
    pub fn open(dir: &Path) -> Result<Embedded, LedgerError> {
        Embedded::with_clock(dir, || {
            let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
            Tick(since.unwrap_or_default().as_millis() as u64)
        })
    }

    /// The same with another clock, which must never go back.
    ///
    /// # Errors
    /// As [`Embedded::open`].
    pub fn with_clock(
        dir: &Path,
        clock: impl Fn() -> Tick + Send + Sync + 'static,
    ) -> Result<Embedded, LedgerError> {
        let failed = |error: fjall::Error| LedgerError::folder(dir, &error);
        let db = Database::builder(dir)
            .cache_size(CACHE_BYTES)
            .max_journaling_size(JOURNAL_BYTES)
            .worker_threads(1)
            .open()
            .map_err(failed)?;
        let space = |name| db.keyspace(name, KeyspaceCreateOptions::default).map_err(failed);
        let meta = space("meta")?;
        match read::<u32>(&meta, b"layout", "layout")? {
            None => meta.insert("layout", encode(&LAYOUT)?).map_err(failed)?,
            Some(LAYOUT) => {}
            Some(found) => return Err(LedgerError::Newer { found, known: LAYOUT }),
        }
        let store = Store {
            domains: space("domains")?,
            urls: space("urls")?,
            todo: space("todo")?,
            ready: space("ready")?,
            later: space("later")?,
            work: space("work")?,
            gates: space("gates")?,
            line: space("line")?,
            blobs: space("blobs")?,
            bots: space("bots")?,
            arrival: read(&meta, b"arrival", "count of arrivals")?.unwrap_or(0),
            meta,
            db,
        };
        Ok(Embedded { store: Mutex::new(store), clock: Box::new(clock) })
    }

    /// The store for one operation, and the moment of it.
    fn enter(&self) -> (MutexGuard<'_, Store>, u64) {
        let store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        let Tick(now) = (self.clock)();
        (store, now)
    }
}

#[async_trait]
impl Frontier for Embedded {
    async fn offer(&self, found: &[Found]) -> Result<Vec<bool>, LedgerError> {
        let (mut store, now) = self.enter();
        offer(&mut store, found, now)
    }

    async fn lease(&self, lease: &Lease) -> Result<Vec<Grant>, LedgerError> {
        let (store, now) = self.enter();
        lease::lease(&store, lease, now)
    }

    async fn complete(&self, completion: &Completion) -> Result<Completed, LedgerError> {
        let (store, now) = self.enter();
        lease::complete(&store, completion, now)
    }

    async fn renew(&self, held: &[Held], ttl: Duration) -> Result<Vec<DomainKey>, LedgerError> {
        let (store, now) = self.enter();
        lease::renew(&store, held, ttl, now)
    }

    async fn owner_of(&self, domain: DomainKey) -> Result<Option<Owner>, LedgerError> {
        let (store, now) = self.enter();
        let row: Option<DomainRow> = read(&store.domains, &key([domain.0]), "domain")?;
        Ok(row.and_then(|row| {
            let lease = row.lease.filter(|lease| lease.until > now)?;
            let left = Duration::from_millis(lease.until - now);
            Some(Owner { bot: lease.bot, epoch: row.epoch, left })
        }))
    }

    async fn url(&self, page: PageKey) -> Result<Option<UrlEntry>, LedgerError> {
        let (store, now) = self.enter();
        let name = key(name_of(page).into());
        let Some(row) = read::<UrlRow>(&store.urls, &name, "URL")? else { return Ok(None) };
        let work: Option<WorkRow> = read(&store.work, &name, "work")?;
        Ok(Some(UrlEntry {
            url_id: row.id,
            url: row.url,
            state: state_of(row.state)?,
            inlinks: row.inlinks,
            outlinks: row.outlinks,
            dinit: Tick(row.dinit),
            dlast: row.dlast.map(Tick),
            language: row.language,
            bot1_id: row.bot1,
            bot2_id: row.bot2,
            etag: row.etag,
            last_modified: row.last_modified,
            digest: row.digest,
            tries: row.tries,
            rank: Rank(row.rank),
            depth: row.depth,
            via: row.via,
            waits: row.waits,
            again: row.again_at.map(|at| Duration::from_millis(at.saturating_sub(now))),
            work: work.map(|row| row.work),
        }))
    }

    async fn bot_seen(&self, bot: BotId, sighting: &Sighting) -> Result<(), LedgerError> {
        let (store, now) = self.enter();
        work::bot_seen(&store, bot, sighting, now)
    }

    async fn bot(&self, bot: BotId) -> Result<Option<BotRecord>, LedgerError> {
        read(&self.enter().0.bots, &bot.0, "bot")
    }

    async fn bots(&self) -> Result<Vec<(BotId, BotRecord)>, LedgerError> {
        let (store, _) = self.enter();
        let bots = store.bots.iter().map(|guard| {
            let (id, row) = guard.into_inner()?;
            let id = id[..].try_into().map_err(|error| LedgerError::corrupt("bot", error))?;
            Ok((BotId(id), decode(&row, "bot")?))
        });
        bots.collect()
    }

    async fn advance(&self, pages: &[PageKey], next: Option<Stage>) -> Result<u64, LedgerError> {
        let (store, now) = self.enter();
        work::advance(&store, pages, next, now)
    }

    async fn blob(&self, key: &str) -> Result<Option<Blob>, LedgerError> {
        read(&self.enter().0.blobs, key.as_bytes(), "object of the archive")
    }

    async fn sweep(&self, sweep: &Sweep) -> Result<Swept, LedgerError> {
        let (store, now) = self.enter();
        work::sweep(&store, sweep, now)
    }

    async fn stats(&self) -> Result<Stats, LedgerError> {
        let (store, now) = self.enter();
        work::stats(&store, now)
    }

    async fn sync(&self) -> Result<(), LedgerError> {
        Ok(self.enter().0.db.persist(PersistMode::SyncAll)?)
    }
}

fn offer(store: &mut Store, found: &[Found], now: u64) -> Result<Vec<bool>, LedgerError> {
    let mut arrival = store.arrival;
    let mut change = Change::new(store);
    let mut told = Vec::with_capacity(found.len());
    for found in found {
        let name = name_of(found.key);
        let url = change.url(name)?;
        if let Some(url) = url {
            url.inlinks += u64::from(found.links);
            told.push(false);
            continue;
        }
        *url = Some(new_url(found, arrival, now));
        arrival += 1;
        told.push(true);
        let domain = change.domain(name.0)?.get_or_insert_with(|| DomainRow {
            name: found.domain.clone(),
            next_at: now,
            ready_at: Some(now),
            lease: None,
            epoch: 0,
            urls: 0,
            delay_ms: DELAY_MS,
            gated: false,
            address: None,
        });
        domain.urls += 1;
        if domain.ready_at.is_none() && !domain.gated {
            domain.ready_at = Some(domain.next_at);
        }
    }
    change.put(&store.meta, b"arrival", &arrival)?;
    change.commit()?;
    store.arrival = arrival;
    Ok(told)
}

fn new_url(found: &Found, arrival: u64, now: u64) -> UrlRow {
    UrlRow {
        id: found.key.id,
        url: found.url.clone(),
        rank: found.rank.0,
        arrival,
        state: of_state(UrlState::Waiting(found.origin)),
        depth: found.depth,
        inlinks: u64::from(found.links),
        outlinks: 0,
        tries: 0,
        waits: true,
        dinit: now,
        dlast: None,
        again_at: None,
        via: found.via,
        bot1: None,
        bot2: found.bot,
        language: None,
        etag: None,
        last_modified: None,
        digest: None,
    }
}
