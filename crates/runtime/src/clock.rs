//! What time is it? Tokio's clock, anchored to the epoch.
//!
//! Live, it runs with the wall clock. In a replay the whole crawl lives on one runtime thread whose
//! clock is paused (see [`Clock::replay_runtime`]): time then jumps to the next timer as soon as nobody
//! has anything to do, so politeness costs no real time and the order of events depends on nothing but
//! the seed and the archive.

use lycosa_model::Tick;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::Instant;

/// Two clocks of the world do not differ by more.
const AHEAD: Duration = Duration::from_millis(100);

/// The crawl's clock. Cheap to copy; every copy tells the same time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
    /// The same moment of the world.
    world: std::time::Instant,
    epoch: Tick,
}

impl Clock {
    /// Starts now, but never earlier than `not_before`, so that records of a replay whose clock ran
    /// ahead of the wall do not come to lie in the future.
    pub fn start(not_before: Tick) -> Clock {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let wall = Tick(wall.as_millis() as u64);
        Clock {
            start: Instant::now(),
            world: std::time::Instant::now(),
            epoch: wall.max(not_before),
        }
    }

    /// The present moment.
    pub fn now(&self) -> Tick {
        self.epoch.after(self.elapsed())
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Whether it has run faster than the world, as only a virtual clock does.
    pub fn is_ahead(&self) -> bool {
        self.elapsed() > self.world.elapsed() + AHEAD
    }

    /// Waits.
    pub async fn sleep(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    /// A runtime whose clock is virtual. Everything runs on the calling thread.
    pub fn replay_runtime() -> std::io::Result<tokio::runtime::Runtime> {
        tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build()
    }
}
