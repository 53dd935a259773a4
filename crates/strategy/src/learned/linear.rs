//! How much better or worse is a link than is known otherwise? A linear model over hashed features, which
//! learns with every page (Adagrad), and again from pages that it draws from those before. It counts as much as
//! it was right before it was told: what it says of a page is compared with the page, and then it learns from it.

use super::LearnedParameters;
use super::evidence::Feature;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Weights; features are hashed to them.
const CELLS: usize = 1 << 17;

/// Pages that may be learned again.
const REMEMBERED: usize = 4_000;

/// A single page teaches no more than this.
const MOST_ERROR: f32 = 0.5;

/// How much it must have said before it is trusted by half, if all of it was right; and what is left of what
/// was said with each further page.
const PROOF: f32 = 0.2;
const FADING: f32 = 0.995;

/// Hashed weights and how much each was moved.
#[derive(Debug)]
pub(super) struct Weights {
    weights: Vec<f32>,
    moved: Vec<f32>,
}

/// The weights that were moved: which, where they are, and how much.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct SavedWeights(Vec<(u32, f32, f32)>);

impl Default for Weights {
    fn default() -> Self {
        // Beginning with 1, the first pages do not move a weight all the way.
        Weights { weights: vec![0.0; CELLS], moved: vec![1.0; CELLS] }
    }
}

impl Weights {
    pub(super) fn dot(&self, features: &[Feature]) -> f32 {
        features.iter().map(|(cell, value)| self.weights[*cell as usize % CELLS] * value).sum()
    }

    pub(super) fn save(&self) -> SavedWeights {
        let all = self.weights.iter().zip(&self.moved).enumerate();
        let moved = all.filter(|(_, (_, moved))| **moved > 1.0);
        SavedWeights(moved.map(|(cell, (w, moved))| (cell as u32, *w, *moved)).collect())
    }

    pub(super) fn load(&mut self, saved: &SavedWeights) {
        *self = Weights::default();
        for (cell, weight, moved) in &saved.0 {
            let cell = *cell as usize % CELLS;
            (self.weights[cell], self.moved[cell]) = (*weight, *moved);
        }
    }

    pub(super) fn step(&mut self, features: &[Feature], error: f32, rate: f32) {
        for (cell, value) in features {
            let cell = *cell as usize % CELLS;
            let gradient = error * value;
            self.moved[cell] += gradient * gradient;
            self.weights[cell] += rate * gradient / self.moved[cell].sqrt();
        }
    }
}

#[derive(Debug, Default)]
struct Sample {
    base: f32,
    features: Vec<Feature>,
    relevance: f32,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Residual {
    parameters: LearnedParameters,
    pub(super) weights: Weights,
    /// What it said of pages times what they were, and the square of what it said.
    pub(super) record: (f32, f32),
    samples: Vec<Sample>,
    next: usize,
    dice: ChaCha8Rng,
}

impl Residual {
    pub(super) fn new(parameters: LearnedParameters, seed: u64) -> Residual {
        Residual {
            parameters,
            weights: Weights::default(),
            record: (0.0, 0.0),
            samples: Vec::new(),
            next: 0,
            dice: ChaCha8Rng::seed_from_u64(seed),
        }
    }

    pub(super) fn of(&self, features: &[Feature]) -> f32 {
        self.trust() * self.says(features)
    }

    fn says(&self, features: &[Feature]) -> f32 {
        self.weights.dot(features).clamp(-self.parameters.most, self.parameters.most)
    }

    /// How much of what it says has proved to be so, from 0 to 1.
    fn trust(&self) -> f32 {
        let (agreed, said) = self.record;
        (agreed / (said + PROOF)).clamp(0.0, 1.0)
    }

    fn step(&mut self, sample: &Sample) {
        let error = sample.relevance - sample.base - self.weights.dot(&sample.features);
        let error = error.clamp(-MOST_ERROR, MOST_ERROR);
        self.weights.step(&sample.features, error, self.parameters.rate);
    }

    pub(super) fn learn(&mut self, base: f32, features: Vec<Feature>, relevance: f32) {
        let said = self.says(&features);
        let (agreed, before) = self.record;
        self.record = (FADING * agreed + said * (relevance - base), FADING * before + said * said);
        let sample = Sample { base, features, relevance };
        self.step(&sample);
        if self.samples.len() < REMEMBERED {
            self.samples.push(sample);
        } else {
            self.samples[self.next] = sample;
            self.next = (self.next + 1) % REMEMBERED;
        }
        for _ in 0..self.parameters.replays {
            let drawn = self.dice.random_range(0..self.samples.len());
            let sample = std::mem::take(&mut self.samples[drawn]);
            self.step(&sample);
            self.samples[drawn] = sample;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_noise(noise: impl Fn(u32) -> f32) -> f32 {
        let mut model = Residual::new(LearnedParameters::default(), 7);
        for page in 0..400_u32 {
            let word = page % 10;
            model.learn(0.5, vec![(word, 1.0)], 0.5 + noise(page));
        }
        model.of(&[(0, 1.0)])
    }

    #[test]
    fn what_words_say_counts_when_it_proved_true_and_not_when_it_did_not() {
        let steady = of_noise(|page| if page % 10 < 5 { 0.1 } else { -0.1 });
        assert!(steady > 0.05, "links with this word are always better: {steady}");
        // The word says the opposite each time it is met: nothing is to be learned from it.
        let moody = of_noise(|page| if (page / 10) % 2 == 0 { 0.1 } else { -0.1 });
        assert!(moody.abs() < 0.01, "{moody}");
    }
}
