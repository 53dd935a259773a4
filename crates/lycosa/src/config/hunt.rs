//! Where does a hunt begin, and how far does it go when nobody says?

use crate::units::Span;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Hunts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Hunt {
    /// The strategy of a hunt for which none is named.
    pub(crate) strategy: String,
    /// Pages of a hunt that has no limit of its own.
    pub(crate) pages: u64,
    /// Pages to begin with, of all that the search engines name.
    pub(crate) seeds: usize,
    /// Whether the index of the data folder is one of the search engines.
    pub(crate) own_index: bool,
    /// Other search engines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) engines: Vec<Engine>,
}

impl Default for Hunt {
    fn default() -> Hunt {
        Hunt {
            strategy: "infospiders".into(),
            pages: 500,
            seeds: 20,
            own_index: true,
            engines: Vec::new(),
        }
    }
}

/// A search engine that answers as SearXNG does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Engine {
    /// Its address; asked at `/search?format=json&q=…`.
    pub(crate) url: String,
    /// What it is called; its host if nothing is said.
    #[serde(default)]
    pub(crate) name: Option<String>,
    /// How long it has to answer.
    #[serde(default = "patience")]
    pub(crate) timeout: Span,
}

fn patience() -> Span {
    Span(Duration::from_secs(10))
}
