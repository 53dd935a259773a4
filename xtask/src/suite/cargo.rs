//! What does `cargo test -- --show-output` say?

use std::collections::VecDeque;

use super::{Reader, Tally};

/// Lines of a binary that are kept in case it dies without a result.
const LAST_LINES: usize = 40;

/// Reads the output of libtest, one binary after the other.
#[derive(Debug, Default)]
pub(super) struct CargoReader {
    tally: Tally,
    /// The binary that runs, for people: `lycosa_model (unittests src/lib.rs)`.
    binary: String,
    /// The test whose captured output is being printed.
    test: String,
    /// The section about failures, shown when the binary ends.
    failures: Vec<String>,
    part: Part,
    /// The last lines of a binary without a result so far.
    last: VecDeque<String>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// No test binary is running: what cargo itself says.
    #[default]
    Between,
    Tests,
    Successes,
    Failures,
}

impl Reader for CargoReader {
    fn line(&mut self, line: &str) -> Vec<String> {
        if let Some(binary) = binary_name(line) {
            let shown = self.abandon();
            self.binary = binary;
            self.part = Part::Tests;
            return shown;
        }
        if self.part == Part::Between {
            // A binary that died is explained by cargo after the fact.
            let told = line.starts_with("error") || line.starts_with("Caused by");
            return if told || line.contains("signal:") { vec![line.to_owned()] } else { vec![] };
        }
        if line.starts_with("error: ") && line.contains("to rerun pass") {
            let mut shown = self.abandon();
            shown.push(line.to_owned());
            return shown;
        }
        if let Some(result) = line.strip_prefix("test result: ") {
            return self.result(result);
        }
        self.inside(line)
    }

    fn finish(mut self: Box<Self>) -> (Tally, Vec<String>) {
        let shown = self.abandon();
        (self.tally, shown)
    }
}

impl CargoReader {
    /// A line between the start of a binary and its result.
    fn inside(&mut self, line: &str) -> Vec<String> {
        if self.last.len() == LAST_LINES {
            self.last.pop_front();
        }
        self.last.push_back(line.to_owned());
        match line {
            "successes:" => self.part = Part::Successes,
            "failures:" => self.part = Part::Failures,
            _ => {}
        }
        if let Some(name) = line.strip_prefix("---- ").and_then(|l| l.strip_suffix(" stdout ----"))
        {
            self.test = name.to_owned();
        }
        match self.part {
            Part::Tests => {
                let name = line.strip_prefix("test ");
                if let Some(name) = name.and_then(|l| l.strip_suffix(" ... FAILED")) {
                    self.tally.failures.push(format!("{}: {name}", self.binary));
                } else if line.contains("has been running for over") {
                    return vec![line.to_owned()];
                }
            }
            Part::Successes => {
                let test = format!("{}: {}", self.binary, self.test);
                self.tally.note_skip(&test, line);
            }
            Part::Failures => self.failures.push(line.to_owned()),
            Part::Between => {}
        }
        Vec::new()
    }

    /// The closing line of a binary: `ok. 12 passed; 0 failed; 1 ignored; …; finished in 0.02s`.
    fn result(&mut self, result: &str) -> Vec<String> {
        let count = |word: &str| -> u64 {
            let part = result.split([';', '.']).map(str::trim).find_map(|p| p.strip_suffix(word));
            part.and_then(|n| n.trim().parse().ok()).unwrap_or(0)
        };
        let (passed, failed, ignored) = (count("passed"), count("failed"), count("ignored"));
        self.tally.passed += passed;
        self.tally.failed += failed;
        self.tally.ignored += ignored;
        let mut shown = std::mem::take(&mut self.failures);
        if passed + failed + ignored > 0 {
            let time = result.rsplit("finished in ").next().unwrap_or_default();
            let failed = if failed > 0 { format!(", {failed} FAILED") } else { String::new() };
            shown.push(format!("{}: {passed} passed{failed} in {time}", self.binary));
        }
        self.part = Part::Between;
        self.last.clear();
        shown
    }

    /// Closes a binary that ended without a result: it was aborted or killed.
    fn abandon(&mut self) -> Vec<String> {
        if self.part == Part::Between {
            return Vec::new();
        }
        self.part = Part::Between;
        self.failures.clear();
        self.tally.failed += 1;
        self.tally.failures.push(format!("{}: ended without a result", self.binary));
        let mut shown = vec![format!("{}: ended without a result; its last lines:", self.binary)];
        shown.extend(self.last.drain(..));
        shown
    }
}

/// The name in `Running unittests src/lib.rs (target/debug/deps/name-0123)` or `Doc-tests name`.
fn binary_name(line: &str) -> Option<String> {
    let line = line.strip_prefix("   ")?.trim_start();
    if let Some(name) = line.strip_prefix("Doc-tests ") {
        return Some(format!("{name} (doc tests)"));
    }
    let (what, file) = line.strip_prefix("Running ")?.strip_suffix(')')?.rsplit_once(" (")?;
    let stem = file.rsplit('/').next()?;
    let name = stem.rsplit_once('-').map_or(stem, |(name, _hash)| name);
    Some(format!("{name} ({what})"))
}

#[cfg(test)]
mod tests;
