//! Did a test leave a process behind?
//!
//! Tests start real servers and kill them in the middle of their work. Every process under a
//! test run inherits one variable with a value of that run, so whatever still carries it
//! afterwards was started by a test and not stopped. It is named, ended, and the run fails:
//! a test that leaks a server would disturb the next one.

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::metadata::Workspace;
use crate::shell::{self, Run};

/// The variable that marks the processes of one run.
pub(crate) const VARIABLE: &str = "LYCOSA_TEST_RUN";

/// How long a process that was told to end may take to do so.
pub(crate) const GRACE: Duration = Duration::from_secs(2);

/// How often we look meanwhile.
const POLL: Duration = Duration::from_millis(50);

/// The mark of one test run.
#[derive(Debug)]
pub(crate) struct Mark(String);

/// A process that outlived its test.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Leftover {
    pub(crate) pid: u32,
    pub(crate) command: String,
}

impl Mark {
    /// A mark that no other run on this machine has.
    pub(crate) fn new() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(format!("{}-{}", std::process::id(), now.as_nanos()))
    }

    /// The variable to set for the run.
    pub(crate) fn env(&self) -> (OsString, OsString) {
        (VARIABLE.into(), self.0.clone().into())
    }

    /// The living processes with this mark (none where there is no `/proc`).
    pub(crate) fn living(&self) -> Vec<Leftover> {
        let Ok(entries) = std::fs::read_dir("/proc") else {
            return Vec::new();
        };
        let pids = entries.flatten().filter_map(|e| e.file_name().to_str()?.parse().ok());
        pids.filter(|pid| *pid != std::process::id()).filter_map(|pid| self.examine(pid)).collect()
    }

    /// Ends the processes with this mark that still live after `grace`, and says which.
    pub(crate) fn sweep(&self, workspace: &Workspace, grace: Duration) -> Vec<Leftover> {
        let begun = Instant::now();
        let mut found = self.living();
        while !found.is_empty() && begun.elapsed() < grace {
            std::thread::sleep(POLL);
            found = self.living();
        }
        for leftover in &found {
            // The standard library can only kill its own children; the shell can kill by number.
            let kill = format!("kill -9 {}", leftover.pid);
            shell::works(workspace, &Run::new("sh", &["-c", &kill]));
        }
        found
    }

    fn examine(&self, pid: u32) -> Option<Leftover> {
        let dir = Path::new("/proc").join(pid.to_string());
        // Other people's processes cannot be read: then they are not ours.
        let environment = std::fs::read(dir.join("environ")).ok()?;
        let wanted = format!("{VARIABLE}={}", self.0);
        environment.split(|b| *b == 0).find(|entry| *entry == wanted.as_bytes())?;
        let command = std::fs::read(dir.join("cmdline")).unwrap_or_default();
        let command = String::from_utf8_lossy(&command).replace('\0', " ");
        Some(Leftover { pid, command: command.trim().to_owned() })
    }
}

#[cfg(test)]
mod tests;
