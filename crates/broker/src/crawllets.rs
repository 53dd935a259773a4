//! Which sites does a crawllet go to, and what is answered without a request since?
//!
//! A crawllet takes one lease of its own kind, once per site and run and before its first page, as a
//! robots.txt does; meanwhile the site is held. What it brought lies with the bot. The broker remembers
//! which URLs that are: their leases cost the site nothing, so they neither wait nor count for it. A URL
//! that is not among them is asked for as always, with all pauses.
//!
//! After a restart the bot still has the harvest, and the broker has forgotten which URLs those are. It asks
//! by a lease of the same kind, for which nothing is sent.

use crate::draft::Draft;
use crate::housekeeping::Blame;
use crate::ledger::{Granted, Ledger};
use crate::links::Known;
use crate::seeds::Sighting;
use crate::settings::CrawlletRule;
use lycosa_frontier::normal;
use lycosa_model::message::Report;
use lycosa_model::{
    BotId, CrawlletOrder, CrawlletRecord, CrawlletReport, FetchKind, HARVEST_FRESH, Lease, Origin,
    Outcome, Site, Tick, UrlId,
};
use lycosa_store::records::StoreError;
use std::collections::HashSet;

/// Where a site that says nothing in its robots.txt is asked.
const WELL_KNOWN: &str = "/.well-known/crawllet";

/// URLs that wait, of which a crawllet is told.
const MAX_SEEDS: usize = 5_000;

/// URLs crawled in this run, of which a crawllet is told.
const MAX_SEEN: usize = 5_000;

/// URLs of one harvest that are remembered. What is beyond waits for its pauses, and is answered from
/// the harvest all the same.
const MAX_HARVEST: usize = 1_000_000;

/// Pages of one harvest that are not there any more, which are put away.
const MAX_GONE: usize = 50_000;

/// Leases of one site at the same time that need no request.
const HARVEST_AT_ONCE: u32 = 16;

/// How far a site is with crawllets in this run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sending {
    /// Nobody has thought about it.
    #[default]
    Unmet,
    /// Not before more of its URLs wait.
    NotYet,
    /// One was sent, or none will be.
    Decided,
}

/// What a site that takes crawllets has to do with them.
#[derive(Debug, Default)]
pub(crate) struct Harvest {
    /// URLs that are answered without a request.
    urls: HashSet<UrlId>,
    /// Those of them that are leased now.
    out: u32,
    /// The next URL of the site is none of them and waits for its pause.
    held_up: bool,
    /// URLs crawled before anything was sent.
    crawled: Vec<UrlId>,
    /// Where a page of the site said that it takes crawllets.
    linked: Option<String>,
}

impl Harvest {
    /// Whether the next URL of the site may be had without a request.
    pub(crate) fn is_open(&self) -> bool {
        !self.urls.is_empty() && !self.held_up
    }

    /// Whether it has as many leases out as it may have.
    pub(crate) fn is_full(&self, more: u32) -> bool {
        self.out + more >= HARVEST_AT_ONCE
    }

    /// Whether the URL is one of these. If it is not, those behind it wait until it was its turn.
    pub(crate) fn has_or_waits(&mut self, url: UrlId) -> bool {
        let mine = self.urls.contains(&url);
        self.held_up |= !mine;
        mine
    }

    pub(crate) fn out(&self) -> u32 {
        self.out
    }

    /// Takes a URL out that is leased now. Tells whether it was there.
    pub(crate) fn lease(&mut self, url: UrlId) -> bool {
        let mine = self.urls.remove(&url);
        self.out += u32::from(mine);
        // One that is none of them is asked for now: those behind it may come.
        self.held_up &= mine;
        mine
    }

    /// One of its leases has ended.
    pub(crate) fn back(&mut self) {
        self.out = self.out.saturating_sub(1);
    }
}

/// What is to be done about a site.
enum Verdict {
    /// Send one.
    Send,
    /// One was sent, before this process began: ask what is left of what it brought.
    TakeUp,
    /// Not before more of its URLs wait.
    NotYet,
    /// Crawl it as always.
    No,
    /// Leave it.
    GiveUp,
}

impl CrawlletRule {
    fn verdict(
        &self,
        record: &CrawlletRecord,
        (run, waiting): (u32, u64),
        announced: bool,
        now: Tick,
    ) -> Verdict {
        let none = if self.only { Verdict::GiveUp } else { Verdict::No };
        let recent = |since: Option<Tick>, span| since.is_some_and(|at| now < at.after(span));
        if recent(record.trust.distrusted, self.distrust) {
            return none;
        }
        if record.run == run {
            let last = record.last.as_ref().filter(|last| last.records > 0);
            return match last {
                _ if record.refused.is_some() => none,
                Some(last) if now < last.at.after(HARVEST_FRESH) => Verdict::TakeUp,
                _ => Verdict::No,
            };
        }
        let patience = if announced { self.announced_ttl } else { self.negative_ttl };
        if recent(record.refused, patience) {
            return none;
        }
        if announced || self.only || waiting > self.probe_over {
            return Verdict::Send;
        }
        Verdict::NotYet
    }
}

impl Ledger {
    /// Whether this bot may be sent with crawllets: what they bring lies in our own data folder.
    pub(crate) fn sends_crawllets(&self, bot: BotId) -> bool {
        self.plan.settings.crawllets.is_some() && self.is_inside(bot)
    }

    /// Decides about sites whose turn it is; tells those that a crawllet goes to.
    pub(crate) fn give_crawllets(
        &mut self,
        bot: BotId,
        sites: Vec<Site>,
        now: Tick,
        leases: &mut Vec<Lease>,
    ) -> Result<(), StoreError> {
        let Some(rule) = self.plan.settings.crawllets.clone() else { return Ok(()) };
        for site in sites {
            let rules = self.rules(&site)?;
            let record = self.records.crawllet(&site)?.unwrap_or_default();
            let state = self.sites.get(&self.records, &site)?;
            let linked = state.harvest.as_deref().and_then(|harvest| harvest.linked.clone());
            let announced = rules.crawllet().is_some() || linked.is_some();
            let path = match rules.crawllet() {
                Some(path) => path.to_owned(),
                None => linked.unwrap_or_else(|| WELL_KNOWN.to_owned()),
            };
            let agent = &self.plan.settings.robots_agent;
            let forbidden = rules.crawllet().is_none() && !rules.verdict(agent, &path).allowed;
            let at = (self.run.number, state.window.waiting());
            let verdict = match rule.verdict(&record, at, announced, now) {
                Verdict::Send if forbidden && rule.only => Verdict::GiveUp,
                Verdict::Send if forbidden => Verdict::No,
                verdict => verdict,
            };
            state.sending = match verdict {
                Verdict::NotYet => Sending::NotYet,
                _ => Sending::Decided,
            };
            match verdict {
                Verdict::Send => {
                    let order = self.order(&site, announced, record)?;
                    leases.push(self.grant_crawllet(bot, &site, path, order, now)?);
                    continue;
                }
                Verdict::TakeUp => {
                    let order = CrawlletOrder { kept: true, record, ..CrawlletOrder::default() };
                    leases.push(self.grant_crawllet(bot, &site, path, order, now)?);
                    continue;
                }
                Verdict::GiveUp => state.given_up = Some(Outcome::NoCrawllet),
                Verdict::NotYet | Verdict::No => {}
            }
            self.strategy.wake(&site);
        }
        Ok(())
    }

    /// What a crawllet is told.
    fn order(
        &mut self,
        site: &Site,
        announced: bool,
        record: CrawlletRecord,
    ) -> Result<CrawlletOrder, StoreError> {
        let delay =
            self.plan.settings.manners.delay.max(self.crawl_delay(site)?.unwrap_or_default());
        let pages = self.pages_left();
        let state = self.sites.get(&self.records, site)?;
        let number = state.window.number();
        let crawled = state.harvest.take().map(|harvest| harvest.crawled).unwrap_or_default();
        let waiting = match number {
            Some(number) => self.records.waiting_addresses(self.run.number, number, MAX_SEEDS)?,
            None => Vec::new(),
        };
        let seeds = waiting.iter().filter_map(|url| path_on(site, url)).collect();
        let mut seen = Vec::new();
        for id in crawled {
            if let Some(known) = self.records.url(id)?
                && let Some(path) = path_on(site, &known.url)
            {
                seen.push(path);
            }
        }
        Ok(CrawlletOrder {
            announced,
            kept: false,
            seeds,
            seen,
            pages: (pages != u64::MAX).then_some(pages),
            delay_ms: u64::try_from(delay.as_millis()).unwrap_or(u64::MAX),
            record,
        })
    }

    fn grant_crawllet(
        &mut self,
        bot: BotId,
        site: &Site,
        path: String,
        order: CrawlletOrder,
        now: Tick,
    ) -> Result<Lease, StoreError> {
        let url_id = UrlId::of(&format!("crawllet:{site}"));
        let held = self.held(bot, FetchKind::Crawllet, now);
        let until = held.until;
        // Not written to the store: after a restart it is simply sent again.
        self.hold(url_id, held, site.clone())?;
        Ok(Lease {
            url_id,
            url: format!("{site}{path}"),
            kind: FetchKind::Crawllet,
            until,
            last_down: None,
            previous: None,
            crawllet: Some(Box::new(order)),
        })
    }

    /// A crawllet is back, or the site takes none.
    pub(crate) fn crawllet_report(
        &mut self,
        draft: &mut Draft,
        granted: &Granted,
        report: &Report,
        now: Tick,
    ) -> Result<(), StoreError> {
        let site = &granted.site;
        if let Some(told) = report.crawllet.as_deref().filter(|told| told.kept) {
            return self.take_up(site, told);
        }
        // An audit may have asked it a moment ago.
        self.rest(draft, site, now)?;
        let Some(told) = &report.crawllet else { return Ok(()) };
        let mut record = told.record.clone();
        record.run = self.run.number;
        record.refused = (!told.supported).then_some(now);
        self.crawllets.note(site.as_str(), told.supported, &record);
        if let Some(trouble) = &told.trouble {
            tracing::info!(%site, "crawllet: {trouble}");
        }
        let only = self.plan.settings.crawllets.as_ref().is_some_and(|rule| rule.only);
        let state = self.sites.get(&self.records, site)?;
        if only && (!told.supported || record.trust.distrusted.is_some()) {
            state.given_up = Some(Outcome::NoCrawllet);
        }
        if !told.harvest.is_empty() {
            let urls = told.harvest.iter().take(MAX_HARVEST).copied().collect();
            state.harvest = Some(Box::new(Harvest { urls, ..Harvest::default() }));
        }
        draft.put_crawllet(site, record);
        self.put_away(draft, site, granted.held.bot, &told.gone)
    }

    /// Goes on with a harvest that was brought before this process began.
    fn take_up(&mut self, site: &Site, told: &CrawlletReport) -> Result<(), StoreError> {
        let mut urls = HashSet::new();
        for id in told.harvest.iter().take(MAX_HARVEST) {
            let record = self.records.url(*id)?.filter(|url| url.run == self.run.number);
            // What the run is through with is not asked for again.
            if record.is_none_or(|url| url.queued.is_some() || url.outcome.is_none()) {
                urls.insert(*id);
            }
        }
        tracing::info!(%site, pages = urls.len(), "crawllet: what it brought is still good");
        if !urls.is_empty() {
            let state = self.sites.get(&self.records, site)?;
            state.harvest = Some(Box::new(Harvest { urls, ..Harvest::default() }));
        }
        Ok(())
    }

    /// Has known pages looked at that a crawllet did not find any more: nobody may link to them by now.
    fn put_away(
        &mut self,
        draft: &mut Draft,
        site: &Site,
        bot: BotId,
        gone: &[UrlId],
    ) -> Result<(), StoreError> {
        for id in gone.iter().take(MAX_GONE) {
            let Some(record) = draft.peek(&self.records, *id)? else { continue };
            let known = record.dlast.is_some() && record.outcome.is_some_and(|it| it.is_success());
            let address = normal::parse(&record.url).ok().filter(|to| known && to.site == *site);
            let Some(address) = address else { continue };
            let sighting = Sighting {
                origin: Origin::OtherPage,
                via: record.via,
                bot: Some(bot),
                depth: record.depth,
                seed: false,
                ..Sighting::seed()
            };
            if self.scope.admits(&address) {
                self.see(draft, &address, &sighting, Known::Perhaps)?;
            }
        }
        Ok(())
    }

    /// A page says that its site takes crawllets. Its first word counts, unless the site was asked already.
    fn hear_link(&mut self, site: &Site, path: &str) -> Result<(), StoreError> {
        let state = self.sites.get(&self.records, site)?;
        if std::mem::replace(&mut state.heard_link, true) {
            return Ok(());
        }
        if state.sending == Sending::Decided {
            let record = self.records.crawllet(site)?.unwrap_or_default();
            if record.run == self.run.number {
                return Ok(());
            }
        }
        state.harvest.get_or_insert_default().linked = Some(path.to_owned());
        state.sending = Sending::Unmet;
        Ok(())
    }

    /// The lease of a crawllet ended without a report. The site is crawled as always; the next run, or
    /// this one after a restart, tries again.
    pub(crate) fn lost_crawllet(&mut self, site: &Site, blame: Blame) -> Result<(), StoreError> {
        let state = self.sites.get(&self.records, site)?;
        if blame == Blame::Nobody {
            state.sending = Sending::Unmet;
        }
        Ok(())
    }

    /// Takes note of a page, so that a crawllet that comes later need not bring it.
    pub(crate) fn crawled(
        &mut self,
        draft: &mut Draft,
        site: &Site,
        report: &Report,
    ) -> Result<(), StoreError> {
        if self.plan.settings.crawllets.is_none() || !report.outcome.is_success() {
            return Ok(());
        }
        if report.harvested {
            self.crawllets.answered += 1;
            draft.put_answered(self.crawllets.answered);
        }
        let state = self.sites.get(&self.records, site)?;
        if state.sending != Sending::Decided {
            let crawled = &mut state.harvest.get_or_insert_default().crawled;
            if crawled.len() < MAX_SEEN {
                crawled.push(report.url_id);
            }
        }
        match &report.crawllet_path {
            Some(path) => self.hear_link(site, path),
            None => Ok(()),
        }
    }

    /// What the crawllets of this run did before this process.
    pub(crate) fn restore_crawllets(&mut self) -> Result<(), StoreError> {
        if self.plan.settings.crawllets.is_none() {
            return Ok(());
        }
        self.crawllets.answered = self.records.answered(self.run.number)?;
        for row in self.records.crawllets() {
            let (site, record) = row?;
            if record.run == self.run.number {
                self.crawllets.note(site.as_str(), record.refused.is_none(), &record);
            }
        }
        Ok(())
    }
}

/// Path and query of an address, if it is on this site.
fn path_on(site: &Site, url: &str) -> Option<String> {
    let address = normal::parse(url).ok().filter(|address| address.site == *site)?;
    Some(address.path_and_query().to_owned())
}
