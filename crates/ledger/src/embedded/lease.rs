//! Who may ask which domain, and what came of it?

use super::Store;
use super::change::{Change, read};
use super::rows::{DomainRow, GateRow, LeaseRow, UrlRow, WorkRow, key, name_of, numbers};
use super::work::expired;
use crate::code::of_state;
use crate::words::{Completed, Completion, DomainDone, Grant, Held, Lease, PageDone, Task, Work};
use crate::{DomainKey, LedgerError, PageKey};
use lycosa_model::{Rank, Tick};
use std::net::IpAddr;
use std::time::Duration;

pub(super) fn lease(store: &Store, lease: &Lease, now: u64) -> Result<Vec<Grant>, LedgerError> {
    let mut change = Change::new(store);
    let (mut grants, mut ran_out) = (Vec::new(), Vec::new());
    for guard in store.ready.range(..key([now.saturating_add(1)])) {
        if grants.len() >= lease.domains as usize {
            break;
        }
        let [_, domain] = numbers(&guard.key()?, "domain that is due")?;
        let pages = tasks(store, domain, lease.pages)?;
        let Some(row) = change.domain(domain)? else {
            return Err(LedgerError::corrupt("domain", "it is due and not there"));
        };
        if let Some(lease) = row.lease.take() {
            ran_out.push(lease.bot);
        }
        if pages.is_empty() {
            row.ready_at = None;
            continue;
        }
        let (address, delay) = (row.address, row.delay_ms);
        if !takes_gate(&mut change, domain, address, now, lease.ttl)? {
            if let Some(row) = change.domain(domain)? {
                (row.gated, row.ready_at) = (true, None);
            }
            continue;
        }
        let Some(row) = change.domain(domain)? else { continue };
        row.epoch += 1;
        hold(row, LeaseRow { bot: lease.bot, until: end(now, lease.ttl) });
        grants.push(Grant {
            domain: DomainKey(domain),
            name: row.name.clone(),
            epoch: row.epoch,
            ttl: lease.ttl,
            delay: Duration::from_millis(delay),
            address,
            pages,
        });
    }
    expired(&mut change, store, &ran_out)?;
    change.commit()?;
    Ok(grants)
}

/// A lease that runs out is followed by a full delay, whenever its holder asked last.
fn hold(row: &mut DomainRow, lease: LeaseRow) {
    row.lease = Some(lease);
    row.next_at = lease.until.saturating_add(row.delay_ms);
    row.ready_at = Some(row.next_at);
}

fn end(now: u64, after: Duration) -> u64 {
    Tick(now).after(after).0
}

/// Takes the gate of an address that several domains share; false when another one has it.
fn takes_gate(
    change: &mut Change<'_>,
    domain: u64,
    address: Option<IpAddr>,
    now: u64,
    ttl: Duration,
) -> Result<bool, LedgerError> {
    let Some(address) = address else { return Ok(true) };
    let Some(gate) = change.gate(address)?.as_mut().filter(|gate| gate.domains > 1) else {
        return Ok(true);
    };
    if gate.next_at > now {
        return Ok(false);
    }
    (gate.holder, gate.next_at) = (Some(DomainKey(domain)), end(now, ttl));
    Ok(true)
}

fn tasks(store: &Store, domain: u64, most: u32) -> Result<Vec<Task>, LedgerError> {
    let mut tasks = Vec::new();
    for guard in store.todo.prefix(key([domain])).take(most as usize) {
        let [first] = numbers(&guard.value()?, "place in a queue")?;
        let url: Option<UrlRow> = read(&store.urls, &key([domain, first]), "URL")?;
        let url = url.ok_or_else(|| LedgerError::corrupt("URL", "it waits and is not there"))?;
        tasks.push(Task {
            key: PageKey { domain: DomainKey(domain), id: url.id },
            url: url.url,
            rank: Rank(url.rank),
            depth: url.depth,
            tries: url.tries,
            dlast: url.dlast.map(Tick),
            etag: url.etag,
            last_modified: url.last_modified,
            digest: url.digest,
        });
    }
    Ok(tasks)
}

/// The lease of a domain, if it is this one and may still be used.
fn lease_of(row: Option<&DomainRow>, held: Held) -> Option<LeaseRow> {
    row.filter(|row| row.epoch == held.epoch)?.lease
}

pub(super) fn renew(
    store: &Store,
    held: &[Held],
    ttl: Duration,
    now: u64,
) -> Result<Vec<DomainKey>, LedgerError> {
    let mut change = Change::new(store);
    let mut lost = Vec::new();
    for held in held {
        let row = change.domain(held.domain.0)?;
        let (Some(lease), Some(row)) = (lease_of(row.as_ref(), *held), row) else {
            lost.push(held.domain);
            continue;
        };
        hold(row, LeaseRow { until: end(now, ttl), ..lease });
        if let Some(address) = row.address
            && let Some(gate) = change.gate(address)?
            && gate.holder == Some(held.domain)
        {
            gate.next_at = end(now, ttl);
        }
    }
    change.commit()?;
    Ok(lost)
}

pub(super) fn complete(
    store: &Store,
    completion: &Completion,
    now: u64,
) -> Result<Completed, LedgerError> {
    let mut change = Change::new(store);
    let mut completed = Completed::default();
    for done in &completion.domains {
        let row = change.domain(done.held.domain.0)?;
        let lease = lease_of(row.as_ref(), done.held).filter(|lease| lease.until > now);
        let Some(lease) = lease else {
            completed.lost.push(done.held.domain);
            continue;
        };
        for page in &done.pages {
            let key = PageKey { domain: done.held.domain, id: page.id };
            completed.pages += u64::from(write_page(&mut change, key, page, lease, now)?);
        }
        write_domain(&mut change, done, now)?;
    }
    if completed.pages > 0 {
        for blob in &completion.blobs {
            change.put(&store.blobs, blob.key.as_bytes(), blob)?;
        }
    }
    change.commit()?;
    Ok(completed)
}

fn write_page(
    change: &mut Change<'_>,
    key: PageKey,
    page: &PageDone,
    lease: LeaseRow,
    now: u64,
) -> Result<bool, LedgerError> {
    let Some(url) = change.url(name_of(key))? else { return Ok(false) };
    url.state = of_state(page.state);
    url.waits = page.waits();
    url.bot1 = Some(lease.bot);
    url.again_at = page.again.map(|again| end(now, again));
    if page.is_success() {
        (url.dlast, url.tries) = (Some(now), 0);
    } else {
        url.tries += 1;
    }
    if let Some(copy) = &page.copy {
        url.outlinks = copy.outlinks;
        url.language = copy.language;
        url.etag.clone_from(&copy.etag);
        url.last_modified.clone_from(&copy.last_modified);
        url.digest.clone_from(&copy.digest);
    }
    if let Some(stage) = page.work {
        let work = Work { stage, tries: 0 };
        *change.work(name_of(key))? = Some(WorkRow { work, since: now });
    }
    Ok(true)
}

/// Politeness, address and gate of a domain that is ours.
fn write_domain(change: &mut Change<'_>, done: &DomainDone, now: u64) -> Result<(), LedgerError> {
    let domain = done.held.domain.0;
    let waits = change.waits(domain)?;
    let Some(row) = change.domain(domain)? else { return Ok(()) };
    if let Some(delay) = done.delay {
        row.delay_ms = delay.as_millis() as u64;
    }
    let before = row.address;
    row.address = done.address.or(before);
    let rest = done.rest.max(Duration::from_millis(row.delay_ms));
    if done.release {
        row.lease = None;
        row.next_at = end(now, rest);
        row.ready_at = waits.then_some(row.next_at);
    }
    if done.address.is_some() && done.address != before {
        if let Some(new) = done.address {
            change.gate(new)?.get_or_insert_default().domains += 1;
        }
        if let Some(old) = before
            && let Some(gate) = change.gate(old)?
        {
            gate.domains = gate.domains.saturating_sub(1);
        }
    }
    match before {
        Some(address) if done.release => free_gate(change, address, domain, end(now, rest)),
        _ => Ok(()),
    }
}

/// Frees the gate of an address at a moment, and lets the next one in line have its turn then.
fn free_gate(
    change: &mut Change<'_>,
    address: IpAddr,
    domain: u64,
    at: u64,
) -> Result<(), LedgerError> {
    match change.gate(address)? {
        Some(gate) if gate.holder == Some(DomainKey(domain)) => {
            *gate = GateRow { holder: None, next_at: at, ..*gate };
        }
        _ => return Ok(()),
    }
    wake_next(change, address, at).map(|_| ())
}

/// Lets the first one in line for an address be leased from a moment on; tells whether there is one.
pub(super) fn wake_next(
    change: &mut Change<'_>,
    address: IpAddr,
    at: u64,
) -> Result<bool, LedgerError> {
    let Some(next) = change.next_in_line(address)? else { return Ok(false) };
    if let Some(row) = change.domain(next)? {
        row.gated = false;
        row.ready_at = Some(row.next_at.max(at));
    }
    Ok(true)
}
