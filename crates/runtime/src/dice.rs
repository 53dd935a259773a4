//! Where does chance come from? From one seed, so that a run can be repeated.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::hash::{BuildHasher, RandomState};

/// Dice for one purpose: the same seed and purpose always fall the same way, and two purposes do not
/// disturb each other.
pub fn dice(seed: u64, purpose: &str) -> ChaCha8Rng {
    // FNV-1a; only has to keep purposes apart.
    let hash = purpose
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    ChaCha8Rng::seed_from_u64(seed ^ hash)
}

/// A number that nobody can foresee or repeat: for pauses and names that must not be those of others. What is to
/// come out the same again throws [`dice`]; what is secret needs another source.
pub fn chance() -> u64 {
    RandomState::new().hash_one(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_does_not_repeat() {
        let drawn: std::collections::HashSet<u64> = (0..10_000).map(|_| chance()).collect();
        assert_eq!(drawn.len(), 10_000);
    }
}
