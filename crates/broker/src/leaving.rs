//! Why does a page leave the index, and who tells the indexer?
//!
//! What leaves is noted in a list in the store, in order. Whoever has an index there brings it in line with
//! the list at the start and at the end of a crawl, and empties it. While a crawl runs, the bot of that
//! index that may have put the page in is told with its next leases. A bot with an index of its own asks
//! for what is behind the place that its index has committed, so that a kill of either side loses
//! nothing; while there are such bots the list is kept.

use crate::draft::Draft;
use crate::ledger::{Granted, Ledger, LedgerError};
use lycosa_model::message::{BrokerReply, CopyOf};
use lycosa_model::{Absence, BotId, Door, Tick, UrlId, UrlState};
use lycosa_store::records::StoreError;

/// Pages of the list that are told at once.
const REMOVALS: usize = 10_000;

/// Pages that may leave in one millisecond before places run ahead of the clock.
const PLACES_BITS: u32 = 10;

impl Ledger {
    /// An answer that says that the page is not there, or not any more. It leaves the index when that
    /// was said often enough.
    pub(crate) fn missed(
        &mut self,
        draft: &mut Draft,
        granted: &Granted,
        id: UrlId,
        (absence, for_good): (Absence, bool),
        now: Tick,
    ) -> Result<(), StoreError> {
        let rule = self.plan.settings.revisit;
        let Some(history) = draft.pages.history(&self.records, id)? else {
            return Ok(());
        };
        if rule.missed(history, now, for_good) && history.absent != Some(absence) {
            let bot = granted.held.bot;
            self.absent(draft, Some(bot), id, absence)?;
        }
        Ok(())
    }

    /// Takes a page out of the index, if it was ever in it.
    pub(crate) fn absent(
        &mut self,
        draft: &mut Draft,
        bot: Option<BotId>,
        id: UrlId,
        absence: Absence,
    ) -> Result<(), StoreError> {
        let Some(history) = draft.pages.history(&self.records, id)? else {
            return Ok(());
        };
        let was_in = history.indexed;
        history.indexed = false;
        history.absent = Some(absence);
        history.same_as = None;
        let page = history.fingerprint;
        let digest = draft.url(&self.records, id)?.and_then(|record| {
            // Whatever comes back must come back whole.
            std::mem::take(&mut record.previous).payload_digest
        });
        self.wake_copies(draft, id, digest.as_deref(), page.as_ref())?;
        self.leaves(draft, bot, id, was_in, Some(absence));
        Ok(())
    }

    /// A page that was dropped for its failures leaves the index.
    pub(crate) fn note_dropped(
        &mut self,
        draft: &mut Draft,
        granted: &Granted,
        id: UrlId,
    ) -> Result<(), StoreError> {
        let record = draft.peek(&self.records, id)?;
        if record.is_some_and(|record| record.state == UrlState::Dropped) {
            self.absent(draft, Some(granted.held.bot), id, Absence::Failing)?;
        }
        Ok(())
    }

    /// Tells the index, by way of a bot and in the store.
    pub(crate) fn leaves(
        &mut self,
        draft: &mut Draft,
        bot: Option<BotId>,
        id: UrlId,
        was_in: bool,
        absence: Option<Absence>,
    ) {
        if let Some(absence) = absence.filter(|_| was_in) {
            self.count(absence.name());
        }
        // By the clock, so that places grow also where the list was emptied.
        let place = (self.fresh.last_removal + 1).max(self.now().0 << PLACES_BITS);
        self.fresh.last_removal = place;
        draft.pages.put_removal(place, id);
        let record = bot.and_then(|bot| self.bots.records.get(&bot));
        if record.is_none_or(|record| record.door == Door::Inside) {
            self.fresh.removed.entry(bot).or_default().push(id);
        }
    }

    /// The next pages of the list.
    pub(crate) fn removals(&mut self, bot: BotId, after: u64) -> Result<BrokerReply, LedgerError> {
        let now = self.now();
        match self.check(bot) {
            Err(refusal) => return Ok(BrokerReply::Refused(refusal)),
            Ok(record) => record.dlast = now,
        }
        let rows: Vec<(u64, UrlId)> =
            self.records.removals(after).take(REMOVALS).collect::<Result<_, _>>()?;
        let whole = rows.len() < REMOVALS;
        let last = rows.last().map_or(after, |(place, _)| *place);
        let to = if whole { last.max(self.fresh.last_removal) } else { last };
        let mut urls = Vec::with_capacity(rows.len());
        for (_, id) in rows {
            // What came back since is in the index by right.
            if !self.records.history(id)?.is_some_and(|history| history.indexed) {
                urls.push(id);
            }
        }
        let copies = self.copies_among(&urls)?;
        Ok(BrokerReply::Removals { urls, copies, to })
    }

    /// What the bot should take out of the index.
    pub(crate) fn take_removed(&mut self, bot: BotId) -> Vec<UrlId> {
        let mut removed = self.fresh.removed.remove(&Some(bot)).unwrap_or_default();
        removed.extend(self.fresh.removed.remove(&None).unwrap_or_default());
        removed
    }

    /// Those that others stand for.
    pub(crate) fn copies_among(&self, urls: &[UrlId]) -> Result<Vec<CopyOf>, StoreError> {
        urls.iter().filter_map(|id| self.records.copy_of(*id).transpose()).collect()
    }
}
