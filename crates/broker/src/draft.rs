//! What will be different after this message? Changes are gathered here and written in one go, and
//! what was changed a moment ago is read back from here and not from the store.

use crate::sites::Sites;
use lycosa_model::{ArchiveMark, BotId, BotRecord, Site, SiteRecord, UrlId, UrlRecord};
use lycosa_store::records::{Held, Queued, Records, Run, Sitemaps, StoreError};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// Changes under way.
#[derive(Default)]
pub(crate) struct Draft {
    urls: BTreeMap<UrlId, UrlRecord>,
    outlinks: Vec<(UrlId, Vec<UrlId>)>,
    enqueue: BTreeMap<u64, Queued>,
    dequeue: Vec<u64>,
    leases: Vec<(UrlId, Option<Held>)>,
    sites: BTreeMap<Site, SiteRecord>,
    /// Sites whose counters have changed; they are looked up when everything is written.
    counted: BTreeSet<Site>,
    sitemaps: BTreeMap<Site, Sitemaps>,
    bots: BTreeMap<BotId, BotRecord>,
    marks: Vec<ArchiveMark>,
}

impl Draft {
    /// A URL as it will be; changes to it count.
    pub(crate) fn url(
        &mut self,
        records: &Records,
        id: UrlId,
    ) -> Result<Option<&mut UrlRecord>, StoreError> {
        match self.urls.entry(id) {
            Entry::Occupied(entry) => Ok(Some(entry.into_mut())),
            Entry::Vacant(entry) => Ok(records.url(id)?.map(|record| entry.insert(record))),
        }
    }

    pub(crate) fn put_url(&mut self, id: UrlId, record: UrlRecord) {
        self.urls.insert(id, record);
    }

    pub(crate) fn put_outlinks(&mut self, id: UrlId, targets: Vec<UrlId>) {
        self.outlinks.push((id, targets));
    }

    pub(crate) fn enqueue(&mut self, place: u64, queued: Queued) {
        self.enqueue.insert(place, queued);
    }

    pub(crate) fn dequeue(&mut self, place: u64) {
        self.enqueue.remove(&place);
        self.dequeue.push(place);
    }

    pub(crate) fn grant(&mut self, id: UrlId, held: Held) {
        self.leases.push((id, Some(held)));
    }

    pub(crate) fn release(&mut self, id: UrlId) {
        self.leases.push((id, None));
    }

    pub(crate) fn put_site(&mut self, site: &Site, record: &SiteRecord) {
        self.sites.insert(site.clone(), record.clone());
    }

    pub(crate) fn counted(&mut self, site: &Site) {
        if !self.counted.contains(site) {
            self.counted.insert(site.clone());
        }
    }

    /// The sitemaps of a site as they will be, if they change.
    pub(crate) fn sitemaps(&self, site: &Site) -> Option<&Sitemaps> {
        self.sitemaps.get(site)
    }

    pub(crate) fn put_sitemaps(&mut self, site: &Site, sitemaps: &Sitemaps) {
        self.sitemaps.insert(site.clone(), sitemaps.clone());
    }

    pub(crate) fn put_bot(&mut self, id: BotId, record: &BotRecord) {
        self.bots.insert(id, record.clone());
    }

    pub(crate) fn put_marks(&mut self, marks: Vec<ArchiveMark>) {
        self.marks.extend(marks);
    }

    /// Writes everything, or nothing.
    pub(crate) fn commit(
        self,
        records: &Records,
        sites: &Sites,
        run: &Run,
    ) -> Result<(), StoreError> {
        let mut change = records.change();
        for (id, record) in &self.urls {
            change.put_url(*id, record);
        }
        for (id, targets) in &self.outlinks {
            change.put_outlinks(*id, targets);
        }
        for place in &self.dequeue {
            change.dequeue(*place);
        }
        for (place, queued) in &self.enqueue {
            change.enqueue(*place, queued);
        }
        for (id, held) in &self.leases {
            match held {
                Some(held) => change.put_lease(*id, held),
                None => change.remove_lease(*id),
            }
        }
        for (site, record) in &self.sites {
            change.put_site(site, record);
        }
        for site in &self.counted {
            if let Some(state) = sites.known(site) {
                change.put_counters(site, &state.counters);
            }
        }
        for (site, sitemaps) in &self.sitemaps {
            change.put_sitemaps(site, sitemaps);
        }
        for (id, record) in &self.bots {
            change.put_bot(*id, record);
        }
        for mark in &self.marks {
            change.put_mark(mark);
        }
        change.put_run(run);
        change.commit()
    }
}
