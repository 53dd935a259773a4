//! What waits, when scores change while it waits? All of it, in memory, in the order of the scores as they
//! are now.

use crate::language_first::{self, LanguageFirst};
use crate::score::key;
use crate::{Choice, Explanation, Turn};
use lycosa_model::{Rank, Site, Spot, UrlId};
use std::collections::HashMap;

/// A URL that waits.
#[derive(Clone, Debug)]
struct Waiting {
    site: Site,
    /// Where it lies on disk.
    spot: Spot,
    /// Where it stands here.
    stands: Spot,
    score: f32,
}

/// URLs that wait, each with a score that may change.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    queue: LanguageFirst,
    waiting: HashMap<UrlId, Waiting>,
}

impl Pool {
    /// An empty pool; see [`Setup`](crate::Setup) for `strict`.
    pub(crate) fn new(strict: bool) -> Pool {
        Pool { queue: LanguageFirst::new(strict, false), waiting: HashMap::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    pub(crate) fn has(&self, url: UrlId) -> bool {
        self.waiting.contains_key(&url)
    }

    pub(crate) fn score(&self, url: UrlId) -> Option<f32> {
        self.waiting.get(&url).map(|waiting| waiting.score)
    }

    /// Lets a URL wait with a score.
    pub(crate) fn offer(&mut self, site: &Site, url: UrlId, spot: Spot, score: f32) {
        let stands = place(spot, score);
        let waiting = Waiting { site: site.clone(), spot, stands, score };
        if let Some(before) = self.waiting.insert(url, waiting) {
            self.queue.remove(&before.site, before.stands);
        }
        self.queue.offer(site, url, stands);
    }

    /// Changes the score of a URL that waits. Tells whether it waits.
    pub(crate) fn rescore(&mut self, url: UrlId, score: f32) -> bool {
        let Some(waiting) = self.waiting.get_mut(&url) else { return false };
        let stands = place(waiting.spot, score);
        waiting.score = score;
        if stands != waiting.stands {
            self.queue.shift(&waiting.site, waiting.stands, stands);
            waiting.stands = stands;
        }
        true
    }

    /// Lets a URL wait no longer.
    pub(crate) fn remove(&mut self, url: UrlId) {
        if let Some(waiting) = self.waiting.remove(&url) {
            self.queue.remove(&waiting.site, waiting.stands);
        }
    }

    /// Lets a URL that waits stand before all others, with the score that it has.
    pub(crate) fn lift(&mut self, url: UrlId) {
        let Some(waiting) = self.waiting.get_mut(&url) else { return };
        let stands = place(waiting.spot, f32::INFINITY);
        self.queue.shift(&waiting.site, waiting.stands, stands);
        waiting.stands = stands;
    }

    /// Whether a URL stands before all others whatever its score.
    pub(crate) fn is_lifted(&self, url: UrlId) -> bool {
        self.waiting.get(&url).is_some_and(|one| one.stands == place(one.spot, f32::INFINITY))
    }

    /// The first URL of the sites that may be asked.
    pub(crate) fn best(&self) -> Option<UrlId> {
        self.queue.peek()
    }

    /// Takes up to `k` URLs in the order of their scores.
    pub(crate) fn take(&mut self, k: usize, turn: &mut dyn FnMut(&Site) -> Turn) -> Vec<Choice> {
        let taken = self.queue.take(k, turn);
        taken.into_iter().filter_map(|taken| self.choice(taken.url)).collect()
    }

    /// Takes one of the wanted language, if there is one that may be taken.
    pub(crate) fn take_wanted(&mut self, turn: &mut dyn FnMut(&Site) -> Turn) -> Option<Choice> {
        let taken = self.queue.take_wanted(turn)?;
        self.choice(taken.url)
    }

    /// See [`LanguageFirst::awaits`].
    pub(crate) fn awaits(&self) -> bool {
        self.queue.awaits()
    }

    fn choice(&mut self, url: UrlId) -> Option<Choice> {
        let Waiting { site, spot, score, .. } = self.waiting.remove(&url)?;
        Some(Choice { url, site, spot, score, agent: None })
    }

    pub(crate) fn wake(&mut self, site: &Site) {
        self.queue.wake(site);
    }

    /// Says the score of a URL under this name, and what else is to be said of a spot.
    pub(crate) fn explain(&self, url: UrlId, spot: Spot, name: &str) -> Explanation {
        let mut why = language_first::explain(spot);
        if let Some(score) = self.score(url) {
            why.insert(0, format!("{name} {score:.3}"));
        }
        why
    }
}

/// Where a URL of this spot stands with this score.
fn place(spot: Spot, score: f32) -> Spot {
    Spot { rank: Rank::new(spot.rank.is_wanted(), key(score)), place: spot.place }
}
