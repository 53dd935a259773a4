//! Where does chance come from? From one seed, so that a run can be repeated.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Dice for one purpose: the same seed and purpose always fall the same way, and two purposes do not
/// disturb each other.
pub fn dice(seed: u64, purpose: &str) -> ChaCha8Rng {
    // FNV-1a; only has to keep purposes apart.
    let hash = purpose
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    ChaCha8Rng::seed_from_u64(seed ^ hash)
}
