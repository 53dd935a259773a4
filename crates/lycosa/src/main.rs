//! The `lycosa` program: the command line, the configuration, and the one place where agents are put
//! together.

mod catch_up;
mod cli;
mod commands;
mod config;
mod crawllets;
mod crew;
mod embeddings;
mod engines;
mod examples;
mod failure;
mod folder;
mod hunts;
mod interrupt;
mod metrics;
mod output;
mod progress;
mod reception;
mod single;
mod token;
mod tui;
mod units;
mod watches;
mod wordnet;

use clap::Parser;
use cli::{Cli, Command};
use failure::{Ending, Failure};
use std::process::ExitCode;

/// The system's allocator fragments under the large, aligned buffers of gzip: 5,000 archived pages held
/// 1.8 GB resident with it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return output::usage(&error),
    };
    output::log(cli.common.verbose);
    match run(cli) {
        Ok(Ending::Done) => ExitCode::SUCCESS,
        Ok(Ending::Partial) => ExitCode::from(1),
        Err(failure) => output::failure(&failure),
    }
}

fn run(cli: Cli) -> Result<Ending, Failure> {
    let common = &cli.common;
    match cli.command {
        Command::Demo(args) => commands::demo::run(common, &args),
        Command::Crawl(args) => commands::crawl::run(common, *args),
        Command::Crawllet(command) => commands::crawllet::run(common, command),
        Command::Hunt(args) => commands::hunt::run(common, *args),
        Command::Hunts(args) => commands::hunts::run(common, &args),
        Command::Steer(args) => commands::steer::run(common, &args),
        Command::Search(args) => commands::search::run(common, args),
        Command::Serve(args) => commands::serve::run(common, &args),
        Command::Mcp => commands::mcp::run(common),
        Command::Status => commands::status::run(common),
        Command::Url(args) => commands::url::run(common, &args),
        Command::Agents(args) => commands::agents::run(common, &args),
        Command::Lexicon(args) => commands::lexicon::run(common, args),
        Command::Rank => commands::rank::run(common),
        Command::Inspect(args) => commands::inspect::run(common, args),
        Command::Import(args) => commands::import::run(common, args),
        Command::Export(args) => commands::export::run(common, &args),
        Command::Agent(args) => commands::agent::run(common, args),
        Command::Watch(args) => commands::watch::run(common, args),
        Command::Replay(args) => commands::replay::run(common, &args),
        Command::Lab(args) => commands::lab::run(common, args),
    }
}
