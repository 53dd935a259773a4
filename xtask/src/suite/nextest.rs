//! What does `cargo nextest run` say?

use super::{Reader, Tally};

/// A progress line is shown each time this many tests have ended.
const PROGRESS_EVERY: u64 = 100;

/// Words that begin the status line of a test that did not pass.
const BAD: &[&str] = &["FAIL", "TIMEOUT", "ABORT", "SIG", "XFAIL", "LEAK-FAIL", "FLAKY"];

/// Reads the status lines of nextest and, after each, the captured output of that test.
#[derive(Debug, Default)]
pub(super) struct NextestReader {
    tally: Tally,
    /// The test whose output follows: `lycosa-model tests::name`.
    test: String,
    /// True from the closing summary on: failures are shown there in full.
    closing: bool,
    summary: bool,
}

/// A line such as `PASS [   0.005s] (1/3) lycosa-model tests::fine`.
struct Status<'a> {
    word: &'a str,
    done: u64,
    of: u64,
    test: &'a str,
}

impl Reader for NextestReader {
    fn line(&mut self, line: &str) -> Vec<String> {
        let trimmed = line.trim_start();
        if self.closing {
            return vec![line.to_owned()];
        }
        if trimmed.starts_with("Summary [") {
            self.closing = true;
            self.summary = true;
            self.summarise(trimmed);
            return vec![trimmed.to_owned()];
        }
        if trimmed.starts_with("SLOW [") || line.starts_with("error") {
            return vec![trimmed.to_owned()];
        }
        if let Some(status) = status(trimmed) {
            self.test = status.test.to_owned();
            if BAD.iter().any(|bad| status.word.starts_with(bad)) {
                self.tally.failures.push(status.test.to_owned());
                return vec![trimmed.to_owned()];
            }
            if status.done.is_multiple_of(PROGRESS_EVERY) || status.done == status.of {
                return vec![format!("{} of {} tests", status.done, status.of)];
            }
            return Vec::new();
        }
        let test = std::mem::take(&mut self.test);
        self.tally.note_skip(&test, line);
        self.test = test;
        Vec::new()
    }

    fn finish(mut self: Box<Self>) -> (Tally, Vec<String>) {
        if self.summary {
            return (self.tally, Vec::new());
        }
        self.tally.failed += 1;
        (self.tally, vec!["nextest ended without a summary".to_owned()])
    }
}

impl NextestReader {
    /// `Summary [ 0.129s] 3 tests run: 2 passed (1 slow), 1 failed, 0 skipped`
    fn summarise(&mut self, line: &str) {
        let Some((head, counts)) = line.split_once(" run: ") else {
            return;
        };
        let before = |text: &str, word: &str| -> Option<u64> {
            let (number, _) = text.split_once(word)?;
            number.rsplit([' ', ']', ',']).find(|part| !part.is_empty())?.parse().ok()
        };
        // Interrupted runs say `2/3 tests run`: the first number is what ran.
        let head = head.replace('/', " / ");
        let run = head.split_once("] ").and_then(|(_, rest)| before(rest, " ")).unwrap_or(0);
        let passed = before(counts, " passed").unwrap_or(0);
        self.tally.passed = passed;
        self.tally.failed = run.saturating_sub(passed);
        // nextest says `skipped` for what `#[ignore]` and filters leave out.
        self.tally.ignored = before(counts, " skipped").unwrap_or(0);
    }
}

fn status(trimmed: &str) -> Option<Status<'_>> {
    let (word, rest) = trimmed.split_once(" [")?;
    if word.is_empty()
        || !word.chars().all(|c| c.is_ascii_uppercase() || " -0123456789".contains(c))
    {
        return None;
    }
    let (_time, rest) = rest.split_once("] (")?;
    let (count, test) = rest.split_once(") ")?;
    let (done, of) = count.split_once('/')?;
    Some(Status { word, done: done.trim().parse().ok()?, of: of.trim().parse().ok()?, test })
}

#[cfg(test)]
mod tests;
