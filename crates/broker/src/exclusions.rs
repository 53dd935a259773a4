//! What is left alone by hand, and how does it come back?
//!
//! Nobody goes through the frontier for it: a URL that waits is looked at when it is its turn, and set aside then.
//! What was set aside is on record by itself, so it can wait again when the person thinks better of it.

use crate::draft::Draft;
use crate::ledger::{Ledger, LedgerError};
use lycosa_frontier::{Address, Exclusions, NoExclusion};
use lycosa_model::message::{BrokerReply, UrlView};
use lycosa_model::{Happening, Origin, Outcome, Tick, UrlId, UrlRecord, UrlState};
use lycosa_store::records::{Aside, Entry, StoreError};
use std::time::Duration;

/// URLs that come back in one change.
const STEP: usize = 1_024;

fn declined(error: &NoExclusion) -> BrokerReply {
    BrokerReply::Declined { error: error.to_string(), hint: error.hint().into() }
}

/// What `lycosa url` says of an address that is left alone.
pub(crate) fn by_hand(pattern: &str) -> String {
    format!("excluded by hand (`{pattern}`)")
}

impl Ledger {
    /// Takes up what the run leaves alone, and what is said to be left alone now. `reborn` when this process said
    /// it before: since then it may have been changed.
    pub(crate) fn restore_exclusions(&mut self, reborn: bool) -> Result<(), StoreError> {
        let kept = self.records.exclusions(self.run.number)?;
        let said = self.plan.settings.exclude.iter().filter(|_| !reborn);
        let mut all = Exclusions::default();
        for text in kept.iter().flatten().chain(said) {
            if let Err(error) = all.add(text) {
                tracing::warn!("{error}");
            }
        }
        self.exclusions = all;
        match kept.as_deref().unwrap_or_default() == self.exclusions.list() {
            true => Ok(()),
            false => self.keep_exclusions(),
        }
    }

    fn keep_exclusions(&self) -> Result<(), StoreError> {
        let mut change = self.records.change();
        change.put_exclusions(self.run.number, self.exclusions.list());
        change.commit()
    }

    /// Leaves more alone, at once.
    pub(crate) fn exclude(&mut self, texts: &[String]) -> Result<BrokerReply, LedgerError> {
        let mut all = self.exclusions.clone();
        let mut patterns = Vec::new();
        for text in texts {
            match all.add(text) {
                Ok(added) => patterns.extend(added),
                Err(error) => return Ok(declined(&error)),
            }
        }
        if !patterns.is_empty() {
            self.exclusions = all;
            self.keep_exclusions()?;
            self.note(Happening::Excluded { patterns });
            self.write_events()?;
        }
        Ok(BrokerReply::Done)
    }

    /// Leaves less alone: what was set aside for it waits again.
    pub(crate) fn include(&mut self, texts: &[String]) -> Result<BrokerReply, LedgerError> {
        let mut all = self.exclusions.clone();
        let mut patterns = Vec::new();
        for text in texts {
            match all.remove(text) {
                Ok(removed) => patterns.push(removed),
                Err(error) => return Ok(declined(&error)),
            }
        }
        self.exclusions = all;
        // Cut off here, the old list is still on record, and what is back already is set aside again.
        let back = self.bring_back()?;
        self.keep_exclusions()?;
        self.note(Happening::Included { patterns, back });
        self.write_events()?;
        Ok(BrokerReply::Done)
    }

    /// Lets all that was set aside and is left alone no more wait again; tells how much.
    pub(crate) fn bring_back(&mut self) -> Result<u64, LedgerError> {
        let (mut back, mut behind) = (0, None);
        loop {
            let rows = self.records.asides(self.run.number, behind).take(STEP);
            let rows: Vec<Aside> = rows.collect::<Result<_, _>>()?;
            let Some(last) = rows.last() else { return Ok(back) };
            behind = Some(last.entry.spot.place);
            let mut draft = Draft::default();
            for aside in rows {
                back += u64::from(self.take_again(&mut draft, aside)?);
            }
            self.commit(draft)?;
        }
    }

    fn take_again(&mut self, draft: &mut Draft, aside: Aside) -> Result<bool, StoreError> {
        let Aside { entry, state, outcome } = aside;
        let Some(address) = self.address_of(draft, entry.queued.url_id)? else { return Ok(false) };
        if self.exclusions.of_address(&address).is_some() {
            return Ok(false);
        }
        draft.remove_aside(entry.spot.place);
        let now = self.now();
        if let Some(record) = draft.url(&self.records, entry.queued.url_id)? {
            (record.state, record.outcome, record.tsstate) = (state, outcome, now);
            record.queued = Some(entry.spot);
        }
        self.enqueue(draft, &address.site, &entry)?;
        Ok(true)
    }

    /// It is the turn of a URL that is left alone: it waits no longer, until it comes back.
    pub(crate) fn set_aside(
        &mut self,
        draft: &mut Draft,
        id: UrlId,
        entry: Entry,
        now: Tick,
    ) -> Result<(), StoreError> {
        if let Some(record) = draft.url(&self.records, id)? {
            let (state, outcome) = (record.state, record.outcome);
            record.queued = None;
            // What is known of a page that was read stays known.
            if outcome.is_none() {
                record.state = UrlState::Ended(Outcome::Excluded);
                record.outcome = Some(Outcome::Excluded);
                record.tsstate = now;
            }
            draft.put_aside(Aside { entry, state, outcome });
        }
        self.count(Outcome::Excluded.name());
        self.strategy.on_fail(id, Outcome::Excluded, Duration::ZERO);
        Ok(())
    }

    /// What there is to say of an address without record, when it is left alone.
    pub(crate) fn excluded_view(&self, address: &Address) -> Option<UrlView> {
        let pattern = self.exclusions.of_address(address)?;
        let mut record = UrlRecord::new(address.request.clone(), Origin::OtherPage, self.now());
        record.state = UrlState::Ended(Outcome::Excluded);
        record.outcome = Some(Outcome::Excluded);
        Some(UrlView {
            url_id: address.id,
            normal: address.normal().to_owned(),
            record,
            inlinks: 0,
            via: None,
            leased_to: None,
            reason: format!("not followed: {}", by_hand(pattern)),
            find: None,
            history: None,
            explain: Vec::new(),
            site: None,
        })
    }
}
