//! What did a crawl that looks for something find, who found it, and why was it chosen?

use crate::{Term, Tick, Why};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A page that was read by a crawl that looks for something, as it is kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Find {
    /// The run that found it.
    pub run: u32,
    /// When it was read.
    pub at: Tick,
    /// How long the run had been worked on then, in milliseconds.
    pub age_ms: u64,
    /// Its title; empty when it has none.
    pub title: String,
    /// How close it was to what is wanted when it was read.
    pub relevance: f32,
    /// The score that it was chosen with.
    pub score: f32,
    /// The agent that chose it: a spider, a walker, a crawler of a team, or a bot.
    pub agent: String,
    /// The search engine that named it, when it is where the crawl began.
    pub finder: Option<String>,
    /// Why, as far as the strategy told.
    pub why: Option<Why>,
    /// Its most frequent words, so that a person's verdict can be learned from.
    pub words: Vec<Term>,
    /// What a person said of it: whether it is what is wanted.
    pub verdict: Option<bool>,
}

/// A page among the results of a hunt.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Prey {
    /// Its place, from 1.
    pub rank: usize,
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
    /// How close it is to what is wanted, by what is known now: 1 is as close as an example.
    pub relevance: f32,
    /// Who found it: a search engine, or the agent that went there.
    pub finder: String,
    /// The agent that went there.
    pub agent: String,
    /// The page that led to it.
    pub via: Option<String>,
    /// Seconds after the start at which it was read.
    pub seconds: f64,
    /// What a person said of it.
    pub verdict: Option<bool>,
}

/// What a hunt is doing, in the words that people know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Another one has its turn.
    Waiting,
    /// Seeds are looked for.
    Starting,
    /// It hunts.
    #[default]
    Running,
    /// It begins nothing new; what is under way comes to its end.
    Pausing,
    /// Nothing is under way until it goes on.
    Paused,
    /// It ends when what is under way has come to its end.
    Stopping,
    /// It has ended.
    Finished,
}

impl Phase {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Waiting => "waiting",
            Phase::Starting => "starting",
            Phase::Running => "running",
            Phase::Pausing => "pausing",
            Phase::Paused => "paused",
            Phase::Stopping => "stopping",
            Phase::Finished => "finished",
        }
    }
}
