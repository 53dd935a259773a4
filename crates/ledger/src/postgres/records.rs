//! What is known of a URL, a bot, an object, and of all together?

use super::connect::{Database, Id, rows};
use super::offer::rank_of;
use super::{Postgres, Rounds, count, duration, tick};
use crate::code::state_of;
use crate::words::{Blob, Sighting, Stage, Stats, UrlEntry, Work};
use crate::{LedgerError, PageKey, Slot};
use lycosa_model::{BotId, BotRecord, Door, Lang, Rank, UrlId};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

const URL: &str = "SELECT url.did, url.fp, lo, url, state, inlinks, outlinks, dinit, dlast, \
       language, bot1, bot2, etag, last_modified, digest, url.tries, rank, depth, via, waits, \
       (extract(epoch FROM again_at - now()) * 1000)::bigint, work.stage, work.tries \
     FROM url LEFT JOIN work ON work.did = url.did AND work.fp = url.fp \
     WHERE url.did = $1 AND url.fp = $2";

const SEEN: &str = "INSERT INTO bot (id, name, door, requests, reported, kissed) \
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO UPDATE SET \
       name = excluded.name, door = excluded.door, dlast = now(), \
       requests = bot.requests + excluded.requests, \
       reported = bot.reported + excluded.reported, \
       expired = CASE WHEN excluded.reported > 0 THEN 0 ELSE bot.expired END, \
       kissed = coalesce(excluded.kissed, bot.kissed)";

const BOTS: &str = "SELECT id, name, door, dinit, dlast, requests, reported, expired, kissed \
     FROM bot WHERE $1::uuid IS NULL OR id = $1 ORDER BY id";

const EXPIRED: &str = "UPDATE bot SET expired = expired + more.n \
     FROM (SELECT id, count(*) AS n FROM unnest($1::uuid[]) AS ran_out (id) GROUP BY id) AS more \
     WHERE bot.id = more.id";

const STATS: &str = "SELECT (SELECT count(*) FROM domain), \
     (SELECT count(*) FROM domain WHERE owner IS NOT NULL AND lease_until > now()), \
     (SELECT count(*) FROM domain WHERE ready_at <= now()), \
     (SELECT coalesce(sum(urls), 0)::bigint FROM domain), \
     (SELECT count(*) FROM url WHERE waits), \
     (SELECT count(*) FROM url WHERE again_at IS NOT NULL), \
     (SELECT count(*) FROM work WHERE stage = 1), (SELECT count(*) FROM work WHERE stage = 2), \
     (SELECT count(*) FROM work WHERE stage = 3), (SELECT count(*) FROM blob)";

pub(super) async fn url(
    postgres: &Postgres,
    key: PageKey,
) -> Result<Option<UrlEntry>, LedgerError> {
    let (did, fp) = key.columns();
    let row = row_of(postgres, key.domain.slot(), URL, &[&did, &fp]).await?;
    row.map(|row| entry(&row)).transpose()
}

/// The row that a statement finds in the database that serves a slot, if there is one. A slot that went elsewhere is
/// looked for there.
pub(super) async fn row_of(
    postgres: &Postgres,
    slot: Slot,
    statement: &str,
    values: &[&(dyn ToSql + Sync)],
) -> Result<Option<Row>, LedgerError> {
    let mut rounds = Rounds::of(1);
    loop {
        let mut groups = rounds.next(postgres, |_| slot).await?;
        let Some(group) = groups.pop() else { return Ok(None) };
        let found = async {
            let mut connection = group.shard.database.connection().await?;
            let tx = group.shard.enter(&mut connection).await?;
            let found = rows(&tx, statement, values).await?;
            tx.commit().await?;
            Ok(found)
        };
        let found = found.await;
        if let Some(found) = rounds.settle(group, found)? {
            return Ok(found.into_iter().next());
        }
    }
}

fn entry(row: &Row) -> Result<UrlEntry, LedgerError> {
    let key = PageKey::of_columns(row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
    let number = |at: usize| row.try_get::<_, i32>(at).map(i32::unsigned_abs);
    let id = |at: usize| row.try_get::<_, Option<Id>>(at).map(|id| id.map(|Id(id)| id));
    let tries: i16 = row.try_get(15)?;
    let language: Option<&str> = row.try_get(9)?;
    let (stage, work_tries): (Option<i16>, Option<i32>) = (row.try_get(21)?, row.try_get(22)?);
    Ok(UrlEntry {
        url_id: key.id,
        url: row.try_get(3)?,
        state: state_of(row.try_get(4)?)?,
        inlinks: u64::from(number(5)?),
        outlinks: number(6)?,
        dinit: tick(row.try_get(7)?),
        dlast: row.try_get::<_, Option<_>>(8)?.map(tick),
        language: language.and_then(Lang::parse),
        bot1_id: id(10)?.map(BotId),
        bot2_id: id(11)?.map(BotId),
        etag: row.try_get(12)?,
        last_modified: row.try_get(13)?,
        digest: row.try_get(14)?,
        tries: u32::from(tries.unsigned_abs()),
        rank: Rank(rank_of(row.try_get(16)?)),
        depth: number(17)?,
        via: id(18)?.map(UrlId),
        waits: row.try_get(19)?,
        again: row.try_get::<_, Option<i64>>(20)?.map(duration),
        work: stage.map(|stage| work(stage, work_tries.unwrap_or(0))).transpose()?,
    })
}

/// Work as the database writes it.
pub(super) fn work(stage: i16, tries: i32) -> Result<Work, LedgerError> {
    let unknown = || LedgerError::corrupt("stage of work", format!("{stage} is none"));
    let stage = Stage::of_code(stage).ok_or_else(unknown)?;
    Ok(Work { stage, tries: tries.unsigned_abs() })
}

pub(super) async fn bot_seen(
    first: &Database,
    bot: BotId,
    sighting: &Sighting,
) -> Result<(), LedgerError> {
    let connection = first.connection().await?;
    let statement = connection.prepare_cached(SEEN).await?;
    let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let door = match sighting.door {
        Door::Inside => "inside",
        Door::Http => "http",
    };
    let (requests, reported) = (number(sighting.requests), number(sighting.reported));
    let kissed = &sighting.kissed;
    connection
        .execute(&statement, &[&Id(bot.0), &sighting.name, &door, &requests, &reported, kissed])
        .await?;
    Ok(())
}

/// One bot, or all.
pub(super) async fn bots(
    first: &Database,
    bot: Option<BotId>,
) -> Result<Vec<(BotId, BotRecord)>, LedgerError> {
    let connection = first.connection().await?;
    let statement = connection.prepare_cached(BOTS).await?;
    let id = bot.map(|BotId(id)| Id(id));
    connection.query(&statement, &[&id]).await?.iter().map(bot_of).collect()
}

fn bot_of(row: &Row) -> Result<(BotId, BotRecord), LedgerError> {
    let Id(id) = row.try_get(0)?;
    let door = match row.try_get(2)? {
        "inside" => Door::Inside,
        "http" => Door::Http,
        other => return Err(LedgerError::corrupt("door of a bot", other)),
    };
    let (requests, reported): (i64, i64) = (row.try_get(5)?, row.try_get(6)?);
    let expired: i32 = row.try_get(7)?;
    let record = BotRecord {
        name: row.try_get(1)?,
        door,
        dinit: tick(row.try_get(3)?),
        dlast: tick(row.try_get(4)?),
        requests: count(requests),
        reported: count(reported),
        expired: expired.unsigned_abs(),
        kissed: row.try_get(8)?,
    };
    Ok((BotId(id), record))
}

/// Notes that leases of these bots ran out.
pub(super) async fn expired(first: &Database, bots: &[BotId]) -> Result<(), LedgerError> {
    if bots.is_empty() {
        return Ok(());
    }
    let connection = first.connection().await?;
    let statement = connection.prepare_cached(EXPIRED).await?;
    let ids: Vec<Id> = bots.iter().map(|BotId(id)| Id(*id)).collect();
    connection.execute(&statement, &[&ids]).await?;
    Ok(())
}

pub(super) async fn blob(postgres: &Postgres, key: &str) -> Result<Option<Blob>, LedgerError> {
    for shard in &postgres.read_map().await?.shards {
        let connection = shard.database.connection().await?;
        let statement = "SELECT key, sha256, bytes, records FROM blob WHERE key = $1";
        let statement = connection.prepare_cached(statement).await?;
        let Some(row) = connection.query_opt(&statement, &[&key]).await? else { continue };
        let (sum, bytes, records): (&[u8], i64, i64) =
            (row.try_get(1)?, row.try_get(2)?, row.try_get(3)?);
        let sha256 =
            sum.try_into().map_err(|error| LedgerError::corrupt("digest of an object", error))?;
        let records = u32::try_from(records).unwrap_or(u32::MAX);
        return Ok(Some(Blob { key: row.try_get(0)?, sha256, bytes: count(bytes), records }));
    }
    Ok(None)
}

pub(super) async fn stats(postgres: &Postgres) -> Result<Stats, LedgerError> {
    let mut all = Stats::default();
    for shard in &postgres.read_map().await?.shards {
        let connection = shard.database.connection().await?;
        let row = connection.query_one(STATS, &[]).await?;
        let fields = [
            &mut all.domains,
            &mut all.held,
            &mut all.due,
            &mut all.urls,
            &mut all.waiting,
            &mut all.later,
            &mut all.to_filter,
            &mut all.to_index,
            &mut all.parked,
            &mut all.blobs,
        ];
        for (number, field) in fields.into_iter().enumerate() {
            *field += count(row.try_get(number)?);
        }
    }
    Ok(all)
}
