//! How long did it work?

use std::time::{Duration, Instant};

/// The time that this thread worked while `work` ran; that of the wall where the system does not tell.
pub(crate) fn of(work: impl FnOnce()) -> Duration {
    let (wall, before) = (Instant::now(), worked());
    work();
    match (before, worked()) {
        (Some(before), Some(after)) => after.saturating_sub(before),
        _ => wall.elapsed(),
    }
}

/// The time that this thread has worked, as Linux counts it.
fn worked() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}
