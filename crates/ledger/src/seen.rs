//! Which links need no question at all?
//!
//! Most links of a page lead to what is known. An agent keeps an approximate set of the URLs that it has offered,
//! about ten bits for each, and holds back what it may have offered before. The set is never the truth: about one
//! new URL in a hundred is taken for a known one. So what is held back is not thrown away but counted, and offered
//! later, each URL once with all its links. Inlinks become right by it, and nothing is lost.

use crate::{Found, PageKey};
use lycosa_frontier::maybe::MaybeSet;
use std::collections::HashMap;

/// URLs that are held back before they must be offered.
const MAX_HELD_BACK: usize = 50_000;

/// What an agent has offered, approximately.
#[derive(Debug)]
pub struct Seen {
    met: MaybeSet,
    room: u64,
    entries: u64,
    held_back: HashMap<PageKey, Found>,
}

impl Seen {
    /// For this many URLs. When there are more, it begins anew; that only costs questions.
    pub fn with_room_for(urls: u64) -> Seen {
        let room = urls.max(1);
        Seen { met: MaybeSet::with_room_for(room), room, entries: 0, held_back: HashMap::new() }
    }

    /// Takes in what was found, and returns what is to be offered now: what is certainly not known here, each
    /// once; and all that was held back, when that has become much.
    pub fn sift(&mut self, found: impl IntoIterator<Item = Found>) -> Vec<Found> {
        let mut offer = Vec::new();
        for found in found {
            if let Some(held) = self.held_back.get_mut(&found.key) {
                held.links = held.links.saturating_add(found.links);
            } else if self.met.may_hold(bits(found.key)) {
                self.held_back.insert(found.key, found);
            } else {
                offer.push(found);
                if let Some(found) = offer.last() {
                    self.note(found.key);
                }
            }
        }
        if self.held_back.len() >= MAX_HELD_BACK {
            offer.extend(self.held_back());
        }
        offer
    }

    /// What was held back until now, to be offered: from time to time, and at the end.
    pub fn held_back(&mut self) -> Vec<Found> {
        std::mem::take(&mut self.held_back).into_values().collect()
    }

    /// Memory of the set.
    pub fn memory_bytes(&self) -> usize {
        self.met.memory_bytes()
    }

    fn note(&mut self, key: PageKey) {
        if self.entries >= self.room {
            self.met = MaybeSet::with_room_for(self.room);
            self.entries = 0;
        }
        self.met.insert(bits(key));
        self.entries += 1;
    }
}

fn bits(key: PageKey) -> u64 {
    key.id.fingerprint()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lycosa_frontier::normal;
    use lycosa_model::Origin;

    fn found(n: usize) -> Found {
        let address = normal::parse(&format!("http://site{}.example/{n}", n % 7)).expect("address");
        Found::of(&address, Origin::OtherPage)
    }

    #[test]
    fn a_url_is_offered_at_once_and_its_other_links_later_as_one() {
        let mut seen = Seen::with_room_for(1_000);
        assert_eq!(seen.sift([found(1), found(2), found(1)]), [found(1), found(2)]);
        assert!(seen.sift([found(2), found(1), found(1)]).is_empty());
        let mut later = seen.held_back();
        later.sort_by_key(|found| found.links);
        let links: Vec<_> = later.iter().map(|found| (found.url.as_str(), found.links)).collect();
        assert_eq!(links, [("http://site2.example/2", 1), ("http://site1.example/1", 3)]);
        assert!(seen.held_back().is_empty());
    }

    #[test]
    fn no_url_is_lost_whatever_the_set_mistakes_for_known() {
        let mut seen = Seen::with_room_for(20_000);
        let all = 60_000;
        let mut offered: Vec<Found> = (0..all).flat_map(|n| seen.sift([found(n)])).collect();
        let at_once = offered.len();
        offered.extend(seen.held_back());
        offered.sort_by_key(|found| found.key);
        offered.dedup_by_key(|found| found.key);
        assert_eq!(offered.len(), all);
        assert!(at_once > all * 95 / 100, "few are held back: {at_once}");
        assert!(at_once < all, "some always are, or this test says nothing");
        assert!(seen.memory_bytes() * 8 <= 20_000 * 11, "ten bits for each");
    }

    #[test]
    fn what_is_held_back_has_a_limit() {
        let mut seen = Seen::with_room_for(1_000_000);
        seen.sift((0..MAX_HELD_BACK).map(found));
        // Some were held back by mistake already.
        let again = (0..MAX_HELD_BACK).map(|n| seen.sift([found(n)]).len()).max();
        assert!(again.expect("many") >= MAX_HELD_BACK - 1);
        assert!(seen.held_back().len() < MAX_HELD_BACK);
    }
}
