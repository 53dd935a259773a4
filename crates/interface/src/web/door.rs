//! Whom does the server ask? Interface agents, and nobody else.

use super::guard::Guard;
use super::runs::Runs;
use crate::agent::{self, HUNT_PATIENCE, SEARCH_PATIENCE, SIZE_PATIENCE};
use lycosa_model::message::{
    CrawlStatus, HuntMessage, HuntReply, InterfaceMessage, InterfaceReply, Unanswered, UrlView,
    WatchMessage, WatchReply,
};
use lycosa_model::{SearchRequest, SearchResponse, StoredPage};
use lycosa_runtime::Mailbox;
use std::sync::Arc;
use std::time::Duration;

/// The crawl has this long to tell how it is; a page does not wait longer for a side note. The
/// `crawl_patience` of the web server's interface agents.
pub const CRAWL_PATIENCE: Duration = Duration::from_secs(2);

/// What the server needs. It keeps the mailbox open for as long as it serves.
#[derive(Clone)]
pub struct Doors {
    /// The interface agents.
    pub interface: Mailbox<InterfaceMessage>,
    /// What the pages say of this installation.
    pub about: About,
    /// What watchers look at.
    pub runs: Arc<Runs>,
    /// Who decides who may do what.
    pub guard: Arc<Guard>,
}

/// What the pages say of this installation.
#[derive(Clone, Debug)]
pub struct About {
    /// Its name, as in `Lycosa`.
    pub name: String,
    /// The User-Agent that its bots send.
    pub user_agent: String,
    /// The name that its bots look for in robots.txt.
    pub robots_name: String,
    /// Where its operator can be reached: an http(s) or mailto address.
    pub contact: Option<String>,
    /// The list of keys by which sites know its requests (Web Bot Auth), if it has one.
    pub key_directory: Option<KeyDirectory>,
}

/// The list of keys as it is now: it says until when they are good, so it is not the same for ever.
#[derive(Clone)]
pub struct KeyDirectory(pub Arc<dyn Fn() -> KeyList + Send + Sync>);

/// The list of keys at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyList {
    /// The list itself.
    pub json: String,
    /// Names and values of the headers that show whose it is.
    pub signature: [(&'static str, String); 2],
}

impl std::fmt::Debug for KeyDirectory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KeyDirectory")
    }
}

/// Why a question has no answer, by kind and in the words for programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) why: Unanswered,
    pub(super) error: String,
    pub(super) hint: String,
}

fn another_question() -> Refusal {
    tracing::error!("an interface agent answered another question");
    let error = "the interface answered another question".into();
    Refusal { why: Unanswered::Failed, error, hint: "try again".into() }
}

impl Doors {
    /// Searches.
    pub(super) async fn search(&self, request: SearchRequest) -> Result<SearchResponse, Refusal> {
        match self.ask(InterfaceMessage::Search(request), SEARCH_PATIENCE).await {
            InterfaceReply::Found(response) => Ok(response),
            InterfaceReply::Refused { error, hint, why } => Err(Refusal { why, error, hint }),
            _ => Err(another_question()),
        }
    }

    /// Queries that this one may become, if that can be told now.
    pub(super) async fn completions(&self, query: String) -> Vec<String> {
        match self.ask(InterfaceMessage::Complete { query }, SIZE_PATIENCE).await {
            InterfaceReply::Completions(queries) => queries,
            _ => Vec::new(),
        }
    }

    /// Documents in the index, if that can be told now.
    pub(super) async fn documents(&self) -> Option<u64> {
        match self.ask(InterfaceMessage::Size, SIZE_PATIENCE).await {
            InterfaceReply::Size(documents) => Some(documents),
            _ => None,
        }
    }

    /// The crawl in numbers, when one runs and answers in time.
    pub(super) async fn crawl_status(&self) -> Option<CrawlStatus> {
        match self.ask(InterfaceMessage::Status, CRAWL_PATIENCE).await {
            InterfaceReply::Status(status) => status.map(|status| *status),
            _ => None,
        }
    }

    /// Whether there is a word of the crawl, or none runs.
    pub(super) async fn crawl_answers(&self) -> bool {
        let reply = self.ask(InterfaceMessage::Status, CRAWL_PATIENCE).await;
        matches!(reply, InterfaceReply::Status(_))
    }

    /// What is known of a URL; nothing when it is unknown.
    pub(super) async fn url(&self, url: String) -> Result<Option<Box<UrlView>>, Refusal> {
        match self.ask(InterfaceMessage::Url { url }, CRAWL_PATIENCE).await {
            InterfaceReply::Url(view) => Ok(view),
            InterfaceReply::Refused { error, hint, why } => Err(Refusal { why, error, hint }),
            _ => Err(another_question()),
        }
    }

    /// What the index keeps of a page; nothing when it is not there.
    pub(super) async fn page(&self, url: String) -> Result<Option<Box<StoredPage>>, Refusal> {
        match self.ask(InterfaceMessage::Page { url }, SEARCH_PATIENCE).await {
            InterfaceReply::Page(page) => Ok(page),
            InterfaceReply::Refused { error, hint, why } => Err(Refusal { why, error, hint }),
            _ => Err(another_question()),
        }
    }

    /// The agents of this process, and those of the crawl when it runs in another one.
    pub(super) async fn agents(&self) -> Vec<serde_json::Value> {
        match self.ask(InterfaceMessage::Agents, CRAWL_PATIENCE).await {
            InterfaceReply::Agents(agents) => agents,
            _ => Vec::new(),
        }
    }

    /// Tells the manager of hunts something.
    pub(super) async fn hunts(&self, message: HuntMessage) -> Result<HuntReply, Refusal> {
        match self.ask(InterfaceMessage::Hunts(message), HUNT_PATIENCE).await {
            InterfaceReply::Hunts(reply) => Ok(reply),
            InterfaceReply::Refused { error, hint, why } => Err(Refusal { why, error, hint }),
            _ => Err(another_question()),
        }
    }

    /// Tells whoever keeps watch something.
    pub(super) async fn watches(&self, message: WatchMessage) -> Result<WatchReply, Refusal> {
        match self.ask(InterfaceMessage::Watches(message), HUNT_PATIENCE).await {
            InterfaceReply::Watches(reply) => Ok(reply),
            InterfaceReply::Refused { error, hint, why } => Err(Refusal { why, error, hint }),
            _ => Err(another_question()),
        }
    }

    async fn ask(&self, message: InterfaceMessage, patience: Duration) -> InterfaceReply {
        agent::ask(&self.interface, message, patience).await
    }
}
