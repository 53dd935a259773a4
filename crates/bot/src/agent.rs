//! How does a bot live? It asks for leases, works on them at the same time, archives what came, reports
//! it, and hands documents to the indexer once the broker has acknowledged them.

mod asking;
mod removing;

use crate::job::{Bench, Done, JobSettings};
use crate::meter::{Meter, Use};
use crate::render::{BrowserState, Renderer};
use asking::Given;
use lycosa_model::message::{
    BotMessage, BrokerMessage, BrokerReply, FilterMessage, Finding, IndexerMessage, IndexerReply,
    Parts, Refusal, Waits, Welcome,
};
use lycosa_model::{BotId, Door, FetchKind, Outcome, Tick, UrlId};
use lycosa_runtime::{Agent, AskError, Clock, Exit, Life, Mailbox, Web};
use lycosa_store::archive::{ArchiveError, RecordIds, Writer};
use ring::rand::{SecureRandom, SystemRandom};
use serde::Serialize;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// How long (in real time) archived bytes may wait for the disk.
const SYNC: Duration = Duration::from_secs(1);

/// How often a bot that the broker retired comes back without having fetched anything meanwhile.
const MAX_RETURNS: u32 = 3;

/// The pause before it comes back for the first time.
const RETURN_PAUSE: Duration = Duration::from_secs(1);

/// A bot needs these to work.
pub struct Tools {
    /// The broker, in this process or behind a [`RemoteBroker`](crate::RemoteBroker).
    pub broker: Mailbox<BrokerMessage>,
    /// The filters.
    pub filter: Mailbox<FilterMessage>,
    /// The indexer, if pages are indexed.
    pub indexer: Option<Mailbox<IndexerMessage>>,
    /// How far in the broker's list of pages that have left it the index is, if it is the bot's own.
    pub removals: Option<u64>,
    /// The web, live or replayed.
    pub web: Arc<dyn Web>,
    /// The browser, if pages are rendered. Shared by all bots.
    pub renderer: Option<Arc<Renderer>>,
    /// The crawl's clock.
    pub clock: Clock,
    /// The archive, if pages are archived. Shared by the bots that succeed each other after a panic.
    pub archive: Option<Arc<Mutex<Writer>>>,
    /// What a fetch may cost.
    pub settings: JobSettings,
    /// Exchanges at the same time.
    pub concurrency: usize,
    /// The bot's name.
    pub name: String,
    /// The door by which it comes.
    pub door: Door,
}

/// What a bot shows of itself.
#[derive(Clone, Debug, Default, Serialize)]
pub struct BotState {
    /// Exchanges at the same time, at most.
    pub concurrency: usize,
    /// Exchanges under way.
    pub fetching: usize,
    /// Pages fetched.
    pub pages: u64,
    /// Pages that were rendered.
    pub rendered: u64,
    /// Pages that should have been rendered and were read as they came.
    pub unrendered: u64,
    /// Pages that were not rendered because they have nothing that could change them.
    pub still: u64,
    /// The browser, if pages are rendered. It is shared by all bots of the process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub browser: Option<BrowserState>,
    /// Attempts that gave no page.
    pub failures: u64,
    /// Bytes of bodies as received.
    pub bytes: u64,
    /// Reports that the broker refused.
    pub refused: u64,
    /// Last URL that ended.
    pub last: String,
    /// What its places were used for lately.
    pub shares: Waits,
}

/// The bot agent.
pub struct Bot {
    tools: Tools,
    state: BotState,
    random: SystemRandom,
    synced: Instant,
    meter: Meter,
    /// See [`Tools::removals`].
    removals: Option<u64>,
}

/// Why a bot stops before it is finished.
enum Trouble {
    /// Whoever it works with is gone.
    Gone(AskError),
    /// Something broke that a restart does not mend.
    Broken(String),
    /// The broker does not want it any more.
    Dismissed(Refusal),
}

impl From<AskError> for Trouble {
    fn from(error: AskError) -> Trouble {
        Trouble::Gone(error)
    }
}

impl Bot {
    /// A bot that has not said hello yet.
    pub fn new(tools: Tools) -> Bot {
        let state = BotState { concurrency: tools.concurrency, ..BotState::default() };
        Bot {
            removals: tools.removals,
            tools,
            state,
            random: SystemRandom::new(),
            synced: Instant::now(),
            meter: Meter::new(),
        }
    }

    async fn hello(&self) -> Result<Welcome, Trouble> {
        let hello = BrokerMessage::Authenticate {
            name: self.tools.name.clone(),
            pid: std::process::id(),
            door: self.tools.door,
        };
        match self.tools.broker.ask(hello).await? {
            BrokerReply::Welcome(welcome) => Ok(welcome),
            other => Err(unexpected(other)),
        }
    }

    async fn live(&mut self, life: &Life<Self>) -> Result<(), Trouble> {
        let welcome = self.hello().await?;
        let bot = welcome.bot_id;
        self.rewind().await?;
        let bench = Arc::new(self.bench(&welcome));
        let mut jobs: JoinSet<Done> = JoinSet::new();
        let mut ask_at = tokio::time::Instant::now();
        let mut finished = false;
        loop {
            let room = self.tools.concurrency.saturating_sub(jobs.len());
            if room > 0 && !finished && tokio::time::Instant::now() >= ask_at {
                let Given { leases, wait, end, removed, removals } =
                    self.ask_for(bot, room).await?;
                self.meter.pass(Use::Broker, room);
                self.remove(removed).await?;
                self.follow_removals(bot, removals).await?;
                finished = end;
                if leases.is_empty() {
                    ask_at = tokio::time::Instant::now() + wait;
                }
                for lease in leases {
                    let ids = self.record_ids()?;
                    jobs.spawn(Arc::clone(&bench).work(lease, ids));
                }
                self.state.fetching = jobs.len();
                life.publish(self);
            }
            if finished && jobs.is_empty() {
                return Ok(());
            }
            let free = self.tools.concurrency.saturating_sub(jobs.len());
            let may_ask = free > 0 && !finished;
            self.state.shares = self.meter.shares();
            tokio::select! {
                biased;
                message = life.inbox.next() => {
                    // Everybody who could send us something is gone, or we are told to stop. What is
                    // under way is not waited for: its leases come back.
                    if let Some(envelope) = message {
                        let (BotMessage::Stop, reply) = envelope.open();
                        reply.send(());
                    }
                    jobs.abort_all();
                    self.leave(bot).await?;
                    return Ok(());
                }
                Some(done) = jobs.join_next() => {
                    self.meter.pass(Use::Lease, free);
                    let mut batch: Vec<Done> = done.into_iter().collect();
                    while let Some(done) = jobs.try_join_next() {
                        batch.extend(done);
                    }
                    self.settle(bot, &bench, batch).await?;
                    self.state.fetching = jobs.len();
                    life.handled(self);
                    ask_at = tokio::time::Instant::now();
                }
                () = tokio::time::sleep_until(ask_at), if may_ask => {
                    self.meter.pass(Use::Lease, free);
                    self.state.shares = self.meter.shares();
                    life.publish(self);
                }
            }
        }
    }

    /// A bot that takes over from one that failed takes out of the archive what that one had appended
    /// and never reported: those pages will be fetched again.
    async fn rewind(&self) -> Result<(), Trouble> {
        let Some(writer) = &self.tools.archive else {
            return Ok(());
        };
        let lock = || writer.lock().unwrap_or_else(PoisonError::into_inner);
        let files: Vec<String> = lock().marks().into_iter().map(|mark| mark.file).collect();
        if files.is_empty() {
            return Ok(());
        }
        match self.tools.broker.ask(BrokerMessage::Marks { files }).await? {
            BrokerReply::Marks(stored) => lock().rewind(&stored).map_err(broken),
            other => Err(unexpected(other)),
        }
    }

    /// What somebody will look at. A page that is kept is one that a person may ask about later, so its
    /// language is put on record; one that is only followed is read for its links.
    fn parts(&self, welcome: &Welcome) -> Parts {
        let indexes = self.tools.indexer.is_some();
        // What is archived may be indexed later, so what it says is compared as well.
        let compares = indexes || self.tools.archive.is_some();
        Parts {
            // Whether a page is to be rendered shows in its text.
            text: compares || welcome.wants_evidence || self.tools.renderer.is_some(),
            languages: indexes
                || self.tools.archive.is_some()
                || welcome.wants_languages
                || welcome.store_only_lang.is_some(),
            words_of_links: welcome.wants_evidence,
            main: compares,
            markdown: false,
        }
    }

    fn bench(&self, welcome: &Welcome) -> Bench {
        Bench {
            web: Arc::clone(&self.tools.web),
            filter: self.tools.filter.clone(),
            broker: self.tools.broker.clone(),
            bot: welcome.bot_id,
            renderer: self.tools.renderer.clone(),
            random: SystemRandom::new(),
            clock: self.tools.clock,
            settings: self.tools.settings.clone(),
            name: self.tools.name.clone(),
            user_agent: welcome.user_agent.clone(),
            wants_evidence: welcome.wants_evidence,
            parts: self.parts(welcome),
            indexes: self.tools.indexer.is_some(),
            store_only_lang: welcome.store_only_lang,
            present: Arc::clone(&self.meter.present),
        }
    }

    /// Archives, reports and indexes what came.
    async fn settle(
        &mut self,
        bot: BotId,
        bench: &Bench,
        mut batch: Vec<Done>,
    ) -> Result<(), Trouble> {
        let lost = self.renew_old(bot, &batch).await?;
        batch.retain(|done| !lost.contains(&done.lease.url_id));
        self.judge(bot, bench, &mut batch).await?;
        self.meter.pass(Use::Broker, self.held_up());
        let marks = self.archive(&mut batch)?;
        self.meter.pass(Use::Archive, self.held_up());
        let mut reports = Vec::with_capacity(batch.len());
        let mut entries = Vec::with_capacity(batch.len());
        for done in batch {
            self.note(&done);
            reports.push(done.report);
            entries.push(done.entry);
        }
        let report = BrokerMessage::Report { bot, reports, marks: marks.clone() };
        let acks = match self.tools.broker.ask(report).await? {
            BrokerReply::Acks(acks) => acks,
            other => return Err(unexpected(other)),
        };
        if let Some(writer) = &self.tools.archive {
            writer.lock().unwrap_or_else(PoisonError::into_inner).acknowledged(&marks);
        }
        self.meter.pass(Use::Broker, self.held_up());
        self.state.refused += acks.iter().filter(|ack| ack.is_err()).count() as u64;
        let Some(indexer) = &self.tools.indexer else {
            return Ok(());
        };
        let entries: Vec<_> = entries
            .into_iter()
            .zip(&acks)
            .filter_map(|(entry, ack)| entry.filter(|_| ack.is_ok()))
            .collect();
        let taken = indexer.ask(IndexerMessage::Add { entries, marks }).await?;
        self.meter.pass(Use::Index, self.held_up());
        match taken {
            IndexerReply::Broken(why) => Err(Trouble::Broken(why)),
            IndexerReply::Taken | IndexerReply::Committed { .. } => Ok(()),
        }
    }

    /// Lets the broker say which pages are copies of others: they are archived as revisits where the
    /// archive has their bytes, and not indexed.
    async fn judge(&self, bot: BotId, bench: &Bench, batch: &mut [Done]) -> Result<(), Trouble> {
        // Who keeps nothing has no use for an opinion.
        if self.tools.archive.is_none() && self.tools.indexer.is_none() {
            return Ok(());
        }
        let asked: Vec<&mut Done> =
            batch.iter_mut().filter(|done| done.exchange.is_some()).collect();
        if asked.is_empty() {
            return Ok(());
        }
        let finding = |done: &&mut Done| Finding {
            url_id: done.lease.url_id,
            payload_digest: done.report.payload_digest.clone(),
            fingerprint: done.report.fingerprint,
            canonical: done.report.canonical.clone(),
        };
        let findings = asked.iter().map(finding).collect();
        let opinions = match self.tools.broker.ask(BrokerMessage::Judge { bot, findings }).await? {
            BrokerReply::Opinions(opinions) => opinions,
            other => return Err(unexpected(other)),
        };
        for (done, opinion) in asked.into_iter().zip(opinions) {
            if let Some(original) = &opinion.revisit {
                bench.revisit(done, original);
            }
            if !opinion.index {
                done.entry = None;
            }
            done.exchange = None;
        }
        Ok(())
    }

    /// Places that wait while the bot settles: all but those whose job still runs.
    fn held_up(&self) -> usize {
        self.tools.concurrency.saturating_sub(self.meter.present.running())
    }

    /// Before a page is archived its lease must be sure to hold until the report is in. Leases beyond
    /// their half-life are renewed; those that are lost are returned.
    async fn renew_old(&self, bot: BotId, batch: &[Done]) -> Result<HashSet<UrlId>, Trouble> {
        let now = self.tools.clock.now();
        let margin = self.tools.settings.timeout / 2;
        let old: Vec<UrlId> = batch
            .iter()
            .filter(|done| nearly_over(done.lease.until, now, margin))
            .map(|done| done.lease.url_id)
            .collect();
        if old.is_empty() {
            return Ok(HashSet::new());
        }
        let renew = BrokerMessage::Renew { bot, urls: old.clone() };
        match self.tools.broker.ask(renew).await? {
            BrokerReply::Renewed(kept) => {
                Ok(old.into_iter().zip(kept).filter(|(_, kept)| !kept).map(|(id, _)| id).collect())
            }
            other => Err(unexpected(other)),
        }
    }

    fn archive(&mut self, batch: &mut [Done]) -> Result<Vec<lycosa_model::ArchiveMark>, Trouble> {
        let Some(writer) = &self.tools.archive else {
            return Ok(Vec::new());
        };
        let broken =
            |error: lycosa_store::archive::ArchiveError| Trouble::Broken(error.to_string());
        let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
        for done in batch {
            if let Some(kept) = done.kept.take() {
                let place = writer.append(&kept.encoded).map_err(broken)?;
                // The copy on record stays the one with the body.
                done.report.archived = kept.whole.then_some(place);
            }
            for part in done.parts.drain(..) {
                writer.append(&part).map_err(broken)?;
            }
        }
        if self.synced.elapsed() >= SYNC {
            self.synced = Instant::now();
            writer.sync().map_err(broken)?;
        }
        Ok(writer.marks())
    }

    fn note(&mut self, done: &Done) {
        if done.report.outcome == Outcome::Fetched {
            self.state.pages += u64::from(done.report.kind == FetchKind::Page);
        } else if !done.report.outcome.is_success() {
            self.state.failures += 1;
        }
        match done.rendered {
            Some(true) => self.state.rendered += 1,
            Some(false) => self.state.unrendered += 1,
            None => {}
        }
        self.state.still += u64::from(done.vain);
        self.state.bytes += done.report.bytes;
        self.state.last = done.lease.url.clone();
    }

    fn record_ids(&self) -> Result<RecordIds, Trouble> {
        let mut ids = RecordIds { response: [0; 16], request: [0; 16] };
        let filled = self.random.fill(&mut ids.response).and(self.random.fill(&mut ids.request));
        filled.map_err(|_| Trouble::Broken("the system has no random numbers".into()))?;
        Ok(ids)
    }
}

fn broken(error: ArchiveError) -> Trouble {
    Trouble::Broken(error.to_string())
}

fn nearly_over(until: Tick, now: Tick, margin: Duration) -> bool {
    now.after(margin) >= until
}

fn unexpected(reply: BrokerReply) -> Trouble {
    match reply {
        BrokerReply::Broken(why) => Trouble::Broken(why),
        BrokerReply::Refused(refusal) => Trouble::Dismissed(refusal),
        other => Trouble::Broken(format!("the broker answered out of turn: {other:?}")),
    }
}

impl Agent for Bot {
    type Message = BotMessage;
    type State = BotState;

    fn observe(&self) -> BotState {
        let browser = self.tools.renderer.as_ref().map(|renderer| renderer.state());
        BotState { browser, ..self.state.clone() }
    }

    async fn handle(&mut self, message: BotMessage) {
        let BotMessage::Stop = message;
    }

    async fn run(&mut self, life: &Life<Self>) -> Exit {
        let mut returns = 0;
        loop {
            let pages = self.state.pages;
            match self.live(life).await {
                Ok(()) => return Exit::Finished,
                Err(Trouble::Gone(error)) => return Exit::Failed(error.to_string()),
                Err(Trouble::Broken(why)) => return Exit::Failed(why),
                Err(Trouble::Dismissed(refusal)) => {
                    // Who was away too long, or met a broker that began anew, may come back and begin
                    // anew as well; whoever brings nothing each time is meant.
                    returns = if self.state.pages > pages { 1 } else { returns + 1 };
                    let may_return = matches!(refusal, Refusal::Kissed | Refusal::UnknownBot);
                    if !may_return || returns > MAX_RETURNS {
                        return Exit::Failed(refusal.explain().into());
                    }
                    tracing::warn!("the broker had retired this bot; it comes back");
                    self.state.fetching = 0;
                    tokio::time::sleep(RETURN_PAUSE * returns).await;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
