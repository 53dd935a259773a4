//! What does `cargo xtask test` do, in which order, and what does it say at the end?
//!
//! Cheap steps come first, so that a small slip shows in seconds. All steps use the dev profile
//! and one target folder: clippy needs the metadata of every dependency and the tests need their
//! code, and neither is built twice. A failing step does not stop the others, except that tests
//! that do not compile cannot run.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::guests;
use crate::install::{self, Outside};
use crate::metadata::Workspace;
use crate::shell::{self, Run};
use crate::suite::{self, Environment, Runner, Tally};
use crate::tidy;

/// One step of the test command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Fmt,
    Tidy,
    Clippy,
    Compile,
    Test,
    Doc,
    Guests,
}

impl Step {
    /// All steps, in their order.
    pub(crate) const ALL: [Step; 7] =
        [Step::Fmt, Step::Tidy, Step::Clippy, Step::Compile, Step::Test, Step::Doc, Step::Guests];

    /// The word for `--only` and the summary.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Step::Fmt => "fmt",
            Step::Tidy => "tidy",
            Step::Clippy => "clippy",
            Step::Compile => "compile",
            Step::Test => "test",
            Step::Doc => "doc",
            Step::Guests => "guests",
        }
    }
}

/// All step names, for messages.
pub(crate) fn names() -> String {
    Step::ALL.map(Step::name).join(", ")
}

/// Reads `fmt,tidy`.
pub(crate) fn parse_list(list: &str) -> Result<Vec<Step>> {
    let one = |word: &str| match Step::ALL.into_iter().find(|step| step.name() == word) {
        Some(step) => Ok(step),
        None => bail!("no step is called `{word}`; there are {}", names()),
    };
    list.split(',').map(str::trim).map(one).collect()
}

/// Which test runner was asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum RunnerChoice {
    /// nextest when it is installed, else cargo.
    #[default]
    Auto,
    Nextest,
    Cargo,
}

/// The options of `cargo xtask test`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// Only these steps; all when `None`.
    pub(crate) only: Option<Vec<Step>>,
    pub(crate) runner: RunnerChoice,
    /// Whether missing outside programs may be installed.
    pub(crate) install: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { only: None, runner: RunnerChoice::Auto, install: true }
    }
}

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Ok,
    Failed,
    /// It could not run because an earlier step failed.
    NotRun,
}

/// What the summary is made from.
#[derive(Debug, Default)]
struct Protocol {
    steps: Vec<(Step, Verdict, Duration)>,
    tally: Tally,
    missing: Vec<String>,
}

/// Runs the steps and prints the summary; true when every step passed.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<bool> {
    let started = Instant::now();
    let mut protocol = Protocol::default();
    install::components(workspace, options.install)?;
    // The log is of this run alone; the steps append to it.
    let log = environment(workspace)?.log;
    std::fs::File::create(&log).with_context(|| format!("making {}", log.display()))?;
    for step in Step::ALL {
        if options.only.as_ref().is_some_and(|only| !only.contains(&step)) {
            continue;
        }
        println!("==> {}", step.name());
        let begun = Instant::now();
        let verdict = match one(workspace, options, step, &mut protocol) {
            Ok(verdict) => verdict,
            Err(error) => {
                println!("    error: {error:#}");
                Verdict::Failed
            }
        };
        let took = begun.elapsed();
        println!("    {} {} in {:.1} s\n", step.name(), word(verdict), took.as_secs_f64());
        protocol.steps.push((step, verdict, took));
    }
    let (text, ok) = protocol.summary(started.elapsed());
    print!("{text}");
    Ok(ok)
}

fn one(
    workspace: &Workspace,
    options: &Options,
    step: Step,
    protocol: &mut Protocol,
) -> Result<Verdict> {
    let ok = match step {
        Step::Fmt => shell::show(workspace, &Run::cargo(&["fmt", "--all", "--check"]))?.success(),
        Step::Tidy => tidy::run(workspace)?,
        Step::Clippy => {
            let run = Run::cargo(&["clippy", "--workspace", "--all-targets"]);
            shell::show(workspace, &run.args(&["--", "-D", "warnings"]))?.success()
        }
        Step::Compile => {
            // `cargo bench --no-run` would build every dependency again with optimisation. In
            // the test profile the benches are compiled and linked for the price of themselves.
            let args = ["test", "--workspace", "--tests", "--benches", "--no-run"];
            shell::show(workspace, &Run::cargo(&args))?.success()
        }
        Step::Test | Step::Doc if protocol.failed(Step::Compile) => return Ok(Verdict::NotRun),
        Step::Test => tests(workspace, options, protocol)?,
        Step::Doc => doc_tests(workspace, protocol)?,
        Step::Guests => {
            // A workspace of its own, which none of the steps before has seen.
            let answer = guests::test(workspace, &environment(workspace)?)?;
            protocol.tally.add(answer.tally);
            answer.ok
        }
    };
    Ok(if ok { Verdict::Ok } else { Verdict::Failed })
}

fn tests(workspace: &Workspace, options: &Options, protocol: &mut Protocol) -> Result<bool> {
    let Outside { env, missing } = install::outside(workspace, options.install)?;
    for sentence in &missing {
        println!("    {sentence}");
    }
    protocol.missing.extend(missing);
    let runner = match options.runner {
        RunnerChoice::Cargo => Runner::Cargo,
        RunnerChoice::Nextest => Runner::Nextest,
        RunnerChoice::Auto if suite::has_nextest(workspace) => Runner::Nextest,
        RunnerChoice::Auto => Runner::Cargo,
    };
    let mut environment = environment(workspace)?;
    environment.env.extend(env);

    // Servers that tests need are started by the tests, each on a free port. Their folders are
    // under one of ours: a test that is killed cannot remove its own.
    let temporary = workspace.scratch()?.join("tmp");
    remake(&temporary)?;
    environment.env.push(("TMPDIR".into(), temporary.clone().into()));
    let answer = suite::run_tests(workspace, runner, &environment);
    std::fs::remove_dir_all(&temporary).context("removing the temporary folder of the tests")?;
    let answer = answer?;
    protocol.tally.add(answer.tally);
    Ok(answer.ok)
}

/// Only crates with examples in their documentation are asked: rustdoc reads a whole crate to
/// find that it has none.
fn doc_tests(workspace: &Workspace, protocol: &mut Protocol) -> Result<bool> {
    let tree = tidy::Tree::read(&workspace.root)?;
    let packages: Vec<&str> = workspace
        .packages
        .iter()
        .filter(|p| p.targets.iter().any(|t| t.kinds.iter().any(|k| k == "lib")))
        .filter(|p| tree.has_doc_examples(p.manifest.trim_end_matches("Cargo.toml")))
        .map(|p| p.name.as_str())
        .collect();
    if packages.is_empty() {
        println!("    no crate has doc tests");
        return Ok(true);
    }
    let answer = suite::run_docs(workspace, &packages, &environment(workspace)?)?;
    protocol.tally.add(answer.tally);
    Ok(answer.ok)
}

fn environment(workspace: &Workspace) -> Result<Environment> {
    Ok(Environment { env: Vec::new(), log: workspace.scratch()?.join("test.log") })
}

fn remake(dir: &std::path::Path) -> Result<()> {
    if dir.exists() {
        std::fs::remove_dir_all(dir).with_context(|| format!("removing {}", dir.display()))?;
    }
    std::fs::create_dir_all(dir).with_context(|| format!("making {}", dir.display()))
}

/// Builds the documentation of our own crates with warnings denied.
pub(crate) fn rustdoc(workspace: &Workspace) -> Result<bool> {
    let run = Run::cargo(&["doc", "--workspace", "--no-deps", "--document-private-items"]);
    Ok(shell::show(workspace, &run.env("RUSTDOCFLAGS", "-D warnings"))?.success())
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Ok => "ok",
        Verdict::Failed => "FAILED",
        Verdict::NotRun => "not run",
    }
}

impl Protocol {
    fn failed(&self, step: Step) -> bool {
        self.steps.iter().any(|(s, verdict, _)| *s == step && *verdict != Verdict::Ok)
    }

    /// The text at the end, and whether all is well. The last line has the form of cargo's own,
    /// summed over all test binaries, so that people and programs find it where they look.
    fn summary(&self, took: Duration) -> (String, bool) {
        let ok = self.steps.iter().all(|(_, verdict, _)| *verdict == Verdict::Ok);
        let mut lines = vec!["==> summary".to_owned()];
        for (step, verdict, took) in &self.steps {
            let (name, word) = (step.name(), word(*verdict));
            lines.push(format!("    {name:8} {word:8} {:7.1} s", took.as_secs_f64()));
        }
        let tally = &self.tally;
        let mut section = |title: String, entries: Vec<String>| {
            if !entries.is_empty() {
                lines.push(title);
                lines.extend(entries.into_iter().map(|entry| format!("    {entry}")));
            }
        };
        section("not installed:".to_owned(), self.missing.clone());
        let skipped = tally.skipped.iter().map(|s| format!("{}: {}", s.test, s.reason)).collect();
        section(format!("skipped tests ({}):", tally.skipped.len()), skipped);
        section(format!("failed tests ({}):", tally.failures.len()), tally.failures.clone());
        let bad = self.steps.iter().filter(|(_, verdict, _)| *verdict != Verdict::Ok);
        section("failed steps:".to_owned(), bad.map(|(s, ..)| s.name().to_owned()).collect());
        lines.push(format!(
            "test result: {}. {} passed; {} failed; {} ignored; 0 measured; 0 filtered out; \
             finished in {:.2}s",
            if ok { "ok" } else { "FAILED" },
            tally.passed,
            tally.failed,
            tally.ignored,
            took.as_secs_f64()
        ));
        (lines.join("\n") + "\n", ok)
    }
}

#[cfg(test)]
mod tests;
