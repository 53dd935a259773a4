//! Learned: what all parents say of a link, and what the crawl has taught about such links.
//!
//! The score is what a fetch can be expected to bring: how likely there is a page at all, times how
//! relevant it will be. The first is what its site and folder have done so far, and a logistic model over
//! hashed words of addresses. The second is the mean of all parents, shrunk, and on top of it what the words
//! of the link say, what pages that mention those words are like, what pages of the site, the folder and the
//! place in pages are like, and, if it is turned on, a linear model of what is left. Relevance itself is
//! learned, too: the best pages found join the examples, and all pages and links are judged anew.

mod answers;
mod evidence;
mod linear;
mod pages;
mod parameters;
mod places;

pub use parameters::LearnedParameters;

use crate::pool::Pool;
use crate::pooled::{Pooled, Scorer};
use crate::score::SEED;
use crate::{Explanation, LinkEvidence, PageView, Relevance, Setup};
use answers::Answers;
use evidence::Evidence;
use linear::Residual;
use lycosa_model::{Outcome, UrlId};
use pages::Pages;
use places::Places;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// What a score is made of.
#[derive(Clone, Copy, Debug, Default)]
struct Parts {
    parents: f32,
    words: f32,
    mentions: f32,
    places: f32,
    residual: f32,
    answers: f32,
}

impl Parts {
    /// All but what the residual adds.
    fn base(&self) -> f32 {
        self.parents + self.words + self.mentions + self.places
    }

    fn score(&self) -> f32 {
        self.answers * (self.base() + self.residual).max(0.0)
    }
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Learned {
    parameters: LearnedParameters,
    pages: Pages,
    places: Places,
    answers: Answers,
    residual: Residual,
    waiting: HashMap<UrlId, Evidence>,
    /// What is being fetched.
    under_way: HashMap<UrlId, Evidence>,
    /// Pages read, and with how many of them everything is judged anew.
    read: u32,
    due: u32,
    dice: ChaCha8Rng,
    /// Links in the order of discovery, of which one is drawn now and then.
    found: Vec<UrlId>,
}

impl Learned {
    pub(crate) fn new(setup: &Setup, parameters: LearnedParameters) -> Pooled<Learned> {
        let scorer = Learned {
            parameters,
            pages: Pages::new(parameters),
            places: Places::default(),
            answers: Answers::default(),
            residual: Residual::new(parameters, setup.seed),
            waiting: HashMap::new(),
            under_way: HashMap::new(),
            read: 0,
            due: 1,
            dice: ChaCha8Rng::seed_from_u64(setup.seed),
            found: Vec::new(),
        };
        Pooled::new(setup.strict, scorer)
    }

    fn parts(&self, evidence: &Evidence) -> Parts {
        let parameters = &self.parameters;
        let prior = self.pages.prior(evidence);
        let mentions = self.pages.mention(&evidence.anchor) + self.pages.mention(&evidence.context);
        let mut parts = Parts {
            parents: prior.mean,
            words: parameters.anchor * evidence.anchor_similarity,
            mentions: parameters.mention * mentions,
            places: parameters.place * self.places.worth(evidence, parameters.pull),
            residual: 0.0,
            answers: self.answers.likely(evidence, &self.places, parameters.pull),
        };
        if parameters.rate > 0.0 {
            parts.residual = self.residual.of(&evidence.features(prior));
        }
        parts
    }

    /// Learns from what a link turned out to be.
    fn learn(&mut self, evidence: &Evidence, relevance: f32) {
        let prior = self.pages.prior(evidence);
        let base = self.parts(evidence).base();
        self.places.learn(evidence, relevance);
        if self.parameters.rate > 0.0 {
            self.residual.learn(base, evidence.features(prior), relevance);
        }
    }

    fn judge_anew(&mut self, page: &PageView<'_>, pool: &mut Pool) {
        let parameters = &self.parameters;
        self.due = self.read + parameters.review.max(self.read / parameters.review_share.max(1));
        self.pages.judge(page.topic);
        let scores: Vec<(UrlId, f32)> = self
            .waiting
            .iter()
            .map(|(url, evidence)| (*url, self.parts(evidence).score()))
            .collect();
        for (url, score) in scores {
            if pool.score(url).is_some_and(|before| before < SEED) {
                pool.rescore(url, score);
            }
        }
    }

    fn done(&mut self, url: UrlId) -> Option<Evidence> {
        self.under_way.remove(&url).or_else(|| self.waiting.remove(&url))
    }
}

impl Scorer for Learned {
    fn name(&self) -> &'static str {
        "learned"
    }

    fn on_link(&mut self, link: &LinkEvidence<'_>) -> Option<f32> {
        let parent = link.via.and_then(|via| self.pages.number(via));
        match self.waiting.entry(link.url) {
            Entry::Occupied(mut known) => known.get_mut().add(link, parent),
            // It was met before and waits no longer.
            Entry::Vacant(_) if link.known => return None,
            Entry::Vacant(new) => {
                new.insert(Evidence::new(link)).add(link, parent);
                self.found.push(link.url);
            }
        }
        self.score(link.url)
    }

    fn score(&mut self, url: UrlId) -> Option<f32> {
        self.waiting.get(&url).map(|evidence| self.parts(evidence).score())
    }

    fn offered(&mut self, url: UrlId, _score: f32) {
        // Of what is restored nothing is known but that it waits: it counts as a usual link.
        self.waiting.entry(url).or_default();
    }

    fn on_page(&mut self, page: &PageView<'_>, relevance: Relevance, pool: &mut Pool) {
        self.read += 1;
        let relevance = self.pages.add(page, relevance.0);
        if let Some(evidence) = self.done(page.url) {
            self.answers.learn(&evidence, true, &mut self.places);
            self.learn(&evidence, relevance);
        }
        if self.read >= self.due {
            self.judge_anew(page, pool);
        }
    }

    fn on_fail(&mut self, url: UrlId, why: Outcome) {
        if let Some(evidence) = self.done(url) {
            if why.is_transient() {
                // It is tried again, and is no worse for it.
                self.waiting.insert(url, evidence);
                return;
            }
            // A redirect is an answer; what is behind it is learned when that is read.
            let answered = why == Outcome::Redirect;
            self.answers.learn(&evidence, answered, &mut self.places);
            if !answered {
                self.learn(&evidence, 0.0);
            }
        }
    }

    fn before_take(&mut self, pool: &mut Pool) {
        let parameters = &self.parameters;
        let fades = 1.0 + self.read as f32 / parameters.explore_half.max(1.0);
        if self.found.is_empty() || self.dice.random::<f32>() >= parameters.explore / fades {
            return;
        }
        while !self.found.is_empty() {
            let place = self.dice.random_range(0..self.found.len());
            let drawn = self.found.swap_remove(place);
            if pool.has(drawn) {
                self.found.push(drawn);
                pool.lift(drawn);
                return;
            }
        }
    }

    fn taken(&mut self, url: UrlId) {
        if let Some(evidence) = self.waiting.remove(&url) {
            self.under_way.insert(url, evidence);
        }
    }

    fn reasons(&self, url: UrlId) -> Explanation {
        let evidence = self.waiting.get(&url).or_else(|| self.under_way.get(&url));
        let Some(evidence) = evidence else { return Vec::new() };
        let parts = self.parts(evidence);
        let parents = evidence.parents.len();
        vec![
            format!("{:+.3} mean relevance of {parents} pages that link to it", parts.parents),
            format!("{:+.3} words of the link that are words of the topic", parts.words),
            format!("{:+.3} pages that mention its words", parts.mentions),
            format!("{:+.3} pages of its site, its folder and its place in pages", parts.places),
            format!("{:+.3} what else such links turned out to be", parts.residual),
            format!("x {:.3} likely to answer", parts.answers),
        ]
    }
}

#[cfg(test)]
mod tests;
