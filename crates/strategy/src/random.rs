//! Random: any of the links that wait, each as likely as another. What every other strategy must beat.

use crate::pool::Pool;
use crate::pooled::{Pooled, Scorer};
use crate::{LinkEvidence, Setup, why};
use lycosa_model::{Part, UrlId};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;

/// See the module.
#[derive(Debug)]
pub(crate) struct Random {
    dice: ChaCha8Rng,
    waiting: Vec<UrlId>,
    places: HashMap<UrlId, usize>,
}

impl Random {
    pub(crate) fn new(setup: &Setup) -> Pooled<Random> {
        let dice = ChaCha8Rng::seed_from_u64(setup.seed);
        Pooled::new(setup.strict, Random { dice, waiting: Vec::new(), places: HashMap::new() })
    }

    fn forget(&mut self, url: UrlId) {
        if let Some(place) = self.places.remove(&url) {
            self.waiting.swap_remove(place);
            if let Some(moved) = self.waiting.get(place) {
                self.places.insert(*moved, place);
            }
        }
    }
}

impl Scorer for Random {
    fn name(&self) -> &'static str {
        "random"
    }

    fn on_link(&mut self, _link: &LinkEvidence<'_>) -> Option<f32> {
        None
    }

    fn score(&mut self, url: UrlId) -> Option<f32> {
        // Between 0 and 1, and always the same for one URL: the order where the drawn one must wait.
        self.places.contains_key(&url).then(|| url.fingerprint() as f32 / u64::MAX as f32)
    }

    fn offered(&mut self, url: UrlId, _score: f32) {
        if !self.places.contains_key(&url) {
            self.places.insert(url, self.waiting.len());
            self.waiting.push(url);
        }
    }

    fn before_take(&mut self, pool: &mut Pool) {
        if !self.waiting.is_empty() {
            let drawn = self.waiting[self.dice.random_range(0..self.waiting.len())];
            pool.lift(drawn);
        }
    }

    fn taken(&mut self, url: UrlId) {
        self.forget(url);
    }

    fn parts(&self, url: UrlId) -> Vec<Part> {
        // Who was named has been one of them.
        let named = usize::from(!self.places.contains_key(&url));
        vec![why::part("chance of any link that waits", 1.0 / (self.waiting.len() + named) as f32)]
    }
}
