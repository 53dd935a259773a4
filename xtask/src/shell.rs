//! How is an outside program run: shown, or read line by line with a time limit?

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::metadata::Workspace;

/// Lines that may wait between the program and us; then the program waits.
const LINES_IN_FLIGHT: usize = 1024;

/// How often a running program is looked at when it prints nothing.
const POLL: Duration = Duration::from_millis(100);

/// How long we read on after the program ended, if something else holds its output open.
const AFTER_THE_END: Duration = Duration::from_secs(2);

/// The cargo that runs us, so that nested calls use the same toolchain.
pub(crate) fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// A command line with its additions to the environment.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    program: OsString,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
}

impl Run {
    /// A program found by `PATH`, or by its path.
    pub(crate) fn new(program: impl Into<OsString>, args: &[&str]) -> Self {
        let args = args.iter().map(OsString::from).collect();
        Self { program: program.into(), args, env: Vec::new() }
    }

    /// A cargo command.
    pub(crate) fn cargo(args: &[&str]) -> Self {
        Self::new(cargo(), args)
    }

    /// The same command with more arguments.
    pub(crate) fn args<S: AsRef<str>>(mut self, args: &[S]) -> Self {
        self.args.extend(args.iter().map(|a| OsString::from(a.as_ref())));
        self
    }

    /// The same command with one more variable.
    pub(crate) fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// The same command with more variables.
    pub(crate) fn envs(mut self, env: &[(OsString, OsString)]) -> Self {
        self.env.extend_from_slice(env);
        self
    }

    /// What a person would type, with `cargo` for the full path of cargo.
    pub(crate) fn shown(&self) -> String {
        let program = if self.program == cargo() { "cargo".into() } else { self.program.clone() };
        let words = std::iter::once(&program).chain(&self.args);
        words.map(|w| w.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
    }

    fn command(&self, workspace: &Workspace) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.args).envs(self.env.iter().map(|(k, v)| (k, v)));
        command.current_dir(&workspace.root).stdin(Stdio::null());
        command
    }
}

/// Runs with our own output and waits for the end.
pub(crate) fn show(workspace: &Workspace, run: &Run) -> Result<ExitStatus> {
    println!("    $ {}", run.shown());
    run.command(workspace).status().with_context(|| format!("starting {}", run.shown()))
}

/// Whether the command can be started and succeeds; its output is thrown away.
pub(crate) fn works(workspace: &Workspace, run: &Run) -> bool {
    let mut command = run.command(workspace);
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|s| s.success())
}

/// How a program that was read line by line ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Passed,
    Failed,
    /// It ran longer than its limit and was killed.
    TimedOut,
}

/// Runs and hands every line of standard output and standard error, in their true order, to
/// `on_line`. Ends when the program ends, even if one of its children still holds the output.
pub(crate) fn read(
    workspace: &Workspace,
    run: &Run,
    limit: Duration,
    mut on_line: impl FnMut(&str) -> Result<()>,
) -> Result<End> {
    println!("    $ {}", run.shown());
    let started = Instant::now();
    let (mut child, lines) = spawn(workspace, run)?;
    let status = loop {
        match lines.recv_timeout(POLL) {
            Ok(line) => on_line(&line)?,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(POLL),
        }
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if started.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(End::TimedOut);
        }
    };
    let ended = Instant::now();
    while let Some(left) = AFTER_THE_END.checked_sub(ended.elapsed()) {
        match lines.recv_timeout(left) {
            Ok(line) => on_line(&line)?,
            Err(_) => break,
        }
    }
    Ok(if status.success() { End::Passed } else { End::Failed })
}

/// Starts the program with both outputs on one pipe, and a thread that cuts it into lines.
fn spawn(workspace: &Workspace, run: &Run) -> Result<(Child, Receiver<String>)> {
    let (reader, writer) = std::io::pipe().context("making a pipe")?;
    let mut command = run.command(workspace);
    command.stdout(writer.try_clone()?).stderr(writer);
    let child = command.spawn().with_context(|| format!("starting {}", run.shown()))?;
    // Our copies of the writing end live in `command`; the pipe can only end without them.
    drop(command);
    let (send, lines) = sync_channel(LINES_IN_FLIGHT);
    std::thread::spawn(move || {
        let mut reader = BufReader::new(reader);
        let mut line = Vec::new();
        while matches!(reader.read_until(b'\n', &mut line), Ok(n) if n > 0) {
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            line.clear();
            if send.send(text).is_err() {
                break;
            }
        }
    });
    Ok((child, lines))
}

#[cfg(test)]
mod tests;
