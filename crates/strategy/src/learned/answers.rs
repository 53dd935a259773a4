//! How likely is there a page behind a link? What is known of its site and folder, and a logistic model
//! over the words of its address.

use super::evidence::{Evidence, Feature};
use super::linear::Weights;
use super::places::Places;

/// How quickly it learns.
const RATE: f32 = 0.3;

/// No place is so good or so bad that nothing else counts.
const SURE: f32 = 0.98;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Answers {
    pub(super) weights: Weights,
}

impl Answers {
    pub(super) fn likely(&self, evidence: &Evidence, places: &Places, pull: f32) -> f32 {
        logistic(self.logit(evidence, places, pull, &evidence.address_features()))
    }

    fn logit(&self, evidence: &Evidence, places: &Places, pull: f32, features: &[Feature]) -> f32 {
        let prior = places.answers(evidence, pull).clamp(1.0 - SURE, SURE);
        (prior / (1.0 - prior)).ln() + self.weights.dot(features)
    }

    pub(super) fn learn(&mut self, evidence: &Evidence, answered: bool, places: &mut Places) {
        let features = evidence.address_features();
        let said = logistic(self.logit(evidence, places, 4.0, &features));
        self.weights.step(&features, f32::from(u8::from(answered)) - said, RATE);
        places.answered(evidence, answered);
    }
}

fn logistic(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit).exp())
}
