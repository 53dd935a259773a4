//! What does a report change?

use crate::draft::Draft;
use crate::ledger::{Granted, Ledger, LedgerError};
use crate::links::Target;
use crate::results::title_of;
use crate::trace::{Traced, Tried};
use lycosa_frontier::politeness::{self, Visit};
use lycosa_frontier::robots;
use lycosa_knowledge::Bag;
use lycosa_model::message::{BrokerReply, Refusal, Report};
use lycosa_model::{
    ArchiveMark, Attempt, BotId, FetchError, FetchKind, Outcome, Previous, Site, SiteRobots, Tick,
    UrlState,
};
use lycosa_store::records::StoreError;
use lycosa_strategy::{PageView, Relevance};
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::time::Duration;

/// Links of several pages that are read and looked up together; those of one page are, however many.
const LOOKUP: usize = 8_192;

/// What was learned from one report that later steps need.
pub(crate) struct Learned {
    pub(crate) relevance: f32,
    pub(crate) wanted_language: bool,
    pub(crate) depth: u32,
    pub(crate) redirects: u8,
    pub(crate) seed: bool,
    /// The number of the links that it had before, if it had any.
    pub(crate) links: Option<u64>,
}

impl Ledger {
    /// i-Bot's URL information. All accepted reports are durable when this returns.
    pub(crate) fn report(
        &mut self,
        bot: BotId,
        mut reports: Vec<Report>,
        marks: Vec<ArchiveMark>,
    ) -> Result<BrokerReply, LedgerError> {
        let now = self.now();
        match self.check(bot) {
            Err(refusal) => return Ok(BrokerReply::Refused(refusal)),
            Ok(record) => record.dlast = now,
        }
        if !self.is_inside(bot) {
            // Who has no harvest of ours has asked the site.
            reports.iter_mut().for_each(|report| report.harvested = false);
        }
        // A right that has ended has ended, whether or not anybody looked meanwhile.
        self.expire(now)?;
        for report in reports.iter_mut().filter(|report| report.kind == FetchKind::Sitemap) {
            if self.is_theirs(bot, report)
                && let Some(granted) = self.leases.get(&report.url_id)
            {
                let site = granted.site.clone();
                self.see_entries(&site, bot, report)?;
            }
        }
        let mut draft = Draft::default();
        let mut attempts = Vec::new();
        let mut acks = Vec::with_capacity(reports.len());
        let mut read: VecDeque<Vec<Target>> = VecDeque::new();
        for index in 0..reports.len() {
            let report = &reports[index];
            if !self.is_theirs(bot, report) {
                acks.push(Err(Refusal::NotYours));
                continue;
            }
            if has_links(report) && read.is_empty() {
                read = self.read_ahead(bot, &mut reports[index..])?;
            }
            let report = &reports[index];
            let targets = if has_links(report) { read.pop_front() } else { None };
            let Some(mut granted) = self.unhold(report.url_id)? else {
                acks.push(Err(Refusal::NotYours));
                continue;
            };
            if let Some(record) = granted.record.take() {
                draft.remember(report.url_id, record);
            }
            match report.kind {
                FetchKind::Robots => self.robots_report(&mut draft, &granted.site, report, now)?,
                FetchKind::Sitemap => self.sitemap_report(&mut draft, &granted, report, now)?,
                FetchKind::Probe => self.probe_report(&mut draft, &granted, report, now)?,
                FetchKind::Crawllet => self.crawllet_report(&mut draft, &granted, report, now)?,
                FetchKind::Page => {
                    let targets = targets.unwrap_or_default();
                    attempts.extend(self.page_report(&mut draft, &granted, report, &targets, now)?);
                }
            }
            acks.push(Ok(()));
        }
        if let Some(record) = self.bots.records.get_mut(&bot) {
            record.reported += acks.iter().filter(|ack| ack.is_ok()).count() as u64;
            if acks.iter().any(Result::is_ok) {
                record.expired = 0;
            }
            draft.put_bot(bot, record);
        }
        draft.put_marks(marks);
        self.commit(draft)?;
        let t = self.seconds();
        if let Some(trace) = &mut self.trace {
            let lines = attempts.iter().map(|one| Traced { n: one.n, t, attempt: &one.attempt });
            trace.write(&lines.collect::<Vec<_>>()).map_err(LedgerError::Trace)?;
        }
        self.note_attempts(attempts);
        self.write_events()?;
        Ok(BrokerReply::Acks(acks))
    }

    fn is_theirs(&self, bot: BotId, report: &Report) -> bool {
        let granted = self.leases.get(&report.url_id);
        granted.is_some_and(|granted| granted.held.bot == bot && granted.held.kind == report.kind)
    }

    /// Reads the links of the first of these reports and of as many others as may be looked up with it.
    fn read_ahead(
        &mut self,
        bot: BotId,
        reports: &mut [Report],
    ) -> Result<VecDeque<Vec<Target>>, StoreError> {
        let mut read = VecDeque::new();
        let (mut links, mut seen) = (0, HashSet::new());
        for report in reports {
            if !has_links(report) || !self.is_theirs(bot, report) {
                continue;
            }
            // A second report of one lease will be refused.
            if !seen.insert(report.url_id) || (links > 0 && links + report.links.len() > LOOKUP) {
                break;
            }
            links += report.links.len();
            read.push_back(self.read_links(report)?);
        }
        self.sift(read.iter_mut().flatten())?;
        Ok(read)
    }

    /// RFC 9309: 2xx are rules, 4xx allow everything, 5xx and silence disallow everything for a while.
    fn robots_report(
        &mut self,
        draft: &mut Draft,
        site: &Site,
        report: &Report,
        now: Tick,
    ) -> Result<(), StoreError> {
        let text = match report.outcome {
            Outcome::Fetched => Some(report.robots.clone().unwrap_or_default()),
            Outcome::ClientError if report.status != 429 => Some(String::new()),
            // More redirects than the bot may follow: no file (RFC 9309, 2.3.1.2).
            Outcome::Redirect | Outcome::RedirectLimit => Some(String::new()),
            _ => None,
        };
        let state = self.sites.get(&self.records, site)?;
        state.met_sitemaps = false;
        let known = text.is_some();
        if let Some(mut text) = text {
            // Not in the middle of a line: half a rule is another rule.
            text.truncate(robots::readable_bytes(text.as_bytes()));
            self.rules.put(site, &text);
            draft.put_robots(site, text);
            state.record.robots = SiteRobots::Known;
            state.record.robots_until = now.after(self.plan.settings.robots_ttl);
            state.record.robots_failures = 0;
        }
        // With the new rules, since they may ask for a pause before the first page.
        self.visited(draft, site, report, now)?;
        if !known {
            self.robots_failed(site, report, now)?;
        }
        let ttl = self.plan.settings.robots_ttl;
        let state = self.sites.get(&self.records, site)?;
        if known {
            // Where the site's own pause is longer than that, its rules would never be fresh enough
            // for the first page; they are believed from the moment on at which it can be asked.
            state.record.robots_until =
                state.record.robots_until.max(state.record.next_ok.after(ttl));
        }
        draft.put_site(site, &state.record);
        Ok(())
    }

    /// Nothing may be asked until robots.txt was read; after too many attempts the site is given up.
    fn robots_failed(&mut self, site: &Site, report: &Report, now: Tick) -> Result<(), StoreError> {
        let state = self.sites.get(&self.records, site)?;
        state.record.robots = SiteRobots::Unreachable;
        state.record.robots_failures += 1;
        let again = may_help(report)
            .then(|| self.plan.settings.robots_retry.next_try(state.record.robots_failures, now))
            .flatten();
        match again {
            Some(at) => state.record.robots_until = at.max(state.record.next_ok),
            None => {
                state.record.robots_until = now;
                state.record.robots_failures = 0;
                state.given_up = Some(match report.outcome {
                    Outcome::Failed(why) => Outcome::Failed(why),
                    _ => Outcome::RobotsUnreachable,
                });
            }
        }
        Ok(())
    }

    /// What every visit does to the site's politeness.
    pub(crate) fn visited(
        &mut self,
        draft: &mut Draft,
        site: &Site,
        report: &Report,
        now: Tick,
    ) -> Result<(), StoreError> {
        let crawl_delay = self.crawl_delay(site)?;
        let settings = &self.plan.settings;
        let state = self.sites.get(&self.records, site)?;
        if report.outcome == Outcome::Fetched && report.kind == FetchKind::Page {
            state.record.pages += 1;
            state.spend(&settings.traps, self.run.number);
        }
        if report.harvested {
            // Nobody asked the site.
            draft.put_site(site, &state.record);
            return Ok(());
        }
        // A page that is broken is broken each time; that is one failure of its site, not many.
        let same_page = state.failed_on == Some(report.url_id)
            && report.outcome == Outcome::ServerError
            && state.record.failures > 0;
        state.failed_on = may_help(report).then_some(report.url_id);
        state.record.failures = match may_help(report) {
            true if same_page => state.record.failures,
            true => state.record.failures.saturating_add(1),
            false => 0,
        };
        state.record.silence = match report.outcome {
            Outcome::Failed(why) if report.status == 0 => Some(why),
            _ => None,
        };
        if let Some(FetchError::Tls(fault)) = state.record.silence {
            self.run.note_tls(site, fault);
        }
        let visit = Visit {
            finished: now,
            took: Duration::from_millis(report.took_ms),
            outcome: report.outcome,
            status: report.status,
            failures_in_row: state.record.failures,
            retry_after: report.retry_after.map(Duration::from_secs),
        };
        state.record.address = report.address.or(state.record.address);
        let (before, salt) = (state.record.trouble, politeness::salt(site));
        let (next_ok, trouble) =
            politeness::next_ok(&settings.manners, crawl_delay, &visit, before, salt);
        // Of several answers at the same time, the one that asks for the longest pause counts.
        state.record.next_ok = state.record.next_ok.max(next_ok);
        state.record.trouble = trouble;
        if report.status == 0 && state.record.failures >= settings.site_failures {
            state.given_up = Some(report.outcome);
        }
        draft.put_site(site, &state.record);
        Ok(())
    }

    fn page_report(
        &mut self,
        draft: &mut Draft,
        granted: &Granted,
        report: &Report,
        targets: &[Target],
        now: Tick,
    ) -> Result<Option<Tried>, StoreError> {
        self.visited(draft, &granted.site, report, now)?;
        self.crawled(draft, &granted.site, report)?;
        self.watch.attempt(&granted.site, report.outcome, report.bytes, now);
        self.totals(draft, report)?;
        draft.release(report.url_id);
        let wanted_language = self.is_wanted(draft, report)?;
        let bag = Bag::of_terms(&report.terms);
        let relevance = match report.outcome {
            Outcome::Fetched => self.relevance.read(&bag),
            _ => 0.0,
        };
        let sense = self.make_sense(draft, granted, report, now)?;
        let learned =
            self.update_record(draft, granted, report, (relevance, wanted_language), now)?;
        let Some(learned) = learned else {
            let attempt = self.attempt(granted, report, (String::new(), None), relevance);
            return Ok(Some(Tried { n: self.run.attempts, title: String::new(), attempt }));
        };
        if let Some(record) = draft.url(&self.records, report.url_id)? {
            record.outcome = Some(sense.outcome);
        }
        self.note_dropped(draft, granted, report.url_id)?;
        let took = Duration::from_millis(report.took_ms);
        if report.outcome.is_success() {
            let page = PageView {
                url: report.url_id,
                site: &granted.site,
                depth: learned.depth,
                terms: &report.terms,
                bag: &bag,
                wanted_language,
                links: targets.len(),
                at: now,
                took,
                topic: &self.relevance,
            };
            self.strategy.on_page(&page, Relevance(relevance));
            if report.outcome == Outcome::Fetched {
                self.keep_find(draft, granted, report, relevance, now)?;
            }
        } else {
            self.strategy.on_fail(report.url_id, report.outcome, took);
        }
        match report.outcome {
            Outcome::Redirect => self.follow_redirect(draft, granted, report, &learned)?,
            Outcome::Fetched if !sense.follow => {}
            Outcome::Fetched => {
                self.meet_feeds(draft, &granted.site, report)?;
                self.follow_links(draft, granted, report, targets, &learned)?;
            }
            Outcome::NotModified => self.follow_again(draft, granted, report, &learned)?,
            _ => {}
        }
        self.visited_again(draft, report.url_id, sense.changed, now)?;
        if self.trace.is_none() && !self.events.watched {
            return Ok(None);
        }
        let (url, via) = match draft.peek(&self.records, report.url_id)? {
            Some(record) => (record.url.clone(), record.via),
            None => (String::new(), None),
        };
        let via = match via {
            Some(via) => draft.peek(&self.records, via)?.map(|record| record.url.clone()),
            None => None,
        };
        let attempt = self.attempt(granted, report, (url, via), relevance);
        Ok(Some(Tried { n: self.run.attempts, title: title_of(report), attempt }))
    }

    /// Whether the page has some of the wanted language. Without a language focus every page has, so
    /// nothing is behind.
    fn is_wanted(&self, draft: &mut Draft, report: &Report) -> Result<bool, StoreError> {
        let Some(lang) = self.plan.settings.wanted_language else {
            return Ok(true);
        };
        if report.outcome == Outcome::NotModified {
            let before = draft.peek(&self.records, report.url_id)?;
            return Ok(before.is_some_and(|record| record.wanted_language));
        }
        Ok(report.languages.iter().any(|share| share.lang == lang))
    }

    fn attempt(
        &self,
        granted: &Granted,
        report: &Report,
        (url, via): (String, Option<String>),
        relevance: f32,
    ) -> Attempt {
        Attempt {
            url,
            status: report.status,
            bytes: report.bytes,
            agent: self.agent_of(granted),
            score: granted.held.score,
            via,
            outcome: report.outcome.name().into(),
            lang: report.languages.first().map(|share| share.lang.to_string()),
            crawllet: report.harvested,
            relevance: self.wants_terms().then_some(relevance),
            why: granted.why.as_deref().cloned(),
        }
    }

    /// The crawl's own numbers.
    fn totals(&mut self, draft: &mut Draft, report: &Report) -> Result<(), StoreError> {
        self.run.attempts += 1;
        self.run.bytes = self.run.bytes.saturating_add(report.bytes);
        self.count(report.outcome.name());
        if report.outcome == Outcome::Fetched {
            let media = report.media.as_deref().unwrap_or("unknown");
            count_name(&mut self.run.media, media);
        }
        match report.outcome {
            Outcome::Fetched => {
                let before = draft.peek(&self.records, report.url_id)?.and_then(|url| url.dlast);
                if before.is_some_and(|at| at >= self.run.began) {
                    self.run.overlap += 1;
                }
                self.run.pages += 1;
            }
            Outcome::NotModified | Outcome::Redirect => {}
            _ => self.run.errors += 1,
        }
        if report.outcome == Outcome::Fetched && report.archived.is_some() {
            self.run.stored += 1;
        }
        Ok(())
    }

    /// The URL's own record, and whether it is tried again.
    fn update_record(
        &mut self,
        draft: &mut Draft,
        granted: &Granted,
        report: &Report,
        (relevance, wanted_language): (f32, bool),
        now: Tick,
    ) -> Result<Option<Learned>, StoreError> {
        let entry = granted.held.entry.clone();
        let Some(record) = draft.url(&self.records, report.url_id)? else {
            return Ok(None);
        };
        record.tsstate = now;
        record.outcome = Some(report.outcome);
        record.bot1_id = Some(granted.held.bot);
        record.state = match report.status {
            0 => UrlState::Ended(report.outcome),
            status => UrlState::Answered(status),
        };
        if report.outcome.is_success() {
            record.dlast = Some(now);
            record.failures = 0;
        } else if report.outcome != Outcome::Redirect {
            record.failures = record.failures.saturating_add(1);
        }
        if report.outcome == Outcome::Fetched {
            let before = std::mem::take(&mut record.previous);
            let digest = &report.payload_digest;
            let unchanged = digest.is_some() && before.payload_digest == *digest;
            record.previous = Previous {
                etag: report.etag.clone(),
                last_modified: report.last_modified.clone(),
                payload_digest: digest.clone(),
                fetched: Some(now),
                // Where the same bytes are already, they stay.
                archived: report.kept || report.archived.is_some() || unchanged && before.archived,
                indexed: report.indexed || unchanged && before.indexed,
            };
            record.language = report.languages.first().map(|share| share.lang);
            record.wanted_language = wanted_language;
            record.archived = match &report.archived {
                Some(place) => Some(place.clone()),
                // The copy on record is of other bytes, or of these.
                None => record.archived.take().filter(|_| unchanged),
            };
        }
        let retry = &self.plan.settings.retry;
        let again = may_help(report).then(|| retry.next_try(record.failures, now)).flatten();
        if again.is_none() {
            record.queued = None;
            if retry.should_drop(record, now) {
                record.state = UrlState::Dropped;
            }
        }
        // A redirect is no page: its target stands where the redirect stood.
        let (relevance, wanted_language) = match &entry {
            Some(entry) if report.outcome == Outcome::Redirect => {
                (entry.queued.parent_relevance, entry.queued.wanted_language)
            }
            _ => (relevance, wanted_language),
        };
        let learned = Learned {
            relevance,
            wanted_language,
            depth: record.depth,
            redirects: record.redirects,
            seed: entry.as_ref().is_some_and(|entry| entry.queued.seed),
            links: record.links,
        };
        if let (Some(at), Some(entry)) = (again, entry) {
            self.postpone(draft, at, entry);
        }
        Ok(Some(learned))
    }
}

/// Whether the report has links that may be followed.
fn has_links(report: &Report) -> bool {
    report.kind == FetchKind::Page && report.outcome == Outcome::Fetched && !report.links.is_empty()
}

/// Kinds of things that are counted by name at most; the rest is counted together.
const MAX_NAMES: usize = 100;

/// Counts a thing under a name that comes from outside.
pub(crate) fn count_name(counts: &mut BTreeMap<String, u64>, name: &str) {
    let known = counts.contains_key(name) || counts.len() < MAX_NAMES;
    *counts.entry(if known { name } else { "other" }.to_owned()).or_default() += 1;
}

/// Whether asking again may help. 429 is about the moment, not about the page.
pub(crate) fn may_help(report: &Report) -> bool {
    report.outcome.is_transient() || report.status == 429
}
