//! Between people and the one who manages hunts.

use super::{Budget, CrawlStatus, Message};
use crate::{Care, Phase, Prey, Tended, Tick};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a person wants hunted. What is not said comes from the configuration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HuntOrder {
    /// What to look for, in words.
    pub query: String,
    /// Where to begin; without any, search engines are asked.
    pub urls: Vec<String>,
    /// Addresses of example pages.
    pub examples: Vec<String>,
    /// Name of the strategy.
    pub strategy: Option<String>,
    /// Agents of the strategy.
    pub agents: Option<usize>,
    /// Pages at most.
    pub pages: Option<u64>,
    /// Seconds at most.
    pub seconds: Option<u64>,
    /// Links from a seed at most.
    pub depth: Option<u32>,
    /// Where links may lead: `site`, `domain`, `prefix` or `any`.
    pub scope: Option<String>,
    /// Language to look for.
    pub lang: Option<String>,
    /// What is left alone: hosts (`example.org`), beginnings of addresses (`example.org/shop/`), patterns
    /// (`*/print/*`). It can be changed while the hunt runs.
    pub exclude: Vec<String>,
    /// Parameters of strategies, as the sections `[strategy.NAME]` of the configuration have them.
    pub parameters: Option<serde_json::Value>,
}

/// How a search engine answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EngineAnswer {
    /// The name of the engine.
    pub engine: String,
    /// How many pages it named.
    pub results: usize,
    /// Why it named none, when it failed.
    pub error: Option<String>,
}

/// A page to begin with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HuntSeed {
    /// Its address.
    pub url: String,
    /// The engines that named it, the one that placed it highest first; none when a person did.
    pub engines: Vec<String>,
}

/// A hunt as it is now.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HuntView {
    /// Its number.
    pub id: u64,
    /// What was wanted.
    pub order: HuntOrder,
    /// Whether it was ordered from a server, which takes it up again when it was cut off.
    #[serde(default)]
    pub served: bool,
    /// What it is doing.
    pub state: Phase,
    /// Name of the strategy.
    pub strategy: String,
    /// The run of the crawler that it is, once it has begun.
    #[serde(default)]
    pub run: Option<u32>,
    /// When it was asked for.
    pub asked: Tick,
    /// When it ended.
    pub ended: Option<Tick>,
    /// Why it ended before it was done, if so.
    pub error: Option<String>,
    /// How the search engines answered.
    pub engines: Vec<EngineAnswer>,
    /// Where it began.
    pub seeds: Vec<HuntSeed>,
    /// Whether a person does not want its results.
    #[serde(default)]
    pub cancelled: bool,
    /// Pages that it has read.
    pub pages: u64,
    /// The crawl in numbers, while it runs.
    #[serde(default)]
    pub status: Option<Box<CrawlStatus>>,
    /// What it had found when it ended, the most relevant first.
    #[serde(default)]
    pub results: Vec<Prey>,
}

/// To the manager of hunts. On the wire: `{"do":"start",…}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum HuntMessage {
    /// Hunt this, when it is its turn.
    Start(Box<HuntOrder>),
    /// Which hunts are there?
    List,
    /// How is this one?
    Show {
        /// Its number.
        id: u64,
    },
    /// What has it found so far?
    Results {
        /// Its number.
        id: u64,
        /// Rows at most.
        limit: usize,
    },
    /// Begin nothing new until `GoOn`.
    Pause {
        /// Its number.
        id: u64,
    },
    /// Go on after `Pause`.
    GoOn {
        /// Its number.
        id: u64,
    },
    /// End.
    Stop {
        /// Its number.
        id: u64,
    },
    /// End, and throw its results away.
    Cancel {
        /// Its number.
        id: u64,
    },
    /// Change its limits.
    Limit {
        /// Its number.
        id: u64,
        /// The new ones.
        budget: Budget,
    },
    /// Leave these alone from now on.
    Exclude {
        /// Its number.
        id: u64,
        /// Hosts, beginnings of addresses, patterns.
        patterns: Vec<String>,
    },
    /// Do not leave these alone any more.
    Include {
        /// Its number.
        id: u64,
        /// As they were excluded.
        patterns: Vec<String>,
    },
    /// Feed or stop one of its agents.
    Tend {
        /// Its number.
        id: u64,
        /// The name of the agent.
        agent: String,
        /// What is to be done.
        how: Care,
    },
    /// A person says whether a page that it read is what is wanted.
    Verdict {
        /// Its number.
        id: u64,
        /// Absolute address.
        url: String,
        /// Whether it is.
        good: bool,
    },
}

/// From the manager of hunts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HuntReply {
    /// To `Start`: its number.
    Started(u64),
    /// To `List`, the newest first; without their results.
    List(Vec<HuntView>),
    /// To `Show`.
    Hunt(Box<HuntView>),
    /// To `Results`.
    Results(Vec<Prey>),
    /// To `Tend`.
    Tended(Tended),
    /// To the others.
    Done,
    /// There is no hunt of this number.
    Unknown,
    /// It cannot be done.
    Refused {
        /// What is wrong.
        error: String,
        /// What to do about it.
        hint: String,
    },
}

impl Message for HuntMessage {
    type Reply = HuntReply;
}
