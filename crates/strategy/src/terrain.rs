//! What do agents walk on? The pages that were read and their links, what waits to be fetched, and what is
//! on its way. Agents move over pages that were read at no cost; whoever stands before one that waits names
//! it and stays there until it has come.

use crate::dice::Dice;
use crate::{Choice, Turn};
use lycosa_model::{Site, Spot, Tick, UrlId};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// A page that has not come after this time is taken for lost.
const LOST: Duration = Duration::from_secs(600);

/// Pages of which it is remembered how they ended; of earlier ones it is forgotten.
const MOST_ENDED: usize = 500_000;

/// What is known of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Nobody may fetch it: it is out of reach, or was fetched in another run.
    Unknown,
    /// It may be named.
    Waiting,
    /// It was named.
    UnderWay,
    /// It came.
    Read,
    /// It did not come.
    Failed,
}

/// How a page that waits was met.
#[derive(Debug)]
pub(crate) enum Asked {
    /// It was named.
    Given,
    /// Its site rests for a moment.
    Soon,
    /// Its site rests for longer.
    Later,
    /// No more may be named.
    Stop,
}

#[derive(Clone, Debug)]
struct Waiting {
    site: Site,
    spot: Spot,
    /// Where it stands in `drawn`.
    place: usize,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Terrain {
    waiting: HashMap<UrlId, Waiting>,
    /// The same in no order, to draw from.
    drawn: Vec<UrlId>,
    /// How many wait of each site.
    by_site: HashMap<Site, usize>,
    /// How many wait of sites that were not set aside.
    awake: usize,
    /// Sites that were set aside, and whether for long.
    aside: HashMap<Site, bool>,
    under_way: BTreeSet<(Tick, UrlId)>,
    since: HashMap<UrlId, Tick>,
    ended: HashMap<UrlId, bool>,
    /// The same in the order in which they ended.
    order: VecDeque<UrlId>,
}

impl Terrain {
    pub(crate) fn state(&self, url: UrlId) -> State {
        if self.waiting.contains_key(&url) {
            State::Waiting
        } else if self.since.contains_key(&url) {
            State::UnderWay
        } else {
            match self.ended.get(&url) {
                Some(true) => State::Read,
                Some(false) => State::Failed,
                None => State::Unknown,
            }
        }
    }

    /// URLs that wait.
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// A URL that may be named.
    pub(crate) fn offer(&mut self, site: &Site, url: UrlId, spot: Spot) {
        self.arrive(url);
        self.ended.remove(&url);
        if !self.waiting.contains_key(&url) {
            let waiting = Waiting { site: site.clone(), spot, place: self.drawn.len() };
            self.drawn.push(url);
            self.waiting.insert(url, waiting);
            *self.by_site.entry(site.clone()).or_default() += 1;
            self.awake += usize::from(!self.aside.contains_key(site));
        }
    }

    /// Whether any site that was not set aside has a URL that waits. Who walks without one walks in vain.
    pub(crate) fn is_open(&self) -> bool {
        self.awake > 0
    }

    /// Any of those that wait and whose site was not set aside; the first of a few that are drawn.
    pub(crate) fn any(&self, dice: &mut Dice) -> Option<UrlId> {
        const TRIES: usize = 32;
        if self.awake == 0 {
            return None;
        }
        let is_awake = |url: &UrlId| {
            self.waiting.get(url).is_some_and(|waiting| !self.aside.contains_key(&waiting.site))
        };
        let mut draw = |_| self.drawn.get(dice.below(self.drawn.len())).copied();
        let drawn = (0..TRIES).filter_map(&mut draw).find(&is_awake);
        drawn.or_else(|| self.drawn.iter().copied().find(&is_awake))
    }

    /// Names a URL that waits, if its site may be asked.
    pub(crate) fn ask(
        &mut self,
        url: UrlId,
        now: Tick,
        turn: &mut dyn FnMut(&Site) -> Turn,
    ) -> (Asked, Option<Choice>) {
        let Some(waiting) = self.waiting.get(&url) else { return (Asked::Later, None) };
        match self.aside.get(&waiting.site) {
            Some(true) => return (Asked::Later, None),
            Some(false) => return (Asked::Soon, None),
            None => {}
        }
        match turn(&waiting.site) {
            Turn::Now => {
                let choice = self.remove(url).map(|Waiting { site, spot, .. }| Choice {
                    url,
                    site,
                    spot,
                    score: 0.0,
                    agent: None,
                });
                self.since.insert(url, now);
                self.under_way.insert((now, url));
                (Asked::Given, choice)
            }
            Turn::Stop => (Asked::Stop, None),
            rests => {
                let long = rests == Turn::Later;
                self.awake -= self.by_site.get(&waiting.site).copied().unwrap_or(0);
                self.aside.insert(waiting.site.clone(), long);
                (if long { Asked::Later } else { Asked::Soon }, None)
            }
        }
    }

    fn remove(&mut self, url: UrlId) -> Option<Waiting> {
        let waiting = self.waiting.remove(&url)?;
        self.drawn.swap_remove(waiting.place);
        if let Some(moved) = self.drawn.get(waiting.place)
            && let Some(moved) = self.waiting.get_mut(moved)
        {
            moved.place = waiting.place;
        }
        if let Some(count) = self.by_site.get_mut(&waiting.site) {
            *count -= 1;
            self.awake -= usize::from(!self.aside.contains_key(&waiting.site));
            if *count == 0 {
                self.by_site.remove(&waiting.site);
            }
        }
        Some(waiting)
    }

    fn arrive(&mut self, url: UrlId) {
        if let Some(since) = self.since.remove(&url) {
            self.under_way.remove(&(since, url));
        }
    }

    /// It came, or not.
    pub(crate) fn end(&mut self, url: UrlId, read: bool) {
        self.arrive(url);
        self.remove(url);
        if self.ended.insert(url, read).is_none() {
            self.order.push_back(url);
            if self.order.len() > MOST_ENDED
                && let Some(oldest) = self.order.pop_front()
            {
                self.ended.remove(&oldest);
            }
        }
    }

    /// Gives up what has been on its way for too long.
    pub(crate) fn give_up(&mut self, now: Tick) {
        while let Some(&(since, url)) = self.under_way.first()
            && now.since(since) >= LOST
        {
            self.end(url, false);
        }
    }

    pub(crate) fn wake(&mut self, site: &Site) {
        if self.aside.remove(site).is_some() {
            self.awake += self.by_site.get(site).copied().unwrap_or(0);
        }
    }
}

/// A choice with the agent that goes there.
pub(crate) fn signed(choice: Choice, score: f32, agent: &str) -> Choice {
    Choice { score, agent: Some(Arc::from(agent)), ..choice }
}
