//! Which sites, folders and places in pages are good? Means, each drawn towards what is around it.

use super::evidence::Evidence;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A sum over some pages.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
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

/// Places of which something is known. When there are more, those of a single page are forgotten.
const MOST_PLACES: usize = 200_000;
/// Places that are saved, those of most pages.
const MOST_SAVED: usize = 50_000;

/// What is saved: of each place, its pages and their relevance, and its answers.
#[derive(Serialize, Deserialize)]
pub(super) struct SavedPlaces {
    relevance: Vec<(u32, Tally)>,
    all: Tally,
    answers: Vec<(u32, Tally)>,
    all_answers: Tally,
}

fn most(tallies: &HashMap<u32, Tally>) -> Vec<(u32, Tally)> {
    let mut all: Vec<(u32, Tally)> =
        tallies.iter().map(|(place, tally)| (*place, *tally)).collect();
    if all.len() > MOST_SAVED {
        let order = |a: &(u32, Tally), b: &(u32, Tally)| {
            b.1.count.total_cmp(&a.1.count).then(a.0.cmp(&b.0))
        };
        all.select_nth_unstable_by(MOST_SAVED, order);
        all.truncate(MOST_SAVED);
    }
    all
}

fn add(tallies: &mut HashMap<u32, Tally>, place: u32, value: f32) {
    if tallies.len() >= MOST_PLACES {
        tallies.retain(|_, tally| tally.count > 1.0);
        if tallies.len() >= MOST_PLACES {
            tallies.clear();
        }
    }
    tallies.entry(place).or_default().add(value);
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
        for place in evidence.places() {
            add(&mut self.relevance, place, relevance);
        }
    }

    /// A page at these places is worth so much more than was learned.
    pub(super) fn correct(&mut self, places: [u32; 3], by: f32) {
        self.all.sum += by;
        for place in places {
            if let Some(tally) = self.relevance.get_mut(&place) {
                tally.sum += by;
            }
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
            add(&mut self.answers, place, value);
        }
    }

    pub(super) fn save(&self) -> SavedPlaces {
        SavedPlaces {
            relevance: most(&self.relevance),
            all: self.all,
            answers: most(&self.answers),
            all_answers: self.all_answers,
        }
    }

    pub(super) fn load(&mut self, saved: SavedPlaces) {
        *self = Places {
            relevance: saved.relevance.into_iter().collect(),
            all: saved.all,
            answers: saved.answers.into_iter().collect(),
            all_answers: saved.all_answers,
        };
    }
}
