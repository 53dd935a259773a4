//! What do the agents of a strategy do? Spiders, walkers and the contract-net team live inside the
//! strategy; what they do is told as events, which are kept and shown.

use crate::{AclMessage, Tick, UrlId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One thing that an agent of a strategy did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentEvent {
    /// When, on the crawl's clock.
    pub at: Tick,
    /// Its name, which no other agent of the crawl has.
    pub agent: String,
    /// What.
    #[serde(flatten)]
    pub deed: Deed,
}

/// What an agent can do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "deed", rename_all = "snake_case")]
pub enum Deed {
    /// It came to life.
    Born {
        /// Of whom; nobody for the first ones.
        parent: Option<String>,
        /// What it begins with.
        energy: f32,
        /// What it looks for.
        keywords: Vec<String>,
    },
    /// It read a page.
    Visited {
        /// Which.
        url: UrlId,
        /// How close the page is to what is wanted.
        relevance: f32,
        /// What it has now.
        energy: f32,
    },
    /// It said something to another agent.
    Said {
        /// When that hears it; never when the message got lost.
        arrives: Option<Tick>,
        /// What.
        message: Box<AclMessage>,
    },
    /// It ended.
    Died {
        /// What it had left.
        energy: f32,
    },
    /// A person fed or stopped it.
    Tended(Tended),
}

/// What a person can do about one agent of a strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Care {
    /// Give it more to live on, or more to do.
    Feed,
    /// End it.
    Stop,
}

impl Care {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Care::Feed => "feed",
            Care::Stop => "stop",
        }
    }
}

/// What came of it when a person fed or stopped an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tended {
    /// What was done.
    pub how: Care,
    /// Its energy before and after, where agents have some.
    pub before: Option<f32>,
    /// See `before`.
    pub after: Option<f32>,
    /// The other agent that has to do with it: a clone, who gave links away, or who takes its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// Links that passed from one to the other.
    #[serde(default)]
    pub links: u64,
}

impl Tended {
    /// In one sentence.
    pub fn explain(&self, agent: &str) -> String {
        let energy = match (self.before, self.after) {
            (Some(before), Some(after)) => format!(": energy {before:.2} before, {after:.2} after"),
            _ => String::new(),
        };
        let links = match self.links {
            1 => "1 link".to_owned(),
            links => format!("{links} links"),
        };
        match (self.how, &self.other) {
            (Care::Feed, Some(other)) if self.links > 0 => {
                format!("{agent} was fed: it got {links} of {other}")
            }
            (Care::Feed, Some(other)) => format!("{agent} was fed: {other} is its clone"),
            (Care::Feed, None) => format!("{agent} was fed{energy}"),
            (Care::Stop, Some(other)) => {
                format!("{agent} was stopped: {other} takes its place, with {links} of it")
            }
            (Care::Stop, None) => format!("{agent} was stopped{energy}"),
        }
    }
}

/// An agent of a strategy as it is now.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentView {
    /// Its name.
    pub name: String,
    /// `spider`, `walker`, `facilitator`, `assistant` or `crawler`.
    pub kind: String,
    /// Of whom it was born.
    pub parent: Option<String>,
    /// Whether it lives.
    pub alive: bool,
    /// Its energy, where it has some.
    pub energy: Option<f32>,
    /// What it looks for.
    pub keywords: Vec<String>,
    /// Pages that it read.
    pub pages: u64,
    /// Where it is.
    pub location: Option<UrlId>,
    /// What else is to be said, in a sentence.
    pub note: String,
}

/// Why a strategy chose a URL.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Why {
    /// What its score is made of, in the order in which it counts.
    pub parts: Vec<Part>,
    /// The conversation in which it passed to its agent by contract.
    pub contract: Option<String>,
    /// The energy of the agent that chose it.
    pub energy: Option<f32>,
    /// The pheromone where the agent stood.
    pub pheromone: Option<f32>,
}

/// One of the things that a score is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    /// What it is, such as `parents` or `words of the link`.
    pub name: Cow<'static, str>,
    /// How much it adds; for `likely to answer` and its like, what the rest is multiplied with.
    pub value: f32,
}
