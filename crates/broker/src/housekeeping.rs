//! What happens by itself? Leases expire, failed URLs come up again, and bots are retired.

use crate::draft::Draft;
use crate::ledger::{Ledger, LedgerError};
use lycosa_frontier::kiss::{self, Fleet};
use lycosa_model::message::BrokerReply;
use lycosa_model::{BotId, Door, FetchKind, Tick, UrlId};
use lycosa_store::records::{Queued, StoreError};
use std::collections::BTreeSet;

impl Ledger {
    /// Does what is due.
    pub(crate) fn housekeep(&mut self, now: Tick) -> Result<(), LedgerError> {
        self.expire(now)?;
        self.retry(now)?;
        self.retire(now)
    }

    /// Takes back leases whose time is over.
    fn expire(&mut self, now: Tick) -> Result<(), LedgerError> {
        let mut draft = Draft::default();
        let mut any = false;
        while let Some(id) = due(&self.lease_ends, now) {
            any = true;
            if let Some(bot) = self.take_back(&mut draft, id)?
                && let Some(record) = self.bots.get_mut(&bot)
            {
                record.expired += 1;
                draft.put_bot(bot, record);
            }
        }
        if any { Ok(self.commit(draft)?) } else { Ok(()) }
    }

    /// Ends one lease without a report; the URL goes back to the strategy with one failure more.
    fn take_back(&mut self, draft: &mut Draft, id: UrlId) -> Result<Option<BotId>, StoreError> {
        let Some(granted) = self.unhold(id)? else {
            return Ok(None);
        };
        if granted.held.kind == FetchKind::Page {
            draft.release(id);
            if let Some(record) = draft.url(&self.records, id)? {
                record.failures += 1;
                let record = record.clone();
                if let Some((place, queued)) = self.entry(id)? {
                    self.offer_again(place, &queued, &record);
                }
            }
        }
        Ok(Some(granted.held.bot))
    }

    /// The frontier entry of a URL.
    pub(crate) fn entry(&self, id: UrlId) -> Result<Option<(u64, Queued)>, StoreError> {
        let Some(place) = self.records.url(id)?.and_then(|record| record.queued) else {
            return Ok(None);
        };
        Ok(self.records.queued(place)?.map(|queued| (place, queued)))
    }

    /// Gives URLs whose waiting time is over back to the strategy.
    fn retry(&mut self, now: Tick) -> Result<(), LedgerError> {
        while let Some(id) = due(&self.retries, now) {
            self.retries.pop_first();
            if let Some((place, queued)) = self.entry(id)?
                && let Some(record) = self.records.url(id)?
            {
                self.offer_again(place, &queued, &record);
            }
        }
        Ok(())
    }

    /// Retires bots that are silent or poor; their leases come back at once.
    fn retire(&mut self, now: Tick) -> Result<(), LedgerError> {
        // A bot in our own process cannot be silent without the process being so.
        let live = |bot: &&lycosa_model::BotRecord| bot.kissed.is_none() && bot.door == Door::Http;
        let rates: Vec<f64> =
            self.bots.values().filter(live).map(|bot| kiss::rate(bot, now)).collect();
        if rates.is_empty() {
            return Ok(());
        }
        let fleet = Fleet::of(rates);
        let rule = &self.plan.settings.kiss;
        let kissed: Vec<(BotId, String)> = self
            .bots
            .iter()
            .filter(|(_, bot)| live(bot))
            .filter_map(|(id, bot)| {
                let why = kiss::verdict(rule, bot, now, kiss::rate(bot, now), &fleet)?;
                Some((*id, why))
            })
            .collect();
        for (id, why) in kissed {
            self.kiss(id, why)?;
        }
        Ok(())
    }

    /// A bot goes of its own will; what it holds comes back at once.
    pub(crate) fn leave(&mut self, bot: BotId) -> Result<BrokerReply, LedgerError> {
        if let Err(refusal) = self.check(bot) {
            return Ok(BrokerReply::Refused(refusal));
        }
        self.kiss(bot, "it left".into())?;
        Ok(BrokerReply::Done)
    }

    fn kiss(&mut self, id: BotId, why: String) -> Result<(), LedgerError> {
        let mut draft = Draft::default();
        let theirs: Vec<UrlId> = self
            .lease_ends
            .iter()
            .map(|(_, url)| *url)
            .filter(|url| self.leases.get(url).is_some_and(|granted| granted.held.bot == id))
            .collect();
        for url in theirs {
            self.take_back(&mut draft, url)?;
        }
        if let Some(record) = self.bots.get_mut(&id) {
            tracing::info!(bot = %id, name = record.name, "retired: {why}");
            record.kissed = Some(why);
            draft.put_bot(id, record);
        }
        self.commit(draft)?;
        Ok(())
    }
}

/// The first URL whose moment has come.
fn due(moments: &BTreeSet<(Tick, UrlId)>, now: Tick) -> Option<UrlId> {
    moments.first().filter(|(at, _)| *at <= now).map(|(_, id)| *id)
}
