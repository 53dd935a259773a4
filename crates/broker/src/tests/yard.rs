//! A broker with a folder of its own, and hands that play the bots.

use crate::{Broker, Plan, Settings};
use lycosa_frontier::normal;
use lycosa_frontier::politeness::Manners;
use lycosa_knowledge::RelevanceModel;
use lycosa_model::message::{
    BrokerMessage, BrokerReply, BrokerStatus, Refusal, Report, UrlView, Welcome,
};
use lycosa_model::{
    BotId, Door, FetchError, FetchKind, Found, Lang, LangShare, Lease, Outcome, SiteRecord, Tick,
    UrlId, UrlRecord,
};
use lycosa_runtime::{Agent, Clock};
use lycosa_store::records::Records;
use std::time::Duration;
use tempfile::TempDir;

/// Polls after which a crawl counts as one that does not end.
const PATIENCE: usize = 10_000;

pub(super) struct Yard {
    pub(super) dir: TempDir,
    pub(super) plan: Plan,
    pub(super) broker: Broker,
}

impl Yard {
    /// A new crawl without pauses between requests.
    pub(super) fn new() -> Yard {
        Yard::with(|_| {})
    }

    /// The same with other settings.
    pub(super) fn with(change: impl FnOnce(&mut Settings)) -> Yard {
        let dir = tempfile::tempdir().expect("temp dir");
        let records = Records::open(&dir.path().join("store")).expect("store");
        let mut settings =
            Settings { manners: Manners::with_delay(Duration::ZERO), ..Settings::default() };
        change(&mut settings);
        let plan = Plan {
            records,
            clock: Clock::start(Tick(0)),
            settings,
            strategy: "breadth-first".into(),
            setup: lycosa_strategy::Setup::default(),
            relevance: RelevanceModel::default(),
            resume: false,
        };
        let broker = Broker::open(plan.clone(), false);
        assert_eq!(broker.failure(), None);
        Yard { dir, plan, broker }
    }

    /// The broker's process ends, and another one goes on with the run or begins a new one.
    pub(super) fn restart(&mut self, resume: bool) {
        self.plan.resume = resume;
        self.broker.close();
        self.broker = Broker::open(self.plan.clone(), false);
        assert_eq!(self.broker.failure(), None);
    }

    pub(super) fn now(&self) -> Tick {
        self.plan.clock.now()
    }

    pub(super) async fn ask(&mut self, message: BrokerMessage) -> BrokerReply {
        self.broker.handle(message).await
    }

    pub(super) async fn welcome(&mut self, name: &str, pid: u32, door: Door) -> Welcome {
        let hello = BrokerMessage::Authenticate { name: name.into(), pid, door };
        match self.ask(hello).await {
            BrokerReply::Welcome(welcome) => welcome,
            other => panic!("no welcome but {other:?}"),
        }
    }

    /// A bot in the broker's process.
    pub(super) async fn inside(&mut self, name: &str) -> BotId {
        self.welcome(name, 1, Door::Inside).await.bot_id
    }

    /// A bot in another process.
    pub(super) async fn outside(&mut self, name: &str) -> BotId {
        self.welcome(name, 2, Door::Http).await.bot_id
    }

    pub(super) async fn seed(&mut self, urls: &[&str]) -> usize {
        let urls = urls.iter().map(|url| (*url).to_owned()).collect();
        match self.ask(BrokerMessage::Seeds { urls }).await {
            BrokerReply::Offered { queued, refused } => {
                assert_eq!(refused, []);
                queued
            }
            other => panic!("seeds are answered by {other:?}"),
        }
    }

    /// Leases, when to ask again, and whether the crawl is finished; or why not.
    pub(super) async fn try_give(
        &mut self,
        bot: BotId,
        n: usize,
    ) -> Result<(Vec<Lease>, Duration, bool), Refusal> {
        match self.ask(BrokerMessage::GiveMe { bot, n }).await {
            BrokerReply::Leases { leases, ask_again_ms, finished, .. } => {
                Ok((leases, Duration::from_millis(ask_again_ms), finished))
            }
            BrokerReply::Refused(why) => Err(why),
            other => panic!("give_me_n is answered by {other:?}"),
        }
    }

    pub(super) async fn give(&mut self, bot: BotId, n: usize) -> Vec<Lease> {
        self.try_give(bot, n).await.expect("not refused").0
    }

    /// The addresses that the bot is given now.
    pub(super) async fn given(&mut self, bot: BotId, n: usize) -> Vec<String> {
        self.give(bot, n).await.into_iter().map(|lease| lease.url).collect()
    }

    pub(super) async fn report(
        &mut self,
        bot: BotId,
        reports: Vec<Report>,
    ) -> Vec<Result<(), Refusal>> {
        let report = BrokerMessage::Report { bot, reports, marks: Vec::new() };
        match self.ask(report).await {
            BrokerReply::Acks(acks) => acks,
            BrokerReply::Refused(why) => vec![Err(why)],
            other => panic!("report is answered by {other:?}"),
        }
    }

    /// Reports one URL, which must be accepted.
    pub(super) async fn accept(&mut self, bot: BotId, report: Report) {
        assert_eq!(self.report(bot, vec![report]).await, [Ok(())]);
    }

    /// The next page for this bot. robots.txt is answered with 404 and waits are waited out; `None`
    /// when the crawl is finished.
    pub(super) async fn next(&mut self, bot: BotId) -> Option<Lease> {
        for _ in 0..PATIENCE {
            let (leases, wait, finished) = self.try_give(bot, 1).await.expect("not refused");
            match leases.into_iter().next() {
                Some(lease) if lease.kind == FetchKind::Robots => {
                    self.accept(bot, answer(&lease, 404)).await;
                }
                Some(lease) => return Some(lease),
                None if finished => return None,
                None => advance(wait).await,
            }
        }
        panic!("the crawl does not end");
    }

    /// The next page must be this one; it is fetched and has these links.
    pub(super) async fn fetch(&mut self, bot: BotId, url: &str, links: &[&str]) {
        let lease = self.next(bot).await.unwrap_or_else(|| panic!("finished before {url}"));
        assert_eq!(lease.url, url);
        self.accept(bot, page(&lease, links)).await;
    }

    /// Fetches what is left, without finding further links, and tells the order.
    pub(super) async fn rest_of(&mut self, bot: BotId) -> Vec<String> {
        let mut urls = Vec::new();
        while let Some(lease) = self.next(bot).await {
            self.accept(bot, page(&lease, &[])).await;
            urls.push(lease.url);
        }
        urls
    }

    pub(super) async fn status(&mut self) -> BrokerStatus {
        match self.ask(BrokerMessage::Status).await {
            BrokerReply::Status(status) => *status,
            other => panic!("status is answered by {other:?}"),
        }
    }

    pub(super) async fn view(&mut self, url: &str) -> UrlView {
        match self.ask(BrokerMessage::Url { url: url.into() }).await {
            BrokerReply::Url(Some(view)) => *view,
            other => panic!("{url} is answered by {other:?}"),
        }
    }

    /// The URL as the store has it, or would have if it were its turn.
    pub(super) fn record(&self, url: &str) -> UrlRecord {
        self.find(url).unwrap_or_else(|| panic!("unknown: {url}"))
    }

    fn find(&self, url: &str) -> Option<UrlRecord> {
        let records = &self.plan.records;
        let mut unasked = records.all_unasked().map(|row| row.expect("store"));
        let record = records.url(id(url)).expect("store");
        record.or_else(|| Some(unasked.find(|(found, _)| *found == id(url))?.1))
    }

    /// How many pages link to the URL.
    pub(super) fn inlinks(&mut self, url: &str) -> u32 {
        let total = self.broker.ledger_mut().inlinks.total(id(url).fingerprint()).expect("store");
        u32::try_from(total).expect("no fewer than none")
    }

    /// Fingerprints of the links that are kept of the URL.
    pub(super) fn links(&self, url: &str) -> Vec<u64> {
        let number = self.record(url).links.expect("it has links");
        self.plan.records.outlinks(number).expect("store")
    }

    /// Whether the store knows the URL.
    pub(super) fn knows(&self, url: &str) -> bool {
        self.find(url).is_some()
    }

    /// The site of this URL as the store has it.
    pub(super) fn site(&self, url: &str) -> SiteRecord {
        let site = normal::parse(url).expect("url").site;
        self.plan.records.site(&site).expect("store").expect("known site")
    }
}

pub(super) fn id(url: &str) -> UrlId {
    normal::parse(url).expect("url").id
}

pub(super) async fn advance(time: Duration) {
    tokio::time::advance(time).await;
}

pub(super) async fn seconds(count: u64) {
    advance(Duration::from_secs(count)).await;
}

fn report(lease: &Lease, outcome: Outcome, status: u16) -> Report {
    Report { status, bytes: 100, took_ms: 10, ..Report::new(lease.url_id, lease.kind, outcome) }
}

/// A page with links.
pub(super) fn page(lease: &Lease, links: &[&str]) -> Report {
    let links = links.iter().map(|url| Found { url: (*url).into(), ..Found::default() }).collect();
    Report { links, ..answer(lease, 200) }
}

/// A page with links and a language.
pub(super) fn page_in(lease: &Lease, lang: Lang, links: &[&str]) -> Report {
    Report { languages: vec![LangShare { lang, share: 0.9 }], ..page(lease, links) }
}

/// A response with this status.
pub(super) fn answer(lease: &Lease, status: u16) -> Report {
    report(lease, Outcome::of_status(status), status)
}

/// A response that leads elsewhere.
pub(super) fn redirect(lease: &Lease, to: &str) -> Report {
    Report { links: vec![Found { url: to.into(), ..Found::default() }], ..answer(lease, 301) }
}

/// No response.
pub(super) fn silence(lease: &Lease, why: FetchError) -> Report {
    report(lease, Outcome::Failed(why), 0)
}

/// A robots.txt.
pub(super) fn robots_txt(lease: &Lease, text: &str) -> Report {
    assert_eq!(lease.kind, FetchKind::Robots);
    Report { robots: Some(text.into()), ..answer(lease, 200) }
}
