//! What is left to do when a crawllet had to stop?
//!
//! Every record names the links of its page within the site, so the queue can be had without the crawllet's
//! own word: what it began with and what was linked to, without what came.

use lycosa_crawllet::engine::Seed;
use lycosa_crawllet::record::Record;
use lycosa_model::Weight;
use std::collections::{BTreeMap, HashSet};

/// Paths that are remembered.
const MAX_PATHS: usize = 500_000;

/// Paths that one crawllet begins with.
const MAX_SEEDS: usize = 50_000;

/// Beginnings of paths of which weights are kept.
const MAX_WEIGHTS: usize = 256;

/// Folders of such a beginning.
const WEIGHT_DEPTH: usize = 2;

/// The work of crawllets that follow each other.
#[derive(Debug, Default)]
pub(crate) struct Relay {
    /// In the order in which they were met.
    met: Vec<String>,
    known: HashSet<String>,
    done: HashSet<String>,
    weights: BTreeMap<String, Weight>,
}

impl Relay {
    pub(crate) fn new(seeds: &[String]) -> Relay {
        let mut relay = Relay::default();
        seeds.iter().for_each(|seed| relay.meet(seed));
        relay
    }

    fn meet(&mut self, path: &str) {
        let path = path.split('#').next().unwrap_or_default();
        if path.starts_with('/') && self.met.len() < MAX_PATHS && !self.known.contains(path) {
            self.known.insert(path.to_owned());
            self.met.push(path.to_owned());
        }
    }

    /// A record has come.
    pub(crate) fn note(&mut self, record: &Record) {
        record.in_links.iter().for_each(|link| self.meet(&link.url));
        if self.done.len() < MAX_PATHS && self.done.insert(record.path.clone()) {
            let prefix = prefix_of(&record.path);
            let known = self.weights.contains_key(prefix) || self.weights.len() < MAX_WEIGHTS;
            let weight = self.weights.entry(if known { prefix } else { "/" }.to_owned());
            let weight = weight.or_default();
            weight.pages += 1;
            weight.bytes += record.body.len() as u64;
        }
    }

    /// Where the next one begins.
    pub(crate) fn rest(&self) -> Vec<Seed> {
        let left = self.met.iter().filter(|path| !self.done.contains(*path));
        left.take(MAX_SEEDS).map(|path| Seed { path: path.clone() }).collect()
    }

    /// What need not come again.
    pub(crate) fn done(&self) -> impl Iterator<Item = &String> {
        self.done.iter()
    }

    pub(crate) fn is_done(&self, path: &str) -> bool {
        self.done.contains(path)
    }

    /// What lies where on the site.
    pub(crate) fn into_weights(self) -> BTreeMap<String, Weight> {
        self.weights
    }
}

/// The first folders of a path, with the slash at their end.
fn prefix_of(path: &str) -> &str {
    let path = path.split('?').next().unwrap_or_default();
    let ends = path.match_indices('/').map(|(at, _)| at + 1);
    ends.take(WEIGHT_DEPTH + 1).last().map_or("/", |end| &path[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crawllet::tests::{links, record};

    #[test]
    fn what_was_linked_to_and_did_not_come_is_left() {
        let mut relay = Relay::new(&["/".into(), "/x".into()]);
        relay.note(&links(record("/", 200, b"front"), &["/a", "/b#part", "/a", "http://b.test/"]));
        relay.note(&record("/a", 200, b"a"));
        let rest: Vec<_> = relay.rest().into_iter().map(|seed| seed.path).collect();
        assert_eq!(rest, ["/x", "/b"]);
        assert!(relay.is_done("/a") && !relay.is_done("/b"));
        assert_eq!(relay.done().count(), 2);
    }

    #[test]
    fn pages_are_weighed_by_their_first_folders() {
        let mut relay = Relay::default();
        for path in ["/", "/x", "/a/1", "/a/b/2", "/a/b/c/3?q=/x/y/z", "/a/b/c/3?q=/x/y/z"] {
            relay.note(&record(path, 200, b"1234"));
        }
        let weights = relay.into_weights();
        let pages: Vec<_> =
            weights.iter().map(|(prefix, it)| (prefix.as_str(), it.pages)).collect();
        assert_eq!(pages, [("/", 2), ("/a/", 1), ("/a/b/", 2)]);
        assert_eq!(weights["/a/b/"].bytes, 8);
    }
}
