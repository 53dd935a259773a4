//! Which URLs wait, and in what order do they lie?
//!
//! The frontier lies by run, site and spot, so the next URLs of a site are neighbours, and a new run
//! begins with nothing however much the one before it left. The agenda lies by run and moment.

use super::keys;
use super::{Aside, Bundle, Entry, Line, Records, Root, StoreError, decode, scan};
use fjall::{Keyspace, Slice};
use lycosa_model::{Rank, Site, Spot, Tick, UrlId, UrlRecord};
use std::ops::Bound;

/// What a row of the frontier is called in errors.
const WHAT: &str = "frontier entry";

const BAD_KEY: StoreError = StoreError::CorruptKey { what: WHAT };

/// Rows that an earlier run left behind.
#[derive(Debug, Default)]
pub struct Stale {
    pub(super) frontier: Vec<(Slice, Bundle)>,
    pub(super) agenda: Vec<Slice>,
    pub(super) asides: Vec<Slice>,
    pub(super) roots: Vec<Slice>,
}

impl Stale {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        let rows = [&self.agenda, &self.asides, &self.roots];
        self.frontier.is_empty() && rows.into_iter().all(Vec::is_empty)
    }

    /// The URLs that it left unasked, and what their records would be.
    pub fn unasked(&self) -> impl Iterator<Item = Result<(UrlId, UrlRecord), StoreError>> {
        let rows = self.frontier.iter().map(|(key, bundle)| {
            let (run, head) = row_of(key).ok_or(BAD_KEY)?;
            Ok(unasked(run, head, bundle))
        });
        flat(rows)
    }
}

impl Records {
    /// The URLs of a site that wait behind this spot, in order; all of them without a spot.
    pub fn waiting(
        &self,
        run: u32,
        number: u32,
        behind: Option<Spot>,
    ) -> impl Iterator<Item = Result<(Spot, UrlId), StoreError>> + use<> {
        let rows = self.bundles(run, number, behind).map(move |row| {
            let (head, bundle) = row?;
            let spots = bundle.spots(head).filter(|(spot, _)| Some(*spot) > behind);
            Ok(spots.map(|(spot, url)| (spot, url.url_id)).collect::<Vec<_>>())
        });
        flat(rows)
    }

    /// The addresses of the first URLs of a site that wait, at most so many.
    pub fn waiting_addresses(
        &self,
        run: u32,
        number: u32,
        most: usize,
    ) -> Result<Vec<String>, StoreError> {
        let mut addresses = Vec::new();
        for row in self.bundles(run, number, None) {
            let (head, bundle) = row?;
            for (_, waiting) in bundle.spots(head) {
                if addresses.len() >= most {
                    return Ok(addresses);
                }
                if !waiting.url.is_empty() {
                    addresses.push(waiting.url.clone());
                } else if let Some(record) = self.url(waiting.url_id)? {
                    addresses.push(record.url);
                }
            }
        }
        Ok(addresses)
    }

    /// The rows of a site from the one on in which this spot is, in order.
    fn bundles(
        &self,
        run: u32,
        number: u32,
        from: Option<Spot>,
    ) -> impl Iterator<Item = Result<(Spot, Bundle), StoreError>> + use<> {
        let last = Spot { rank: Rank(u64::MAX), place: u64::MAX };
        let from = keys::frontier(run, number, from.unwrap_or_default());
        let rows = from..=keys::frontier(run, number, last);
        scan(self.frontier.range(rows), WHAT, |key| Some(row_of(key)?.1))
    }

    /// The record that a URL of a site would have, if it waits without one.
    pub fn unasked(
        &self,
        run: u32,
        number: u32,
        id: UrlId,
    ) -> Result<Option<UrlRecord>, StoreError> {
        for row in self.bundles(run, number, None) {
            let (head, bundle) = row?;
            let found = bundle.spots(head).find(|(_, url)| url.url_id == id && url.has_address());
            if let Some((spot, url)) = found {
                return Ok(Some(url.record(&bundle.trail, run, spot)));
            }
        }
        Ok(None)
    }

    /// All URLs that wait without a record, by run, number of the site and spot, and what their records
    /// would be.
    pub fn all_unasked(
        &self,
    ) -> impl Iterator<Item = Result<(UrlId, UrlRecord), StoreError>> + use<> {
        let records = self.clone();
        let rows = scan(self.frontier.iter(), WHAT, row_of).map(move |row| {
            let ((run, head), bundle) = row?;
            let mut found = Vec::new();
            for (id, record) in unasked(run, head, &bundle) {
                if !records.has_url(id)? {
                    found.push((id, record));
                }
            }
            Ok(found)
        });
        flat(rows)
    }

    /// Everything in the frontier of a run, by the number of the site and by spot.
    pub fn frontier(
        &self,
        run: u32,
    ) -> impl Iterator<Item = Result<(Spot, UrlId), StoreError>> + use<> {
        let rows = self.frontier.prefix(keys::numbers([run.into()]));
        flat(scan(rows, WHAT, row_of).map(|row: Result<(_, Bundle), _>| {
            let ((_, head), bundle) = row?;
            Ok(bundle.spots(head).map(|(spot, url)| (spot, url.url_id)).collect())
        }))
    }

    /// The URLs that wait at this spot of a site and beside it.
    pub fn bundle(&self, run: u32, number: u32, spot: Spot) -> Result<Option<Bundle>, StoreError> {
        self.read(&self.frontier, keys::frontier(run, number, spot).as_ref(), WHAT)
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

    /// What was set aside in a run behind this place, in the order of discovery.
    pub fn asides(
        &self,
        run: u32,
        behind: Option<u64>,
    ) -> impl Iterator<Item = Result<Aside, StoreError>> + use<> {
        let from = match behind {
            Some(place) => Bound::Excluded(keys::aside(run, place)),
            None => Bound::Included(keys::aside(run, 0)),
        };
        let to = Bound::Included(keys::aside(run, u64::MAX));
        scan(self.asides.range((from, to)), "URL that was set aside", |_| Some(()))
            .map(|row| row.map(|((), aside)| aside))
    }

    /// What stands for the scope of a run, in the order in which it came.
    pub fn roots(&self, run: u32) -> Result<Vec<Root>, StoreError> {
        let rows = scan(self.roots.prefix(keys::numbers([run.into()])), "seed", |_| Some(()));
        rows.map(|row| row.map(|((), root)| root)).collect()
    }

    /// Up to `most` rows that runs before this one left behind, of each kind.
    pub fn stale(&self, run: u32, most: usize) -> Result<Stale, StoreError> {
        let rows = |keyspace: &Keyspace| keyspace.range(..keys::numbers([run.into()])).take(most);
        let before = |keyspace: &Keyspace| -> Result<Vec<Slice>, StoreError> {
            rows(keyspace).map(|guard| guard.key().map_err(StoreError::read)).collect()
        };
        let frontier = rows(&self.frontier).map(|guard| {
            let (key, bundle) = guard.into_inner().map_err(StoreError::read)?;
            Ok((key, decode(&bundle, WHAT)?))
        });
        Ok(Stale {
            frontier: frontier.collect::<Result<_, StoreError>>()?,
            agenda: before(&self.agenda)?,
            asides: before(&self.asides)?,
            roots: before(&self.roots)?,
        })
    }
}

/// The run of a row of the frontier, and the spot of its first place.
fn row_of(key: &[u8]) -> Option<(u32, Spot)> {
    let [run, _, rank, number] = keys::numbers_of(key)?;
    let place = Bundle::first_place(number);
    Some((u32::try_from(run).ok()?, Spot { rank: Rank(rank), place }))
}

/// The URLs of a row that had no record when they were put there.
fn unasked(run: u32, head: Spot, bundle: &Bundle) -> Vec<(UrlId, UrlRecord)> {
    let without = bundle.spots(head).filter(|(_, url)| url.has_address());
    without.map(|(spot, url)| (url.url_id, url.record(&bundle.trail, run, spot))).collect()
}

/// What is in all these rows, one after the other.
fn flat<T>(
    rows: impl Iterator<Item = Result<Vec<T>, StoreError>>,
) -> impl Iterator<Item = Result<T, StoreError>> {
    rows.flat_map(|row| match row {
        Ok(row) => row.into_iter().map(Ok).collect(),
        Err(error) => vec![Err(error)],
    })
}

#[cfg(test)]
mod tests;
