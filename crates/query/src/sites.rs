//! Which site is that? Every site that was ever seen has a number, the same in all segments.
//!
//! Names are read when a segment is joined. From then on pages are told apart, and counted, by the number of
//! their site.

use hashbrown::HashMap;
use lycosa_segments::{site_above, site_filter};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// Stands for no site.
pub(crate) const NONE: u32 = u32::MAX;

/// The sites of an index. They only ever become more, so a number stays good.
#[derive(Default)]
pub(crate) struct Sites(RwLock<Names>);

/// Sites as filters name them.
#[derive(Default)]
pub(crate) struct Names {
    numbers: HashMap<Box<str>, u32>,
    /// By number.
    names: Vec<Box<str>>,
    /// By number, the site whose filter finds its pages, too.
    above: Vec<u32>,
}

impl Sites {
    /// Numbers of sites by the names that pages have them under.
    pub(crate) fn numbers(&self, hosts: &[String]) -> Vec<u32> {
        let mut names = self.0.write().unwrap_or_else(PoisonError::into_inner);
        hosts.iter().map(|host| names.number(host)).collect()
    }

    /// The names, to be read for a while.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Names> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Names {
    /// How many sites there are.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// A site as filters name it.
    pub(crate) fn name(&self, site: u32) -> &str {
        self.names.get(site as usize).map_or("", |name| name)
    }

    /// The sites whose filters find a page of this one: itself and those above it.
    pub(crate) fn found_by(&self, site: u32) -> impl Iterator<Item = u32> {
        let above = |site: &u32| self.above.get(*site as usize).copied();
        let up = move |site: &u32| above(site).filter(|above| *above != NONE);
        std::iter::successors(Some(site).filter(|site| *site != NONE), up)
    }

    fn number(&mut self, host: &str) -> u32 {
        if let Some(known) = self.numbers.get(host) {
            return *known;
        }
        let number = site_filter(host).map_or(NONE, |site| self.of_filter(&site));
        // Once under its own name, so that it is not read again.
        self.numbers.insert(host.into(), number);
        number
    }

    fn of_filter(&mut self, site: &str) -> u32 {
        // Those above it that are new, down to the site itself.
        let chain = std::iter::successors(Some(site), |site| site_above(site));
        let fresh: Vec<&str> = chain.take_while(|site| !self.numbers.contains_key(*site)).collect();
        let known = fresh.last().map_or(Some(site), |last| site_above(last));
        let mut number = known.and_then(|site| self.numbers.get(site).copied()).unwrap_or(NONE);
        for site in fresh.into_iter().rev() {
            self.above.push(number);
            number = self.names.len() as u32;
            self.names.push(site.into());
            self.numbers.insert(site.into(), number);
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_has_one_number_and_is_found_by_those_above_it() {
        let sites = Sites::default();
        let numbers = |hosts: &[&str]| {
            sites.numbers(&hosts.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        let first = numbers(&["a.example.org:8080", "example.org", "127.0.0.1:80", "no site"]);
        let again = numbers(&["no site", "example.org", "a.example.org:8080"]);
        assert_eq!(again, [first[3], first[1], first[0]]);
        assert_eq!(first[3], NONE);
        let names = sites.read();
        let found_by = |site| names.found_by(site).map(|site| names.name(site)).collect::<Vec<_>>();
        assert_eq!(
            found_by(first[0]),
            ["a.example.org:8080", "a.example.org", "example.org", "org"]
        );
        assert_eq!(found_by(first[1]), ["example.org", "org"]);
        assert_eq!(found_by(first[2]), ["127.0.0.1"]);
        assert!(found_by(NONE).is_empty());
    }
}
