//! Which crawllets are sent, and what may they bring?

use crate::units::{Size, Span};
use lycosa_broker::CrawlletRule;
use lycosa_crawllet::limits::Limits;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// When crawllets are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CrawlletMode {
    /// To sites that take them, where there is a key; all others are crawled as always.
    #[default]
    Auto,
    /// Never.
    Never,
    /// Sites that take none are left.
    Only,
}

impl CrawlletMode {
    pub(crate) fn parse(text: &str) -> Option<CrawlletMode> {
        match text {
            "auto" => Some(CrawlletMode::Auto),
            "never" => Some(CrawlletMode::Never),
            "only" => Some(CrawlletMode::Only),
            _ => None,
        }
    }
}

/// Crawllets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Crawllets {
    pub(crate) mode: CrawlletMode,
    /// The key of this engine; `crawllet.key` in the data folder if nothing is named.
    pub(crate) key_file: Option<PathBuf>,
    /// What is sent: `auto`, the name of one that is built in, or a file with a module.
    pub(crate) guest: String,
    /// For `media`: content types, or endings of paths.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) media: Vec<String>,
    /// What is wished for at a site. It grants that or less.
    pub(crate) cpu: Span,
    pub(crate) memory: Size,
    pub(crate) output: Size,
    pub(crate) pages: u32,
    pub(crate) time: Span,
    /// Records come as one packed stream.
    pub(crate) compress: bool,
    /// Requests are signed, so that a site knows whose they are (Web Bot Auth).
    pub(crate) web_bot_auth: bool,
    /// Part of the pages that is asked for again; what the record of the site suggests if nothing is set.
    pub(crate) audit_share: Option<f64>,
    /// A site that does not say that it takes them is asked when more of its URLs wait.
    pub(crate) probe_over: u64,
    /// Bytes that one site may bring, and all together.
    pub(crate) max_harvest: Size,
    pub(crate) max_harvests: Size,
    /// Longest silence of a site while one runs there.
    pub(crate) silence: Span,
    /// Crawllets that may follow each other at one site.
    pub(crate) max_parts: u32,
}

impl Default for Crawllets {
    fn default() -> Crawllets {
        Crawllets {
            mode: CrawlletMode::Auto,
            key_file: None,
            guest: "auto".into(),
            media: Vec::new(),
            cpu: Span(Duration::from_secs(30)),
            memory: Size(64 << 20),
            output: Size(256 << 20),
            pages: 20_000,
            time: Span(Duration::from_secs(10 * 60)),
            compress: true,
            web_bot_auth: true,
            audit_share: None,
            probe_over: CrawlletRule::default().probe_over,
            max_harvest: Size(1 << 30),
            max_harvests: Size(8 << 30),
            silence: Span(Duration::from_secs(30)),
            max_parts: 64,
        }
    }
}

/// Bytes in so many MiB, at least one.
fn mib(size: Size) -> u32 {
    u32::try_from(size.0.div_ceil(1 << 20)).unwrap_or(u32::MAX).max(1)
}

impl Crawllets {
    /// What is wished for at a site.
    pub(crate) fn wanted(&self) -> Limits {
        Limits {
            cpu_ms: u64::try_from(self.cpu.0.as_millis()).unwrap_or(u64::MAX),
            fuel: 0,
            mem_mib: mib(self.memory),
            out_mib: mib(self.output),
            pages: self.pages,
            wall_s: u32::try_from(self.time.0.as_secs()).unwrap_or(u32::MAX),
            module_kib: 0,
        }
    }

    /// When one is sent.
    pub(crate) fn rule(&self) -> CrawlletRule {
        CrawlletRule {
            only: self.mode == CrawlletMode::Only,
            probe_over: self.probe_over,
            ..CrawlletRule::default()
        }
    }
}
