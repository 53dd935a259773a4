//! What is said on the command line about crawllets?

use super::NetworkOptions;
use crate::config::CrawlletMode;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `auto`, `never` or `only`.
pub(crate) fn parse_crawllets(text: &str) -> Result<CrawlletMode, String> {
    CrawlletMode::parse(text).ok_or_else(|| "write auto, never or only".to_owned())
}

#[derive(Debug, Subcommand)]
pub(crate) enum Crawllet {
    /// Make the key by which sites know this engine
    #[command(after_help = "Example:\n  lycosa crawllet keygen --domain search.example.org\n\n\
        Sites that admit engines by their domain look the key up at\n\
        https://DOMAIN/.well-known/http-message-signatures-directory, which `lycosa serve` serves.")]
    Keygen(Keygen),
    /// What a site offers to crawllets
    #[command(after_help = "Example:\n  lycosa crawllet probe https://example.org")]
    Probe(Probe),
    /// Send crawllets to one site now, and take in what they bring
    #[command(after_help = "Example:\n  lycosa crawllet run https://example.org --data DIR")]
    Run(RunCrawllet),
}

#[derive(Debug, Args)]
pub(crate) struct Keygen {
    /// The domain that answers for this engine
    #[arg(long, value_name = "DOMAIN")]
    pub(crate) domain: String,
    /// Where the key goes; crawllet.key in the data folder if not given
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Probe {
    /// The site
    #[arg(value_name = "SITE")]
    pub(crate) site: String,
    #[command(flatten)]
    pub(crate) network: NetworkOptions,
}

#[derive(Debug, Args)]
pub(crate) struct RunCrawllet {
    /// The site
    #[arg(value_name = "SITE")]
    pub(crate) site: String,
    /// What is sent: auto, pages, summaries, changed, media, or a file *.wasm
    #[arg(long, value_name = "NAME")]
    pub(crate) guest: Option<String>,
    /// Stop after so many pages
    #[arg(long, value_name = "N")]
    pub(crate) pages: Option<u64>,
    #[command(flatten)]
    pub(crate) network: NetworkOptions,
}
