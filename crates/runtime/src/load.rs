//! How busy is the processor with us? The CPU time of all threads of this process, as a share of the
//! cores that it may use.
//!
//! Time in which a thread could run and had to wait for a core counts as well: a crawl on a machine that
//! others use is limited by the processor although it gets only a part of it. The figures come from the
//! kernel (`/proc`); where there is none, nothing is said.

use std::collections::VecDeque;
use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The share is taken over this long, so that it says how things are and not how they were.
const WINDOW: Duration = Duration::from_secs(10);

/// Pause between two samples.
const PAUSE: Duration = Duration::from_secs(1);

/// A share over less time than this is noise.
const LEAST: Duration = Duration::from_millis(200);

/// The CPU time of this process, sampled while its agents work.
pub(crate) struct Load {
    born: Instant,
    /// Milliseconds after birth at which the next sample is due.
    due: AtomicU64,
    samples: Mutex<VecDeque<Sample>>,
}

#[derive(Clone, Copy, Debug)]
struct Sample {
    at: Instant,
    wanted: Duration,
}

impl Default for Load {
    fn default() -> Load {
        let load = Load {
            born: Instant::now(),
            due: AtomicU64::new(0),
            samples: Mutex::new(VecDeque::new()),
        };
        load.tick();
        load
    }
}

impl Load {
    /// Takes a sample when one is due. Cheap otherwise, so it may be called for every message.
    pub(crate) fn tick(&self) {
        let now = self.born.elapsed().as_millis() as u64;
        let due = self.due.load(Ordering::Relaxed);
        let next = now + PAUSE.as_millis() as u64;
        if now >= due
            && self.due.compare_exchange(due, next, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        {
            self.sample();
        }
    }

    /// The share of the available cores that this process kept busy lately, from 0 to 1; nothing where
    /// the system does not tell, or when there was no time to measure.
    pub(crate) fn share(&self) -> Option<f64> {
        self.sample();
        let samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        let (first, last) = (samples.front()?, samples.back()?);
        let passed = last.at.duration_since(first.at);
        if passed < LEAST {
            return None;
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from) as f64;
        // Threads that ended take their time with them.
        let wanted = last.wanted.saturating_sub(first.wanted).as_secs_f64();
        Some((wanted / (passed.as_secs_f64() * cores)).min(1.0))
    }

    fn sample(&self) {
        let Some(wanted) = wanted() else { return };
        let now = Instant::now();
        let mut samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        samples.push_back(Sample { at: now, wanted });
        while samples.len() > 2 && now.duration_since(samples[1].at) >= WINDOW {
            samples.pop_front();
        }
        // Whoever asks often must not make the window longer than it has room for.
        while samples.len() > 64 {
            samples.remove(1);
        }
    }
}

/// CPU time that the threads of this process had or waited for.
fn wanted() -> Option<Duration> {
    let mut total = Duration::ZERO;
    for thread in fs::read_dir("/proc/self/task").ok()?.flatten() {
        // A thread that has just ended has no file any more.
        let Ok(text) = fs::read_to_string(thread.path().join("schedstat")) else { continue };
        let mut numbers = text.split_ascii_whitespace().map(|word| word.parse::<u64>());
        if let (Some(Ok(ran)), Some(Ok(waited))) = (numbers.next(), numbers.next()) {
            total += Duration::from_nanos(ran.saturating_add(waited));
        }
    }
    (!total.is_zero()).then_some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[allow(clippy::print_stderr, reason = "the runner of the tests collects these lines")]
    #[test]
    fn a_thread_that_works_all_the_time_is_seen() {
        let load = Load::default();
        if load.samples.lock().expect("lock").is_empty() {
            eprintln!("skipped: this system does not tell the CPU time of threads");
            return;
        }
        let began = Instant::now();
        let mut number = 1_u64;
        while began.elapsed() < Duration::from_millis(600) {
            for _ in 0..10_000 {
                number = std::hint::black_box(number.wrapping_mul(31).wrapping_add(7));
            }
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from) as f64;
        let share = load.share().expect("half a second was measured");
        assert!(share > 0.5 / cores, "{share} of {cores} cores");
        assert!(share <= 1.0, "{share}");
    }
}
