//! What are keys made of?
//!
//! A row that is written is compared with a dozen others, so keys should be told apart by their first
//! bytes and be short: the engine keeps the first four at hand, and up to twenty where it looks.

use super::Bundle;
use lycosa_model::{Site, Spot, Tick};

/// Numbers as a key: each as the count of its bytes and the bytes, so small ones are short and all lie in
/// order.
#[derive(Clone, Copy)]
pub(super) struct Numbers {
    bytes: [u8; MOST],
    end: usize,
}

/// Four numbers of eight bytes.
const MOST: usize = 4 * 9;

impl AsRef<[u8]> for Numbers {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[..self.end]
    }
}

/// At most four numbers.
pub(super) fn numbers<const N: usize>(numbers: [u64; N]) -> Numbers {
    const { assert!(N <= 4) };
    let mut key = Numbers { bytes: [0; MOST], end: 0 };
    for number in numbers {
        let bytes = number.to_be_bytes();
        let bytes = &bytes[number.leading_zeros() as usize / 8..];
        key.bytes[key.end] = bytes.len() as u8;
        key.bytes[key.end + 1..][..bytes.len()].copy_from_slice(bytes);
        key.end += 1 + bytes.len();
    }
    key
}

/// The numbers that a key was made of.
pub(super) fn numbers_of<const N: usize>(mut key: &[u8]) -> Option<[u64; N]> {
    let mut numbers = [0; N];
    for number in &mut numbers {
        let (count, rest) = key.split_first()?;
        let (bytes, rest) = rest.split_at_checked(usize::from(*count)).filter(|_| *count <= 8)?;
        *number = bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        key = rest;
    }
    key.is_empty().then_some(numbers)
}

/// The row in which a URL waits at this spot.
pub(super) fn frontier(run: u32, number: u32, spot: Spot) -> Numbers {
    numbers([run.into(), number.into(), spot.rank.0, Bundle::number(spot.place)])
}

pub(super) fn aside(run: u32, place: u64) -> Numbers {
    numbers([run.into(), place])
}

pub(super) fn agenda(run: u32, at: Tick, place: u64) -> Numbers {
    numbers([run.into(), at.0, place])
}

pub(super) fn root(run: u32, order: u32) -> Numbers {
    numbers([run.into(), order.into()])
}

/// Bytes before the name of a site.
const MIX: usize = 4;

/// Sites by name. All begin alike, so before each stand a few bytes that differ.
pub(super) fn site(site: &Site) -> Vec<u8> {
    let name = site.as_str().as_bytes();
    // FNV-1a.
    let mix = name
        .iter()
        .fold(0x811c_9dc5_u32, |mix, byte| (mix ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
    [&mix.to_be_bytes()[..], name].concat()
}

/// The site that a key was made of.
pub(super) fn site_of(key: &[u8]) -> Option<Site> {
    let address = lycosa_frontier::normal::parse(std::str::from_utf8(key.get(MIX..)?).ok()?);
    address.ok().map(|address| address.site)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lycosa_model::Rank;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_lie_as_their_numbers_do(
            one in any::<[u64; 4]>(),
            two in any::<[u64; 4]>(),
            shifts in any::<[u32; 8]>(),
        ) {
            // Of all sizes, and often equal.
            let small = |numbers: [u64; 4], shifts: &[u32]| {
                std::array::from_fn(|at| numbers[at] >> (shifts[at] % 64))
            };
            let (one, two): ([u64; 4], [u64; 4]) =
                (small(one, &shifts[..4]), small(two, &shifts[4..]));
            let (first, second) = (numbers(one), numbers(two));
            prop_assert_eq!(first.as_ref().cmp(second.as_ref()), one.cmp(&two));
            prop_assert_eq!(numbers_of(first.as_ref()), Some(one));
        }
    }

    #[test]
    fn what_is_no_key_is_none() {
        assert_eq!(numbers_of::<1>(&[]), None);
        assert_eq!(numbers_of::<1>(&[2, 1]), None, "torn");
        assert_eq!(numbers_of::<1>(&[1, 1, 1]), None, "too long");
        assert_eq!(numbers_of::<1>(&[9; 10]), None, "a number of nine bytes");
        assert_eq!(site_of(&[1, 2]), None);
        assert_eq!(site_of(b"1234no site"), None);
    }

    #[test]
    fn the_key_of_a_url_that_waits_is_short() {
        let spot = Spot { rank: Rank::new(true, u32::MAX), place: 1 << 40 };
        assert!(frontier(200, 10_000_000, spot).as_ref().len() <= 20);
    }

    #[test]
    fn a_site_is_found_in_its_key() {
        let address = lycosa_frontier::normal::parse("https://www.a.test:8443/x").expect("URL");
        assert_eq!(site_of(&site(&address.site)), Some(address.site));
    }
}
