//! Who waits beside whom?
//!
//! Most URLs that are found are never asked for, so what is written of each should be small. URLs of one
//! site that were found on the same page wait side by side in one row of the frontier, a [`Bundle`]: how
//! they were found is said once for all of them, and of each address only what differs from the one
//! before it. A URL has no record of its own until it is handed out for the first time.

use super::Queued;
use lycosa_model::{BotId, Origin, Spot, Tick, UrlId, UrlRecord};
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, SerializeSeq, Serializer};

/// Places of one bundle. One that is taken has the others written anew, so there should be few.
const PLACES: u64 = 8;

/// How URLs were found that wait side by side.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Trail {
    /// By what.
    pub origin: Origin,
    /// The page that leads there.
    pub via: Option<UrlId>,
    /// Who read that page.
    pub bot: Option<BotId>,
    /// When.
    pub at: Tick,
    /// Links from a seed.
    pub depth: u32,
    /// Redirects that led here.
    pub redirects: u8,
    /// Relevance of the page.
    pub parent_relevance: f32,
    /// Whether the page has some of the wanted language.
    pub wanted_language: bool,
    /// Whether a person gave it.
    pub seed: bool,
}

impl Trail {
    /// What is left of it when there is a record, which tells the rest.
    fn of(queued: &Queued) -> Trail {
        Trail {
            origin: Origin::OtherPage,
            via: None,
            bot: None,
            at: Tick(0),
            depth: queued.depth,
            redirects: 0,
            parent_relevance: queued.parent_relevance,
            wanted_language: queued.wanted_language,
            seed: queued.seed,
        }
    }

    /// What is on record of the link by which this URL was found.
    pub fn queued(&self, url_id: UrlId) -> Queued {
        Queued {
            url_id,
            depth: self.depth,
            parent_relevance: self.parent_relevance,
            wanted_language: self.wanted_language,
            seed: self.seed,
        }
    }
}

/// A URL in a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Which of the places of the bundle it has.
    place: u8,
    /// The URL.
    pub url_id: UrlId,
    /// Its address; none when there is a record that tells it.
    pub url: String,
}

/// URLs of one site that wait side by side: a row of the frontier.
#[derive(Clone, Debug, PartialEq)]
pub struct Bundle {
    /// How all of them were found.
    pub trail: Trail,
    /// By place.
    urls: Vec<Waiting>,
}

impl Bundle {
    /// Room for URLs that were found like this.
    pub fn new(trail: Trail) -> Bundle {
        Bundle { trail, urls: Vec::new() }
    }

    /// Room for a URL that has a record, and for those that were found with it.
    pub fn again(queued: &Queued) -> Bundle {
        Bundle::new(Trail::of(queued))
    }

    /// The place from which on there is room for a bundle of its own.
    pub fn next_free(place: u64) -> u64 {
        place.next_multiple_of(PLACES)
    }

    /// The spot of the first place of a bundle that this spot belongs to.
    pub fn head(spot: Spot) -> Spot {
        Spot { place: spot.place - spot.place % PLACES, ..spot }
    }

    /// What the bundle of a place is called.
    pub(super) fn number(place: u64) -> u64 {
        place / PLACES
    }

    /// The first place of a bundle.
    pub(super) fn first_place(number: u64) -> u64 {
        number.saturating_mul(PLACES)
    }

    /// Puts a URL at its place; one that was there is gone.
    pub fn put(&mut self, place: u64, url_id: UrlId, url: &str) {
        self.take(place);
        let place = (place % PLACES) as u8;
        let at = self.urls.partition_point(|other| other.place < place);
        self.urls.insert(at, Waiting { place, url_id, url: url.to_owned() });
    }

    /// Takes the URL at this place.
    pub fn take(&mut self, place: u64) -> Option<Waiting> {
        let at = self.urls.iter().position(|url| u64::from(url.place) == place % PLACES)?;
        Some(self.urls.remove(at))
    }

    /// Whether nobody waits.
    pub fn is_empty(&self) -> bool {
        self.urls.is_empty()
    }

    /// Its URLs and their spots.
    pub(super) fn spots(&self, head: Spot) -> impl Iterator<Item = (Spot, &Waiting)> {
        let spot = move |url: &Waiting| Spot { place: head.place + u64::from(url.place), ..head };
        self.urls.iter().map(move |url| (spot(url), url))
    }
}

impl Waiting {
    /// Whether it tells its address itself.
    pub(super) fn has_address(&self) -> bool {
        !self.url.is_empty()
    }

    /// The record of a URL that waits in a run at this spot and has none yet.
    pub fn record(&self, trail: &Trail, run: u32, spot: Spot) -> UrlRecord {
        UrlRecord {
            bot2_id: trail.bot,
            via: trail.via,
            depth: trail.depth,
            redirects: trail.redirects,
            queued: Some(spot),
            run,
            ..UrlRecord::new(self.url.clone(), trail.origin, trail.at)
        }
    }
}

/// How a URL is written: its place, its digest, how many bytes of its address are those of the one before
/// it, and the others.
type Written<'a> = (u8, UrlId, u8, &'a str);

/// The URLs of a bundle, as they are written.
struct Urls<'a>(&'a [Waiting]);

impl Serialize for Urls<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut rows = serializer.serialize_seq(Some(self.0.len()))?;
        let mut before = "";
        for url in self.0 {
            let shared = shared(before, &url.url);
            let written: Written<'_> = (url.place, url.url_id, shared as u8, &url.url[shared..]);
            rows.serialize_element(&written)?;
            before = &url.url;
        }
        rows.end()
    }
}

/// Bytes with which both begin, as many as one byte can count.
fn shared(one: &str, other: &str) -> usize {
    let same = one.bytes().zip(other.bytes()).take(usize::from(u8::MAX));
    let mut shared = same.take_while(|(one, other)| one == other).count();
    while !other.is_char_boundary(shared) {
        shared -= 1;
    }
    shared
}

impl Serialize for Bundle {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (&self.trail, Urls(&self.urls)).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Bundle {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bundle, D::Error> {
        let (trail, rows) = <(Trail, Vec<Written<'de>>)>::deserialize(deserializer)?;
        let mut urls: Vec<Waiting> = Vec::with_capacity(rows.len());
        for (place, url_id, shared, rest) in rows {
            let before = urls.last().map_or("", |before| &before.url);
            let Some(shared) = before.get(..usize::from(shared)) else {
                return Err(D::Error::custom("an address begins like none before it"));
            };
            let url = [shared, rest].concat();
            urls.push(Waiting { place, url_id, url });
        }
        Ok(Bundle { trail, urls })
    }
}

#[cfg(test)]
mod tests;
