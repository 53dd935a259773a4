//! What can be looked at?

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum Inspect {
    /// Title, text, links, languages and digests of a page
    Page(InspectPage),
    /// Whether robots.txt allows a URL, and by which rule
    Robots(InspectRobots),
    /// Normal form, site, url_id and SURT
    Url(InspectUrl),
    /// The pages that a sitemap or a feed names, and its faults
    Sitemap(InspectSitemap),
    /// Records of an archive and their faults
    Warc(InspectWarc),
}

#[derive(Debug, Args)]
pub(crate) struct InspectPage {
    /// File or URL; with --batch a file of JSON lines {"file","url","content_type"}, or - for standard input
    #[arg(value_name = "FILE|URL", default_value = "-")]
    pub(crate) source: String,
    /// Address of the page
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Its Content-Type
    #[arg(long, value_name = "TYPE")]
    pub(crate) content_type: Option<String>,
    /// One JSON line in, one JSON line out
    #[arg(long)]
    pub(crate) batch: bool,
    /// Allow private and loopback addresses
    #[arg(long)]
    pub(crate) allow_private: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InspectRobots {
    /// robots.txt; with --batch a file of JSON lines {"robots","agent","url"}, or - for standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) file: String,
    /// Name of the robot
    #[arg(long, value_name = "NAME", default_value = "lycosa")]
    pub(crate) agent: String,
    /// Addresses
    #[arg(value_name = "URL")]
    pub(crate) urls: Vec<String>,
    /// One JSON line in, one JSON line out
    #[arg(long)]
    pub(crate) batch: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InspectUrl {
    /// Addresses; with --batch a file of JSON lines {"url","base"}, or nothing for standard input
    #[arg(value_name = "URL")]
    pub(crate) urls: Vec<String>,
    /// One JSON line in, one JSON line out
    #[arg(long)]
    pub(crate) batch: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InspectSitemap {
    /// Sitemap or feed; with --batch a file of JSON lines {"file","url"}, or - for standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) file: String,
    /// Its address; relative entries resolve against it
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Its Content-Type
    #[arg(long, value_name = "TYPE")]
    pub(crate) content_type: Option<String>,
    /// One JSON line in, one JSON line out
    #[arg(long)]
    pub(crate) batch: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InspectWarc {
    /// Archives
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}
