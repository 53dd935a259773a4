//! Why does a page leave the index, and who tells the indexer?
//!
//! What leaves is noted in the store with the reason, and stays there until the index was brought in line
//! with the records. While a crawl runs, the bot that may have put the page in is told with its next
//! leases.

use crate::draft::Draft;
use crate::ledger::{Granted, Ledger};
use lycosa_model::{Absence, BotId, Tick, UrlId, UrlState};
use lycosa_store::records::StoreError;

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
        draft.pages.put_removal(id);
        self.fresh.removed.entry(bot).or_default().push(id);
    }

    /// What the bot should take out of the index.
    pub(crate) fn take_removed(&mut self, bot: BotId) -> Vec<UrlId> {
        let mut removed = self.fresh.removed.remove(&Some(bot)).unwrap_or_default();
        removed.extend(self.fresh.removed.remove(&None).unwrap_or_default());
        removed
    }
}
