//! What does a crawl cost, beside a plain loop that only fetches and scans?
//!
//! Part one: a static server on core 0 serves Debian's HTML manuals from memory, each crawler in
//! turn works on core 1 with 32 connections and no pause, and its CPU time per 1,000 pages is set
//! against that of the plain loop in the same run. Gate: the server writes down what each of them
//! asked for, and every page that the plain loop found must have been asked for.
//!
//! Part two: 200 sites that answer after 80 ms. Pages per second against the ceiling that the
//! number of connections gives.
//!
//! `cargo xtask bench crawl`, with `-- --help` for the options.
#![allow(clippy::print_stdout, reason = "a bench prints what it measured")]
#![allow(clippy::print_stderr, reason = "a bench says what is missing")]

mod contest;
mod folder;
mod latency;
mod measure;
mod peers;
mod scan;
mod server;

use std::path::PathBuf;
use std::process::ExitCode;

/// Connections of every crawler.
const CONNECTIONS: usize = 32;

const HELP: &str = "\
cargo xtask bench crawl [OPTIONS]

  --folder DIR      serve this folder of HTML instead of Debian's manuals
  --rounds N        rounds; the median counts (default 3)
  --only A,B        only these crawlers: scan, core, archive, all, wget2, scrapy
  --part N          only part 1 (cost) or part 2 (latency)
  --binary FILE     measure this lycosa instead of the one that was just built
  --no-install      do not install missing Debian packages
";

/// The lycosa that is measured, if it is not the one that was just built.
static BINARY: std::sync::OnceLock<String> = std::sync::OnceLock::new();

/// The lycosa that is measured.
fn binary() -> &'static str {
    BINARY.get().map_or(env!("CARGO_BIN_EXE_lycosa"), String::as_str)
}

/// What was asked for on the command line.
struct Options {
    folder: Option<PathBuf>,
    rounds: usize,
    only: Option<Vec<String>>,
    part: Option<u8>,
    install: bool,
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        // The bench starts itself again in these roles.
        ["serve", folders @ ..] => server::serve_folders(folders),
        ["serve-slow", latency, pages] => server::serve_slow(latency, pages),
        ["scan", url] => scan::run(url),
        _ => parse(&words).and_then(|options| match options {
            Some(options) => run(&options),
            None => {
                println!("{HELP}");
                Ok(())
            }
        }),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn parse(words: &[&str]) -> anyhow::Result<Option<Options>> {
    let mut options = Options { folder: None, rounds: 3, only: None, part: None, install: true };
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let mut value =
            || rest.next().copied().ok_or_else(|| anyhow::anyhow!("{word} needs a value\n{HELP}"));
        match *word {
            "--" => {}
            "--help" | "-h" => return Ok(None),
            "--folder" => options.folder = Some(value()?.into()),
            "--rounds" => options.rounds = value()?.parse::<usize>()?.max(1),
            "--only" => {
                options.only = Some(value()?.split(',').map(str::to_owned).collect());
            }
            "--part" => options.part = Some(value()?.parse()?),
            // Where `peers` looks for it.
            "--binary" => BINARY.set(value()?.to_owned()).unwrap_or_default(),
            "--no-install" => options.install = false,
            other => anyhow::bail!("unknown option `{other}`\n{HELP}"),
        }
    }
    Ok(Some(options))
}

fn run(options: &Options) -> anyhow::Result<()> {
    if options.part != Some(2) {
        contest::run(options)?;
    }
    if options.part != Some(1) {
        latency::run()?;
    }
    Ok(())
}
