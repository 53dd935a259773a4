//! What happens between the lease of a crawllet and its report? The site is asked how it takes them, one goes there,
//! others follow where it had to stop, and some of what came is looked at from here.

use super::{Bench, Done, Most};
use crate::crawllet::{Came, Crawllets, Errand, Load, Program, Relay, Sample, Spool, Stop, judge};
use crate::crawllet::{audited, told};
use crate::decode::decode;
use lycosa_crawllet::Fault;
use lycosa_crawllet::descriptor::{Descriptor, MAX_DESCRIPTOR_BYTES};
use lycosa_crawllet::engine::Seen;
use lycosa_crawllet::limits::Limits;
use lycosa_crawllet::record::Record;
use lycosa_crawllet::trust::{self, Standing};
use lycosa_frontier::normal;
use lycosa_model::message::{BrokerMessage, BrokerReply, FilterReply, Report};
use lycosa_model::{
    CrawlletOrder, CrawlletReport, CrawlletTrust, CrawlletUse, FetchError, FetchKind, Lease,
    Outcome, Previous, Site, UrlId,
};
use lycosa_runtime::Answer;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// How often a lease is renewed at least.
const RENEW: Duration = Duration::from_secs(30);

/// Pages that are asked for once more, by us and by a crawllet, before a site is judged by them.
const MAX_SUSPECTS: usize = 100;

/// How often a site may change its keys while crawllets follow each other there.
const MAX_KEY_CHANGES: u32 = 3;

/// Why a site gets no crawllet.
enum No {
    /// It takes none.
    Never(String),
    /// Not now.
    Now(String),
}

/// A site that takes them.
struct Place {
    site: Site,
    descriptor: Descriptor,
    described: Vec<u8>,
    /// Whether its key is another one that nobody vouches for but the certificate of the site.
    anew: bool,
}

impl Place {
    fn errand<'a>(
        &'a self,
        crawllets: &'a Crawllets,
        program: &'a Program,
        user_agent: &'a str,
    ) -> Errand<'a> {
        Errand {
            crawllets,
            site: &self.site,
            descriptor: &self.descriptor,
            described: &self.described,
            user_agent,
            program,
        }
    }
}

impl Bench {
    /// The answer to a lease that a crawllet brought. No request stands for it.
    pub(super) fn harvested(
        &self,
        url: &str,
        has_copy: bool,
    ) -> Option<Result<Answer, FetchError>> {
        let crawllets = self.crawllets.as_ref()?;
        let answer = crawllets.answer(url, has_copy, self.clock.now())?;
        let large = answer.body.len() as u64 > self.settings.max_body;
        Some(if large { Err(FetchError::TooLarge) } else { Ok(answer) })
    }

    /// Asks the site for a page. Where a harvest is, but not this page in it, one asks after the other: the
    /// broker may have thought that nobody would.
    pub(super) async fn get_page(
        &self,
        url: &str,
        previous: Option<&Previous>,
        most: Most,
    ) -> (Vec<u8>, Result<Answer, FetchError>) {
        let gate = self.crawllets.as_ref().and_then(|all| all.gate(url, self.clock.now()));
        let _alone = match &gate {
            Some(gate) => Some(gate.pass().await),
            None => None,
        };
        self.get(url, previous, most).await
    }

    pub(super) async fn crawllet(&self, mut lease: Lease) -> Done {
        let order = lease.crawllet.take().unwrap_or_default();
        let mut report = Report::new(lease.url_id, FetchKind::Crawllet, Outcome::Fetched);
        if let Some(crawllets) = &self.crawllets {
            let began = self.clock.elapsed();
            let told = tokio::select! {
                told = self.send(crawllets, &lease, &order) => Some(told),
                // Whoever lost the lease has nothing to tell.
                () = self.keep_lease(&lease) => None,
            };
            report.took_ms = (self.clock.elapsed() - began).as_millis() as u64;
            report.crawllet = told.map(Box::new);
        }
        Done::plain(lease, report, None)
    }

    /// Renews the lease for as long as the broker lets us.
    async fn keep_lease(&self, lease: &Lease) {
        let pause = (lease.until.since(self.clock.now()) / 3).min(RENEW);
        loop {
            tokio::time::sleep(pause.max(Duration::from_millis(10))).await;
            let renew = BrokerMessage::Renew { bot: self.bot, urls: vec![lease.url_id] };
            match self.broker.ask(renew).await {
                Ok(BrokerReply::Renewed(kept)) if kept == [true] => {}
                _ => return,
            }
        }
    }

    /// Sends crawllets; whatever happens, there is something to tell.
    async fn send(
        &self,
        crawllets: &Arc<Crawllets>,
        lease: &Lease,
        order: &CrawlletOrder,
    ) -> CrawlletReport {
        let mut report = CrawlletReport {
            supported: true,
            record: order.record.clone(),
            ..CrawlletReport::default()
        };
        if order.kept {
            // After a restart: nothing is asked of the site, and nothing is new.
            let site = normal::parse(&lease.url).map(|address| address.site);
            report.harvest =
                site.map(|site| crawllets.left(&site, self.clock.now())).unwrap_or_default();
            report.kept = true;
            return report;
        }
        if let Ok(address) = normal::parse(&lease.url) {
            // Of an earlier run: what is left of it is not what the site shows now.
            crawllets.forget_harvest(&address.site);
        }
        let pinned = order.record.pinned.as_deref();
        let mut place = match self.describe_site(&lease.url, pinned).await {
            Ok(place) => place,
            Err(No::Never(why)) => {
                return CrawlletReport { supported: false, trouble: Some(why), ..report };
            }
            Err(No::Now(why)) => return CrawlletReport { trouble: Some(why), ..report },
        };
        if place.anew {
            // Who that is has to show it first.
            report.record.trust = CrawlletTrust::default();
        }
        let earlier = self.known_of(crawllets, &place.site).await;
        let settings = &crawllets.settings;
        let program = if earlier.is_empty() { &settings.program } else { &settings.again };
        let began = self.clock.elapsed();
        let mut spool = match crawllets.begin(&place.site) {
            Ok(spool) => spool,
            Err(error) => return CrawlletReport { trouble: Some(error.to_string()), ..report },
        };
        let mut relay = Relay::new(&order.seeds);
        let mut used = CrawlletUse { guest: program.name.clone(), ..CrawlletUse::default() };
        let mut changes = 0;
        let last = loop {
            let errand = place.errand(crawllets, program, &self.user_agent);
            let last =
                self.relay(&errand, order, &earlier, &mut relay, &mut spool, &mut used).await;
            // A site that does not know us any more in the middle may have another key by now.
            let may_be_key = last.may_be_key() && used.parts > 1 && !relay.rest().is_empty();
            if !may_be_key || changes >= MAX_KEY_CHANGES {
                break last;
            }
            changes += 1;
            let pinned = String::from_utf8_lossy(&place.described).into_owned();
            match self.describe_site(&lease.url, Some(&pinned)).await {
                Ok(next) if next.described != place.described && !next.anew => place = next,
                _ => break last,
            }
        };
        report.record.pinned = Some(String::from_utf8_lossy(&place.described).into_owned());
        let errand = place.errand(crawllets, program, &self.user_agent);
        used.records = spool.len() as u64;
        used.at = self.clock.now();
        let trust = &mut report.record.trust;
        match spool.len() {
            0 => report.trouble = Some(last.explain()),
            _ => match self.audit(&errand, (order, &*trust), &mut spool, &mut used).await {
                None => report.trouble = Some("the system has no random numbers".into()),
                Some(audit) => {
                    let before = Standing {
                        clean_jobs: trust.clean_jobs,
                        clean_pages: trust.clean_pages,
                        distrusted: false,
                    };
                    let after = before.after(&audit);
                    *trust = CrawlletTrust {
                        clean_jobs: after.clean_jobs,
                        clean_pages: after.clean_pages,
                        distrusted: after.distrusted.then(|| self.clock.now()),
                    };
                    match audit.outcome() {
                        trust::Outcome::Clean => {
                            report.record.weights = relay.into_weights();
                            report.harvest = spool.urls().to_vec();
                            report.gone = spool.gone().to_vec();
                            if let Err(error) = crawllets.keep(&place.site, spool, self.clock.now())
                            {
                                report.harvest.clear();
                                report.gone.clear();
                                report.trouble = Some(format!("cannot keep the harvest: {error}"));
                            }
                        }
                        trust::Outcome::Unsure => {
                            report.trouble = Some(format!(
                                "too little of it could be compared ({} of {}), so it is not used",
                                used.audited - used.restless.min(used.audited),
                                used.audited
                            ));
                        }
                        trust::Outcome::Failed => {
                            crawllets.forget(&place.site);
                            report.trouble = Some(format!(
                                "{} of {} pages that were looked at are not what the site shows to \
                                 everybody: it is not believed any more",
                                used.falsified, used.audited
                            ));
                        }
                    }
                }
            },
        }
        used.took_ms = (self.clock.elapsed() - began).as_millis() as u64;
        report.record.last = Some(used);
        report
    }

    /// The pages of the site that we have. They may be many, and lie in files.
    async fn known_of(&self, crawllets: &Arc<Crawllets>, site: &Site) -> Vec<Seen> {
        let (crawllets, site) = (Arc::clone(crawllets), site.clone());
        let limit = self.settings.decode;
        let read = move || crawllets.seen(&site, &limit);
        tokio::task::spawn_blocking(read).await.unwrap_or_default()
    }

    /// Reads what the site says about crawllets, and whether it is the site that we know.
    async fn describe_site(&self, url: &str, pinned: Option<&str>) -> Result<Place, No> {
        let site = normal::parse(url).map_err(|error| No::Now(error.to_string()))?.site;
        let most = Most::whole(MAX_DESCRIPTOR_BYTES as u64);
        let answer = match self.get(url, None, most).await.1 {
            Ok(answer) => answer,
            Err(FetchError::TooLarge) => {
                return Err(No::Never("what it says of crawllets is too long".into()));
            }
            Err(why) => return Err(No::Now(Outcome::Failed(why).explain().into())),
        };
        match answer.status {
            200 => {}
            429 | 500..=599 => return Err(No::Now(format!("status {}", answer.status))),
            status => return Err(No::Never(format!("it takes none (status {status})"))),
        }
        let described = decode(&answer.headers, &answer.body, &self.settings.decode);
        let described =
            described.map_err(|why| No::Never(Outcome::Failed(why).explain().into()))?;
        let never = |fault: Fault| No::Never(fault.to_string());
        let descriptor = Descriptor::parse(&described).map_err(never)?;
        if descriptor.authority != site.authority() {
            return Err(No::Never("what it says of crawllets is about another site".into()));
        }
        let mut anew = false;
        if let Some(pinned) = pinned {
            let pinned = Descriptor::parse(pinned.as_bytes()).map_err(never)?;
            if let Err(fault) = descriptor.verify_rotation(&pinned, self.clock.now().0) {
                tracing::warn!(%site, "crawllet: its key is another one, and the one before did not sign it");
                // Over HTTPS its certificate says that it is the site all the same.
                anew = site.as_str().starts_with("https://");
                if !anew {
                    return Err(No::Now(format!("its key is not the one that we know: {fault}")));
                }
            }
        }
        Ok(Place { site, descriptor, described: described.to_vec(), anew })
    }

    /// Lets crawllets follow each other until nothing is left, or the last one got no further.
    async fn relay(
        &self,
        errand: &Errand<'_>,
        order: &CrawlletOrder,
        earlier: &[Seen],
        relay: &mut Relay,
        spool: &mut Spool,
        used: &mut CrawlletUse,
    ) -> Stop {
        let settings = &errand.crawllets.settings;
        let mut job = [0; 16];
        job.copy_from_slice(&errand.crawllets.fresh().unwrap_or_default()[..16]);
        let known = match errand.program.revisits() {
            true => earlier.to_vec(),
            false => order.seen.iter().map(|path| visited(path)).collect(),
        };
        let mut state: Option<Vec<u8>> = None;
        loop {
            used.parts += 1;
            let budget = order.pages.map(|pages| pages.saturating_sub(spool.len() as u64));
            let had_state = state.is_some();
            let load = Load {
                wanted: within(settings.wanted, budget),
                // The state has all of that.
                seeds: if had_state { Vec::new() } else { relay.rest() },
                seen: seen_by(errand.program, &known, relay, had_state),
                resume: state.take(),
                job,
                goes_on: used.parts > 1,
                weights: if used.parts == 1 {
                    order.record.weights.clone()
                } else {
                    Default::default()
                },
                soft_limit: 0,
            };
            let before = spool.len();
            let mut pages = 0;
            let mut take = |record: Record| {
                if audited::is_sound(&record) {
                    spool.append(&record)?;
                    relay.note(&record);
                    pages += 1;
                }
                Ok(())
            };
            let came = errand.run(self.clock.now().0, load, &mut take).await;
            used.pages += pages;
            add(used, &came);
            tracing::debug!(site = %errand.site, part = used.parts, pages, "crawllet: {}", came.stop.explain());
            let further = spool.len() > before;
            let spent = order.pages.is_some_and(|most| spool.len() as u64 >= most);
            // One that got no further with its state may without.
            state = came.state.filter(|_| further);
            let is_left = state.is_some() || !relay.rest().is_empty();
            let too_large = matches!(came.stop, Stop::Faulty(Fault::TooLarge(_))) && had_state;
            let may_go_on = came.stop.may_go_on() || came.in_folders || too_large;
            let may = may_go_on && (further || had_state) && is_left && !spent;
            if !may || used.parts >= settings.max_parts {
                return came.stop;
            }
        }
    }

    /// Looks at some of the pages from here, with the pauses of the site; nothing without chance.
    async fn audit(
        &self,
        errand: &Errand<'_>,
        (order, trust): (&CrawlletOrder, &CrawlletTrust),
        spool: &mut Spool,
        used: &mut CrawlletUse,
    ) -> Option<trust::Audit> {
        let settings = &errand.crawllets.settings;
        let standing = Standing {
            clean_jobs: trust.clean_jobs,
            clean_pages: trust.clean_pages,
            distrusted: false,
        };
        let pages = spool.len();
        let count = match settings.audit_share {
            None => trust::audits(pages, &standing),
            Some(share) => {
                let wanted = (pages as f64 * share.clamp(0.0, 1.0)).ceil() as usize;
                wanted.clamp(trust::MIN_AUDITS, trust::MAX_AUDITS).min(pages)
            }
        };
        // Drawn now, so that nobody could know it before.
        let drawn = trust::draw(pages, count, errand.crawllets.fresh()?);
        let pause = Duration::from_millis(order.delay_ms);
        let mut samples = Vec::with_capacity(drawn.len());
        for nth in drawn {
            let record = spool.nth(nth)?;
            let direct = self.direct(errand.site, &record.path, pause).await;
            let page = direct.as_ref().and_then(|seen| seen.says.as_deref());
            let seen = self.seen_by_crawllet(errand.site, &record, page).await;
            samples.push(Sample::new(record.path, seen, direct));
        }
        for sample in samples.iter_mut().filter(|sample| sample.is_open()).take(MAX_SUSPECTS) {
            sample.direct.1 = self.direct(errand.site, &sample.path, pause).await;
        }
        self.look_again(errand, &mut samples).await;
        let audit = judge(&samples);
        used.audited = u32::try_from(samples.len()).unwrap_or(u32::MAX);
        used.falsified = u32::try_from(audit.falsified).unwrap_or(u32::MAX);
        used.restless = u32::try_from(audit.lively + audit.unreachable).unwrap_or(u32::MAX);
        Some(audit)
    }

    /// Sends a crawllet once more for the pages that look wrong: they may have been changed in between.
    async fn look_again(&self, errand: &Errand<'_>, samples: &mut [Sample]) {
        let suspects: Vec<_> = samples.iter().filter(|sample| sample.direct.1.is_some()).collect();
        if suspects.is_empty() {
            return;
        }
        let count = u32::try_from(suspects.len()).unwrap_or(u32::MAX);
        let load = Load {
            wanted: Limits { pages: count, ..errand.crawllets.settings.wanted },
            seeds: suspects
                .iter()
                .map(|sample| lycosa_crawllet::engine::Seed { path: sample.path.clone() })
                .collect(),
            goes_on: true,
            soft_limit: 100,
            ..Load::default()
        };
        let mut again: HashMap<String, Record> = HashMap::new();
        let mut take = |record: Record| {
            again.insert(record.path.clone(), record);
            Ok(())
        };
        errand.run(self.clock.now().0, load, &mut take).await;
        for sample in samples.iter_mut().filter(|sample| sample.direct.1.is_some()) {
            if let Some(record) = again.get(&sample.path) {
                let page = sample.direct.1.as_ref().and_then(|seen| seen.says.as_deref());
                sample.crawllet.1 = Some(self.seen_by_crawllet(errand.site, record, page).await);
            }
        }
    }

    /// A page as the site shows it to everybody; nothing without an answer that is about the page.
    async fn direct(&self, site: &Site, path: &str, pause: Duration) -> Option<audited::Seen> {
        tokio::time::sleep(pause).await;
        let url = format!("{site}{path}");
        let most = Most::whole(self.settings.max_body);
        let answer = self.get(&url, None, most).await.1.ok()?;
        if matches!(answer.status, 429 | 500..=599) {
            return None;
        }
        let body = decode(&answer.headers, &answer.body, &self.settings.decode).ok()?;
        let location = answer.headers.get("location");
        let look = audited::Copy { status: answer.status, location, body: &body }.look();
        Some(audited::Seen { look, says: self.words_of(&url, &answer).await })
    }

    /// The same as the crawllet saw it; `page` is what it says to everybody.
    async fn seen_by_crawllet(
        &self,
        site: &Site,
        record: &Record,
        page: Option<&str>,
    ) -> audited::Seen {
        let agrees = match (audited::summary_of(record), page) {
            (Some(summary), Some(page)) => audited::is_summary_of(&summary, page),
            _ => false,
        };
        let says = match crate::crawllet::answer_of(record.clone()) {
            Some(answer) => self.words_of(&format!("{site}{}", record.path), &answer).await,
            None => None,
        };
        audited::Seen { look: audited::look_of(record, agrees), says }
    }

    /// What a page says, where it says something.
    async fn words_of(&self, url: &str, answer: &Answer) -> Option<String> {
        let lease = Lease {
            url_id: UrlId::of(url),
            url: url.to_owned(),
            kind: FetchKind::Page,
            until: self.clock.now(),
            last_down: None,
            previous: None,
            crawllet: None,
        };
        match self.read(&lease, answer).await {
            Ok((_, FilterReply::Document(document))) => {
                Some(format!("{} {}", document.title, document.text))
            }
            _ => None,
        }
    }
}

/// What a crawllet is told that it need not bring.
fn seen_by(program: &Program, known: &[Seen], relay: &Relay, had_state: bool) -> Vec<Seen> {
    if program.revisits() {
        // What it knows it visits again, and tells whether it has changed; once is enough.
        return known.iter().filter(|page| !relay.is_done(&page.path)).cloned().collect();
    }
    let mut seen = known.to_vec();
    if !had_state {
        seen.extend(relay.done().map(|path| visited(path)));
    }
    seen
}

/// A page that need not come again, whatever it says by now.
fn visited(path: &str) -> Seen {
    Seen { path: path.to_owned(), sha256: None, etag: String::new() }
}

/// The wish, with no more pages than the run may still have.
fn within(wanted: Limits, budget: Option<u64>) -> Limits {
    let pages = budget.map_or(0, |pages| u32::try_from(pages).unwrap_or(u32::MAX).max(1));
    wanted.min(Limits { pages, ..Limits::default() })
}

fn add(used: &mut CrawlletUse, came: &Came) {
    used.reason = came.stop.name().into();
    used.bytes += came.bytes;
    if let Some(granted) = &came.granted {
        used.granted.add(&told(granted));
    }
    if let Some(end) = &came.end {
        used.used.cpu_ms += end.cpu_ms;
        used.used.pages += u32::try_from(end.pages).unwrap_or(u32::MAX);
        used.used.out_mib += u32::try_from(end.bytes >> 20).unwrap_or(u32::MAX);
    }
}
