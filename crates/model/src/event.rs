//! What happened in a run that people watch? One line per event, in the order in which it happened: the page, the
//! terminal, the log and the tests are all fed by these.

use crate::message::Budget;
use crate::{Deed, Phase, Tick, Why};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One line of the log of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Seconds that the run had been worked on.
    pub t: f64,
    /// What happened.
    #[serde(flatten)]
    pub what: Happening,
}

/// What can happen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Happening {
    /// The run began, or was taken up again.
    Begun {
        /// The number of the run.
        run: u32,
        /// When, on the crawl's clock.
        at: Tick,
        /// Name of the strategy.
        strategy: String,
    },
    /// Somebody tried to read a page.
    Page {
        /// The number of the attempt in the run, from 1.
        n: u64,
        /// The title of the page; empty when there is none.
        #[serde(default)]
        title: String,
        /// How it went.
        #[serde(flatten)]
        attempt: Box<Attempt>,
    },
    /// An agent of the strategy did something.
    Agent {
        /// When, on the crawl's clock.
        at: Tick,
        /// Its name.
        agent: String,
        /// The address of the page that it is about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        address: Option<String>,
        /// What.
        #[serde(flatten)]
        deed: Deed,
    },
    /// A person said whether a page is what is wanted.
    Verdict {
        /// Its address.
        url: String,
        /// Whether it is.
        good: bool,
    },
    /// The run does something else now.
    State {
        /// What.
        state: Phase,
    },
    /// A person changed the limits.
    Limit(Budget),
    /// A person wants these left alone.
    Excluded {
        /// Hosts, beginnings of addresses, patterns.
        patterns: Vec<String>,
    },
    /// A person wants these left alone no more.
    Included {
        /// Which of them.
        patterns: Vec<String>,
        /// URLs that wait again.
        back: u64,
    },
}

/// One attempt on a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// The address.
    pub url: String,
    /// The status of the answer; 0 without one.
    pub status: u16,
    /// Bytes of the body.
    pub bytes: u64,
    /// Who went there: an agent of the strategy, or else the bot.
    pub agent: String,
    /// The score that it was chosen with.
    pub score: f32,
    /// The page that it was found on.
    pub via: Option<String>,
    /// What came of it.
    pub outcome: Cow<'static, str>,
    /// The main language of the page.
    pub lang: Option<String>,
    /// Whether it came with a crawllet, so that nothing was asked of the site for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub crawllet: bool,
    /// How close it is to what is wanted, in a crawl that looks for something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevance: Option<f32>,
    /// Why it was chosen, as far as the strategy tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Why>,
}
