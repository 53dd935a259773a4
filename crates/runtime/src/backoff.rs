//! How long is waited before the next try?

use crate::dice::chance;
use std::time::Duration;
use tokio::time::Instant;

/// Pauses that grow, with some chance in them, so that many who failed together do not come back together.
#[derive(Debug)]
pub struct Backoff {
    next: Duration,
    longest: Duration,
    end: Instant,
}

impl Backoff {
    /// Pauses that begin with `first`, double up to `longest`, and end when `patience` has passed.
    pub fn new(first: Duration, longest: Duration, patience: Duration) -> Backoff {
        Backoff { next: first, longest, end: Instant::now() + patience }
    }

    /// Time that is left.
    pub fn left(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }

    /// Waits; false, and at once, when there is no time left for another try.
    pub async fn pause(&mut self) -> bool {
        let pause = jitter(self.next);
        self.next = (self.next * 2).min(self.longest);
        if self.left() <= pause {
            return false;
        }
        tokio::time::sleep(pause).await;
        true
    }

    /// The pause before one try, the first being number 0, for those who are told the number.
    pub fn nth(first: Duration, longest: Duration, number: usize) -> Duration {
        let doublings = u32::try_from(number).unwrap_or(u32::MAX).min(16);
        jitter((first * 2_u32.pow(doublings)).min(longest))
    }
}

fn jitter(pause: Duration) -> Duration {
    // Between a half and the whole of it.
    pause.mul_f64(0.5 + 0.5 * (chance() as f64 / u64::MAX as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn pauses_grow_and_end_with_the_patience() {
        let (first, longest) = (Duration::from_millis(20), Duration::from_secs(1));
        let begin = Instant::now();
        let mut backoff = Backoff::new(first, longest, Duration::from_secs(10));
        let mut pauses = Vec::new();
        loop {
            let before = Instant::now();
            if !backoff.pause().await {
                break;
            }
            pauses.push(before.elapsed());
        }
        assert!(begin.elapsed() <= Duration::from_secs(10), "{pauses:?}");
        assert!(begin.elapsed() >= Duration::from_secs(8), "{pauses:?}");
        assert!(pauses[0] <= first * 2 && pauses.iter().all(|pause| *pause <= longest * 2));
        assert!((10..40).contains(&pauses.len()), "{}", pauses.len());
        assert!(Backoff::nth(first, longest, 1000) <= longest);
        assert!(Backoff::nth(first, longest, 0) <= first);
    }
}
