//! How does a slot get to another database, while the crawl goes on?
//!
//! 1. Triggers note what changes in the slot from now on; then its rows are copied.
//! 2. The slot is frozen: nobody writes to it. What changed since is copied, which takes a moment.
//! 3. The database that had it lets it go, and then the other one takes it. Between the two nobody serves it.
//! 4. Its rows are removed where it was.
//!
//! Each step is a transaction, and what was done is known from the state of the slot: a move that was cut off is
//! ended by asking for it again.

use super::connect::{Database, rows};
use super::lease::column;
use super::map::{COMING, ELSEWHERE, FIRST, FROZEN, GONE, SERVED, Shard};
use super::{Postgres, Trouble, migrate};
use crate::LedgerError;
use crate::slot::Slot;
use deadpool_postgres::{Object, Transaction};
use futures_util::{SinkExt, TryStreamExt};
use std::pin::pin;

/// Nobody is inside a transaction that writes while this is held.
const ALONE: &str = "SELECT pg_advisory_xact_lock(7310579001)";

/// One move at a time out of a database.
const ONE_MOVE: &str = "SELECT pg_try_advisory_lock(7310579002)";
const MOVE_ENDED: &str = "SELECT pg_advisory_unlock(7310579002)";

/// How often a move is taken up again when somebody was in its way.
const ATTEMPTS: u32 = 10;

const SET_STATE: &str = "WITH v AS (UPDATE self SET version = version + 1 RETURNING version) \
     UPDATE slot_map SET state = $2, shard = $3, version = v.version FROM v WHERE slot = $1";

/// The tables that belong to slots, and what tells rows apart.
const TABLES: [(&str, &str); 3] = [("domain", "did"), ("url", "did, fp"), ("work", "did, fp")];

impl Postgres {
    /// Adds an empty database, to which slots can be moved.
    ///
    /// # Errors
    /// If it cannot be reached, is not empty, or the name is taken.
    pub async fn add_database(&self, name: &str, address: &str) -> Result<(), LedgerError> {
        let refused = |reason: &str| LedgerError::Address { reason: reason.to_owned() };
        if name == FIRST {
            return Err(refused("this is the name of the first database"));
        }
        let database = Database::at(address)?;
        migrate::migrate(&database).await?;
        let mut connection = database.connection().await?;
        let tx = connection.transaction().await?;
        tx.batch_execute(ALONE).await?;
        let row = tx.query_one("SELECT name, EXISTS (SELECT FROM domain) FROM self", &[]).await?;
        let (present, in_use): (String, bool) = (row.try_get(0)?, row.try_get(1)?);
        if present != name {
            if in_use || present != FIRST {
                return Err(refused("this database belongs to a frontier already"));
            }
            tx.execute("UPDATE self SET name = $1, version = version + 1", &[&name]).await?;
            let elsewhere = "UPDATE slot_map SET shard = $1, state = $2";
            tx.execute(elsewhere, &[&FIRST, &ELSEWHERE]).await?;
        }
        tx.commit().await?;
        let list = self.first.connection().await?;
        let added = "INSERT INTO shard (name, address) VALUES ($1, $2) \
                     ON CONFLICT (name) DO UPDATE SET address = excluded.address";
        list.execute(added, &[&name, &address]).await?;
        self.read_map().await?;
        Ok(())
    }

    /// The name of the database that serves a slot; none while it is being moved.
    pub async fn database_of(&self, slot: Slot) -> Result<Option<String>, LedgerError> {
        Ok(self.read_map().await?.shard_of(slot).map(|shard| shard.name.clone()))
    }

    /// Moves a slot to the database with this name, or ends a move that was cut off.
    ///
    /// # Errors
    /// If there is no such database, another slot is being moved, or a database fails. The slot is then where it
    /// was, or frozen until the move is asked for again.
    pub async fn move_slot(&self, slot: Slot, to: &str) -> Result<(), LedgerError> {
        let refused = |reason: String| LedgerError::Move { slot: slot.number(), reason };
        let map = self.read_map().await?;
        let target = map.named(to).ok_or_else(|| refused(format!("no database is called {to}")))?;
        for _ in 0..ATTEMPTS {
            let mut source = None;
            for shard in map.shards.iter().filter(|shard| shard.name != to) {
                match state(&shard.database, slot).await? {
                    ELSEWHERE => {}
                    // A move to somewhere else was cut off there.
                    COMING => remove(slot, shard).await.or_else(Trouble::unless_passing)?,
                    state => source = Some((shard, state)),
                }
            }
            let Some((source, state)) = source else {
                return match self.read_map().await?.shard_of(slot) {
                    Some(_) => Ok(()),
                    None => Err(refused("no database has it".to_owned())),
                };
            };
            // Not given back to others: whatever happens here, the lock ends with the connection.
            let guard = Object::take(source.database.connection().await?);
            if !guard.query_one(ONE_MOVE, &[]).await?.try_get::<_, bool>(0)? {
                return Err(refused("another slot of this database is being moved".to_owned()));
            }
            let moved = carry(slot, source, target, state).await;
            guard.batch_execute(MOVE_ENDED).await?;
            if let Err(Trouble::Error(error)) = moved {
                return Err(error);
            }
        }
        Err(refused("others were in the way at every attempt".to_owned()))
    }
}

async fn state(database: &Database, slot: Slot) -> Result<i16, LedgerError> {
    let connection = database.connection().await?;
    let statement = "SELECT state FROM slot_map WHERE slot = $1";
    Ok(connection.query_one(statement, &[&number(slot)]).await?.try_get(0)?)
}

fn number(slot: Slot) -> i16 {
    slot.number().cast_signed()
}

async fn carry(slot: Slot, source: &Shard, target: &Shard, state: i16) -> Result<(), Trouble> {
    if state == SERVED {
        watch(slot, source).await?;
        // Nobody may take what is copied for the slot itself.
        set_state(slot, target, COMING, &source.name).await?;
        copy_all(slot, source, target).await?;
        set_state(slot, source, FROZEN, &source.name).await?;
        copy_changes(slot, source, target).await?;
    }
    if state == FROZEN {
        // Cut off while it was frozen. Nobody writes, so a copy is right whenever it is made.
        set_state(slot, target, COMING, &source.name).await?;
        copy_all(slot, source, target).await?;
    }
    if state != GONE {
        set_state(slot, source, GONE, &target.name).await?;
    }
    take(slot, target).await?;
    remove(slot, source).await
}

/// From now on changes are noted.
async fn watch(slot: Slot, source: &Shard) -> Result<(), Trouble> {
    let mut connection = source.database.connection().await?;
    let tx = connection.transaction().await?;
    // Whoever is inside has locks that this would wait for, and wants others.
    tx.batch_execute(ALONE).await?;
    for (table, _) in TABLES {
        tx.batch_execute(&format!(
            "DROP TRIGGER IF EXISTS moving ON {table}; \
             CREATE TRIGGER moving AFTER INSERT OR UPDATE OR DELETE ON {table} \
             FOR EACH ROW EXECUTE FUNCTION note_change({slot})"
        ))
        .await?;
    }
    tx.batch_execute("TRUNCATE delta").await?;
    Ok(tx.commit().await?)
}

async fn copy_all(slot: Slot, source: &Shard, target: &Shard) -> Result<(), Trouble> {
    let (first, last) = slot.range();
    let from = source.database.connection().await?;
    let mut to = target.database.connection().await?;
    let tx = to.transaction().await?;
    for (table, _) in TABLES {
        // What an earlier attempt left.
        let within = format!("did BETWEEN {first} AND {last}");
        tx.batch_execute(&format!("DELETE FROM {table} WHERE {within}")).await?;
        let rows = format!("SELECT * FROM {table} WHERE {within}");
        copy(&from, &rows, &tx, table).await?;
    }
    Ok(tx.commit().await?)
}

async fn copy_changes(slot: Slot, source: &Shard, target: &Shard) -> Result<(), Trouble> {
    let from = source.database.connection().await?;
    let mut to = target.database.connection().await?;
    let tx = to.transaction().await?;
    for (table, key) in TABLES {
        let keys = format!("SELECT DISTINCT {key} FROM delta WHERE kind = '{table}'");
        // The keys that changed, and of those the rows that are still there.
        let noted = "CREATE TEMP TABLE changed (did bigint, fp bigint) ON COMMIT DROP";
        tx.batch_execute(noted).await?;
        let columns = if key == "did" {
            format!("SELECT did, 0::bigint FROM ({keys}) AS k")
        } else {
            keys.clone()
        };
        copy(&from, &columns, &tx, "changed").await?;
        let same = if key == "did" { "" } else { "AND gone.fp = changed.fp" };
        tx.batch_execute(&format!(
            "DELETE FROM {table} AS gone USING changed WHERE gone.did = changed.did {same}; \
             DROP TABLE changed"
        ))
        .await?;
        let rows = format!("SELECT * FROM {table} WHERE ({key}) IN ({keys})");
        copy(&from, &rows, &tx, table).await?;
    }
    tracing::debug!(%slot, "copied what changed in a slot");
    Ok(tx.commit().await?)
}

/// Sends rows from one database to a table of another as they are.
async fn copy(
    from: &tokio_postgres::Client,
    rows: &str,
    to: &Transaction<'_>,
    table: &str,
) -> Result<(), Trouble> {
    let stream = from.copy_out(&format!("COPY ({rows}) TO STDOUT (FORMAT binary)")).await?;
    let sink = to.copy_in(&format!("COPY {table} FROM STDIN (FORMAT binary)")).await?;
    let (mut stream, mut sink) = (pin!(stream), pin!(sink));
    while let Some(bytes) = stream.try_next().await? {
        sink.send(bytes).await?;
    }
    sink.as_mut().finish().await?;
    Ok(())
}

/// Lets the database that has the copy serve the slot. Gates are kept by each database for itself, so its domains
/// are counted here, and none of them stands in line any more.
async fn take(slot: Slot, target: &Shard) -> Result<(), Trouble> {
    let (first, last) = slot.range();
    let mut connection = target.database.connection().await?;
    let tx = connection.transaction().await?;
    tx.batch_execute(ALONE).await?;
    let state = rows(&tx, "SELECT state FROM slot_map WHERE slot = $1", &[&number(slot)]).await?;
    if column::<i16>(&state, 0)? == [SERVED] {
        return Ok(());
    }
    tx.batch_execute(&format!(
        "UPDATE domain SET gated = false, ready_at = next_at \
           WHERE did BETWEEN {first} AND {last} AND gated; \
         INSERT INTO ip_gate (address, domains) SELECT address, count(*) FROM domain \
           WHERE did BETWEEN {first} AND {last} AND address IS NOT NULL GROUP BY 1 ORDER BY 1 \
           ON CONFLICT (address) DO UPDATE SET domains = ip_gate.domains + excluded.domains"
    ))
    .await?;
    rows(&tx, SET_STATE, &[&number(slot), &SERVED, &target.name]).await?;
    Ok(tx.commit().await?)
}

/// Changes who serves a slot, when nobody is inside; whoever comes with the old map is refused from then on.
async fn set_state(slot: Slot, shard: &Shard, state: i16, owner: &str) -> Result<(), Trouble> {
    let mut connection = shard.database.connection().await?;
    let tx = connection.transaction().await?;
    tx.batch_execute(ALONE).await?;
    rows(&tx, SET_STATE, &[&number(slot), &state, &owner]).await?;
    Ok(tx.commit().await?)
}

/// Removes what is left of a slot that is served elsewhere.
async fn remove(slot: Slot, source: &Shard) -> Result<(), Trouble> {
    let (first, last) = slot.range();
    let mut connection = source.database.connection().await?;
    let tx = connection.transaction().await?;
    tx.batch_execute(ALONE).await?;
    for (table, _) in TABLES {
        tx.batch_execute(&format!("DROP TRIGGER IF EXISTS moving ON {table}")).await?;
    }
    tx.commit().await?;
    let tx = connection.transaction().await?;
    tx.batch_execute(&format!(
        "UPDATE ip_gate SET domains = domains - gone.n FROM (SELECT address, count(*) AS n \
           FROM domain WHERE did BETWEEN {first} AND {last} AND address IS NOT NULL GROUP BY 1) AS gone \
           WHERE ip_gate.address = gone.address"
    ))
    .await?;
    for (table, _) in TABLES {
        let rows = format!("DELETE FROM {table} WHERE did BETWEEN {first} AND {last}");
        tx.batch_execute(&rows).await?;
    }
    let statement = "UPDATE slot_map SET state = $2 WHERE slot = $1";
    rows(&tx, statement, &[&number(slot), &ELSEWHERE]).await?;
    Ok(tx.commit().await?)
}
