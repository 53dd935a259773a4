//! What does the broker know of one URL and of its site?

use crate::{BotId, Find, History, UrlId, UrlRecord};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// What the broker knows of one URL, with the reason for its state.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct UrlView {
    /// The id.
    pub url_id: UrlId,
    /// The normal form that the id is the digest of.
    pub normal: String,
    /// The record.
    pub record: UrlRecord,
    /// Pages known to link here.
    #[serde(default)]
    pub inlinks: u32,
    /// Address of the page it was found on.
    pub via: Option<String>,
    /// Who holds it now.
    pub leased_to: Option<BotId>,
    /// Why it was or was not fetched, in words.
    pub reason: String,
    /// How the page changes, once it was fetched.
    #[serde(default)]
    pub history: Option<History>,
    /// Why the strategy places it where it is.
    pub explain: Vec<String>,
    /// What it was found to be by a crawl that looks for something, and why it was chosen.
    #[serde(default)]
    pub find: Option<Find>,
    /// Its site, if that was met.
    #[serde(default)]
    pub site: Option<SiteView>,
}

/// How a crawl that keeps pages fresh goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RevisitStatus {
    /// Visits per day that the schedule spends.
    pub visits_per_day: f64,
    /// Share of time in which copies are right under this schedule, weighted by what pages are worth;
    /// an estimate from how often each page has changed.
    pub freshness: f64,
    /// Pages that were due when it began.
    pub due: u64,
    /// Pages that wait for their moments.
    pub scheduled: u64,
    /// Attempts since it began.
    pub visited: u64,
    /// Pages that had changed, new ones among them.
    pub changed: u64,
    /// Pages that had not.
    pub unchanged: u64,
    /// Attempts that told neither.
    pub failed: u64,
}

/// What the broker knows of one site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SiteView {
    /// The site.
    pub site: String,
    /// What is known of its robots.txt: `unknown`, `read` or `unreachable`.
    pub robots: String,
    /// Seconds between requests that it asks of us.
    pub crawl_delay: Option<u64>,
    /// Lines of its robots.txt that are meant for us and that no rule of ours reads, such as
    /// `content-signal: ai-train=no`.
    pub signals: Vec<String>,
    /// Milliseconds until it may be asked again.
    pub rests_ms: u64,
    /// The step of its back-off; 0 when all is well.
    pub back_off: u8,
    /// Pages fetched from it.
    pub pages: u64,
    /// The network address that it last answered from.
    pub address: Option<IpAddr>,
}
