//! May this site be asked now? Politeness state and robots rules of every site the run has met.

use crate::settings::Settings;
use lycosa_frontier::Robots;
use lycosa_model::message::SiteCounts;
use lycosa_model::{FetchKind, Outcome, Site, SiteCounters, SiteRecord, SiteRobots, Tick};
use lycosa_store::records::{Records, StoreError};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::time::Duration;

/// A site while the run lasts.
#[derive(Debug, Default)]
pub(crate) struct SiteState {
    /// What is on record.
    pub(crate) record: SiteRecord,
    /// What is counted to notice traps and budgets.
    pub(crate) counters: SiteCounters,
    /// The rules of its robots.txt, parsed when first needed.
    pub(crate) rules: Option<Robots>,
    /// URLs leased now, robots.txt included.
    in_flight: u32,
    /// URLs that the strategy holds.
    waiting: usize,
    /// Whether the sitemaps that the robots.txt in force names were taken note of in this run.
    pub(crate) met_sitemaps: bool,
    /// Pages and sitemaps take turns, so that neither waits for the last of the others.
    pub(crate) sitemap_turn: bool,
    /// Whether its robots.txt is leased now.
    pub(crate) asking_robots: bool,
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
    pub(crate) fn readiness(&self, settings: &Settings, now: Tick) -> Readiness {
        if self.given_up.is_some() {
            return Readiness::GivenUp;
        }
        if self.asking_robots || self.in_flight >= settings.site_concurrency {
            return Readiness::Busy;
        }
        if now < self.record.next_ok {
            return Readiness::Resting(self.record.next_ok);
        }
        if self.record.robots == SiteRobots::Unknown || now >= self.record.robots_until {
            return Readiness::NeedsRobots;
        }
        match self.record.robots {
            SiteRobots::Unreachable => Readiness::Resting(self.record.robots_until),
            SiteRobots::Unknown | SiteRobots::Text(_) => Readiness::Ready,
        }
    }

    /// URLs leased now, robots.txt included.
    pub(crate) fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// Whether URLs of this site wait to be leased.
    pub(crate) fn has_waiting(&self) -> bool {
        self.waiting > 0
    }

    fn has_work(&self) -> bool {
        self.waiting > 0 || self.in_flight > 0
    }

    /// The rules in force; everything is allowed where there is no file.
    pub(crate) fn rules(&mut self) -> &Robots {
        let record = &self.record;
        self.rules.get_or_insert_with(|| match &record.robots {
            SiteRobots::Text(text) => Robots::parse(text.as_bytes()),
            SiteRobots::Unknown | SiteRobots::Unreachable => Robots::parse(b""),
        })
    }

    pub(crate) fn crawl_delay(&mut self, agent: &str) -> Option<Duration> {
        self.rules().crawl_delay(agent)
    }
}

/// All sites the run has met.
#[derive(Debug, Default)]
pub(crate) struct Sites {
    states: HashMap<Site, SiteState>,
    /// Sites with URLs that wait or are leased.
    active: usize,
}

impl Sites {
    /// The state of a site, read from the store when it is met for the first time.
    pub(crate) fn get(
        &mut self,
        records: &Records,
        site: &Site,
    ) -> Result<&mut SiteState, StoreError> {
        match self.states.entry(site.clone()) {
            Entry::Occupied(entry) => Ok(entry.into_mut()),
            Entry::Vacant(entry) => {
                let record = records.site(site)?.unwrap_or_default();
                let counters = records.counters(site)?.unwrap_or_default();
                Ok(entry.insert(SiteState { record, counters, ..SiteState::default() }))
            }
        }
    }

    /// The state of a site that was met before.
    pub(crate) fn known(&self, site: &Site) -> Option<&SiteState> {
        self.states.get(site)
    }

    /// All that were met.
    pub(crate) fn all(&mut self) -> impl Iterator<Item = &mut SiteState> {
        self.states.values_mut()
    }

    /// Sites with URLs that wait or are leased.
    pub(crate) fn active(&self) -> usize {
        self.active
    }

    /// A URL of this site was given to the strategy.
    pub(crate) fn queued(&mut self, records: &Records, site: &Site) -> Result<(), StoreError> {
        self.work(records, site, |state| state.waiting += 1)
    }

    /// A URL of this site was taken from the strategy.
    pub(crate) fn taken(&mut self, records: &Records, site: &Site) -> Result<(), StoreError> {
        self.work(records, site, |state| state.waiting = state.waiting.saturating_sub(1))
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
            state.asking_robots |= kind == FetchKind::Robots;
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
            state.asking_robots &= kind != FetchKind::Robots;
        })
    }

    fn work(
        &mut self,
        records: &Records,
        site: &Site,
        change: impl FnOnce(&mut SiteState),
    ) -> Result<(), StoreError> {
        let state = self.get(records, site)?;
        let before = state.has_work();
        change(state);
        match (before, state.has_work()) {
            (false, true) => self.active += 1,
            (true, false) => self.active = self.active.saturating_sub(1),
            _ => {}
        }
        Ok(())
    }

    /// All sites by what they are doing.
    pub(crate) fn counts(&self, settings: &Settings, now: Tick) -> SiteCounts {
        count(self.states.values(), settings, now)
    }

    /// The sites whose URLs wait, by what they are doing.
    pub(crate) fn waiting(&self, settings: &Settings, now: Tick) -> SiteCounts {
        count(self.states.values().filter(|state| state.waiting > 0), settings, now)
    }
}

fn count<'a>(
    states: impl Iterator<Item = &'a SiteState>,
    settings: &Settings,
    now: Tick,
) -> SiteCounts {
    let mut counts = SiteCounts::default();
    for state in states {
        match state.readiness(settings, now) {
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
