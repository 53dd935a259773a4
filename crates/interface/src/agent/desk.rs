//! Whom does an interface agent ask, for how long, and what does it make of the answer?

use crate::{control, limits};
use lycosa_frontier::normal;
use lycosa_model::message::{
    BrokerMessage, BrokerReply, BrokerStatus, CrawlStatus, HuntMessage, InterfaceMessage,
    InterfaceReply, QueryMessage, QueryReply, Unanswered, WatchMessage,
};
use lycosa_runtime::{AskError, Mailbox, Registry};
use std::path::PathBuf;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// The query agents have this long for one search, a second try included.
pub(crate) const SEARCH_PATIENCE: Duration = Duration::from_secs(10);
/// The query agents have this long to tell the size of the index; a page does not wait longer for a
/// side note.
pub(crate) const SIZE_PATIENCE: Duration = Duration::from_secs(2);

/// Who manages hunts has this long; it may ask a crawl in turn.
pub(crate) const HUNT_PATIENCE: Duration = Duration::from_secs(5);

/// Everyone an interface agent asks. Cheap to clone; every clone keeps the mailboxes open.
#[derive(Clone)]
pub struct Desk {
    /// The query agents.
    pub query: Mailbox<QueryMessage>,
    /// The agents of this process.
    pub registry: Registry,
    /// The crawl, if there may be one.
    pub crawl: Crawl,
    /// How long the crawl has to answer.
    pub crawl_patience: Duration,
    /// Who manages hunts, if this process starts any.
    pub hunts: Option<Mailbox<HuntMessage>>,
    /// Who keeps watch, if this process does.
    pub watches: Option<Mailbox<WatchMessage>>,
}

/// Where the crawl runs.
#[derive(Clone)]
pub enum Crawl {
    /// There is none.
    None,
    /// In this process; its agents are in the registry of [`Desk`].
    Here(Mailbox<BrokerMessage>),
    /// In whichever process works on this data folder, now or later; asked through its control door.
    Folder(PathBuf),
}

/// How a conversation went, for the agent's observable state.
pub(super) enum Told {
    /// A search was answered.
    Search { took: Duration },
    /// Something else was answered.
    Other,
    /// There was no answer.
    Nothing,
}

/// No answer, in words.
pub(crate) fn refused(why: Unanswered, error: impl Into<String>, hint: &str) -> InterfaceReply {
    InterfaceReply::Refused { error: error.into(), hint: hint.into(), why }
}

/// The broker says of all that is done that it is done.
fn done(reply: InterfaceReply) -> InterfaceReply {
    match reply {
        InterfaceReply::Stopping => InterfaceReply::Done,
        other => other,
    }
}

/// What a mailbox without an answer means.
pub(super) fn unanswered(error: AskError) -> Unanswered {
    match error {
        AskError::Failed => Unanswered::Failed,
        AskError::Gone => Unanswered::Gone,
    }
}

impl Desk {
    /// Answers. Takes no longer than the patience with those who are asked.
    pub(super) async fn answer(&self, message: InterfaceMessage) -> (InterfaceReply, Told) {
        let began = Instant::now();
        let reply = match message {
            InterfaceMessage::Search(request) => {
                self.ask_query(QueryMessage::Search(request), SEARCH_PATIENCE).await
            }
            InterfaceMessage::Lexicon { words } => {
                self.ask_query(QueryMessage::Lexicon(words), SEARCH_PATIENCE).await
            }
            InterfaceMessage::Complete { query } => {
                self.ask_query(QueryMessage::Complete(query), SIZE_PATIENCE).await
            }
            InterfaceMessage::Page { ref url } => match normal::parse(url) {
                Ok(address) => {
                    self.ask_query(QueryMessage::Page(address.id), SEARCH_PATIENCE).await
                }
                Err(error) => {
                    let error = format!("{url}: {error}");
                    refused(Unanswered::NotUnderstood, error, "write http://… or https://…")
                }
            },
            InterfaceMessage::Size => self.ask_query(QueryMessage::Size, SIZE_PATIENCE).await,
            InterfaceMessage::Agents => InterfaceReply::Agents(self.agents().await),
            InterfaceMessage::Status => self.ask_crawl(message, BrokerMessage::Status).await,
            InterfaceMessage::Url { ref url } => {
                let broker = BrokerMessage::Url { url: url.clone() };
                self.ask_crawl(message, broker).await
            }
            InterfaceMessage::Results { limit } => {
                self.ask_crawl(message, BrokerMessage::Results { limit }).await
            }
            InterfaceMessage::Population => {
                self.ask_crawl(message, BrokerMessage::Population).await
            }
            InterfaceMessage::Verdict { ref url, good } => {
                let broker = BrokerMessage::Verdict { url: url.clone(), good };
                done(self.ask_crawl(message, broker).await)
            }
            InterfaceMessage::Limit(budget) => {
                done(self.ask_crawl(message, BrokerMessage::Limit(budget)).await)
            }
            InterfaceMessage::Exclude { ref patterns } => {
                let broker = BrokerMessage::Exclude { patterns: patterns.clone() };
                done(self.ask_crawl(message, broker).await)
            }
            InterfaceMessage::Include { ref patterns } => {
                let broker = BrokerMessage::Include { patterns: patterns.clone() };
                done(self.ask_crawl(message, broker).await)
            }
            InterfaceMessage::Tend { ref agent, how } => {
                let broker = BrokerMessage::Tend { agent: agent.clone(), how };
                self.ask_crawl(message, broker).await
            }
            InterfaceMessage::Pause => done(self.ask_crawl(message, BrokerMessage::Pause).await),
            InterfaceMessage::GoOn => done(self.ask_crawl(message, BrokerMessage::GoOn).await),
            InterfaceMessage::Stop => self.ask_crawl(message, BrokerMessage::Stop).await,
            InterfaceMessage::Hunts(message) => self.ask_hunts(message).await,
            InterfaceMessage::Watches(message) => self.ask_watches(message).await,
        };
        let told = match &reply {
            InterfaceReply::Found(_) => Told::Search { took: began.elapsed() },
            InterfaceReply::Refused { .. } => Told::Nothing,
            _ => Told::Other,
        };
        (reply, told)
    }

    /// Asks a query agent. One that fails is restarted meanwhile, so another one is asked, once.
    async fn ask_query(&self, message: QueryMessage, patience: Duration) -> InterfaceReply {
        let twice = async {
            match self.query.ask(message.clone()).await {
                Err(AskError::Failed) => self.query.ask(message).await,
                first => first,
            }
        };
        let Ok(reply) = timeout(patience, twice).await else {
            let hint = "try again, or use fewer words";
            return refused(Unanswered::Slow, "the query took too long", hint);
        };
        match reply {
            Ok(QueryReply::Found(response)) => InterfaceReply::Found(response),
            Ok(QueryReply::Lexicon(rows)) => InterfaceReply::Lexicon(rows),
            Ok(QueryReply::Completions(queries)) => InterfaceReply::Completions(queries),
            Ok(QueryReply::Page(page)) => InterfaceReply::Page(page),
            Ok(QueryReply::Size(documents)) => InterfaceReply::Size(documents),
            Ok(QueryReply::Broken(why)) => {
                // The reason may name paths of this machine: it is for the log, not for visitors.
                tracing::error!("the index cannot be read: {why}");
                refused(Unanswered::Broken, "the index cannot be read", "see the log of the server")
            }
            Err(AskError::Failed) => {
                let error = "two query agents failed on this query";
                refused(Unanswered::Failed, error, "change the query")
            }
            Err(AskError::Gone) => {
                refused(Unanswered::Gone, "the server is stopping", "try again later")
            }
        }
    }

    /// The agents of this process, and those of the crawl when it runs in another one.
    async fn agents(&self) -> Vec<serde_json::Value> {
        let views = self.registry.agents();
        let mut agents: Vec<serde_json::Value> =
            views.iter().filter_map(|view| serde_json::to_value(view).ok()).collect();
        if let Crawl::Folder(dir) = &self.crawl
            && let InterfaceReply::Agents(others) =
                self.ask_folder(dir.clone(), InterfaceMessage::Agents).await
        {
            // Agents of two processes may have one name.
            agents.extend(others.into_iter().map(|mut agent| {
                if let Some(fields) = agent.as_object_mut() {
                    fields.insert("process".into(), "crawl".into());
                }
                agent
            }));
        }
        agents
    }

    /// Asks the crawl: its broker when it runs here, else the interface of its process.
    async fn ask_crawl(&self, there: InterfaceMessage, here: BrokerMessage) -> InterfaceReply {
        match &self.crawl {
            Crawl::None => without_crawl(&there),
            Crawl::Here(broker) => self.ask_broker(broker, here).await,
            Crawl::Folder(dir) => self.ask_folder(dir.clone(), there).await,
        }
    }

    async fn ask_broker(
        &self,
        broker: &Mailbox<BrokerMessage>,
        message: BrokerMessage,
    ) -> InterfaceReply {
        let Ok(reply) = timeout(self.crawl_patience, broker.ask(message)).await else {
            let error = "the broker is too busy to answer";
            return refused(Unanswered::Slow, error, "ask again in a moment");
        };
        match reply {
            Ok(BrokerReply::Status(status)) => {
                InterfaceReply::Status(Some(Box::new(self.crawl_status(*status))))
            }
            Ok(BrokerReply::Url(view)) => InterfaceReply::Url(view),
            Ok(BrokerReply::Results(prey)) => InterfaceReply::Results(prey),
            Ok(BrokerReply::Population(agents)) => InterfaceReply::Population(agents),
            Ok(BrokerReply::Tended(tended)) => InterfaceReply::Tended(tended),
            Ok(BrokerReply::Done) => InterfaceReply::Stopping,
            Ok(BrokerReply::Declined { error, hint }) => {
                refused(Unanswered::NotUnderstood, error, &hint)
            }
            Ok(BrokerReply::Broken(why)) => {
                let error = format!("the store failed: {why}");
                refused(Unanswered::Broken, error, "stop the crawl and see its log")
            }
            Ok(BrokerReply::Refused(refusal)) => {
                refused(Unanswered::NotUnderstood, refusal.explain(), "check the address")
            }
            Ok(other) => {
                tracing::error!(reply = ?other, "the broker answered another question");
                let error = "the broker answered another question";
                refused(Unanswered::Failed, error, "see the log of the crawl")
            }
            Err(error) => {
                let words = format!("the broker gave no answer: {error}");
                refused(unanswered(error), words, "ask again")
            }
        }
    }

    /// Asks whoever manages hunts.
    async fn ask_hunts(&self, message: HuntMessage) -> InterfaceReply {
        let Some(hunts) = &self.hunts else {
            let error = "this process starts no hunts";
            return refused(Unanswered::NoCrawl, error, "ask the one that serves the search page");
        };
        match timeout(HUNT_PATIENCE, hunts.ask(message)).await {
            Ok(Ok(reply)) => InterfaceReply::Hunts(reply),
            Ok(Err(error)) => {
                let words = format!("the manager of hunts gave no answer: {error}");
                refused(unanswered(error), words, "ask again")
            }
            Err(_) => refused(Unanswered::Slow, "the manager of hunts is busy", "ask again"),
        }
    }

    /// Asks whoever keeps watch.
    async fn ask_watches(&self, message: WatchMessage) -> InterfaceReply {
        let Some(watches) = &self.watches else {
            let error = "this process keeps no watch";
            return refused(Unanswered::NoCrawl, error, "ask the one that serves the search page");
        };
        match timeout(HUNT_PATIENCE, watches.ask(message)).await {
            Ok(Ok(reply)) => InterfaceReply::Watches(reply),
            Ok(Err(error)) => {
                let words = format!("the one who keeps watch gave no answer: {error}");
                refused(unanswered(error), words, "ask again")
            }
            Err(_) => refused(Unanswered::Slow, "the one who keeps watch is busy", "ask again"),
        }
    }

    fn crawl_status(&self, broker: BrokerStatus) -> CrawlStatus {
        let views = self.registry.agents();
        let alive = views.iter().filter(|view| !matches!(view.state, "finished" | "failed"));
        let mut status = CrawlStatus::new(broker, alive.count(), self.registry.messages());
        status.cpu = self.registry.cpu();
        status.waits = limits::waits(&views);
        status.broker.limited_by =
            limits::limited_by(&status.broker, status.waits.as_ref(), status.cpu);
        status
    }

    /// Asks the crawl of another process through its control door.
    async fn ask_folder(&self, dir: PathBuf, message: InterfaceMessage) -> InterfaceReply {
        let patience = self.crawl_patience;
        let without = without_crawl(&message);
        let asked =
            tokio::task::spawn_blocking(move || control::ask_within(&dir, &message, patience));
        match asked.await {
            Ok(Ok(reply)) => reply,
            Ok(Err(control::ControlError::NotRunning)) => without,
            Ok(Err(control::ControlError::Refused { error, hint })) => {
                refused(Unanswered::Failed, error, &hint)
            }
            Ok(Err(error)) => {
                tracing::warn!("the crawl does not tell how it is: {error}");
                refused(Unanswered::Failed, "the crawl gave no answer", "see the log of the server")
            }
            Err(error) => {
                tracing::error!("asking the crawl failed: {error}");
                refused(Unanswered::Failed, "the crawl gave no answer", "see the log of the server")
            }
        }
    }
}

/// The answer where no crawl runs: how it is can still be told.
fn without_crawl(message: &InterfaceMessage) -> InterfaceReply {
    match message {
        InterfaceMessage::Status => InterfaceReply::Status(None),
        InterfaceMessage::Agents => InterfaceReply::Agents(Vec::new()),
        _ => {
            let hint = "start one with: lycosa crawl URL";
            refused(Unanswered::NoCrawl, "no crawl is running", hint)
        }
    }
}
