//! What does a site say of pages that are not there?
//!
//! Some sites answer every address with status 200 and a page that says `not found`. Nothing in such a
//! page proves that, so the site is asked once for a page that cannot be there, when it gives cause: when
//! it has shown the same short page at two addresses, or one whose title says so. Pages that say what the
//! site says of that one are its way to say `not found`. Where its front page says the same, all pages of
//! the site look alike to us (they need a script), and none is judged.

use crate::draft::Draft;
use crate::grant::earlier;
use crate::ledger::{Granted, Ledger};
use crate::sites::Readiness;
use lycosa_frontier::variants::{look_alike, says_not_found};
use lycosa_frontier::{Address, normal};
use lycosa_model::message::Report;
use lycosa_model::{
    Absence, BotId, FetchKind, Fingerprint, Lease, NotFound, Outcome, Site, Tick, UrlId,
};
use lycosa_store::records::{Content, ContentKey, StoreError};

/// Pages with more words than this say more than `not found`.
const SMALL: u32 = 300;

/// A site that is to be asked for what cannot be there.
#[derive(Clone, Debug)]
pub(crate) struct Probe {
    url: String,
    /// The page that gave cause.
    cause: UrlId,
}

impl Ledger {
    /// Notes what a small page looks like; a site that shows the same twice is asked.
    pub(crate) fn suspect(
        &mut self,
        draft: &mut Draft,
        address: &Address,
        page: &Fingerprint,
        now: Tick,
    ) -> Result<(), StoreError> {
        let state = self.sites.get(&self.records, &address.site)?;
        let unknown = state.counters.not_found == NotFound::Unknown;
        if !self.plan.settings.soft_404 || !unknown || page.words > SMALL {
            return Ok(());
        }
        let key = ContentKey::shape(address.site.as_str(), page.shape);
        let twice = match draft.pages.content(&self.records, key)? {
            None => {
                let content = Content { url_id: address.id, fetched: now, copies: 0 };
                draft.pages.put_content(key, content);
                false
            }
            Some(first) if first.url_id == address.id => false,
            Some(mut first) => {
                first.copies = first.copies.saturating_add(1);
                draft.pages.put_content(key, first);
                draft.pages.put_member(key, address.id);
                true
            }
        };
        if (twice || page.says_missing)
            && address.path_and_query() != "/"
            && !self.fresh.probes.contains_key(&address.site)
            && let Some(url) = nowhere(address)
        {
            self.fresh.probes.insert(address.site.clone(), Probe { url, cause: address.id });
        }
        Ok(())
    }

    /// Leases probes of sites that may be asked now. Tells when the first of the others may be.
    pub(crate) fn give_probes(
        &mut self,
        bot: BotId,
        most: usize,
        now: Tick,
        leases: &mut Vec<Lease>,
    ) -> Result<Option<Tick>, StoreError> {
        let mut first_ready = None;
        if self.pages_left() == 0 {
            return Ok(None);
        }
        let sites: Vec<(Site, Probe)> =
            self.fresh.probes.iter().map(|(site, probe)| (site.clone(), probe.clone())).collect();
        for (site, probe) in sites {
            if leases.len() >= most {
                break;
            }
            let url_id = probe_id(&probe.url);
            if self.leases.contains_key(&url_id) {
                continue;
            }
            let state = self.sites.get(&self.records, &site)?;
            match state.readiness(&self.plan.settings, now) {
                Readiness::Ready => {
                    let forbidden = match normal::parse(&probe.url) {
                        Ok(address) => {
                            self.exclusions.of_address(&address).is_some()
                                || self.refusal(&address)?.is_some()
                        }
                        Err(_) => true,
                    };
                    if forbidden {
                        self.fresh.probes.remove(&site);
                        continue;
                    }
                    let held = self.held(bot, FetchKind::Probe, now);
                    let until = held.until;
                    // Not written to the store: after a restart the next page gives cause again.
                    self.hold(url_id, held, site)?;
                    leases.push(Lease {
                        url_id,
                        url: probe.url,
                        kind: FetchKind::Probe,
                        until,
                        last_down: None,
                        previous: None,
                        crawllet: None,
                    });
                }
                Readiness::Resting(until) => first_ready = earlier(first_ready, Some(until)),
                Readiness::NeedsRobots | Readiness::Busy => {}
                Readiness::GivenUp => {
                    self.fresh.probes.remove(&site);
                }
            }
        }
        Ok(first_ready)
    }

    /// Whether the site is still to be asked.
    pub(crate) fn has_probes(&self) -> bool {
        !self.fresh.probes.is_empty()
    }

    /// A lease of a probe ended without a report. The next page that gives cause brings it back.
    pub(crate) fn lost_probe(&mut self, site: &Site) {
        self.fresh.probes.remove(site);
    }

    /// The site has answered. Pages that said the same are taken out.
    pub(crate) fn probe_report(
        &mut self,
        draft: &mut Draft,
        granted: &Granted,
        report: &Report,
        now: Tick,
    ) -> Result<(), StoreError> {
        let site = &granted.site;
        self.visited(draft, site, report, now)?;
        let Some(probe) = self.fresh.probes.remove(site) else {
            return Ok(());
        };
        if report.status == 0 || report.outcome.is_transient() || report.status == 429 {
            return Ok(());
        }
        let page = report.fingerprint.filter(|_| report.outcome == Outcome::Fetched);
        let page = match page {
            Some(page) if self.is_front(draft, site, &page)? => None,
            page => page,
        };
        let state = self.sites.get(&self.records, site)?;
        state.counters.not_found = page.map_or(NotFound::Honest, NotFound::Page);
        draft.counted(site);
        let Some(page) = page else { return Ok(()) };
        let key = ContentKey::shape(site.as_str(), page.shape);
        let mut alike = draft.pages.members(&self.records, key)?;
        alike.extend(draft.pages.content(&self.records, key)?.map(|first| first.url_id));
        alike.push(probe.cause);
        alike.sort_unstable();
        alike.dedup();
        for id in alike {
            let known = draft.pages.history(&self.records, id)?;
            let said = known.and_then(|history| history.fingerprint);
            let named = draft.peek(&self.records, id)?.is_some_and(|record| {
                record.depth == 0
                    || normal::parse(&record.url).is_ok_and(|a| a.path_and_query() == "/")
            });
            if named || !said.is_some_and(|said| says_not_found(&said, &page)) {
                continue;
            }
            self.absent(draft, Some(granted.held.bot), id, Absence::SoftNotFound)?;
            if let Some(record) = draft.url(&self.records, id)? {
                record.outcome = Some(Outcome::SoftNotFound);
            }
            self.count(Outcome::SoftNotFound.name());
        }
        Ok(())
    }

    /// Whether the front page of the site says this.
    fn is_front(
        &self,
        draft: &mut Draft,
        site: &Site,
        page: &Fingerprint,
    ) -> Result<bool, StoreError> {
        let Ok(front) = normal::parse(&format!("{site}/")) else {
            return Ok(false);
        };
        let history = draft.pages.history(&self.records, front.id)?;
        let said = history.and_then(|history| history.fingerprint);
        Ok(said.is_some_and(|said| look_alike(&said, page)))
    }
}

/// An address like this one at which nothing can be: the last value of its query, else the last name of
/// its path, is replaced.
fn nowhere(address: &Address) -> Option<String> {
    let name = UrlId::of(&format!("nowhere {}", address.site)).to_string();
    let probe = match address.query().filter(|query| query.contains('=')) {
        Some(query) => {
            let (rest, _) = query.rsplit_once('=')?;
            address.with(address.path(), Some(&format!("{rest}={name}")))
        }
        None => {
            let (path, slash) = match address.path().strip_suffix('/') {
                Some(path) => (path, "/"),
                None => (address.path(), ""),
            };
            let (folder, last) = path.rsplit_once('/')?;
            let end = last.rsplit_once('.').map_or(String::new(), |(_, end)| format!(".{end}"));
            address.with(&format!("{folder}/{name}{end}{slash}"), None)
        }
    };
    probe.ok().map(|address| address.request)
}

/// A probe is leased under an id of its own.
fn probe_id(url: &str) -> UrlId {
    UrlId::of(&format!("probe:{url}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_that_cannot_be_there_is_like_the_one_that_gave_cause() {
        let of = |url: &str| nowhere(&normal::parse(url).expect("url")).expect("address");
        let name = UrlId::of("nowhere http://a.test").to_string();
        assert_eq!(of("http://a.test/news/herons.html"), format!("http://a.test/news/{name}.html"));
        assert_eq!(of("http://a.test/news/"), format!("http://a.test/{name}/"));
        assert_eq!(of("http://a.test/p?x=1&id=7"), format!("http://a.test/p?x=1&id={name}"));
        assert_eq!(of("http://a.test/a?b"), format!("http://a.test/{name}"));
    }
}
