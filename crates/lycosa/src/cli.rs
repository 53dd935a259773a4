//! What can be typed? The command line as data.

mod agents;
mod crawllet;
mod hunt;
mod inspect;
mod lab;
mod search;
mod tui;
mod watch;

pub(crate) use agents::AgentsArgs;
pub(crate) use crawllet::{Crawllet, Keygen, Probe, RunCrawllet};
pub(crate) use hunt::{Hunt, Hunts, Steer, SteerCommand};
pub(crate) use inspect::{
    Inspect, InspectPage, InspectRobots, InspectSitemap, InspectUrl, InspectWarc,
};
pub(crate) use lab::{
    Lab, LabCommon, LabCrawl, LabCrawllets, LabIr, LabKnownItem, LabPart, LabRun, LabStrategies,
    LabTeam, LabTopics, LabWeb,
};
pub(crate) use search::Search;
pub(crate) use tui::Tui;
pub(crate) use watch::{Watch, WatchAdd, WatchChange, WatchRun};

use crate::config::{CrawlletMode, Synthetic};
use crate::units::Span;
use clap::{Args, Parser, Subcommand, ValueEnum};
use lycosa_frontier::ScopeKind;
use lycosa_model::{Follow, Lang, Render};
use std::path::PathBuf;

/// A multi-agent web crawler and search engine.
#[derive(Debug, Parser)]
#[command(
    name = "lycosa",
    version,
    about = "A multi-agent web crawler and search engine",
    long_about = "Lycosa hunts the web politely with a team of agents, keeps what it finds in a \
                  standard web archive, and answers searches.\n\nTry it: lycosa demo",
    after_help = "Examples:\n  lycosa demo\n  lycosa crawl https://example.org --pages 500\n  \
                  lycosa hunt \"wolf spider\" https://example.org\n  lycosa search \"wolf spider\"\n  lycosa serve",
    propagate_version = true
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Common {
    /// Data folder
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Configuration file (TOML)
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Machine-readable result on standard output
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// No progress, only results and errors
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Log more; twice for everything
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

impl Common {
    /// The data folder.
    pub(crate) fn data(&self) -> PathBuf {
        self.data.clone().unwrap_or_else(|| "lycosa-data".into())
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Crawl and search a small web that the program makes up itself
    Demo(Demo),
    /// Crawl, archive and index
    Crawl(Box<Crawl>),
    /// Crawl sites by programs that are sent there: keys, what a site offers, one site now
    #[command(subcommand)]
    Crawllet(Crawllet),
    /// Search the web with agents: results are ranked as they are found
    Hunt(Box<Hunt>),
    /// What was hunted in this data folder, and what was found
    Hunts(Hunts),
    /// Pause, stop or correct the crawl that runs
    Steer(Steer),
    /// Ask the index
    Search(Search),
    /// Serve the search page and the API
    Serve(Serve),
    /// Serve the tools of the Model Context Protocol on standard input and output
    #[command(after_help = "Example (configuration of a client):\n  \
        {\"mcpServers\": {\"lycosa\": {\"command\": \"lycosa\", \"args\": [\"mcp\", \"--data\", \"DIR\"]}}}")]
    Mcp,
    /// How is the crawl?
    Status,
    /// What is known of a URL, and why was it or was it not fetched?
    Url(UrlArgs),
    /// Who is at work in the running crawl, and what did spiders, walkers and teams do?
    Agents(AgentsArgs),
    /// Documents and occurrences of words
    Lexicon(Lexicon),
    /// Rank pages and sites by the links between them, and gather the words of links
    ///
    /// Crawls and imports do this at their end as long as the index has at most 200,000 pages.
    #[command(after_help = "Examples:\n  lycosa rank --data DIR\n  lycosa rank --json")]
    Rank,
    /// What the program sees in a page, a robots.txt, a URL, a sitemap or an archive
    #[command(subcommand)]
    Inspect(Inspect),
    /// Take documents, archives or URLs in
    #[command(subcommand)]
    Import(Import),
    /// Give documents, archives or URLs out
    Export(Export),
    /// One agent community as a process of its own
    #[command(subcommand)]
    Agent(AgentCommand),
    /// Standing queries: be told what is new, changed or gone
    #[command(subcommand)]
    Watch(Watch),
    /// Serve archives as an HTTP(S) proxy that any crawler can use
    Replay(Replay),
    /// Studies: how good is the search?
    #[command(subcommand)]
    Lab(Lab),
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  lycosa demo\n  lycosa demo --no-serve")]
pub(crate) struct Demo {
    /// End after printing a few searches
    #[arg(long)]
    pub(crate) no_serve: bool,
    /// Only serve the made-up web, for other crawlers to practise on
    #[arg(long, conflicts_with = "no_serve")]
    pub(crate) web_only: bool,
    /// Seed of the made-up web
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Address of the search page (with --web-only: of the web)
    #[arg(long, value_name = "ADDR")]
    pub(crate) listen: Option<String>,
}

fn parse_lang(text: &str) -> Result<Lang, String> {
    Lang::parse(text).ok_or_else(|| format!("`{text}` is no language; write es or en"))
}

fn parse_scope(text: &str) -> Result<ScopeKind, String> {
    text.parse().map_err(|_| "write site, domain, prefix or any".to_owned())
}

fn parse_follow(text: &str) -> Result<Follow, String> {
    Follow::parse(text).ok_or_else(|| "write pages or all".to_owned())
}

fn parse_render(text: &str) -> Result<Render, String> {
    Render::parse(text).ok_or_else(|| "write never, auto or always".to_owned())
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    lycosa crawl https://example.org --pages 500\n  \
    lycosa crawl https://example.org --tui\n  \
    lycosa crawl --seeds seeds.txt --scope domain --depth 3 --time 1h\n  \
    lycosa crawl https://example.org --topic \"sea birds\" --strategy best-first --scope any\n  \
    lycosa crawl https://example.org --lang es --store-only-lang\n  \
    lycosa crawl --replay archive.warc.gz http://example.org/ --trace trace.jsonl\n  \
    lycosa crawl --synthetic 100000 --data load\n  \
    lycosa crawl --resume\n  \
    lycosa crawl --revisit --time 8h")]
pub(crate) struct Crawl {
    #[command(flatten)]
    pub(crate) start: Start,
    #[command(flatten)]
    pub(crate) options: CrawlOptions,
    /// Serve every request from these archives (files or folders) without network
    #[arg(long, value_name = "WARC")]
    pub(crate) replay: Vec<PathBuf>,
    /// Crawl a made-up web of so many pages without network, as in 1000000,10000,7 (pages, sites, seed)
    #[arg(long, value_name = "PAGES[,SITES[,SEED]]", conflicts_with = "replay")]
    pub(crate) synthetic: Option<Synthetic>,
    /// Keep the index of this data folder fresh: visit known pages again when they are due (with --time
    /// or --pages until then, else until nothing is due)
    #[arg(long)]
    pub(crate) revisit: bool,
    /// Visits per day at most, of a crawl that keeps an index fresh
    #[arg(long, value_name = "PAGES", requires = "revisit")]
    pub(crate) revisit_rate: Option<u64>,
    /// Do not build the search index
    #[arg(long)]
    pub(crate) no_index: bool,
    /// Do not write the web archive (the index cannot catch up after a crash then)
    #[arg(long)]
    pub(crate) no_archive: bool,
    #[command(flatten)]
    pub(crate) view: Tui,
}

/// Where a crawl begins and what it leaves a record of.
#[derive(Debug, Default, Args)]
pub(crate) struct Start {
    /// Where to begin
    #[arg(value_name = "URL")]
    pub(crate) urls: Vec<String>,
    /// File with one URL a line
    #[arg(long, value_name = "FILE")]
    pub(crate) seeds: Option<PathBuf>,
    /// Write one JSON line per attempt
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Go on with the last crawl of this data folder
    #[arg(long)]
    pub(crate) resume: bool,
}

impl Start {
    /// Whether it names no place to begin and no crawl to go on with.
    pub(crate) fn names_nothing(&self) -> bool {
        self.urls.is_empty() && self.seeds.is_none() && !self.resume
    }
}

/// Options that crawls in one and in several processes share. What is not given comes from the
/// configuration.
#[derive(Debug, Default, Args)]
pub(crate) struct CrawlOptions {
    /// What to look for, in words
    #[arg(long, value_name = "TEXT")]
    pub(crate) topic: Option<String>,
    /// File with example pages, one URL or file a line
    #[arg(long, value_name = "FILE")]
    pub(crate) examples: Option<PathBuf>,
    /// Which URL next: learned (with a topic), breadth-first (without), best-first, mean-of-parents, shark, fish, infospiders,
    /// contract-net, walkers:cloning and others; a name that is unknown lists them all
    #[arg(long, value_name = "NAME")]
    pub(crate) strategy: Option<String>,
    /// Agents: bots, and spiders, walkers or crawlers of a team where the strategy has them
    #[arg(long, value_name = "N")]
    pub(crate) agents: Option<usize>,
    /// Stop after so many pages
    #[arg(long, value_name = "N")]
    pub(crate) pages: Option<u64>,
    /// Pages of one site at most
    #[arg(long, value_name = "N")]
    pub(crate) site_pages: Option<u64>,
    /// Stop after so long, as in 10m
    #[arg(long, value_name = "DUR")]
    pub(crate) time: Option<Span>,
    /// Links from a seed at most
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<u32>,
    /// Where links may lead: site, domain, prefix or any
    #[arg(long, value_name = "SCOPE", value_parser = parse_scope)]
    pub(crate) scope: Option<ScopeKind>,
    /// Leave this alone: a host, the beginning of addresses, or a pattern as */print/*; may be given more than once
    #[arg(long, value_name = "PATTERN")]
    pub(crate) exclude: Vec<String>,
    /// Which links: pages (those that lead readers on) or all (also what pages embed and mention)
    #[arg(long, value_name = "LINKS", value_parser = parse_follow)]
    pub(crate) follow: Option<Follow>,
    /// Which pages are rendered with Chromium: never, auto (those made by scripts) or always
    #[arg(long, value_name = "WHEN", value_parser = parse_render)]
    pub(crate) render: Option<Render>,
    /// Whether programs are sent to sites that take them: auto (where there is a key), never, or only (other
    /// sites are left)
    #[arg(long, value_name = "WHEN", value_parser = crawllet::parse_crawllets)]
    pub(crate) crawllets: Option<CrawlletMode>,
    /// Language to look for: links found on its pages come first
    #[arg(long, value_name = "LANG", value_parser = parse_lang)]
    pub(crate) lang: Option<Lang>,
    /// Keep only pages with some of that language
    #[arg(long)]
    pub(crate) store_only_lang: bool,
    /// Pause between two requests to one site, as in 2s
    #[arg(long, value_name = "DUR")]
    pub(crate) delay: Option<Span>,
    #[command(flatten)]
    pub(crate) network: NetworkOptions,
}

/// How whoever fetches meets the network.
#[derive(Debug, Default, Args)]
pub(crate) struct NetworkOptions {
    /// Exchanges at the same time
    #[arg(long, value_name = "N")]
    pub(crate) concurrency: Option<usize>,
    /// Allow private and loopback addresses
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// Proxy for all requests: http://, socks5:// or socks5h://
    #[arg(long, value_name = "URL")]
    pub(crate) proxy: Option<String>,
    /// Serve Prometheus metrics at this address while it runs, as in 127.0.0.1:9420
    #[arg(long, value_name = "ADDR")]
    pub(crate) metrics: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Address to listen on
    #[arg(long, value_name = "ADDR")]
    pub(crate) listen: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct UrlArgs {
    /// The address
    pub(crate) url: String,
}

#[derive(Debug, Args)]
pub(crate) struct Lexicon {
    /// Words
    #[arg(required_unless_present = "top", value_name = "WORD")]
    pub(crate) words: Vec<String>,
    /// The most frequent words of the index, at most 1,000
    #[arg(long, value_name = "N", conflicts_with = "words")]
    pub(crate) top: Option<usize>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Import {
    /// Documents, one JSON object {"id","url","title","text"} a line, into the index
    Jsonl(Files),
    /// Archives into the index
    Warc(Files),
    /// URLs, one a line or as `export urls` writes them, into the frontier of the next --resume
    Urls(Files),
    /// A dump of URLFrontier, one URLItem in JSON (or just a URL) a line, into the queues of other crawlers
    #[command(after_help = "Examples:\n  lycosa import urlfrontier dump.jsonl.gz\n  \
        lycosa export urlfrontier -o dump.jsonl")]
    Urlfrontier(Files),
}

#[derive(Debug, Args)]
pub(crate) struct Files {
    /// Files; - is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  lycosa export jsonl -o documents.jsonl\n  lycosa export warc -o all.warc.gz\n  \
    lycosa export graph --format gexf -o links.gexf\n  \
    lycosa export lattice --format dot --agent crawler-1 | dot -Tsvg > lattice.svg"
)]
pub(crate) struct Export {
    /// What to give out
    #[arg(value_enum)]
    pub(crate) what: ExportKind,
    /// Where to; standard output if not given
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Form of a lattice (xml, dot) or of a graph (graphml, gexf)
    #[arg(long, value_enum, default_value = "xml", value_name = "FORM")]
    pub(crate) format: LatticeForm,
    /// Only the lattice of this agent, as in crawler-1
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LatticeForm {
    /// XML
    Xml,
    /// A drawing for Graphviz
    Dot,
    /// GraphML, as graphs are without a form
    Graphml,
    /// GEXF, for Gephi
    Gexf,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ExportKind {
    /// The archive as one WARC file
    Warc,
    /// The archive's index, sorted
    Cdxj,
    /// Documents in i-Bot's XML form
    Xml,
    /// Documents, one JSON object a line
    Jsonl,
    /// URL records, one JSON object a line
    Urls,
    /// The queues of other crawlers as URLFrontier dumps them: one URLItem in JSON a line
    Urlfrontier,
    /// The links between the pages of the index
    Graph,
    /// The concept lattices of a contract-net team: what the pages of each agent have in common
    Lattice,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AgentCommand {
    /// The broker, for bots in other processes
    Broker(Box<AgentBroker>),
    /// A bot that works for a broker in another process
    Bot(AgentBot),
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    lycosa agent broker --listen 127.0.0.1:7060 https://example.org --pages 1000\n  \
    lycosa agent bot --broker http://127.0.0.1:7060 --secret-file lycosa-data/broker.secret\n\n\
    A frontier for StormCrawler and other crawlers that speak URLFrontier, with metrics at\n\
    http://127.0.0.1:7060/metrics (Ctrl-C ends; everything acknowledged is kept):\n  \
    lycosa agent broker --urlfrontier 127.0.0.1:7071")]
pub(crate) struct AgentBroker {
    #[command(flatten)]
    pub(crate) start: Start,
    /// Address for bots
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7060")]
    pub(crate) listen: String,
    /// File with the shared secret; made when there is none
    #[arg(long, value_name = "FILE")]
    pub(crate) secret_file: Option<PathBuf>,
    /// How long a bot may keep a URL
    #[arg(long, value_name = "DUR")]
    pub(crate) lease: Option<Span>,
    /// Also keep the frontiers of other crawlers: address for the URLFrontier API (gRPC)
    #[arg(long, value_name = "ADDR")]
    pub(crate) urlfrontier: Option<String>,
    #[command(flatten)]
    pub(crate) options: CrawlOptions,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  \
    lycosa agent bot --broker http://127.0.0.1:7060 --secret-file lycosa-data/broker.secret")]
pub(crate) struct AgentBot {
    /// Address of the broker
    #[arg(long, value_name = "URL")]
    pub(crate) broker: String,
    /// File with the shared secret (or the variable LYCOSA_SECRET)
    #[arg(long, value_name = "FILE")]
    pub(crate) secret_file: Option<PathBuf>,
    /// Name of the bot
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) network: NetworkOptions,
    /// Which pages are rendered with Chromium: never, auto or always
    #[arg(long, value_name = "WHEN", value_parser = parse_render)]
    pub(crate) render: Option<Render>,
    /// Do not build a search index
    #[arg(long)]
    pub(crate) no_index: bool,
    /// Do not write a web archive
    #[arg(long)]
    pub(crate) no_archive: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  lycosa replay archive.warc.gz --listen 127.0.0.1:8090\n  \
    curl --proxy http://127.0.0.1:8090 http://example.org/")]
pub(crate) struct Replay {
    /// Archives or folders
    #[arg(required = true, value_name = "WARC")]
    pub(crate) archives: Vec<PathBuf>,
    /// Address of the proxy
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8090")]
    pub(crate) listen: String,
}
