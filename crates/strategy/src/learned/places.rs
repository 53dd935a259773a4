//! Which sites, folders and places in pages are good? Means, each drawn towards what is around it.

use super::evidence::Evidence;
use std::collections::HashMap;

/// A sum over some pages.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    count: f32,
    sum: f32,
}

impl Tally {
    pub(super) fn add(&mut self, value: f32) {
        self.count += 1.0;
        self.sum += value;
    }

    /// The mean, as if there were `pull` more of what is `around`.
    pub(super) fn mean(&self, around: f32, pull: f32) -> f32 {
        (self.sum + pull * around) / (self.count + pull).max(f32::MIN_POSITIVE)
    }
}

/// What is known of places.
#[derive(Debug, Default)]
pub(super) struct Places {
    relevance: HashMap<u32, Tally>,
    all: Tally,
    answers: HashMap<u32, Tally>,
    all_answers: Tally,
}

impl Places {
    /// How much better than usual pages are there.
    pub(super) fn worth(&self, evidence: &Evidence, pull: f32) -> f32 {
        let usual = self.all.mean(0.0, 0.0);
        let of = |place: u32, around: f32| {
            self.relevance.get(&place).copied().unwrap_or_default().mean(around, pull)
        };
        let folder = of(evidence.folder, of(evidence.site, usual));
        let path = of(evidence.tag_path, usual);
        (folder - usual) + (path - usual)
    }

    pub(super) fn learn(&mut self, evidence: &Evidence, relevance: f32) {
        self.all.add(relevance);
        for place in [evidence.site, evidence.folder, evidence.tag_path] {
            self.relevance.entry(place).or_default().add(relevance);
        }
    }

    /// How often there was an answer.
    pub(super) fn answers(&self, evidence: &Evidence, pull: f32) -> f32 {
        let of = |place: u32, around: f32| {
            self.answers.get(&place).copied().unwrap_or_default().mean(around, pull)
        };
        of(evidence.folder, of(evidence.site, self.all_answers.mean(1.0, pull)))
    }

    pub(super) fn answered(&mut self, evidence: &Evidence, answered: bool) {
        let value = f32::from(u8::from(answered));
        self.all_answers.add(value);
        for place in [evidence.site, evidence.folder] {
            self.answers.entry(place).or_default().add(value);
        }
    }
}
