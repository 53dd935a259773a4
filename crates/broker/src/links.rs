//! Where does a page lead?

use crate::digests::DigestSet;
use crate::draft::Draft;
use crate::ledger::{Granted, Ledger};
use crate::report::Learned;
use crate::seeds::{Seen, Sighting};
use lycosa_frontier::traps::Onward;
use lycosa_frontier::{Address, normal};
use lycosa_model::message::Report;
use lycosa_model::{Found, Origin, Outcome, UrlId};
use lycosa_store::records::{Root, StoreError};
use std::collections::HashSet;

/// Links that lead where the crawl does not go.
const OUT_OF_SCOPE: &str = "out_of_scope";

/// Links that are further from the seeds than allowed.
const TOO_DEEP: &str = "too_deep";

/// Links of a page beyond those that are read.
const TOO_MANY: &str = "too_many_on_page";

/// What the names of pages end with.
const HTML: [&[u8]; 8] = [b"html", b"htm", b"xhtml", b"shtml", b"php", b"asp", b"aspx", b"jsp"];

/// Where a link leads.
pub(crate) struct Target {
    pub(crate) address: Address,
    /// Which link of the report it is.
    pub(crate) index: usize,
    pub(crate) known: Known,
}

/// What the tallies know of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// The run has met it.
    Met,
    /// An earlier run may know it.
    Perhaps,
    /// Nobody knew it a moment ago.
    New,
}

impl Ledger {
    /// Each hop of a redirect is a URL of its own, so robots, scope and politeness hold for it too.
    pub(crate) fn follow_redirect(
        &mut self,
        draft: &mut Draft,
        granted: &Granted,
        report: &Report,
        learned: &Learned,
    ) -> Result<(), StoreError> {
        let Some(target) = report.links.first().and_then(|link| normal::parse(&link.url).ok())
        else {
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
            self.left_alone(OUT_OF_SCOPE, 1);
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
            tag_path: "",
        };
        let seen = self.see(draft, &target, &sighting, Known::Perhaps)?;
        if learned.seed {
            self.inherit_finder(draft, report.url_id, target.id)?;
        }
        let followed = if self.is_noted(draft, target.id, seen)? { &[target.id][..] } else { &[] };
        self.relink(draft, report.url_id, learned, &[target.id], followed)
    }

    /// Reads the links of a page: each address once, without the page's own. Takes their addresses.
    pub(crate) fn read_links(&mut self, report: &mut Report) -> Result<Vec<Target>, StoreError> {
        let most = report.links.len().min(self.plan.settings.max_links);
        self.read_found(&mut report.links[..most], Some(report.url_id))
    }

    /// Reads addresses, each once. They are taken out of the links: what is left of those is their words.
    pub(crate) fn read_found(
        &mut self,
        links: &mut [Found],
        without: Option<UrlId>,
    ) -> Result<Vec<Target>, StoreError> {
        let mut seen = DigestSet::with_capacity_and_hasher(links.len() + 1, Default::default());
        seen.extend(without);
        let mut targets: Vec<Target> = Vec::with_capacity(links.len());
        for (index, link) in links.iter_mut().enumerate() {
            let near = targets.last().map(|before| &before.address.site);
            let Ok(address) = normal::parse_near(std::mem::take(&mut link.url), near) else {
                continue;
            };
            let address = self.plain(address)?;
            if seen.insert(address.id) {
                targets.push(Target { address, index, known: Known::Perhaps });
            }
        }
        Ok(targets)
    }

    /// Asks the tallies which of these the run has met and which no run knows, all at once.
    pub(crate) fn sift<'a>(
        &mut self,
        targets: impl Iterator<Item = &'a mut Target>,
    ) -> Result<(), StoreError> {
        let mut targets: Vec<&mut Target> = targets.collect();
        let mut prints: Vec<u64> = targets.iter().map(|one| one.address.id.fingerprint()).collect();
        let mut known = Vec::new();
        self.sieve.has_all(&prints, &mut known)?;
        let answers = targets.iter_mut().zip(&known).filter(|(_, known)| **known);
        answers.for_each(|(target, _)| target.known = Known::Met);
        // Every URL that is known was counted, if only with nothing.
        targets.retain(|target| target.known != Known::Met);
        prints.clear();
        prints.extend(targets.iter().map(|one| one.address.id.fingerprint()));
        self.inlinks.has_all(&prints, &mut known)?;
        let answers = targets.into_iter().zip(known).filter(|(_, known)| !known);
        answers.for_each(|(target, _)| target.known = Known::New);
        Ok(())
    }

    pub(crate) fn follow_links(
        &mut self,
        draft: &mut Draft,
        granted: &Granted,
        report: &Report,
        targets: &[Target],
        learned: &Learned,
    ) -> Result<(), StoreError> {
        let mut all = Vec::with_capacity(targets.len());
        let mut followed = Vec::with_capacity(targets.len());
        let mut html_links = 0;
        let mut onward = Onward::default();
        let over = report.links.len().saturating_sub(self.plan.settings.max_links);
        self.left_alone(TOO_MANY, over);
        let nothing = Found::default();
        for target in targets {
            let link = report.links.get(target.index).unwrap_or(&nothing);
            html_links += u32::from(leads_to_html(&target.address));
            all.push(target.address.id);
            let seen = self.follow(draft, granted, report, (target, link), learned)?;
            if target.address.site == granted.site {
                // A link that leads out of the crawl is a way out, too.
                match seen {
                    Some(Seen::Queued | Seen::Refused) => onward.new += 1,
                    Some(Seen::Known) | None => onward.known += 1,
                }
            }
            if let Some(seen) = seen
                && self.is_noted(draft, target.address.id, seen)?
            {
                followed.push(target.address.id);
            }
        }
        self.leads(draft, granted, report.url_id, onward)?;
        if let Some(record) = draft.url(&self.records, report.url_id)? {
            record.outlinks = html_links;
        }
        self.relink(draft, report.url_id, learned, &all, &followed)
    }

    /// An unchanged page leads where it led before.
    pub(crate) fn follow_again(
        &mut self,
        draft: &mut Draft,
        granted: &Granted,
        report: &Report,
        learned: &Learned,
    ) -> Result<(), StoreError> {
        let mut targets = Vec::new();
        for target in self.links_before(learned)? {
            // Without words of the link there is nothing to learn from one that is known.
            if self.sieve.has(target)? {
                continue;
            }
            let record = self.records.url_of(target)?;
            if let Some(address) = record.and_then(|record| normal::parse(&record.url).ok()) {
                targets.push(Target { address, index: 0, known: Known::Perhaps });
            }
        }
        let link = Found::default();
        for target in &targets {
            self.follow(draft, granted, report, (target, &link), learned)?;
        }
        Ok(())
    }

    /// Takes note of one link, unless it leads out of the crawl. Tells what became of it if it does not.
    fn follow(
        &mut self,
        draft: &mut Draft,
        granted: &Granted,
        report: &Report,
        (target, link): (&Target, &Found),
        learned: &Learned,
    ) -> Result<Option<Seen>, StoreError> {
        let settings = &self.plan.settings;
        let address = &target.address;
        let depth = learned.depth + 1;
        let too_deep = settings.max_depth.is_some_and(|most| depth > most);
        let admitted = self.scope.admits(address);
        if too_deep || !admitted {
            self.left_alone(if admitted { TOO_DEEP } else { OUT_OF_SCOPE }, 1);
            return Ok(None);
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
            tag_path: &link.tag_path,
        };
        self.see(draft, address, &sighting, target.known).map(Some)
    }

    /// Whether links to a URL that was seen count. One that was refused may be without record, and then
    /// nothing may be left of it: what is counted is known.
    fn is_noted(&self, draft: &mut Draft, id: UrlId, seen: Seen) -> Result<bool, StoreError> {
        Ok(seen != Seen::Refused || draft.peek(&self.records, id)?.is_some())
    }

    /// Counts links that are not taken into the crawl.
    pub(crate) fn left_alone(&mut self, reason: &str, count: usize) {
        if count > 0 {
            match self.run.left.get_mut(reason) {
                Some(left) => *left += count as u64,
                None => drop(self.run.left.insert(reason.to_owned(), count as u64)),
            }
        }
    }

    /// Counts links on both ends: each page that links to a URL counts there once, until it is seen
    /// without that link. What the page still links to stays noted, also while it is out of scope.
    fn relink(
        &mut self,
        draft: &mut Draft,
        from: UrlId,
        learned: &Learned,
        all: &[UrlId],
        followed: &[UrlId],
    ) -> Result<(), StoreError> {
        let fingerprints = |ids: &[UrlId]| ids.iter().map(|id| id.fingerprint()).collect();
        let followed: Vec<u64> = fingerprints(followed);
        let before = self.links_before(learned)?;
        let kept = if before.is_empty() {
            followed.iter().for_each(|target| self.inlinks.add(*target, 1));
            followed
        } else {
            let counted: HashSet<u64> = before.iter().copied().collect();
            let mut all: Vec<u64> = fingerprints(all);
            let there: HashSet<u64> = all.iter().copied().collect();
            let fresh: HashSet<u64> =
                followed.into_iter().filter(|target| !counted.contains(target)).collect();
            fresh.iter().for_each(|target| self.inlinks.add(*target, 1));
            let gone = before.iter().filter(|target| !there.contains(target));
            gone.for_each(|target| self.inlinks.add(*target, -1));
            all.retain(|target| fresh.contains(target) || counted.contains(target));
            all
        };
        if kept == before {
            return Ok(());
        }
        if let Some(number) = learned.links {
            draft.remove_outlinks(number);
        }
        let number = (!kept.is_empty()).then(|| {
            self.run.next_links += 1;
            self.run.next_links
        });
        if let Some(number) = number {
            draft.put_outlinks(number, kept);
        }
        if let Some(record) = draft.url(&self.records, from)? {
            record.links = number;
        }
        Ok(())
    }

    /// Where the page led when it was seen last.
    fn links_before(&self, learned: &Learned) -> Result<Vec<u64>, StoreError> {
        learned.links.map_or(Ok(Vec::new()), |number| self.records.outlinks(number))
    }
}

/// i-Bot counts links to `.html`, `.htm` and `/`; an address without extension counts as well today.
fn leads_to_html(address: &Address) -> bool {
    let path = address.path().as_bytes();
    let last = |of: &[u8], byte: u8| of.iter().rposition(|b| *b == byte);
    let name = &path[last(path, b'/').map_or(0, |slash| slash + 1)..];
    let Some(dot) = last(name, b'.') else { return true };
    HTML.iter().any(|known| name[dot + 1..].eq_ignore_ascii_case(known))
}
