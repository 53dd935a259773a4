//! How is a score compared on disk? As a number of 32 bits that is smaller for a larger score.

use lycosa_knowledge::MOST_RELEVANT;
use lycosa_model::Rank;

/// The score of what a person named: nothing is better.
pub(crate) const SEED: f32 = 2.0 * MOST_RELEVANT;

const SIGN: u32 = 1 << 31;

/// The key of a score: the largest score has the smallest key, in the order of [`f32::total_cmp`].
pub(crate) fn key(score: f32) -> u32 {
    let bits = score.to_bits();
    let ascending = if bits >> 31 == 0 { bits | SIGN } else { !bits };
    !ascending
}

/// The score of a key.
pub(crate) fn score(rank: Rank) -> f32 {
    let ascending = !rank.key();
    f32::from_bits(if ascending & SIGN == 0 { !ascending } else { ascending & !SIGN })
}
