//! Which studies can be run, and with what?

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum Lab {
    /// The studies there are
    List,
    /// Run a study
    #[command(subcommand)]
    Run(LabRun),
}

#[derive(Debug, Subcommand)]
pub(crate) enum LabRun {
    /// Does the search find what people judged relevant? Beside tantivy alone, with intervals
    Ir(LabIr),
}

#[derive(Debug, Args)]
#[command(
    after_help = "A collection is a folder with corpus.jsonl.gz (or corpus.jsonl; one object \
    {\"_id\", \"title\", \"text\"} a line),\nqueries.tsv (id, tab, words) and qrels.tsv (query, tab, \
    document, tab, gain).\n\nExamples:\n  \
    lycosa lab run ir --collection cranfield\n  \
    lycosa lab run ir --collection cranfield --collection cacm --out results\n  \
    lycosa lab run ir --collection cranfield --json"
)]
pub(crate) struct LabIr {
    /// Folder of a collection; may be repeated
    #[arg(long, value_name = "DIR", required = true)]
    pub(crate) collection: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) common: LabCommon,
}

/// Options of every study.
#[derive(Debug, Args)]
pub(crate) struct LabCommon {
    /// Write tables, runs, a report and a plot into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Seed of whatever is drawn
    #[arg(long, value_name = "N", default_value_t = lycosa_lab::studies::SEED)]
    pub(crate) seed: u64,
}
