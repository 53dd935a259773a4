//! Which URLs wait, and in what order do they lie?
//!
//! The frontier lies by run, site and spot, so the next URLs of a site are neighbours, and a new run
//! begins with nothing however much the one before it left. The agenda lies by run and moment.

use super::keys;
use super::{Entry, Line, Queued, Records, Root, StoreError, scan};
use fjall::{Keyspace, Slice};
use lycosa_model::{Rank, Site, Spot, Tick};
use std::ops::Bound;

/// Keys of rows that an earlier run left behind.
#[derive(Debug, Default)]
pub struct Stale {
    pub(super) frontier: Vec<Slice>,
    pub(super) agenda: Vec<Slice>,
    pub(super) roots: Vec<Slice>,
}

impl Stale {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.frontier.is_empty() && self.agenda.is_empty() && self.roots.is_empty()
    }
}

impl Records {
    /// The URLs of a site that wait behind this spot, in order; all of them without a spot.
    pub fn waiting(
        &self,
        run: u32,
        number: u32,
        behind: Option<Spot>,
    ) -> impl Iterator<Item = Result<(Spot, Queued), StoreError>> + use<> {
        let from = match behind {
            Some(spot) => Bound::Excluded(keys::frontier(run, number, spot)),
            None => Bound::Included(keys::frontier(run, number, Spot::default())),
        };
        let last = Spot { rank: Rank(u64::MAX), place: u64::MAX };
        let to = Bound::Included(keys::frontier(run, number, last));
        scan(self.frontier.range((from, to)), "frontier entry", spot_of)
    }

    /// Everything in the frontier of a run, by the number of the site and by spot.
    pub fn frontier(
        &self,
        run: u32,
    ) -> impl Iterator<Item = Result<(Spot, Queued), StoreError>> + use<> {
        scan(self.frontier.prefix(keys::numbers([run.into()])), "frontier entry", spot_of)
    }

    /// The URL that waits at this spot of a site.
    pub fn queued(&self, run: u32, number: u32, spot: Spot) -> Result<Option<Queued>, StoreError> {
        self.read(&self.frontier, keys::frontier(run, number, spot).as_ref(), "frontier entry")
    }

    /// The queue of a site.
    pub fn line(&self, site: &Site) -> Result<Option<Line>, StoreError> {
        self.read(&self.lines, &keys::site(site), "queue of a site")
    }

    /// The queues of all sites.
    pub fn lines(&self) -> impl Iterator<Item = Result<(Site, Line), StoreError>> + use<> {
        scan(self.lines.iter(), "queue of a site", keys::site_of)
    }

    /// The agenda of a run from this moment and place on, in order: when, and what.
    pub fn agenda(
        &self,
        run: u32,
        behind: Option<(Tick, u64)>,
    ) -> impl Iterator<Item = Result<(Tick, Entry), StoreError>> + use<> {
        let from = match behind {
            Some((at, place)) => Bound::Excluded(keys::agenda(run, at, place)),
            None => Bound::Included(keys::agenda(run, Tick(0), 0)),
        };
        let to = Bound::Included(keys::agenda(run, Tick(u64::MAX), u64::MAX));
        scan(self.agenda.range((from, to)), "entry of the agenda", |key| {
            let [_, at, _] = keys::numbers_of(key)?;
            Some(Tick(at))
        })
    }

    /// What stands for the scope of a run, in the order in which it came.
    pub fn roots(&self, run: u32) -> Result<Vec<Root>, StoreError> {
        let rows = scan(self.roots.prefix(keys::numbers([run.into()])), "seed", |_| Some(()));
        rows.map(|row| row.map(|((), root)| root)).collect()
    }

    /// Up to `most` rows that runs before this one left behind, of each kind.
    pub fn stale(&self, run: u32, most: usize) -> Result<Stale, StoreError> {
        let before = |keyspace: &Keyspace| -> Result<Vec<Slice>, StoreError> {
            let rows = keyspace.range(..keys::numbers([run.into()])).take(most);
            rows.map(|guard| guard.key().map_err(StoreError::read)).collect()
        };
        Ok(Stale {
            frontier: before(&self.frontier)?,
            agenda: before(&self.agenda)?,
            roots: before(&self.roots)?,
        })
    }
}

fn spot_of(key: &[u8]) -> Option<Spot> {
    let [_, _, rank, place] = keys::numbers_of(key)?;
    Some(Spot { rank: Rank(rank), place })
}

#[cfg(test)]
mod tests;
