//! What is stuck, how do bots do, and how much is there?

use super::Store;
use super::change::{Change, read};
use super::lease::wake_next;
use super::rows::{DomainRow, UrlRow, WorkRow, decode, encode, key, name_of, numbers};
use crate::words::{Sighting, Stage, Stats, Stuck, Sweep, Swept, Work};
use crate::{DomainKey, LedgerError, PageKey};
use lycosa_model::{BotId, BotRecord, Tick};
use std::collections::BTreeMap;

pub(super) fn bot_seen(
    store: &Store,
    bot: BotId,
    sighting: &Sighting,
    now: u64,
) -> Result<(), LedgerError> {
    let known: Option<BotRecord> = read(&store.bots, &bot.0, "bot")?;
    let mut record = known.unwrap_or_else(|| BotRecord {
        name: String::new(),
        door: sighting.door,
        dinit: Tick(now),
        dlast: Tick(now),
        requests: 0,
        reported: 0,
        expired: 0,
        kissed: None,
    });
    record.name.clone_from(&sighting.name);
    record.door = sighting.door;
    record.dlast = Tick(now);
    record.requests += sighting.requests;
    record.reported += sighting.reported;
    if sighting.reported > 0 {
        record.expired = 0;
    }
    if sighting.kissed.is_some() {
        record.kissed.clone_from(&sighting.kissed);
    }
    Ok(store.bots.insert(bot.0, encode(&record)?)?)
}

/// Notes that leases of these bots ran out.
pub(super) fn expired(
    change: &mut Change<'_>,
    store: &Store,
    bots: &[BotId],
) -> Result<(), LedgerError> {
    let mut counts: BTreeMap<BotId, u32> = BTreeMap::new();
    bots.iter().for_each(|bot| *counts.entry(*bot).or_default() += 1);
    for (bot, count) in counts {
        if let Some(mut record) = read::<BotRecord>(&store.bots, &bot.0, "bot")? {
            record.expired += count;
            change.put(&store.bots, &bot.0, &record)?;
        }
    }
    Ok(())
}

pub(super) fn advance(
    store: &Store,
    pages: &[PageKey],
    next: Option<Stage>,
    now: u64,
) -> Result<u64, LedgerError> {
    let mut change = Change::new(store);
    let mut names: Vec<_> = pages.iter().map(|page| name_of(*page)).collect();
    names.sort_unstable();
    names.dedup();
    let mut advanced = 0;
    for name in names {
        let row = change.work(name)?;
        if row.is_some() {
            advanced += 1;
            let next = next.map(|stage| Work { stage, tries: 0 });
            *row = next.map(|work| WorkRow { work, since: now });
        }
    }
    change.commit()?;
    Ok(advanced)
}

pub(super) fn sweep(store: &Store, sweep: &Sweep, now: u64) -> Result<Swept, LedgerError> {
    let mut change = Change::new(store);
    let mut swept = Swept::default();
    let limit = sweep.limit as usize;
    let ago = |by: std::time::Duration| now.saturating_sub(by.as_millis() as u64);

    // A lease that ran out lets its domain be due a delay later at the latest.
    for guard in store.domains.iter() {
        let (found, row) = guard.into_inner()?;
        let row: DomainRow = decode(&row, "domain")?;
        let Some(lease) = row.lease.filter(|lease| lease.until <= ago(sweep.grace)) else {
            continue;
        };
        if swept.run_out.len() < limit {
            let [domain] = numbers(&found, "domain")?;
            if let Some(row) = change.domain(domain)? {
                row.lease = None;
            }
            swept.run_out.push((DomainKey(domain), lease.bot));
        }
    }
    for guard in store.later.range(..key([now.saturating_add(1)])).take(limit) {
        let [_, domain, first] = numbers(&guard.key()?, "URL that waits for a moment")?;
        if let Some(url) = change.url((domain, first))? {
            (url.waits, url.again_at) = (true, None);
            swept.again += 1;
        }
        if let Some(row) = change.domain(domain)?
            && row.ready_at.is_none()
            && !row.gated
        {
            row.ready_at = Some(row.next_at);
        }
    }
    for guard in store.work.iter() {
        let (found, row) = guard.into_inner()?;
        let row: WorkRow = decode(&row, "work")?;
        if row.work.stage == Stage::Parked || row.since > ago(sweep.patience) {
            continue;
        }
        if swept.stuck.len() as u64 + swept.parked >= u64::from(sweep.limit) {
            break;
        }
        let [domain, first] = numbers(&found, "work")?;
        let parked = row.work.tries >= sweep.tries;
        let stage = if parked { Stage::Parked } else { row.work.stage };
        let work = Work { stage, tries: row.work.tries + 1 };
        *change.work((domain, first))? = Some(WorkRow { work, since: now });
        if parked {
            swept.parked += 1;
        } else if let Some(url) = read::<UrlRow>(&store.urls, &found, "URL")? {
            let key = PageKey { domain: DomainKey(domain), id: url.id };
            swept.stuck.push(Stuck { key, url: url.url, work });
        }
    }
    swept.woken = wake_lines(store, &mut change, now)?;
    let bots: Vec<BotId> = swept.run_out.iter().map(|(_, bot)| *bot).collect();
    expired(&mut change, store, &bots)?;
    change.commit()?;
    Ok(swept)
}

/// One domain of each address that nobody uses any more.
fn wake_lines(store: &Store, change: &mut Change<'_>, now: u64) -> Result<u64, LedgerError> {
    let mut woken = 0;
    let mut last = None;
    for guard in store.line.iter() {
        let found = guard.key()?;
        let (address, rest) = found.split_at_checked(16).unwrap_or_default();
        if last.as_deref() == Some(address) {
            continue;
        }
        last = Some(address.to_vec());
        let [_, domain] = numbers(rest, "place in line")?;
        let Some(address) = change.domain(domain)?.as_ref().and_then(|row| row.address) else {
            continue;
        };
        if change.gate(address)?.is_none_or(|gate| gate.next_at <= now) {
            woken += u64::from(wake_next(change, address, now)?);
        }
    }
    Ok(woken)
}

pub(super) fn stats(store: &Store, now: u64) -> Result<Stats, LedgerError> {
    let mut stats = Stats {
        due: store.ready.range(..key([now.saturating_add(1)])).count() as u64,
        waiting: store.todo.len()? as u64,
        later: store.later.len()? as u64,
        blobs: store.blobs.len()? as u64,
        ..Stats::default()
    };
    for guard in store.domains.iter() {
        let row: DomainRow = decode(&guard.value()?, "domain")?;
        stats.domains += 1;
        stats.urls += row.urls;
        stats.held += u64::from(row.lease.is_some_and(|lease| lease.until > now));
    }
    for guard in store.work.iter() {
        let row: WorkRow = decode(&guard.value()?, "work")?;
        match row.work.stage {
            Stage::Filter => stats.to_filter += 1,
            Stage::Index => stats.to_index += 1,
            Stage::Parked => stats.parked += 1,
        }
    }
    Ok(stats)
}
