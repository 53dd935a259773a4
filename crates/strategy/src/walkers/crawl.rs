//! Walkers as a strategy: they walk on the pages that were read, and name the first that was not.

use super::colony::{Colony, Fate, Graph};
use super::walker::Walker;
use super::{Kind, WalkerParameters};
use crate::agent_log::AgentLog;
use crate::dice::Dice;
use crate::score::{SEED, key};
use crate::terrain::{Asked, State, Terrain, signed};
use crate::{
    Choice, Explanation, LinkEvidence, PageView, Relevance, Setup, Strategy, Turn, Untended,
    WINDOW, why,
};
use lycosa_model::{
    AgentEvent, AgentView, Care, Deed, Outcome, Rank, Site, Spot, Tended, Tick, UrlId, Why,
};
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

/// Hops over pages that were read, for one choice. Who finds nothing new in so many is put before a page
/// that waits: what is left is out of reach.
const MOST_HOPS: usize = 20_000;

/// Pages whose links are kept; of older ones they are forgotten, and who stands there goes back.
const MOST_PAGES: usize = 20_000;

/// Pages on which marks are kept, and relevances of pages that nobody has reached yet.
const MOST_MARKS: usize = 500_000;

/// The pages that were read and their links.
#[derive(Debug, Default)]
pub(super) struct Links {
    pub(super) of: HashMap<UrlId, Vec<UrlId>>,
    /// The same in the order in which they came.
    order: VecDeque<UrlId>,
}

impl Graph<UrlId> for Links {
    fn links(&self, page: UrlId) -> &[UrlId] {
        self.of.get(&page).map_or(&[], Vec::as_slice)
    }
}

impl Links {
    /// A page is read anew.
    fn begin(&mut self, page: UrlId) {
        if let Some(links) = self.of.get_mut(&page) {
            links.clear();
        }
    }

    /// The last pages that came.
    pub(super) fn last(&self, count: usize) -> Vec<UrlId> {
        self.order.iter().rev().take(count).copied().collect()
    }

    pub(super) fn add(&mut self, page: UrlId, link: UrlId) {
        if !self.of.contains_key(&page) {
            self.order.push_back(page);
            if self.order.len() > MOST_PAGES
                && let Some(oldest) = self.order.pop_front()
            {
                self.of.remove(&oldest);
            }
        }
        self.of.entry(page).or_default().push(link);
    }
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Walkers {
    pub(super) kind: Kind,
    pub(super) colony: Colony<UrlId>,
    /// Seeds at which nobody has begun yet.
    pub(super) starts: Vec<UrlId>,
    /// Walkers that are wanted to begin with, at all seeds together, and have not begun yet.
    pub(super) wanted: Option<usize>,
    terrain: Terrain,
    pub(super) links: Links,
    pub(super) dice: Dice,
    pub(super) log: AgentLog,
    relevances: HashMap<UrlId, f32>,
}

pub(super) fn name(number: u64) -> String {
    format!("walker-{}", number + 1)
}

impl Walkers {
    pub(crate) fn new(kind: Kind, setup: &Setup, parameters: &WalkerParameters) -> Walkers {
        let mut colony = Colony::new(kind, parameters.clone(), setup.seed);
        colony.make_room(setup.agents.unwrap_or_default());
        Walkers {
            kind,
            colony,
            starts: Vec::new(),
            wanted: setup.agents.map(|agents| agents.max(1)),
            terrain: Terrain::default(),
            links: Links::default(),
            dice: Dice::new(setup.seed ^ 0x7761_6c6b),
            log: AgentLog::default(),
            relevances: HashMap::new(),
        }
    }

    /// Walkers begin at the seeds that came: some at each, or as many as are wanted at all of them.
    fn populate(&mut self, now: Tick) {
        let mut starts = std::mem::take(&mut self.starts);
        if starts.is_empty() && self.colony.seeds().is_empty() {
            // A crawl that was resumed has no seeds: whoever waits is one.
            starts.extend(self.terrain.any(&mut self.dice));
        }
        if starts.is_empty() {
            return;
        }
        let before = self.colony.walkers().len();
        match self.wanted {
            None => starts.iter().for_each(|start| self.colony.settle(*start)),
            Some(wanted) => {
                starts.iter().for_each(|start| self.colony.add_seed(*start));
                // One of each seed is enough for `single`.
                let most = if self.kind == Kind::Single { starts.len() } else { usize::MAX };
                let begin = wanted.min(most);
                for number in 0..begin {
                    self.colony.start(starts[number % starts.len()], 1);
                }
                self.wanted = Some(wanted - begin);
            }
        }
        for walker in &self.colony.walkers()[before..] {
            self.log.tell(now, name(walker.number), born(None));
        }
    }

    /// One round. Tells whether any walker moved, and whether more may be named.
    fn round(
        &mut self,
        now: Tick,
        k: usize,
        turn: &mut dyn FnMut(&Site) -> Turn,
        out: &mut Vec<Choice>,
    ) -> (usize, bool) {
        let mut walkers = self.colony.begin_round();
        let mut alive = walkers.len();
        let (mut moved, mut may) = (0, true);
        // Who was first in one round is last in the next, so that all have the same chance to be named.
        if !walkers.is_empty() {
            let first = self.colony.rounds() as usize % walkers.len();
            walkers.rotate_left(first);
        }
        for mut walker in walkers {
            match self.terrain.state(walker.at) {
                State::Waiting if may && out.len() < k => {
                    let (asked, choice) = self.terrain.ask(walker.at, now, turn);
                    if let Some(choice) = choice {
                        out.push(signed(choice, 0.0, &name(walker.number)));
                    }
                    may &= !matches!(asked, Asked::Stop);
                    if matches!(asked, Asked::Later) {
                        moved += usize::from(self.leave(&mut walker));
                    }
                    self.colony.keep(walker);
                }
                State::Waiting | State::UnderWay => self.colony.keep(walker),
                _ if walker.has_arrived() => {
                    moved += 1;
                    let links = self.links.links(walker.at);
                    self.colony.hop(walker, links);
                }
                _ => {
                    moved += 1;
                    self.meet(now, walker, &mut alive);
                }
            }
        }
        (moved, may)
    }

    /// A page cannot be had for a while: back to where it came from, else before another page that waits.
    fn leave(&mut self, walker: &mut Walker<UrlId>) -> bool {
        if walker.turn_back() {
            return true;
        }
        let other = self.terrain.any(&mut self.dice);
        other.map(|url| walker.put(url)).is_some()
    }

    fn meet(&mut self, now: Tick, walker: Walker<UrlId>, alive: &mut usize) {
        let (number, at) = (walker.number, walker.at);
        let is_news = self.colony.trail(at).is_none();
        let fate = self.colony.meet(walker, self.links.links(at), alive);
        if is_news && self.terrain.state(at) == State::Read {
            let relevance = self.relevances.remove(&at).unwrap_or_default();
            self.log.tell(now, name(number), Deed::Visited { url: at, relevance, energy: 0.0 });
        }
        match fate {
            Fate::Moves => {}
            Fate::Dies => self.log.tell(now, name(number), Deed::Died { energy: 0.0 }),
            Fate::Clones => {
                if let Some(child) = self.colony.walkers().last() {
                    self.log.tell(now, name(child.number), born(Some(name(number))));
                }
            }
        }
    }

    /// Puts a walker that is not waiting for anything before a page that waits.
    fn help(&mut self) -> bool {
        let Some(url) = self.terrain.any(&mut self.dice) else { return false };
        let mut walkers = self.colony.begin_round();
        let is_free = |walker: &&mut Walker<UrlId>| {
            !matches!(self.terrain.state(walker.at), State::Waiting | State::UnderWay)
        };
        let found = walkers.iter_mut().find(is_free).map(|walker| walker.put(url)).is_some();
        walkers.into_iter().for_each(|walker| self.colony.keep(walker));
        found
    }
}

pub(super) fn born(parent: Option<String>) -> Deed {
    Deed::Born { parent, energy: 0.0, keywords: Vec::new() }
}

impl Strategy for Walkers {
    fn name(&self) -> &'static str {
        match self.kind {
            Kind::Single => "walkers:single",
            Kind::Multiple => "walkers:multiple",
            Kind::Cloning => "walkers:cloning",
            Kind::Immune => "walkers:immune",
        }
    }

    fn rank(&self, link: &LinkEvidence<'_>) -> Rank {
        // Chance decides in memory; on disk it is the order of discovery, seeds first.
        Rank::new(link.wanted_language || link.seed, key(if link.seed { SEED } else { 0.0 }))
    }

    fn on_link(&mut self, link: &LinkEvidence<'_>) {
        match link.via {
            // Who began at a seed that redirects gets to where it leads by itself.
            Some(via) => self.links.add(via, link.url),
            None if link.seed => self.starts.push(link.url),
            None => {}
        }
    }

    fn on_page(&mut self, page: &PageView<'_>, relevance: Relevance) {
        self.terrain.end(page.url, true);
        self.links.begin(page.url);
        self.colony.forget(MOST_MARKS);
        if self.colony.trail(page.url).is_none() {
            if self.relevances.len() >= MOST_MARKS {
                self.relevances.clear();
            }
            self.relevances.insert(page.url, relevance.0);
        }
    }

    fn on_fail(&mut self, url: UrlId, _why: Outcome, _took: Duration) {
        self.terrain.end(url, false);
    }

    fn offer(&mut self, site: &Site, url: UrlId, spot: Spot) {
        self.terrain.offer(site, url, spot);
    }

    fn next(
        &mut self,
        now: Tick,
        k: usize,
        turn: &mut dyn FnMut(&Site) -> Turn,
        out: &mut Vec<Choice>,
    ) {
        self.terrain.give_up(now);
        self.populate(now);
        if !self.terrain.is_open() {
            return;
        }
        let end = out.len() + k;
        let mut hops = 0;
        while out.len() < end && self.terrain.len() > 0 {
            let (moved, may) = self.round(now, end, turn, out);
            hops += moved;
            if !may || moved == 0 {
                return;
            }
            if hops > MOST_HOPS {
                hops = 0;
                if !self.help() {
                    return;
                }
            }
        }
    }

    fn wake(&mut self, site: &Site) {
        self.terrain.wake(site);
    }

    fn explain(&self, url: UrlId, _spot: Spot) -> Explanation {
        let walkers = self.colony.walkers();
        let here: Vec<String> =
            walkers.iter().filter(|walker| walker.at == url).map(|w| name(w.number)).collect();
        let mut why = vec![match here.is_empty() {
            true => {
                "no walker stands before it; one that takes a link to it will name it".to_owned()
            }
            false => format!("{} stands before it", here.join(", ")),
        }];
        why.push(format!(
            "round {}, {} walkers alive, pheromone {:.3} (0 where nobody was)",
            self.colony.rounds(),
            walkers.len(),
            self.colony.pheromone(url)
        ));
        why
    }

    fn why(&self, url: UrlId) -> Option<Why> {
        let walker = self.colony.walkers().iter().find(|walker| walker.at == url)?;
        let mut parts = Vec::new();
        if let Some(from) = walker.came_from() {
            let links = self.links.links(from).len().max(1);
            parts.push(why::part("chance of the link", 1.0 / links as f32));
        } else {
            parts.push(why::part("start page", 1.0));
        }
        parts.push(why::part("population", self.colony.walkers().len() as f32));
        let pheromone = self.colony.pheromone(walker.came_from().unwrap_or(url)) as f32;
        Some(Why { parts, pheromone: Some(pheromone), ..Why::default() })
    }

    fn tend(&mut self, now: Tick, agent: &str, how: Care) -> Result<Tended, Untended> {
        self.take_care(now, agent, how)
    }

    fn save(&self) -> Option<Vec<u8>> {
        self.written()
    }

    fn load(&mut self, saved: &[u8]) -> Result<(), String> {
        self.take_up(saved)
    }

    fn loaded(&self) -> usize {
        self.terrain.len()
    }

    fn log(&mut self, out: &mut Vec<AgentEvent>) {
        self.log.take(out);
    }

    fn agents(&self) -> Vec<AgentView> {
        let view = |walker: &Walker<UrlId>| AgentView {
            name: name(walker.number),
            kind: "walker".into(),
            parent: walker.parent.map(name),
            alive: true,
            pages: walker.pages,
            location: Some(walker.at),
            note: format!("born in round {} of {}", walker.born, self.colony.rounds()),
            ..AgentView::default()
        };
        self.colony.walkers().iter().take(WINDOW * WINDOW).map(view).collect()
    }

    fn window(&self) -> Option<usize> {
        None
    }
}
