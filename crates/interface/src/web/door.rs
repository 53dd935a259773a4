//! Whom does the server ask?

use crate::control::{self, ControlError, ControlReply, ControlRequest, CrawlStatus};
use lycosa_model::message::{BrokerMessage, QueryMessage, QueryReply};
use lycosa_model::{SearchRequest, SearchResponse};
use lycosa_runtime::{AskError, Mailbox, Registry};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// The query agents have this long for one search, a second try included.
const SEARCH_PATIENCE: Duration = Duration::from_secs(10);
/// The crawl has this long to tell how it is; a page does not wait longer for a side note.
const CRAWL_PATIENCE: Duration = Duration::from_secs(2);

/// Tells how many documents the index holds, if that can be told now. Called for each visit of the home
/// page, so it must be quick and must not block.
pub type Documents = Arc<dyn Fn() -> Option<u64> + Send + Sync>;

/// Everyone the server asks. It keeps these mailboxes open for as long as it serves.
#[derive(Clone)]
pub struct Doors {
    /// The query agents.
    pub query: Mailbox<QueryMessage>,
    /// The agents of this process.
    pub registry: Registry,
    /// The crawl, if there may be one.
    pub crawl: Crawl,
    /// The size of the index, if it is known.
    pub documents: Option<Documents>,
    /// What the pages say of this installation.
    pub about: About,
}

/// Where the crawl runs.
#[derive(Clone)]
pub enum Crawl {
    /// There is none.
    None,
    /// In this process; its agents are in the registry of [`Doors`].
    Here(Mailbox<BrokerMessage>),
    /// In whichever process works on this data folder, now or later; asked through its control door.
    Folder(PathBuf),
}

/// What the pages say of this installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Its name, as in `Lycosa`.
    pub name: String,
    /// The User-Agent that its bots send.
    pub user_agent: String,
    /// The name that its bots look for in robots.txt.
    pub robots_name: String,
    /// Where its operator can be reached: an http(s) or mailto address.
    pub contact: Option<String>,
}

/// Why a search has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unanswered {
    /// The index cannot be read.
    Broken,
    /// Two query agents failed on it.
    Failed,
    /// No query agent had time.
    Slow,
    /// There are no query agents any more.
    Gone,
}

impl Doors {
    /// Searches. A query agent that fails is restarted meanwhile, so another one is asked, once.
    pub(super) async fn search(
        &self,
        request: SearchRequest,
    ) -> Result<SearchResponse, Unanswered> {
        let twice = async {
            match self.query.ask(QueryMessage::Search(request.clone())).await {
                Err(AskError::Failed) => self.query.ask(QueryMessage::Search(request)).await,
                first => first,
            }
        };
        let Ok(reply) = timeout(SEARCH_PATIENCE, twice).await else {
            return Err(Unanswered::Slow);
        };
        match reply {
            Ok(QueryReply::Found(response)) => Ok(response),
            Ok(QueryReply::Broken(why)) => {
                // The reason may name paths of this machine: it is for the log, not for visitors.
                tracing::error!("the index cannot be read: {why}");
                Err(Unanswered::Broken)
            }
            Ok(QueryReply::Lexicon(_)) => {
                tracing::error!("a query agent answered another question");
                Err(Unanswered::Failed)
            }
            Err(AskError::Failed) => Err(Unanswered::Failed),
            Err(AskError::Gone) => Err(Unanswered::Gone),
        }
    }

    /// The crawl in numbers, when one runs and answers in time.
    pub(super) async fn crawl_status(&self) -> Option<CrawlStatus> {
        match self.ask_crawl(ControlRequest::Status).await? {
            ControlReply::Status(status) => Some(*status),
            _ => None,
        }
    }

    /// The agents of this process, and those of the crawl when it runs in another one.
    pub(super) async fn agents(&self) -> Vec<serde_json::Value> {
        let mut agents = control::agent_values(&self.registry);
        if let Crawl::Folder(_) = self.crawl
            && let Some(ControlReply::Agents(others)) = self.ask_crawl(ControlRequest::Agents).await
        {
            agents.extend(others);
        }
        agents
    }

    async fn ask_crawl(&self, request: ControlRequest) -> Option<ControlReply> {
        match &self.crawl {
            Crawl::None => None,
            Crawl::Here(broker) => {
                timeout(CRAWL_PATIENCE, control::answer(request, &self.registry, broker)).await.ok()
            }
            Crawl::Folder(dir) => {
                let dir = dir.clone();
                let asked = tokio::task::spawn_blocking(move || {
                    control::ask_within(&dir, &request, CRAWL_PATIENCE)
                });
                match asked.await {
                    Ok(Ok(reply)) => Some(reply),
                    Ok(Err(ControlError::NotRunning)) => None,
                    Ok(Err(error)) => {
                        tracing::warn!("the crawl does not tell how it is: {error}");
                        None
                    }
                    Err(error) => {
                        tracing::error!("asking the crawl failed: {error}");
                        None
                    }
                }
            }
        }
    }
}
