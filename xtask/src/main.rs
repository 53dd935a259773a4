//! What does a developer type besides `cargo run`? `cargo xtask test`, and its parts.
//!
//! Everything continuous integration does is a step here, so that a green run on a desk and a
//! green run on the server mean the same thing.
#![allow(clippy::print_stdout, reason = "a command-line program: standard output is its product")]
#![allow(clippy::print_stderr, reason = "a command-line program: standard error is its product")]

mod benches;
mod fuzz;
mod guests;
mod install;
mod leftovers;
mod metadata;
mod shell;
mod steps;
mod suite;
mod tidy;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::metadata::Workspace;
use crate::steps::{Options, RunnerChoice};

const HELP: &str = "\
cargo xtask: the chores of the project

usage: cargo xtask COMMAND [OPTIONS]

commands:
  test         format check, tidy, clippy, compile tests and benches, tests, doc tests, guests
  tidy         house rules: dependency direction, links, files, licences
  docs         documentation checks: links in *.md, rustdoc with warnings denied
  fuzz         run the fuzz targets longer: `fuzz [TARGET] [--time 10m] [--seed N]`
  guests       build the WebAssembly of the crawllets; `guests --check` compares with what is committed
  bench        list the benches; `bench NAME [ARGS]` runs one with the bench profile
  help         this text

options of test:
  --only A,B        run only these steps (fmt, tidy, clippy, compile, test, doc, guests)
  --runner WHICH    nextest, cargo, or auto (nextest when it is installed; the default)
  --no-install      do not install missing outside programs; tests that need them are skipped

The complete output of the tests is kept in target/xtask/test.log. A test that cannot run here
prints a line `skipped: REASON` and returns; the summary lists all of them.
Exit status: 0 when every step passed, 1 when one failed, 2 for a wrong command line.
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let command = match parse(&words) {
        Ok(command) => command,
        Err(error) => {
            eprintln!("error: {error}\nhint: `cargo xtask help` lists the commands");
            return ExitCode::from(2);
        }
    };
    match run(command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// A command line that was understood.
#[derive(Debug, PartialEq, Eq)]
enum Command {
    Help,
    Test(Options),
    Tidy,
    Docs,
    Fuzz(fuzz::Options),
    Guests { check: bool },
    Bench { name: Option<String>, args: Vec<String> },
}

fn parse(words: &[&str]) -> Result<Command> {
    if words.iter().take_while(|w| **w != "--").any(|w| matches!(*w, "-h" | "--help")) {
        return Ok(Command::Help);
    }
    match words {
        [] | ["help"] => Ok(Command::Help),
        ["test", rest @ ..] => parse_test(rest).map(Command::Test),
        ["tidy"] => Ok(Command::Tidy),
        ["docs"] => Ok(Command::Docs),
        ["fuzz", rest @ ..] => fuzz::parse(rest).map(Command::Fuzz),
        ["guests"] => Ok(Command::Guests { check: false }),
        ["guests", "--check"] => Ok(Command::Guests { check: true }),
        ["bench"] => Ok(Command::Bench { name: None, args: Vec::new() }),
        ["bench", name, rest @ ..] => Ok(Command::Bench {
            name: Some((*name).to_owned()),
            args: rest.iter().map(|w| (*w).to_owned()).collect(),
        }),
        ["tidy" | "docs" | "guests" | "help", extra, ..] => bail!("unexpected argument `{extra}`"),
        [other, ..] => bail!("unknown command `{other}`"),
    }
}

fn parse_test(words: &[&str]) -> Result<Options> {
    let mut options = Options::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match *word {
            "--only" => match rest.next() {
                Some(list) => options.only = Some(steps::parse_list(list)?),
                None => bail!("--only needs a list of steps: {}", steps::names()),
            },
            "--runner" => match rest.next().copied() {
                Some("auto") => options.runner = RunnerChoice::Auto,
                Some("nextest") => options.runner = RunnerChoice::Nextest,
                Some("cargo") => options.runner = RunnerChoice::Cargo,
                _ => bail!("--runner needs nextest, cargo or auto"),
            },
            "--no-install" => options.install = false,
            other => bail!("unknown option `{other}`"),
        }
    }
    Ok(options)
}

/// Runs a command; `Ok(false)` means that it ran and found something wrong.
fn run(command: Command) -> Result<bool> {
    match command {
        Command::Help => {
            print!("{HELP}");
            Ok(true)
        }
        Command::Test(options) => steps::run(&Workspace::load()?, &options),
        Command::Tidy => tidy::run(&Workspace::load()?),
        Command::Docs => {
            let workspace = Workspace::load()?;
            let links = tidy::run_links(&workspace)?;
            Ok(steps::rustdoc(&workspace)? && links)
        }
        Command::Fuzz(options) => fuzz::run(&Workspace::load()?, &options),
        Command::Guests { check } => guests::run(&Workspace::load()?, check),
        Command::Bench { name, args } => benches::run(&Workspace::load()?, name.as_deref(), &args),
    }
}

#[cfg(test)]
mod tests;
