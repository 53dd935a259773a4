//! One mobile agent: where it stands, where it came from, and its dice. That is all of it, so it can be
//! suspended, sent as bytes and resumed elsewhere, and goes on as it would have.

use super::WalkerParameters;
use crate::dice::Dice;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// A walker. `N` is how pages are named: by number in a study, by digest in a crawl.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Walker<N> {
    /// Its number among all that ever were.
    pub number: u64,
    /// Who cloned itself.
    pub parent: Option<u64>,
    /// The round of its birth.
    pub born: u64,
    /// Where it stands.
    pub at: N,
    /// Where it goes next, if that is decided.
    next: Option<N>,
    /// Where it came from, the last page last.
    back: VecDeque<N>,
    /// Whether it has met its fate on that page.
    #[serde(default)]
    arrived: bool,
    /// Pages that it stood on.
    #[serde(default)]
    pub pages: u64,
    /// Hops since it stood on a page that nobody had visited.
    idle: u64,
    dice: Dice,
}

/// How a walker left a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hop {
    /// By a link.
    Link,
    /// Back to where it came from: the page has no links.
    Back,
    /// To a seed: there was no way back, or its patience was at an end.
    Seed,
}

impl<N: Copy + PartialEq> Walker<N> {
    pub(super) fn new(number: u64, at: N, dice: Dice) -> Walker<N> {
        let back = VecDeque::new();
        let (arrived, pages) = (false, 0);
        Walker {
            number,
            parent: None,
            born: 0,
            at,
            next: None,
            back,
            arrived,
            pages,
            idle: 0,
            dice,
        }
    }

    /// Moves one hop; `links` are those of the page where it stands, each target once.
    pub fn hop(&mut self, links: &[N], seeds: &[N], parameters: &WalkerParameters) -> Hop {
        self.idle += 1;
        self.arrived = false;
        if parameters.patience > 0 && self.idle > parameters.patience {
            self.begin_anew(seeds);
            return Hop::Seed;
        }
        let decided = self.next.take();
        if let Some(to) = decided.or_else(|| links.get(self.dice.below(links.len())).copied()) {
            self.back.push_back(self.at);
            if self.back.len() > parameters.back {
                self.back.pop_front();
            }
            self.at = to;
            return Hop::Link;
        }
        if let Some(before) = self.back.pop_back() {
            self.at = before;
            return Hop::Back;
        }
        self.begin_anew(seeds);
        Hop::Seed
    }

    fn begin_anew(&mut self, seeds: &[N]) {
        self.idle = 0;
        self.next = None;
        self.back.clear();
        if let Some(seed) = seeds.get(self.dice.below(seeds.len())) {
            self.at = *seed;
        }
    }

    /// It stands on a page; `news` when nobody had visited it.
    pub(super) fn arrive(&mut self, news: bool) {
        self.arrived = true;
        self.pages += 1;
        if news {
            self.idle = 0;
        }
    }

    /// All of its numbers that only grow.
    pub(super) fn counts(&self) -> [u64; 4] {
        [self.number, self.born, self.pages, self.idle]
    }

    /// The page that it came from.
    pub(super) fn came_from(&self) -> Option<N> {
        self.back.back().copied()
    }

    pub(super) fn has_arrived(&self) -> bool {
        self.arrived
    }

    /// Goes back to the page that it came from, without a hop: the one before it cannot be had for a while.
    /// Tells whether there is a way back.
    pub(super) fn turn_back(&mut self) -> bool {
        let Some(before) = self.back.pop_back() else { return false };
        (self.at, self.next, self.arrived) = (before, None, true);
        true
    }

    /// Is put before a page from nowhere.
    pub(super) fn put(&mut self, at: N) {
        (self.at, self.next, self.arrived, self.idle) = (at, None, false, 0);
        self.back.clear();
    }

    pub(super) fn share(&mut self) -> f64 {
        self.dice.share()
    }

    /// A child on the same page. Both leave it by different links, if it has two.
    pub(super) fn cloned(&mut self, number: u64, born: u64, links: &[N]) -> Walker<N> {
        let mut child = self.clone();
        child.number = number;
        child.parent = Some(self.number);
        child.born = born;
        child.pages = 0;
        child.dice = self.dice.split();
        if !links.is_empty() {
            let mine = self.dice.below(links.len());
            let others = links.len().saturating_sub(1).max(1);
            let further = if links.len() > 1 { 1 + self.dice.below(others) } else { 0 };
            self.next = links.get(mine).copied();
            child.next = links.get((mine + further) % links.len()).copied();
        }
        child
    }
}
