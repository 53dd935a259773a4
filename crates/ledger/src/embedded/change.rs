//! What changes together?
//!
//! Whoever changes something reads rows here, changes them, and commits. What lies in order of something (what waits,
//! what is due, who stands in line) follows from the rows as they were and as they are.

use super::Store;
use super::rows::{
    DomainRow, GateRow, Name, UrlRow, WorkRow, address_key, decode, encode, key, line_key, numbers,
};
use crate::LedgerError;
use fjall::{Keyspace, OwnedWriteBatch};
use serde::{Serialize, de::DeserializeOwned};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// A row as it was and as it is.
struct Pair<T> {
    before: Option<T>,
    now: Option<T>,
}

/// Changes that become visible together, or not at all.
pub(super) struct Change<'a> {
    store: &'a Store,
    domains: BTreeMap<u64, Pair<DomainRow>>,
    urls: BTreeMap<Name, Pair<UrlRow>>,
    work: BTreeMap<Name, Pair<WorkRow>>,
    gates: BTreeMap<IpAddr, Pair<GateRow>>,
    /// What has no order of its own.
    others: OwnedWriteBatch,
}

impl<'a> Change<'a> {
    pub(super) fn new(store: &'a Store) -> Change<'a> {
        Change {
            store,
            domains: BTreeMap::new(),
            urls: BTreeMap::new(),
            work: BTreeMap::new(),
            gates: BTreeMap::new(),
            others: store.db.batch(),
        }
    }

    /// A domain, to be looked at or changed.
    pub(super) fn domain(&mut self, domain: u64) -> Result<&mut Option<DomainRow>, LedgerError> {
        let read = || read(&self.store.domains, &key([domain]), "domain");
        Ok(&mut pair(&mut self.domains, domain, read)?.now)
    }

    /// A URL.
    pub(super) fn url(&mut self, name: Name) -> Result<&mut Option<UrlRow>, LedgerError> {
        let read = || read(&self.store.urls, &key([name.0, name.1]), "URL");
        Ok(&mut pair(&mut self.urls, name, read)?.now)
    }

    /// Work on a page.
    pub(super) fn work(&mut self, name: Name) -> Result<&mut Option<WorkRow>, LedgerError> {
        let read = || read(&self.store.work, &key([name.0, name.1]), "work");
        Ok(&mut pair(&mut self.work, name, read)?.now)
    }

    /// An address.
    pub(super) fn gate(&mut self, address: IpAddr) -> Result<&mut Option<GateRow>, LedgerError> {
        let read = || read(&self.store.gates, &address_key(address), "network address");
        Ok(&mut pair(&mut self.gates, address, read)?.now)
    }

    /// Writes a row that has no order.
    pub(super) fn put<T: Serialize>(
        &mut self,
        keyspace: &Keyspace,
        key: &[u8],
        row: &T,
    ) -> Result<(), LedgerError> {
        self.others.insert(keyspace, key, encode(row)?);
        Ok(())
    }

    /// Whether anything waits at a domain, with what is changed here.
    pub(super) fn waits(&self, domain: u64) -> Result<bool, LedgerError> {
        let mut changed = self.urls.range((domain, 0)..=(domain, u64::MAX));
        if changed.any(|(_, pair)| pair.now.as_ref().is_some_and(|url| url.waits)) {
            return Ok(true);
        }
        for guard in self.store.todo.prefix(key([domain])) {
            let [first] = numbers(&guard.value()?, "place in a queue")?;
            if !self.urls.contains_key(&(domain, first)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The first in line for an address, with what is changed here.
    pub(super) fn next_in_line(&mut self, address: IpAddr) -> Result<Option<u64>, LedgerError> {
        for guard in self.store.line.prefix(address_key(address)) {
            let found = guard.key()?;
            let [_, domain] = numbers(found.get(16..).unwrap_or_default(), "place in line")?;
            if self.domain(domain)?.as_ref().is_some_and(|row| row.gated) {
                return Ok(Some(domain));
            }
        }
        Ok(None)
    }

    /// Makes all of it happen. When this returns, the death of the process cannot undo it.
    pub(super) fn commit(self) -> Result<(), LedgerError> {
        let Change { store, domains, urls, work, gates, others: mut batch } = self;
        for (domain, pair) in &domains {
            put(&mut batch, &store.domains, key([*domain]), pair)?;
            let ready = |row: &DomainRow| row.ready_at.map(|at| (key([at, *domain]), Vec::new()));
            follow(&mut batch, &store.ready, pair, ready);
            let line = |row: &DomainRow| {
                let address = row.address.filter(|_| row.gated)?;
                Some((line_key(address, row.next_at, *domain), Vec::new()))
            };
            follow(&mut batch, &store.line, pair, line);
        }
        for ((domain, first), pair) in &urls {
            put(&mut batch, &store.urls, key([*domain, *first]), pair)?;
            let todo = |url: &UrlRow| {
                let place = key([*domain, url.rank, url.arrival]);
                url.waits.then(|| (place, key([*first])))
            };
            follow(&mut batch, &store.todo, pair, todo);
            let later = |url: &UrlRow| url.again_at.map(|at| (key([at, *domain, *first]), vec![]));
            follow(&mut batch, &store.later, pair, later);
        }
        for ((domain, first), pair) in &work {
            put(&mut batch, &store.work, key([*domain, *first]), pair)?;
        }
        for (address, pair) in &gates {
            put(&mut batch, &store.gates, address_key(*address).to_vec(), pair)?;
        }
        batch.commit()?;
        Ok(())
    }
}

fn pair<K: Ord, T: Clone>(
    rows: &mut BTreeMap<K, Pair<T>>,
    key: K,
    read: impl FnOnce() -> Result<Option<T>, LedgerError>,
) -> Result<&mut Pair<T>, LedgerError> {
    match rows.entry(key) {
        std::collections::btree_map::Entry::Occupied(entry) => Ok(entry.into_mut()),
        std::collections::btree_map::Entry::Vacant(entry) => {
            let before = read()?;
            Ok(entry.insert(Pair { now: before.clone(), before }))
        }
    }
}

/// Reads a row.
pub(super) fn read<T: DeserializeOwned>(
    keyspace: &Keyspace,
    key: &[u8],
    what: &'static str,
) -> Result<Option<T>, LedgerError> {
    keyspace.get(key)?.map(|bytes| decode(&bytes, what)).transpose()
}

fn put<T: Serialize + PartialEq>(
    batch: &mut OwnedWriteBatch,
    keyspace: &Keyspace,
    key: Vec<u8>,
    pair: &Pair<T>,
) -> Result<(), LedgerError> {
    match &pair.now {
        now if *now == pair.before => {}
        Some(row) => batch.insert(keyspace, key, encode(row)?),
        None => batch.remove(keyspace, key),
    }
    Ok(())
}

/// Moves a row's place in an order to where it belongs now.
fn follow<T>(
    batch: &mut OwnedWriteBatch,
    keyspace: &Keyspace,
    pair: &Pair<T>,
    place: impl Fn(&T) -> Option<(Vec<u8>, Vec<u8>)>,
) {
    let before = pair.before.as_ref().and_then(&place);
    let now = pair.now.as_ref().and_then(&place);
    if before == now {
        return;
    }
    if let Some((key, _)) = before {
        batch.remove(keyspace, key);
    }
    if let Some((key, value)) = now {
        batch.insert(keyspace, key, value);
    }
}
