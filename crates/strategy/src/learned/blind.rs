//! Blind: what is left of `learned` when every link is as relevant as any other. It goes where there is likely a page,
//! and draws lots among links of which that is alike: the line that a wrong topic must fall to.

use super::LearnedParameters;
use super::answers::Answers;
use super::evidence::Evidence;
use super::places::Places;
use crate::pool::Pool;
use crate::pooled::{Pooled, Scorer};
use crate::why::{LIKELY, part};
use crate::{LinkEvidence, PageView, Relevance, Setup};
use lycosa_model::{Outcome, Part, UrlId};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;

/// Links that are as likely to answer as others, but for this share, are alike.
const ALIKE: f32 = 0.1;

/// What is known of a link, and the lot that it drew.
#[derive(Debug)]
struct Lot {
    evidence: Evidence,
    lot: f32,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Blind {
    pull: f32,
    answers: Answers,
    places: Places,
    links: HashMap<UrlId, Lot>,
    dice: ChaCha8Rng,
}

impl Blind {
    pub(crate) fn new(setup: &Setup, parameters: LearnedParameters) -> Pooled<Blind> {
        let scorer = Blind {
            pull: parameters.pull,
            answers: Answers::default(),
            places: Places::default(),
            links: HashMap::new(),
            dice: ChaCha8Rng::seed_from_u64(setup.seed),
        };
        Pooled::new(setup.strict, scorer)
    }

    fn likely(&self, lot: &Lot) -> f32 {
        self.answers.likely(&lot.evidence, &self.places, self.pull)
    }

    fn learn(&mut self, url: UrlId, answered: bool) {
        if let Some(lot) = self.links.remove(&url) {
            self.answers.learn(&lot.evidence, answered, &mut self.places);
        }
    }
}

impl Scorer for Blind {
    fn name(&self) -> &'static str {
        "blind"
    }

    fn on_link(&mut self, link: &LinkEvidence<'_>) -> Option<f32> {
        if link.known {
            return None;
        }
        let lot = Lot { evidence: Evidence::new(link), lot: self.dice.random() };
        self.links.insert(link.url, lot);
        self.score(link.url)
    }

    fn score(&mut self, url: UrlId) -> Option<f32> {
        self.links.get(&url).map(|lot| self.likely(lot) * (1.0 - ALIKE * lot.lot))
    }

    fn on_page(&mut self, page: &PageView<'_>, _relevance: Relevance, _pool: &mut Pool) {
        self.learn(page.url, true);
    }

    fn on_fail(&mut self, url: UrlId, why: Outcome) {
        if !why.is_transient() {
            self.learn(url, why == Outcome::Redirect);
        }
    }

    fn parts(&self, url: UrlId) -> Vec<Part> {
        let Some(lot) = self.links.get(&url) else { return Vec::new() };
        vec![part("the lot it drew", 1.0 - ALIKE * lot.lot), part(LIKELY, self.likely(lot))]
    }
}
