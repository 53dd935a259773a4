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
    /// Is a page of the index found by the words of its title?
    KnownItem(LabKnownItem),
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
    /// Also mix in meaning: folder of a model, with model.safetensors and tokenizer.json, or with
    /// vectors.txt
    #[arg(long, value_name = "DIR")]
    pub(crate) embeddings: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: LabCommon,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Draws pages whose title has at least two different words that are no stop words of its language, \
    asks for each of them by\nthe words of its title, and tells how many are among the first three, they \
    themselves or a near-duplicate.\n\nExamples:\n  \
    lycosa lab run known-item --data lycosa-data\n  \
    lycosa lab run known-item --pages 500 --seed 3 --out results"
)]
pub(crate) struct LabKnownItem {
    /// Pages to draw
    #[arg(long, value_name = "N", default_value_t = 200,
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) pages: u32,
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
