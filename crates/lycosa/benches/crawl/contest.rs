//! Who needs how much for the same pages?

use crate::measure::{self, Cost};
use crate::peers::{RUNNERS, Runner};
use crate::server::ASKED;
use crate::{Options, folder};
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// Addresses that differ which are shown by name.
const SHOWN: usize = 5;

/// The server in its process on core 0; it ends with this value.
pub(crate) struct Server {
    child: Child,
    pub(crate) port: u16,
}

impl Server {
    /// Starts this program again in the role that `args` name.
    pub(crate) fn start(args: &[String]) -> Result<Server> {
        let mut command = Command::new("taskset");
        command.args(["-c", "0"]).arg(std::env::current_exe()?).args(args);
        let mut child = command.stdout(Stdio::piped()).spawn().context("taskset")?;
        let mut line = String::new();
        let output = child.stdout.take().context("the server's output")?;
        BufReader::new(output).read_line(&mut line)?;
        Ok(Server { child, port: line.trim().parse().context("the server did not start")? })
    }

    /// What was asked for since the last call.
    pub(crate) fn asked(&self) -> Result<Asked> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        write!(stream, "GET {ASKED} HTTP/1.0\r\nHost: bench\r\n\r\n")?;
        let mut text = String::new();
        stream.read_to_string(&mut text)?;
        let (_, body) = text.split_once("\r\n\r\n").context("an answer")?;
        let mut lines = body.lines();
        let seconds = lines.next().unwrap_or_default().parse()?;
        let mut asked = Asked { seconds, ..Asked::default() };
        for line in lines {
            let mut words = line.splitn(3, ' ');
            let (status, count, path) = (words.next(), words.next(), words.next());
            let path = path.unwrap_or_default().to_owned();
            asked.requests += count.and_then(|count| count.parse::<u64>().ok()).unwrap_or(0);
            if status == Some("200") {
                asked.pages.insert(path);
            }
        }
        Ok(asked)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// What a crawler asked for.
#[derive(Default)]
pub(crate) struct Asked {
    /// From the first request to the last answer.
    pub(crate) seconds: f64,
    pub(crate) requests: u64,
    /// What there was.
    pub(crate) pages: BTreeSet<String>,
}

/// One crawler's results.
struct Tally {
    runner: &'static Runner,
    costs: Vec<Cost>,
    pages: usize,
    requests: u64,
    /// Kept to the end: some file systems spend a while on names that were just removed.
    dirs: Vec<tempfile::TempDir>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let folders = match &options.folder {
        Some(folder) => vec![folder.clone()],
        None => folder::manuals(options.install)?,
    };
    let files = folder::load(&folders)?;
    let html: Vec<_> =
        files.iter().filter(|(_, file)| file.content_type.starts_with("text/html")).collect();
    let bytes: usize = html.iter().map(|(_, file)| file.body.len()).sum();
    println!("{} files, {} of them HTML ({:.1} MB):", files.len(), html.len(), bytes as f64 / 1e6);
    for folder in &folders {
        println!("  {}", folder.display());
    }
    drop(files);
    let args = folders.iter().map(|folder| folder.display().to_string());
    let server =
        Server::start(&std::iter::once("serve".to_owned()).chain(args).collect::<Vec<_>>())?;
    let perf = measure::has_perf();
    let wanted = |runner: &&Runner| {
        options.only.as_ref().is_none_or(|only| only.iter().any(|name| name == runner.name))
    };
    let mut results: Vec<Tally> = Vec::new();
    for runner in RUNNERS.iter().filter(wanted) {
        if runner.is_installed() {
            results.push(Tally {
                runner,
                costs: Vec::new(),
                pages: 0,
                requests: 0,
                dirs: Vec::new(),
            });
        } else {
            println!("skipped: {} is not installed", runner.name);
        }
    }
    let mut all: Option<BTreeSet<String>> = None;
    for _ in 0..options.rounds {
        for result in &mut results {
            round(&server, result, perf, &mut all)?;
        }
    }
    show(&results);
    Ok(())
}

fn round(
    server: &Server,
    result: &mut Tally,
    perf: bool,
    all: &mut Option<BTreeSet<String>>,
) -> Result<()> {
    let dir = tempfile::tempdir()?;
    let url = format!("http://127.0.0.1:{}/", server.port);
    let command = result.runner.command(&url, dir.path())?;
    server.asked()?;
    let cost = measure::run(&command, dir.path(), perf)?;
    let asked = server.asked()?;
    let name = result.runner.name;
    let expected = all.get_or_insert_with(|| asked.pages.clone());
    let missing: Vec<_> = expected.difference(&asked.pages).collect();
    let extra: Vec<_> = asked.pages.difference(expected).collect();
    if !missing.is_empty() || !extra.is_empty() {
        let show = |paths: &[&String]| format!("{:?}", &paths[..paths.len().min(SHOWN)]);
        println!("{name}: {} not asked for {}", missing.len(), show(&missing));
        println!("{name}: {} asked for besides {}", extra.len(), show(&extra));
    }
    if !missing.is_empty() && result.runner.target.is_some() {
        let log = std::fs::read_to_string(dir.path().join("output.log")).unwrap_or_default();
        bail!("{name} did not find every page\n{log}");
    }
    result.pages = asked.pages.len();
    result.requests = asked.requests;
    result.costs.push(cost);
    result.dirs.push(dir);
    Ok(())
}

/// The middle one of some figures.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

fn show(results: &[Tally]) {
    let per_thousand = |result: &Tally, of: fn(&Cost) -> f64| {
        median(result.costs.iter().map(of).collect()) / result.pages.max(1) as f64 * 1000.0
    };
    let cpu = |cost: &Cost| cost.cpu;
    let instructions = |cost: &Cost| cost.instructions.unwrap_or(0.0) / 1e6;
    let base = results.iter().find(|result| result.runner.name == "scan");
    println!();
    println!(
        "{:8} {:>6} {:>8} {:>14} {:>6} {:>7} {:>16} {:>6}  about",
        "crawler", "pages", "requests", "CPU s/1000", "times", "target", "M instr/1000", "times"
    );
    for result in results {
        let times = |of: fn(&Cost) -> f64| match base {
            Some(base) => per_thousand(result, of) / per_thousand(base, of).max(f64::MIN_POSITIVE),
            None => 0.0,
        };
        let target = match result.runner.target {
            Some(target) => format!("{target:.1}"),
            None => "-".into(),
        };
        println!(
            "{:8} {:>6} {:>8} {:>14.4} {:>6.2} {:>7} {:>16.1} {:>6.2}  {}",
            result.runner.name,
            result.pages,
            result.requests,
            per_thousand(result, cpu),
            times(cpu),
            target,
            per_thousand(result, instructions),
            times(instructions),
            result.runner.about,
        );
    }
    let rounds: Vec<String> = results
        .iter()
        .map(|result| {
            let costs = result.costs.iter().map(|c| format!("{:.2}/{:.2}", c.cpu, c.wall));
            format!("{} {}", result.runner.name, costs.collect::<Vec<_>>().join(" "))
        })
        .collect();
    println!("\nCPU/wall seconds of each round: {}", rounds.join(", "));
}
