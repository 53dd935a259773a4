//! What came of leases?

use super::connect::{millis, rows};
use super::lease::{column, free_gates, held_columns};
use super::map::Shard;
use super::offer::bounded;
use super::{Postgres, Rounds, Trouble};
use crate::code::of_state;
use crate::words::{Blob, Completed, Completion, DomainDone, Held, NewCopy, PageDone, Stage};
use crate::{DomainKey, LedgerError, PageKey};
use deadpool_postgres::Transaction;
use std::collections::HashMap;
use std::net::IpAddr;

/// All pages of all domains, the work that follows, and the objects that hold them, in one statement. Domains whose
/// lease does not hold any more are not among `held`, and so nothing is written about them. (`coalesce` keeps the
/// planner from walking through all leases instead of looking up these domains: 240 instead of 50 us for a page.)
const PAGES: &str = "WITH held AS MATERIALIZED ( \
       SELECT domain.did, domain.owner, domain.address, domain.delay_ms \
       FROM unnest($1::bigint[], $2::bigint[]) AS claim (did, epoch) \
       JOIN domain ON domain.did = claim.did \
       WHERE domain.epoch = claim.epoch AND coalesce(domain.lease_until > now(), false) \
       ORDER BY domain.did FOR UPDATE OF domain), \
     done AS ( \
       UPDATE url SET state = page.state, waits = page.waits, bot1 = held.owner, \
         again_at = now() + page.again * interval '1 ms', \
         dlast = CASE WHEN page.success THEN now() ELSE url.dlast END, \
         tries = CASE WHEN page.success THEN 0 ELSE least(url.tries + 1, 32767) END, \
         outlinks = coalesce(page.outlinks, url.outlinks), \
         language = CASE WHEN page.outlinks IS NULL THEN url.language ELSE page.language END, \
         etag = CASE WHEN page.outlinks IS NULL THEN url.etag ELSE page.etag END, \
         last_modified = CASE WHEN page.outlinks IS NULL THEN url.last_modified \
                         ELSE page.last_modified END, \
         digest = CASE WHEN page.outlinks IS NULL THEN url.digest ELSE page.digest END \
       FROM unnest($3::bigint[], $4::bigint[], $5::integer[], $6::boolean[], $7::boolean[], \
         $8::bigint[], $9::smallint[], $10::integer[], $11::text[], $12::text[], $13::text[], \
         $14::text[]) AS page (did, fp, state, waits, success, again, stage, outlinks, language, \
         etag, last_modified, digest) \
       JOIN held ON held.did = page.did \
       WHERE url.did = page.did AND url.fp = page.fp \
       RETURNING url.did, url.fp, page.stage), \
     worked AS ( \
       INSERT INTO work (did, fp, since, stage) \
       SELECT did, fp, now(), stage FROM done WHERE stage IS NOT NULL ORDER BY did, fp \
       ON CONFLICT (did, fp) DO UPDATE SET since = excluded.since, tries = 0, \
         stage = excluded.stage), \
     kept AS ( \
       INSERT INTO blob (key, sha256, bytes, records) \
       SELECT * FROM unnest($15::text[], $16::bytea[], $17::bigint[], $18::bigint[]) \
       WHERE EXISTS (SELECT FROM done) ON CONFLICT (key) DO NOTHING) \
     SELECT did, address, delay_ms, (SELECT count(*) FROM done) FROM held";

/// What follows for the domains. A statement of its own, which sees the pages as they are now: a domain where nothing
/// waits goes to sleep.
const DOMAINS: &str = "UPDATE domain SET \
       delay_ms = coalesce(back.delay, domain.delay_ms), \
       address = coalesce(back.address, domain.address), \
       owner = CASE WHEN back.release THEN NULL ELSE domain.owner END, \
       lease_until = CASE WHEN back.release THEN NULL ELSE domain.lease_until END, \
       next_at = CASE WHEN back.release THEN now() + \
           greatest(back.rest, coalesce(back.delay, domain.delay_ms)) * interval '1 ms' \
         ELSE domain.next_at END, \
       ready_at = CASE WHEN NOT back.release THEN domain.ready_at \
         WHEN EXISTS (SELECT FROM url WHERE url.did = back.did AND waits) THEN now() + \
           greatest(back.rest, coalesce(back.delay, domain.delay_ms)) * interval '1 ms' \
         ELSE 'infinity' END \
     FROM unnest($1::bigint[], $2::boolean[], $3::bigint[], $4::integer[], $5::inet[]) \
       AS back (did, release, rest, delay, address) \
     WHERE domain.did = back.did";

const NEW_ADDRESS: &str = "INSERT INTO ip_gate (address, domains) \
     SELECT address, count(*) FROM unnest($1::inet[]) AS new (address) GROUP BY 1 ORDER BY 1 \
     ON CONFLICT (address) DO UPDATE SET domains = ip_gate.domains + excluded.domains";

const OLD_ADDRESS: &str = "UPDATE ip_gate SET domains = domains - old.n \
     FROM (SELECT address, count(*) AS n FROM unnest($1::inet[]) AS old (address) GROUP BY 1) AS old \
     WHERE ip_gate.address = old.address";

pub(super) async fn complete(
    postgres: &Postgres,
    completion: &Completion,
) -> Result<Completed, LedgerError> {
    // In the order of the key, in which all take their locks.
    let mut domains: Vec<&DomainDone> = completion.domains.iter().collect();
    domains.sort_unstable_by_key(|done| done.held.domain.column());
    let mut completed = Completed::default();
    let mut rounds = Rounds::of(domains.len());
    loop {
        let groups = rounds.next(postgres, |item| domains[item].held.domain.slot()).await?;
        if groups.is_empty() {
            return Ok(completed);
        }
        for group in groups {
            let mine: Vec<&DomainDone> = group.items.iter().map(|item| domains[*item]).collect();
            let result = complete_at(&group.shard, &mine, &completion.blobs).await;
            if let Some(done) = rounds.settle(group, result)? {
                completed.pages += done.pages;
                completed.lost.extend(done.lost);
            }
        }
    }
}

async fn complete_at(
    shard: &Shard,
    domains: &[&DomainDone],
    blobs: &[Blob],
) -> Result<Completed, Trouble> {
    let mut connection = shard.database.connection().await?;
    let tx = shard.enter(&mut connection).await?;
    let claims: Vec<Held> = domains.iter().map(|done| done.held).collect();
    let written = write_pages(&tx, &claims, domains, blobs).await?;
    let dids: Vec<i64> = column(&written, 0)?;
    let addresses: Vec<Option<IpAddr>> = column(&written, 1)?;
    let delays: Vec<i32> = column(&written, 2)?;
    let pages = match written.first() {
        Some(row) => super::count(row.try_get(3)?),
        None => 0,
    };
    let before =
        addresses.into_iter().zip(delays).map(|(address, delay)| Before { address, delay });
    let held: HashMap<i64, Before> = dids.into_iter().zip(before).collect();
    let ours = |done: &&&DomainDone| held.contains_key(&done.held.domain.column());
    let mine: Vec<&DomainDone> = domains.iter().filter(ours).copied().collect();
    let lost = domains.iter().filter(|done| !ours(done)).map(|done| done.held.domain).collect();
    write_domains(&tx, &mine, &held).await?;
    tx.commit().await?;
    Ok(Completed { pages, lost })
}

async fn write_pages(
    tx: &Transaction<'_>,
    claims: &[Held],
    domains: &[&DomainDone],
    blobs: &[Blob],
) -> Result<Vec<tokio_postgres::Row>, Trouble> {
    let (dids, epochs) = held_columns(claims);
    let mut pages: Vec<(i64, i64, &PageDone)> = Vec::new();
    for done in domains {
        for page in &done.pages {
            let key = PageKey { domain: done.held.domain, id: page.id };
            pages.push((key.columns().0, key.columns().1, page));
        }
    }
    // Each once, the last word of each, in the order of the key.
    pages.reverse();
    pages.sort_by_key(|(did, fp, _)| (*did, *fp));
    pages.dedup_by_key(|(did, fp, _)| (*did, *fp));
    let all = |of: fn(&PageDone) -> Option<&NewCopy>| -> Vec<Option<&NewCopy>> {
        pages.iter().map(|(.., page)| of(page)).collect()
    };
    let copies = all(|page| page.copy.as_ref());
    let page_dids: Vec<i64> = pages.iter().map(|(did, ..)| *did).collect();
    let fps: Vec<i64> = pages.iter().map(|(_, fp, _)| *fp).collect();
    let states: Vec<i32> = pages.iter().map(|(.., page)| of_state(page.state)).collect();
    let waits: Vec<bool> = pages.iter().map(|(.., page)| page.waits()).collect();
    let successes: Vec<bool> = pages.iter().map(|(.., page)| page.is_success()).collect();
    let agains: Vec<Option<i64>> = pages.iter().map(|(.., page)| page.again.map(millis)).collect();
    let stages: Vec<Option<i16>> =
        pages.iter().map(|(.., page)| page.work.map(Stage::code)).collect();
    let outlinks: Vec<Option<i32>> =
        copies.iter().map(|copy| copy.map(|copy| bounded(copy.outlinks))).collect();
    let text = |of: fn(&NewCopy) -> Option<&str>| -> Vec<Option<&str>> {
        copies.iter().map(|copy| copy.and_then(of)).collect()
    };
    let languages = text(|copy| copy.language.as_ref().map(lycosa_model::Lang::as_str));
    let etags = text(|copy| copy.etag.as_deref());
    let modified = text(|copy| copy.last_modified.as_deref());
    let digests = text(|copy| copy.digest.as_deref());
    let keys: Vec<&str> = blobs.iter().map(|blob| blob.key.as_str()).collect();
    let sums: Vec<&[u8]> = blobs.iter().map(|blob| &blob.sha256[..]).collect();
    let bytes: Vec<i64> =
        blobs.iter().map(|blob| i64::try_from(blob.bytes).unwrap_or(i64::MAX)).collect();
    let records: Vec<i64> = blobs.iter().map(|blob| i64::from(blob.records)).collect();
    rows(
        tx,
        PAGES,
        &[
            &dids, &epochs, &page_dids, &fps, &states, &waits, &successes, &agains, &stages,
            &outlinks, &languages, &etags, &modified, &digests, &keys, &sums, &bytes, &records,
        ],
    )
    .await
}

/// What was known of a domain.
struct Before {
    address: Option<IpAddr>,
    delay: i32,
}

/// Politeness, addresses and gates of domains that are ours.
async fn write_domains(
    tx: &Transaction<'_>,
    domains: &[&DomainDone],
    before: &HashMap<i64, Before>,
) -> Result<(), Trouble> {
    let known = |done: &DomainDone| before.get(&done.held.domain.column())?.address;
    let moved = |done: &DomainDone| done.address.is_some() && done.address != known(done);
    let changes = |done: &&&DomainDone| done.release || done.delay.is_some() || moved(done);
    let changed: Vec<&DomainDone> = domains.iter().filter(changes).copied().collect();
    if changed.is_empty() {
        return Ok(());
    }
    let dids: Vec<i64> = changed.iter().map(|done| done.held.domain.column()).collect();
    let releases: Vec<bool> = changed.iter().map(|done| done.release).collect();
    let rests: Vec<i64> = changed.iter().map(|done| millis(done.rest)).collect();
    let whole = |delay| i32::try_from(millis(delay)).unwrap_or(i32::MAX);
    let delays: Vec<Option<i32>> = changed.iter().map(|done| done.delay.map(whole)).collect();
    let addresses: Vec<Option<IpAddr>> = changed.iter().map(|done| done.address).collect();
    rows(tx, DOMAINS, &[&dids, &releases, &rests, &delays, &addresses]).await?;

    let moved: Vec<&&DomainDone> = changed.iter().filter(|done| moved(done)).collect();
    if !moved.is_empty() {
        let new: Vec<IpAddr> = moved.iter().filter_map(|done| done.address).collect();
        rows(tx, NEW_ADDRESS, &[&new]).await?;
        let old: Vec<IpAddr> = moved.iter().filter_map(|done| known(done)).collect();
        if !old.is_empty() {
            rows(tx, OLD_ADDRESS, &[&old]).await?;
        }
    }
    let delay = |done: &DomainDone| match done.delay {
        Some(delay) => millis(delay),
        None => before.get(&done.held.domain.column()).map_or(0, |before| i64::from(before.delay)),
    };
    let back: Vec<(DomainKey, Option<IpAddr>, i64)> = changed
        .iter()
        .filter(|done| done.release)
        .map(|done| (done.held.domain, known(done), millis(done.rest).max(delay(done))))
        .collect();
    free_gates(tx, &back).await
}
