//! What does the broker hold in its hands? The run, the queue of the strategy, the leases, the sites
//! and the bots; all of it can be rebuilt from the store.

use crate::addresses::Addresses;
use crate::agenda::Agenda;
use crate::agent::Plan;
use crate::bots::Bots;
use crate::draft::Draft;
use crate::events::Events;
use crate::fresh::Fresh;
use crate::memory::Writing;
use crate::restore;
use crate::results::Results;
use crate::rules::RuleCache;
use crate::sites::Sites;
use crate::trace::Trace;
use crate::unread::Unread;
use crate::watch::Watch;
use lycosa_frontier::{Address, Exclusions, Robots, Scope, normal};
use lycosa_knowledge::RelevanceModel;
use lycosa_model::{CrawlletStatus, FetchKind, Site, Tick, UrlId, UrlRecord, Why};
use lycosa_runtime::Clock;
use lycosa_store::records::{Held, Records, Run, StoreError};
use lycosa_store::tally::{Kind, Tally};
use lycosa_strategy::{Strategy, UnknownStrategy};
use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A lease in force.
#[derive(Clone, Debug)]
pub(crate) struct Granted {
    pub(crate) held: Held,
    pub(crate) site: Site,
    /// Since when, as far as this process knows.
    pub(crate) since: Tick,
    /// The network address that it counts for.
    pub(crate) address: Option<IpAddr>,
    /// The record of the URL as the store has it, so that the report need not read it again; nothing
    /// when it was not read.
    pub(crate) record: Option<Box<UrlRecord>>,
    /// The agent of the strategy that goes there, as far as this process knows.
    pub(crate) agent: Option<Arc<str>>,
    /// Why it was chosen, as far as this process knows.
    pub(crate) why: Option<Box<Why>>,
    /// Whether it is answered from what a crawllet brought.
    pub(crate) harvested: bool,
}

/// Why the broker cannot go on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LedgerError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{0}")]
    Trace(String),
    #[error(transparent)]
    Strategy(#[from] UnknownStrategy),
}

/// The broker's working state.
pub(crate) struct Ledger {
    pub(crate) plan: Plan,
    pub(crate) records: Records,
    pub(crate) clock: Clock,
    pub(crate) strategy: Box<dyn Strategy>,
    pub(crate) relevance: RelevanceModel,
    pub(crate) scope: Scope,
    /// What a person wants left alone.
    pub(crate) exclusions: Exclusions,
    /// What the seeds on record stand for; see [`restore::cover_of`].
    pub(crate) cover: Scope,
    pub(crate) run: Run,
    /// The URLs met in this run.
    pub(crate) sieve: Tally,
    /// How many pages link to each URL, in all runs.
    pub(crate) inlinks: Tally,
    pub(crate) sites: Sites,
    pub(crate) addresses: Addresses,
    pub(crate) watch: Watch,
    pub(crate) leases: HashMap<UrlId, Granted>,
    pub(crate) lease_ends: BTreeSet<(Tick, UrlId)>,
    /// URLs that wait for a moment, as failed ones do.
    pub(crate) agenda: Agenda,
    pub(crate) rules: RuleCache,
    /// The rules of a site without robots.txt.
    pub(crate) no_rules: Arc<Robots>,
    /// Sites with sitemaps that are still to be read.
    pub(crate) sitemaps: Unread,
    pub(crate) bots: Bots,
    /// When bots are looked at again.
    pub(crate) next_look: Tick,
    pub(crate) trace: Option<Trace>,
    pub(crate) events: Events,
    /// Whether the run was there before.
    pub(crate) resumed: bool,
    pub(crate) stopping: bool,
    /// Since when it is paused, if it is.
    pub(crate) paused: Option<Tick>,
    /// The best pages so far.
    pub(crate) results: Results,
    /// When what the strategy has learned is written down.
    pub(crate) writing: Writing,
    pub(crate) fresh: Fresh,
    /// The crawllets of the run so far.
    pub(crate) crawllets: CrawlletStatus,
    /// Page leases in force; each may become a page, so they count against the page budget.
    pub(crate) pages_out: u64,
}

impl Ledger {
    /// Opens the run. `reborn` says that this process had it open before (the agent was restarted), so
    /// the leases of its own bots are still being worked on.
    pub(crate) fn open(mut plan: Plan, reborn: bool) -> Result<Ledger, LedgerError> {
        // A site that may never be asked would hold up the crawl for ever.
        plan.settings.site_concurrency = plan.settings.site_concurrency.max(1);
        let records = plan.records.clone();
        let strategy = lycosa_strategy::by_name(&plan.strategy, &plan.setup)?;
        let resume = plan.resume || reborn;
        let mut sieve = records.tally(Kind::Sieve)?;
        let run = restore::begin(&records, &mut sieve, plan.clock.now(), resume)?;
        let roots = records.roots(run.number)?;
        let scope = restore::scope_of(&plan, &roots);
        let trace = match &plan.settings.trace {
            // A run without attempts has no lines yet: what is in the file is somebody else's.
            Some(path) => {
                let go_on = resume && run.attempts > 0;
                Some(Trace::open(path, go_on).map_err(LedgerError::Trace)?)
            }
            None => None,
        };
        let went_on = resume && run.attempts > 0;
        let traps = plan.settings.traps.clone();
        let writing = Writing::new(run.attempts);
        let mut ledger = Ledger {
            relevance: plan.relevance.clone(),
            clock: plan.clock,
            plan,
            strategy,
            scope,
            exclusions: Exclusions::default(),
            cover: restore::cover_of(&roots),
            sites: Sites::new(traps, run.number),
            addresses: Addresses::default(),
            watch: Watch::new(run.clock),
            run,
            sieve,
            inlinks: records.tally(Kind::Inlinks)?,
            leases: HashMap::new(),
            lease_ends: BTreeSet::new(),
            agenda: Agenda::default(),
            rules: RuleCache::default(),
            no_rules: Arc::new(Robots::parse(b"")),
            sitemaps: Unread::default(),
            bots: Bots::default(),
            next_look: Tick(0),
            trace,
            events: Events::default(),
            resumed: resume,
            stopping: false,
            paused: None,
            results: Results::default(),
            writing,
            fresh: Fresh::default(),
            crawllets: CrawlletStatus::default(),
            pages_out: 0,
            records,
        };
        ledger.restore_exclusions(reborn)?;
        ledger.events.watched = ledger.is_watched();
        if went_on {
            ledger.restore_finds()?;
            ledger.recall();
        }
        ledger.restore(reborn)?;
        // What is left alone may have been changed while nobody was at work.
        ledger.bring_back()?;
        ledger.restore_crawllets()?;
        if ledger.plan.settings.revisiting {
            ledger.plan_visits()?;
        }
        Ok(ledger)
    }

    pub(crate) fn now(&self) -> Tick {
        self.clock.now()
    }

    /// Time that the run has been worked on.
    pub(crate) fn age(&self) -> Duration {
        self.run.age(self.paused.unwrap_or_else(|| self.now()))
    }

    /// The address of a URL that has a record.
    pub(crate) fn address_of(
        &self,
        draft: &mut Draft,
        id: UrlId,
    ) -> Result<Option<Address>, StoreError> {
        let record = draft.peek(&self.records, id)?;
        Ok(record.and_then(|record| normal::parse(&record.url).ok()))
    }

    /// Enters a lease into the tables.
    pub(crate) fn hold(&mut self, id: UrlId, held: Held, site: Site) -> Result<(), StoreError> {
        self.sites.hold(&self.records, &site, held.kind)?;
        let since = self.now();
        let state = self.sites.get(&self.records, &site)?;
        let harvest = state.harvest.as_deref_mut().filter(|_| held.kind == FetchKind::Page);
        let harvested = harvest.is_some_and(|harvest| harvest.lease(id));
        let address = state.record.address.filter(|_| !harvested);
        if let Some(address) = address {
            self.addresses.hold(&self.plan.settings.addresses, address, since);
        }
        self.pages_out += u64::from(held.kind == FetchKind::Page);
        if let Some(session) = self.bots.session(held.bot) {
            session.held.insert(id);
        }
        self.lease_ends.insert((held.until, id));
        self.leases.insert(
            id,
            Granted { held, site, since, address, record: None, agent: None, why: None, harvested },
        );
        Ok(())
    }

    /// Takes a lease out of the tables.
    pub(crate) fn unhold(&mut self, id: UrlId) -> Result<Option<Granted>, StoreError> {
        let Some(granted) = self.leases.remove(&id) else {
            return Ok(None);
        };
        let held = &granted.held;
        self.lease_ends.remove(&(held.until, id));
        if let Some(session) = self.bots.session(held.bot) {
            session.held.remove(&id);
        }
        let page = u64::from(held.kind == FetchKind::Page);
        self.pages_out = self.pages_out.saturating_sub(page);
        self.sites.unhold(&self.records, &granted.site, held.kind)?;
        if granted.harvested
            && let Some(harvest) = &mut self.sites.get(&self.records, &granted.site)?.harvest
        {
            harvest.back();
        }
        self.strategy.wake(&granted.site);
        self.sitemaps.wake(&granted.site);
        if let Some(address) = granted.address {
            self.addresses.unhold(address, self.now());
        }
        Ok(Some(granted))
    }

    /// Lets a site rest as after a visit, because somebody may have asked it a moment ago.
    pub(crate) fn rest(
        &mut self,
        draft: &mut Draft,
        site: &Site,
        now: Tick,
    ) -> Result<(), StoreError> {
        let asked = self.crawl_delay(site)?.unwrap_or_default();
        let state = self.sites.get(&self.records, site)?;
        let next_ok = now.after(self.plan.settings.manners.delay.max(asked));
        if next_ok > state.record.next_ok {
            state.record.next_ok = next_ok;
            draft.put_site(site, &state.record);
        }
        Ok(())
    }

    /// Whether the budgets of the run allow another page.
    pub(crate) fn pages_left(&self) -> u64 {
        let (idle, attempts) = self.uncounted();
        let age = self.age().saturating_sub(idle);
        if self.stopping || self.plan.settings.max_time.is_some_and(|most| age >= most) {
            return 0;
        }
        // Who keeps pages fresh pays for every visit, also for those that find nothing new.
        let spent = attempts.map_or(self.run.pages, |before| self.run.attempts - before);
        match self.plan.settings.max_pages {
            Some(most) => most.saturating_sub(spent + self.pages_out),
            None => u64::MAX,
        }
    }

    /// Whether nothing is under way and nothing will be.
    pub(crate) fn finished(&self) -> bool {
        let idle = self.run.waiting == 0
            && self.run.postponed == 0
            && self.sitemaps.is_empty()
            && !self.has_probes()
            && !self.has_schedule();
        self.leases.is_empty() && (idle || self.pages_left() == 0 || self.strategy.is_over())
    }

    /// The last thing that is done.
    pub(crate) fn close(&mut self) -> Result<(), LedgerError> {
        if self.finished() {
            self.strategy.end(self.now());
            self.write_events()?;
        }
        self.memorise(true);
        Ok(self.records.put_away()?)
    }

    /// Counts an outcome.
    pub(crate) fn count(&mut self, name: &str) {
        match self.run.outcomes.get_mut(name) {
            Some(count) => *count += 1,
            None => {
                self.run.outcomes.insert(name.to_owned(), 1);
            }
        }
    }

    /// Writes a draft together with the run.
    pub(crate) fn commit(&mut self, draft: Draft) -> Result<(), StoreError> {
        // Time that passes in a pause does not count, also when the process ends in it.
        self.run.clock = self.paused.unwrap_or_else(|| self.now());
        let began = Instant::now();
        for (id, record) in draft.changed_urls() {
            if let Some(granted) = self.leases.get_mut(&id) {
                granted.record = Some(Box::new(record.clone()));
            }
        }
        let mut change = draft.change(&self.records, &self.sites, &*self.strategy, &mut self.run);
        self.sieve.seal(&mut change)?;
        self.inlinks.seal(&mut change)?;
        change.commit()?;
        self.sieve.settle()?;
        self.inlinks.settle()?;
        self.watch.wrote(began.elapsed());
        Ok(())
    }
}
