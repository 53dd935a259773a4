//! May this site be asked now? Politeness state and robots rules of every site the run has met.

use crate::settings::Settings;
use lycosa_frontier::Robots;
use lycosa_model::message::SiteCounts;
use lycosa_model::{Outcome, Site, SiteRecord, SiteRobots, Tick};
use lycosa_store::records::{Records, StoreError};
use std::collections::HashMap;
use std::time::Duration;

/// A site while the run lasts.
#[derive(Debug, Default)]
pub(crate) struct SiteState {
    /// What is on record.
    pub(crate) record: SiteRecord,
    /// The rules of its robots.txt, parsed when first needed.
    pub(crate) rules: Option<Robots>,
    /// URLs leased now, robots.txt included.
    pub(crate) in_flight: u32,
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
}

impl Sites {
    /// The state of a site, read from the store when it is met for the first time.
    pub(crate) fn get(
        &mut self,
        records: &Records,
        site: &Site,
    ) -> Result<&mut SiteState, StoreError> {
        if !self.states.contains_key(site) {
            let record = records.site(site)?.unwrap_or_default();
            self.states.insert(site.clone(), SiteState { record, ..SiteState::default() });
        }
        // Inserted above when it was not there.
        Ok(self.states.entry(site.clone()).or_default())
    }

    /// The state of a site that was met before.
    pub(crate) fn known(&self, site: &Site) -> Option<&SiteState> {
        self.states.get(site)
    }

    /// Sites met.
    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    pub(crate) fn counts(&self, settings: &Settings, now: Tick) -> SiteCounts {
        let mut counts = SiteCounts::default();
        for state in self.states.values() {
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
}
