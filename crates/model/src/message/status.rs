//! How is the crawl, in numbers?

use super::RevisitStatus;
use crate::{BotId, BotRecord, CrawlletStatus, FetchKind, Phase, TlsFault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Sites by what they are doing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SiteCounts {
    /// May be asked now.
    pub ready: usize,
    /// Must not be asked yet, or are being asked.
    pub resting: usize,
    /// Disallow everything or do not answer.
    pub blocked: usize,
}

/// How fast the crawl is at the moment: over the last seconds, not over the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pace {
    /// Pages per second.
    pub pages_per_second: f64,
    /// Bytes of bodies per second.
    pub bytes_per_second: f64,
    /// Share of its time that the broker spends on writing to its store, from 0 to 1.
    pub store_share: f64,
}

/// A kind of failure at one site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SiteTrouble {
    /// The site.
    pub site: String,
    /// Name of the outcome.
    pub outcome: String,
    /// What it means, in words.
    pub reason: String,
    /// How often it happened since this broker was started.
    pub count: u64,
}

/// One of the sites that the crawl has most to do with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TopSite {
    /// The site.
    pub site: String,
    /// Pages fetched from it, in all runs.
    pub pages: u64,
    /// Its URLs that wait.
    pub waiting: u64,
    /// `ready`, `resting`, `busy` or `blocked`.
    pub state: String,
    /// The address that it last answered from.
    pub address: Option<IpAddr>,
}

/// A URL that is being fetched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fetching {
    /// The address.
    pub url: String,
    /// Who fetches it.
    pub bot: BotId,
    /// What is fetched.
    pub kind: FetchKind,
    /// For how long.
    pub seconds: f64,
}

/// The crawl in numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct BrokerStatus {
    /// Pages fetched with a body in this run.
    pub pages: u64,
    /// Distinct URLs among them.
    pub distinct: u64,
    /// URLs fetched more often than once in this run.
    pub overlap: u64,
    /// Pages kept in the archive in this run.
    pub stored: u64,
    /// Attempts that ended without a page.
    pub errors: u64,
    /// Bytes of bodies as received.
    pub bytes: u64,
    /// URLs known.
    pub known: u64,
    /// URLs waiting in the frontier.
    pub queued: u64,
    /// Those among them that failed and wait to be tried again.
    pub retrying: u64,
    /// Sites whose sitemaps are still to be read.
    pub sitemaps: u64,
    /// URLs leased now.
    pub leased: u64,
    /// Sites by state.
    pub sites: SiteCounts,
    /// Network addresses that sites are known to share a limit of.
    pub addresses: u64,
    /// Outcomes of this run.
    pub outcomes: BTreeMap<String, u64>,
    /// Sites with which TLS failed in this run, and why; the first of them only.
    pub tls: BTreeMap<String, TlsFault>,
    /// Pages of this run by media type.
    pub media: BTreeMap<String, u64>,
    /// Links that were seen and not taken into the crawl, by reason.
    pub left: BTreeMap<String, u64>,
    /// What a person wants left alone, as it is written.
    pub excluded: Vec<String>,
    /// Seconds on the crawl's clock since the run began.
    pub seconds: f64,
    /// How fast it is at the moment.
    pub pace: Pace,
    /// Name of the strategy.
    pub strategy: String,
    /// What keeps the crawl from being faster.
    pub limited_by: String,
    /// In a crawl that keeps pages fresh: how it goes.
    #[serde(default)]
    pub revisit: Option<RevisitStatus>,
    /// The number of the run.
    #[serde(default)]
    pub run: u32,
    /// What it is doing.
    #[serde(default)]
    pub state: Phase,
    /// Whether nothing is left to do.
    pub finished: bool,
    /// The most frequent failures, with their sites.
    pub troubles: Vec<SiteTrouble>,
    /// The sites that the crawl has most to do with.
    pub top_sites: Vec<TopSite>,
    /// The crawllets of this run; none when none may be sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crawllets: Option<CrawlletStatus>,
    /// What is being fetched, the longest first.
    pub fetching: Vec<Fetching>,
    /// Bots, by id.
    pub bots: Vec<(BotId, BotRecord)>,
}
