//! Chance that can be put into a suitcase: eight bytes of state, the same falls wherever it goes on.

use serde::{Deserialize, Serialize};

/// SplitMix64 (Steele, Lea and Flood, 2014): small enough for an agent to carry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dice(u64);

impl Dice {
    /// Equal seeds give equal falls.
    pub fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// The next number, of all 64 bits.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A place below `count`; 0 of nothing. The bias is below `count` in 2^64.
    pub fn below(&mut self, count: usize) -> usize {
        let wide = u128::from(self.number()) * count as u128;
        (wide >> 64) as usize
    }

    /// From 0 to 1, without 1.
    pub fn share(&mut self) -> f64 {
        (self.number() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Around 0 with a deviation of 1: the sum of twelve shares, which is near enough to a bell.
    pub fn bell(&mut self) -> f64 {
        (0..12).map(|_| self.share()).sum::<f64>() - 6.0
    }

    /// Dice for somebody else, whose falls have nothing to do with these.
    pub fn split(&mut self) -> Dice {
        Dice(self.number())
    }
}
