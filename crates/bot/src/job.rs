//! What happens between a lease and its report? Fetch, decode, filter, encode for the archive.

mod auditing;
mod crawlleting;
mod following;
mod keeping;
mod rendering;

use crate::crawllet::Crawllets;
use crate::decode::{DecodeLimit, decode, decode_start};
use crate::meter::{Guard, Present};
use crate::render::Renderer;
use crate::request;
use bytes::Bytes;
use keeping::Known;
use lycosa_frontier::{normal, robots};
use lycosa_knowledge::analysis;
use lycosa_model::message::{BrokerMessage, Entry, FilterMessage, FilterReply, Parts, Report};
use lycosa_model::{
    BotId, Document, FetchError, FetchKind, Follow, Found, Lang, Lease, LinkKind, Outcome, Page,
    Previous, RobotsMeta,
};
use lycosa_page::fingerprint::fingerprint;
use lycosa_page::sitemap;
use lycosa_runtime::{Answer, Ask, Clock, Mailbox, Web};
use lycosa_store::archive::{Encoded, RecordIds, payload_digest};
use rendering::Look;
use ring::rand::SystemRandom;
use std::sync::Arc;
use std::time::Duration;

/// Bytes of a robots.txt that are received: twice what counts of it, should it be packed badly.
const ROBOTS_BODY: u64 = 2 * robots::MAX_ROBOTS_BYTES as u64;

/// Redirects followed for a robots.txt (RFC 9309: at least five).
const ROBOTS_REDIRECTS: usize = 5;

/// Bytes of addresses that the report of a sitemap carries; the broker's door has a limit, too.
const REPORT_SITEMAP_BYTES: usize = 8 << 20;

/// What a fetch may cost.
#[derive(Clone, Debug)]
pub struct JobSettings {
    /// Largest body as received.
    pub max_body: u64,
    /// Largest sitemap as received; the protocol allows 50 MiB, packed or not.
    pub max_sitemap: u64,
    /// Time for one exchange.
    pub timeout: Duration,
    /// Largest body after decoding.
    pub decode: DecodeLimit,
    /// Which links are followed.
    pub follow: Follow,
    /// Whether links marked `rel=nofollow` are followed.
    pub follow_nofollow: bool,
    /// Whether what is fetched is archived.
    pub archive: bool,
    /// Whether pages that ask not to be kept (`noarchive`) are archived all the same.
    pub ignore_noarchive: bool,
    /// gzip level of the archive.
    pub archive_level: u32,
}

impl Default for JobSettings {
    fn default() -> JobSettings {
        JobSettings {
            max_body: 16 << 20,
            max_sitemap: 50 << 20,
            timeout: Duration::from_secs(60),
            decode: DecodeLimit::default(),
            follow: Follow::Pages,
            follow_nofollow: false,
            archive: true,
            ignore_noarchive: false,
            archive_level: lycosa_store::archive::DEFAULT_LEVEL,
        }
    }
}

/// What all jobs of a bot share.
pub(crate) struct Bench {
    pub(crate) web: Arc<dyn Web>,
    pub(crate) filter: Mailbox<FilterMessage>,
    pub(crate) broker: Mailbox<BrokerMessage>,
    pub(crate) bot: BotId,
    pub(crate) renderer: Option<Arc<Renderer>>,
    pub(crate) crawllets: Option<Arc<Crawllets>>,
    pub(crate) random: SystemRandom,
    pub(crate) clock: Clock,
    pub(crate) settings: JobSettings,
    pub(crate) name: String,
    pub(crate) user_agent: String,
    pub(crate) wants_evidence: bool,
    /// What filters make of each page.
    pub(crate) parts: Parts,
    /// Whether documents go to an indexer.
    pub(crate) indexes: bool,
    pub(crate) store_only_lang: Option<Lang>,
    /// What the jobs are doing, for the bot's own account of its time.
    pub(crate) present: Arc<Present>,
}

/// How much of a body is taken.
struct Most {
    bytes: u64,
    /// Whether the first bytes of a larger one will do.
    cut: bool,
}

impl Most {
    /// A body of up to so many bytes, or none.
    fn whole(bytes: u64) -> Most {
        Most { bytes, cut: false }
    }
}

/// An exchange as the archive will hold it.
pub(crate) struct Kept {
    pub(crate) encoded: Encoded,
    /// Whether it has the body; a revisit refers to the record that does.
    pub(crate) whole: bool,
}

/// A job that ended.
pub(crate) struct Done {
    pub(crate) lease: Lease,
    pub(crate) report: Report,
    /// For the archive.
    pub(crate) kept: Option<Kept>,
    /// What was said, of a page that may turn out to be a copy of another.
    pub(crate) exchange: Option<Exchange>,
    /// What was fetched for the page when it was rendered, for the archive.
    pub(crate) parts: Vec<Encoded>,
    /// Whether the page was rendered, if it was tried.
    pub(crate) rendered: Option<bool>,
    /// Whether it was not tried because it could not have changed anything.
    pub(crate) vain: bool,
    /// For the index.
    pub(crate) entry: Option<Entry>,
}

/// A page as it came. Cloning its body is cheap.
pub(crate) struct Exchange {
    head: Vec<u8>,
    answer: Answer,
    ids: RecordIds,
}

impl Done {
    /// A job that has brought nothing for the index.
    fn plain(lease: Lease, report: Report, kept: Option<Kept>) -> Done {
        let (parts, rendered, vain) = (Vec::new(), None, false);
        Done { lease, report, kept, parts, rendered, vain, entry: None, exchange: None }
    }
}

impl Bench {
    /// Works off one lease. Whatever happens, it ends in a report. The place is given back once there are
    /// no more exchanges to come.
    pub(crate) async fn work(self: Arc<Self>, lease: Lease, ids: RecordIds, place: Guard) -> Done {
        let _at_work = self.present.job();
        match lease.kind {
            FetchKind::Robots => self.robots(lease, ids).await,
            FetchKind::Page => self.page(lease, ids, place).await,
            FetchKind::Sitemap => self.sitemap(lease, ids).await,
            FetchKind::Probe => self.probe(lease, ids).await,
            FetchKind::Crawllet => self.crawllet(lease).await,
        }
    }

    async fn get(
        &self,
        url: &str,
        previous: Option<&Previous>,
        most: Most,
    ) -> (Vec<u8>, Result<Answer, FetchError>) {
        let headers = request::headers(&self.user_agent, previous);
        let head = request::head(url, &headers);
        let timeout = self.settings.timeout;
        let ask =
            Ask { url: url.to_owned(), headers, max_body: most.bytes, cut: most.cut, timeout };
        let _waits = self.present.network();
        (head, self.web.get(ask).await)
    }

    async fn robots(&self, lease: Lease, ids: RecordIds) -> Done {
        let began = self.clock.elapsed();
        let mut url = lease.url.clone();
        for _ in 0..=ROBOTS_REDIRECTS {
            // Who writes more rules than count still gets those that do (RFC 9309, 2.5).
            let (head, answer) = self.get(&url, None, Most { bytes: ROBOTS_BODY, cut: true }).await;
            let answer = match answer {
                Ok(answer) => answer,
                Err(why) => return self.failed(lease, why, began),
            };
            let outcome = Outcome::of_status(answer.status);
            if outcome == Outcome::Redirect
                && let Some(target) = location(&url, &answer)
            {
                url = target;
                continue;
            }
            let kept = self.capture(&url, &head, &answer, ids, Known::default());
            let mut report = self.answered(&lease, outcome, &answer);
            if url != lease.url {
                // Whoever answered in the end may live elsewhere.
                report.address = None;
            }
            if outcome == Outcome::Fetched {
                // One byte more than counts shows that there is more.
                let most = robots::MAX_ROBOTS_BYTES + 1;
                match decode_start(&answer.headers, &answer.body, most) {
                    Ok(body) => {
                        let body = &body[..robots::readable_bytes(&body)];
                        report.robots = Some(String::from_utf8_lossy(body).into_owned());
                    }
                    Err(why) => report.outcome = Outcome::Failed(why),
                }
            }
            return Done::plain(lease, report, kept);
        }
        let report = Report::new(lease.url_id, lease.kind, Outcome::RedirectLimit);
        Done::plain(lease, report, None)
    }

    /// Reads a sitemap: the pages that it names, or the further sitemaps of an index, dearest first.
    async fn sitemap(&self, lease: Lease, ids: RecordIds) -> Done {
        let began = self.clock.elapsed();
        let (head, answer) =
            self.get(&lease.url, None, Most::whole(self.settings.max_sitemap)).await;
        let answer = match answer {
            Ok(answer) => answer,
            Err(why) => return self.failed(lease, why, began),
        };
        let outcome = Outcome::of_status(answer.status);
        let kept = self.capture(&lease.url, &head, &answer, ids, Known::default());
        let mut report = self.answered(&lease, outcome, &answer);
        match outcome {
            Outcome::Fetched => {
                let content_type = answer.headers.get("content-type");
                match decode(&answer.headers, &answer.body, &self.settings.decode) {
                    Ok(body) => name_entries(&mut report, &body, content_type, &lease.url),
                    Err(why) => report.outcome = Outcome::Failed(why),
                }
            }
            Outcome::Redirect => {
                let target = location(&lease.url, &answer);
                report.links =
                    target.map(|url| Found { url, ..Found::default() }).into_iter().collect();
            }
            _ => {}
        }
        Done::plain(lease, report, kept)
    }

    async fn page(&self, lease: Lease, ids: RecordIds, place: Guard) -> Done {
        let began = self.clock.elapsed();
        let previous = lease.previous.as_ref().filter(|previous| self.may_ask(previous));
        let most = Most::whole(self.settings.max_body);
        let harvested = self.harvested(&lease.url, previous.is_some());
        let came_by_crawllet = harvested.is_some();
        let (head, answer) = match harvested {
            Some(answer) => (Vec::new(), answer),
            None => self.get_page(&lease.url, previous, most).await,
        };
        // A page that is rendered may ask for more.
        let _place = self.renderer.is_some().then_some(place);
        let answer = match answer {
            Ok(answer) => answer,
            Err(why) => return self.failed(lease, why, began),
        };
        let outcome = Outcome::of_status(answer.status);
        let mut report = self.answered(&lease, outcome, &answer);
        report.harvested = came_by_crawllet;
        if self.crawllets.is_some() && !came_by_crawllet {
            report.crawllet_path = request::crawllet_path(&lease.url, &answer.headers);
        }
        let mut entry = None;
        let mut keep = true;
        report.modified = request::modified(&answer.headers);
        report.is_feed = request::is_feed(&answer.headers);
        let mut look = Look::default();
        match outcome {
            Outcome::Fetched => match self.read(&lease, &answer).await {
                Err(why) => {
                    report.outcome = Outcome::Failed(why);
                    keep = false;
                }
                Ok((body, FilterReply::Document(mut document))) => {
                    look = self.render(&lease, &answer, &body, &mut document).await;
                    let wanted = self.wanted(Some(&document));
                    keep = wanted && self.may_keep(document.robots);
                    report.indexed = wanted && self.indexes;
                    report.unread = !self.parts.main;
                    self.describe(&mut report, &mut document);
                    if wanted && self.parts.main && !document.robots.noindex {
                        report.fingerprint = Some(fingerprint(&document));
                    }
                    report.canonical = canonical(&lease.url, &document, &answer);
                    entry = (wanted && self.indexes).then(|| Entry {
                        document: *document,
                        agent: self.name.clone(),
                        fetched: self.clock.now(),
                        id: None,
                    });
                }
                Ok((_, FilterReply::NotText { links, .. })) => {
                    keep = self.wanted(None)
                        && self.may_keep(lycosa_page::robots_of_headers(&answer.headers));
                    report.links = self.followed(links);
                    report.indexed = self.indexes;
                }
            },
            Outcome::Redirect => {
                let target = location(&lease.url, &answer);
                report.links =
                    target.map(|url| Found { url, ..Found::default() }).into_iter().collect();
                // A redirect without a target leads nowhere.
                if report.links.is_empty() {
                    report.outcome = Outcome::OddStatus;
                }
            }
            _ => {}
        }
        let digest = (outcome == Outcome::Fetched).then(|| payload_digest(&answer.body));
        let mut kept = if keep {
            let known = Known { digest: digest.clone(), previous: lease.previous.as_ref() };
            self.capture(&lease.url, &head, &answer, ids, known)
        } else {
            None
        };
        if let (Some(kept), Some(html), Some(id)) = (&mut kept, &look.html, self.fresh_id()) {
            let level = self.settings.archive_level;
            kept.encoded.add_conversion(id, rendering::RENDERED_TYPE, html.as_bytes(), level);
        }
        report.kept = kept.is_some();
        report.payload_digest = digest;
        if look.html.is_some() {
            // Equal bytes may become different pages, so they prove nothing: not that two addresses
            // are one page, and not that this page is as it was.
            (report.payload_digest, report.etag, report.last_modified) = (None, None, None);
        }
        let new = report.outcome == Outcome::Fetched && kept.as_ref().is_none_or(|kept| kept.whole);
        let exchange = new.then_some(Exchange { head, answer, ids });
        let parts = if keep { std::mem::take(&mut look.parts) } else { Vec::new() };
        let Look { rendered, vain, .. } = look;
        Done { lease, report, kept, parts, rendered, vain, entry, exchange }
    }

    /// Whether `as before` is a good answer. What the archive or the index is to have, and has not, must
    /// come whole. The index takes in what the archive has.
    fn may_ask(&self, previous: &Previous) -> bool {
        (!self.settings.archive || previous.archived)
            && (!self.indexes || previous.indexed || previous.archived)
    }

    /// Asks for what cannot be there. Only what the answer says is of interest; it is no page of the
    /// site, so it is not archived.
    async fn probe(&self, lease: Lease, _ids: RecordIds) -> Done {
        let began = self.clock.elapsed();
        let (_, answer) = self.get(&lease.url, None, Most::whole(self.settings.max_body)).await;
        let answer = match answer {
            Ok(answer) => answer,
            Err(why) => return self.failed(lease, why, began),
        };
        let outcome = Outcome::of_status(answer.status);
        let mut report = self.answered(&lease, outcome, &answer);
        if outcome == Outcome::Fetched
            && self.parts.main
            && let Ok((_, FilterReply::Document(document))) = self.read(&lease, &answer).await
        {
            report.fingerprint = Some(fingerprint(&document));
        }
        Done::plain(lease, report, None)
    }

    /// No answer came.
    fn failed(&self, lease: Lease, why: FetchError, began: Duration) -> Done {
        let mut report = Report::new(lease.url_id, lease.kind, Outcome::Failed(why));
        report.took_ms = (self.clock.elapsed() - began).as_millis() as u64;
        Done::plain(lease, report, None)
    }

    /// What every answer tells, whatever its status.
    fn answered(&self, lease: &Lease, outcome: Outcome, answer: &Answer) -> Report {
        let header = |name| answer.headers.get(name).map(str::to_owned);
        let now = Duration::from_millis(self.clock.now().0);
        Report {
            status: answer.status,
            bytes: answer.body.len() as u64,
            took_ms: answer.took.as_millis() as u64,
            etag: header("etag"),
            last_modified: header("last-modified"),
            retry_after: request::retry_after(&answer.headers, now),
            address: answer.ip,
            media: request::media(&answer.headers),
            ..Report::new(lease.url_id, lease.kind, outcome)
        }
    }

    /// Decodes and filters a page.
    async fn read(
        &self,
        lease: &Lease,
        answer: &Answer,
    ) -> Result<(Bytes, FilterReply), FetchError> {
        let body: Bytes = decode(&answer.headers, &answer.body, &self.settings.decode)?;
        let page = Page {
            url_id: lease.url_id,
            url: lease.url.clone(),
            status: answer.status,
            headers: answer.headers.clone(),
            body: body.clone(),
            fetched: self.clock.now(),
            took: answer.took,
        };
        let _waits = self.present.filter();
        let reply = self.filter.ask(FilterMessage::Read(Arc::new(page), self.parts)).await;
        Ok((body, reply.map_err(|_| FetchError::Filter)?))
    }

    /// i-Bot: with a language focus only pages with some of it are stored.
    fn wanted(&self, document: Option<&Document>) -> bool {
        match self.store_only_lang {
            None => true,
            Some(lang) => document.is_some_and(|document| document.has_some(lang)),
        }
    }

    /// Whether the page may be kept: who says `noarchive` wants no copy of it anywhere.
    fn may_keep(&self, robots: RobotsMeta) -> bool {
        self.settings.ignore_noarchive || !robots.noarchive
    }

    /// Tells what the broker wants to know of a page. The links go with the report.
    fn describe(&self, report: &mut Report, document: &mut Document) {
        report.languages = document.languages.clone();
        if self.wants_evidence {
            report.title = document.title.clone();
            report.terms = analysis::terms_of_page(&document.title, &document.text);
        }
        if !document.robots.nofollow {
            let feeds = document.links.iter().filter(|link| link.kind == LinkKind::Feed);
            report.sitemaps = feeds.map(|link| link.url.clone()).collect();
            // The index keeps the links, too: what they say of other pages is searched, and who is linked
            // to counts.
            report.links = match self.indexes {
                true => self.followed_by(&document.links),
                false => self.followed(std::mem::take(&mut document.links)),
            };
        }
    }
}

/// Puts what a sitemap names into its report.
fn name_entries(report: &mut Report, body: &[u8], content_type: Option<&str>, url: &str) {
    let mut sitemap = sitemap::read(body, content_type, url, &sitemap::Limits::default());
    sitemap.sort_by_worth();
    for fault in &sitemap.faults {
        tracing::debug!(url, "sitemap: {fault}");
    }
    let mut room = REPORT_SITEMAP_BYTES;
    let is_index = sitemap.is_index();
    let entries = sitemap.entries.into_iter().take_while(|entry| {
        let fits = entry.url.len() <= room;
        room = room.saturating_sub(entry.url.len());
        fits
    });
    if is_index {
        report.sitemaps = entries.map(|entry| entry.url).collect();
    } else {
        let found = |entry: sitemap::Entry| Found {
            url: entry.url,
            changed: entry.lastmod,
            ..Found::default()
        };
        report.links = entries.map(found).collect();
    }
}

/// The address that a page names as its own, when that is another one.
fn canonical(url: &str, document: &Document, answer: &Answer) -> Option<String> {
    let named = document.canonical.clone().or_else(|| {
        let location = answer.headers.get("content-location")?;
        normal::resolve(url, location).ok().map(|address| address.request)
    });
    named.filter(|named| named != url)
}

/// Where a redirect leads.
fn location(url: &str, answer: &Answer) -> Option<String> {
    let target = answer.headers.get("location")?;
    normal::resolve(url, target).ok().map(|address| address.request)
}
