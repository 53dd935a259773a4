//! What is looked for, and what do people say belongs to it?

use super::web::ParsedWeb;
use lycosa_knowledge::{Bag, RelevanceModel, analysis};
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Words of a query that are read.
const QUERY_WORDS: usize = 100;

/// A topic: what a crawler is given, and what only the judge knows.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Topic {
    /// Its name.
    pub topic: String,
    /// In words.
    #[serde(default)]
    pub query: String,
    /// In more words.
    #[serde(default)]
    pub keywords: Vec<String>,
    /// Pages of it that the crawler is shown; they are not among the relevant ones.
    #[serde(default)]
    pub examples: Vec<String>,
    /// Where a crawl begins.
    #[serde(default, alias = "seeds_d0")]
    pub seeds: Vec<String>,
    /// Where a crawl begins that has to find the topic first.
    #[serde(default, alias = "far_seeds")]
    pub seeds_d2: Vec<Seed>,
    /// What people say belongs to it. No strategy ever sees this.
    pub relevant: Vec<String>,
}

/// A seed, alone or with what is known of it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Seed {
    /// Its address.
    Url(String),
    /// The same in a field.
    Described {
        /// Its address.
        url: String,
    },
}

impl Seed {
    /// The address.
    pub fn url(&self) -> &str {
        match self {
            Seed::Url(url) | Seed::Described { url } => url,
        }
    }
}

/// Why topics cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TopicError {
    /// The file cannot be read.
    #[error("cannot read the topics {}: {source}", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is no list of topics.
    #[error("{} is no list of topics: {source}", path.display())]
    Malformed {
        /// Which.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
    /// The file is JSON, and something else.
    #[error("{} is no list of topics, and has none under `topics`", .0.display())]
    NoList(PathBuf),
    /// One of the topics is none.
    #[error("topic {number} of {}: {source}", path.display())]
    Topic {
        /// Which, from 1 on.
        number: usize,
        /// Where.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
    /// There is none.
    #[error("there is no topic in {}", .0.display())]
    Empty(PathBuf),
}

/// Reads a list of topics, or an object with one under `topics`.
pub fn read_topics(path: &Path) -> Result<Vec<Topic>, TopicError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| TopicError::Unreadable { path: path.to_owned(), source })?;
    let malformed = |source| TopicError::Malformed { path: path.to_owned(), source };
    let empty = || TopicError::Empty(path.to_owned());
    if text.trim().is_empty() {
        return Err(empty());
    }
    let list = match serde_json::from_str(&text).map_err(malformed)? {
        Value::Array(list) => Some(list),
        Value::Object(mut fields) => match fields.remove("topics") {
            Some(Value::Array(list)) => Some(list),
            _ => None,
        },
        _ => None,
    };
    let list = list.ok_or_else(|| TopicError::NoList(path.to_owned()))?;
    let topic = |(place, topic): (usize, Value)| {
        let broken =
            |source| TopicError::Topic { number: place + 1, path: path.to_owned(), source };
        serde_json::from_value(topic).map_err(broken)
    };
    let topics: Vec<Topic> = list.into_iter().enumerate().map(topic).collect::<Result<_, _>>()?;
    if topics.is_empty() { Err(empty()) } else { Ok(topics) }
}

impl Topic {
    /// What a strategy is given of it: its words, and those of the example pages that the web has.
    pub fn model(&self, web: &ParsedWeb) -> RelevanceModel {
        let examples: Vec<Bag> = self
            .examples
            .iter()
            .filter_map(|url| web.page(url))
            .map(|page| page.bag.clone())
            .collect();
        let mut words = self.query.clone();
        for keyword in &self.keywords {
            words.push(' ');
            words.push_str(keyword);
        }
        if self.query.is_empty() {
            words.push(' ');
            words.push_str(&self.topic);
        }
        RelevanceModel::new(Bag::of_terms(&analysis::terms(&words, QUERY_WORDS)), examples)
    }

    /// The relevant pages that the web has.
    pub fn relevant(&self, web: &ParsedWeb) -> HashSet<u32> {
        self.relevant
            .iter()
            .filter_map(|url| web.find(url))
            .filter(|target| web.targets[*target as usize].page.is_some())
            .collect()
    }

    /// Where a crawl begins; from further away when that is wanted.
    pub fn seeds(&self, web: &ParsedWeb, far: bool) -> Vec<u32> {
        let urls: Vec<&str> = match far {
            true => self.seeds_d2.iter().map(Seed::url).collect(),
            false => self.seeds.iter().map(String::as_str).collect(),
        };
        urls.into_iter().filter_map(|url| web.find(url)).collect()
    }
}
