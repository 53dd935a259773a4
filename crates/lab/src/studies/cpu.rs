//! What did it cost? CPU time, which a busy machine disturbs less than wall time.

use rustix::time::{ClockId, Timespec, clock_gettime};
use std::time::Duration;

fn duration(time: Timespec) -> Duration {
    // A clock of CPU time begins at 0 and does not go back.
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// CPU time of this thread so far.
pub fn of_thread() -> Duration {
    duration(clock_gettime(ClockId::ThreadCPUTime))
}

/// CPU time of this process so far, all threads.
pub fn of_process() -> Duration {
    duration(clock_gettime(ClockId::ProcessCPUTime))
}

/// What the work gives, and the CPU milliseconds that it took on this thread.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let began = of_thread();
    let done = work();
    (done, (of_thread() - began).as_secs_f64() * 1_000.0)
}
