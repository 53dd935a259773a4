//! What belongs to one run of the crawl?

use super::Bundle;
use lycosa_model::message::BrokerStatus;
use lycosa_model::{BotId, FetchKind, Outcome, Site, Spot, Tick, TlsFault, UrlId, UrlState};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// A URL that waits, with what is known of the link that it was found by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Queued {
    /// The URL.
    pub url_id: UrlId,
    /// Links from a seed.
    pub depth: u32,
    /// Relevance of the page it was found on.
    pub parent_relevance: f32,
    /// Whether it was found on a page with some of the wanted language.
    pub wanted_language: bool,
    /// Whether a person gave it.
    pub seed: bool,
}

/// A URL that was asked for and the spot at which it waits. It lies in the frontier, in the agenda or with its lease:
/// always in one of them, never in two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Where.
    pub spot: Spot,
    /// Who.
    pub queued: Queued,
}

/// A URL that was its turn while a person wanted it left alone: what it takes to let it wait again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Aside {
    /// Where it waited, and what is known of it.
    pub entry: Entry,
    /// Its state before.
    pub state: UrlState,
    /// The outcome of its last attempt before.
    pub outcome: Option<Outcome>,
}

/// The queue of a site: what a restart needs to know without reading the frontier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// The number of the site; its URLs lie under it in the frontier.
    pub number: u32,
    /// The run that [`Line::waiting`] belongs to.
    pub run: u32,
    /// URLs in the frontier.
    pub waiting: u64,
    /// The first of them, when whoever wrote this knew it.
    pub first: Option<(Spot, UrlId)>,
}

/// The sitemaps of a site, as far as a run knows them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sitemaps {
    /// The run; another one begins anew.
    pub run: u32,
    /// In the order in which they were named.
    pub list: Vec<SitemapRecord>,
}

/// One sitemap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SitemapRecord {
    /// The address to request.
    pub url: String,
    /// Sitemap indexes above it; 0 when robots.txt names it.
    pub nesting: u8,
    /// Attempts that failed.
    pub failures: u32,
    /// Not to be tried before this moment (after a failure).
    pub not_before: Tick,
    /// When it was read or given up; it is not asked for again in this run.
    pub done: Option<Tick>,
}

/// A lease, as the store keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Held {
    /// Who holds it.
    pub bot: BotId,
    /// Until when.
    pub until: Tick,
    /// For what.
    pub kind: FetchKind,
    /// The score that it was chosen with.
    pub score: f32,
    /// Where the URL goes back to; only pages have a place.
    pub entry: Option<Entry>,
}

/// Sites with TLS failures that the numbers of a run list; they are written with every change.
pub const MAX_TLS_SITES: usize = 32;

/// The crawl's own numbers; written with every change, so that they are as durable as the records.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Counts from 1; a crawl that is not resumed is a new run.
    pub number: u32,
    /// When it began.
    pub began: Tick,
    /// The latest moment on the crawl's clock that is on record.
    pub clock: Tick,
    /// Milliseconds since it began in which nobody worked on it.
    pub idle_ms: u64,
    /// The next place in the frontier.
    pub next_place: u64,
    /// The number of the next site that gets a queue; in all runs.
    pub next_site: u32,
    /// The number under which the next links are kept; in all runs.
    pub next_links: u64,
    /// Whether all that earlier runs left is put away.
    pub swept: bool,
    /// URLs in the agenda.
    pub postponed: u64,
    /// URLs in the frontier.
    pub waiting: u64,
    /// Attempts on pages so far (the `n` of the trace).
    pub attempts: u64,
    /// Pages fetched with a body.
    pub pages: u64,
    /// URLs fetched more often than once.
    pub overlap: u64,
    /// Pages kept in the archive.
    pub stored: u64,
    /// Attempts that ended without a page.
    pub errors: u64,
    /// Bytes of bodies as received.
    pub bytes: u64,
    /// URLs known, in all runs.
    pub known: u64,
    /// What stands for the scope: the seeds, and where they redirected to.
    pub roots: u32,
    /// Outcomes by name.
    pub outcomes: BTreeMap<String, u64>,
    /// Sites with which TLS failed, and why: the first [`MAX_TLS_SITES`]. Every site's own record
    /// tells it as well.
    pub tls: BTreeMap<String, TlsFault>,
    /// Pages by media type.
    pub media: BTreeMap<String, u64>,
    /// Links that were seen and not taken into the crawl, by reason.
    pub left: BTreeMap<String, u64>,
}

/// What stands for the scope of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Root {
    /// A seed, as given.
    Seed(String),
    /// Where a seed redirected to.
    Joined(String),
}

impl Run {
    /// The next place. URLs that were found alike have neighbouring places, others a bundle of their own.
    pub fn take_place(&mut self, alike: bool) -> u64 {
        if !alike {
            self.next_place = Bundle::next_free(self.next_place);
        }
        let place = self.next_place;
        self.next_place += 1;
        place
    }

    /// How long it has been worked on, up to `now`.
    pub fn age(&self, now: Tick) -> Duration {
        now.since(self.began).saturating_sub(Duration::from_millis(self.idle_ms))
    }

    /// Takes note that TLS failed with a site.
    pub fn note_tls(&mut self, site: &Site, fault: TlsFault) {
        if let Some(known) = self.tls.get_mut(site.as_str()) {
            *known = fault;
        } else if self.tls.len() < MAX_TLS_SITES {
            self.tls.insert(site.to_string(), fault);
        }
    }

    /// Its numbers up to `now`; what only a broker at work knows is left empty.
    pub fn status(&self, now: Tick) -> BrokerStatus {
        BrokerStatus {
            run: self.number,
            pages: self.pages,
            distinct: self.pages - self.overlap.min(self.pages),
            overlap: self.overlap,
            stored: self.stored,
            errors: self.errors,
            bytes: self.bytes,
            known: self.known,
            queued: self.waiting + self.postponed,
            outcomes: self.outcomes.clone(),
            tls: self.tls.clone(),
            media: self.media.clone(),
            left: self.left.clone(),
            // Milliseconds are all that the clock promises.
            seconds: self.age(now).as_millis() as f64 / 1000.0,
            ..BrokerStatus::default()
        }
    }
}
