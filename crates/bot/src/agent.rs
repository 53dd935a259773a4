//! How does a bot live? It asks for leases, works on them at the same time, archives what came, reports
//! it, and hands documents to the indexer once the broker has acknowledged them.

mod asking;
mod removing;
mod settling;

use crate::crawllet::Crawllets;
use crate::job::{Bench, Done, JobSettings};
use crate::meter::Meter;
use crate::render::{BrowserState, Renderer};
use asking::{Given, Left};
use futures_util::future::{Fuse, FusedFuture, FutureExt};
use lycosa_model::Door;
use lycosa_model::message::{
    BotMessage, BrokerMessage, BrokerReply, FilterMessage, IndexerMessage, Parts, Refusal, Waits,
    Welcome,
};
use lycosa_runtime::{Agent, AskError, Clock, Exit, Life, Mailbox, Web};
use lycosa_store::archive::{ArchiveError, RecordIds, Writer};
use ring::rand::{SecureRandom, SystemRandom};
use serde::Serialize;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// For one place in so many the bot may have a lease more whose exchange has ended: it is read, archived
/// and reported while the place is used again. A bot of few places finishes one thing before the next.
const PLACES_PER_OVERLAP: usize = 4;

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
    /// What it takes to send crawllets, if they are sent. Shared by all bots.
    pub crawllets: Option<Arc<Crawllets>>,
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
    /// Pages among them that crawllets had brought.
    pub harvested: u64,
    /// Crawllets that it was sent with.
    pub crawllets: u64,
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
    random: SystemRandom,
    own: Mutex<Own>,
}

/// What a bot knows of itself. It settles one batch while it asks for leases, and both write this.
struct Own {
    state: BotState,
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
        let (meter, removals) = (Meter::new(tools.concurrency), tools.removals);
        let own = Own { state, synced: Instant::now(), meter, removals };
        Bot { tools, random: SystemRandom::new(), own: Mutex::new(own) }
    }

    fn own(&self) -> MutexGuard<'_, Own> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
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

    async fn live(&self, life: &Life<Self>) -> Result<(), Trouble> {
        let welcome = self.hello().await?;
        let bot = welcome.bot_id;
        self.rewind().await?;
        let bench = Arc::new(self.bench(&welcome));
        let most = self.tools.concurrency + self.tools.concurrency / PLACES_PER_OVERLAP;
        let mut jobs: JoinSet<Done> = JoinSet::new();
        // What has ended and left since the last batch.
        let (mut ended, mut left) = (Vec::new(), Left::default());
        // How many are in the batch that is being settled.
        let mut batch = 0;
        let mut asking = pin!(Fuse::terminated());
        let mut settling = pin!(Fuse::terminated());
        let mut ask_at = tokio::time::Instant::now();
        // Whether a batch was settled since the broker was last asked: it may have more to give now.
        let mut settled = false;
        let mut finished = false;
        self.own().meter.idle();
        loop {
            if settling.is_terminated() && (!ended.is_empty() || self.is_behind(&left)) {
                batch = ended.len();
                let (ended, left) = (std::mem::take(&mut ended), std::mem::take(&mut left));
                settling.set(self.settle(bot, &bench, left, ended).fuse());
            }
            let held = jobs.len() + ended.len() + batch;
            let room = self.own().meter.free().min(most.saturating_sub(held));
            let may_ask = room > 0 && !finished && asking.is_terminated();
            if may_ask && tokio::time::Instant::now() >= ask_at {
                settled = false;
                asking.set(self.ask_for(bot, room).fuse());
            }
            if finished && held == 0 && settling.is_terminated() {
                return Ok(());
            }
            let may_ask = may_ask && asking.is_terminated();
            tokio::select! {
                biased;
                message = life.inbox.next() => {
                    // Everybody who could send us something is gone, or we are told to stop. What has
                    // come is kept; what is under way is not waited for: its leases come back.
                    if let Some(envelope) = message {
                        let (BotMessage::Stop, reply) = envelope.open();
                        reply.send(());
                    }
                    ended.extend(ready(&mut jobs));
                    jobs.abort_all();
                    let last = async {
                        if !settling.is_terminated() {
                            settling.as_mut().await?;
                        }
                        self.settle(bot, &bench, left, ended).await
                    };
                    return match last.await {
                        // Who was retired meanwhile has nothing to come back for.
                        Ok(()) | Err(Trouble::Dismissed(_)) => self.leave(bot).await,
                        Err(trouble) => Err(trouble),
                    };
                }
                result = &mut settling => {
                    result?;
                    self.own().meter.settles(None);
                    if std::mem::take(&mut batch) > 0 {
                        (settled, ask_at) = (true, tokio::time::Instant::now());
                    }
                    self.take_stock();
                    life.handled(self);
                }
                given = &mut asking => {
                    let Given { leases, wait, end, left: gone } = given?;
                    finished = end;
                    left.extend(gone);
                    if leases.is_empty() && !settled {
                        ask_at = tokio::time::Instant::now() + wait;
                    }
                    for lease in leases {
                        let (ids, place) = (self.record_ids()?, bench.present.place());
                        jobs.spawn(Arc::clone(&bench).work(lease, ids, place));
                    }
                    self.take_stock();
                    life.publish(self);
                }
                Some(done) = jobs.join_next() => {
                    ended.extend(done);
                    ended.extend(ready(&mut jobs));
                }
                () = bench.present.freed(), if !finished => {}
                () = tokio::time::sleep_until(ask_at), if may_ask => {
                    self.take_stock();
                    life.publish(self);
                }
            }
        }
    }

    /// Writes down what the bot does now.
    fn take_stock(&self) {
        let own = &mut *self.own();
        own.meter.tick();
        own.state.fetching = own.meter.present.taken();
        own.state.shares = own.meter.shares();
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
            anchors: indexes,
            main: compares,
            markdown: false,
            about: indexes,
            facts: false,
        }
    }

    fn bench(&self, welcome: &Welcome) -> Bench {
        Bench {
            web: Arc::clone(&self.tools.web),
            filter: self.tools.filter.clone(),
            broker: self.tools.broker.clone(),
            bot: welcome.bot_id,
            renderer: self.tools.renderer.clone(),
            crawllets: self.tools.crawllets.clone(),
            random: SystemRandom::new(),
            clock: self.tools.clock,
            settings: self.tools.settings.clone(),
            name: self.tools.name.clone(),
            user_agent: welcome.user_agent.clone(),
            wants_evidence: welcome.wants_evidence,
            parts: self.parts(welcome),
            indexes: self.tools.indexer.is_some(),
            store_only_lang: welcome.store_only_lang,
            present: Arc::clone(&self.own().meter.present),
        }
    }

    fn record_ids(&self) -> Result<RecordIds, Trouble> {
        let mut ids = RecordIds { response: [0; 16], request: [0; 16] };
        let filled = self.random.fill(&mut ids.response).and(self.random.fill(&mut ids.request));
        filled.map_err(|_| Trouble::Broken("the system has no random numbers".into()))?;
        Ok(ids)
    }
}

/// Jobs that have ended; one that was aborted has brought nothing.
fn ready(jobs: &mut JoinSet<Done>) -> impl Iterator<Item = Done> {
    std::iter::from_fn(|| jobs.try_join_next()).flatten()
}

fn broken(error: ArchiveError) -> Trouble {
    Trouble::Broken(error.to_string())
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
        BotState { browser, ..self.own().state.clone() }
    }

    async fn handle(&mut self, message: BotMessage) {
        let BotMessage::Stop = message;
    }

    async fn run(&mut self, life: &Life<Self>) -> Exit {
        let mut returns = 0;
        loop {
            let pages = self.own().state.pages;
            match self.live(life).await {
                Ok(()) => return Exit::Finished,
                Err(Trouble::Gone(error)) => return Exit::Failed(error.to_string()),
                Err(Trouble::Broken(why)) => return Exit::Failed(why),
                Err(Trouble::Dismissed(refusal)) => {
                    // Who was away too long, or met a broker that began anew, may come back and begin
                    // anew as well; whoever brings nothing each time is meant.
                    returns = if self.own().state.pages > pages { 1 } else { returns + 1 };
                    let may_return = matches!(refusal, Refusal::Kissed | Refusal::UnknownBot);
                    if !may_return || returns > MAX_RETURNS {
                        return Exit::Failed(refusal.explain().into());
                    }
                    tracing::warn!("the broker had retired this bot; it comes back");
                    self.own().state.fetching = 0;
                    tokio::time::sleep(RETURN_PAUSE * returns).await;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
