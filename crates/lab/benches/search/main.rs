//! What do indexing and searching cost, beside tantivy alone?
//!
//! Part one: the same pages with the same fields go into our index and into one of tantivy alone, in turn;
//! CPU time of all threads. Gate: both hold all pages, and words stand in as many pages by both.
//!
//! Part two: an index of 50,000 pages is asked 2,000 queries for ten results with snippets; CPU time of
//! each. Gate: a page that the words of a query were taken from matches it. Tantivy alone answers the
//! words of the same queries.
//!
//! Part three: 10,000 random and malformed queries on the same index. Gate: none is an error.
//!
//! `cargo xtask bench search`, with `-- --help` for the options.
#![allow(clippy::print_stdout, reason = "a bench prints what it measured")]
#![allow(clippy::print_stderr, reason = "a bench says what is missing")]

mod asking;
mod hostile;
mod indexing;
mod pages;
mod peer;
mod queries;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

/// Whatever went wrong, in words.
type Failure = Box<dyn Error>;

const HELP: &str = "\
cargo xtask bench search [-- OPTIONS]

  --warc FILE       pages of this archive (may be repeated; default: ../shared/web/dev-*.warc.gz)
  --part N          only part 1 (indexing), 2 (queries) or 3 (malformed queries)
  --pages N         pages in the index of parts 2 and 3 (default 50000)
  --index-pages N   pages of part 1 (default 6000)
  --rounds N        rounds of part 1; the best one counts (default 3)
  --queries N       queries of part 2 (default 2000)
  --malformed N     queries of part 3 (default 10000)
  --seed N          seed of whatever is drawn (default 7)
";

/// What was asked for on the command line.
struct Options {
    archives: Vec<PathBuf>,
    part: Option<u8>,
    pages: usize,
    index_pages: usize,
    rounds: usize,
    queries: usize,
    malformed: usize,
    seed: u64,
}

fn main() -> ExitCode {
    match parse().and_then(|options| options.map_or(Ok(()), |options| run(&options))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn parse() -> Result<Option<Options>, Failure> {
    let mut options = Options {
        archives: Vec::new(),
        part: None,
        pages: 50_000,
        index_pages: 6_000,
        rounds: 3,
        queries: 2_000,
        malformed: 10_000,
        seed: 7,
    };
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench" && arg != "--");
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value\n{HELP}"));
        match arg.as_str() {
            "--help" | "-h" => {
                println!("{HELP}");
                return Ok(None);
            }
            "--warc" => options.archives.push(value()?.into()),
            "--part" => options.part = Some(value()?.parse()?),
            "--pages" => options.pages = value()?.parse()?,
            "--index-pages" => options.index_pages = value()?.parse()?,
            "--rounds" => options.rounds = value()?.parse::<usize>()?.max(1),
            "--queries" => options.queries = value()?.parse()?,
            "--malformed" => options.malformed = value()?.parse()?,
            "--seed" => options.seed = value()?.parse()?,
            other => return Err(format!("unknown option `{other}`\n{HELP}").into()),
        }
    }
    Ok(Some(options))
}

fn run(options: &Options) -> Result<(), Failure> {
    let archives = match options.archives.is_empty() {
        true => pages::shared()?,
        false => options.archives.clone(),
    };
    let is_wanted = |part: u8| options.part.is_none_or(|only| only == part);
    let need = match is_wanted(2) || is_wanted(3) {
        true => options.pages.max(options.index_pages),
        false => options.index_pages,
    };
    let real = pages::read(&archives, need)?;
    if is_wanted(1) {
        let some = &real[..real.len().min(options.index_pages)];
        indexing::run(some, options.rounds)?;
    }
    if is_wanted(2) || is_wanted(3) {
        let count = real.len();
        let all = pages::grown(real, options.pages, options.seed);
        println!("\n{} pages, {count} of them as they are and the others crossed", all.len());
        let index = asking::Ours::build(&all)?;
        if is_wanted(2) {
            asking::run(&index, &all, options)?;
        }
        if is_wanted(3) {
            hostile::run(&index.searcher, &all, options)?;
        }
    }
    Ok(())
}
