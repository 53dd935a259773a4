//! How does another process look into a running crawl? Through a Unix domain socket in the data
//! folder: one JSON line asks, one JSON line answers.
//!
//! The crawl holds the [`ControlDoor`] ([`listen`]); `lycosa agents`, `status` and `url` are clients
//! ([`ask`]). The door has its own thread and its own runtime with real time, because a replayed crawl
//! lives on a paused clock and its timeouts would mean nothing here.

mod client;
mod door;
mod socket;
#[cfg(test)]
mod tests;

pub use client::{ask, ask_within};
pub use door::{ControlDoor, MAX_CONNECTIONS, MAX_REQUEST, listen};
pub use socket::SOCKET_NAME;

use lycosa_model::message::{BrokerMessage, BrokerReply, BrokerStatus, UrlView};
use lycosa_runtime::{Mailbox, Registry};
use serde::{Deserialize, Serialize};

/// What may be asked of a running crawl. On the wire: `{"ask":"status"}`, `{"ask":"url","url":"…"}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum ControlRequest {
    /// Who is alive, and what is it doing?
    Agents,
    /// How is the crawl?
    Status,
    /// What is known of this URL?
    Url {
        /// Absolute address.
        url: String,
    },
    /// Grant no more leases, and end when the ones out there are back.
    Stop,
}

/// What a running crawl answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ControlReply {
    /// To `Agents`: one object per agent with the fields of [`lycosa_runtime::AgentView`], in order of
    /// birth.
    Agents(Vec<serde_json::Value>),
    /// To `Status`.
    Status(Box<CrawlStatus>),
    /// To `Url`; nothing when the broker does not know it.
    Url(Option<Box<UrlView>>),
    /// To `Stop`: the broker has taken notice.
    Stopping,
    /// The crawl cannot answer this.
    Refused {
        /// What is wrong.
        error: String,
        /// What to do about it.
        hint: String,
    },
}

/// The crawl in numbers: what the broker counts, and how many agents work on it. Its JSON has the
/// fields of `lycosa status --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CrawlStatus {
    /// What the broker counts.
    #[serde(flatten)]
    pub broker: BrokerStatus,
    /// Agents that have not ended.
    pub agents: usize,
    /// Messages that all agents have handled.
    pub messages: u64,
    /// Pages per second of the crawl's clock, over the whole run.
    pub pages_per_second: f64,
}

impl CrawlStatus {
    /// Joins the broker's numbers with those of the registry.
    pub fn new(broker: BrokerStatus, registry: &Registry) -> CrawlStatus {
        let views = registry.agents();
        let alive = views.iter().filter(|view| !matches!(view.state, "finished" | "failed"));
        CrawlStatus {
            agents: alive.count(),
            messages: registry.messages(),
            pages_per_second: rate(broker.pages, broker.seconds),
            broker,
        }
    }
}

fn rate(pages: u64, seconds: f64) -> f64 {
    // A run that has hardly begun has no rate; JSON could not carry an infinite one.
    if seconds > 0.001 { pages as f64 / seconds } else { 0.0 }
}

/// Why a running crawl could not be asked.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// Nobody listens: no crawl works on this data folder, or it ended while it was asked.
    #[error("no crawl is running on this data folder")]
    NotRunning,
    /// The crawl answered that it cannot do this.
    #[error("{error}")]
    Refused {
        /// What is wrong.
        error: String,
        /// What to do about it.
        hint: String,
    },
    /// The socket failed.
    #[error("cannot {doing} the control socket: {source}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// Why it failed.
        source: std::io::Error,
    },
    /// The answer is not one of ours, or longer than any of ours.
    #[error("the control socket answered something unreadable: {0}")]
    Garbled(String),
}

/// Answers one request. Shared by the socket and by the web page of the crawl's own process.
pub(crate) async fn answer(
    request: ControlRequest,
    registry: &Registry,
    broker: &Mailbox<BrokerMessage>,
) -> ControlReply {
    let message = match request {
        ControlRequest::Agents => return ControlReply::Agents(agent_values(registry)),
        ControlRequest::Status => BrokerMessage::Status,
        ControlRequest::Url { url } => BrokerMessage::Url { url },
        ControlRequest::Stop => BrokerMessage::Stop,
    };
    match broker.ask(message).await {
        Ok(BrokerReply::Status(status)) => {
            ControlReply::Status(Box::new(CrawlStatus::new(*status, registry)))
        }
        Ok(BrokerReply::Url(view)) => ControlReply::Url(view),
        Ok(BrokerReply::Done) => ControlReply::Stopping,
        Ok(BrokerReply::Broken(why)) => {
            refused(format!("the store failed: {why}"), "stop the crawl and see its log")
        }
        Ok(BrokerReply::Refused(refusal)) => refused(refusal.explain(), "check the address"),
        Ok(other) => {
            tracing::error!(reply = ?other, "the broker answered another question");
            refused("the broker answered another question", "see the log of the crawl")
        }
        Err(error) => refused(format!("the broker gave no answer: {error}"), "ask again"),
    }
}

/// The agents of this process as the wire carries them.
pub(crate) fn agent_values(registry: &Registry) -> Vec<serde_json::Value> {
    let views = registry.agents();
    views.iter().filter_map(|view| serde_json::to_value(view).ok()).collect()
}

pub(crate) fn refused(error: impl Into<String>, hint: impl Into<String>) -> ControlReply {
    ControlReply::Refused { error: error.into(), hint: hint.into() }
}
