//! Which studies can be run, and with what?

use clap::{Args, Subcommand};
use std::net::SocketAddr;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum Lab {
    /// The studies there are
    List,
    /// Run a study
    #[command(subcommand)]
    Run(LabRun),
    /// A process that a study starts
    #[command(subcommand, hide = true)]
    Part(LabPart),
}

/// What runs beside a study, in a process of its own. Each ends when its standard input does.
#[derive(Debug, Subcommand)]
pub(crate) enum LabPart {
    /// Serve a folder of files, and print where
    Serve {
        #[arg(long, value_name = "DIR")]
        docroot: PathBuf,
    },
    /// Crawl a site once, and print what it brought
    Crawl(LabCrawl),
}

/// One crawl of the study of crawllets.
#[derive(Debug, Args)]
pub(crate) struct LabCrawl {
    #[arg(long)]
    pub(crate) method: String,
    #[arg(long)]
    pub(crate) authority: String,
    #[arg(long)]
    pub(crate) site: SocketAddr,
    #[arg(long)]
    pub(crate) host: Option<SocketAddr>,
    #[arg(long)]
    pub(crate) seed: u64,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LabRun {
    /// Does the search find what people judged relevant? Beside tantivy alone, with intervals
    Ir(LabIr),
    /// Is a page of the index found by the words of its title?
    KnownItem(LabKnownItem),
    /// All strategies on all topics: recall over fetches, with intervals and tests
    Strategies(LabStrategies),
    /// InfoSpiders beside best-first and others, and without their parts
    #[command(name = "myspiders")]
    MySpiders(LabTopics),
    /// Random walkers on a link graph: rounds, hops and population
    #[command(name = "wack-figure1")]
    WackFigure1(LabWeb),
    /// Does the threshold of a contract-net team matter?
    #[command(name = "du-table1")]
    DuTable1(LabTeam),
    /// What crawlers save that talk to each other, and what it costs
    #[command(name = "du-table2")]
    DuTable2(LabTeam),
    /// Teams of crawlers over time, beside one shared queue
    #[command(name = "du-figures")]
    DuFigures(LabTeam),
    /// Crawllets beside conventional crawlers: time, bytes and processors at several distances
    Crawllets(LabCrawllets),
}

/// Options of the study of crawllets.
#[derive(Debug, Args)]
#[command(
    after_help = "Takes about seven minutes. It needs the program that a site owner installs: \
    cargo build --release -p crawllet-host\n\nExamples:\n  \
    lycosa lab run crawllets --out results\n  \
    lycosa lab run crawllets --site /usr/share/doc/postgresql-doc-15/html --out results\n  \
    lycosa lab run crawllets --pages-percent 5 --delay 0 --delay 20"
)]
pub(crate) struct LabCrawllets {
    /// Folder with a real site as HTML files; if not given, the documentation of a Debian package
    #[arg(long, value_name = "DIR")]
    pub(crate) site: Option<PathBuf>,
    /// The program crawllet-host; if not given, that of $CRAWLLET_HOST, or the one beside this program
    #[arg(long, value_name = "FILE")]
    pub(crate) host_binary: Option<PathBuf>,
    /// Part of the pages of the generated sites
    #[arg(long, value_name = "N", default_value_t = 100,
          value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) pages_percent: u32,
    /// Delay of a round trip in milliseconds; may be repeated
    #[arg(long, value_name = "MS", default_values_t = lycosa_lab::studies::crawllets::DELAYS_MS,
          value_parser = clap::value_parser!(u32).range(0..=1_000))]
    pub(crate) delay: Vec<u32>,
    #[command(flatten)]
    pub(crate) common: LabCommon,
}

/// Options of studies on an archived web.
#[derive(Debug, Args)]
pub(crate) struct LabWeb {
    /// Archive of the web; may be repeated
    #[arg(long, value_name = "WARC", required = true)]
    pub(crate) web: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) common: LabCommon,
}

/// Options of studies that look for topics.
#[derive(Debug, Args)]
#[command(
    after_help = "Topics are a JSON list of {\"topic\", \"query\" or \"keywords\", \"examples\", \"seeds_d0\" or \
    \"seeds\", \"seeds_d2\" or \"far_seeds\",\n\"relevant\"}, each a list of URLs but for the first two. No strategy is \
    told what is relevant.\n\nExample:\n  \
    lycosa lab run strategies --web web.warc.gz --topics topics.json --out results"
)]
pub(crate) struct LabTopics {
    #[command(flatten)]
    pub(crate) web: LabWeb,
    /// What is looked for, and what people say belongs to it
    #[arg(long, value_name = "FILE")]
    pub(crate) topics: PathBuf,
}

/// Options of the comparison of strategies.
#[derive(Debug, Args)]
pub(crate) struct LabStrategies {
    #[command(flatten)]
    pub(crate) topics: LabTopics,
    /// Fetches of each crawl
    #[arg(long, value_name = "N", default_value_t = 1_000,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) fetches: u32,
    /// Only these strategies; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) strategy: Vec<String>,
    /// Give strategies the words of topics alone, without example pages
    #[arg(long)]
    pub(crate) query_only: bool,
    /// Agents of strategies that have some; as many as they think right if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) agents: Option<u32>,
    /// WordNet: a folder with its database, or the XML of Open English WordNet; the system's if there is one
    #[arg(long, value_name = "PATH")]
    pub(crate) wordnet: Option<PathBuf>,
}

/// Options of studies of contract-net teams.
#[derive(Debug, Args)]
pub(crate) struct LabTeam {
    #[command(flatten)]
    pub(crate) topics: LabTopics,
    /// Agents, instead of as many as in the paper
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) agents: Option<u32>,
    /// WordNet: a folder with its database, or the XML of Open English WordNet; the system's if there is one
    #[arg(long, value_name = "PATH")]
    pub(crate) wordnet: Option<PathBuf>,
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
