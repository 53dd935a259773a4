//! What does a person ask, and what is answered?

use crate::{Lang, Tick, UrlId};
use serde::{Deserialize, Serialize};

/// A search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchRequest {
    /// The words.
    pub query: String,
    /// How many results; bounded by the query agent.
    pub limit: usize,
    /// How many results to skip; bounded by the query agent.
    pub offset: usize,
    /// Only pages with some of this language.
    pub lang: Option<Lang>,
    /// Only pages of this host or of the hosts below it.
    pub site: Option<String>,
    /// Whether to explain each score.
    pub explain: bool,
}

/// One addend of a score, or the whole with its addends.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Explain {
    /// What it is.
    pub what: String,
    /// What it counts.
    pub value: f32,
    /// What it is made of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Explain>,
}

/// One result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// Counts from 1.
    pub rank: usize,
    /// Id of the URL.
    pub url_id: UrlId,
    /// The address.
    pub url: String,
    /// The title, or the address when there is none.
    pub title: String,
    /// The best passage as HTML: text escaped, words of the query in `<mark>`.
    pub snippet: String,
    /// The score.
    pub score: f32,
    /// The host, with its port if it is not the default.
    pub site: String,
    /// Language of most of the page.
    pub lang: Option<Lang>,
    /// The agent that found the page.
    pub agent: String,
    /// When it was fetched.
    pub fetched: Tick,
    /// Addresses of near-duplicates that were folded into this result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_at: Vec<String>,
    /// Why the score is what it is, when asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explain: Option<Explain>,
}

/// The answer to a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchResponse {
    /// The words as they were asked.
    pub query: String,
    /// Pages that match.
    pub total: usize,
    /// Milliseconds.
    pub took_ms: f64,
    /// A better spelling, if one is known.
    pub suggestion: Option<String>,
    /// The results asked for.
    pub results: Vec<Hit>,
}
