//! How are pages kept fresh within a budget?
//!
//! A crawl that keeps pages fresh goes on with the last run: links that it finds are new or they are not,
//! and known pages come up by schedule alone. At its beginning all pages are counted, the price of a
//! visit is found ([`lycosa_frontier::revisit::policy`]), and every page gets its moment, in the store. A
//! page that was visited gets its next one. Without a limit of time or pages the crawl ends when nothing
//! is due any more.

use crate::draft::Draft;
use crate::ledger::{Ledger, LedgerError};
use crate::not_found::Probe;
use lycosa_frontier::normal;
use lycosa_frontier::revisit::policy::{Census, Policy, Standing};
use lycosa_frontier::revisit::{self, rate};
use lycosa_model::message::RevisitStatus;
use lycosa_model::{BotId, History, Site, Spot, Tick, UrlId, UrlRecord, UrlState};
use lycosa_store::records::{Entry, Queued, StoreError};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Pages whose moments are written in one change, and pages that come up in one step.
const STEP: usize = 1_000;

/// What a page that is not in the index is worth, against others: whether it is back is asked now and
/// then.
const ABSENT_WEIGHT: f64 = 0.1;

/// What is under way about the content of pages. What must not be lost of it is in the store.
#[derive(Default)]
pub(crate) struct Fresh {
    /// Pages that the index must be rid of, by the bot that may have put them in.
    pub(crate) removed: BTreeMap<Option<BotId>, Vec<UrlId>>,
    /// The last place of the list of pages that have left the index.
    pub(crate) last_removal: u64,
    /// Sites that are to be asked for what cannot be there.
    pub(crate) probes: BTreeMap<Site, Probe>,
    /// When sitemaps and feeds are read again, in a crawl that keeps pages fresh: each at its beginning, too.
    pub(crate) rereads: BTreeSet<(Tick, Site, String)>,
    /// Set in a crawl that keeps pages fresh.
    pub(crate) schedule: Option<Schedule>,
}

/// The schedule of a crawl that keeps pages fresh.
pub(crate) struct Schedule {
    policy: Policy,
    /// When it was made, on the crawl's clock.
    began: Tick,
    /// Time that the run had been worked on before.
    age: Duration,
    /// Attempts of the run before.
    attempts: u64,
    /// Pages that have come up.
    came_up: u64,
    /// Pages that have a moment.
    scheduled: u64,
    status: RevisitStatus,
}

impl Ledger {
    /// Time and attempts of the run that its limits do not count.
    pub(crate) fn uncounted(&self) -> (Duration, Option<u64>) {
        match &self.fresh.schedule {
            Some(schedule) => (schedule.age, Some(schedule.attempts)),
            None => (Duration::ZERO, None),
        }
    }

    /// Whether pages have moments that are still to come in this crawl.
    pub(crate) fn has_schedule(&self) -> bool {
        self.fresh.schedule.as_ref().is_some_and(|schedule| schedule.scheduled > 0)
    }

    /// Whether pages are visited again for as long as a limit allows.
    pub(crate) fn stays_fresh(&self) -> bool {
        self.fresh.schedule.is_some() && self.is_limited()
    }

    /// Whether the crawl goes on until a limit is reached, and not only while something is due.
    fn is_limited(&self) -> bool {
        let settings = &self.plan.settings;
        settings.max_time.is_some() || settings.max_pages.is_some()
    }

    pub(crate) fn revisit_status(&self) -> Option<RevisitStatus> {
        let schedule = self.fresh.schedule.as_ref()?;
        Some(RevisitStatus {
            scheduled: schedule.scheduled,
            visited: self.run.attempts - schedule.attempts,
            ..schedule.status
        })
    }

    /// Gives every page its moment.
    pub(crate) fn plan_visits(&mut self) -> Result<(), LedgerError> {
        let (now, rule) = (self.now(), self.plan.settings.revisit);
        self.clear_due()?;
        let mut census = Census::default();
        for row in self.records.histories() {
            let (id, history) = row?;
            if let Some(record) = self.records.url(id)?.filter(is_visited) {
                let inlinks = self.inlinks.total(id.fingerprint())?;
                census.add(&standing(&record, &history, inlinks));
            }
        }
        let visits_per_day = rule.budget(census.pages());
        let policy = census.policy(visits_per_day, rule.bounds());
        let mut schedule = Schedule {
            began: now,
            age: self.age(),
            attempts: self.run.attempts,
            came_up: 0,
            scheduled: 0,
            status: RevisitStatus {
                visits_per_day,
                freshness: census.freshness(&policy),
                ..RevisitStatus::default()
            },
            policy,
        };
        let mut draft = Draft::default();
        for (number, row) in self.records.histories().enumerate() {
            let (id, mut history) = row?;
            let Some(record) = self.records.url(id)?.filter(is_visited) else {
                continue;
            };
            let inlinks = self.inlinks.total(id.fingerprint())?;
            let page = standing(&record, &history, inlinks);
            let due = rule.due(&schedule.policy, id, &page, &history);
            schedule.status.due += u64::from(due <= now);
            if due <= now || self.is_limited() {
                history.due = Some(due);
                draft.pages.put_due(due, id);
                schedule.scheduled += 1;
            } else {
                history.due = None;
            }
            draft.pages.put_history(id, history);
            if number % STEP == STEP - 1 {
                self.commit(std::mem::take(&mut draft))?;
            }
        }
        self.commit(draft)?;
        self.fresh.schedule = Some(schedule);
        Ok(self.read_sitemaps_again()?)
    }

    /// Forgets the moments of an earlier crawl.
    fn clear_due(&mut self) -> Result<(), LedgerError> {
        loop {
            let rows = self.records.due(Tick(u64::MAX), STEP)?;
            if rows.is_empty() {
                return Ok(());
            }
            let mut draft = Draft::default();
            rows.iter().for_each(|(at, id)| draft.pages.remove_due(*at, *id));
            self.commit(draft)?;
        }
    }

    /// Puts pages whose moment has come into the frontier, as many as the budget allows.
    pub(crate) fn come_due(&mut self, now: Tick) -> Result<(), LedgerError> {
        if self.pages_left() == 0 {
            return Ok(());
        }
        self.reopen_sitemaps(now)?;
        loop {
            let Some(schedule) = &self.fresh.schedule else { return Ok(()) };
            if schedule.scheduled == 0 {
                return Ok(());
            }
            let most = match self.plan.settings.revisit.visits_per_day {
                None => STEP,
                Some(visits) => {
                    let earned = rate::days(now.since(schedule.began)) * visits;
                    // One is free, so that a small budget begins at once.
                    STEP.min((earned as u64 + 1).saturating_sub(schedule.came_up) as usize)
                }
            };
            let rows = self.records.due(now, most)?;
            if rows.is_empty() {
                return Ok(());
            }
            let mut draft = Draft::default();
            for (at, id) in rows {
                draft.pages.remove_due(at, id);
                if let Some(schedule) = &mut self.fresh.schedule {
                    schedule.scheduled = schedule.scheduled.saturating_sub(1);
                    schedule.came_up += 1;
                }
                self.visit_again(&mut draft, id)?;
            }
            self.commit(draft)?;
        }
    }

    /// Queues a known page once more.
    fn visit_again(&mut self, draft: &mut Draft, id: UrlId) -> Result<(), StoreError> {
        if let Some(history) = draft.pages.history(&self.records, id)? {
            history.due = None;
        }
        let Some(record) = draft.peek(&self.records, id)?.filter(|url| url.queued.is_none()) else {
            return Ok(());
        };
        let Ok(address) = normal::parse(&record.url) else {
            return Ok(());
        };
        let queued = Queued {
            url_id: id,
            depth: record.depth,
            parent_relevance: 0.0,
            wanted_language: record.wanted_language,
            seed: record.via.is_none() && record.depth == 0,
        };
        let rank = self.rank_of(&address.site, &queued);
        let spot = Spot { rank, place: self.run.take_place(false) };
        self.enter_site(draft, &address.site)?;
        if let Some(record) = draft.url(&self.records, id)? {
            record.queued = Some(spot);
            record.run = self.run.number;
        }
        self.enqueue(draft, &address.site, &Entry { spot, queued })
    }

    /// Notes a visit, and gives the page its next moment.
    pub(crate) fn visited_again(
        &mut self,
        draft: &mut Draft,
        id: UrlId,
        changed: Option<bool>,
        now: Tick,
    ) -> Result<(), StoreError> {
        let limited = self.is_limited();
        let Some(schedule) = &mut self.fresh.schedule else { return Ok(()) };
        match changed {
            Some(true) => schedule.status.changed += 1,
            Some(false) => schedule.status.unchanged += 1,
            None => schedule.status.failed += 1,
        }
        let earliest = now.after(self.plan.settings.revisit.min_interval);
        if limited { self.schedule(draft, id, earliest) } else { Ok(()) }
    }

    /// Gives a page its moment anew, in a crawl that keeps pages fresh. Pages that wait already keep
    /// their places.
    pub(crate) fn schedule(
        &mut self,
        draft: &mut Draft,
        id: UrlId,
        earliest: Tick,
    ) -> Result<(), StoreError> {
        let rule = self.plan.settings.revisit;
        let (limited, now) = (self.is_limited(), self.now());
        let Some(schedule) = &mut self.fresh.schedule else { return Ok(()) };
        let Some(record) = draft.peek(&self.records, id)?.filter(|url| url.queued.is_none()) else {
            return Ok(());
        };
        if !is_visited(record) {
            return Ok(());
        }
        let record = record.clone();
        let Some(history) = draft.pages.history(&self.records, id)? else {
            return Ok(());
        };
        let inlinks = self.inlinks.total(id.fingerprint())?;
        let due = rule.due(&schedule.policy, id, &standing(&record, history, inlinks), history);
        let due = due.max(earliest);
        if !limited && due > now {
            // Such a crawl ends with what is due, and does not wait for more.
            return Ok(());
        }
        let before = history.due.replace(due);
        match before {
            Some(before) if before == due => return Ok(()),
            Some(before) => draft.pages.remove_due(before, id),
            None => schedule.scheduled += 1,
        }
        draft.pages.put_due(due, id);
        Ok(())
    }

    /// Has a page visited at once, in a crawl that keeps pages fresh.
    pub(crate) fn hurry(&mut self, draft: &mut Draft, id: UrlId) -> Result<(), StoreError> {
        let now = self.now();
        let Some(schedule) = &mut self.fresh.schedule else { return Ok(()) };
        if draft.peek(&self.records, id)?.is_none_or(|record| record.queued.is_some()) {
            return Ok(());
        }
        let Some(history) = draft.pages.history(&self.records, id)? else {
            return Ok(());
        };
        match history.due.replace(now) {
            Some(before) => draft.pages.remove_due(before, id),
            None => schedule.scheduled += 1,
        }
        draft.pages.put_due(now, id);
        Ok(())
    }

    /// A sitemap or feed dates a page. One that has changed since our visit is brought forward.
    pub(crate) fn announce(
        &mut self,
        draft: &mut Draft,
        id: UrlId,
        changed: Tick,
    ) -> Result<(), StoreError> {
        let Some(history) = draft.pages.history(&self.records, id)? else {
            return Ok(());
        };
        if history.announced.is_some_and(|known| known >= changed) {
            return Ok(());
        }
        history.announced = Some(changed);
        if changed > history.visited {
            self.schedule(draft, id, Tick(0))?;
        }
        Ok(())
    }
}

/// Whether the page is one that is visited again.
fn is_visited(record: &UrlRecord) -> bool {
    record.state != UrlState::Dropped
}

/// The page as the policy sees it.
fn standing(record: &UrlRecord, history: &History, inlinks: i32) -> Standing {
    let listing = history.is_feed || record.depth == 0;
    let weight = revisit::importance(u32::try_from(inlinks).unwrap_or(0), record.depth, listing);
    Standing {
        rate: rate::estimate(&history.observations),
        weight: if history.absent.is_some() { weight * ABSENT_WEIGHT } else { weight },
        announced: revisit::is_announced(history),
    }
}
