//! What happens between the lease of a crawllet and its report? The site is asked how it takes them, one goes there,
//! others follow where it had to stop, and some of what came is looked at from here.

use super::{Bench, Done, Most};
use crate::crawllet::{Came, Crawllets, Errand, Load, Program, Relay, Spool, Stop, audited, told};
use crate::decode::decode;
use lycosa_crawllet::Fault;
use lycosa_crawllet::descriptor::{Descriptor, MAX_DESCRIPTOR_BYTES};
use lycosa_crawllet::engine::Seen;
use lycosa_crawllet::limits::Limits;
use lycosa_crawllet::record::Record;
use lycosa_crawllet::trust::{self, Standing};
use lycosa_frontier::normal;
use lycosa_model::message::{BrokerMessage, BrokerReply, Report};
use lycosa_model::{
    CrawlletOrder, CrawlletReport, CrawlletTrust, CrawlletUse, FetchError, FetchKind, Lease,
    Outcome, Previous, Site,
};
use lycosa_runtime::Answer;
use std::sync::Arc;
use std::time::Duration;

/// How often a lease is renewed at least.
const RENEW: Duration = Duration::from_secs(30);

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
