//! Where did we stop? The run is taken over from the store, or a new one begins.

use crate::agent::Plan;
use crate::draft::Draft;
use crate::ledger::{Ledger, LedgerError};
use lycosa_frontier::{Address, Scope, ScopeKind, normal};
use lycosa_model::{Door, Tick, UrlId};
use lycosa_store::records::{Queued, Records, Run, StoreError};

/// Frontier entries of an abandoned run that are removed in one change.
const SWEEP: usize = 10_000;

/// The run to work on: the last one when it is resumed, else a new one. The entries that an earlier run
/// left in the frontier are known by their records' run and removed by [`Ledger::restore`], so a kill
/// between the two steps leaves neither the old run nor the new one in pieces.
pub(crate) fn begin(records: &Records, now: Tick, resume: bool) -> Result<Run, StoreError> {
    match records.run()? {
        Some(mut run) if resume => {
            run.idle_ms += now.since(run.clock).as_millis() as u64;
            run.clock = now;
            Ok(run)
        }
        last => {
            let last = last.unwrap_or_default();
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

/// What the seeds on record, and where they redirected to, admit.
pub(crate) fn scope_of(plan: &Plan, run: &Run) -> Scope {
    let given = run.seeds.iter().chain(&run.joined);
    Scope::new(plan.settings.scope, &addresses(given))
}

/// What the seeds on record stand for in the narrowest scope. A seed that this admits is admitted by
/// them in every kind of scope and need not be on record too.
pub(crate) fn cover_of(run: &Run) -> Scope {
    Scope::new(ScopeKind::Prefix, &addresses(run.seeds.iter()))
}

fn addresses<'a>(urls: impl Iterator<Item = &'a String>) -> Vec<Address> {
    urls.filter_map(|url| normal::parse(url).ok()).collect()
}

impl Ledger {
    /// Takes over what the store holds of this run. `reborn` when this process had it open before.
    pub(crate) fn restore(&mut self, reborn: bool) -> Result<(), LedgerError> {
        let now = self.now();
        let mut draft = Draft::default();
        for row in self.records.bots() {
            let (id, mut record) = row?;
            if record.kissed.is_none() && record.door == Door::Inside && !reborn {
                record.kissed = Some("its process ended".into());
                draft.put_bot(id, &record);
            }
            if record.kissed.is_none() {
                self.bots.enter(id, record, now);
            } else {
                self.bots.records.insert(id, record);
            }
        }
        self.restore_leases(&mut draft, now)?;
        self.commit(draft)?;
        self.restore_frontier(now)?;
        for state in self.sites.all() {
            state.spend(&self.plan.settings.traps, self.run.number);
        }
        Ok(self.restore_sitemaps()?)
    }

    fn restore_leases(&mut self, draft: &mut Draft, now: Tick) -> Result<(), LedgerError> {
        let leases: Vec<_> = self.records.leases().collect::<Result<_, _>>()?;
        for (id, held) in leases {
            let record = self.records.url(id)?.filter(|record| record.run == self.run.number);
            let address = record.and_then(|record| normal::parse(&record.url).ok());
            match address {
                Some(address) if self.bots.session(held.bot).is_some() => {
                    self.hold(id, held, address.site)?;
                }
                // Whoever held it will not report any more, but may have asked the site a moment ago.
                Some(address) => {
                    self.rest(draft, &address.site, now)?;
                    draft.release(id);
                }
                None => draft.release(id),
            }
        }
        Ok(())
    }

    fn restore_frontier(&mut self, now: Tick) -> Result<(), LedgerError> {
        let mut stale = Vec::new();
        for row in self.records.frontier() {
            let (place, queued) = row?;
            let record = self.records.url(queued.url_id)?;
            let Some(record) = record.filter(|record| record.run == self.run.number) else {
                stale.push((place, queued));
                if stale.len() >= SWEEP {
                    self.sweep(&mut stale)?;
                }
                continue;
            };
            if self.leases.contains_key(&queued.url_id) {
                continue;
            }
            if queued.not_before > now {
                self.retries.insert((queued.not_before, queued.url_id));
            } else {
                self.offer_again(place, &queued, &record)?;
            }
        }
        self.sweep(&mut stale)
    }

    /// Removes frontier entries of an earlier run. The records stay; only their places go.
    fn sweep(&mut self, stale: &mut Vec<(u64, Queued)>) -> Result<(), LedgerError> {
        if stale.is_empty() {
            return Ok(());
        }
        let mut draft = Draft::default();
        for (place, queued) in stale.drain(..) {
            let id: UrlId = queued.url_id;
            if let Some(record) = draft.url(&self.records, id)?
                && record.queued == Some(place)
            {
                record.queued = None;
            }
            draft.dequeue(place);
        }
        Ok(self.commit(draft)?)
    }
}
