//! What do all strategies share that score every link anew as they learn? The pool, and how it is served.

use crate::pool::Pool;
use crate::score::{SEED, key, score};
use crate::why::{self, Named, SEED_PART};
use crate::{Choice, Explanation, LinkEvidence, PageView, Relevance, Strategy, Turn, Verdict};
use lycosa_model::{Outcome, Part, Rank, Site, Spot, Tick, UrlId, Why};
use std::time::Duration;

/// How often the first of the pool is looked at again before it is taken.
const LOOKS: usize = 8;

/// A first that has lost less than this is still the first.
const SLACK: f32 = 0.005;

/// What such a strategy is asked.
pub(crate) trait Scorer: Send {
    fn name(&self) -> &'static str;

    /// Takes note of a link, which is not a seed. Tells the score of its target by what is known now, or
    /// nothing when the link changes nothing.
    fn on_link(&mut self, link: &LinkEvidence<'_>) -> Option<f32>;

    /// The score by what is known now; nothing when nothing is known of the URL.
    fn score(&mut self, url: UrlId) -> Option<f32>;

    /// A URL of which nothing may be known (it is restored, or tried again) is shown with the score that it
    /// had on disk.
    fn offered(&mut self, _url: UrlId, _score: f32) {}

    fn on_page(&mut self, _page: &PageView<'_>, _relevance: Relevance, _pool: &mut Pool) {}

    fn on_fail(&mut self, _url: UrlId, _why: Outcome) {}

    /// Something is about to be taken.
    fn before_take(&mut self, _pool: &mut Pool) {}

    fn taken(&mut self, _url: UrlId) {}

    /// What the score is made of, of a URL that waits or was named; nothing when nothing is known of it.
    fn parts(&self, url: UrlId) -> Vec<Part>;

    /// A person says what a page is worth.
    fn on_verdict(&mut self, _verdict: &Verdict<'_>, _pool: &mut Pool) {}

    /// What was learned that the disk does not have; see [`Strategy::save`].
    fn save(&self) -> Option<Vec<u8>> {
        None
    }

    /// See [`Strategy::load`].
    fn load(&mut self, _saved: &[u8]) -> Result<(), String> {
        Ok(())
    }

    /// What is to be said besides.
    fn notes(&self, _url: UrlId) -> Explanation {
        Vec::new()
    }
}

/// A strategy over a pool. See the module.
#[derive(Debug)]
pub(crate) struct Pooled<S> {
    pub(crate) pool: Pool,
    pub(crate) scorer: S,
    named: Named,
}

impl<S: Scorer> Pooled<S> {
    pub(crate) fn new(strict: bool, scorer: S) -> Pooled<S> {
        Pooled { pool: Pool::new(strict), scorer, named: Named::default() }
    }

    /// Scores the first of the pool anew until it stays the first.
    fn settle(&mut self) {
        for _ in 0..LOOKS {
            let Some(first) = self.pool.best() else { return };
            let Some(before) = self.pool.score(first).filter(|_| !self.pool.is_lifted(first))
            else {
                return;
            };
            let Some(now) = self.scorer.score(first).filter(|_| before < SEED) else { return };
            if before - now <= SLACK {
                return;
            }
            self.pool.rescore(first, now);
        }
    }
}

impl<S: Scorer> Strategy for Pooled<S> {
    fn name(&self) -> &'static str {
        self.scorer.name()
    }

    fn rank(&self, link: &LinkEvidence<'_>) -> Rank {
        // What it is worth is found out in memory; the disk has what best-first would say.
        let score = if link.seed { SEED } else { link.parent_relevance };
        Rank::new(link.wanted_language || link.seed, key(score))
    }

    fn on_link(&mut self, link: &LinkEvidence<'_>) {
        if link.seed {
            return;
        }
        if let Some(score) = self.scorer.on_link(link)
            && self.pool.score(link.url).is_some_and(|before| before < SEED)
        {
            self.pool.rescore(link.url, score);
        }
    }

    fn on_page(&mut self, page: &PageView<'_>, relevance: Relevance) {
        self.scorer.on_page(page, relevance, &mut self.pool);
    }

    fn on_fail(&mut self, url: UrlId, why: Outcome, _took: Duration) {
        self.scorer.on_fail(url, why);
    }

    fn offer(&mut self, site: &Site, url: UrlId, spot: Spot) {
        let on_disk = score(spot.rank);
        self.scorer.offered(url, on_disk);
        let known = self.scorer.score(url).filter(|_| on_disk < SEED);
        self.pool.offer(site, url, spot, known.unwrap_or(on_disk));
    }

    fn next(
        &mut self,
        _now: Tick,
        k: usize,
        turn: &mut dyn FnMut(&Site) -> Turn,
        out: &mut Vec<Choice>,
    ) {
        self.named.begin();
        for _ in 0..k {
            self.scorer.before_take(&mut self.pool);
            self.settle();
            let taken = self.pool.take(1, turn);
            if taken.is_empty() {
                return;
            }
            for choice in taken {
                self.scorer.taken(choice.url);
                self.named.note(choice.url, choice.score);
                out.push(choice);
            }
        }
    }

    fn wake(&mut self, site: &Site) {
        self.pool.wake(site);
    }

    fn explain(&self, url: UrlId, spot: Spot) -> Explanation {
        let mut why = why::sentences(&self.scorer.parts(url));
        why.extend(self.scorer.notes(url));
        why.extend(self.pool.explain(url, spot, "score"));
        why
    }

    fn why(&self, url: UrlId) -> Option<Why> {
        let score = self.pool.score(url).or_else(|| self.named.score(url))?;
        Some(why::of(match score >= SEED {
            true => vec![why::part(SEED_PART, score)],
            false => self.scorer.parts(url),
        }))
    }

    fn on_verdict(&mut self, verdict: &Verdict<'_>) {
        self.scorer.on_verdict(verdict, &mut self.pool);
    }

    fn save(&self) -> Option<Vec<u8>> {
        self.scorer.save()
    }

    fn load(&mut self, saved: &[u8]) -> Result<(), String> {
        self.scorer.load(saved)
    }

    fn loaded(&self) -> usize {
        self.pool.len()
    }

    fn window(&self) -> Option<usize> {
        None
    }

    fn wants_evidence(&self) -> bool {
        true
    }
}
