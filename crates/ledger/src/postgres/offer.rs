//! Which of these URLs are new?

use super::connect::{Id, rows};
use super::map::Shard;
use super::{Postgres, Rounds, Trouble};
use crate::code::of_state;
use crate::words::Found;
use crate::{LedgerError, PageKey};
use lycosa_model::{BotId, UrlId, UrlState};
use std::collections::{BTreeMap, HashMap};

/// Pause between two requests of a domain that nobody has told anything about.
pub(super) const DELAY_MS: i32 = 1_000;

/// Known rows are passed over without a lock. The rows come in the order of the key, so that two who offer the same
/// do not wait for each other in a circle.
const INSERT: &str = "INSERT INTO url (did, fp, lo, rank, depth, inlinks, state, via, bot2, url, dinit) \
     SELECT *, now() FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::integer[], \
     $6::integer[], $7::integer[], $8::uuid[], $9::uuid[], $10::text[]) \
     ON CONFLICT (did, fp) DO NOTHING RETURNING did, fp";

/// Locks the newest version of each row, also where nothing is to be done: whoever gives the domain back at this
/// moment finds the new URLs, or we find that he has put it to sleep.
const WAKE: &str = "INSERT INTO domain (did, name, urls, delay_ms, next_at, ready_at) \
     SELECT did, name, urls, $4, now(), now() FROM unnest($1::bigint[], $2::text[], $3::bigint[]) \
     AS new (did, name, urls) \
     ON CONFLICT (did) DO UPDATE SET urls = domain.urls + excluded.urls, \
     ready_at = CASE WHEN domain.ready_at = 'infinity' AND NOT domain.gated \
                THEN domain.next_at ELSE domain.ready_at END";

const COUNT: &str = "UPDATE url SET inlinks = inlinks + links \
     FROM unnest($1::bigint[], $2::bigint[], $3::integer[]) AS more (did, fp, links) \
     WHERE url.did = more.did AND url.fp = more.fp";

/// URLs of one transaction: others wait for domains that it wakes.
const MAX_BATCH: usize = 5_000;

pub(super) async fn offer(postgres: &Postgres, found: &[Found]) -> Result<Vec<bool>, LedgerError> {
    let mut told = Vec::with_capacity(found.len());
    for batch in found.chunks(MAX_BATCH) {
        told.extend(offer_batch(postgres, batch).await?);
    }
    Ok(told)
}

async fn offer_batch(postgres: &Postgres, found: &[Found]) -> Result<Vec<bool>, LedgerError> {
    let (urls, first_of) = merged(found);
    let mut is_new = vec![false; urls.len()];
    let mut rounds = Rounds::of(urls.len());
    loop {
        let groups = rounds.next(postgres, |item| urls[item].found.key.domain.slot()).await?;
        if groups.is_empty() {
            break;
        }
        for group in groups {
            let mine: Vec<&Url<'_>> = group.items.iter().map(|item| &urls[*item]).collect();
            let result = offer_to(&group.shard, &mine).await;
            let items = group.items.clone();
            if let Some(news) = rounds.settle(group, result)? {
                items.iter().zip(news).for_each(|(item, new)| is_new[*item] = new);
            }
        }
    }
    // Of several that are the same, the first one is the new one.
    let mut told = vec![false; found.len()];
    for (url, first) in first_of.into_iter().enumerate() {
        told[first] = is_new[url];
    }
    Ok(told)
}

/// A URL once, with the links of all its places in the batch.
struct Url<'a> {
    found: &'a Found,
    links: i32,
}

/// Each URL once, in the order of the key, and its first place in the batch.
fn merged(found: &[Found]) -> (Vec<Url<'_>>, Vec<usize>) {
    let mut first: BTreeMap<(i64, i64), (usize, u32)> = BTreeMap::new();
    for (place, found) in found.iter().enumerate() {
        let entry = first.entry(found.key.columns()).or_insert((place, 0));
        entry.1 = entry.1.saturating_add(found.links);
    }
    let url = |(place, links): &(usize, u32)| Url {
        found: &found[*place],
        links: i32::try_from(*links).unwrap_or(i32::MAX),
    };
    (first.values().map(url).collect(), first.values().map(|(place, _)| *place).collect())
}

async fn offer_to(shard: &Shard, urls: &[&Url<'_>]) -> Result<Vec<bool>, Trouble> {
    let mut connection = shard.database.connection().await?;
    let tx = shard.enter(&mut connection).await?;
    let column =
        |of: fn(PageKey) -> i64| -> Vec<i64> { urls.iter().map(|url| of(url.found.key)).collect() };
    let (dids, fps) = (column(|key| key.columns().0), column(|key| key.columns().1));
    let rest = column(PageKey::rest);
    let ranks: Vec<i64> = urls.iter().map(|url| rank_column(url.found.rank.0)).collect();
    let depths: Vec<i32> = urls.iter().map(|url| bounded(url.found.depth)).collect();
    let links: Vec<i32> = urls.iter().map(|url| url.links).collect();
    let states: Vec<i32> =
        urls.iter().map(|url| of_state(UrlState::Waiting(url.found.origin))).collect();
    let vias: Vec<Option<Id>> =
        urls.iter().map(|url| url.found.via.map(|UrlId(id)| Id(id))).collect();
    let bots: Vec<Option<Id>> =
        urls.iter().map(|url| url.found.bot.map(|BotId(id)| Id(id))).collect();
    let texts: Vec<&str> = urls.iter().map(|url| url.found.url.as_str()).collect();
    let inserted = rows(
        &tx,
        INSERT,
        &[&dids, &fps, &rest, &ranks, &depths, &links, &states, &vias, &bots, &texts],
    )
    .await?;
    let mut inserted: Vec<(i64, i64)> = inserted
        .iter()
        .map(|row| Ok((row.try_get(0)?, row.try_get(1)?)))
        .collect::<Result<_, tokio_postgres::Error>>()?;
    inserted.sort_unstable();
    let is_new = |url: &&Url<'_>| inserted.binary_search(&url.found.key.columns()).is_ok();
    let new: Vec<bool> = urls.iter().map(is_new).collect();

    let mut domains: HashMap<i64, (&str, i64)> = HashMap::new();
    let mut known = (Vec::new(), Vec::new(), Vec::new());
    for (url, new) in urls.iter().zip(&new) {
        let (did, fp) = url.found.key.columns();
        if *new {
            domains.entry(did).or_insert((&url.found.domain, 0)).1 += 1;
        } else if url.links > 0 {
            known.0.push(did);
            known.1.push(fp);
            known.2.push(url.links);
        }
    }
    if !domains.is_empty() {
        let mut domains: Vec<(i64, (&str, i64))> = domains.into_iter().collect();
        domains.sort_unstable();
        let dids: Vec<i64> = domains.iter().map(|(did, _)| *did).collect();
        let names: Vec<&str> = domains.iter().map(|(_, (name, _))| *name).collect();
        let counts: Vec<i64> = domains.iter().map(|(_, (_, count))| *count).collect();
        rows(&tx, WAKE, &[&dids, &names, &counts, &DELAY_MS]).await?;
    }
    if !known.0.is_empty() {
        rows(&tx, COUNT, &[&known.0, &known.1, &known.2]).await?;
    }
    tx.commit().await?;
    Ok(new)
}

/// A rank such that the order of numbers with a sign is that of ranks.
pub(super) fn rank_column(rank: u64) -> i64 {
    (rank ^ (1 << 63)).cast_signed()
}

/// The rank that was written so.
pub(super) fn rank_of(column: i64) -> u64 {
    column.cast_unsigned() ^ (1 << 63)
}

/// A number that may be larger than the database keeps; nobody counts so far.
pub(super) fn bounded(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
