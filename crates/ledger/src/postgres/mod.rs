//! How does the frontier lie in databases that many share?
//!
//! One PostgreSQL is enough to begin with. Domains belong to 4,096 slots, and a slot can be moved to another
//! database while the crawl runs ([`Postgres::move_slot`]). Every transaction shows the version of the map of
//! slots that it was made for, and is refused when that is not the present one; then the map is read again.
//!
//! Order of locks, so that nobody waits in a circle: domains by key, then URLs by key. Where it happens all the
//! same, the database ends one of the two, which is tried again.

mod complete;
mod connect;
mod lease;
mod map;
mod migrate;
mod moving;
mod offer;
mod records;
mod sweep;

use crate::port::Frontier;
use crate::words::{
    Blob, Completed, Completion, Found, Grant, Held, Lease, Owner, Sighting, Stage, Stats, Sweep,
    Swept, UrlEntry,
};
use crate::{DomainKey, LedgerError, PageKey};
use async_trait::async_trait;
use connect::Database;
use lycosa_model::{BotId, BotRecord, Tick};
use map::{Map, Rounds};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, RwLock};
use std::time::{Duration, SystemTime};

/// The frontier in one or more PostgreSQL databases. Cheap to clone; all clones share their connections.
#[derive(Clone)]
pub struct Postgres {
    first: Database,
    map: Arc<RwLock<Arc<Map>>>,
    /// Which database is asked first for the next lease.
    turn: Arc<AtomicUsize>,
}

/// Why a transaction did not happen.
#[derive(Debug)]
enum Trouble {
    /// The map of slots was old, or somebody else was in the way: it is worth another attempt.
    Again,
    /// It is not.
    Error(LedgerError),
}

impl Trouble {
    /// Nothing that somebody else's turn would not mend.
    fn unless_passing(self) -> Result<(), LedgerError> {
        match self {
            Trouble::Again => Ok(()),
            Trouble::Error(error) => Err(error),
        }
    }
}

impl From<tokio_postgres::Error> for Trouble {
    fn from(error: tokio_postgres::Error) -> Trouble {
        // Old map; deadlock; serialization; after one of these, in the same transaction.
        const PASSING: [&str; 3] = ["LY001", "40P01", "40001"];
        match error.code() {
            Some(code) if PASSING.contains(&code.code()) => Trouble::Again,
            _ => Trouble::Error(error.into()),
        }
    }
}

impl From<LedgerError> for Trouble {
    fn from(error: LedgerError) -> Trouble {
        Trouble::Error(error)
    }
}

/// Whether a place is the address of a database, and not a folder.
pub fn is_address(place: &str) -> bool {
    place.starts_with("postgres://") || place.starts_with("postgresql://")
}

impl Postgres {
    /// Opens the frontier in the database at this address, and in those that it names. An empty database gets
    /// its tables.
    ///
    /// # Errors
    /// If one of them cannot be reached, or has a newer layout than this program knows.
    pub async fn open(address: &str) -> Result<Postgres, LedgerError> {
        let first = Database::at(address)?;
        migrate::migrate(&first).await?;
        let map = Map::read(&first, None).await?;
        let map = Arc::new(RwLock::new(Arc::new(map)));
        Ok(Postgres { first, map, turn: Arc::default() })
    }

    /// The last layout that this program knows.
    pub fn newest_layout() -> u32 {
        migrate::newest()
    }

    fn map(&self) -> Arc<Map> {
        Arc::clone(&self.map.read().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    async fn read_map(&self) -> Result<Arc<Map>, LedgerError> {
        let map = Arc::new(Map::read(&self.first, Some(&self.map())).await?);
        let mut held = self.map.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        *held = Arc::clone(&map);
        Ok(map)
    }
}

#[async_trait]
impl Frontier for Postgres {
    async fn offer(&self, found: &[Found]) -> Result<Vec<bool>, LedgerError> {
        offer::offer(self, found).await
    }

    async fn lease(&self, lease: &Lease) -> Result<Vec<Grant>, LedgerError> {
        lease::lease(self, lease).await
    }

    async fn complete(&self, completion: &Completion) -> Result<Completed, LedgerError> {
        complete::complete(self, completion).await
    }

    async fn renew(&self, held: &[Held], ttl: Duration) -> Result<Vec<DomainKey>, LedgerError> {
        lease::renew(self, held, ttl).await
    }

    async fn owner_of(&self, domain: DomainKey) -> Result<Option<Owner>, LedgerError> {
        lease::owner_of(self, domain).await
    }

    async fn url(&self, key: PageKey) -> Result<Option<UrlEntry>, LedgerError> {
        records::url(self, key).await
    }

    async fn bot_seen(&self, bot: BotId, sighting: &Sighting) -> Result<(), LedgerError> {
        records::bot_seen(&self.first, bot, sighting).await
    }

    async fn bot(&self, bot: BotId) -> Result<Option<BotRecord>, LedgerError> {
        Ok(records::bots(&self.first, Some(bot)).await?.into_iter().next().map(|(_, bot)| bot))
    }

    async fn bots(&self) -> Result<Vec<(BotId, BotRecord)>, LedgerError> {
        records::bots(&self.first, None).await
    }

    async fn advance(&self, pages: &[PageKey], next: Option<Stage>) -> Result<u64, LedgerError> {
        sweep::advance(self, pages, next).await
    }

    async fn blob(&self, key: &str) -> Result<Option<Blob>, LedgerError> {
        records::blob(self, key).await
    }

    async fn sweep(&self, sweep: &Sweep) -> Result<Swept, LedgerError> {
        sweep::sweep(self, sweep).await
    }

    async fn stats(&self) -> Result<Stats, LedgerError> {
        records::stats(self).await
    }

    async fn sync(&self) -> Result<(), LedgerError> {
        Ok(())
    }
}

/// A moment of the database.
fn tick(moment: SystemTime) -> Tick {
    let since = moment.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Tick(since.as_millis().min(u128::from(u64::MAX)) as u64)
}

/// A number of milliseconds that the database told; less than none is none.
fn duration(millis: i64) -> Duration {
    Duration::from_millis(u64::try_from(millis).unwrap_or(0))
}

/// A number that the database keeps with a sign.
fn count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
