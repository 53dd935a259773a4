//! Who may ask which domain, and until when?

use super::connect::{Id, millis, rows};
use super::map::{Everywhere, Shard};
use super::offer::rank_of;
use super::{Postgres, Rounds, Trouble, duration, records, tick};
use crate::words::{Grant, Held, Lease, Owner, Task};
use crate::{DomainKey, LedgerError, PageKey};
use deadpool_postgres::Transaction;
use lycosa_model::{BotId, Rank};
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio_postgres::Row;

/// Takes the domains that have waited longest. What somebody else is just taking is passed over. Where several
/// domains share a network address, the first one takes its gate; the others stand in line until it is free.
/// A lease that runs out is followed by a full delay, whenever its holder asked last.
const GRANT: &str = "WITH due AS MATERIALIZED ( \
       SELECT did, owner, address FROM domain \
       WHERE ready_at <= now() AND (did >> 52) & 4095 <> ALL ($4::bigint[]) \
       ORDER BY ready_at LIMIT $2 FOR UPDATE SKIP LOCKED), \
     gate AS MATERIALIZED ( \
       SELECT address FROM ip_gate WHERE domains > 1 AND next_at <= now() \
       AND address = ANY (ARRAY(SELECT address FROM due WHERE address IS NOT NULL)) \
       FOR UPDATE SKIP LOCKED), \
     shared AS MATERIALIZED ( \
       SELECT due.did, due.address, \
         gate.address IS NOT NULL AND row_number() OVER (PARTITION BY due.address) = 1 AS first \
       FROM due JOIN ip_gate ON ip_gate.address = due.address AND ip_gate.domains > 1 \
       LEFT JOIN gate ON gate.address = due.address), \
     in_line AS ( \
       UPDATE domain SET gated = true, ready_at = 'infinity', owner = NULL, lease_until = NULL \
       FROM shared WHERE domain.did = shared.did AND NOT shared.first), \
     taken AS ( \
       UPDATE ip_gate SET holder = shared.did, next_at = now() + $3::bigint * interval '1 ms' \
       FROM shared WHERE ip_gate.address = shared.address AND shared.first), \
     granted AS ( \
       UPDATE domain SET owner = $1, epoch = domain.epoch + 1, \
         lease_until = now() + $3::bigint * interval '1 ms', \
         next_at = now() + ($3::bigint + domain.delay_ms) * interval '1 ms', \
         ready_at = now() + ($3::bigint + domain.delay_ms) * interval '1 ms' \
       FROM due LEFT JOIN shared ON shared.did = due.did \
       WHERE domain.did = due.did AND coalesce(shared.first, true) \
       RETURNING domain.did, domain.name, domain.epoch, domain.delay_ms, domain.address) \
     SELECT due.owner, granted.* FROM due LEFT JOIN granted ON granted.did = due.did";

/// A statement of its own: it sees what was written until the domains were locked.
const TASKS: &str = "SELECT url.* FROM unnest($1::bigint[]) AS domain (did) CROSS JOIN LATERAL ( \
     SELECT did, fp, lo, url, rank, depth, tries, dlast, etag, last_modified, digest FROM url \
     WHERE url.did = domain.did AND waits ORDER BY rank LIMIT $2) AS url";

const NOTHING_THERE: &str = "UPDATE domain SET owner = NULL, lease_until = NULL, next_at = now(), \
     ready_at = 'infinity' WHERE did = ANY ($1)";

/// Frees the gates of domains that were given back, each after a rest, and lets the next one in line have its turn.
const FREE: &str = "WITH freed AS ( \
       UPDATE ip_gate SET holder = NULL, next_at = now() + rest * interval '1 ms' \
       FROM unnest($1::bigint[], $2::inet[], $3::bigint[]) AS back (did, address, rest) \
       WHERE ip_gate.address = back.address AND ip_gate.holder = back.did \
       RETURNING ip_gate.address, ip_gate.next_at) \
     UPDATE domain SET gated = false, ready_at = greatest(freed.next_at, domain.next_at) \
     FROM freed, LATERAL (SELECT did FROM domain AS line WHERE line.gated \
       AND line.address = freed.address ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED) AS next \
     WHERE domain.did = next.did";

const RENEW: &str = "UPDATE domain SET lease_until = now() + $3::bigint * interval '1 ms', \
       next_at = now() + ($3::bigint + delay_ms) * interval '1 ms', \
       ready_at = now() + ($3::bigint + delay_ms) * interval '1 ms' \
     FROM unnest($1::bigint[], $2::bigint[]) AS held (did, epoch) \
     WHERE domain.did = held.did AND domain.epoch = held.epoch AND domain.lease_until IS NOT NULL \
     RETURNING domain.did, domain.address";

const KEEP_GATE: &str = "UPDATE ip_gate SET next_at = now() + $3::bigint * interval '1 ms' \
     FROM unnest($1::bigint[], $2::inet[]) AS kept (did, address) \
     WHERE ip_gate.address = kept.address AND ip_gate.holder = kept.did";

const OWNER: &str = "SELECT owner, epoch, \
     (extract(epoch FROM lease_until - now()) * 1000)::bigint FROM domain \
     WHERE did = $1 AND coalesce(lease_until > now(), false)";

pub(super) async fn lease(postgres: &Postgres, lease: &Lease) -> Result<Vec<Grant>, LedgerError> {
    let mut everywhere = Everywhere::new();
    loop {
        let map = everywhere.next(postgres).await?;
        // Another one begins each time, or the first would always be emptied before the others.
        let begin = postgres.turn.fetch_add(1, Ordering::Relaxed);
        let (mut grants, mut again) = (Vec::new(), false);
        for number in 0..map.shards.len() {
            let shard = &map.shards[(begin + number) % map.shards.len()];
            let wanted = i64::from(lease.domains) - grants.len() as i64;
            if wanted <= 0 {
                break;
            }
            match lease_from(shard, lease, wanted).await {
                Ok(round) => {
                    grants.extend(round.grants);
                    records::expired(&postgres.first, &round.ran_out).await?;
                }
                Err(Trouble::Again) => again = true,
                Err(Trouble::Error(error)) => return Err(error),
            }
        }
        if !again || !grants.is_empty() {
            return Ok(grants);
        }
    }
}

/// What one database had to give.
#[derive(Default)]
struct Round {
    grants: Vec<Grant>,
    /// Those whose leases had run out.
    ran_out: Vec<BotId>,
}

/// Asks until there is enough or nothing is due: domains where nothing waits, and those that must stand in line, are put
/// aside on the way.
async fn lease_from(shard: &Shard, lease: &Lease, wanted: i64) -> Result<Round, Trouble> {
    let mut connection = shard.database.connection().await?;
    let mut all = Round::default();
    loop {
        let tx = shard.enter(&mut connection).await?;
        let left = wanted - all.grants.len() as i64;
        let (round, due) = lease_round(&tx, shard, lease, left).await?;
        tx.commit().await?;
        let put_aside = due - round.grants.len();
        all.grants.extend(round.grants);
        all.ran_out.extend(round.ran_out);
        if put_aside == 0 || all.grants.len() as i64 >= wanted {
            return Ok(all);
        }
    }
}

/// The grants of one attempt, and how many domains were due.
async fn lease_round(
    tx: &Transaction<'_>,
    shard: &Shard,
    lease: &Lease,
    wanted: i64,
) -> Result<(Round, usize), Trouble> {
    let bot = Id(lease.bot.0);
    let due = rows(tx, GRANT, &[&bot, &wanted, &millis(lease.ttl), &shard.shut]).await?;
    let owners: Vec<Option<Id>> = column(&due, 0)?;
    let ran_out = owners.into_iter().flatten().map(|Id(id)| BotId(id)).collect();
    let mut grants: Vec<Grant> =
        due.iter().filter_map(|row| grant(row, lease.ttl).transpose()).collect::<Result<_, _>>()?;
    let dids: Vec<i64> = grants.iter().map(|grant| grant.domain.column()).collect();
    let place: HashMap<DomainKey, usize> =
        grants.iter().enumerate().map(|(place, grant)| (grant.domain, place)).collect();
    if !dids.is_empty() {
        for row in rows(tx, TASKS, &[&dids, &i64::from(lease.pages)]).await? {
            let task = task(&row)?;
            if let Some(grant) = place.get(&task.key.domain).and_then(|at| grants.get_mut(*at)) {
                grant.pages.push(task);
            }
        }
    }
    let (grants, empty): (Vec<Grant>, Vec<Grant>) =
        grants.into_iter().partition(|grant| !grant.pages.is_empty());
    if !empty.is_empty() {
        let dids: Vec<i64> = empty.iter().map(|grant| grant.domain.column()).collect();
        rows(tx, NOTHING_THERE, &[&dids]).await?;
        let back: Vec<_> = empty.iter().map(|one| (one.domain, one.address, 0)).collect();
        free_gates(tx, &back).await?;
    }
    Ok((Round { grants, ran_out }, due.len()))
}

/// Frees the gates of domains that are given back: domain, address and milliseconds of rest.
pub(super) async fn free_gates(
    tx: &Transaction<'_>,
    back: &[(DomainKey, Option<std::net::IpAddr>, i64)],
) -> Result<(), Trouble> {
    let with_address =
        || back.iter().filter_map(|(did, address, rest)| Some((did, (*address)?, rest)));
    let dids: Vec<i64> = with_address().map(|(did, ..)| did.column()).collect();
    if dids.is_empty() {
        return Ok(());
    }
    let addresses: Vec<std::net::IpAddr> = with_address().map(|(_, address, _)| address).collect();
    let rests: Vec<i64> = with_address().map(|(.., rest)| *rest).collect();
    rows(tx, FREE, &[&dids, &addresses, &rests]).await?;
    Ok(())
}

/// The grant of a row; none when the domain stands in line.
fn grant(row: &Row, ttl: Duration) -> Result<Option<Grant>, tokio_postgres::Error> {
    let Some(did) = row.try_get(1)? else { return Ok(None) };
    let (epoch, delay): (i64, i32) = (row.try_get(3)?, row.try_get(4)?);
    Ok(Some(Grant {
        domain: DomainKey::of_column(did),
        name: row.try_get(2)?,
        epoch: super::count(epoch),
        ttl,
        delay: duration(i64::from(delay)),
        address: row.try_get(5)?,
        pages: Vec::new(),
    }))
}

fn task(row: &Row) -> Result<Task, tokio_postgres::Error> {
    let (depth, tries): (i32, i16) = (row.try_get(5)?, row.try_get(6)?);
    Ok(Task {
        key: PageKey::of_columns(row.try_get(0)?, row.try_get(1)?, row.try_get(2)?),
        url: row.try_get(3)?,
        rank: Rank(rank_of(row.try_get(4)?)),
        depth: depth.unsigned_abs(),
        tries: u32::from(tries.unsigned_abs()),
        dlast: row.try_get::<_, Option<_>>(7)?.map(tick),
        etag: row.try_get(8)?,
        last_modified: row.try_get(9)?,
        digest: row.try_get(10)?,
    })
}

/// One column of all rows.
pub(super) fn column<'a, T: tokio_postgres::types::FromSql<'a>>(
    rows: &'a [Row],
    number: usize,
) -> Result<Vec<T>, tokio_postgres::Error> {
    rows.iter().map(|row| row.try_get(number)).collect()
}

pub(super) async fn renew(
    postgres: &Postgres,
    held: &[Held],
    ttl: Duration,
) -> Result<Vec<DomainKey>, LedgerError> {
    // In the order of the key, in which all take their locks.
    let mut held = held.to_vec();
    held.sort_unstable_by_key(|held| held.domain.column());
    let mut lost: Vec<DomainKey> = held.iter().map(|held| held.domain).collect();
    let mut rounds = Rounds::of(held.len());
    loop {
        let groups = rounds.next(postgres, |item| held[item].domain.slot()).await?;
        if groups.is_empty() {
            return Ok(lost);
        }
        for group in groups {
            let mine: Vec<Held> = group.items.iter().map(|item| held[*item]).collect();
            let result = renew_at(&group.shard, &mine, ttl).await;
            if let Some(kept) = rounds.settle(group, result)? {
                lost.retain(|domain| !kept.contains(domain));
            }
        }
    }
}

async fn renew_at(shard: &Shard, held: &[Held], ttl: Duration) -> Result<Vec<DomainKey>, Trouble> {
    let mut connection = shard.database.connection().await?;
    let tx = shard.enter(&mut connection).await?;
    let (dids, epochs) = held_columns(held);
    let renewed = rows(&tx, RENEW, &[&dids, &epochs, &millis(ttl)]).await?;
    let kept: Vec<i64> = column(&renewed, 0)?;
    let addresses: Vec<Option<std::net::IpAddr>> = column(&renewed, 1)?;
    if addresses.iter().any(Option::is_some) {
        rows(&tx, KEEP_GATE, &[&kept, &addresses, &millis(ttl)]).await?;
    }
    tx.commit().await?;
    Ok(kept.into_iter().map(DomainKey::of_column).collect())
}

/// Keys and epochs, as the database writes them.
pub(super) fn held_columns(held: &[Held]) -> (Vec<i64>, Vec<i64>) {
    let epoch = |held: &Held| i64::try_from(held.epoch).unwrap_or(i64::MAX);
    (held.iter().map(|held| held.domain.column()).collect(), held.iter().map(epoch).collect())
}

pub(super) async fn owner_of(
    postgres: &Postgres,
    domain: DomainKey,
) -> Result<Option<Owner>, LedgerError> {
    let row = records::row_of(postgres, domain.slot(), OWNER, &[&domain.column()]).await?;
    let Some(row) = row else { return Ok(None) };
    let Id(bot) = row.try_get(0)?;
    let (epoch, left): (i64, i64) = (row.try_get(1)?, row.try_get(2)?);
    Ok(Some(Owner { bot: BotId(bot), epoch: super::count(epoch), left: duration(left) }))
}
