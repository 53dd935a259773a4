//! N-best-first: the N best links are taken, and what they lead to counts only when all of them are.
//!
//! Menczer, Pant and Srinivasan call it BFSN. A larger N explores more: a batch is not abandoned for
//! something better that was just found.

use crate::pool::Pool;
use crate::pooled::{Pooled, Scorer};
use crate::score::SEED;
use crate::{Explanation, LinkEvidence, PageView, Relevance, why};
use lycosa_model::{Outcome, Part, UrlId};
use std::collections::HashMap;

/// See the module.
#[derive(Debug)]
pub(crate) struct NBestFirst {
    size: usize,
    /// What is left of the batch may be taken, so many.
    left: usize,
    /// The relevance of the parents of what waits or is under way, less while a batch is.
    scores: HashMap<UrlId, f32>,
    /// What was found while a batch is under way.
    held_back: Vec<(UrlId, f32)>,
}

impl NBestFirst {
    pub(crate) fn new(strict: bool, size: usize) -> Pooled<NBestFirst> {
        let scorer = NBestFirst { size, left: 0, scores: HashMap::new(), held_back: Vec::new() };
        Pooled::new(strict, scorer)
    }
}

/// Links that wait for the next batch stand behind all others, in the order of their scores.
const BEHIND: f32 = 2.0 * SEED;

/// The relevance of the parent, whether the link waits for the next batch or not.
fn of_parent(score: f32) -> f32 {
    if score < 0.0 { score + BEHIND } else { score }
}

impl Scorer for NBestFirst {
    fn name(&self) -> &'static str {
        "n-best-first"
    }

    fn on_link(&mut self, link: &LinkEvidence<'_>) -> Option<f32> {
        if !link.known {
            self.scores.insert(link.url, link.parent_relevance - BEHIND);
            self.held_back.push((link.url, link.parent_relevance));
        }
        None
    }

    fn score(&mut self, url: UrlId) -> Option<f32> {
        self.scores.get(&url).copied()
    }

    fn before_take(&mut self, pool: &mut Pool) {
        // A batch ends early when nothing of it may be asked: the next one is better than nothing.
        let ended = pool.best().and_then(|first| pool.score(first)).is_some_and(|best| best < 0.0);
        if self.left == 0 || ended {
            self.left = self.size;
            for (url, score) in self.held_back.drain(..) {
                if let Some(known) = self.scores.get_mut(&url) {
                    *known = score;
                    pool.rescore(url, score);
                }
            }
        }
    }

    fn on_page(&mut self, page: &PageView<'_>, _relevance: Relevance, _pool: &mut Pool) {
        self.scores.remove(&page.url);
    }

    fn on_fail(&mut self, url: UrlId, why: Outcome) {
        // One that is tried again is as good as before.
        if !why.is_transient() {
            self.scores.remove(&url);
        }
    }

    fn taken(&mut self, _url: UrlId) {
        self.left = self.left.saturating_sub(1);
    }

    fn parts(&self, url: UrlId) -> Vec<Part> {
        let score = self.scores.get(&url).map(|score| why::part("parent", of_parent(*score)));
        score.into_iter().collect()
    }

    fn notes(&self, url: UrlId) -> Explanation {
        let waits = self.scores.get(&url).is_some_and(|score| *score < 0.0);
        let mut why = vec![format!("{} of a batch of {} are left", self.left, self.size)];
        if waits {
            why.push("found while that batch is under way, so behind it".into());
        }
        why
    }
}
