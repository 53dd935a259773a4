//! All walkers of a web, and what they leave on its pages.

use super::walker::{Hop, Walker};
use super::{Kind, WalkerParameters};
use crate::dice::Dice;
use crate::saved::check_counts;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::hash::Hash;

/// What walkers walk on.
pub trait Graph<N> {
    /// Where one can go from a page; each target once.
    fn links(&self, page: N) -> &[N];
}

/// What lies on a page: when it was visited last, and how long it usually takes until the next visit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trail {
    /// The round of the last visit.
    pub last: u64,
    /// Mean of the intervals between visits, the newer ones counting more; none before the second visit.
    pub mean: Option<f64>,
}

/// What happens to a walker on a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It goes on.
    Moves,
    /// It goes on, and so does a child.
    Clones,
    /// It ends here.
    Dies,
}

/// What has happened so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Moves of all walkers.
    pub hops: u64,
    /// Of these, back from a page without links.
    pub back: u64,
    /// Of these, to a seed.
    pub to_seeds: u64,
    /// Clones.
    pub births: u64,
    /// Walkers that ended.
    pub deaths: u64,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Colony<N> {
    kind: Kind,
    parameters: WalkerParameters,
    seeds: Vec<N>,
    trails: HashMap<N, Trail>,
    walkers: Vec<Walker<N>>,
    round: u64,
    numbers: u64,
    counts: Counts,
    dice: Dice,
}

/// Marks that are saved, the freshest ones.
const MOST_SAVED: usize = 50_000;

/// What of a colony is saved.
#[derive(Serialize, Deserialize)]
pub(super) struct SavedColony<N> {
    seeds: Vec<N>,
    trails: Vec<(N, Trail)>,
    walkers: Vec<Walker<N>>,
    round: u64,
    numbers: u64,
    counts: Counts,
    dice: Dice,
}

impl<N: Copy + Ord + Hash> Colony<N> {
    pub(super) fn save(&self) -> SavedColony<N> {
        let mut trails: Vec<(N, Trail)> = self.trails.iter().map(|(page, t)| (*page, *t)).collect();
        if trails.len() > MOST_SAVED {
            let fresh = |a: &(N, Trail), b: &(N, Trail)| {
                b.1.last.cmp(&a.1.last).then_with(|| a.0.cmp(&b.0))
            };
            trails.select_nth_unstable_by(MOST_SAVED, fresh);
            trails.truncate(MOST_SAVED);
        }
        SavedColony {
            seeds: self.seeds.clone(),
            trails,
            walkers: self.walkers.clone(),
            round: self.round,
            numbers: self.numbers,
            counts: self.counts,
            dice: self.dice.clone(),
        }
    }

    pub(super) fn load(&mut self, saved: SavedColony<N>) -> Result<(), String> {
        let SavedColony { seeds, trails, mut walkers, round, numbers, counts, dice } = saved;
        let Counts { hops, back, to_seeds, births, deaths } = counts;
        let own = walkers.iter().flat_map(Walker::counts);
        check_counts(own.chain([round, numbers, hops, back, to_seeds, births, deaths]))?;
        if walkers.is_empty() != seeds.is_empty() {
            return Err("what walkers have saved is damaged: nobody walks, or from nowhere".into());
        }
        walkers.truncate(self.parameters.cap);
        self.trails = trails.into_iter().collect();
        (self.seeds, self.walkers) = (seeds, walkers);
        (self.round, self.numbers, self.counts, self.dice) = (round, numbers, counts, dice);
        Ok(())
    }
}

impl<N: Copy + Eq + Hash> Colony<N> {
    /// A colony without seeds, and so without walkers.
    pub fn new(kind: Kind, parameters: WalkerParameters, seed: u64) -> Colony<N> {
        Colony {
            kind,
            parameters,
            seeds: Vec::new(),
            trails: HashMap::new(),
            walkers: Vec::new(),
            round: 0,
            numbers: 0,
            counts: Counts::default(),
            dice: Dice::new(seed),
        }
    }

    /// A seed, and the walkers that begin there; fewer when there is no room for all of them.
    pub fn settle(&mut self, seed: N) {
        self.seeds.push(seed);
        let wanted = if self.kind == Kind::Single { 1 } else { self.parameters.walkers };
        self.start(seed, wanted);
    }

    /// A seed at which nobody begins yet.
    pub(super) fn add_seed(&mut self, seed: N) {
        self.seeds.push(seed);
    }

    /// So many walkers begin at a page; fewer when there is no room for all of them.
    pub(super) fn start(&mut self, seed: N, wanted: usize) {
        let room = self.parameters.cap.saturating_sub(self.walkers.len());
        for _ in 0..wanted.min(room) {
            let walker = Walker::new(self.numbers, seed, self.dice.split());
            self.numbers += 1;
            self.walkers.push(walker);
        }
    }

    /// The walkers that live.
    pub fn walkers(&self) -> &[Walker<N>] {
        &self.walkers
    }

    /// Rounds so far.
    pub fn rounds(&self) -> u64 {
        self.round
    }

    /// What has happened so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Pages that were visited.
    pub fn visited(&self) -> usize {
        self.trails.len()
    }

    /// What lies on a page.
    pub fn trail(&self, page: N) -> Option<Trail> {
        self.trails.get(&page).copied()
    }

    /// The pheromone of a page now, from 0 (never visited) to 1.
    pub fn pheromone(&self, page: N) -> f64 {
        let fades = |trail: &Trail| -self.parameters.lambda * self.since(trail.last);
        self.trails.get(&page).map_or(0.0, |trail| fades(trail).exp())
    }

    fn since(&self, round: u64) -> f64 {
        self.round.saturating_sub(round) as f64
    }

    /// Marks the pages on which walkers begin as visited.
    pub fn begin(&mut self) {
        for walker in &self.walkers {
            self.trails.insert(walker.at, Trail { last: self.round, mean: None });
        }
    }

    /// Makes room for so many walkers.
    pub(super) fn make_room(&mut self, walkers: usize) {
        self.parameters.cap = self.parameters.cap.max(walkers);
    }

    pub(super) fn seeds(&self) -> &[N] {
        &self.seeds
    }

    /// Forgets the older half of the marks when there are more than so many.
    pub(super) fn forget(&mut self, most: usize) {
        if self.trails.len() > most {
            let mut rounds: Vec<u64> = self.trails.values().map(|trail| trail.last).collect();
            let middle = rounds.len() / 2;
            let (_, &mut median, _) = rounds.select_nth_unstable(middle);
            self.trails.retain(|_, trail| trail.last > median);
        }
    }

    /// Begins a round whose hops are made one by one: takes all walkers out. Each must come back by
    /// [`keep`](Colony::keep), [`hop`](Colony::hop) or [`meet`](Colony::meet).
    pub(super) fn begin_round(&mut self) -> Vec<Walker<N>> {
        self.round += 1;
        std::mem::take(&mut self.walkers)
    }

    /// A walker that stays where it is.
    pub(super) fn keep(&mut self, walker: Walker<N>) {
        self.walkers.push(walker);
    }

    /// A walker that goes on.
    pub(super) fn hop(&mut self, mut walker: Walker<N>, links: &[N]) {
        let hop = walker.hop(links, &self.seeds, &self.parameters);
        self.count(hop);
        self.walkers.push(walker);
    }

    /// One round: every walker moves one hop and meets its fate there.
    pub fn round(&mut self, graph: &impl Graph<N>) {
        self.round += 1;
        let walkers = std::mem::take(&mut self.walkers);
        let mut alive = walkers.len();
        for mut walker in walkers {
            let hop = walker.hop(graph.links(walker.at), &self.seeds, &self.parameters);
            self.count(hop);
            let links = graph.links(walker.at);
            self.meet(walker, links, &mut alive);
        }
    }

    fn count(&mut self, hop: Hop) {
        self.counts.hops += 1;
        match hop {
            Hop::Link => {}
            Hop::Back => self.counts.back += 1,
            Hop::Seed => self.counts.to_seeds += 1,
        }
    }

    /// A walker stands on a page: it reads what lies there, acts, and leaves its own mark, also when it
    /// dies. Of `alive` walkers the last one does not die, and no child is born beyond the cap.
    pub(super) fn meet(&mut self, mut walker: Walker<N>, links: &[N], alive: &mut usize) -> Fate {
        let fate = self.fate(&mut walker);
        self.mark(&mut walker);
        match fate {
            Fate::Dies if *alive > 1 => {
                *alive -= 1;
                self.counts.deaths += 1;
                Fate::Dies
            }
            Fate::Clones if *alive < self.parameters.cap => {
                *alive += 1;
                self.counts.births += 1;
                let child = walker.cloned(self.numbers, self.round, links);
                self.numbers += 1;
                self.walkers.push(walker);
                self.walkers.push(child);
                Fate::Clones
            }
            _ => {
                self.walkers.push(walker);
                Fate::Moves
            }
        }
    }

    /// Amin and Mikler's rule, or the one without thresholds.
    fn fate(&self, walker: &mut Walker<N>) -> Fate {
        match self.kind {
            Kind::Single | Kind::Multiple => Fate::Moves,
            Kind::Cloning => match self.pheromone(walker.at) {
                value if value > self.parameters.max => Fate::Dies,
                value if value < self.parameters.min => Fate::Clones,
                _ => Fate::Moves,
            },
            Kind::Immune => {
                // Late beyond measure on a page that nobody visited; as usual on the second visit.
                let late = match self.trails.get(&walker.at) {
                    None => 1.0,
                    Some(Trail { mean: None, .. }) => 0.5,
                    Some(Trail { last, mean: Some(mean) }) => {
                        let since = self.since(*last);
                        if since + mean > 0.0 { since / (since + mean) } else { 0.5 }
                    }
                };
                let chance = (2.0 * late - 1.0) * self.parameters.gain;
                match walker.share() < chance.abs() {
                    true if chance > 0.0 => Fate::Clones,
                    true => Fate::Dies,
                    false => Fate::Moves,
                }
            }
        }
    }

    fn mark(&mut self, walker: &mut Walker<N>) {
        let (round, memory) = (self.round, self.parameters.memory);
        match self.trails.get_mut(&walker.at) {
            None => {
                walker.arrive(true);
                self.trails.insert(walker.at, Trail { last: round, mean: None });
            }
            Some(trail) => {
                walker.arrive(false);
                let interval = round.saturating_sub(trail.last) as f64;
                let mean = trail.mean.map_or(interval, |mean| mean + memory * (interval - mean));
                *trail = Trail { last: round, mean: Some(mean) };
            }
        }
    }

    /// Lets a walker clone itself where it stands, by these links; tells the number of the child, and nothing when
    /// there is no such walker or no room.
    pub(super) fn multiply(&mut self, number: u64, links: &[N]) -> Option<u64> {
        if self.walkers.len() >= self.parameters.cap {
            return None;
        }
        let walker = self.walkers.iter_mut().find(|walker| walker.number == number)?;
        let child = walker.cloned(self.numbers, self.round, links);
        let number = child.number;
        self.numbers += 1;
        self.counts.births += 1;
        self.walkers.push(child);
        Some(number)
    }

    /// Ends a walker; never the last one.
    pub(super) fn end(&mut self, number: u64) -> Option<()> {
        self.suspend(number)?;
        self.counts.deaths += 1;
        Some(())
    }

    /// Takes a walker out, to be sent elsewhere; never the last one.
    pub fn suspend(&mut self, number: u64) -> Option<Walker<N>> {
        let place = self.walkers.iter().position(|walker| walker.number == number)?;
        (self.walkers.len() > 1).then(|| self.walkers.remove(place))
    }

    /// Lets a walker go on that came from elsewhere, under a new number if another has its own; gives it
    /// back when there is no room for it.
    pub fn resume(&mut self, mut walker: Walker<N>) -> Result<(), Walker<N>> {
        if self.walkers.len() >= self.parameters.cap {
            return Err(walker);
        }
        if self.walkers.iter().any(|other| other.number == walker.number) {
            walker.number = self.numbers;
        }
        self.numbers = self.numbers.max(walker.number.saturating_add(1));
        self.walkers.push(walker);
        Ok(())
    }
}
