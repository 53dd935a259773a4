//! What of `learned` gets over a restart? The pages, what is known of places and answers, and what speaks for
//! the best of the links that wait.

use super::evidence::Evidence;
use super::linear::SavedWeights;
use super::pages::SavedPages;
use super::places::SavedPlaces;
use super::{Learned, Scorer};
use crate::saved;
use lycosa_model::UrlId;
use serde::{Deserialize, Serialize};

/// Links whose evidence is saved, the best ones. Of the others the disk has the page they were found on.
const MOST_LINKS: usize = 20_000;

#[derive(Serialize, Deserialize)]
struct Saved<P, E> {
    pages: P,
    places: SavedPlaces,
    answers: SavedWeights,
    residual: SavedWeights,
    record: (f32, f32),
    links: Vec<(UrlId, E)>,
    /// Links to draw from, those found last.
    found: Vec<UrlId>,
    read: u32,
    due: u32,
    dice: u128,
}

impl Learned {
    pub(super) fn written(&self) -> Option<Vec<u8>> {
        let under_way = self.under_way.iter().map(|(url, (evidence, _))| (url, evidence));
        let all = self.waiting.iter().chain(under_way);
        let scored = all.map(|(url, evidence)| (self.last_score(evidence), *url, evidence));
        let links = saved::best(scored.collect(), MOST_LINKS);
        let found = &self.found[self.found.len().saturating_sub(MOST_LINKS)..];
        let state = Saved {
            pages: self.pages.save(),
            places: self.places.save(),
            answers: self.answers.weights.save(),
            residual: self.residual.weights.save(),
            record: self.residual.record,
            links,
            found: found.to_vec(),
            read: self.read,
            due: self.due,
            dice: self.dice.get_word_pos(),
        };
        saved::write(self.name(), &state)
    }

    pub(super) fn take_up(&mut self, bytes: &[u8]) -> Result<(), String> {
        let Saved { pages, places, answers, residual, record, links, found, read, due, dice } =
            saved::read::<Saved<SavedPages, Evidence>>(self.name(), bytes)?;
        self.pages.load(pages)?;
        self.places.load(places);
        self.answers.weights.load(&answers);
        self.residual.weights.load(&residual);
        self.residual.record = record;
        self.waiting = links.into_iter().collect();
        (self.found, self.read, self.due) = (found, read.min(u32::MAX / 2), due);
        self.dice.set_word_pos(dice);
        Ok(())
    }

    /// About what a link is worth: without a look at words and places.
    fn last_score(&self, evidence: &Evidence) -> f32 {
        self.pages.prior(evidence).mean + self.parameters.anchor * evidence.anchor_similarity
    }
}
