//! What is a bot to know before it sends a crawllet to a site, and what came of it?
//!
//! A crawllet is a small program that a site runs for us beside its pages; the protocol is in
//! `lycosa-crawllet`. Here are the words in which broker and bot speak of it.

use crate::{Tick, UrlId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// How long what a crawllet brought is as good as a visit.
pub const HARVEST_FRESH: Duration = Duration::from_secs(60 * 60);

/// What may be used up at a site; 0 is no wish, or nothing known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CrawlletLimits {
    /// Milliseconds of CPU.
    pub cpu_ms: u64,
    /// Memory, in MiB.
    pub mem_mib: u32,
    /// Output, in MiB.
    pub out_mib: u32,
    /// Pages asked for.
    pub pages: u32,
    /// Seconds.
    pub wall_s: u32,
}

impl CrawlletLimits {
    /// What another part may use up beside this one, or did. Memory is given back in between.
    pub fn add(&mut self, other: &CrawlletLimits) {
        self.cpu_ms = self.cpu_ms.saturating_add(other.cpu_ms);
        self.mem_mib = self.mem_mib.max(other.mem_mib);
        self.out_mib = self.out_mib.saturating_add(other.out_mib);
        self.pages = self.pages.saturating_add(other.pages);
        self.wall_s = self.wall_s.saturating_add(other.wall_s);
    }
}

/// Pages and bytes beneath one beginning of paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Weight {
    /// Pages.
    pub pages: u64,
    /// Bytes of their bodies.
    pub bytes: u64,
}

/// What audits say of a site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CrawlletTrust {
    /// Crawllets in a row whose audit found nothing.
    pub clean_jobs: u32,
    /// Pages that were asked for again and were the same, since the last that was not.
    pub clean_pages: u64,
    /// Since when nothing of the site is taken that was not fetched from here, if so.
    pub distrusted: Option<Tick>,
}

/// How the last crawllet at a site went.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CrawlletUse {
    /// Name of the program that was sent.
    pub guest: String,
    /// What the site granted, in all parts together.
    pub granted: CrawlletLimits,
    /// What was used of it, in all parts together.
    pub used: CrawlletLimits,
    /// Crawllets that followed each other, each where the one before had to stop.
    pub parts: u32,
    /// Records that came and are sound.
    pub records: u64,
    /// Pages among them.
    pub pages: u64,
    /// Bytes as they came over the network.
    pub bytes: u64,
    /// Why the last one ended: `done`, `fuel`, `truncated`, `refused` and the like.
    pub reason: String,
    /// Pages that were asked for again by ordinary requests.
    pub audited: u32,
    /// Those that were different, also at a second look.
    pub falsified: u32,
    /// Those that are different each time anybody looks.
    pub restless: u32,
    /// When.
    pub at: Tick,
    /// Milliseconds that all of it took.
    pub took_ms: u64,
}

/// What is remembered of a site as far as crawllets go. It lies in a table of its own, as text, so that
/// it can grow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CrawlletRecord {
    /// The run in which a crawllet was last tried.
    pub run: u32,
    /// When the site last said that it takes none, if it does.
    pub refused: Option<Tick>,
    /// The description whose keys are held to be the site's (trust on first use), as it was read.
    pub pinned: Option<String>,
    /// See [`CrawlletTrust`].
    pub trust: CrawlletTrust,
    /// The last one.
    pub last: Option<CrawlletUse>,
    /// What lies where on the site, by beginnings of paths, as the last ones found it.
    pub weights: BTreeMap<String, Weight>,
}

/// What goes with the lease of a crawllet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CrawlletOrder {
    /// Whether the site said in its robots.txt, or with a page, that it takes them. Otherwise it is asked.
    pub announced: bool,
    /// Whether none is sent, and only told what is left of what the last one brought: after a restart.
    pub kept: bool,
    /// Paths to begin with: URLs of the site that wait.
    pub seeds: Vec<String>,
    /// Paths of the pages of the site that this run has crawled.
    pub seen: Vec<String>,
    /// Pages that the run may still fetch; none when there is no limit.
    pub pages: Option<u64>,
    /// Milliseconds between two requests of an audit.
    pub delay_ms: u64,
    /// What is on record of the site.
    pub record: CrawlletRecord,
}

/// What a bot tells of a crawllet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CrawlletReport {
    /// Whether the site takes crawllets at all.
    pub supported: bool,
    /// Whether none was sent; see [`CrawlletOrder::kept`].
    pub kept: bool,
    /// Why there is no harvest, in one phrase, if there is none.
    pub trouble: Option<String>,
    /// The record of the site as it should be from now on; the broker adds run and moment.
    pub record: CrawlletRecord,
    /// The URLs that are answered without a request from now on.
    pub harvest: Vec<UrlId>,
    /// Those of them that we knew and that are not there any more.
    pub gone: Vec<UrlId>,
}

/// The crawllets of a run in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CrawlletStatus {
    /// Sites that a crawllet was sent to.
    pub sites: u64,
    /// Sites that were asked and take none.
    pub without: u64,
    /// Sites whose harvest was thrown away because an audit failed.
    pub distrusted: u64,
    /// Records that came and are sound.
    pub records: u64,
    /// Pages of the run that were answered from a harvest, without a request.
    pub answered: u64,
    /// Bytes as they came over the network.
    pub bytes: u64,
    /// Pages that sites granted, and those of them that were asked for there.
    pub granted_pages: u64,
    /// See [`granted_pages`](Self::granted_pages).
    pub used_pages: u64,
    /// The same in milliseconds of CPU.
    pub granted_cpu_ms: u64,
    /// See [`granted_cpu_ms`](Self::granted_cpu_ms).
    pub used_cpu_ms: u64,
    /// By reason of their end.
    pub reasons: BTreeMap<String, u64>,
    /// The last ones, with their sites.
    pub last: Vec<(String, CrawlletUse)>,
}

impl CrawlletStatus {
    /// Crawllets that are listed.
    pub const MAX_LISTED: usize = 16;

    /// Counts one that has ended.
    pub fn note(&mut self, site: &str, supported: bool, record: &CrawlletRecord) {
        if !supported {
            self.without += 1;
            return;
        }
        let Some(last) = &record.last else { return };
        self.sites += 1;
        self.distrusted += u64::from(record.trust.distrusted.is_some());
        self.records += last.records;
        self.bytes += last.bytes;
        self.granted_pages += u64::from(last.granted.pages);
        self.used_pages += u64::from(last.used.pages);
        self.granted_cpu_ms = self.granted_cpu_ms.saturating_add(last.granted.cpu_ms);
        self.used_cpu_ms = self.used_cpu_ms.saturating_add(last.used.cpu_ms);
        *self.reasons.entry(last.reason.clone()).or_default() += 1;
        self.last.push((site.to_owned(), last.clone()));
        if self.last.len() > Self::MAX_LISTED {
            self.last.remove(0);
        }
    }
}
