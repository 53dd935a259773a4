//! Best-first: the links of the most relevant page first (MySpiders' second crawler).
//!
//! The priority of a link is the relevance of the page on which it was first found; later discoveries
//! do not move it.

use crate::language_first::{self, LanguageFirst};
use crate::{Choice, Explanation, LinkEvidence, Strategy, Turn};
use lycosa_model::{Rank, Site, Spot, UrlId};

/// The key of a score: the largest score has the smallest key, in the order of [`f32::total_cmp`].
fn key(score: f32) -> u32 {
    let bits = score.to_bits();
    let ascending = if bits >> 31 == 0 { bits | SIGN } else { !bits };
    !ascending
}

/// The score of a key.
fn score(rank: Rank) -> f32 {
    let ascending = !rank.key();
    f32::from_bits(if ascending & SIGN == 0 { !ascending } else { ascending & !SIGN })
}

const SIGN: u32 = 1 << 31;

/// See the module. The key is the relevance of the parent.
#[derive(Clone, Debug)]
pub struct BestFirst {
    queue: LanguageFirst,
}

impl BestFirst {
    /// An empty queue; see [`by_name`](crate::by_name) for `strict`.
    pub fn new(strict: bool) -> BestFirst {
        BestFirst { queue: LanguageFirst::new(strict, false) }
    }
}

impl Strategy for BestFirst {
    fn name(&self) -> &'static str {
        "best-first"
    }

    fn rank(&self, link: &LinkEvidence<'_>) -> Rank {
        // A person's seed is as good as the best page.
        let score = if link.seed { 1.0 } else { link.parent_relevance };
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

    fn next(&mut self, k: usize, turn: &mut dyn FnMut(&Site) -> Turn, out: &mut Vec<Choice>) {
        let taken = self.queue.take(k, turn);
        out.extend(taken.into_iter().map(|taken| taken.chosen(score(taken.spot.rank))));
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

    fn loaded(&self) -> usize {
        self.queue.len()
    }

    fn wants_evidence(&self) -> bool {
        true
    }
}
