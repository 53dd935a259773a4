//! How do we run all tests, keep their whole output, and show a person only what matters?
//!
//! Everything goes to `target/xtask/test.log`; the console gets a line per test binary (or per
//! hundred tests under nextest) and the output of failures. A [`Reader`] understands one
//! runner's lines and counts.

mod cargo;
mod nextest;

use std::fs::File;
use std::io::Write;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::leftovers::{GRACE, Mark};
use crate::metadata::Workspace;
use crate::shell::{self, End, Run};

/// Longest time for all tests together; CI as a whole has thirty minutes.
const TEST_LIMIT: Duration = Duration::from_secs(20 * 60);

/// Longest time for the doc tests, and for those of the guests.
const DOC_LIMIT: Duration = Duration::from_secs(10 * 60);

/// How a test says that it cannot run here. By convention such a test prints one line
/// `skipped: REASON` to standard error and returns.
const SKIPPED: &str = "skipped:";

/// What a run of tests came to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) ignored: u64,
    /// Names of the tests that failed, with their binary.
    pub(crate) failures: Vec<String>,
    /// Tests that passed by saying that they cannot run here.
    pub(crate) skipped: Vec<Skip>,
}

/// A test that skipped itself.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Skip {
    pub(crate) test: String,
    pub(crate) reason: String,
}

impl Tally {
    /// Adds another run.
    pub(crate) fn add(&mut self, other: Tally) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
        self.failures.extend(other.failures);
        self.skipped.extend(other.skipped);
    }

    /// Notes `line` if it is the `skipped:` line of `test`.
    fn note_skip(&mut self, test: &str, line: &str) {
        if let Some(reason) = line.trim_start().strip_prefix(SKIPPED) {
            self.skipped.push(Skip { test: test.to_owned(), reason: reason.trim().to_owned() });
        }
    }
}

/// Understands the output of one test runner.
trait Reader {
    /// Takes the next line; returns the lines that the console should show for it.
    fn line(&mut self, line: &str) -> Vec<String>;
    /// The output is over.
    fn finish(self: Box<Self>) -> (Tally, Vec<String>);
}

/// Which program runs the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Runner {
    Cargo,
    Nextest,
}

/// Whether cargo-nextest is installed.
pub(crate) fn has_nextest(workspace: &Workspace) -> bool {
    shell::works(workspace, &Run::cargo(&["nextest", "--version"]))
}

/// Runs every unit and integration test of the workspace, after the compile step has built them.
pub(crate) fn run_tests(
    workspace: &Workspace,
    runner: Runner,
    run: &Environment,
) -> Result<Answer> {
    match runner {
        Runner::Cargo => {
            let args = ["test", "--workspace", "--tests", "--no-fail-fast", "--color=never"];
            let command = Run::cargo(&args).args(&["--", "--show-output"]);
            watch(workspace, command, TEST_LIMIT, run, Box::<cargo::CargoReader>::default())
        }
        Runner::Nextest => {
            let args = ["nextest", "run", "--workspace", "--tests", "--no-fail-fast"];
            let command = Run::cargo(&args).args(&[
                "--color=never",
                "--no-tests=pass",
                "--status-level=pass",
                "--final-status-level=fail",
                "--success-output=immediate",
                "--failure-output=final",
            ]);
            watch(workspace, command, TEST_LIMIT, run, Box::<nextest::NextestReader>::default())
        }
    }
}

/// Runs the doc tests of `packages`.
pub(crate) fn run_docs(
    workspace: &Workspace,
    packages: &[&str],
    run: &Environment,
) -> Result<Answer> {
    let mut command = Run::cargo(&["test", "--doc", "--no-fail-fast", "--color=never"]);
    for package in packages {
        command = command.args(&["--package", package]);
    }
    let command = command.args(&["--", "--show-output"]);
    watch(workspace, command, DOC_LIMIT, run, Box::<cargo::CargoReader>::default())
}

/// Runs the tests of the guests of crawllets, a workspace of its own; `place` says which and where.
pub(crate) fn run_guests(
    workspace: &Workspace,
    place: &[&str],
    run: &Environment,
) -> Result<Answer> {
    let command = Run::cargo(&["test", "--no-fail-fast", "--color=never"]).args(place);
    let command = command.args(&["--", "--show-output"]);
    watch(workspace, command, DOC_LIMIT, run, Box::<cargo::CargoReader>::default())
}

/// What a test run gets from us.
#[derive(Debug)]
pub(crate) struct Environment {
    /// Variables: the outside programs, the temporary folder.
    pub(crate) env: Vec<(std::ffi::OsString, std::ffi::OsString)>,
    /// The log of the whole output; runs are appended.
    pub(crate) log: std::path::PathBuf,
}

/// What a test run came to.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) ok: bool,
    pub(crate) tally: Tally,
}

fn watch(
    workspace: &Workspace,
    command: Run,
    limit: Duration,
    run: &Environment,
    mut reader: Box<dyn Reader>,
) -> Result<Answer> {
    let mut log = File::options().create(true).append(true).open(&run.log);
    let log = log.as_mut().map_err(|e| anyhow::anyhow!("{}: {e}", run.log.display()))?;
    let mark = Mark::new();
    let command = command.envs(&run.env).envs(&[mark.env()]);
    let end = shell::read(workspace, &command, limit, |line| {
        writeln!(log, "{line}").context("writing the log of the tests")?;
        for shown in reader.line(line) {
            println!("    {shown}");
        }
        Ok(())
    });
    // Before anything else, so that an error on our side leaves no server behind either.
    let leftovers = mark.sweep(workspace, GRACE);
    let end = end?;
    let (tally, rest) = reader.finish();
    for shown in rest {
        println!("    {shown}");
    }
    if end == End::TimedOut {
        println!("    stopped: not ready after {} s; see {}", limit.as_secs(), run.log.display());
    } else {
        for leftover in &leftovers {
            println!("    left running by a test: {} (process {})", leftover.command, leftover.pid);
        }
    }
    Ok(Answer { ok: end == End::Passed && leftovers.is_empty() && tally.failed == 0, tally })
}
