//! What is stuck?

use super::connect::{Id, millis, rows};
use super::lease::column;
use super::map::{Everywhere, Shard};
use super::{Postgres, Rounds, Trouble, count, records};
use crate::words::{Stage, Stuck, Sweep, Swept, Work};
use crate::{DomainKey, LedgerError, PageKey};
use lycosa_model::BotId;

const RUN_OUT: &str = "WITH old AS MATERIALIZED ( \
       SELECT did, owner FROM domain WHERE owner IS NOT NULL \
       AND lease_until <= now() - $1::bigint * interval '1 ms' \
       AND (did >> 52) & 4095 <> ALL ($3::bigint[]) \
       ORDER BY lease_until LIMIT $2 FOR UPDATE SKIP LOCKED) \
     UPDATE domain SET owner = NULL, lease_until = NULL FROM old WHERE domain.did = old.did \
     RETURNING domain.did, old.owner";

const AGAIN: &str = "WITH due AS MATERIALIZED ( \
       SELECT did, fp FROM url WHERE again_at <= now() AND (did >> 52) & 4095 <> ALL ($2::bigint[]) \
       ORDER BY again_at LIMIT $1 \
       FOR UPDATE SKIP LOCKED) \
     UPDATE url SET waits = true, again_at = NULL FROM due \
     WHERE url.did = due.did AND url.fp = due.fp RETURNING url.did";

/// Waits for whoever gives one of these domains back at this moment.
const LOCK: &str = "SELECT did FROM domain WHERE did = ANY ($1) ORDER BY did FOR UPDATE";

const WAKE: &str = "UPDATE domain SET ready_at = next_at \
     WHERE did = ANY ($1) AND ready_at = 'infinity' AND NOT gated";

const STUCK: &str = "WITH old AS MATERIALIZED ( \
       SELECT did, fp FROM work WHERE stage < 3 AND since <= now() - $1::bigint * interval '1 ms' \
       AND (did >> 52) & 4095 <> ALL ($4::bigint[]) LIMIT $2 FOR UPDATE SKIP LOCKED), \
     asked AS ( \
       UPDATE work SET since = now(), tries = work.tries + 1, \
         stage = CASE WHEN work.tries >= $3 THEN 3 ELSE work.stage END \
       FROM old WHERE work.did = old.did AND work.fp = old.fp \
       RETURNING work.did, work.fp, work.stage, work.tries) \
     SELECT url.did, url.fp, url.lo, url.url, asked.stage, asked.tries \
     FROM asked JOIN url ON url.did = asked.did AND url.fp = asked.fp";

/// One domain of each address that nobody uses any more.
const GATES: &str = "WITH next AS MATERIALIZED ( \
       SELECT DISTINCT ON (domain.address) domain.did FROM domain \
       JOIN ip_gate ON ip_gate.address = domain.address \
       WHERE domain.gated AND ip_gate.next_at <= now() \
       AND (did >> 52) & 4095 <> ALL ($1::bigint[]) ORDER BY domain.address, domain.next_at) \
     UPDATE domain SET gated = false, ready_at = domain.next_at FROM next \
     WHERE domain.did = next.did AND domain.gated RETURNING domain.did";

const NEXT_STAGE: &str = "UPDATE work SET stage = $3, since = now(), tries = 0 \
     FROM unnest($1::bigint[], $2::bigint[]) AS page (did, fp) \
     WHERE work.did = page.did AND work.fp = page.fp RETURNING 1";

const DONE: &str = "DELETE FROM work USING unnest($1::bigint[], $2::bigint[]) AS page (did, fp) \
     WHERE work.did = page.did AND work.fp = page.fp RETURNING 1";

pub(super) async fn sweep(postgres: &Postgres, sweep: &Sweep) -> Result<Swept, LedgerError> {
    let mut swept = Swept::default();
    let mut done: Vec<String> = Vec::new();
    let mut everywhere = Everywhere::new();
    loop {
        let map = everywhere.next(postgres).await?;
        let mut again = false;
        for shard in map.shards.iter() {
            if done.contains(&shard.name) {
                continue;
            }
            match sweep_at(shard, sweep, &mut swept).await {
                Ok(()) => done.push(shard.name.clone()),
                Err(Trouble::Again) => again = true,
                Err(Trouble::Error(error)) => return Err(error),
            }
        }
        if !again {
            let bots: Vec<BotId> = swept.run_out.iter().map(|(_, bot)| *bot).collect();
            records::expired(&postgres.first, &bots).await?;
            return Ok(swept);
        }
    }
}

/// Adds what it found to what is known, once it is written.
async fn sweep_at(shard: &Shard, sweep: &Sweep, swept: &mut Swept) -> Result<(), Trouble> {
    let limit = i64::from(sweep.limit);
    let mut connection = shard.database.connection().await?;
    let tx = shard.enter(&mut connection).await?;
    let run_out = rows(&tx, RUN_OUT, &[&millis(sweep.grace), &limit, &shard.shut]).await?;
    let mut again: Vec<i64> = column(&rows(&tx, AGAIN, &[&limit, &shard.shut]).await?, 0)?;
    let came_back = again.len() as u64;
    again.sort_unstable();
    again.dedup();
    if !again.is_empty() {
        rows(&tx, LOCK, &[&again]).await?;
        rows(&tx, WAKE, &[&again]).await?;
    }
    let tries = i32::try_from(sweep.tries).unwrap_or(i32::MAX);
    let stuck = rows(&tx, STUCK, &[&millis(sweep.patience), &limit, &tries, &shard.shut]).await?;
    let woken = rows(&tx, GATES, &[&shard.shut]).await?;
    tx.commit().await?;

    swept.again += came_back;
    swept.woken += woken.len() as u64;
    for row in &run_out {
        let Id(bot) = row.try_get(1)?;
        swept.run_out.push((DomainKey::of_column(row.try_get(0)?), BotId(bot)));
    }
    for row in &stuck {
        let (stage, tries): (i16, i32) = (row.try_get(4)?, row.try_get(5)?);
        let work = records::work(stage, tries)?;
        if work.stage == Stage::Parked {
            swept.parked += 1;
            continue;
        }
        let key = PageKey::of_columns(row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        // The number of the attempt that this is.
        let work = Work { tries: count(i64::from(tries)) as u32, ..work };
        swept.stuck.push(Stuck { key, url: row.try_get(3)?, work });
    }
    Ok(())
}

pub(super) async fn advance(
    postgres: &Postgres,
    pages: &[PageKey],
    next: Option<Stage>,
) -> Result<u64, LedgerError> {
    let mut pages = pages.to_vec();
    pages.sort_unstable_by_key(|page| page.columns());
    pages.dedup_by_key(|page| page.columns());
    let mut advanced = 0;
    let mut rounds = Rounds::of(pages.len());
    loop {
        let groups = rounds.next(postgres, |item| pages[item].domain.slot()).await?;
        if groups.is_empty() {
            return Ok(advanced);
        }
        for group in groups {
            let mine: Vec<PageKey> = group.items.iter().map(|item| pages[*item]).collect();
            let result = advance_at(&group.shard, &mine, next).await;
            advanced += rounds.settle(group, result)?.unwrap_or(0);
        }
    }
}

async fn advance_at(shard: &Shard, pages: &[PageKey], next: Option<Stage>) -> Result<u64, Trouble> {
    let (dids, fps): (Vec<i64>, Vec<i64>) = pages.iter().map(|page| page.columns()).unzip();
    let mut connection = shard.database.connection().await?;
    let tx = shard.enter(&mut connection).await?;
    let advanced = match next {
        Some(stage) => rows(&tx, NEXT_STAGE, &[&dids, &fps, &stage.code()]).await?,
        None => rows(&tx, DONE, &[&dids, &fps]).await?,
    };
    tx.commit().await?;
    Ok(advanced.len() as u64)
}
