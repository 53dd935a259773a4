//! Where did we stop? The run is taken over from the store, or a new one begins.

use crate::agent::Plan;
use crate::draft::Draft;
use crate::ledger::{Ledger, LedgerError};
use lycosa_frontier::{Address, Scope, ScopeKind, normal};
use lycosa_model::{Door, Tick};
use lycosa_store::records::{Records, Root, Run, StoreError};
use lycosa_store::tally::Tally;
use std::time::{Duration, Instant};

/// Rows of each kind of an abandoned run that are removed in one change.
const SWEEP: usize = 10_000;

/// How often is told how far that is.
const TELL_EACH: Duration = Duration::from_secs(5);

/// The run to work on: the last one when it is resumed, else a new one. What waits lies under the number
/// of its run, so a new run begins with nothing, whatever an earlier one left; [`Ledger::sweep`] puts
/// that away. The sieve is emptied in the change that begins the run.
pub(crate) fn begin(
    records: &Records,
    sieve: &mut Tally,
    now: Tick,
    resume: bool,
) -> Result<Run, StoreError> {
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
                next_site: last.next_site,
                next_links: last.next_links,
                known: last.known,
                ..Run::default()
            };
            let mut change = records.change();
            change.put_run(&run);
            sieve.clear(&mut change);
            change.commit()?;
            sieve.settle()?;
            Ok(run)
        }
    }
}

/// What the seeds on record, and where they redirected to, admit.
pub(crate) fn scope_of(plan: &Plan, roots: &[Root]) -> Scope {
    let given = roots.iter().map(|root| match root {
        Root::Seed(url) | Root::Joined(url) => url,
    });
    Scope::new(plan.settings.scope, &addresses(given))
}

/// What the seeds on record stand for in the narrowest scope. A seed that this admits is admitted by
/// them in every kind of scope and need not be on record too.
pub(crate) fn cover_of(roots: &[Root]) -> Scope {
    let seeds = roots.iter().filter_map(|root| match root {
        Root::Seed(url) => Some(url),
        Root::Joined(_) => None,
    });
    Scope::new(ScopeKind::Prefix, &addresses(seeds))
}

fn addresses<'a>(urls: impl Iterator<Item = &'a String>) -> Vec<Address> {
    urls.filter_map(|url| normal::parse(url).ok()).collect()
}

impl Ledger {
    /// Takes over what the store holds of this run. `reborn` when this process had it open before.
    pub(crate) fn restore(&mut self, reborn: bool) -> Result<(), LedgerError> {
        let now = self.now();
        let mut draft = Draft::default();
        self.sweep()?;
        self.fresh.last_removal = self.records.last_removal()?;
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
        self.restore_lines()?;
        self.restore_agenda()?;
        self.restore_leases(&mut draft, now)?;
        self.commit(draft)?;
        Ok(self.restore_sitemaps()?)
    }

    fn restore_leases(&mut self, draft: &mut Draft, now: Tick) -> Result<(), LedgerError> {
        let leases: Vec<_> = self.records.leases().collect::<Result<_, _>>()?;
        for (id, held) in leases {
            let record = self.records.url(id)?.filter(|record| record.run == self.run.number);
            let address = record.and_then(|record| normal::parse(&record.url).ok());
            match (address, &held.entry) {
                (Some(address), _) if self.bots.session(held.bot).is_some() => {
                    self.hold(id, held, address.site)?;
                }
                // Whoever held it will not report any more, but may have asked the site a moment ago.
                (Some(address), Some(entry)) => {
                    self.rest(draft, &address.site, now)?;
                    draft.release(id);
                    self.enqueue(draft, &address.site, entry)?;
                }
                _ => draft.release(id),
            }
        }
        Ok(())
    }

    /// Puts away what earlier runs left in the store: URLs that nobody asked for get their records. Done
    /// before anything else, so that whatever is known and does not wait has a record.
    fn sweep(&mut self) -> Result<(), StoreError> {
        let (mut unasked, mut told) = (0_u64, Instant::now());
        while !self.run.swept {
            let stale = self.records.stale(self.run.number, SWEEP)?;
            self.run.swept = stale.is_empty();
            let mut change = self.records.change();
            for row in stale.unasked() {
                let (id, record) = row?;
                if !self.records.has_url(id)? {
                    change.put_url(id, &record);
                    unasked += 1;
                }
            }
            change.remove_stale(&stale);
            change.put_run(&self.run);
            change.commit()?;
            if told.elapsed() > TELL_EACH {
                told = Instant::now();
                tracing::info!("{unasked} URLs that the run before did not ask for are put away");
            }
        }
        Ok(())
    }
}
