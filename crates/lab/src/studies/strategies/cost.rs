//! What does a strategy hold in memory? Crawls whose strategies are all kept, and how the process grows.

use super::Field;
use super::cases::Case;
use super::measure::{LEARNED, PERMUTED, once, strategy};

/// Crawls of each strategy that are kept.
const KEPT: usize = 10;

/// Crawls that use up what the process has free already, at most, and how many must have grown it in a row
/// for that to be so.
const FILLING: usize = 40;
const GROWN: usize = 5;

/// Bytes for each fetch that can be seen: less hides in what the process has free.
const SEEN: f64 = 100.0;

/// Bytes of memory that a strategy holds at the end of a crawl, for each fetch, by the names of the systems;
/// nothing where the machine does not say, or where it is too little to be seen. The process is one, so crawls are made one after the other, and
/// what they leave is kept until the last: else one would use what another gave back.
pub(super) fn held(field: &Field<'_>, cases: &[Case], systems: &[String]) -> Vec<Option<f64>> {
    let mut kept = Vec::new();
    let mut crawl = |name: &str, case: &Case, run: usize| {
        let mut strategy = strategy(field, name, case, run as u64)?;
        let fetches = once(field, name, case, &mut *strategy).fetches.len();
        kept.push(strategy);
        Some(fetches)
    };
    let mut grown = 0;
    for (run, case) in cases.iter().cycle().take(FILLING).enumerate() {
        let before = resident();
        crawl(LEARNED, case, run);
        grown = if resident() > before { grown + 1 } else { 0 };
        if grown == GROWN {
            break;
        }
    }
    let mut of_system = |name: &String| {
        if name.starts_with(PERMUTED) {
            return None;
        }
        let (before, mut fetches) = (resident()?, 0);
        for case in cases.iter().rev().take(KEPT) {
            fetches += crawl(name, case, 0)?;
        }
        let grown = resident()?.saturating_sub(before);
        let held = grown as f64 / fetches.max(1) as f64;
        (held >= SEEN).then_some(held)
    };
    systems.iter().map(&mut of_system).collect()
}

/// Bytes of this process that are in memory.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(1_024 * kilobytes)
}
