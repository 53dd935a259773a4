//! Where do lines for the person go while a view has the terminal? They wait, and are printed when it has ended.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Lines that wait at most; the oldest go.
const MOST_LINES: usize = 1_000;

/// Bytes of a line at most.
const LONGEST: usize = 8_192;

/// What waits; nothing when no view has the terminal.
static HELD: Mutex<Option<Held>> = Mutex::new(None);

#[derive(Default)]
struct Held {
    lines: VecDeque<String>,
    /// Lines that were not kept.
    gone: usize,
}

fn waiting() -> MutexGuard<'static, Option<Held>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets lines wait from now on.
pub(crate) fn hold() {
    waiting().get_or_insert_default();
}

/// Whether lines wait.
pub(crate) fn is_holding() -> bool {
    waiting().is_some()
}

/// The lines that came after the first `seen`, which is moved on.
pub(crate) fn held(seen: &mut usize) -> Vec<String> {
    let waiting = waiting();
    let Some(held) = &*waiting else { return Vec::new() };
    let new = held.lines.iter().skip(seen.saturating_sub(held.gone)).cloned().collect();
    *seen = held.gone + held.lines.len();
    new
}

/// Prints what waits, and lets nothing wait any more.
pub(crate) fn release() {
    let Some(held) = waiting().take() else { return };
    let mut out = io::stderr().lock();
    if held.gone > 0 {
        drop(writeln!(out, "({} more lines before these)", held.gone));
    }
    for line in held.lines {
        // A reader that has gone away is no error.
        drop(writeln!(out, "{line}"));
    }
}

/// Standard error, or the place where lines wait. Whole lines come in one write.
pub(super) struct Errors;

impl Write for Errors {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut waiting = waiting();
        let Some(held) = &mut *waiting else { return io::stderr().write_all(bytes) };
        for line in String::from_utf8_lossy(bytes).lines() {
            if held.lines.len() == MOST_LINES {
                held.lines.pop_front();
                held.gone += 1;
            }
            held.lines.push_back(line.chars().take(LONGEST).collect());
        }
        Ok(())
    }

    fn write_fmt(&mut self, text: std::fmt::Arguments<'_>) -> io::Result<()> {
        self.write_all(text.to_string().as_bytes())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
