//! Is what a crawllet brought what everybody sees?

use super::{Bench, Most};
use crate::crawllet::{Errand, Load, Sample, Spool, audited, judge};
use crate::decode::decode;
use lycosa_crawllet::limits::Limits;
use lycosa_crawllet::record::Record;
use lycosa_crawllet::trust::{self, Standing};
use lycosa_model::message::FilterReply;
use lycosa_model::{CrawlletOrder, CrawlletTrust, CrawlletUse, FetchKind, Lease, Site, UrlId};
use lycosa_runtime::Answer;
use std::collections::HashMap;
use std::time::Duration;

/// Pages that are asked for once more, by us and by a crawllet, before a site is judged by them.
const MAX_SUSPECTS: usize = 100;

impl Bench {
    /// Looks at some of the pages from here, with the pauses of the site; nothing without chance.
    pub(super) async fn audit(
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
