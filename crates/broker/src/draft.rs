//! What will be different after this message? Changes are gathered here and written in one go, and
//! what was changed a moment ago is read back from here and not from the store.

use crate::pages::PageDraft;
use crate::sites::{SiteState, Sites};
use lycosa_model::{
    ArchiveMark, BotId, BotRecord, CrawlletRecord, Find, Site, SiteRecord, Spot, Tick, UrlId,
    UrlRecord,
};
use lycosa_store::records::{
    Aside, Bundle, Change, Entry as Again, Held, Records, Root, Run, Sitemaps, StoreError, Trail,
    Waiting,
};
use lycosa_strategy::Strategy;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// A record that was read. Boxed, because a tree moves its values when it grows.
struct Read {
    record: Box<UrlRecord>,
    changed: bool,
}

/// Changes under way.
#[derive(Default)]
pub(crate) struct Draft {
    urls: BTreeMap<UrlId, Read>,
    finds: Vec<(UrlId, Find)>,
    /// Links that are to be kept, or forgotten, by number.
    outlinks: Vec<(u64, Option<Vec<u64>>)>,
    /// Rows of the frontier as they will be, by the number of the site and the spot of their heads.
    frontier: BTreeMap<(u32, Spot), Bundle>,
    /// How the URL was found that was given a place last.
    trail: Option<Trail>,
    /// Sites whose queues have changed, by number; they are looked up when everything is written.
    lines: BTreeMap<u32, Site>,
    agenda: BTreeMap<(Tick, u64), Option<Again>>,
    /// What is set aside, and what is taken back, by place.
    asides: BTreeMap<u64, Option<Aside>>,
    roots: Vec<Root>,
    robots: BTreeMap<Site, String>,
    leases: Vec<(UrlId, Option<Held>)>,
    sites: BTreeMap<Site, SiteRecord>,
    /// Sites whose counters have changed; they are looked up when everything is written.
    counted: BTreeSet<Site>,
    sitemaps: BTreeMap<Site, Sitemaps>,
    crawllets: BTreeMap<Site, CrawlletRecord>,
    /// Pages of the run that were answered from what crawllets brought, if there are more now.
    answered: Option<u64>,
    bots: BTreeMap<BotId, BotRecord>,
    marks: Vec<ArchiveMark>,
    /// How pages change and who says the same.
    pub(crate) pages: PageDraft,
}

impl Draft {
    /// A URL as it will be; changes to it count.
    pub(crate) fn url(
        &mut self,
        records: &Records,
        id: UrlId,
    ) -> Result<Option<&mut UrlRecord>, StoreError> {
        Ok(self.read(records, id)?.map(|read| {
            read.changed = true;
            &mut *read.record
        }))
    }

    /// A URL as it will be, to look at.
    pub(crate) fn peek(
        &mut self,
        records: &Records,
        id: UrlId,
    ) -> Result<Option<&UrlRecord>, StoreError> {
        Ok(self.read(records, id)?.map(|read| &*read.record))
    }

    fn read(&mut self, records: &Records, id: UrlId) -> Result<Option<&mut Read>, StoreError> {
        match self.urls.entry(id) {
            Entry::Occupied(entry) => Ok(Some(entry.into_mut())),
            Entry::Vacant(entry) => {
                let record = records.url(id)?;
                let read = |record| Read { record: Box::new(record), changed: false };
                Ok(record.map(|record| entry.insert(read(record))))
            }
        }
    }

    /// A URL as the store has it, which was read before and has not changed since.
    pub(crate) fn remember(&mut self, id: UrlId, record: Box<UrlRecord>) {
        self.urls.entry(id).or_insert(Read { record, changed: false });
    }

    /// The URLs that will be different, as they will be.
    pub(crate) fn changed_urls(&self) -> impl Iterator<Item = (UrlId, &UrlRecord)> {
        self.urls.iter().filter(|(_, read)| read.changed).map(|(id, read)| (*id, &*read.record))
    }

    pub(crate) fn put_url(&mut self, id: UrlId, record: UrlRecord) {
        self.urls.insert(id, Read { record: Box::new(record), changed: true });
    }

    pub(crate) fn put_find(&mut self, id: UrlId, find: Find) {
        self.finds.push((id, find));
    }

    pub(crate) fn put_outlinks(&mut self, number: u64, targets: Vec<u64>) {
        self.outlinks.push((number, Some(targets)));
    }

    pub(crate) fn remove_outlinks(&mut self, number: u64) {
        self.outlinks.push((number, None));
    }

    /// The place of a URL that was found like this: beside the one before, if that was found alike.
    pub(crate) fn place(&mut self, run: &mut Run, trail: &Trail) -> u64 {
        let alike = self.trail.as_ref() == Some(trail);
        if !alike {
            self.trail = Some(trail.clone());
        }
        run.take_place(alike)
    }

    /// Puts a URL into the frontier that was just given its place.
    pub(crate) fn enqueue(
        &mut self,
        (site, number): (&Site, u32),
        spot: Spot,
        trail: &Trail,
        (id, url): (UrlId, &str),
    ) {
        let bundle = self.frontier.entry((number, Bundle::head(spot)));
        bundle.or_insert_with(|| Bundle::new(trail.clone())).put(spot.place, id, url);
        self.lined(site, number);
    }

    /// Puts a URL into the frontier that has a record.
    pub(crate) fn put_back(
        &mut self,
        (records, run): (&Records, u32),
        (site, number): (&Site, u32),
        entry: &Again,
    ) -> Result<(), StoreError> {
        let (spot, queued) = (entry.spot, &entry.queued);
        if self.bundle((records, run), number, spot)?.is_none() {
            self.frontier.insert((number, Bundle::head(spot)), Bundle::again(queued));
        }
        if let Some(bundle) = self.bundle((records, run), number, spot)? {
            bundle.put(spot.place, queued.url_id, "");
        }
        self.lined(site, number);
        Ok(())
    }

    /// Takes a URL out of the frontier, if it is there.
    pub(crate) fn dequeue(
        &mut self,
        (records, run): (&Records, u32),
        (site, number): (&Site, u32),
        spot: Spot,
    ) -> Result<Option<(Trail, Waiting)>, StoreError> {
        self.lined(site, number);
        let Some(bundle) = self.bundle((records, run), number, spot)? else {
            return Ok(None);
        };
        Ok(bundle.take(spot.place).map(|waiting| (bundle.trail.clone(), waiting)))
    }

    /// The row of the frontier in which a spot is, as it will be.
    fn bundle(
        &mut self,
        (records, run): (&Records, u32),
        number: u32,
        spot: Spot,
    ) -> Result<Option<&mut Bundle>, StoreError> {
        match self.frontier.entry((number, Bundle::head(spot))) {
            Entry::Occupied(entry) => Ok(Some(entry.into_mut())),
            Entry::Vacant(entry) => {
                let bundle = records.bundle(run, number, spot)?;
                Ok(bundle.map(|bundle| entry.insert(bundle)))
            }
        }
    }

    fn lined(&mut self, site: &Site, number: u32) {
        self.lines.entry(number).or_insert_with(|| site.clone());
    }

    pub(crate) fn postpone(&mut self, at: Tick, entry: Again) {
        self.agenda.insert((at, entry.spot.place), Some(entry));
    }

    pub(crate) fn remove_postponed(&mut self, at: Tick, place: u64) {
        self.agenda.insert((at, place), None);
    }

    pub(crate) fn put_aside(&mut self, aside: Aside) {
        self.asides.insert(aside.entry.spot.place, Some(aside));
    }

    pub(crate) fn remove_aside(&mut self, place: u64) {
        self.asides.insert(place, None);
    }

    pub(crate) fn put_root(&mut self, root: Root) {
        self.roots.push(root);
    }

    pub(crate) fn put_robots(&mut self, site: &Site, text: String) {
        self.robots.insert(site.clone(), text);
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

    pub(crate) fn put_crawllet(&mut self, site: &Site, record: CrawlletRecord) {
        self.crawllets.insert(site.clone(), record);
    }

    pub(crate) fn put_answered(&mut self, pages: u64) {
        self.answered = Some(pages);
    }

    pub(crate) fn put_bot(&mut self, id: BotId, record: &BotRecord) {
        self.bots.insert(id, record.clone());
    }

    pub(crate) fn put_marks(&mut self, marks: Vec<ArchiveMark>) {
        self.marks.extend(marks);
    }

    /// All of it as one change of the store.
    pub(crate) fn change<'a>(
        self,
        records: &'a Records,
        sites: &Sites,
        strategy: &dyn Strategy,
        run: &mut Run,
    ) -> Change<'a> {
        let mut change = records.change();
        for (id, read) in self.urls.iter().filter(|(_, read)| read.changed) {
            change.put_url(*id, &read.record);
        }
        for (id, find) in &self.finds {
            change.put_find(*id, find);
        }
        for (number, targets) in &self.outlinks {
            match targets {
                Some(targets) => change.put_outlinks(*number, targets),
                None => change.remove_outlinks(*number),
            }
        }
        for ((number, head), bundle) in &self.frontier {
            change.put_bundle(run.number, *number, *head, bundle);
        }
        for site in self.lines.values() {
            let line = |state: &SiteState| state.window.line(run.number, strategy.first(site));
            if let Some(line) = sites.known(site).and_then(line) {
                change.put_line(site, &line);
            }
        }
        for ((at, place), entry) in &self.agenda {
            match entry {
                Some(entry) => change.postpone(run.number, *at, entry),
                None => change.remove_postponed(run.number, *at, *place),
            }
        }
        for (place, aside) in &self.asides {
            match aside {
                Some(aside) => change.put_aside(run.number, aside),
                None => change.remove_aside(run.number, *place),
            }
        }
        for root in &self.roots {
            change.put_root(run.number, run.roots, root);
            run.roots += 1;
        }
        for (site, text) in &self.robots {
            change.put_robots(site, text);
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
        for (site, record) in &self.crawllets {
            change.put_crawllet(site, record);
        }
        if let Some(pages) = self.answered {
            change.put_answered(run.number, pages);
        }
        for (id, record) in &self.bots {
            change.put_bot(*id, record);
        }
        for mark in &self.marks {
            change.put_mark(mark);
        }
        self.pages.write(&mut change);
        change.put_run(run);
        change
    }
}
