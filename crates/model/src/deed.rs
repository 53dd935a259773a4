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
