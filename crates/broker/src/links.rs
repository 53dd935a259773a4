//! Where does a page lead?

use crate::draft::Draft;
use crate::ledger::{Granted, Ledger};
use crate::report::Learned;
use crate::seeds::Sighting;
use lycosa_frontier::{Address, normal};
use lycosa_model::message::Report;
use lycosa_model::{Found, Origin, Outcome, UrlId};
use lycosa_store::records::{Root, StoreError};
use std::collections::HashSet;

impl Ledger {
    /// Each hop of a redirect is a URL of its own, so robots, scope and politeness hold for it too.
    pub(crate) fn follow_redirect(
        &mut self,
        draft: &mut Draft,
        granted: &Granted,
        report: &Report,
        links: &[Found],
        learned: &Learned,
    ) -> Result<(), StoreError> {
        let Some(target) = links.first().and_then(|link| normal::parse(&link.url).ok()) else {
            return Ok(());
        };
        if learned.redirects >= self.plan.settings.max_redirects {
            self.count(Outcome::RedirectLimit.name());
            return Ok(());
        }
        if target.id == report.url_id {
            return Ok(());
        }
        if learned.seed && !self.scope.admits(&target) {
            // Who asked for the one address meant the other, however many hops away it is.
            self.scope.extend(&target);
            draft.put_root(Root::Joined(target.request.clone()));
        }
        if !self.scope.admits(&target) {
            return Ok(());
        }
        let sighting = Sighting {
            origin: Origin::Redirect,
            via: Some(report.url_id),
            bot: Some(granted.held.bot),
            depth: learned.depth,
            redirects: learned.redirects + 1,
            parent_relevance: learned.relevance,
            wanted_language: learned.wanted_language,
            seed: learned.seed,
            anchor: "",
            context: "",
        };
        self.see(draft, &target, &sighting)?;
        self.relink(draft, report.url_id, &[target.id], &[target.id])
    }

    pub(crate) fn follow_links(
        &mut self,
        draft: &mut Draft,
        granted: &Granted,
        report: &Report,
        links: &[Found],
        learned: &Learned,
    ) -> Result<(), StoreError> {
        let mut seen = HashSet::from([report.url_id]);
        let mut all = Vec::new();
        let mut followed = Vec::new();
        let mut html_links = 0;
        for link in links.iter().take(self.plan.settings.max_links) {
            let Ok(address) = normal::parse(&link.url) else {
                continue;
            };
            let address = self.without_session(address);
            if !seen.insert(address.id) {
                continue;
            }
            html_links += u32::from(leads_to_html(&address));
            all.push(address.id);
            if self.follow(draft, granted, report, (&address, link), learned)? {
                followed.push(address.id);
            }
        }
        if let Some(record) = draft.url(&self.records, report.url_id)? {
            record.outlinks = html_links;
        }
        self.relink(draft, report.url_id, &all, &followed)
    }

    /// An unchanged page leads where it led before.
    pub(crate) fn follow_again(
        &mut self,
        draft: &mut Draft,
        granted: &Granted,
        report: &Report,
        learned: &Learned,
    ) -> Result<(), StoreError> {
        for id in self.records.outlinks(report.url_id)? {
            let url = draft.url(&self.records, id)?.map(|record| record.url.clone());
            if let Some(address) = url.and_then(|url| normal::parse(&url).ok()) {
                let link = Found::default();
                self.follow(draft, granted, report, (&address, &link), learned)?;
            }
        }
        Ok(())
    }

    /// Takes note of one link, unless it leads out of the crawl or into a trap. Tells whether it did not.
    fn follow(
        &mut self,
        draft: &mut Draft,
        granted: &Granted,
        report: &Report,
        (address, link): (&Address, &Found),
        learned: &Learned,
    ) -> Result<bool, StoreError> {
        let settings = &self.plan.settings;
        let depth = learned.depth + 1;
        if settings.max_depth.is_some_and(|most| depth > most) || !self.scope.admits(address) {
            return Ok(false);
        }
        let focused = settings.wanted_language.is_some() && learned.wanted_language;
        let sighting = Sighting {
            origin: if focused { Origin::WantedLanguage } else { Origin::OtherPage },
            via: Some(report.url_id),
            bot: Some(granted.held.bot),
            depth,
            redirects: 0,
            parent_relevance: learned.relevance,
            wanted_language: learned.wanted_language,
            seed: false,
            anchor: &link.anchor,
            context: &link.context,
        };
        let queued = self.see(draft, address, &sighting)?;
        Ok(queued || draft.url(&self.records, address.id)?.is_some())
    }

    /// Counts links on both ends: each page that links to a URL counts there once, until it is seen
    /// without that link. What the page still links to stays noted, also while it is out of scope.
    fn relink(
        &mut self,
        draft: &mut Draft,
        from: UrlId,
        all: &[UrlId],
        followed: &[UrlId],
    ) -> Result<(), StoreError> {
        let before = self.records.outlinks(from)?;
        let counted: HashSet<UrlId> = before.iter().copied().collect();
        let there: HashSet<UrlId> = all.iter().copied().collect();
        let fresh: HashSet<UrlId> =
            followed.iter().copied().filter(|id| !counted.contains(id)).collect();
        for id in followed.iter().filter(|id| fresh.contains(id)) {
            if let Some(record) = draft.url(&self.records, *id)? {
                record.inlinks = record.inlinks.saturating_add(1);
            }
        }
        for id in before.iter().filter(|id| !there.contains(id)) {
            if let Some(record) = draft.url(&self.records, *id)? {
                record.inlinks = record.inlinks.saturating_sub(1);
            }
        }
        let kept = all.iter().filter(|id| fresh.contains(id) || counted.contains(id));
        draft.put_outlinks(from, kept.copied().collect());
        Ok(())
    }
}

/// i-Bot counts links to `.html`, `.htm` and `/`; an address without extension counts as well today.
fn leads_to_html(address: &Address) -> bool {
    let name = address.url().path().rsplit('/').next().unwrap_or_default();
    match name.rsplit_once('.') {
        None => true,
        Some((_, extension)) => ["html", "htm", "xhtml", "shtml", "php", "asp", "aspx", "jsp"]
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known)),
    }
}
