//! `lycosa search`: what is asked of the index?

use super::parse_lang;
use clap::Args;
use lycosa_model::{Lang, Preference, Preferences};
use lycosa_segments::site_filter;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  lycosa search \"football world cup\"\n  \
    lycosa search camion --lang es --json\n  \
    lycosa search spider --raise example.org --block spam.example\n  \
    lycosa search --batch queries.tsv --run out.run")]
pub(crate) struct Search {
    /// The words
    #[arg(value_name = "QUERY", required_unless_present = "batch")]
    pub(crate) query: Option<String>,
    /// Results
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub(crate) limit: usize,
    /// Only pages with some of this language
    #[arg(long, value_name = "LANG", value_parser = parse_lang)]
    pub(crate) lang: Option<Lang>,
    /// Only pages of this host and the hosts below it
    #[arg(long, value_name = "SITE")]
    pub(crate) site: Option<String>,
    /// Let the pages of this host and the hosts below it count more
    #[arg(long, value_name = "SITE", value_parser = parse_site)]
    pub(crate) raise: Vec<String>,
    /// Let them count less
    #[arg(long, value_name = "SITE", value_parser = parse_site)]
    pub(crate) lower: Vec<String>,
    /// Leave them out
    #[arg(long, value_name = "SITE", value_parser = parse_site)]
    pub(crate) block: Vec<String>,
    /// Say how each score came about
    #[arg(long)]
    pub(crate) explain: bool,
    /// Ask every query of a file: id, tab, query
    #[arg(long, value_name = "FILE.tsv", conflicts_with = "query", requires = "run")]
    pub(crate) batch: Option<PathBuf>,
    /// Where the results of --batch go, in TREC run format
    #[arg(long, value_name = "FILE", requires = "batch")]
    pub(crate) run: Option<PathBuf>,
}

impl Search {
    /// What is wanted of sites; `None` when there are more of them than can be.
    pub(crate) fn preferences(&self) -> Option<Preferences> {
        let mut preferences = Preferences::default();
        let lists = [&self.raise, &self.lower, &self.block];
        for (preference, sites) in Preference::ALL.into_iter().zip(lists) {
            for site in sites {
                preferences.set(site, preference).then_some(())?;
            }
        }
        Some(preferences)
    }
}

/// A host, as the index has it.
fn parse_site(text: &str) -> Result<String, String> {
    let site = site_filter(text).filter(|site| site.len() <= Preferences::MOST_BYTES);
    site.ok_or_else(|| format!("`{text}` is no site; write example.org"))
}
