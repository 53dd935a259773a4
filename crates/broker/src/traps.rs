//! Which links are not followed although they are in scope?
//!
//! The rules are [`lycosa_frontier::traps`]. What they count of a site is kept in the store, so that a
//! crawl that is resumed goes on counting. A link that is refused leaves no record, since there may be
//! any number of them: it is counted by its reason, and the reason is found again when somebody asks.

use crate::draft::Draft;
use crate::ledger::{Granted, Ledger, LedgerError};
use crate::seeds::Sighting;
use crate::sites::SiteState;
use lycosa_frontier::traps::{self, Onward, TrapRule};
use lycosa_frontier::{Address, registrable_domain};
use lycosa_model::message::UrlView;
use lycosa_model::{Origin, Outcome, Site, Tick, Trap, UrlId, UrlRecord, UrlState};
use lycosa_store::records::StoreError;

/// The site that counts the sites of its domain, when this is one of the others.
fn domain_of(site: &Site) -> Option<Site> {
    let (host, domain) = (site.host(), registrable_domain(site.host()));
    (host != domain).then(|| Site::of_usual(&format!("http://{domain}")))
}

impl SiteState {
    /// Gives the site up for this run once it has had its share of pages. Tells whether it has.
    pub(crate) fn spend(&mut self, rule: &TrapRule, run: u32) -> bool {
        let pages = self.counters.pages(run, self.record.pages);
        match rule.budget(pages) {
            Ok(()) => false,
            Err(trap) => {
                self.given_up.get_or_insert(Outcome::Trap(trap));
                true
            }
        }
    }
}

impl Ledger {
    /// Notes where the site stood when this run came to it.
    pub(crate) fn enter_site(&mut self, draft: &mut Draft, site: &Site) -> Result<(), StoreError> {
        let state = self.sites.get(&self.records, site)?;
        let is_new = state.counters.is_new();
        if state.counters.enter(self.run.number, state.record.pages) {
            draft.counted(site);
        }
        state.spend(&self.plan.settings.traps, self.run.number);
        if is_new && let Some(domain) = domain_of(site) {
            self.sites.get(&self.records, &domain)?.counters.others += 1;
            draft.counted(&domain);
        }
        Ok(())
    }

    /// Whether a site was not met yet and its domain has shown too many others.
    fn is_one_too_many(&mut self, site: &Site) -> Result<bool, StoreError> {
        if !self.sites.get(&self.records, site)?.counters.is_new() {
            return Ok(false);
        }
        let Some(domain) = domain_of(site) else { return Ok(false) };
        let others = self.sites.get(&self.records, &domain)?.counters.others;
        Ok(self.plan.settings.traps.another_site(others).is_err())
    }

    /// Whether the site may give no more pages in this run; if so, the link is counted as refused.
    pub(crate) fn has_had_its_share(&mut self, site: &Site) -> Result<bool, StoreError> {
        let state = self.sites.get(&self.records, site)?;
        let refused = state.spend(&self.plan.settings.traps, self.run.number);
        if refused {
            self.count(Trap::SiteBudget.name());
        }
        Ok(refused)
    }

    /// Whether an address without record leads nowhere; if so, the link is counted as refused. What a
    /// person gave, and where that redirects to, is never refused.
    pub(crate) fn is_trapped(
        &mut self,
        draft: &mut Draft,
        address: &Address,
        sighting: &Sighting<'_>,
        now: Tick,
    ) -> Result<bool, StoreError> {
        if sighting.seed {
            return Ok(false);
        }
        if self.has_had_its_share(&address.site)? {
            return Ok(true);
        }
        if self.is_one_too_many(&address.site)? {
            self.count(Trap::ManySites.name());
            return Ok(true);
        }
        if self.known_variant(draft, address)?.is_some() {
            self.count(Trap::Variant.name());
            return Ok(true);
        }
        let state = self.sites.get(&self.records, &address.site)?;
        let before = state.counters.weight();
        let verdict = self.plan.settings.traps.verdict(address, &mut state.counters, now);
        if state.counters.weight() != before {
            draft.counted(&address.site);
        }
        if let Err(trap) = verdict {
            self.count(trap.name());
        }
        Ok(verdict.is_err())
    }

    /// Takes note of where a page leads on its own site.
    pub(crate) fn leads(
        &mut self,
        draft: &mut Draft,
        granted: &Granted,
        id: UrlId,
        links: Onward,
    ) -> Result<(), StoreError> {
        // Nearly all pages lead back, and where none did not there is nothing to count.
        let none = self.sites.get(&self.records, &granted.site)?.counters.mazes.is_empty();
        if links.known > 0 && none {
            return Ok(());
        }
        let Some(page) = self.address_of(draft, id)? else { return Ok(()) };
        let state = self.sites.get(&self.records, &granted.site)?;
        if self.plan.settings.traps.leads(&page, &mut state.counters, links) {
            draft.counted(&granted.site);
        }
        Ok(())
    }

    /// The address to follow: without a session id, and without parameters that change nothing.
    pub(crate) fn plain(&mut self, address: Address) -> Result<Address, StoreError> {
        let mut address = address;
        if self.plan.settings.traps.enabled
            && let Some(plain) = traps::without_session(&address)
        {
            self.count(Trap::Session.name());
            address = plain;
        }
        if address.query().is_none() || !self.scope.admits(&address) {
            return Ok(address);
        }
        let (plain, stripped) = self.without_idle_parameters(address)?;
        if stripped {
            self.count(Trap::IdleParameters.name());
        }
        Ok(plain)
    }

    /// What there is to say of an address without record, when it is one that is refused.
    pub(crate) fn trapped_view(
        &mut self,
        address: &Address,
    ) -> Result<Option<UrlView>, LedgerError> {
        let Some((trap, instead)) = self.trap_of(address)? else {
            return Ok(None);
        };
        let instead = instead.map(|other| format!("; see {}", other.request)).unwrap_or_default();
        let outcome = Outcome::Trap(trap);
        let mut record = UrlRecord::new(address.request.clone(), Origin::OtherPage, self.now());
        record.state = UrlState::Ended(outcome);
        record.outcome = Some(outcome);
        Ok(Some(UrlView {
            url_id: address.id,
            normal: address.normal().to_owned(),
            record,
            inlinks: 0,
            via: None,
            leased_to: None,
            reason: format!("not followed: {}{instead}", trap.explain()),
            find: None,
            history: None,
            explain: Vec::new(),
            site: None,
        }))
    }

    /// Why an address without record would not be followed, and which one is taken instead.
    fn trap_of(
        &mut self,
        address: &Address,
    ) -> Result<Option<(Trap, Option<Address>)>, StoreError> {
        if !self.scope.admits(address) {
            return Ok(None);
        }
        let now = self.now();
        let rule = &self.plan.settings.traps;
        if rule.enabled
            && let Some(plain) = traps::without_session(address)
        {
            return Ok(Some((Trap::Session, Some(plain))));
        }
        let (plain, stripped) = self.without_idle_parameters(address.clone())?;
        if stripped {
            return Ok(Some((Trap::IdleParameters, Some(plain))));
        }
        if let Some(sibling) = self.known_variant(&mut Draft::default(), address)? {
            return Ok(Some((Trap::Variant, Some(sibling))));
        }
        if self.is_one_too_many(&address.site)? {
            return Ok(Some((Trap::ManySites, None)));
        }
        let rule = &self.plan.settings.traps;
        let state = self.sites.get(&self.records, &address.site)?;
        if state.spend(rule, self.run.number) {
            return Ok(Some((Trap::SiteBudget, None)));
        }
        // On a copy: to ask is not to meet.
        let verdict = rule.verdict(address, &mut state.counters.clone(), now);
        Ok(verdict.err().map(|trap| (trap, None)))
    }
}
