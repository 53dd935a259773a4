//! What does the broker hold in its hands? The run, the queue of the strategy, the leases, the sites
//! and the bots; all of it can be rebuilt from the store.

use crate::agent::Plan;
use crate::draft::Draft;
use crate::sites::Sites;
use crate::trace::Trace;
use lycosa_frontier::{Address, Scope, normal};
use lycosa_knowledge::RelevanceModel;
use lycosa_model::{BotId, BotRecord, Door, FetchKind, Site, Tick, UrlId, UrlRecord};
use lycosa_runtime::Clock;
use lycosa_store::records::{Held, Queued, Records, Run, StoreError};
use lycosa_strategy::{LinkEvidence, Strategy};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

/// Frontier entries of an abandoned run that are removed in one change.
const SWEEP: usize = 10_000;

/// A lease in force.
#[derive(Clone, Debug)]
pub(crate) struct Granted {
    pub(crate) held: Held,
    pub(crate) site: Site,
}

/// Why the broker cannot go on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LedgerError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{0}")]
    Trace(String),
    #[error("no strategy is called {0}")]
    Strategy(String),
}

/// The broker's working state.
pub(crate) struct Ledger {
    pub(crate) plan: Plan,
    pub(crate) records: Records,
    pub(crate) clock: Clock,
    pub(crate) strategy: Box<dyn Strategy>,
    pub(crate) relevance: RelevanceModel,
    pub(crate) scope: Scope,
    pub(crate) run: Run,
    pub(crate) sites: Sites,
    pub(crate) leases: HashMap<UrlId, Granted>,
    pub(crate) lease_ends: BTreeSet<(Tick, UrlId)>,
    /// Failed URLs that wait to be tried again.
    pub(crate) retries: BTreeSet<(Tick, UrlId)>,
    pub(crate) bots: BTreeMap<BotId, BotRecord>,
    pub(crate) trace: Option<Trace>,
    pub(crate) stopping: bool,
    /// Page leases in force; each may become a page, so they count against the page budget.
    pub(crate) pages_out: u64,
}

impl Ledger {
    /// Opens the run. `reborn` says that this process had it open before (the agent was restarted), so
    /// the leases of its own bots are still being worked on.
    pub(crate) fn open(plan: Plan, reborn: bool) -> Result<Ledger, LedgerError> {
        let records = plan.records.clone();
        let strategy = lycosa_strategy::by_name(&plan.strategy)
            .ok_or_else(|| LedgerError::Strategy(plan.strategy.clone()))?;
        let resume = plan.resume || reborn;
        let run = begin(&records, plan.clock.now(), resume)?;
        let scope = scope_of(&plan, &run);
        let trace = match &plan.settings.trace {
            // A run without attempts has no lines yet: what is in the file is somebody else's.
            Some(path) => {
                let go_on = resume && run.attempts > 0;
                Some(Trace::open(path, go_on).map_err(LedgerError::Trace)?)
            }
            None => None,
        };
        let mut ledger = Ledger {
            relevance: plan.relevance.clone(),
            clock: plan.clock,
            plan,
            records,
            strategy,
            scope,
            run,
            sites: Sites::default(),
            leases: HashMap::new(),
            lease_ends: BTreeSet::new(),
            retries: BTreeSet::new(),
            bots: BTreeMap::new(),
            trace,
            stopping: false,
            pages_out: 0,
        };
        ledger.restore(reborn)?;
        Ok(ledger)
    }

    pub(crate) fn now(&self) -> Tick {
        self.clock.now()
    }

    /// Time since the run began.
    pub(crate) fn age(&self) -> Duration {
        self.now().since(self.run.began)
    }

    /// Takes over what the store holds of this run.
    fn restore(&mut self, reborn: bool) -> Result<(), LedgerError> {
        for row in self.records.bots() {
            let (id, record) = row?;
            self.bots.insert(id, record);
        }
        let mut draft = Draft::default();
        let held: Vec<_> = self.records.leases().collect::<Result<_, _>>()?;
        for (id, held) in held {
            let outside = self.bots.get(&held.bot).is_some_and(|bot| bot.door == Door::Http);
            let record = self.records.url(id)?;
            let address = record.and_then(|record| normal::parse(&record.url).ok());
            match address.filter(|_| outside || reborn) {
                // The bots of a process that is gone will not report any more.
                None => draft.release(id),
                Some(address) => self.hold(id, held, address.site)?,
            }
        }
        let now = self.now();
        let waiting: Vec<_> = self.records.frontier().collect::<Result<_, _>>()?;
        for (place, queued) in waiting {
            if self.leases.contains_key(&queued.url_id) {
                continue;
            }
            if queued.not_before > now {
                self.retries.insert((queued.not_before, queued.url_id));
            } else if let Some(record) = self.records.url(queued.url_id)? {
                self.offer_again(place, &queued, &record);
            }
        }
        draft.commit(&self.records, &self.run)?;
        Ok(())
    }

    /// Enters a lease into the tables.
    pub(crate) fn hold(&mut self, id: UrlId, held: Held, site: Site) -> Result<(), StoreError> {
        let state = self.sites.get(&self.records, &site)?;
        state.in_flight += 1;
        match held.kind {
            FetchKind::Robots => state.asking_robots = true,
            FetchKind::Page => self.pages_out += 1,
        }
        self.lease_ends.insert((held.until, id));
        self.leases.insert(id, Granted { held, site });
        Ok(())
    }

    /// Takes a lease out of the tables.
    pub(crate) fn unhold(&mut self, id: UrlId) -> Result<Option<Granted>, StoreError> {
        let Some(granted) = self.leases.remove(&id) else {
            return Ok(None);
        };
        self.lease_ends.remove(&(granted.held.until, id));
        let state = self.sites.get(&self.records, &granted.site)?;
        state.in_flight = state.in_flight.saturating_sub(1);
        match granted.held.kind {
            FetchKind::Robots => state.asking_robots = false,
            FetchKind::Page => self.pages_out = self.pages_out.saturating_sub(1),
        }
        Ok(Some(granted))
    }

    /// Gives a URL that is in the frontier back to the strategy.
    pub(crate) fn offer_again(&mut self, place: u64, queued: &Queued, record: &UrlRecord) {
        let Ok(address) = normal::parse(&record.url) else {
            return;
        };
        self.strategy.on_link(&LinkEvidence {
            url: queued.url_id,
            site: &address.site,
            known: false,
            seed: queued.seed,
            via: record.via,
            parent_relevance: queued.parent_relevance,
            wanted_language: queued.wanted_language,
            depth: record.depth,
            order: place,
            anchor: "",
            context: "",
        });
    }

    /// Whether the budgets of the run allow another page.
    pub(crate) fn pages_left(&self) -> u64 {
        if self.stopping || self.plan.settings.max_time.is_some_and(|most| self.age() >= most) {
            return 0;
        }
        match self.plan.settings.max_pages {
            Some(most) => most.saturating_sub(self.run.pages + self.pages_out),
            None => u64::MAX,
        }
    }

    /// Whether nothing is under way and nothing will be.
    pub(crate) fn finished(&self) -> bool {
        let idle = self.strategy.queued() == 0 && self.retries.is_empty();
        self.leases.is_empty() && (idle || self.pages_left() == 0)
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
        self.run.clock = self.now();
        draft.commit(&self.records, &self.run)
    }
}

/// The run to work on: the last one when it is resumed, else a new one with an empty frontier.
fn begin(records: &Records, now: Tick, resume: bool) -> Result<Run, StoreError> {
    let last = records.run()?;
    match last {
        Some(run) if resume => Ok(run),
        last => {
            let last = last.unwrap_or_default();
            sweep(records)?;
            let run = Run {
                number: last.number + 1,
                began: now,
                clock: now,
                next_place: last.next_place,
                known: last.known,
                ..Run::default()
            };
            let mut change = records.change();
            change.put_run(&run);
            change.commit()?;
            Ok(run)
        }
    }
}

/// Empties the frontier that an earlier run left. The records stay; only their places go.
fn sweep(records: &Records) -> Result<(), StoreError> {
    loop {
        let rows: Vec<_> = records.frontier().take(SWEEP).collect::<Result<_, _>>()?;
        let leases: Vec<_> = records.leases().collect::<Result<_, _>>()?;
        if rows.is_empty() && leases.is_empty() {
            return Ok(());
        }
        let mut change = records.change();
        for (place, queued) in rows {
            change.dequeue(place);
            if let Some(mut record) = records.url(queued.url_id)? {
                record.queued = None;
                change.put_url(queued.url_id, &record);
            }
        }
        for (id, _) in leases {
            change.remove_lease(id);
        }
        change.commit()?;
    }
}

fn scope_of(plan: &Plan, run: &Run) -> Scope {
    let given = run.seeds.iter().chain(&run.joined);
    let addresses: Vec<Address> = given.filter_map(|url| normal::parse(url).ok()).collect();
    Scope::new(plan.settings.scope, &addresses)
}
