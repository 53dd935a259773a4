//! What waits with one agent? Served by sites as their turns come, and looked at in the order of scores.

use super::frontier::Waiting;
use crate::pool::Pool;
use crate::score::key;
use crate::{Choice, Turn};
use lycosa_model::{ScoredUrl, Site, UrlId};
use std::collections::{BTreeSet, HashMap};

/// The URLs of one agent.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    pool: Pool,
    ranked: BTreeSet<(u32, u64, UrlId)>,
    stands: HashMap<UrlId, (u32, u64)>,
}

impl Queue {
    pub(super) fn new(strict: bool) -> Queue {
        Queue { pool: Pool::new(strict), ranked: BTreeSet::new(), stands: HashMap::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.stands.len()
    }

    pub(super) fn has(&self, url: UrlId) -> bool {
        self.stands.contains_key(&url)
    }

    pub(super) fn urls(&self) -> impl Iterator<Item = UrlId> + '_ {
        self.ranked.iter().map(|(_, _, url)| *url)
    }

    /// Lets a URL wait; one that waits already changes its score.
    pub(super) fn put(&mut self, url: UrlId, waiting: &Waiting) {
        self.forget_place(url);
        let Waiting { site, spot, score, .. } = waiting;
        match self.pool.has(url) {
            true => drop(self.pool.rescore(url, *score)),
            false => self.pool.offer(site, url, *spot, *score),
        }
        let place = (key(*score), spot.place);
        self.stands.insert(url, place);
        self.ranked.insert((place.0, place.1, url));
    }

    fn forget_place(&mut self, url: UrlId) -> bool {
        match self.stands.remove(&url) {
            Some((key, place)) => self.ranked.remove(&(key, place, url)),
            None => false,
        }
    }

    /// Takes a URL out. Tells whether it was there.
    pub(super) fn remove(&mut self, url: UrlId) -> bool {
        self.pool.remove(url);
        self.forget_place(url)
    }

    /// The best `n`, best first.
    pub(super) fn best(&self, n: usize) -> impl Iterator<Item = ScoredUrl> + '_ {
        let scored = |(_, _, url): &(u32, u64, UrlId)| {
            Some(ScoredUrl { url: *url, score: self.pool.score(*url)? })
        };
        self.ranked.iter().take(n).filter_map(scored)
    }

    /// Takes the best whose site may be asked; of the wanted language only, or of any.
    pub(super) fn take(
        &mut self,
        wanted: bool,
        turn: &mut dyn FnMut(&Site) -> Turn,
    ) -> Option<Choice> {
        let choice = match wanted {
            true => self.pool.take_wanted(turn)?,
            false => self.pool.take(1, turn).pop()?,
        };
        self.forget_place(choice.url);
        Some(choice)
    }

    /// Whether one of the wanted language is waited for.
    pub(super) fn awaits(&self) -> bool {
        self.pool.awaits()
    }

    pub(super) fn wake(&mut self, site: &Site) {
        self.pool.wake(site);
    }
}
