//! Does any input break it? Runs a function on inputs made by changing good ones.
//!
//! A target is a test that calls [`Fuzz::run`] with a function that takes any bytes. See the README.

mod dice;
mod mutate;
mod time;

use dice::Dice;
use mutate::Mutator;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Largest input for the question of panics.
const MAX_INPUT: usize = 4 * 1024;
/// Inputs that are kept to be changed further.
const MAX_CORPUS: usize = 256;
/// One input in so many is kept.
const KEPT: u64 = 64;
/// Part of the time that goes to the question of growth.
const GROWTH_SHARE: u32 = 3;
/// Sizes at which time is compared.
const SHORT: usize = 32 * 1024;
const LONG: usize = 256 * 1024;
/// Time that is never too much; below it, clocks and caches say nothing.
const PLENTY: Duration = Duration::from_millis(400);
/// How much more time per byte a long input may take than a short one. Quadratic work takes 8 times.
const GROWTH: f64 = 4.0;
/// Times that a suspicion is looked at again.
const DOUBTS: usize = 3;

/// A target: good inputs to begin with, and words of the format.
#[derive(Clone, Copy, Debug)]
pub struct Fuzz<'a> {
    /// Good inputs.
    pub seeds: &'a [&'a [u8]],
    /// Words that the format knows.
    pub words: &'a [&'a [u8]],
}

impl Fuzz<'_> {
    /// Runs `target` on inputs until the time is over.
    ///
    /// # Panics
    /// If `target` panics on an input, or if its time grows faster than its input. The message holds
    /// the input, made as small as is quickly possible.
    pub fn run(&self, target: impl Fn(&[u8])) {
        let time = Duration::from_secs_f64(variable("LYCOSA_FUZZ_SECONDS").unwrap_or(1.0));
        let seed = variable("LYCOSA_FUZZ_SEED").unwrap_or(1.0) as u64;
        let mut dice = Dice::new(seed);
        let start = Instant::now();
        for seed in self.seeds {
            try_one(seed, &target);
        }
        try_one(b"", &target);
        self.look_for_panics(&mut dice, start + time / GROWTH_SHARE * (GROWTH_SHARE - 1), &target);
        self.look_for_growth(&mut dice, start + time, &target);
    }

    fn look_for_panics(&self, dice: &mut Dice, until: Instant, target: &impl Fn(&[u8])) {
        let mutator = Mutator { words: self.words, max: MAX_INPUT };
        let mut corpus: Vec<Vec<u8>> = self.seeds.iter().map(|seed| seed.to_vec()).collect();
        corpus.push(Vec::new());
        while Instant::now() < until {
            let mut input = corpus[dice.below(corpus.len())].clone();
            let other = &corpus[dice.below(corpus.len())];
            mutator.change(dice, &mut input, other);
            try_one(&input, target);
            if dice.one_in(KEPT) {
                if corpus.len() < MAX_CORPUS {
                    corpus.push(input);
                } else {
                    // The seeds stay; what was made of them gives way.
                    let last = corpus.len() - self.seeds.len();
                    let at = self.seeds.len() + dice.below(last);
                    corpus[at] = input;
                }
            }
        }
    }

    /// Every word, every seed and what becomes of them, over and over: as a long run of openings, and
    /// as a run of openings before a run of something else.
    fn look_for_growth(&self, dice: &mut Dice, until: Instant, target: &impl Fn(&[u8])) {
        let mutator = Mutator { words: self.words, max: 64 };
        let mut units: Vec<Vec<u8>> = Vec::new();
        let plain: Vec<&[u8]> = self.words.iter().chain(self.seeds).copied().collect();
        let mut round = 0;
        while Instant::now() < until {
            units.clear();
            for _ in 0..1 + dice.below(3) {
                let mut unit = match plain.get(round) {
                    Some(unit) => unit.to_vec(),
                    None if plain.is_empty() => Vec::new(),
                    None => plain[dice.below(plain.len())].to_vec(),
                };
                if round >= plain.len() {
                    mutator.change(dice, &mut unit, b"");
                }
                units.push(unit);
            }
            round += 1;
            check_growth(&units, target);
        }
    }
}

fn variable(name: &str) -> Option<f64> {
    std::env::var(name).ok()?.parse().ok()
}

fn fails(input: &[u8], target: &impl Fn(&[u8])) -> bool {
    catch_unwind(AssertUnwindSafe(|| target(input))).is_err()
}

fn try_one(input: &[u8], target: &impl Fn(&[u8])) {
    if fails(input, target) {
        let small = shrink(input.to_vec(), |input| fails(input, target));
        panic!("it panics on b\"{}\"", small.escape_ascii());
    }
}

/// Leaves out ever smaller pieces for as long as it still fails.
fn shrink(mut input: Vec<u8>, fails: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut piece = input.len() / 2;
    while piece > 0 {
        let mut at = 0;
        while at < input.len() {
            let end = (at + piece).min(input.len());
            let shorter = [&input[..at], &input[end..]].concat();
            if fails(&shorter) {
                input = shorter;
            } else {
                at = end;
            }
        }
        piece /= 2;
    }
    input
}

/// Each unit repeated for its share of `size` bytes, one after the other.
fn repeated(units: &[Vec<u8>], size: usize) -> Vec<u8> {
    let share = size / units.len().max(1);
    let mut input = Vec::with_capacity(size);
    for unit in units.iter().filter(|unit| !unit.is_empty()) {
        for _ in 0..share / unit.len() {
            input.extend_from_slice(unit);
        }
    }
    input
}

fn check_growth(units: &[Vec<u8>], target: &impl Fn(&[u8])) {
    let (short, long) = (repeated(units, SHORT), repeated(units, LONG));
    if short.is_empty() {
        return;
    }
    let measure = |input: &[u8]| time::of(|| try_one(input, target));
    let ratio = long.len() as f64 / short.len() as f64;
    for doubt in 0..=DOUBTS {
        let took = measure(&long);
        if took < PLENTY {
            return;
        }
        let allowed = measure(&short).mul_f64(ratio * GROWTH);
        if took < allowed {
            return;
        }
        assert!(
            doubt < DOUBTS,
            "time grows faster than input: {took:?} for {} bytes, of {:?} over and over",
            long.len(),
            units.iter().map(|unit| unit.escape_ascii().to_string()).collect::<Vec<_>>(),
        );
    }
}

#[cfg(test)]
mod tests;
