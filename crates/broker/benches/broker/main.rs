//! How many URLs does the broker take in, and what do they cost? The real broker on its real store,
//! driven by the messages of a bot, on one core.
//!
//! `cargo xtask bench broker [--urls 1000000,10000000,30000000] [--sites 20000] [--links 60] [--measure 6000000]
//! [--dir FOLDER] [--core N]`
//!
//! A made-up web of so many sites is crawled without network: a bot asks for leases, and reports pages
//! with links. First the store is filled with new URLs; at each size two kinds of pages are reported:
//! all links known, and nine in ten known; then leases alone; then the broker is opened again: several
//! times as after a kill, of which the slowest counts, since the journal is now longer and now shorter;
//! and after an orderly end.
//! Times are CPU time of all threads of the process, without the time to make up the pages; below each
//! rate stands the share of the threads that write and merge files; what a phase leaves to be merged is
//! waited for and counted with it. One merge may take as long as a million URLs, so a phase should be several. Memory is anonymous memory (RssAnon), less what the process had before
//! the store was opened.
#![allow(clippy::print_stdout, reason = "a bench: standard output is its product")]
#![allow(clippy::print_stderr, reason = "a bench: standard error is its product")]

mod machine;
mod web;

use lycosa_broker::{Broker, Plan, Settings};
use lycosa_frontier::ScopeKind;
use lycosa_frontier::politeness::Manners;
use lycosa_knowledge::RelevanceModel;
use lycosa_model::message::{BrokerMessage, BrokerReply, Report};
use lycosa_model::{BotId, Door, FetchKind, Lease, Outcome, Tick};
use lycosa_runtime::{Agent, Clock};
use lycosa_store::records::Records;
use machine::{Spent, Stopwatch};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use web::{Mix, Web};

/// As in the program itself.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Leases that the bot asks for, and pages that it reports, at once.
const BATCH: usize = 64;

/// Kills, and pages with links between two of them: together about as many as one journal holds.
const KILLS: usize = 12;
const LINKS_BETWEEN_KILLS: u64 = 150_000;

/// Seeds in one message.
const SEEDS: usize = 10_000;

/// The most that is promised of memory for so many URLs, and of the time to restart. A part of the memory
/// is there from the beginning.
const MANY_URLS: f64 = 10_000_000.0;
const MOST_BYTES: f64 = 40.0;
const MOST_RESTART: Duration = Duration::from_secs(2);

struct Options {
    sizes: Vec<u64>,
    sites: u32,
    links: usize,
    measure: u64,
    dir: Option<PathBuf>,
    core: Option<String>,
}

impl Options {
    fn read() -> Result<Options, String> {
        let mut options = Options {
            sizes: vec![1_000_000, 10_000_000, 30_000_000],
            sites: 20_000,
            links: 60,
            measure: 6_000_000,
            dir: None,
            core: None,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            if word == "--bench" {
                continue;
            }
            let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
            let number = || value.parse::<u64>().map_err(|_| format!("{word}: no number: {value}"));
            match word.as_str() {
                "--urls" => {
                    let sizes = value.split(',').map(|size| size.replace('_', "").parse());
                    options.sizes =
                        sizes.collect::<Result<_, _>>().map_err(|_| format!("sizes: {value}"))?;
                }
                "--sites" => options.sites = u32::try_from(number()?).map_err(|_| "too many")?,
                "--links" => options.links = usize::try_from(number()?).map_err(|_| "too many")?,
                "--measure" => options.measure = number()?,
                "--dir" => options.dir = Some(value.into()),
                "--core" => options.core = Some(value),
                _ => return Err(format!("unknown option {word}")),
            }
        }
        options.sizes.sort_unstable();
        Ok(options)
    }
}

fn main() -> ExitCode {
    match Options::read().and_then(|options| {
        if machine::pinned(options.core.as_deref())? { Ok(()) } else { run(&options) }
    }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

/// How a broker ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Killed,
    Orderly,
}

/// A broker and the bot that works for it.
struct Bench {
    runtime: tokio::runtime::Runtime,
    plan: Plan,
    broker: Broker,
    bot: BotId,
    web: Web,
    held: Vec<Lease>,
    watch: Stopwatch,
}

impl Bench {
    fn ask(&mut self, message: BrokerMessage) -> Result<BrokerReply, String> {
        match self.runtime.block_on(self.broker.handle(message)) {
            BrokerReply::Broken(why) => Err(why),
            BrokerReply::Refused(why) => Err(why.explain().into()),
            reply => Ok(reply),
        }
    }

    fn seed(&mut self, sites: u32) -> Result<(), String> {
        let all: Vec<u32> = (0..sites).collect();
        for some in all.chunks(SEEDS) {
            let urls = some.iter().map(|site| self.web.discover(*site)).collect();
            self.ask(BrokerMessage::Seeds { urls })?;
        }
        Ok(())
    }

    /// Takes leases; robots.txt are answered at once.
    fn give(&mut self) -> Result<(), String> {
        let leases = loop {
            match self.ask(BrokerMessage::GiveMe { bot: self.bot, n: BATCH })? {
                BrokerReply::Leases { finished: true, .. } => {
                    return Err("nothing is left to fetch: more --urls are needed".into());
                }
                // Every site rests: the clock is ours.
                BrokerReply::Leases { leases, ask_again_ms, .. } if leases.is_empty() => {
                    let wait = Duration::from_millis(ask_again_ms);
                    self.runtime.block_on(async { tokio::time::sleep(wait).await });
                }
                BrokerReply::Leases { leases, .. } => break leases,
                _ => return Err("give_me_n is not answered by leases".into()),
            }
        };
        let (robots, pages): (Vec<_>, Vec<_>) =
            leases.into_iter().partition(|lease| lease.kind == FetchKind::Robots);
        self.held = pages;
        let missing = |lease: &Lease| Report {
            status: 404,
            ..Report::new(lease.url_id, FetchKind::Robots, Outcome::ClientError)
        };
        let reports: Vec<Report> = robots.iter().map(missing).collect();
        if !reports.is_empty() {
            self.send(reports)?;
        }
        Ok(())
    }

    fn send(&mut self, reports: Vec<Report>) -> Result<(), String> {
        let report = BrokerMessage::Report { bot: self.bot, reports, marks: Vec::new() };
        match self.ask(report)? {
            BrokerReply::Acks(acks) if acks.iter().all(Result::is_ok) => Ok(()),
            other => Err(format!("a report is answered by {other:?}")),
        }
    }

    /// Reports pages until so many links were reported; tells the CPU time and the pages.
    fn report(&mut self, links: u64, mix: Mix) -> Result<(Spent, u64), String> {
        let (mut sent, mut pages) = (0, 0);
        self.watch.start();
        while sent < links {
            self.give()?;
            let held = std::mem::take(&mut self.held);
            pages += held.len() as u64;
            self.watch.pause();
            let reports: Vec<Report> = held.iter().map(|lease| self.web.page(lease, mix)).collect();
            self.watch.go_on();
            sent += reports.iter().map(|report| report.links.len() as u64).sum::<u64>();
            self.send(reports)?;
        }
        Ok((self.watch.finish(), pages))
    }

    /// Leases and reports of pages without links, of so many pages.
    fn leases(&mut self, pages: u64) -> Result<(Spent, u64), String> {
        let mut done = 0;
        self.watch.start();
        while done < pages {
            self.give()?;
            let held = std::mem::take(&mut self.held);
            done += held.len() as u64;
            self.watch.pause();
            let reports = held.iter().map(|lease| self.web.page(lease, Mix::Nothing)).collect();
            self.watch.go_on();
            self.send(reports)?;
        }
        Ok((self.watch.finish(), done))
    }

    /// URLs that the broker knows. All that were reported, or the figures are about something else.
    fn known(&mut self) -> Result<u64, String> {
        let BrokerReply::Status(status) = self.ask(BrokerMessage::Status)? else {
            return Err("status is not answered by one".into());
        };
        if status.known == self.web.known() {
            return Ok(status.known);
        }
        let (got, of) = (status.known, self.web.known());
        Err(format!("the broker knows {got} of {of} URLs: {:?}", status.outcomes))
    }

    /// Closes everything and opens it again; tells how long it took until a bot had leases.
    fn restart(self, dir: &std::path::Path, end: End) -> Result<(Bench, Duration, Spent), String> {
        let Bench { runtime, plan, broker, web, mut watch, .. } = self;
        if end == End::Orderly {
            plan.records.put_away().map_err(|error| error.to_string())?;
        }
        drop(broker);
        let Plan { records, clock, settings, strategy, setup, relevance, .. } = plan;
        drop(records);
        let began = Instant::now();
        watch.start();
        let records = Records::open(dir).map_err(|error| error.to_string())?;
        let plan = Plan { records, clock, settings, strategy, setup, relevance, resume: true };
        let mut bench = open(runtime, plan, web, watch)?;
        bench.give()?;
        let spent = bench.watch.stop();
        Ok((bench, began.elapsed(), spent))
    }
}

fn open(
    runtime: tokio::runtime::Runtime,
    plan: Plan,
    web: Web,
    watch: Stopwatch,
) -> Result<Bench, String> {
    let broker = runtime.block_on(async { Broker::open(plan.clone(), false) });
    if let Some(why) = broker.failure() {
        return Err(why.into());
    }
    let bot = BotId::of("bench", 1);
    let held = Vec::new();
    let mut bench = Bench { runtime, plan, broker, bot, web, held, watch };
    bench.ask(BrokerMessage::Authenticate { name: "bench".into(), pid: 1, door: Door::Inside })?;
    Ok(bench)
}

fn run(options: &Options) -> Result<(), String> {
    let temporary = tempfile::tempdir().map_err(|error| error.to_string())?;
    let dir = options.dir.clone().unwrap_or_else(|| temporary.path().join("broker"));
    let runtime = Clock::replay_runtime().map_err(|error| error.to_string())?;
    let idle = machine::anonymous_bytes();
    let records = Records::open(&dir).map_err(|error| error.to_string())?;
    let clock = runtime.block_on(async { Clock::start(Tick(1_800_000_000_000)) });
    let settings = Settings {
        manners: Manners::with_delay(Duration::ZERO),
        scope: ScopeKind::Any,
        ..Settings::default()
    };
    let plan = Plan {
        records,
        clock,
        settings,
        strategy: "breadth-first".into(),
        setup: lycosa_strategy::Setup::default(),
        relevance: RelevanceModel::default(),
        resume: false,
    };
    let web = Web::new(options.sites, options.links);
    let mut bench = open(runtime, plan, web, Stopwatch::default())?;
    bench.seed(options.sites)?;
    println!(
        "{} sites, {} links a page, {} pages in a message; CPU time of all threads",
        options.sites, options.links, BATCH
    );
    println!(
        "{:>12} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>9} {:>9} {:>9} {:>9}",
        "URLs",
        "new/s",
        "known/s",
        "mixed/s",
        "leases/s",
        "mem B/URL",
        "disk B/URL",
        "killed",
        "of CPU",
        "restart",
        "of CPU"
    );
    for size in &options.sizes {
        let missing = size.saturating_sub(bench.web.known());
        let (fill, _) = bench.report(missing, Mix::New)?;
        let (known, _) = bench.report(options.measure, Mix::Known)?;
        let (mixed, _) = bench.report(options.measure, Mix::Mixed)?;
        let (leased, pages) = bench.leases(options.measure / 50)?;
        let urls = bench.known()? as f64;
        let memory = machine::anonymous_bytes().saturating_sub(idle + bench.web.bytes()) as f64;
        let disk = machine::disk_bytes(&dir) as f64;
        let mut kills = Vec::new();
        for _ in 0..KILLS {
            bench.report(LINKS_BETWEEN_KILLS, Mix::Mixed)?;
            let (again, took, spent) = bench.restart(&dir, End::Killed)?;
            kills.push((took, spent));
            bench = again;
        }
        let slowest = kills.into_iter().max_by_key(|(_, spent)| spent.all);
        let (killed, killed_spent) = slowest.unwrap_or_default();
        let (again, took, spent) = bench.restart(&dir, End::Orderly)?;
        bench = again;
        println!(
            "{urls:>12} {:>10.0} {:>10.0} {:>10.0} {:>10.0} {:>10.1} {:>10.1} {:>8.2}s {:>8.2}s {:>8.2}s \
             {:>8.2}s",
            rate(missing, fill),
            rate(options.measure, known),
            rate(options.measure, mixed),
            rate(pages, leased),
            memory / urls,
            disk / urls,
            killed.as_secs_f64(),
            killed_spent.all.as_secs_f64(),
            took.as_secs_f64(),
            spent.all.as_secs_f64(),
        );
        let shares = [fill, known, mixed, leased, killed_spent, spent].map(share_beside);
        let [fill, known, mixed, leased, killed, again] = shares;
        print!("{:>12} {fill:>9}% {known:>9}% {mixed:>9}% {leased:>9}%", "files beside");
        println!(" {killed:>40}% {again:>18}%");
        if urls >= MANY_URLS && memory / urls > MOST_BYTES {
            println!("  more than {MOST_BYTES} bytes of memory per URL");
        }
        if spent.all.max(killed_spent.all) > MOST_RESTART {
            println!("  more than {} s of CPU time to restart", MOST_RESTART.as_secs());
        }
    }
    Ok(())
}

fn rate(count: u64, spent: Spent) -> f64 {
    count as f64 / spent.all.as_secs_f64().max(1e-9)
}

/// How much of the time threads took that write and merge files, in percent.
fn share_beside(spent: Spent) -> u64 {
    (100.0 * spent.beside.as_secs_f64() / spent.all.as_secs_f64().max(1e-9)).round() as u64
}
