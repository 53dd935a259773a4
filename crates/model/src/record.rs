//! What does the broker remember of a URL, a bot and a site? i-Bot's fields, by their names.

use crate::{ArchivePlace, BotId, FetchError, Lang, Outcome, Previous, Spot, Tick, UrlId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// Where a URL was first seen; i-Bot's code for the kind of page that it was extracted from.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Given by a person.
    Seed,
    /// Found on a page with some of the wanted language.
    WantedLanguage,
    /// Found on any other page.
    OtherPage,
    /// The target of a redirect.
    Redirect,
    /// Named by a sitemap of its site.
    Sitemap,
}

/// i-Bot's `State`: the HTTP response once downloaded, before that where the URL came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UrlState {
    /// Known, not yet downloaded.
    Waiting(Origin),
    /// Answered with this HTTP status.
    Answered(u16),
    /// Not answered, or not asked.
    Ended(Outcome),
    /// Failed for so long that it is not asked any more.
    Dropped,
}

/// One URL.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UrlRecord {
    /// The address to request (Host, Port and Resource of i-Bot are its parts).
    pub url: String,
    /// See [`UrlState`].
    pub state: UrlState,
    /// Last insert or update.
    pub tsstate: Tick,
    /// First seen.
    pub dinit: Tick,
    /// Last successful download.
    pub dlast: Option<Tick>,
    /// Bot it was handed to last.
    pub bot1_id: Option<BotId>,
    /// Bot that found it; none for a seed.
    pub bot2_id: Option<BotId>,
    /// Links to HTML pages found here.
    pub outlinks: u32,
    /// The number under which all links found here are kept, if there are any.
    pub links: Option<u64>,
    /// Language of most of the page.
    pub language: Option<Lang>,
    /// Whether some of the page is in the wanted language.
    pub wanted_language: bool,
    /// Page on which it was first found.
    pub via: Option<UrlId>,
    /// Links from a seed.
    pub depth: u32,
    /// Redirects that led here.
    pub redirects: u8,
    /// Failures in a row.
    pub failures: u32,
    /// Where it waits in its run: in the frontier, for another attempt, or leased.
    pub queued: Option<Spot>,
    /// The run in which it was last queued.
    pub run: u32,
    /// How the last attempt ended.
    pub outcome: Option<Outcome>,
    /// What a conditional request needs.
    pub previous: Previous,
    /// Where the last copy stands.
    pub archived: Option<ArchivePlace>,
}

impl UrlRecord {
    /// A URL that was seen a moment ago.
    pub fn new(url: String, origin: Origin, now: Tick) -> UrlRecord {
        UrlRecord {
            url,
            state: UrlState::Waiting(origin),
            tsstate: now,
            dinit: now,
            dlast: None,
            bot1_id: None,
            bot2_id: None,
            outlinks: 0,
            links: None,
            language: None,
            wanted_language: false,
            via: None,
            depth: 0,
            redirects: 0,
            failures: 0,
            queued: None,
            run: 0,
            outcome: None,
            previous: Previous::default(),
            archived: None,
        }
    }
}

/// By which door a bot speaks with the broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Door {
    /// A task in the broker's own process.
    Inside,
    /// The HTTP protocol.
    Http,
}

/// One bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BotRecord {
    /// The name it gave.
    pub name: String,
    /// The door it came by.
    pub door: Door,
    /// First contact.
    pub dinit: Tick,
    /// Last contact.
    pub dlast: Tick,
    /// How often it asked for URLs.
    pub requests: u64,
    /// URLs it reported.
    pub reported: u64,
    /// Its leases that expired, in a row.
    pub expired: u32,
    /// Why it was retired ("kissed"), if it was.
    pub kissed: Option<String>,
}

/// What robots.txt of a site said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum SiteRobots {
    /// Not asked yet.
    #[default]
    Unknown,
    /// Read, and kept beside the record; an empty text when the site has none.
    Known,
    /// 5xx or no answer: everything is disallowed until it is asked again.
    Unreachable,
}

/// What is remembered of a site's trouble (429, 503, failures in a row), so that it is forgiven step by
/// step and not at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Trouble {
    /// The step of the back-off that was reached; 0 when all is well.
    pub step: u8,
    /// Good answers since it last changed.
    pub calm: u8,
}

/// One site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SiteRecord {
    /// See [`SiteRobots`].
    pub robots: SiteRobots,
    /// When robots.txt is asked again.
    pub robots_until: Tick,
    /// Attempts on robots.txt that failed, in a row.
    pub robots_failures: u32,
    /// The site may not be asked before this moment.
    pub next_ok: Tick,
    /// Pages fetched from it.
    pub pages: u64,
    /// Attempts that ended without an answer, in a row.
    pub failures: u32,
    /// See [`Trouble`].
    pub trouble: Trouble,
    /// Why the last attempt has no answer; nothing once the site has answered.
    pub silence: Option<FetchError>,
    /// The network address that it last answered from, where that is known.
    pub address: Option<IpAddr>,
}
