//! How does the broker live? One task that owns the ledger, answers messages and looks at the clock.

use crate::ledger::{Ledger, LedgerError};
use crate::settings::Settings;
use lycosa_knowledge::RelevanceModel;
use lycosa_model::message::{BrokerMessage, BrokerReply, Pace, SiteCounts};
use lycosa_runtime::{Agent, Clock, Exit, Life};
use lycosa_store::records::Records;
use lycosa_strategy::Setup;
use serde::Serialize;
use std::time::{Duration, Instant};

/// How often the broker looks for expired leases when nobody asks it anything.
const LOOK: Duration = Duration::from_secs(1);

/// How long (in real time) a committed change may wait for the disk. It survives the death of the
/// process at once; this is about power failures.
const SYNC: Duration = Duration::from_secs(1);

/// What a broker is built from, also after a panic.
#[derive(Clone)]
pub struct Plan {
    /// The store.
    pub records: Records,
    /// The crawl's clock.
    pub clock: Clock,
    /// See [`Settings`].
    pub settings: Settings,
    /// Name of the strategy.
    pub strategy: String,
    /// What it begins with.
    pub setup: Setup,
    /// What pages are compared with.
    pub relevance: RelevanceModel,
    /// Go on with the last run instead of beginning a new one.
    pub resume: bool,
}

/// What the broker shows of itself.
#[derive(Clone, Debug, Default, Serialize)]
pub struct BrokerState {
    /// Pages fetched in this run.
    pub pages: u64,
    /// URLs known.
    pub known: u64,
    /// URLs waiting.
    pub queued: u64,
    /// Pages that wait for their next visits, in a crawl that keeps pages fresh.
    pub scheduled: u64,
    /// Share of time, in percent, in which copies are right under its schedule.
    pub fresh_percent: u64,
    /// URLs leased.
    pub leased: usize,
    /// Bots that were not retired.
    pub bots: usize,
    /// What is seen at a glance.
    #[serde(flatten)]
    pub glance: Glance,
}

/// What a look at all sites shows; taken now and then, not after every message.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Glance {
    /// Sites by state.
    pub sites: SiteCounts,
    /// How fast the crawl is at the moment.
    pub pace: Pace,
    /// What keeps it from being faster, as far as the broker knows.
    pub limited_by: String,
    /// The most frequent failure.
    pub trouble: Option<String>,
}

/// Least time between two glances, and how many times as long as one takes.
const GLANCE: Duration = Duration::from_millis(500);
const GLANCE_SHARE: u32 = 100;

/// The broker agent.
pub struct Broker {
    ledger: Result<Ledger, String>,
    synced: Instant,
    glance: Glance,
    /// When the next glance is due.
    glance_at: Instant,
}

impl Broker {
    /// Opens the run on record. `reborn` when this process had it open before.
    pub fn open(plan: Plan, reborn: bool) -> Broker {
        let ledger = Ledger::open(plan, reborn).map_err(|error| error.to_string());
        let now = Instant::now();
        Broker { ledger, synced: now, glance: Glance::default(), glance_at: now }
    }

    /// Why it cannot work, if so.
    pub fn failure(&self) -> Option<&str> {
        self.ledger.as_ref().err().map(String::as_str)
    }

    #[cfg(test)]
    pub(crate) fn ledger_mut(&mut self) -> &mut Ledger {
        self.ledger.as_mut().expect("a broker that works")
    }

    #[cfg(test)]
    pub(crate) fn close(&mut self) {
        self.ledger = Err("closed".into());
    }

    fn answer(&mut self, message: BrokerMessage) -> BrokerReply {
        let ledger = match &mut self.ledger {
            Ok(ledger) => ledger,
            Err(why) => return BrokerReply::Broken(why.clone()),
        };
        let reply = match message {
            BrokerMessage::Authenticate { name, pid, door } => ledger.authenticate(name, pid, door),
            BrokerMessage::GiveMe { bot, n } => ledger.give(bot, n),
            BrokerMessage::Report { bot, reports, marks } => ledger.report(bot, reports, marks),
            BrokerMessage::Judge { bot, findings } => ledger.judge(bot, &findings),
            BrokerMessage::Renew { bot, urls } => ledger.renew(bot, &urls),
            BrokerMessage::May { bot, urls } => ledger.may(bot, &urls),
            BrokerMessage::Removals { bot, after } => ledger.removals(bot, after),
            BrokerMessage::Leave { bot } => ledger.leave(bot),
            BrokerMessage::Marks { files } => ledger.marks(files),
            BrokerMessage::Seeds { urls } => ledger.seeds(urls),
            BrokerMessage::Named { seeds } => ledger.named(seeds),
            BrokerMessage::Url { url } => ledger.url(&url),
            BrokerMessage::Status => ledger.status(),
            BrokerMessage::Results { limit } => ledger.results(limit),
            BrokerMessage::Population => Ok(BrokerReply::Population(ledger.strategy.agents())),
            BrokerMessage::Verdict { url, good } => ledger.verdict(&url, good),
            BrokerMessage::Limit(budget) => ledger.limit(budget),
            BrokerMessage::Exclude { patterns } => ledger.exclude(&patterns),
            BrokerMessage::Include { patterns } => ledger.include(&patterns),
            BrokerMessage::Tend { agent, how } => ledger.tend(&agent, how),
            BrokerMessage::Pause => ledger.pause(),
            BrokerMessage::GoOn => ledger.go_on(),
            BrokerMessage::Stop => {
                ledger.stopping = true;
                ledger.write_events().map(|()| BrokerReply::Done)
            }
        };
        self.settle(reply)
    }

    /// A store that fails once is not written to again: what is on disk is whole, and the crawl can be
    /// resumed from it.
    fn settle(&mut self, reply: Result<BrokerReply, LedgerError>) -> BrokerReply {
        reply.unwrap_or_else(|error| {
            let why = error.to_string();
            self.ledger = Err(why.clone());
            BrokerReply::Broken(why)
        })
    }

    fn look(&mut self) {
        if let Ok(ledger) = &mut self.ledger {
            let now = ledger.now();
            let done = ledger.housekeep(now).map(|()| BrokerReply::Done);
            self.settle(done);
        }
        self.sync();
    }

    fn glance(&mut self) {
        let began = Instant::now();
        if began < self.glance_at {
            return;
        }
        if let Ok(ledger) = &self.ledger {
            self.glance = ledger.glance();
        }
        self.glance_at = Instant::now() + GLANCE.max(began.elapsed() * GLANCE_SHARE);
    }

    fn sync(&mut self) {
        if self.synced.elapsed() < SYNC {
            return;
        }
        self.synced = Instant::now();
        if let Ok(ledger) = &mut self.ledger {
            ledger.memorise(false);
            let began = Instant::now();
            let done = ledger.records.sync().map(|()| BrokerReply::Done);
            ledger.watch.wrote(began.elapsed());
            self.settle(done.map_err(LedgerError::from));
        }
    }
}

impl Agent for Broker {
    type Message = BrokerMessage;
    type State = BrokerState;

    fn observe(&self) -> BrokerState {
        match &self.ledger {
            Err(_) => BrokerState::default(),
            Ok(ledger) => {
                let revisit = ledger.revisit_status().unwrap_or_default();
                BrokerState {
                    scheduled: revisit.scheduled,
                    fresh_percent: (100.0 * revisit.freshness).round() as u64,
                    pages: ledger.run.pages,
                    known: ledger.run.known,
                    queued: ledger.run.waiting + ledger.run.postponed,
                    leased: ledger.leases.len(),
                    bots: ledger.bots.live(),
                    glance: self.glance.clone(),
                }
            }
        }
    }

    async fn handle(&mut self, message: BrokerMessage) -> BrokerReply {
        self.answer(message)
    }

    async fn run(&mut self, life: &Life<Self>) -> Exit {
        loop {
            tokio::select! {
                biased;
                envelope = life.inbox.next() => {
                    let Some(envelope) = envelope else { break };
                    let (message, reply) = envelope.open();
                    reply.send(self.answer(message));
                    self.sync();
                    self.glance();
                    life.handled(self);
                }
                () = tokio::time::sleep(LOOK) => {
                    self.look();
                    self.glance();
                    life.publish(self);
                }
            }
        }
        if let Ok(ledger) = &mut self.ledger
            && let Err(error) = ledger.close()
        {
            return Exit::Failed(error.to_string());
        }
        match self.failure() {
            Some(why) => Exit::Failed(why.into()),
            None => Exit::Finished,
        }
    }
}
