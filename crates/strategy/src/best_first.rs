//! Best-first: the links of the most relevant page first (MySpiders' second crawler).
//!
//! The priority of a link is the relevance of the page on which it was first found; later discoveries
//! do not move it.

use crate::language_first::{self, LanguageFirst};
use crate::score::{SEED, key, score};
use crate::why::{self, Named, SEED_PART};
use crate::{Choice, Explanation, LinkEvidence, Strategy, Turn};
use lycosa_model::{Rank, Site, Spot, Tick, UrlId, Why};

/// See the module. The key is the relevance of the parent.
#[derive(Clone, Debug)]
pub struct BestFirst {
    queue: LanguageFirst,
    named: Named,
}

impl BestFirst {
    /// An empty queue; see [`by_name`](crate::by_name) for `strict`.
    pub fn new(strict: bool) -> BestFirst {
        BestFirst { queue: LanguageFirst::new(strict, false), named: Named::default() }
    }
}

impl Strategy for BestFirst {
    fn name(&self) -> &'static str {
        "best-first"
    }

    fn rank(&self, link: &LinkEvidence<'_>) -> Rank {
        // A person's seed is as good as the best page.
        let score = if link.seed { SEED } else { link.parent_relevance };
        Rank::new(link.wanted_language || link.seed, key(score))
    }

    fn offer(&mut self, site: &Site, url: UrlId, spot: Spot) {
        self.queue.offer(site, url, spot);
    }

    fn first(&self, site: &Site) -> Option<(Spot, UrlId)> {
        self.queue.first(site)
    }

    fn trim(&mut self, site: &Site, keep: usize) -> Option<Spot> {
        self.queue.trim(site, keep)
    }

    fn next(
        &mut self,
        _now: Tick,
        k: usize,
        turn: &mut dyn FnMut(&Site) -> Turn,
        out: &mut Vec<Choice>,
    ) {
        self.named.begin();
        for taken in self.queue.take(k, turn) {
            let score = score(taken.spot.rank);
            self.named.note(taken.url, score);
            out.push(taken.chosen(score));
        }
    }

    fn wake(&mut self, site: &Site) {
        self.queue.wake(site);
    }

    fn explain(&self, _url: UrlId, spot: Spot) -> Explanation {
        let score = score(spot.rank);
        let mut why = language_first::explain(spot);
        why.insert(0, format!("relevance {score:.3} of the page it was first found on"));
        why
    }

    fn why(&self, url: UrlId) -> Option<Why> {
        let score = self.named.score(url)?;
        let name = if score >= SEED { SEED_PART } else { "parent" };
        Some(why::of(vec![why::part(name, score)]))
    }

    fn loaded(&self) -> usize {
        self.queue.len()
    }

    fn wants_evidence(&self) -> bool {
        true
    }
}
