//! From people and programs to interface agents and back.

use super::{
    BrokerStatus, Budget, HuntMessage, HuntReply, LexiconRow, Message, UrlView, WatchMessage,
    WatchReply,
};
use crate::{AgentView, Care, Prey, SearchRequest, SearchResponse, StoredPage, Tended};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// To an interface agent: everything that people and programs may ask. On the control door's wire:
/// `{"ask":"status"}`, `{"ask":"url","url":"…"}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum InterfaceMessage {
    /// Search.
    Search(SearchRequest),
    /// Documents and occurrences of these words.
    Lexicon {
        /// The words.
        words: Vec<String>,
    },
    /// Queries that this one may become.
    Complete {
        /// What was typed so far.
        query: String,
    },
    /// What does the index keep of this page?
    Page {
        /// Absolute address.
        url: String,
    },
    /// How many documents are in the index?
    Size,
    /// How is the crawl?
    Status,
    /// Who is alive, and what is it doing?
    Agents,
    /// What is known of this URL?
    Url {
        /// Absolute address.
        url: String,
    },
    /// What was found so far by a crawl that looks for something, the most relevant first?
    Results {
        /// Rows at most.
        limit: usize,
    },
    /// How are the agents of the strategy: spiders, walkers, the team?
    Population,
    /// A person says whether a page that was read is what is wanted.
    Verdict {
        /// Absolute address.
        url: String,
        /// Whether it is.
        good: bool,
    },
    /// Change the limits of the crawl.
    Limit(Budget),
    /// Leave these alone from now on: hosts, beginnings of addresses, patterns.
    Exclude {
        /// All of them, or none when one is no exclusion.
        patterns: Vec<String>,
    },
    /// Do not leave these alone any more.
    Include {
        /// All of them, or none when one is not excluded.
        patterns: Vec<String>,
    },
    /// Feed or stop an agent of the strategy.
    Tend {
        /// Its name.
        agent: String,
        /// What is to be done.
        how: Care,
    },
    /// Begin nothing new until `GoOn`.
    Pause,
    /// Go on after `Pause`.
    GoOn,
    /// Grant no more leases, and end when the ones out there are back.
    Stop,
    /// About hunts that this process starts and watches.
    Hunts(HuntMessage),
    /// About what this process keeps watch on.
    Watches(WatchMessage),
}

/// From an interface agent.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InterfaceReply {
    /// To `Search`.
    Found(SearchResponse),
    /// To `Lexicon`.
    Lexicon(Vec<LexiconRow>),
    /// To `Complete`, the likeliest first.
    Completions(Vec<String>),
    /// To `Page`; nothing when it is not in the index.
    Page(Option<Box<StoredPage>>),
    /// To `Size`.
    Size(u64),
    /// To `Status`; nothing when no crawl runs.
    Status(Option<Box<CrawlStatus>>),
    /// To `Agents`: one object per agent (name, community, state, counts, observed), in order of birth;
    /// those of a crawl in another process last.
    Agents(Vec<serde_json::Value>),
    /// To `Url`; nothing when the broker does not know it.
    Url(Option<Box<UrlView>>),
    /// To `Results`.
    Results(Vec<Prey>),
    /// To `Population`.
    Population(Vec<AgentView>),
    /// To `Stop`: the broker has taken notice.
    Stopping,
    /// To `Tend`.
    Tended(Tended),
    /// To `Verdict`, `Limit`, `Exclude`, `Include`, `Pause` and `GoOn`: it is done.
    Done,
    /// To `Hunts`.
    Hunts(HuntReply),
    /// To `Watches`.
    Watches(WatchReply),
    /// There is no answer to this.
    Refused {
        /// What is wrong.
        error: String,
        /// What to do about it.
        hint: String,
        /// The kind of trouble.
        why: Unanswered,
    },
}

impl Message for InterfaceMessage {
    type Reply = InterfaceReply;
}

/// Why an interface agent has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unanswered {
    /// What holds the answer cannot be read.
    Broken,
    /// The agent that was asked failed on it, and so did the second one, if one could be asked.
    Failed,
    /// Nobody had time for it.
    Slow,
    /// Those who could answer have left.
    Gone,
    /// No crawl runs that could be asked.
    NoCrawl,
    /// This is no question that can be answered.
    NotUnderstood,
}

/// What the places of one bot, or of all of them, were used for in the last seconds; a place is room for
/// one exchange. Each is a share of all places, together at most 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Waits {
    /// Nothing to do: the broker had nothing to give.
    pub lease: f64,
    /// Waiting for servers.
    pub network: f64,
    /// Waiting for a filter, or being read by one.
    pub filter: f64,
    /// Undoing codings and packing for the archive.
    pub work: f64,
    /// Waiting for the archive.
    pub archive: f64,
    /// Waiting for the broker.
    pub broker: f64,
    /// Waiting for the indexer.
    pub index: f64,
}

/// The crawl in numbers: what the broker counts, and how many agents work on it. Its JSON has the
/// fields of `lycosa status --json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// Share of the available cores that the process of the crawl keeps busy, from 0 to 1, where the
    /// system tells.
    #[serde(default)]
    pub cpu: Option<f64>,
    /// What the bots of that process wait for; nothing when it has none.
    #[serde(default)]
    pub waits: Option<Waits>,
}

impl CrawlStatus {
    /// Joins the broker's numbers with those of the agents around it.
    pub fn new(broker: BrokerStatus, agents: usize, messages: u64) -> CrawlStatus {
        // A run that has hardly begun has no rate; JSON could not carry an infinite one.
        let begun = broker.seconds > 0.001;
        let pages_per_second = if begun { broker.pages as f64 / broker.seconds } else { 0.0 };
        CrawlStatus { broker, agents, messages, pages_per_second, cpu: None, waits: None }
    }
}
