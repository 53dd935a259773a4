//! Breadth-first: the nearest to a seed first, and in the order of discovery among equals.

use crate::language_first::{self, LanguageFirst};
use crate::{Choice, Explanation, LinkEvidence, Strategy, Turn};
use lycosa_model::{Rank, Site, Spot, Tick, UrlId};

/// See the module. The key is the depth.
#[derive(Clone, Debug)]
pub struct BreadthFirst {
    queue: LanguageFirst,
}

impl BreadthFirst {
    /// An empty queue; see [`by_name`](crate::by_name) for `strict`.
    pub fn new(strict: bool) -> BreadthFirst {
        BreadthFirst { queue: LanguageFirst::new(strict, true) }
    }
}

/// One link deeper scores lower; nothing else counts.
fn score(rank: Rank) -> f32 {
    1.0 / (1.0 + rank.key() as f32)
}

impl Strategy for BreadthFirst {
    fn name(&self) -> &'static str {
        "breadth-first"
    }

    fn rank(&self, link: &LinkEvidence<'_>) -> Rank {
        Rank::new(link.wanted_language || link.seed, link.depth)
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
        let taken = self.queue.take(k, turn);
        out.extend(taken.into_iter().map(|taken| taken.chosen(score(taken.spot.rank))));
    }

    fn wake(&mut self, site: &Site) {
        self.queue.wake(site);
    }

    fn explain(&self, _url: UrlId, spot: Spot) -> Explanation {
        let depth = spot.rank.key();
        let mut why = language_first::explain(spot);
        why.insert(0, format!("depth {depth}: {depth} links from a seed"));
        why
    }

    fn loaded(&self) -> usize {
        self.queue.len()
    }
}
