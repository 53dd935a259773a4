//! What is crawled, and how far?

use super::{Config, Synthetic};
use crate::failure::Failure;
use crate::units::Span;
use crate::wordnet::wordnet;
use lycosa_frontier::{Exclusions, ScopeKind};
use lycosa_model::{Follow, Lang};
use lycosa_strategy::Setup;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// Strategies that ask how words are related.
const TEAMS: [&str; 3] = ["contract-net", "xiangdan", "wyy"];

/// Agents at most: each takes memory from the beginning.
pub(crate) const MOST_AGENTS: usize = 1_000;

/// What to crawl and how far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Crawl {
    /// Which URL next; see [`Crawl::strategy`] for what nothing means.
    pub(crate) strategy: Option<String>,
    /// Where chance begins, in strategies that have some of it.
    pub(crate) seed: u64,
    /// A folder with WordNet, or the XML of Open English WordNet; the system's if nothing is named.
    pub(crate) wordnet: Option<PathBuf>,
    pub(crate) topic: Option<String>,
    pub(crate) examples: Option<PathBuf>,
    pub(crate) scope: ScopeKind,
    /// What is left alone: hosts, beginnings of addresses, patterns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) exclude: Vec<String>,
    pub(crate) pages: Option<u64>,
    /// Pages of one site in one run.
    pub(crate) site_pages: Option<u64>,
    pub(crate) time: Option<Span>,
    pub(crate) depth: Option<u32>,
    pub(crate) lang: Option<Lang>,
    pub(crate) store_only_lang: bool,
    /// Agents: bots, and those of a strategy that has some.
    pub(crate) agents: Option<usize>,
    /// Exchanges at the same time, of all bots together.
    pub(crate) concurrency: usize,
    /// Exchanges at the same time with one site.
    pub(crate) site_concurrency: u32,
    /// Pause between two requests to one site.
    pub(crate) delay: Span,
    /// Requests at the same time to the sites of one network address; 0 is no limit.
    pub(crate) address_concurrency: Option<u32>,
    /// Pause between the begin of two requests to one network address.
    pub(crate) address_delay: Option<Span>,
    /// Attempts on a page that fails for a passing reason.
    pub(crate) attempts: u32,
    /// Pause before the second attempt; four times longer before each further one.
    pub(crate) retry: Span,
    pub(crate) max_redirects: u8,
    /// Which links are followed.
    pub(crate) follow: Follow,
    pub(crate) follow_nofollow: bool,
    /// Read the sitemaps that robots.txt names.
    pub(crate) sitemaps: bool,
    pub(crate) replay: Vec<PathBuf>,
    /// A made-up web that is crawled instead of the real one.
    pub(crate) synthetic: Option<Synthetic>,
}

impl Crawl {
    /// The strategy: the one that was named, else `learned` where there is a topic, else breadth-first.
    pub(crate) fn strategy(&self) -> &str {
        let about_something = self.topic.is_some() || self.examples.is_some();
        match &self.strategy {
            Some(name) => name,
            None if about_something => "learned",
            None => "breadth-first",
        }
    }

    /// Whether its strategy asks what pages are about.
    pub(crate) fn reads_words(&self) -> bool {
        let setup = Setup::default();
        lycosa_strategy::by_name(self.strategy(), &setup).is_ok_and(|it| it.wants_evidence())
    }

    /// What is wrong with the number of agents, if it is.
    pub(crate) fn check_agents(&self) -> Result<(), Failure> {
        match self.agents {
            Some(agents) if agents > MOST_AGENTS => {
                Err(Failure::new(format!("{agents} agents are too many"))
                    .hint(format!("at most {MOST_AGENTS}")))
            }
            _ => Ok(()),
        }
    }

    /// What is wrong with what shall be left alone, if something is.
    pub(crate) fn check_exclusions(&self) -> Result<(), Failure> {
        let all = Exclusions::of(&self.exclude);
        all.map(|_| ()).map_err(|error| Failure::new(error.to_string()).hint(error.hint()))
    }

    /// Bots: as many as agents, but none without a connection of its own.
    pub(crate) fn bots(&self) -> usize {
        self.agents.unwrap_or(1).clamp(1, self.concurrency.max(1))
    }

    /// Whether no request leaves the process; then the clock is virtual.
    pub(crate) fn offline(&self) -> bool {
        !self.replay.is_empty() || self.synthetic.is_some()
    }
}

impl Default for Crawl {
    fn default() -> Crawl {
        Crawl {
            strategy: None,
            seed: 7,
            wordnet: None,
            topic: None,
            examples: None,
            scope: ScopeKind::Site,
            exclude: Vec::new(),
            pages: None,
            site_pages: None,
            time: None,
            depth: None,
            lang: None,
            store_only_lang: false,
            agents: None,
            concurrency: 32,
            site_concurrency: 1,
            delay: Span(Duration::from_secs(1)),
            address_concurrency: None,
            address_delay: None,
            attempts: 3,
            retry: Span(Duration::from_secs(5)),
            max_redirects: 10,
            follow: Follow::Pages,
            follow_nofollow: false,
            sitemaps: true,
            replay: Vec::new(),
            synthetic: None,
        }
    }
}

impl Config {
    /// What a strategy begins with.
    pub(crate) fn setup(&self) -> Result<Setup, Failure> {
        // Loading it takes a moment, so only who asks for it gets it.
        let wordnet = match TEAMS.contains(&self.crawl.strategy()) {
            true => wordnet(self.crawl.wordnet.as_deref())?,
            false => None,
        };
        Ok(Setup {
            strict: self.crawl.pages.is_some(),
            seed: self.crawl.seed,
            agents: self.crawl.agents.map(|agents| agents.min(MOST_AGENTS)),
            parameters: self.strategy.clone(),
            wordnet,
        })
    }
}
