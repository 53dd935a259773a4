//! How is the crawl, and why is a URL where it is?

use crate::agent::Glance;
use crate::exclusions::by_hand;
use crate::ledger::{Ledger, LedgerError};
use lycosa_frontier::normal;
use lycosa_model::message::{BrokerReply, BrokerStatus, Fetching, SiteView, UrlView};
use lycosa_model::{
    Absence, ArchiveMark, FetchKind, History, Origin, Outcome, Site, SiteRobots, Tick, UrlRecord,
    UrlState,
};

/// Rows of a list in the status.
const SHOWN: usize = 10;

/// Lines of a robots.txt that are shown.
const SHOWN_LINES: usize = 50;

impl Ledger {
    pub(crate) fn status(&mut self) -> Result<BrokerReply, LedgerError> {
        let now = self.now();
        self.sites.meet_all(&self.records)?;
        let queued = self.run.waiting + self.run.postponed;
        Ok(BrokerReply::Status(Box::new(BrokerStatus {
            queued,
            retrying: self.run.postponed,
            sitemaps: self.sitemaps.len() as u64,
            addresses: self.addresses.len() as u64,
            pace: self.watch.pace(now),
            troubles: self.watch.troubles(SHOWN),
            top_sites: self.sites.top(SHOWN, &self.plan.settings, now),
            fetching: self.fetching(now)?,
            leased: self.leases.len() as u64,
            limited_by: self.limited_by(queued).into(),
            sites: self.sites.counts(&self.plan.settings, now),
            strategy: self.plan.strategy.clone(),
            revisit: self.revisit_status(),
            excluded: self.exclusions.list().to_vec(),
            crawllets: self.plan.settings.crawllets.as_ref().map(|_| self.crawllets.clone()),
            state: self.phase(),
            finished: self.finished(),
            bots: self.bots.records.iter().map(|(id, bot)| (*id, bot.clone())).collect(),
            ..self.run.status(self.paused.unwrap_or(now))
        })))
    }

    /// What is seen at a glance, without a look at single URLs.
    pub(crate) fn glance(&self) -> Glance {
        let now = self.now();
        let queued = self.run.waiting + self.run.postponed;
        Glance {
            sites: self.sites.counts(&self.plan.settings, now),
            pace: self.watch.pace(now),
            limited_by: self.limited_by(queued).into(),
            trouble: self
                .watch
                .troubles(1)
                .first()
                .map(|row| format!("{} {} at {}", row.count, row.outcome, row.site)),
        }
    }

    /// The leases that have lasted longest.
    fn fetching(&self, now: Tick) -> Result<Vec<Fetching>, LedgerError> {
        let mut oldest: Vec<_> = self.leases.iter().collect();
        oldest.sort_by_key(|(id, granted)| (granted.since, **id));
        let mut rows = Vec::new();
        for (id, granted) in oldest.into_iter().take(SHOWN) {
            let url = match granted.held.kind {
                FetchKind::Robots => granted.site.robots_url(),
                FetchKind::Page => self.records.url(*id)?.map_or_else(String::new, |url| url.url),
                FetchKind::Sitemap => format!("a sitemap of {}", granted.site),
                FetchKind::Probe => format!("a page of {} that cannot exist", granted.site),
                FetchKind::Crawllet => format!("a crawllet at {}", granted.site),
            };
            rows.push(Fetching {
                url,
                bot: granted.held.bot,
                kind: granted.held.kind,
                seconds: now.since(granted.since).as_secs_f64(),
            });
        }
        Ok(rows)
    }

    /// What is known of a site.
    pub(crate) fn site_view(&mut self, site: &Site) -> Result<SiteView, LedgerError> {
        let agent = self.plan.settings.robots_agent.clone();
        let rules = self.rules(site)?;
        let now = self.now();
        let record = &self.sites.get(&self.records, site)?.record;
        Ok(SiteView {
            site: site.to_string(),
            robots: match record.robots {
                SiteRobots::Unknown => "unknown",
                SiteRobots::Known => "read",
                SiteRobots::Unreachable => "unreachable",
            }
            .into(),
            crawl_delay: rules.crawl_delay(&agent).map(|delay| delay.as_secs()),
            signals: rules
                .other_for(&agent)
                .take(SHOWN_LINES)
                .map(|line| format!("{}: {}", line.key, line.value))
                .collect(),
            rests_ms: record.next_ok.since(now).as_millis() as u64,
            back_off: record.trouble.step,
            pages: record.pages,
            address: record.address,
        })
    }

    fn limited_by(&self, queued: u64) -> &'static str {
        let waiting = self.sites.waiting(&self.plan.settings, self.now());
        if self.is_paused() {
            "nothing: it is paused"
        } else if self.finished() {
            "nothing: it is finished"
        } else if self.pages_left() == 0 {
            "the page or time limit"
        } else if queued == 0 {
            "links: everything known is being fetched"
        } else if waiting.ready > 0 {
            "bots: more sites are ready than are being asked"
        } else if waiting.resting > 0 {
            "politeness: every site with URLs must rest"
        } else if waiting.blocked > 0 {
            "sites that do not answer"
        } else {
            "failures: what is left waits to be tried again"
        }
    }

    pub(crate) fn marks(&self, files: Vec<String>) -> Result<BrokerReply, LedgerError> {
        let mut marks = Vec::new();
        for file in files {
            if let Some(end) = self.records.mark(&file)? {
                marks.push(ArchiveMark { file, end });
            }
        }
        Ok(BrokerReply::Marks(marks))
    }

    pub(crate) fn url(&mut self, url: &str) -> Result<BrokerReply, LedgerError> {
        let Ok(address) = normal::parse(url) else {
            return Ok(BrokerReply::Url(None));
        };
        let mut record = match self.records.url(address.id)? {
            Some(record) => record,
            None => match self.unasked(&address)? {
                Some(record) => record,
                None => {
                    if let Some(view) = self.excluded_view(&address) {
                        return Ok(BrokerReply::Url(Some(Box::new(view))));
                    }
                    let trapped = self.trapped_view(&address)?;
                    return Ok(BrokerReply::Url(trapped.map(Box::new)));
                }
            },
        };
        let via = match record.via {
            Some(via) => self.records.url(via)?.map(|page| page.url),
            None => None,
        };
        let leased_to = self.leases.get(&address.id).map(|granted| granted.held.bot);
        record.bot1_id = leased_to.or(record.bot1_id);
        let history = self.records.history(address.id)?;
        let reason = match (leased_to, &history) {
            (Some(bot), _) => format!("being fetched by bot {bot}"),
            (None, Some(history)) if history.absent.is_some() => self.absence(&record, history)?,
            (None, _) => self.reason(&record, &address)?,
        };
        Ok(BrokerReply::Url(Some(Box::new(UrlView {
            url_id: address.id,
            normal: address.normal().to_owned(),
            explain: match record.queued.filter(|_| record.run == self.run.number) {
                Some(spot) => self.strategy.explain(address.id, spot),
                None => Vec::new(),
            },
            inlinks: u32::try_from(self.inlinks.total(address.id.fingerprint())?).unwrap_or(0),
            record,
            via,
            leased_to,
            reason,
            history,
            find: self.records.find(address.id)?,
            site: Some(self.site_view(&address.site)?),
        }))))
    }

    /// Why a page that was fetched is not in the index.
    fn absence(&self, record: &UrlRecord, history: &History) -> Result<String, LedgerError> {
        let same_as = match history.same_as {
            Some(of) => self.records.url(of)?.map(|other| other.url),
            None => None,
        };
        let why = match (same_as, history.absent, record.outcome) {
            (Some(url), ..) => format!("fetched, and found to be the same as {url} (same_as)"),
            (None, Some(Absence::SoftNotFound), _) => {
                format!("not in the index: {}", Outcome::SoftNotFound.explain())
            }
            (None, Some(absence), outcome) => {
                let last = outcome.map(|outcome| format!("; last answer: {outcome}"));
                let last = last.unwrap_or_default();
                format!("not in the index: {} ({}){last}", absence.explain(), absence.name())
            }
            (None, None, _) => "fetched".into(),
        };
        let waits = if record.queued.is_some() { "; waits to be visited again" } else { "" };
        Ok(why + waits)
    }

    fn reason(
        &mut self,
        record: &UrlRecord,
        address: &normal::Address,
    ) -> Result<String, LedgerError> {
        let waiting = record.queued.is_some() && record.run == self.run.number;
        if let Some(pattern) = self.exclusions.of_address(address) {
            let before = match record.state {
                UrlState::Answered(status) => {
                    format!("answered with status {status}; from now on ")
                }
                _ => "not fetched: ".into(),
            };
            return Ok(before + &by_hand(pattern));
        }
        Ok(match (record.state, record.outcome) {
            (UrlState::Dropped, _) => {
                format!("dropped after {} failures in a row", record.failures)
            }
            (_, Some(Outcome::RobotsDisallowed)) => {
                let rules = self.rules(&address.site)?;
                let agent = &self.plan.settings.robots_agent;
                let verdict = rules.verdict(agent, &address.request);
                match verdict.rule {
                    Some(rule) => format!("not fetched: robots.txt says `{rule}`"),
                    None => "not fetched: robots.txt disallowed it when it was its turn".into(),
                }
            }
            (_, Some(outcome)) if waiting => {
                let times = match record.failures {
                    1 => "once".to_owned(),
                    failures => format!("{failures} times"),
                };
                format!("{outcome} {times}, waits to be tried again")
            }
            (UrlState::Answered(status), Some(failed @ Outcome::Failed(_))) => {
                format!("answered with status {status}, but {}", failed.explain())
            }
            (UrlState::Answered(status), _) => format!("answered with status {status}"),
            (UrlState::Ended(outcome), _) => format!("not fetched: {}", outcome.explain()),
            (UrlState::Waiting(origin), _) if waiting => {
                let state = self.sites.get(&self.records, &address.site)?;
                match (state.given_up, state.record.robots) {
                    (Some(outcome), _) => {
                        format!("waits, but its site was given up: {}", outcome.explain())
                    }
                    (None, SiteRobots::Unreachable) => {
                        "waits: the robots.txt of its site cannot be had, and until then nothing is \
                         asked for"
                            .into()
                    }
                    _ => format!("waits in the frontier ({})", origin_text(origin)),
                }
            }
            (UrlState::Waiting(origin), _) => {
                format!("known ({}), left unfetched by an earlier run", origin_text(origin))
            }
        })
    }
}

fn origin_text(origin: Origin) -> &'static str {
    match origin {
        Origin::Seed => "a seed",
        Origin::WantedLanguage => "found on a page of the wanted language",
        Origin::OtherPage => "found on a page",
        Origin::Redirect => "the target of a redirect",
        Origin::Sitemap => "named by a sitemap or feed",
    }
}
