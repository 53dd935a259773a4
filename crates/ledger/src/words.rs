//! What is said about URLs, domains and bots?
//!
//! Whoever asks never names a moment: only the clock of the frontier decides, and agents give and get durations.

use crate::{DomainKey, PageKey};
use lycosa_frontier::{Address, registrable_domain};
use lycosa_model::{BotId, Door, Lang, Origin, Rank, Tick, UrlId, UrlState};
use serde::{Deserialize, Serialize};
use std::net::IpAddr;
use std::time::Duration;

/// A URL that somebody found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its name.
    pub key: PageKey,
    /// The registrable domain of its host.
    pub domain: String,
    /// The address to request.
    pub url: String,
    /// Where it was found.
    pub origin: Origin,
    /// What the strategy thinks of it: the smaller, the sooner within its domain.
    pub rank: Rank,
    /// Links from a seed.
    pub depth: u32,
    /// The page on which it was found.
    pub via: Option<UrlId>,
    /// The bot that found it; none for a seed.
    pub bot: Option<BotId>,
    /// Links that lead there, to be added to its inlinks. 0 leaves the count of a known URL as it is, which
    /// is cheaper.
    pub links: u32,
}

impl Found {
    /// An address that was found in this way, by one link.
    pub fn of(address: &Address, origin: Origin) -> Found {
        let domain = registrable_domain(address.site.host()).to_owned();
        Found {
            key: PageKey { domain: DomainKey::of(&domain), id: address.id },
            domain,
            url: address.request.clone(),
            origin,
            rank: Rank::default(),
            depth: 0,
            via: None,
            bot: None,
            links: 1,
        }
    }
}

/// What a bot wants to have on lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The bot.
    pub bot: BotId,
    /// Domains at most.
    pub domains: u32,
    /// URLs of each domain at most.
    pub pages: u32,
    /// For how long. The bot should renew after a third of it, and stop asking a domain a full delay before its
    /// end.
    pub ttl: Duration,
}

/// A domain on lease: nobody else has it until the lease runs out.
#[derive(Clone, Debug, PartialEq)]
pub struct Grant {
    /// The domain.
    pub domain: DomainKey,
    /// Its name.
    pub name: String,
    /// The number of this lease, to be shown with whatever is written about the domain. Each grant of a domain
    /// has a higher one.
    pub epoch: u64,
    /// How long the lease holds, from a moment after it was asked for.
    pub ttl: Duration,
    /// Pause between two requests, as it was last told.
    pub delay: Duration,
    /// The network address that it last answered from.
    pub address: Option<IpAddr>,
    /// What waits there, in the order of rank.
    pub pages: Vec<Task>,
}

/// A URL that is to be fetched.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Its name.
    pub key: PageKey,
    /// The address to request.
    pub url: String,
    /// What the strategy thought of it.
    pub rank: Rank,
    /// Links from a seed.
    pub depth: u32,
    /// Failures in a row.
    pub tries: u32,
    /// Last successful download.
    pub dlast: Option<Tick>,
    /// `ETag` of the copy we have.
    pub etag: Option<String>,
    /// `Last-Modified` of the copy we have.
    pub last_modified: Option<String>,
    /// Digest of the payload that we have.
    pub digest: Option<String>,
}

/// A lease as its holder names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Held {
    /// The domain.
    pub domain: DomainKey,
    /// See [`Grant::epoch`].
    pub epoch: u64,
}

impl Grant {
    /// What shows that the domain is ours.
    pub fn held(&self) -> Held {
        Held { domain: self.domain, epoch: self.epoch }
    }
}

/// What came of leases: any number of domains, written together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Completion {
    /// Each domain once.
    pub domains: Vec<DomainDone>,
    /// Objects that hold the pages; written in the same change, if any page of it is accepted.
    pub blobs: Vec<Blob>,
}

/// What came of one lease.
#[derive(Clone, Debug, PartialEq)]
pub struct DomainDone {
    /// The lease.
    pub held: Held,
    /// Whether it is given back.
    pub release: bool,
    /// After it is given back nobody asks the domain for so long, and never for less than its delay.
    pub rest: Duration,
    /// Pause between two requests from now on, if that changed.
    pub delay: Option<Duration>,
    /// The network address that it answered from.
    pub address: Option<IpAddr>,
    /// What was tried.
    pub pages: Vec<PageDone>,
}

impl DomainDone {
    /// Gives a lease back.
    pub fn giving_back(held: Held, rest: Duration) -> DomainDone {
        DomainDone { held, release: true, rest, delay: None, address: None, pages: Vec::new() }
    }
}

/// How one attempt ended.
#[derive(Clone, Debug, PartialEq)]
pub struct PageDone {
    /// The URL, of the domain that it stands under.
    pub id: UrlId,
    /// How it is now. One that is still `Waiting` returns to its place at once.
    pub state: UrlState,
    /// What is new, if a new copy came.
    pub copy: Option<NewCopy>,
    /// It waits again after this time.
    pub again: Option<Duration>,
    /// What is to be done with it next.
    pub work: Option<Stage>,
}

impl PageDone {
    /// Whether the copy that we have is now known to be right.
    pub(crate) fn is_success(&self) -> bool {
        matches!(self.state, UrlState::Answered(200..=299 | 304))
    }

    /// Whether it waits at once.
    pub(crate) fn waits(&self) -> bool {
        matches!(self.state, UrlState::Waiting(_))
    }
}

/// What a new copy of a page tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewCopy {
    /// Language of most of it.
    pub language: Option<Lang>,
    /// Links to pages found in it.
    pub outlinks: u32,
    /// `ETag` of the response.
    pub etag: Option<String>,
    /// `Last-Modified` of the response.
    pub last_modified: Option<String>,
    /// Digest of the payload, as the archive writes it.
    pub digest: Option<String>,
}

/// An object of the archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blob {
    /// Where it lies.
    pub key: String,
    /// SHA-256 of its bytes.
    pub sha256: [u8; 32],
    /// Its length.
    pub bytes: u64,
    /// Records in it.
    pub records: u32,
}

/// What became of a completion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completed {
    /// Pages that were written.
    pub pages: u64,
    /// Domains that are not ours any more: nothing was written about them, and they must not be asked again.
    /// After an answer that was lost on the way, a repeated completion finds those here that it gave back.
    pub lost: Vec<DomainKey>,
}

/// Who has a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The bot.
    pub bot: BotId,
    /// The number of its lease.
    pub epoch: u64,
    /// How long the lease holds.
    pub left: Duration,
}

/// What is done with a page after it was fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Stage {
    /// A filter is to read it.
    Filter,
    /// An index is to take it in.
    Index,
    /// Tried so often that somebody should have a look.
    Parked,
}

impl Stage {
    /// All of them, in order.
    pub const ALL: [Stage; 3] = [Stage::Filter, Stage::Index, Stage::Parked];

    /// The number by which it is written.
    pub(crate) fn code(self) -> i16 {
        match self {
            Stage::Filter => 1,
            Stage::Index => 2,
            Stage::Parked => 3,
        }
    }

    pub(crate) fn of_code(code: i16) -> Option<Stage> {
        Stage::ALL.into_iter().find(|stage| stage.code() == code)
    }
}

/// Work on a page that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// What is being done.
    pub stage: Stage,
    /// How often it was asked for again.
    pub tries: u32,
}

/// All that is known of a URL: the fields of i-Bot, and what a conditional request and the strategy need.
#[derive(Clone, Debug, PartialEq)]
pub struct UrlEntry {
    /// The digest of its normal form.
    pub url_id: UrlId,
    /// The address to request.
    pub url: String,
    /// See [`UrlState`].
    pub state: UrlState,
    /// Links that were told of.
    pub inlinks: u64,
    /// Links to pages found there.
    pub outlinks: u32,
    /// First seen.
    pub dinit: Tick,
    /// Last successful download.
    pub dlast: Option<Tick>,
    /// Language of most of it.
    pub language: Option<Lang>,
    /// The bot that tried it last.
    pub bot1_id: Option<BotId>,
    /// The bot that found it; none for a seed.
    pub bot2_id: Option<BotId>,
    /// `ETag` of the copy we have.
    pub etag: Option<String>,
    /// `Last-Modified` of the copy we have.
    pub last_modified: Option<String>,
    /// Digest of the payload that we have.
    pub digest: Option<String>,
    /// Failures in a row.
    pub tries: u32,
    /// What the strategy thinks of it.
    pub rank: Rank,
    /// Links from a seed.
    pub depth: u32,
    /// The page on which it was first found.
    pub via: Option<UrlId>,
    /// Whether it waits for a bot, or is with one.
    pub waits: bool,
    /// In what time it waits again, if it is to.
    pub again: Option<Duration>,
    /// What is being done with its last copy.
    pub work: Option<Work>,
}

/// News of a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// The name it gave.
    pub name: String,
    /// The door it came by.
    pub door: Door,
    /// How often it asked for URLs since it was last seen.
    pub requests: u64,
    /// URLs it reported since then. One is enough to forgive leases that ran out.
    pub reported: u64,
    /// Why it is retired, if it is; it stays so.
    pub kissed: Option<String>,
}

/// What a sweep looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sweep {
    /// A lease that ran out so long ago cannot be renewed any more.
    pub grace: Duration,
    /// Work that nothing was heard of for so long is asked for again.
    pub patience: Duration,
    /// How often it is asked for again before it is parked.
    pub tries: u32,
    /// Rows of each kind at most, so that a sweep is short.
    pub limit: u32,
}

impl Default for Sweep {
    fn default() -> Sweep {
        Sweep {
            grace: Duration::from_secs(60),
            patience: Duration::from_secs(60),
            tries: 5,
            limit: 10_000,
        }
    }
}

/// What a sweep found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Leases that ran out, with those who had them.
    pub run_out: Vec<(DomainKey, BotId)>,
    /// URLs whose time came, and that wait now.
    pub again: u64,
    /// Work to be asked for again, now.
    pub stuck: Vec<Stuck>,
    /// Work that was parked.
    pub parked: u64,
    /// Domains that may be asked because nobody uses their network address any more.
    pub woken: u64,
}

/// A page whose work is stuck.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// The page.
    pub key: PageKey,
    /// Its address.
    pub url: String,
    /// What should have been done.
    pub work: Work,
}

/// How much there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Domains.
    pub domains: u64,
    /// Domains on lease.
    pub held: u64,
    /// Domains that may be leased now.
    pub due: u64,
    /// URLs.
    pub urls: u64,
    /// URLs that wait for a bot, or are with one.
    pub waiting: u64,
    /// URLs that wait for a moment.
    pub later: u64,
    /// Pages that a filter is to read.
    pub to_filter: u64,
    /// Pages that an index is to take in.
    pub to_index: u64,
    /// Pages that somebody should have a look at.
    pub parked: u64,
    /// Objects of the archive.
    pub blobs: u64,
}
