//! Learned: what all parents say of a link, and what the crawl has taught about such links.
//!
//! The score is what a fetch can be expected to bring: how likely there is a page at all, times how
//! relevant it will be. The first is what its site and folder have done so far, and a logistic model over
//! hashed words of addresses. The second is the mean of all parents, shrunk, where a parent counts the more the
//! better its other links turned out to be (look-ahead), and on top of it what the words of the link say, what
//! pages that mention those words are like, what pages of the site, the folder and the place in pages are like,
//! and a linear model over hashed words of what is left. Relevance itself is learned, too: the best pages found
//! join the examples, and all pages and links are judged anew.

mod answers;
mod blind;
mod evidence;
mod linear;
mod pages;
mod parameters;
mod places;
mod saved;

pub(crate) use blind::Blind;
pub use parameters::LearnedParameters;

use crate::pool::Pool;
use crate::pooled::{Pooled, Scorer};
use crate::redirect::Redirected;
use crate::score::SEED;
use crate::why::{LIKELY, part};
use crate::{Explanation, LinkEvidence, PageView, Relevance, Setup, Verdict};
use answers::Answers;
use evidence::Evidence;
use linear::Residual;
use lycosa_knowledge::RelevanceModel;
use lycosa_model::{Outcome, Part, UrlId};
use pages::Pages;
use places::Places;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Links to draw from may have gone; with so many more than wait, they are looked through.
const FOUND: usize = 1_000;

/// What a score is made of.
#[derive(Clone, Copy, Debug, Default)]
struct Made {
    parents: f32,
    /// How much of that is what other links of the parents turned out to be.
    ahead: f32,
    words: f32,
    mentions: f32,
    places: f32,
    residual: f32,
    answers: f32,
}

impl Made {
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
    /// What is being fetched, and whether it was drawn to explore.
    under_way: HashMap<UrlId, (Evidence, bool)>,
    /// Pages read, and with how many of them everything is judged anew.
    read: u32,
    due: u32,
    dice: ChaCha8Rng,
    /// Links in the order of discovery, of which one is drawn now and then.
    found: Vec<UrlId>,
    /// The one that was drawn last, and whether it was taken nobody knows yet.
    drawn: Option<UrlId>,
    redirected: Redirected<Evidence>,
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
            drawn: None,
            redirected: Redirected::default(),
        };
        Pooled::new(setup.strict, scorer)
    }

    fn made_of(&self, evidence: &Evidence) -> Made {
        let parameters = &self.parameters;
        let prior = self.pages.prior(evidence);
        let mentions = self.pages.mention(&evidence.anchor) + self.pages.mention(&evidence.context);
        let mut made = Made {
            parents: prior.mean,
            ahead: prior.ahead,
            words: parameters.anchor * evidence.anchor_similarity,
            mentions: parameters.mention * mentions,
            places: parameters.place * self.places.worth(evidence, parameters.pull),
            residual: 0.0,
            answers: self.answers.likely(evidence, &self.places, parameters.pull),
        };
        if parameters.rate > 0.0 {
            made.residual = self.residual.of(&evidence.features(prior));
        }
        made
    }

    /// Learns from what a link turned out to be.
    fn learn(&mut self, evidence: &Evidence, relevance: f32) {
        let prior = self.pages.prior(evidence);
        let base = self.made_of(evidence).base();
        self.places.learn(evidence, relevance);
        if self.parameters.rate > 0.0 {
            self.residual.learn(base, evidence.features(prior), relevance);
        }
    }

    fn judge_anew(&mut self, topic: &RelevanceModel, pool: &mut Pool) {
        let parameters = &self.parameters;
        let wait = parameters.review.max(self.read / parameters.review_share.max(1));
        self.due = self.read.saturating_add(wait);
        self.pages.judge(topic);
        let scores: Vec<(UrlId, f32)> = self
            .waiting
            .iter()
            .map(|(url, evidence)| (*url, self.made_of(evidence).score()))
            .collect();
        for (url, score) in scores {
            if pool.score(url).is_some_and(|before| before < SEED) {
                pool.rescore(url, score);
            }
        }
    }

    /// The share of choices that are left to chance now.
    fn exploring(&self) -> f32 {
        let LearnedParameters { explore, explore_half, .. } = self.parameters;
        explore / (1.0 + self.read as f32 / explore_half.max(1.0))
    }

    /// What is known of a URL that waits or was named, and whether it was drawn.
    fn known(&self, url: UrlId) -> Option<(&Evidence, bool)> {
        let waits = self.waiting.get(&url).map(|evidence| (evidence, false));
        waits.or_else(|| self.under_way.get(&url).map(|(evidence, drawn)| (evidence, *drawn)))
    }

    fn done(&mut self, url: UrlId) -> Option<Evidence> {
        let named = self.under_way.remove(&url).map(|(evidence, _)| evidence);
        named.or_else(|| self.waiting.remove(&url))
    }
}

impl Scorer for Learned {
    fn name(&self) -> &'static str {
        "learned"
    }

    fn on_link(&mut self, link: &LinkEvidence<'_>) -> Option<f32> {
        let parent = link.via.and_then(|via| self.pages.number(via));
        let inherited = self.redirected.take(link.via);
        if let Some(parent) = parent
            && let Some(child) = self.pages.number(link.url)
        {
            self.pages.join(parent, child);
        }
        let evidence = match self.waiting.entry(link.url) {
            Entry::Occupied(known) => known.into_mut(),
            // It was met before and waits no longer.
            Entry::Vacant(_) if link.known => return None,
            Entry::Vacant(new) => {
                self.found.push(link.url);
                new.insert(Evidence::new(link))
            }
        };
        match inherited {
            Some(inherited) => evidence.inherit(inherited),
            None => evidence.add(link, parent),
        }
        if self.found.len() > FOUND + 2 * self.waiting.len() {
            self.found.retain(|url| self.waiting.contains_key(url));
        }
        self.score(link.url)
    }

    fn score(&mut self, url: UrlId) -> Option<f32> {
        self.waiting.get(&url).map(|evidence| self.made_of(evidence).score())
    }

    fn offered(&mut self, url: UrlId, score: f32) {
        // Of what is restored and was not saved, the relevance of the page is known that it was found on.
        let on_disk = (score < SEED).then_some(score);
        self.waiting.entry(url).or_insert_with(|| Evidence::of_disk(on_disk));
    }

    fn on_page(&mut self, page: &PageView<'_>, relevance: Relevance, pool: &mut Pool) {
        self.read += 1;
        let relevance = self.pages.add(page, relevance.0);
        if let Some(evidence) = self.done(page.url) {
            self.answers.learn(&evidence, true, &mut self.places);
            self.learn(&evidence, relevance);
            self.pages.stands(evidence.places(), relevance);
            if let Some(child) = self.pages.number(page.url) {
                evidence.parents.iter().for_each(|parent| self.pages.join(*parent, child));
            }
        }
        if self.read >= self.due {
            self.judge_anew(page.topic, pool);
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
            match answered {
                true => self.redirected.keep(url, Some(evidence)),
                false => self.learn(&evidence, 0.0),
            }
        }
    }

    fn before_take(&mut self, pool: &mut Pool) {
        self.drawn = None;
        if self.found.is_empty() || self.dice.random::<f32>() >= self.exploring() {
            return;
        }
        while !self.found.is_empty() {
            let place = self.dice.random_range(0..self.found.len());
            let drawn = self.found.swap_remove(place);
            if pool.has(drawn) {
                self.found.push(drawn);
                pool.lift(drawn);
                self.drawn = Some(drawn);
                return;
            }
        }
    }

    fn taken(&mut self, url: UrlId) {
        if let Some(evidence) = self.waiting.remove(&url) {
            self.under_way.insert(url, (evidence, self.drawn == Some(url)));
        }
    }

    fn on_verdict(&mut self, verdict: &Verdict<'_>, pool: &mut Pool) {
        if let Some((places, differs)) = self.pages.hear(verdict) {
            self.places.correct(places, differs);
        }
        self.judge_anew(verdict.topic, pool);
    }

    fn save(&self) -> Option<Vec<u8>> {
        self.written()
    }

    fn load(&mut self, saved: &[u8]) -> Result<(), String> {
        self.take_up(saved)
    }

    fn parts(&self, url: UrlId) -> Vec<Part> {
        let Some((evidence, drawn)) = self.known(url) else { return Vec::new() };
        let made = self.made_of(evidence);
        let mut parts = vec![
            part("parents", made.parents - made.ahead),
            part("other links of the parents", made.ahead),
            part("words of the link", made.words),
            part("pages that mention them", made.mentions),
            part("site, folder and place", made.places),
        ];
        if self.parameters.rate > 0.0 {
            parts.push(part("such links before", made.residual));
        }
        parts.push(part(LIKELY, made.answers));
        if drawn {
            parts.push(part("drawn to explore", self.exploring()));
        }
        parts
    }

    fn notes(&self, url: UrlId) -> Explanation {
        let Some((evidence, _)) = self.known(url) else { return Vec::new() };
        vec![format!("{} pages that were read link to it", evidence.parents.len())]
    }
}

#[cfg(test)]
mod tests;
