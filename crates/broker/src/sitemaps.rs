//! Which pages does a site name itself? Its sitemaps and feeds: found in robots.txt or on pages, leased
//! like everything else, never pages.
//!
//! A sitemap is a lease of its own kind under an id of its own. Like a robots.txt it is not counted,
//! not traced and not in the frontier; which ones are there and which were read is in the store, not
//! before the URLs that it named.

use crate::draft::Draft;
use crate::housekeeping::Blame;
use crate::ledger::{Granted, Ledger};
use crate::report::may_help;
use crate::seeds::Sighting;
use crate::sites::Readiness;
use lycosa_frontier::{Address, normal, registrable_domain};
use lycosa_model::message::Report;
use lycosa_model::{BotId, FetchKind, Lease, Origin, Outcome, Site, Tick, UrlId};
use lycosa_store::records::{SitemapRecord, Sitemaps, StoreError};
use std::time::Duration;

/// Entries of a sitemap that are queued in one change.
const ENTRIES: usize = 2_000;

/// Feeds of one site that are read in a run: many sites name another one on every page.
const MAX_FEEDS: usize = 8;

/// The nesting of a feed. It stands at the end of every chain.
const FEED: u8 = u8::MAX;

/// What a look at the sitemaps of one site brought.
enum Look {
    /// This one may be asked for.
    Next(SitemapRecord),
    /// Not before this moment.
    Later(Tick),
    /// All that are left are leased.
    Leased,
    /// None is left.
    Done,
}

/// How soon a sitemap is looked at again whose site waits for its network address.
const ADDRESS_POLL: Duration = Duration::from_millis(100);

impl Ledger {
    fn reads_sitemaps(&self) -> bool {
        let settings = &self.plan.settings;
        // What a sitemap names is one step away from the site.
        settings.sitemaps && settings.max_depth.is_none_or(|most| most > 0)
    }

    /// Takes note of the sitemaps that the robots.txt in force names. Called with every page that is
    /// handed out, so that it holds for a robots.txt of an earlier run too.
    pub(crate) fn meet_sitemaps(
        &mut self,
        draft: &mut Draft,
        site: &Site,
    ) -> Result<(), StoreError> {
        if !self.reads_sitemaps() {
            return Ok(());
        }
        let most = self.plan.settings.max_sitemaps;
        let state = self.sites.get(&self.records, site)?;
        if state.met_sitemaps || state.given_up.is_some() {
            return Ok(());
        }
        state.met_sitemaps = true;
        let rules = self.rules(site)?;
        let named: Vec<String> = rules.sitemaps().iter().take(most).cloned().collect();
        let robots = site.robots_url();
        for text in named {
            if let Ok(address) = normal::resolve(&robots, &text) {
                self.add_sitemap(draft, site, &address, 0)?;
            }
        }
        Ok(())
    }

    /// Takes note of the feeds that a page names. They are read as sitemaps are.
    pub(crate) fn meet_feeds(
        &mut self,
        draft: &mut Draft,
        site: &Site,
        report: &Report,
    ) -> Result<(), StoreError> {
        if !self.reads_sitemaps() {
            return Ok(());
        }
        let named = report.sitemaps.iter().take(MAX_FEEDS);
        for address in named.filter_map(|url| normal::parse(url).ok()) {
            self.add_sitemap(draft, site, &address, FEED)?;
        }
        Ok(())
    }

    /// Takes note of one sitemap, unless it is known, too far away, or none of the crawl's business.
    fn add_sitemap(
        &mut self,
        draft: &mut Draft,
        named_by: &Site,
        address: &Address,
        nesting: u8,
    ) -> Result<(), StoreError> {
        let settings = &self.plan.settings;
        let (most, deepest) = (settings.max_sitemaps, settings.max_sitemap_nesting);
        let is_feed = nesting == FEED;
        if (nesting > deepest && !is_feed) || !self.is_near(named_by, address) {
            return Ok(());
        }
        let sitemaps = self.sitemaps_of(draft, &address.site)?;
        let known = sitemaps.list.iter().any(|sitemap| sitemap.url == address.request);
        let feeds = sitemaps.list.iter().filter(|sitemap| sitemap.nesting == FEED).count();
        if !known && sitemaps.list.len() < most && (!is_feed || feeds < MAX_FEEDS) {
            sitemaps.list.push(SitemapRecord {
                url: address.request.clone(),
                nesting,
                failures: 0,
                not_before: Tick(0),
                done: None,
            });
        }
        self.keep_sitemaps(draft, &address.site);
        Ok(())
    }

    /// A sitemap may stand on another site of its owner, or anywhere in the scope of the crawl; nobody
    /// can send us elsewhere.
    fn is_near(&self, named_by: &Site, address: &Address) -> bool {
        address.site == *named_by
            || self.scope.admits(address)
            || registrable_domain(address.site.host()) == registrable_domain(named_by.host())
    }

    /// The sitemaps of a site in this run; [`Ledger::keep_sitemaps`] must follow.
    fn sitemaps_of(&mut self, draft: &Draft, site: &Site) -> Result<&mut Sitemaps, StoreError> {
        let run = self.run.number;
        self.sitemaps.change(site, || {
            let known = match draft.sitemaps(site) {
                Some(sitemaps) => Some(sitemaps.clone()),
                None => self.records.sitemaps(site)?,
            };
            let known = known.filter(|sitemaps| sitemaps.run == run);
            Ok(known.unwrap_or(Sitemaps { run, list: Vec::new() }))
        })
    }

    /// Writes the sitemaps of a site, and forgets them when all are read.
    fn keep_sitemaps(&mut self, draft: &mut Draft, site: &Site) {
        if let Some(sitemaps) = self.sitemaps.get(site) {
            draft.put_sitemaps(site, sitemaps);
            if !has_work(sitemaps) {
                self.sitemaps.remove(site);
            }
        }
    }

    /// Takes over the sitemaps that this run has not read yet.
    pub(crate) fn restore_sitemaps(&mut self) -> Result<(), StoreError> {
        if !self.reads_sitemaps() {
            return Ok(());
        }
        for row in self.records.all_sitemaps() {
            let (site, sitemaps) = row?;
            if sitemaps.run == self.run.number && has_work(&sitemaps) {
                self.sitemaps.insert(site, sitemaps);
            }
        }
        Ok(())
    }

    /// Has the sitemaps of all sites read once more: they may date pages anew.
    pub(crate) fn read_sitemaps_again(&mut self) -> Result<(), StoreError> {
        if !self.reads_sitemaps() {
            return Ok(());
        }
        let mut draft = Draft::default();
        for row in self.records.all_sitemaps() {
            let (site, mut sitemaps) = row?;
            sitemaps.run = self.run.number;
            // Those that an index names come back with it.
            sitemaps.list.retain(|sitemap| matches!(sitemap.nesting, 0 | FEED));
            for sitemap in &mut sitemaps.list {
                (sitemap.done, sitemap.failures) = (None, 0);
            }
            if has_work(&sitemaps) {
                draft.put_sitemaps(&site, &sitemaps);
                self.sitemaps.insert(site, sitemaps);
            }
        }
        self.commit(draft)
    }

    /// Has a sitemap or feed that was read just now read again, in a crawl that keeps pages fresh.
    fn read_again_later(&mut self, site: &Site, sitemap: &SitemapRecord, now: Tick) {
        let rule = self.plan.settings.revisit;
        let pause = match sitemap.nesting {
            FEED => rule.feeds,
            0 => rule.sitemaps,
            // Those that an index names come back with it.
            _ => return,
        };
        if sitemap.done.is_some() && self.stays_fresh() {
            self.fresh.rereads.insert((now.after(pause), site.clone(), sitemap.url.clone()));
        }
    }

    /// Opens the sitemaps and feeds whose moment has come once more.
    pub(crate) fn reopen_sitemaps(&mut self, now: Tick) -> Result<(), StoreError> {
        let mut draft = Draft::default();
        while self.fresh.rereads.first().is_some_and(|(at, ..)| *at <= now)
            && let Some((_, site, url)) = self.fresh.rereads.pop_first()
        {
            let list = &mut self.sitemaps_of(&draft, &site)?.list;
            if let Some(sitemap) = list.iter_mut().find(|sitemap| sitemap.url == url) {
                (sitemap.done, sitemap.failures, sitemap.not_before) = (None, 0, Tick(0));
                if sitemap.nesting == 0 {
                    list.retain(|one| matches!(one.nesting, 0 | FEED) || one.done.is_none());
                }
            }
            self.keep_sitemaps(&mut draft, &site);
        }
        self.commit(draft)
    }

    /// Leases sitemaps of sites that may be asked now. Tells when the first of the others may be.
    pub(crate) fn give_sitemaps(
        &mut self,
        draft: &mut Draft,
        bot: BotId,
        most: usize,
        now: Tick,
        leases: &mut Vec<Lease>,
    ) -> Result<Option<Tick>, StoreError> {
        // They cost no page, but without a page to come they are of no use.
        if self.pages_left() == 0 {
            return Ok(None);
        }
        for site in self.sitemaps.ripe(now) {
            if leases.len() >= most {
                break;
            }
            let pages_wait = self.run.waiting > 0;
            if self.exclusions.covers(&site) {
                self.sitemaps.remove(&site);
                continue;
            }
            let state = self.sites.get(&self.records, &site)?;
            if pages_wait && state.has_waiting() && !state.sitemap_turn {
                // When a page of this site was leased, it is waked.
                self.sitemaps.set_aside(&site, None);
                continue;
            }
            let readiness = state.readiness(&self.plan.settings, now);
            if matches!(readiness, Readiness::Ready | Readiness::NeedsRobots)
                && let Some(address) = state.record.address
                && self.addresses.room(&self.plan.settings.addresses, address, now) == 0
            {
                self.sitemaps.set_aside(&site, Some(now.after(ADDRESS_POLL)));
                continue;
            }
            match readiness {
                Readiness::Ready => match self.next_sitemap(draft, &site, now)? {
                    Look::Next(sitemap) => {
                        leases.push(self.grant_sitemap(bot, &site, sitemap, now)?);
                    }
                    Look::Later(at) => self.sitemaps.set_aside(&site, Some(at)),
                    Look::Leased | Look::Done => self.sitemaps.set_aside(&site, None),
                },
                Readiness::NeedsRobots => leases.push(self.grant_robots(bot, &site, now)?),
                Readiness::Resting(until) => self.sitemaps.set_aside(&site, Some(until)),
                // When one of its leases is back, it is waked.
                Readiness::Busy => self.sitemaps.set_aside(&site, None),
                Readiness::GivenUp => self.sitemaps.remove(&site),
            }
        }
        Ok(self.sitemaps.first())
    }

    /// The first sitemap of the site that may be asked for; those that robots.txt disallows end here.
    fn next_sitemap(
        &mut self,
        draft: &mut Draft,
        site: &Site,
        now: Tick,
    ) -> Result<Look, StoreError> {
        loop {
            let Some(sitemaps) = self.sitemaps.get(site) else {
                return Ok(Look::Done);
            };
            let left = sitemaps.list.iter().filter(|sitemap| sitemap.done.is_none());
            let free = left.filter(|one| !self.leases.contains_key(&sitemap_id(&one.url)));
            let Some(next) = free.min_by_key(|sitemap| sitemap.not_before).cloned() else {
                return Ok(Look::Leased);
            };
            if next.not_before > now {
                return Ok(Look::Later(next.not_before));
            }
            let refused = match normal::parse(&next.url) {
                Ok(address) => self.refusal(&address)?.is_some(),
                Err(_) => true,
            };
            if !refused {
                return Ok(Look::Next(next));
            }
            self.change_sitemap(draft, site, sitemap_id(&next.url), |sitemap| {
                sitemap.done = Some(now);
            })?;
        }
    }

    fn grant_sitemap(
        &mut self,
        bot: BotId,
        site: &Site,
        sitemap: SitemapRecord,
        now: Tick,
    ) -> Result<Lease, StoreError> {
        let url_id = sitemap_id(&sitemap.url);
        let held = self.held(bot, FetchKind::Sitemap, now);
        let until = held.until;
        // Not written to the store: after a restart the sitemap is simply asked for again.
        self.hold(url_id, held, site.clone())?;
        self.sites.get(&self.records, site)?.sitemap_turn = false;
        Ok(Lease {
            url_id,
            url: sitemap.url,
            kind: FetchKind::Sitemap,
            until,
            last_down: None,
            previous: None,
            crawllet: None,
        })
    }

    /// Changes the record of one sitemap; gives it back as it is then.
    fn change_sitemap(
        &mut self,
        draft: &mut Draft,
        site: &Site,
        id: UrlId,
        change: impl FnOnce(&mut SitemapRecord),
    ) -> Result<Option<SitemapRecord>, StoreError> {
        let sitemaps = self.sitemaps_of(draft, site)?;
        let found = sitemaps.list.iter_mut().find(|sitemap| sitemap_id(&sitemap.url) == id);
        let changed = found.map(|sitemap| {
            change(sitemap);
            sitemap.clone()
        });
        self.keep_sitemaps(draft, site);
        Ok(changed)
    }

    /// A lease of a sitemap ended without a report.
    pub(crate) fn lost_sitemap(
        &mut self,
        draft: &mut Draft,
        id: UrlId,
        site: &Site,
        blame: Blame,
        now: Tick,
    ) -> Result<(), StoreError> {
        if blame == Blame::Nobody {
            return Ok(());
        }
        let most = self.plan.settings.lost_leases;
        self.change_sitemap(draft, site, id, |sitemap| {
            sitemap.failures = sitemap.failures.saturating_add(1);
            sitemap.done = (sitemap.failures >= most).then_some(now);
        })?;
        Ok(())
    }

    /// Notes that a sitemap was read, and the sitemaps that an index names. The pages it names were
    /// queued by [`Ledger::see_entries`].
    pub(crate) fn sitemap_report(
        &mut self,
        draft: &mut Draft,
        granted: &Granted,
        report: &Report,
        now: Tick,
    ) -> Result<(), StoreError> {
        let site = &granted.site;
        self.visited(draft, site, report, now)?;
        let retry = self.plan.settings.retry;
        let sitemap = self.change_sitemap(draft, site, report.url_id, |sitemap| {
            let again = if may_help(report) {
                sitemap.failures = sitemap.failures.saturating_add(1);
                retry.next_try(sitemap.failures, now)
            } else {
                None
            };
            match again {
                Some(at) => sitemap.not_before = at,
                None => sitemap.done = Some(now),
            }
        })?;
        let Some(sitemap) = sitemap else { return Ok(()) };
        self.read_again_later(site, &sitemap, now);
        match report.outcome {
            Outcome::Fetched => {
                let most = self.plan.settings.max_sitemaps;
                let further = report.sitemaps.iter().take(most);
                for address in further.filter_map(|url| normal::parse(url).ok()) {
                    self.add_sitemap(draft, site, &address, sitemap.nesting.saturating_add(1))?;
                }
            }
            // Each hop is a lease, so robots, politeness and the limits hold for it too.
            Outcome::Redirect => {
                let target = report.links.first().and_then(|link| normal::parse(&link.url).ok());
                if let Some(address) = target {
                    self.add_sitemap(draft, site, &address, sitemap.nesting.saturating_add(1))?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Queues the pages that a sitemap names, in changes of their own: there may be so many of them that
    /// one change would be too large. After a kill in between the sitemap is read again, and what is
    /// known by then stays as it is.
    pub(crate) fn see_entries(
        &mut self,
        site: &Site,
        bot: BotId,
        report: &mut Report,
    ) -> Result<(), StoreError> {
        if report.outcome != Outcome::Fetched {
            return Ok(());
        }
        let sitemaps = self.sitemaps_of(&Draft::default(), site)?;
        let sitemap = sitemaps.list.iter().find(|one| sitemap_id(&one.url) == report.url_id);
        let Some(url) = sitemap.map(|sitemap| sitemap.url.clone()) else {
            return Ok(());
        };
        let sighting = Sighting {
            origin: Origin::Sitemap,
            via: normal::parse(&url).ok().map(|address| address.id),
            bot: Some(bot),
            depth: 1,
            redirects: 0,
            parent_relevance: 0.0,
            // Without a language focus every page is wanted, so nothing is behind.
            wanted_language: self.plan.settings.wanted_language.is_none(),
            seed: false,
            anchor: "",
            context: "",
            tag_path: "",
        };
        let most = report.links.len().min(self.plan.settings.max_sitemap_entries);
        for links in report.links[..most].chunks_mut(ENTRIES) {
            let mut targets = self.read_found(links, None)?;
            targets.retain(|target| self.scope.admits(&target.address));
            self.sift(targets.iter_mut())?;
            let mut draft = Draft::default();
            for target in &targets {
                self.see(&mut draft, &target.address, &sighting, target.known)?;
                if let Some(changed) = links.get(target.index).and_then(|link| link.changed) {
                    self.announce(&mut draft, target.address.id, changed)?;
                }
            }
            self.commit(draft)?;
        }
        Ok(())
    }
}

fn has_work(sitemaps: &Sitemaps) -> bool {
    sitemaps.list.iter().any(|sitemap| sitemap.done.is_none())
}

/// A sitemap is leased under an id of its own, so that it does not meet a page of the same address.
fn sitemap_id(url: &str) -> UrlId {
    UrlId::of(&format!("sitemap:{url}"))
}
