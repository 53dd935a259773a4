//! What comes up again, and when?
//!
//! URLs that wait for a moment lie in the store in the order of their moments; only the next few are in
//! memory.

use crate::draft::Draft;
use crate::ledger::{Ledger, LedgerError};
use lycosa_frontier::normal;
use lycosa_model::{Rank, Tick};
use lycosa_store::records::{Entry, StoreError};
use std::collections::BTreeMap;

/// Entries in memory.
const WINDOW: usize = 1024;

/// Entries that are moved to the frontier in one change.
const STEP: usize = 1024;

/// The first entries of the agenda.
#[derive(Debug, Default)]
pub(crate) struct Agenda {
    next: BTreeMap<(Tick, u64), Entry>,
    /// The last entry that was read: all before it are in memory.
    edge: Option<(Tick, u64)>,
    /// Whether there are entries that are not in memory.
    more: bool,
}

impl Agenda {
    /// The first moment at which something comes up.
    pub(crate) fn first(&self) -> Option<Tick> {
        self.next.keys().next().map(|(at, _)| *at)
    }

    fn admit(&mut self, key: (Tick, u64), entry: &Entry) {
        if !self.more || self.edge.is_some_and(|edge| key < edge) {
            self.next.insert(key, entry.clone());
            self.edge = self.edge.max(Some(key));
        }
        if self.next.len() > 2 * WINDOW {
            while self.next.len() > WINDOW {
                self.next.pop_last();
            }
            self.edge = self.next.keys().next_back().copied();
            self.more = true;
        }
    }

    fn take(&mut self, now: Tick) -> Option<(Tick, Entry)> {
        let first = self.next.first_entry().filter(|first| first.key().0 <= now)?;
        let ((at, _), entry) = first.remove_entry();
        Some((at, entry))
    }
}

impl Ledger {
    /// Lets a URL wait until this moment.
    pub(crate) fn postpone(&mut self, draft: &mut Draft, at: Tick, entry: Entry) {
        self.run.postponed += 1;
        self.agenda.admit((at, entry.spot.place), &entry);
        draft.postpone(at, entry);
    }

    /// Reads the next entries when there are none in memory.
    pub(crate) fn read_agenda(&mut self) -> Result<(), StoreError> {
        if !self.agenda.next.is_empty() || !self.agenda.more {
            return Ok(());
        }
        for row in self.records.agenda(self.run.number, self.agenda.edge).take(WINDOW) {
            let (at, entry) = row?;
            let key = (at, entry.spot.place);
            self.agenda.edge = Some(key);
            self.agenda.next.insert(key, entry);
        }
        self.agenda.more = self.agenda.next.len() == WINDOW;
        if !self.agenda.more {
            self.run.postponed = self.agenda.next.len() as u64;
        }
        Ok(())
    }

    /// Takes over the agenda of the run.
    pub(crate) fn restore_agenda(&mut self) -> Result<(), StoreError> {
        self.agenda.more = true;
        self.read_agenda()
    }

    /// Puts URLs whose moment has come into the frontier.
    pub(crate) fn come_up(&mut self, now: Tick) -> Result<(), LedgerError> {
        while self.agenda.first().is_some_and(|at| at <= now) {
            let mut draft = Draft::default();
            for _ in 0..STEP {
                let Some((at, entry)) = self.agenda.take(now) else { break };
                self.run.postponed = self.run.postponed.saturating_sub(1);
                draft.remove_postponed(at, entry.spot.place);
                self.enter(&mut draft, entry)?;
            }
            self.commit(draft)?;
            self.read_agenda()?;
        }
        Ok(())
    }

    fn enter(&mut self, draft: &mut Draft, mut entry: Entry) -> Result<(), StoreError> {
        let Some(record) = draft.peek(&self.records, entry.queued.url_id)? else {
            return Ok(());
        };
        let Ok(address) = normal::parse(&record.url) else {
            return Ok(());
        };
        if entry.spot.rank == Rank::UNJUDGED {
            entry.spot.rank = self.rank_of(&address.site, &entry.queued);
            if let Some(record) = draft.url(&self.records, entry.queued.url_id)? {
                record.queued = Some(entry.spot);
            }
        }
        self.enqueue(draft, &address.site, &entry)
    }
}
