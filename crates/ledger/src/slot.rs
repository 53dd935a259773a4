//! To which part of the frontier does a domain belong?
//!
//! A domain is what somebody registered, with all sites below it: they often share a machine, so they travel
//! together. Its key is a digest, and the upper twelve bits of the key are its slot. So a slot is one range of
//! keys, and can be read and moved without an index of its own.

use lycosa_frontier::{Address, registrable_domain};
use lycosa_model::UrlId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How many slots there are.
pub const SLOTS: u16 = 4096;

/// Bits of a key below its slot.
const BELOW: u32 = 52;

/// A part of all domains, the smallest that moves from one database to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Slot(u16);

impl Slot {
    /// The slot with this number, if there is one.
    pub fn new(number: u16) -> Option<Slot> {
        (number < SLOTS).then_some(Slot(number))
    }

    /// Its number.
    pub fn number(self) -> u16 {
        self.0
    }

    /// The first and the last key of a domain in it, as the database writes them.
    pub(crate) fn range(self) -> (i64, i64) {
        let first = u64::from(self.0) << BELOW;
        (first.cast_signed(), (first | ((1 << BELOW) - 1)).cast_signed())
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The digest of a domain's name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DomainKey(pub u64);

impl DomainKey {
    /// The key of a registrable domain, in lower case.
    pub fn of(name: &str) -> DomainKey {
        DomainKey(UrlId::of(name).fingerprint())
    }

    /// Where it belongs.
    pub fn slot(self) -> Slot {
        Slot((self.0 >> BELOW) as u16)
    }

    pub(crate) fn column(self) -> i64 {
        self.0.cast_signed()
    }

    pub(crate) fn of_column(column: i64) -> DomainKey {
        DomainKey(column.cast_unsigned())
    }
}

impl fmt::Debug for DomainKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DomainKey({:016x})", self.0)
    }
}

/// The name of a page in the frontier: its domain and its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PageKey {
    /// The domain.
    pub domain: DomainKey,
    /// The digest of the URL's normal form. Within a domain its first 64 bits tell pages apart.
    pub id: UrlId,
}

impl PageKey {
    /// The key of an address.
    pub fn of(address: &Address) -> PageKey {
        let domain = DomainKey::of(registrable_domain(address.site.host()));
        PageKey { domain, id: address.id }
    }

    /// What tells it apart: the key of its domain, and the first half of its id.
    pub(crate) fn columns(self) -> (i64, i64) {
        (self.domain.column(), self.id.fingerprint().cast_signed())
    }

    /// The second half of its id.
    pub(crate) fn rest(self) -> i64 {
        let [.., a, b, c, d, e, f, g, h] = self.id.0;
        i64::from_be_bytes([a, b, c, d, e, f, g, h])
    }

    pub(crate) fn of_columns(domain: i64, first: i64, rest: i64) -> PageKey {
        let mut id = [0; 16];
        id[..8].copy_from_slice(&first.to_be_bytes());
        id[8..].copy_from_slice(&rest.to_be_bytes());
        PageKey { domain: DomainKey::of_column(domain), id: UrlId(id) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lycosa_frontier::normal;

    #[test]
    fn a_slot_is_one_range_of_keys() {
        for number in [0, 1, 2047, 2048, SLOTS - 1] {
            let slot = Slot::new(number).expect("there is such a slot");
            let (first, last) = slot.range();
            assert!(first < last, "slot {number}");
            assert_eq!(DomainKey::of_column(first).slot(), slot);
            assert_eq!(DomainKey::of_column(last).slot(), slot);
            assert_ne!(DomainKey::of_column(last.wrapping_add(1)).slot(), slot);
            assert_ne!(DomainKey::of_column(first.wrapping_sub(1)).slot(), slot);
        }
        assert_eq!(Slot::new(SLOTS), None);
    }

    #[test]
    fn slots_are_about_equally_full() {
        let mut full = vec![0_u32; usize::from(SLOTS)];
        for n in 0..100_000 {
            full[usize::from(DomainKey::of(&format!("site{n}.example")).slot().number())] += 1;
        }
        assert!(full.iter().all(|count| (2..80).contains(count)), "24 are usual");
    }

    #[test]
    fn sites_of_one_domain_travel_together() {
        let key = |url| PageKey::of(&normal::parse(url).expect("an address"));
        let [a, b] = ["http://a.example.co.uk/x", "https://b.example.co.uk:8443/y"].map(key);
        assert_eq!(a.domain, b.domain);
        assert_eq!(a.domain, DomainKey::of("example.co.uk"));
        assert_ne!(a.domain, key("http://other.co.uk/x").domain);
        let (domain, first) = a.columns();
        assert_eq!(PageKey::of_columns(domain, first, a.rest()), a);
    }
}
