//! Which database serves which slot?

use super::connect::{Database, rows};
use super::{Postgres, Trouble, migrate};
use crate::LedgerError;
use crate::slot::{SLOTS, Slot};
use deadpool_postgres::{Object, Transaction};
use std::sync::Arc;
use std::time::Duration;

/// States of a slot in a database.
pub(super) const ELSEWHERE: i16 = 0;
pub(super) const SERVED: i16 = 1;
pub(super) const FROZEN: i16 = 2;
pub(super) const GONE: i16 = 3;
pub(super) const COMING: i16 = 4;

/// How often something is tried again before it is given up.
const ATTEMPTS: u32 = 100;

/// How long a slot that is on its way is waited for before the map is read again.
const PAUSE: Duration = Duration::from_millis(50);

/// A database, as it was when the map was read.
#[derive(Clone)]
pub(super) struct Shard {
    pub(super) name: String,
    pub(super) address: String,
    pub(super) database: Database,
    /// The version of its map.
    pub(super) version: i64,
    /// Slots of which it has rows and that it does not serve.
    pub(super) shut: Vec<i64>,
}

impl Shard {
    /// Begins a transaction that holds only if the map is still right.
    pub(super) async fn enter<'a>(
        &self,
        connection: &'a mut Object,
    ) -> Result<Transaction<'a>, Trouble> {
        let tx = connection.transaction().await?;
        rows(&tx, "SELECT enter($1)", &[&self.version]).await?;
        Ok(tx)
    }
}

/// Which database serves which slot.
pub(super) struct Map {
    pub(super) shards: Vec<Arc<Shard>>,
    /// By the number of the slot; none while it is on its way.
    slots: Vec<Option<usize>>,
}

/// The name of the database that a frontier is opened by.
pub(super) const FIRST: &str = "main";

impl Map {
    /// Reads the map from all databases. Connections of an earlier map are used again.
    pub(super) async fn read(first: &Database, before: Option<&Map>) -> Result<Map, LedgerError> {
        let connection = first.connection().await?;
        let others = connection.query("SELECT name, address FROM shard ORDER BY name", &[]).await?;
        drop(connection);
        let mut map = Map { shards: Vec::new(), slots: vec![None; usize::from(SLOTS)] };
        map.add(FIRST.to_owned(), String::new(), first.clone()).await?;
        for row in others {
            let (name, address): (String, String) = (row.try_get(0)?, row.try_get(1)?);
            let known = before.and_then(|map| {
                map.shards.iter().find(|shard| shard.name == name && shard.address == address)
            });
            let database = match known {
                Some(shard) => shard.database.clone(),
                None => {
                    let database = Database::at(&address)?;
                    migrate::migrate(&database).await?;
                    database
                }
            };
            map.add(name, address, database).await?;
        }
        Ok(map)
    }

    async fn add(
        &mut self,
        name: String,
        address: String,
        database: Database,
    ) -> Result<(), LedgerError> {
        // In one statement, so that the version belongs to the slots.
        let statement = "SELECT version, \
             ARRAY(SELECT slot FROM slot_map WHERE state = $1), \
             ARRAY(SELECT slot::bigint FROM slot_map WHERE state = ANY ($2)) FROM self";
        let row = {
            let connection = database.connection().await?;
            connection.query_one(statement, &[&SERVED, &[FROZEN, GONE, COMING].as_slice()]).await?
        };
        let served: Vec<i16> = row.try_get(1)?;
        let number = self.shards.len();
        for slot in served {
            if let Some(place) = usize::try_from(slot).ok().and_then(|at| self.slots.get_mut(at)) {
                *place = Some(number);
            }
        }
        let (version, shut) = (row.try_get(0)?, row.try_get(2)?);
        self.shards.push(Arc::new(Shard { name, address, database, version, shut }));
        Ok(())
    }

    /// The database that serves a slot.
    pub(super) fn shard_of(&self, slot: Slot) -> Option<&Arc<Shard>> {
        let number = self.slots.get(usize::from(slot.number())).copied().flatten()?;
        self.shards.get(number)
    }

    /// The database with this name.
    pub(super) fn named(&self, name: &str) -> Option<&Arc<Shard>> {
        self.shards.iter().find(|shard| shard.name == name)
    }
}

/// Things that are to be done at the databases that serve their slots, until all are done.
pub(super) struct Rounds {
    left: Vec<usize>,
    round: u32,
}

/// What one database is to do: the numbers of the things.
pub(super) struct Group {
    pub(super) shard: Arc<Shard>,
    pub(super) items: Vec<usize>,
}

impl Rounds {
    /// So many things.
    pub(super) fn of(things: usize) -> Rounds {
        Rounds { left: (0..things).collect(), round: 0 }
    }

    /// What is left to do, by database; nothing when all is done.
    pub(super) async fn next(
        &mut self,
        postgres: &Postgres,
        slot_of: impl Fn(usize) -> Slot + Send,
    ) -> Result<Vec<Group>, LedgerError> {
        let mut homeless = None;
        while !self.left.is_empty() {
            if self.round >= ATTEMPTS {
                return Err(homeless.map_or(LedgerError::Stale, |slot: Slot| {
                    LedgerError::Moving { slot: slot.number() }
                }));
            }
            let map = if self.round == 0 { postgres.map() } else { postgres.read_map().await? };
            self.round += 1;
            let mut groups: Vec<Group> = Vec::new();
            homeless = None;
            let mut left = Vec::new();
            for item in std::mem::take(&mut self.left) {
                let slot = slot_of(item);
                let Some(shard) = map.shard_of(slot) else {
                    homeless = Some(slot);
                    left.push(item);
                    continue;
                };
                match groups.iter_mut().find(|group| Arc::ptr_eq(&group.shard, shard)) {
                    Some(group) => group.items.push(item),
                    None => groups.push(Group { shard: Arc::clone(shard), items: vec![item] }),
                }
            }
            self.left = left;
            if !groups.is_empty() {
                return Ok(groups);
            }
            tokio::time::sleep(PAUSE).await;
        }
        Ok(Vec::new())
    }

    /// What came of one group: its result, or nothing when it is to be done again.
    pub(super) fn settle<T>(
        &mut self,
        group: Group,
        result: Result<T, Trouble>,
    ) -> Result<Option<T>, LedgerError> {
        match result {
            Ok(result) => Ok(Some(result)),
            Err(Trouble::Again) => {
                self.left.extend(group.items);
                Ok(None)
            }
            Err(Trouble::Error(error)) => Err(error),
        }
    }
}

/// The same for what every database is asked, whatever its slots: with the newest map, until it holds.
pub(super) struct Everywhere {
    round: u32,
}

impl Everywhere {
    pub(super) fn new() -> Everywhere {
        Everywhere { round: 0 }
    }

    /// All databases, by a map that is new when an attempt failed.
    pub(super) async fn next(&mut self, postgres: &Postgres) -> Result<Arc<Map>, LedgerError> {
        if self.round >= ATTEMPTS {
            return Err(LedgerError::Stale);
        }
        let map = if self.round == 0 { postgres.map() } else { postgres.read_map().await? };
        self.round += 1;
        Ok(map)
    }
}
