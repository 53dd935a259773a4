//! Which sites have sitemaps that are still to be read, and which of them are worth a look now?
//!
//! There may be as many as there are sites, so a request looks only at those with which something has
//! happened since the last look, or whose moment has come.

use lycosa_model::{Site, Tick};
use lycosa_store::records::Sitemaps;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// The sites with sitemaps that are still to be read.
#[derive(Debug, Default)]
pub(crate) struct Unread {
    sites: BTreeMap<Site, Listed>,
    /// Those to look at.
    ripe: BTreeSet<Site>,
    /// When to look at others; at most one moment per site. Whoever is in neither is waked.
    later: BTreeSet<(Tick, Site)>,
}

#[derive(Debug)]
struct Listed {
    sitemaps: Sitemaps,
    /// Its moment among those of the others.
    at: Option<Tick>,
}

impl Unread {
    /// How many sites.
    pub(crate) fn len(&self) -> usize {
        self.sites.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }

    pub(crate) fn get(&self, site: &Site) -> Option<&Sitemaps> {
        self.sites.get(site).map(|listed| &listed.sitemaps)
    }

    /// The sitemaps of a site, to be changed: it is then to be looked at. One that is not here is
    /// entered with what `load` tells.
    pub(crate) fn change<E>(
        &mut self,
        site: &Site,
        load: impl FnOnce() -> Result<Sitemaps, E>,
    ) -> Result<&mut Sitemaps, E> {
        self.wake(site);
        match self.sites.entry(site.clone()) {
            Entry::Occupied(entry) => Ok(&mut entry.into_mut().sitemaps),
            Entry::Vacant(entry) => {
                let listed = Listed { sitemaps: load()?, at: None };
                self.ripe.insert(site.clone());
                Ok(&mut entry.insert(listed).sitemaps)
            }
        }
    }

    /// Enters a site, which is then to be looked at.
    pub(crate) fn insert(&mut self, site: Site, sitemaps: Sitemaps) {
        self.remove(&site);
        self.ripe.insert(site.clone());
        self.sites.insert(site, Listed { sitemaps, at: None });
    }

    pub(crate) fn remove(&mut self, site: &Site) {
        self.ripe.remove(site);
        if let Some(at) = self.sites.remove(site).and_then(|listed| listed.at) {
            self.later.remove(&(at, site.clone()));
        }
    }

    /// Something has happened with this site: it is to be looked at, if it is one of these.
    pub(crate) fn wake(&mut self, site: &Site) {
        if let Some(listed) = self.sites.get_mut(site) {
            if let Some(at) = listed.at.take() {
                self.later.remove(&(at, site.clone()));
            }
            self.ripe.insert(site.clone());
        }
    }

    /// Does not look at a site until this moment, or without one until it is waked.
    pub(crate) fn set_aside(&mut self, site: &Site, until: Option<Tick>) {
        self.ripe.remove(site);
        let Some(listed) = self.sites.get_mut(site) else { return };
        if let Some(before) = std::mem::replace(&mut listed.at, until) {
            self.later.remove(&(before, site.clone()));
        }
        if let Some(at) = until {
            self.later.insert((at, site.clone()));
        }
    }

    /// The sites to look at now, in their order.
    pub(crate) fn ripe(&mut self, now: Tick) -> Vec<Site> {
        while self.later.first().is_some_and(|(at, _)| *at <= now)
            && let Some((_, site)) = self.later.pop_first()
        {
            if let Some(listed) = self.sites.get_mut(&site) {
                listed.at = None;
            }
            self.ripe.insert(site);
        }
        self.ripe.iter().cloned().collect()
    }

    /// The first moment at which one of the others is to be looked at.
    pub(crate) fn first(&self) -> Option<Tick> {
        self.later.first().map(|(at, _)| *at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(name: &str) -> Site {
        Site::of_usual(&format!("http://{name}.test"))
    }

    #[test]
    fn only_sites_with_which_something_happened_are_looked_at() {
        let mut unread = Unread::default();
        for name in ["a", "b", "c"] {
            unread.insert(site(name), Sitemaps::default());
        }
        assert_eq!(unread.ripe(Tick(0)), [site("a"), site("b"), site("c")]);
        unread.set_aside(&site("a"), None);
        unread.set_aside(&site("b"), Some(Tick(7)));
        unread.remove(&site("c"));
        assert_eq!(unread.ripe(Tick(6)), []);
        assert_eq!((unread.first(), unread.len()), (Some(Tick(7)), 2));
        assert_eq!(unread.ripe(Tick(7)), [site("b")]);
        unread.wake(&site("a"));
        unread.wake(&site("c"));
        assert_eq!(unread.ripe(Tick(7)), [site("a"), site("b")]);
    }

    #[test]
    fn a_site_has_one_moment_at_most() {
        let mut unread = Unread::default();
        unread.insert(site("a"), Sitemaps::default());
        unread.set_aside(&site("a"), Some(Tick(5)));
        unread.set_aside(&site("a"), Some(Tick(9)));
        assert_eq!(unread.first(), Some(Tick(9)));
        unread.wake(&site("a"));
        assert_eq!(unread.first(), None);
        unread.set_aside(&site("a"), Some(Tick(5)));
        unread.remove(&site("a"));
        assert_eq!((unread.first(), unread.is_empty()), (None, true));
        assert_eq!(unread.ripe(Tick(9)), []);
    }
}
