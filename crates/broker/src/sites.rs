//! May this site be asked now? The politeness state of every site that has work, rests or was given up;
//! the others are on record.

use crate::crawllets::{Harvest, Sending};
use crate::lines::Window;
use crate::settings::Settings;
use lycosa_frontier::traps::TrapRule;
use lycosa_model::message::{SiteCounts, TopSite};
use lycosa_model::{FetchKind, Outcome, Site, SiteCounters, SiteRecord, SiteRobots, Tick, UrlId};
use lycosa_store::records::{Records, StoreError};
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

/// Sites in memory besides those with work, before the others are forgotten.
const SPARE: usize = 1024;

/// A site while the run lasts.
#[derive(Debug, Default)]
pub(crate) struct SiteState {
    /// What is on record.
    pub(crate) record: SiteRecord,
    /// What is counted to notice traps and budgets.
    pub(crate) counters: SiteCounters,
    /// Whether record and counters were read.
    met: bool,
    /// URLs that wait, and which of them the strategy is shown.
    pub(crate) window: Window,
    /// When the strategy is told to look at the site again.
    alarm: Option<Tick>,
    /// Whether it stands in line for its network address.
    pub(crate) in_line: bool,
    /// URLs leased now, robots.txt included.
    in_flight: u32,
    /// Whether the sitemaps that the robots.txt in force names were taken note of in this run.
    pub(crate) met_sitemaps: bool,
    /// Pages and sitemaps take turns, so that neither waits for the last of the others.
    pub(crate) sitemap_turn: bool,
    /// Whether its robots.txt is leased now, or a crawllet is there: nothing else is asked meanwhile.
    pub(crate) asking_first: bool,
    /// Whether a crawllet was sent in this run.
    pub(crate) sending: Sending,
    /// Whether a page of it said that it takes them.
    pub(crate) heard_link: bool,
    /// What one brought, as far as it is not leased yet.
    pub(crate) harvest: Option<Box<Harvest>>,
    /// The last URL that it failed on, if it has not answered well since.
    pub(crate) failed_on: Option<UrlId>,
    /// Given up for this run: its URLs end with this outcome.
    pub(crate) given_up: Option<Outcome>,
}

/// Whether and when a site may be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readiness {
    /// A page now.
    Ready,
    /// Its robots.txt first.
    NeedsRobots,
    /// Not before this moment.
    Resting(Tick),
    /// When one of its leases is back.
    Busy,
    /// Never in this run; take its URLs out of the queue.
    GivenUp,
}

impl SiteState {
    /// Reads what is on record of it, unless that was done before.
    fn meet(
        &mut self,
        records: &Records,
        site: &Site,
        rule: &TrapRule,
        run: u32,
    ) -> Result<(), StoreError> {
        if !self.met {
            self.record = records.site(site)?.unwrap_or_default();
            self.counters = records.counters(site)?.unwrap_or_default();
            self.met = true;
            self.spend(rule, run);
        }
        Ok(())
    }

    pub(crate) fn readiness(&self, settings: &Settings, now: Tick) -> Readiness {
        if self.given_up.is_some() {
            return Readiness::GivenUp;
        }
        if self.asking_first {
            return Readiness::Busy;
        }
        let needs_robots =
            self.record.robots == SiteRobots::Unknown || now >= self.record.robots_until;
        match self.harvest.as_deref().filter(|harvest| harvest.is_open() && !needs_robots) {
            // What it brought costs the site nothing.
            Some(harvest) if harvest.is_full(0) => return Readiness::Busy,
            Some(_) => {}
            None if self.requests() >= settings.site_concurrency => return Readiness::Busy,
            None if now < self.record.next_ok => return Readiness::Resting(self.record.next_ok),
            None if needs_robots => return Readiness::NeedsRobots,
            None => {}
        }
        match self.record.robots {
            SiteRobots::Unreachable => Readiness::Resting(self.record.robots_until),
            SiteRobots::Unknown | SiteRobots::Known => Readiness::Ready,
        }
    }

    /// URLs leased now for which the site is asked, robots.txt included.
    fn requests(&self) -> u32 {
        self.in_flight - self.harvest.as_deref().map_or(0, Harvest::out).min(self.in_flight)
    }

    /// Whether it has as many leases as it may have, with so many more.
    pub(crate) fn is_full(&self, settings: &Settings, more: u32) -> bool {
        match self.harvest.as_deref().filter(|harvest| harvest.is_open()) {
            Some(harvest) => harvest.is_full(more),
            None => self.requests() + more >= settings.site_concurrency,
        }
    }

    /// Whether it is to be decided whether a crawllet goes there.
    pub(crate) fn is_undecided(&self, settings: &Settings) -> bool {
        let Some(rule) = &settings.crawllets else { return false };
        match self.sending {
            Sending::Unmet => true,
            Sending::NotYet => self.window.waiting() > rule.probe_over,
            Sending::Decided => false,
        }
    }

    /// Whether the next URL is probably answered without asking the site.
    pub(crate) fn is_harvested(&self) -> bool {
        self.harvest.as_deref().is_some_and(Harvest::is_open)
    }

    /// Whether the site may be asked for this URL now, or need not be. One that must wait holds up those
    /// behind it.
    pub(crate) fn admits(&mut self, url: UrlId, settings: &Settings, now: Tick) -> bool {
        let may_ask = self.requests() < settings.site_concurrency && now >= self.record.next_ok;
        // Several may have been chosen together, before it was seen that one of them must wait.
        let harvest = self.harvest.as_deref_mut();
        harvest.is_none_or(|harvest| may_ask || harvest.has_or_waits(url))
    }

    /// Whether URLs of this site wait to be leased.
    pub(crate) fn has_waiting(&self) -> bool {
        self.window.waiting() > 0
    }

    fn has_work(&self) -> bool {
        self.has_waiting() || self.in_flight > 0
    }

    /// Whether it would be as it is now if it were read from the store again.
    fn is_spare(&self, now: Tick) -> bool {
        !self.has_work()
            && self.given_up.is_none()
            && self.alarm.is_none()
            && self.record.next_ok <= now
    }
}

/// The sites that the run works on.
#[derive(Debug, Default)]
pub(crate) struct Sites {
    states: HashMap<Site, SiteState>,
    /// Sites with URLs that wait or are leased.
    active: usize,
    /// The moments at which the strategy is told to look at sites again; at most one per site.
    alarms: BTreeSet<(Tick, Site)>,
    /// What a site may give in this run.
    budget: (TrapRule, u32),
}

impl Sites {
    /// No site yet, in the run of this number.
    pub(crate) fn new(rule: TrapRule, run: u32) -> Sites {
        Sites { budget: (rule, run), ..Sites::default() }
    }

    /// The state of a site, read from the store when it is not in memory.
    pub(crate) fn get(
        &mut self,
        records: &Records,
        site: &Site,
    ) -> Result<&mut SiteState, StoreError> {
        let (rule, run) = &self.budget;
        let state = match self.states.entry(site.clone()) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let line = records.line(site)?;
                let window = line.map(|line| Window::of(line, *run)).unwrap_or_default();
                entry.insert(SiteState { window, ..SiteState::default() })
            }
        };
        state.meet(records, site, rule, *run)?;
        Ok(state)
    }

    /// Reads what is on record of all sites that have work.
    pub(crate) fn meet_all(&mut self, records: &Records) -> Result<(), StoreError> {
        let (rule, run) = &self.budget;
        self.states.iter_mut().try_for_each(|(site, state)| state.meet(records, site, rule, *run))
    }

    /// Enters a site of which URLs wait; its record is read when it is its turn.
    pub(crate) fn restore(&mut self, site: &Site, window: Window) {
        self.active += usize::from(window.waiting() > 0);
        self.states.insert(site.clone(), SiteState { window, ..SiteState::default() });
    }

    /// Forgets the sites that have nothing to do, when there are many of them.
    pub(crate) fn forget_spare(&mut self, now: Tick) {
        if self.states.len() > 2 * self.active + SPARE {
            self.states.retain(|_, state| !state.is_spare(now));
        }
    }

    /// Sets the moment at which the strategy is told to look at a site again.
    pub(crate) fn set_alarm(&mut self, site: &Site, at: Option<Tick>) {
        let Some(state) = self.states.get_mut(site) else { return };
        if state.alarm == at {
            return;
        }
        if let Some(before) = std::mem::replace(&mut state.alarm, at) {
            self.alarms.remove(&(before, site.clone()));
        }
        if let Some(at) = at {
            self.alarms.insert((at, site.clone()));
        }
    }

    /// A site whose moment has come.
    pub(crate) fn alarmed(&mut self, now: Tick) -> Option<Site> {
        let site =
            self.alarms.first().filter(|(at, _)| *at <= now).map(|(_, site)| site.clone())?;
        self.set_alarm(&site, None);
        Some(site)
    }

    /// The first moment at which a site that rests is looked at again.
    pub(crate) fn first_alarm(&self) -> Option<Tick> {
        self.alarms.first().map(|(at, _)| *at)
    }

    /// The state of a site that was met before.
    pub(crate) fn known(&self, site: &Site) -> Option<&SiteState> {
        self.states.get(site)
    }

    /// Sites with URLs that wait or are leased.
    pub(crate) fn active(&self) -> usize {
        self.active
    }

    /// A lease of this site was granted.
    pub(crate) fn hold(
        &mut self,
        records: &Records,
        site: &Site,
        kind: FetchKind,
    ) -> Result<(), StoreError> {
        self.work(records, site, |state| {
            state.in_flight += 1;
            state.asking_first |= comes_first(kind);
        })
    }

    /// A lease of this site has ended.
    pub(crate) fn unhold(
        &mut self,
        records: &Records,
        site: &Site,
        kind: FetchKind,
    ) -> Result<(), StoreError> {
        self.work(records, site, |state| {
            state.in_flight = state.in_flight.saturating_sub(1);
            state.asking_first &= !comes_first(kind);
        })
    }

    /// Changes what a site has to do.
    pub(crate) fn work<T>(
        &mut self,
        records: &Records,
        site: &Site,
        change: impl FnOnce(&mut SiteState) -> T,
    ) -> Result<T, StoreError> {
        let state = self.get(records, site)?;
        let before = state.has_work();
        let done = change(state);
        let idle = !state.has_waiting();
        match (before, state.has_work()) {
            (false, true) => self.active += 1,
            (true, false) => self.active = self.active.saturating_sub(1),
            _ => {}
        }
        if idle {
            self.set_alarm(site, None);
        }
        Ok(done)
    }

    /// The sites that the crawl has most to do with: those with most URLs that wait, then those with
    /// most pages.
    pub(crate) fn top(&self, most: usize, settings: &Settings, now: Tick) -> Vec<TopSite> {
        // The rank of the last one that is kept, so that few of many sites are looked at closely.
        let mut best: BTreeSet<(u64, u64, &Site)> = BTreeSet::new();
        for (site, state) in &self.states {
            best.insert((state.window.waiting(), state.record.pages, site));
            if best.len() > most {
                best.pop_first();
            }
        }
        let row = |(waiting, pages, site): (u64, u64, &Site)| {
            let state = self.states.get(site)?;
            let doing = match state.readiness(settings, now) {
                Readiness::Ready | Readiness::NeedsRobots if !state.in_line => "ready",
                Readiness::GivenUp => "blocked",
                Readiness::Resting(_) if state.record.robots == SiteRobots::Unreachable => {
                    "blocked"
                }
                Readiness::Busy => "busy",
                _ => "resting",
            };
            let (site, address) = (site.to_string(), state.record.address);
            Some(TopSite { site, pages, waiting, state: doing.into(), address })
        };
        best.into_iter().rev().filter_map(row).collect()
    }

    /// All sites by what they are doing.
    pub(crate) fn counts(&self, settings: &Settings, now: Tick) -> SiteCounts {
        count(self.states.values(), settings, now)
    }

    /// The sites whose URLs wait, by what they are doing.
    pub(crate) fn waiting(&self, settings: &Settings, now: Tick) -> SiteCounts {
        count(self.states.values().filter(|state| state.has_waiting()), settings, now)
    }
}

/// Whether nothing else is asked of a site meanwhile.
fn comes_first(kind: FetchKind) -> bool {
    matches!(kind, FetchKind::Robots | FetchKind::Crawllet)
}

fn count<'a>(
    states: impl Iterator<Item = &'a SiteState>,
    settings: &Settings,
    now: Tick,
) -> SiteCounts {
    let mut counts = SiteCounts::default();
    for state in states {
        match state.readiness(settings, now) {
            Readiness::Ready | Readiness::NeedsRobots if state.in_line => counts.resting += 1,
            Readiness::Ready | Readiness::NeedsRobots => counts.ready += 1,
            Readiness::Resting(_) if state.record.robots == SiteRobots::Unreachable => {
                counts.blocked += 1;
            }
            Readiness::Resting(_) | Readiness::Busy => counts.resting += 1,
            Readiness::GivenUp => counts.blocked += 1,
        }
    }
    counts
}
