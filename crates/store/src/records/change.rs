//! What changes together?

use super::frontier::Stale;
use super::{
    Aside, Bundle, Entry, Held, Line, Records, Root, Run, Sitemaps, StoreError, keys, tail_key,
};
use crate::tally::{Kind, Manifest};
use fjall::{Keyspace, OwnedWriteBatch};
use lycosa_model::{
    ArchiveMark, BotId, BotRecord, CrawlletRecord, Find, Site, SiteCounters, SiteRecord, Spot,
    Tick, UrlId, UrlRecord,
};
use serde::Serialize;

/// Changes that become visible and durable together, or not at all.
pub struct Change<'a> {
    records: &'a Records,
    batch: OwnedWriteBatch,
    failed: Option<StoreError>,
    /// Where values are written down. Kept for its memory.
    value: Vec<u8>,
}

impl<'a> Change<'a> {
    pub(super) fn new(records: &'a Records) -> Change<'a> {
        Change { records, batch: records.db.batch(), failed: None, value: Vec::new() }
    }

    /// Writes a URL.
    pub fn put_url(&mut self, id: UrlId, record: &UrlRecord) {
        self.put(|records| &records.urls, &id.0, record);
    }

    /// Writes what was found at a URL.
    pub fn put_find(&mut self, id: UrlId, find: &Find) {
        self.put(|records| &records.finds, &id.0, find);
    }

    /// Keeps the fingerprints of the targets of links under a number.
    pub fn put_outlinks(&mut self, number: u64, targets: &[u64]) {
        let value: Vec<u8> = targets.iter().flat_map(|target| target.to_be_bytes()).collect();
        self.batch.insert(&self.records.outlinks, keys::numbers([number]).as_ref(), value);
    }

    /// Forgets the links under a number.
    pub fn remove_outlinks(&mut self, number: u64) {
        self.batch.remove(&self.records.outlinks, keys::numbers([number]).as_ref());
    }

    /// Writes a site.
    pub fn put_site(&mut self, site: &Site, record: &SiteRecord) {
        self.put(|records| &records.sites, &keys::site(site), record);
    }

    /// Writes the robots.txt of a site.
    pub fn put_robots(&mut self, site: &Site, text: &str) {
        self.put(|records| &records.robots, &keys::site(site), text);
    }

    /// Writes what is counted of a site.
    pub fn put_counters(&mut self, site: &Site, counters: &SiteCounters) {
        self.put(|records| &records.counters, &keys::site(site), counters);
    }

    /// Writes the sitemaps of a site.
    pub fn put_sitemaps(&mut self, site: &Site, sitemaps: &Sitemaps) {
        self.put(|records| &records.sitemaps, &keys::site(site), sitemaps);
    }

    /// Writes what is remembered of a site as far as crawllets go.
    pub fn put_crawllet(&mut self, site: &Site, record: &CrawlletRecord) {
        match serde_json::to_string(record) {
            Ok(text) => self.put(|records| &records.crawllets, &keys::site(site), &text),
            Err(error) => self.failed = Some(StoreError::Write(error.to_string())),
        }
    }

    /// Writes a bot.
    pub fn put_bot(&mut self, id: BotId, record: &BotRecord) {
        self.put(|records| &records.bots, &id.0, record);
    }

    /// Grants a lease.
    pub fn put_lease(&mut self, id: UrlId, held: &Held) {
        self.put(|records| &records.leases, &id.0, held);
    }

    /// Ends a lease.
    pub fn remove_lease(&mut self, id: UrlId) {
        self.batch.remove(&self.records.leases, &id.0[..]);
    }

    /// Writes the URLs of the site of this number that wait in a run at this spot and beside it.
    pub fn put_bundle(&mut self, run: u32, number: u32, spot: Spot, bundle: &Bundle) {
        let key = keys::frontier(run, number, spot);
        if bundle.is_empty() {
            self.batch.remove(&self.records.frontier, key.as_ref());
        } else {
            self.put(|records| &records.frontier, key.as_ref(), bundle);
        }
    }

    /// Writes the queue of a site.
    pub fn put_line(&mut self, site: &Site, line: &Line) {
        self.put(|records| &records.lines, &keys::site(site), line);
    }

    /// Puts a URL into the agenda of a run, to be looked at again at this moment.
    pub fn postpone(&mut self, run: u32, at: Tick, entry: &Entry) {
        let key = keys::agenda(run, at, entry.spot.place);
        self.put(|records| &records.agenda, key.as_ref(), entry);
    }

    /// Takes a URL out of the agenda.
    pub fn remove_postponed(&mut self, run: u32, at: Tick, place: u64) {
        self.batch.remove(&self.records.agenda, keys::agenda(run, at, place).as_ref());
    }

    /// Sets a URL aside that a person wants left alone.
    pub fn put_aside(&mut self, run: u32, aside: &Aside) {
        let key = keys::aside(run, aside.entry.spot.place);
        self.put(|records| &records.asides, key.as_ref(), aside);
    }

    /// Takes a URL back that was set aside.
    pub fn remove_aside(&mut self, run: u32, place: u64) {
        self.batch.remove(&self.records.asides, keys::aside(run, place).as_ref());
    }

    /// Writes what a person wants left alone in a run.
    pub fn put_exclusions(&mut self, run: u32, list: &[String]) {
        self.put(|records| &records.meta, b"exclusions", &(run, list));
    }

    /// Notes how many pages of a run were answered from what crawllets brought.
    pub fn put_answered(&mut self, run: u32, pages: u64) {
        self.put(|records| &records.meta, b"answered", &(run, pages));
    }

    /// Removes rows that an earlier run left behind.
    pub fn remove_stale(&mut self, stale: &Stale) {
        for (key, _) in &stale.frontier {
            self.batch.remove(&self.records.frontier, key.clone());
        }
        for key in &stale.agenda {
            self.batch.remove(&self.records.agenda, key.clone());
        }
        for key in &stale.asides {
            self.batch.remove(&self.records.asides, key.clone());
        }
        for key in &stale.roots {
            self.batch.remove(&self.records.roots, key.clone());
        }
    }

    /// Notes what stands for the scope of a run, in order.
    pub fn put_root(&mut self, run: u32, order: u32, root: &Root) {
        self.put(|records| &records.roots, keys::root(run, order).as_ref(), root);
    }

    /// Acknowledges an archive file up to the mark.
    pub fn put_mark(&mut self, mark: &ArchiveMark) {
        self.put(|records| &records.marks, mark.file.as_bytes(), &mark.end);
    }

    /// Writes the run.
    pub fn put_run(&mut self, run: &Run) {
        self.put(|records| &records.meta, b"run", run);
    }

    /// Notes whether pages are being indexed.
    pub fn put_indexing(&mut self, indexing: bool) {
        self.put(|records| &records.meta, b"indexing", &indexing);
    }

    /// Writes a row of a tally's tail.
    pub(crate) fn put_tail(&mut self, kind: Kind, row: u64, entries: Vec<u8>) {
        self.batch.insert(&self.records.tails, tail_key(kind, row), entries);
    }

    /// Removes a row of a tally's tail.
    pub(crate) fn remove_tail(&mut self, kind: Kind, row: u64) {
        self.batch.remove(&self.records.tails, tail_key(kind, row));
    }

    /// Writes what a tally consists of.
    pub(crate) fn put_manifest(&mut self, kind: Kind, manifest: &Manifest) {
        self.put(|records| &records.tails, &[kind.id()], manifest);
    }

    pub(super) fn put_layout(&mut self, layout: u32) {
        self.put(|records| &records.meta, b"layout", &layout);
    }

    /// Makes all of it happen. When this returns, the death of the process cannot undo it.
    pub fn commit(self) -> Result<(), StoreError> {
        if let Some(failed) = self.failed {
            return Err(failed);
        }
        self.batch.commit().map_err(StoreError::write)?;
        self.records.tables.put_full_aside()
    }

    pub(super) fn remove(&mut self, keyspace: impl Fn(&Records) -> &Keyspace, key: &[u8]) {
        self.batch.remove(keyspace(self.records), key);
    }

    pub(super) fn put<T: Serialize + ?Sized>(
        &mut self,
        keyspace: impl Fn(&Records) -> &Keyspace,
        key: &[u8],
        value: &T,
    ) {
        let mut bytes = std::mem::take(&mut self.value);
        bytes.clear();
        match postcard::to_extend(value, bytes) {
            Ok(bytes) => {
                self.batch.insert(keyspace(self.records), key, &bytes[..]);
                self.value = bytes;
            }
            Err(error) => self.failed = Some(StoreError::Write(error.to_string())),
        }
    }
}
