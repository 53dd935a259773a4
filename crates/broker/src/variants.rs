//! Which addresses have proved to be the same page?
//!
//! Pairs are compared when the second of them is fetched for the first time; see
//! [`lycosa_frontier::variants`]. What was counted lies with the other counters of the site.

use crate::draft::Draft;
use crate::ledger::{Granted, Ledger};
use lycosa_frontier::{Address, normal, variants};
use lycosa_model::message::{Finding, Report};
use lycosa_model::{Outcome, Site, UrlState, Variant};
use lycosa_store::records::StoreError;

impl Ledger {
    /// Compares a page that was fetched for the first time with those at addresses like its own.
    pub(crate) fn compare_variants(
        &mut self,
        draft: &mut Draft,
        address: &Address,
        finding: &Finding,
    ) -> Result<(), StoreError> {
        if !self.plan.settings.variants.enabled {
            return Ok(());
        }
        for (variant, sibling) in variants::siblings(address) {
            if let Some(same) = self.is_same(draft, sibling.id, finding)? {
                self.count_variant(draft, &address.site, variant, same)?;
                if sibling.site != address.site {
                    self.count_variant(draft, &sibling.site, variant, same)?;
                }
            }
        }
        Ok(())
    }

    /// A site that redirects from one of two addresses to the other says itself that they are one page.
    pub(crate) fn note_redirect(
        &mut self,
        draft: &mut Draft,
        granted: &Granted,
        report: &Report,
    ) -> Result<(), StoreError> {
        let target = report.links.first().and_then(|link| normal::parse(&link.url).ok());
        let record = draft.peek(&self.records, report.url_id)?;
        // Once for each address.
        let from = record
            .filter(|record| record.outcome != Some(Outcome::Redirect))
            .and_then(|record| normal::parse(&record.url).ok());
        let (Some(target), Some(from)) = (target, from) else {
            return Ok(());
        };
        if !self.plan.settings.variants.enabled {
            return Ok(());
        }
        let siblings = variants::siblings(&from);
        if let Some((variant, _)) = siblings.iter().find(|(_, other)| other.id == target.id) {
            self.count_variant(draft, &granted.site, *variant, true)?;
        }
        Ok(())
    }

    fn count_variant(
        &mut self,
        draft: &mut Draft,
        site: &Site,
        variant: Variant,
        same: bool,
    ) -> Result<(), StoreError> {
        let state = self.sites.get(&self.records, site)?;
        if variants::count(&mut state.counters, variant, same) {
            draft.counted(site);
        }
        Ok(())
    }

    /// The known page that this address has proved to be, where it would only be asked for again.
    pub(crate) fn known_variant(
        &mut self,
        draft: &mut Draft,
        address: &Address,
    ) -> Result<Option<Address>, StoreError> {
        let rule = &self.plan.settings.variants;
        let state = self.sites.get(&self.records, &address.site)?;
        if !rule.has_proof(&state.counters) {
            return Ok(None);
        }
        let joined: Vec<Address> = variants::siblings(address)
            .into_iter()
            .filter(|(variant, _)| rule.is_joined(&state.counters, *variant, address))
            .map(|(_, sibling)| sibling)
            .collect();
        for sibling in joined {
            // One that failed there may be found here.
            let run = self.run.number;
            let stands = match draft.peek(&self.records, sibling.id)? {
                // It waits and was not asked for yet, if it was met at all.
                None => self.sieve.has(sibling.id.fingerprint())?,
                Some(record) => match record.state {
                    UrlState::Waiting(_) => record.queued.is_some() && record.run == run,
                    UrlState::Answered(status) => (200..400).contains(&status),
                    UrlState::Ended(_) | UrlState::Dropped => false,
                },
            };
            if stands {
                return Ok(Some(sibling));
            }
        }
        Ok(None)
    }

    /// The address without parameters that are known, or have proved, to change nothing.
    pub(crate) fn without_idle_parameters(
        &mut self,
        address: Address,
    ) -> Result<(Address, bool), StoreError> {
        let rule = &self.plan.settings.variants;
        let (mut address, mut stripped) = match rule.without_tracking(&address) {
            Some(plain) => (plain, true),
            None => (address, false),
        };
        if address.query().is_none() {
            return Ok((address, stripped));
        }
        let state = self.sites.get(&self.records, &address.site)?;
        if !rule.has_proof(&state.counters) {
            return Ok((address, stripped));
        }
        for _ in 0..variants::MAX_PARAMETERS {
            let siblings = variants::siblings(&address).into_iter();
            let next = siblings
                .filter(|(variant, _)| matches!(variant, Variant::Parameter(_)))
                .find(|(variant, _)| rule.is_joined(&state.counters, *variant, &address));
            let Some((_, plain)) = next else { break };
            (address, stripped) = (plain, true);
        }
        Ok((address, stripped))
    }
}
