//! What may a bot fetch, and until when?

use crate::{CrawlletOrder, Tick, UrlId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a lease asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FetchKind {
    /// A page.
    Page,
    /// The robots.txt of a site, whose text is to be reported.
    Robots,
    /// A sitemap or a feed, whose entries are to be reported.
    Sitemap,
    /// A page that cannot exist, to see what the site says of such pages.
    Probe,
    /// A whole site, by a crawllet that is sent there.
    Crawllet,
}

/// What is known of an earlier copy, for a conditional request and for revisit records.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Previous {
    /// `ETag` of the earlier response.
    pub etag: Option<String>,
    /// `Last-Modified` of the earlier response.
    pub last_modified: Option<String>,
    /// SHA-1 of the earlier payload in base 32, as WARC writes it.
    pub payload_digest: Option<String>,
    /// When the earlier copy was fetched.
    pub fetched: Option<Tick>,
    /// Whether the archive has that payload, from this address or another.
    #[serde(default)]
    pub archived: bool,
    /// Whether an index was given what is in it.
    #[serde(default)]
    pub indexed: bool,
}

/// The right to fetch one URL, given to one bot for a while. Nobody else holds it meanwhile; it comes
/// back to the frontier when it expires.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// The URL's id.
    pub url_id: UrlId,
    /// The address to request.
    pub url: String,
    /// What to fetch.
    pub kind: FetchKind,
    /// When the right ends.
    pub until: Tick,
    /// i-Bot's `last_down`: the last successful download.
    pub last_down: Option<Tick>,
    /// The earlier copy, if there is one.
    pub previous: Option<Previous>,
    /// What a crawllet needs to know; only leases of that kind have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crawllet: Option<Box<CrawlletOrder>>,
}
