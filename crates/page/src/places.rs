//! Which of a list of addresses is this one? A table of places in the list, which keeps no copies.

use std::hash::{BuildHasher, RandomState};

/// Slots of the first table.
const FIRST_SLOTS: usize = 64;

/// Finds addresses of a list by their text.
#[derive(Default)]
pub(crate) struct Places {
    /// A place of the list plus one, or 0; open addressing, at most half full.
    slots: Vec<u32>,
    count: usize,
    hasher: RandomState,
}

impl Places {
    /// The place of an address; `of` gives the address at a place.
    pub(crate) fn find<'l>(&self, url: &str, of: impl Fn(usize) -> &'l String) -> Option<usize> {
        if self.slots.is_empty() {
            return None;
        }
        let mut slot = self.first_slot(url);
        loop {
            let place = (*self.slots.get(slot)? as usize).checked_sub(1)?;
            if of(place) == url {
                return Some(place);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    /// Enters the last place of the list, whose address must not be known yet.
    pub(crate) fn add<'l>(&mut self, place: usize, of: impl Fn(usize) -> &'l String) {
        if self.slots.len() < (self.count + 1) * 2 {
            self.slots = vec![0; (self.slots.len() * 2).max(FIRST_SLOTS)];
            for known in 0..place {
                self.put(known, of(known));
            }
        }
        self.put(place, of(place));
        self.count = place + 1;
    }

    fn put(&mut self, place: usize, url: &str) {
        let mut slot = self.first_slot(url);
        while self.slots[slot] != 0 {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.slots[slot] = u32::try_from(place + 1).unwrap_or(u32::MAX);
    }

    fn first_slot(&self, url: &str) -> usize {
        self.hasher.hash_one(url) as usize & (self.slots.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_is_found_at_its_place_and_no_other_is() {
        let mut places = Places::default();
        let mut list: Vec<String> = Vec::new();
        for number in 0..1_000 {
            let url = format!("http://a.test/{number}");
            assert_eq!(places.find(&url, |place| &list[place]), None);
            list.push(url);
            places.add(number, |place| &list[place]);
        }
        for (number, url) in list.iter().enumerate() {
            assert_eq!(places.find(url, |place| &list[place]), Some(number));
        }
        assert_eq!(places.find("http://a.test/x", |place| &list[place]), None);
    }
}
