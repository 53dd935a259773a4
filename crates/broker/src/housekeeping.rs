//! What happens by itself? Leases expire, failed URLs come up again, and bots are retired.

use crate::draft::Draft;
use crate::ledger::{Granted, Ledger, LedgerError};
use lycosa_frontier::kiss::{self, Fleet};
use lycosa_model::message::BrokerReply;
use lycosa_model::{BotId, BotRecord, Door, FetchError, FetchKind, Outcome, Site, Tick, UrlId};
use lycosa_store::records::StoreError;
use std::collections::BTreeSet;
use std::time::Duration;

/// How a URL ends over which too many leases were lost: no report came in time.
const LOST: Outcome = Outcome::Failed(FetchError::Timeout);

/// How often all bots are looked at, unless leases expire.
const LOOK_AT_BOTS: Duration = Duration::from_secs(1);

/// Whether a lease that ends without a report is held against the URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blame {
    /// The bot was lost over it, as far as we can know.
    Url,
    /// The bot left in order.
    Nobody,
}

impl Ledger {
    /// Does what is due.
    pub(crate) fn housekeep(&mut self, now: Tick) -> Result<(), LedgerError> {
        let expired = self.expire(now)?;
        self.come_up(now)?;
        self.come_due(now)?;
        if expired || now >= self.next_look {
            self.next_look = now.after(LOOK_AT_BOTS);
            self.retire(now)?;
            self.sites.forget_spare(now);
        }
        Ok(())
    }

    /// Takes back leases whose time is over. Tells whether there were any.
    pub(crate) fn expire(&mut self, now: Tick) -> Result<bool, LedgerError> {
        let mut draft = Draft::default();
        let mut any = false;
        while let Some(id) = due(&self.lease_ends, now) {
            any = true;
            if let Some(bot) = self.take_back(&mut draft, id, Blame::Url, now)?
                && let Some(record) = self.bots.records.get_mut(&bot)
            {
                record.expired = record.expired.saturating_add(1);
                draft.put_bot(bot, record);
            }
        }
        if any {
            self.commit(draft)?;
        }
        Ok(any)
    }

    /// Ends one lease without a report; tells whose it was. The URL goes back to the strategy, with one
    /// failure more if it is to blame, and ends when it has had too many.
    fn take_back(
        &mut self,
        draft: &mut Draft,
        id: UrlId,
        blame: Blame,
        now: Tick,
    ) -> Result<Option<BotId>, StoreError> {
        let Some(granted) = self.unhold(id)? else {
            return Ok(None);
        };
        self.rest(draft, &granted.site, now)?;
        match granted.held.kind {
            FetchKind::Robots => self.lost_robots(draft, &granted.site, blame)?,
            FetchKind::Page => self.lost_page(draft, id, &granted, blame, now)?,
            FetchKind::Probe => self.lost_probe(&granted.site),
            FetchKind::Crawllet => self.lost_crawllet(&granted.site, blame)?,
            FetchKind::Sitemap => self.lost_sitemap(draft, id, &granted.site, blame, now)?,
        }
        Ok(Some(granted.held.bot))
    }

    fn lost_robots(
        &mut self,
        draft: &mut Draft,
        site: &Site,
        blame: Blame,
    ) -> Result<(), StoreError> {
        if blame == Blame::Nobody {
            return Ok(());
        }
        let most = self.plan.settings.lost_leases;
        let state = self.sites.get(&self.records, site)?;
        state.record.robots_failures = state.record.robots_failures.saturating_add(1);
        if state.record.robots_failures >= most {
            state.record.robots_failures = 0;
            state.given_up = Some(LOST);
        }
        draft.put_site(site, &state.record);
        Ok(())
    }

    fn lost_page(
        &mut self,
        draft: &mut Draft,
        id: UrlId,
        granted: &Granted,
        blame: Blame,
        now: Tick,
    ) -> Result<(), StoreError> {
        draft.release(id);
        let Some(entry) = granted.held.entry.clone() else {
            return Ok(());
        };
        let Some(record) = draft.url(&self.records, id)? else {
            return Ok(());
        };
        record.bot1_id = Some(granted.held.bot);
        if blame == Blame::Url {
            if record.failures.saturating_add(1) >= self.plan.settings.lost_leases {
                self.run.errors += 1;
                return self.end_unasked(draft, id, LOST, now);
            }
            record.failures += 1;
        }
        self.enqueue(draft, &granted.site, &entry)
    }

    /// Retires bots that are silent or poor; their leases come back at once.
    fn retire(&mut self, now: Tick) -> Result<(), LedgerError> {
        // A bot in our own process cannot be silent without the process being so.
        let live: Vec<(BotId, BotRecord)> = self
            .bots
            .working()
            .filter(|(_, bot)| bot.door == Door::Http)
            .filter_map(|(id, _)| Some((id, self.bots.this_session(id)?)))
            .collect();
        if live.is_empty() {
            return Ok(());
        }
        let fleet = Fleet::of(live.iter().map(|(_, bot)| kiss::rate(bot, now)).collect());
        for (id, bot) in live {
            let rate = kiss::rate(&bot, now);
            if let Some(why) = kiss::verdict(&self.plan.settings.kiss, &bot, now, rate, &fleet) {
                self.kiss(id, why, Blame::Url, now)?;
            }
        }
        Ok(())
    }

    /// A bot goes of its own will; what it holds comes back at once.
    pub(crate) fn leave(&mut self, bot: BotId) -> Result<BrokerReply, LedgerError> {
        if let Err(refusal) = self.check(bot) {
            return Ok(BrokerReply::Refused(refusal));
        }
        self.kiss(bot, "it left".into(), Blame::Nobody, self.now())?;
        Ok(BrokerReply::Done)
    }

    fn kiss(&mut self, id: BotId, why: String, blame: Blame, now: Tick) -> Result<(), LedgerError> {
        let mut draft = Draft::default();
        self.take_back_all(&mut draft, id, blame, now)?;
        tracing::info!(bot = %id, "retired: {why}");
        if let Some(record) = self.bots.retire(id, why) {
            draft.put_bot(id, record);
        }
        Ok(self.commit(draft)?)
    }

    /// Takes back everything that a bot holds.
    pub(crate) fn take_back_all(
        &mut self,
        draft: &mut Draft,
        id: BotId,
        blame: Blame,
        now: Tick,
    ) -> Result<(), StoreError> {
        let held = self.bots.session(id).map(|session| session.held.clone()).unwrap_or_default();
        for url in held {
            self.take_back(draft, url, blame, now)?;
        }
        Ok(())
    }
}

/// The first URL whose moment has come.
fn due(moments: &BTreeSet<(Tick, UrlId)>, now: Tick) -> Option<UrlId> {
    moments.first().filter(|(at, _)| *at <= now).map(|(_, id)| *id)
}
