//! What has been found so far? Every address once, within the limits, and what was wrong.

use super::{Entry, Limits};
use lycosa_frontier::whatwg;
use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;
use url::Url;

/// Entries and faults of a file that is being read.
pub(super) struct List {
    base: Option<Url>,
    limits: Limits,
    entries: Vec<Entry>,
    /// Where in `entries` an address stands.
    places: HashMap<String, usize>,
    faults: Vec<String>,
    bad: usize,
    long: usize,
    over: usize,
}

impl List {
    pub(super) fn new(base: Option<Url>, limits: &Limits) -> List {
        List {
            base,
            limits: *limits,
            entries: Vec::new(),
            places: HashMap::new(),
            faults: Vec::new(),
            bad: 0,
            long: 0,
            over: 0,
        }
    }

    pub(super) fn fault(&mut self, what: impl Into<String>) {
        if self.faults.len() < self.limits.max_faults {
            self.faults.push(what.into());
        }
    }

    /// Lets further addresses resolve against this one (`xml:base`).
    pub(super) fn rebase(&mut self, text: &str) {
        if let Some(url) = self.resolve(text.trim()) {
            self.base = Some(url);
        }
    }

    /// Counts something that stands where an address should.
    pub(super) fn reject(&mut self) {
        self.bad += 1;
    }

    /// Whether there is room for another address.
    pub(super) fn has_room(&self) -> bool {
        self.entries.len() < self.limits.max_entries
    }

    /// Adds an address as it was written, with what is said about it. An address that stands already
    /// only learns what it lacks. Tells whether it is an address.
    pub(super) fn add(&mut self, written: &str, facts: Entry) -> bool {
        let written = written.trim();
        if written.is_empty() {
            return false;
        }
        if written.len() > self.limits.max_url_bytes {
            self.long += 1;
            return false;
        }
        let Some(url) = self.resolve(written) else {
            self.bad += 1;
            return false;
        };
        let url = whatwg::written(&url).into_owned();
        if url.len() > self.limits.max_url_bytes {
            self.long += 1;
            return false;
        }
        let room = self.has_room();
        match self.places.entry(url) {
            Slot::Occupied(slot) => {
                if let Some(entry) = self.entries.get_mut(*slot.get()) {
                    entry.lastmod = entry.lastmod.or(facts.lastmod);
                    entry.priority = entry.priority.or(facts.priority);
                    entry.changefreq = entry.changefreq.or(facts.changefreq);
                }
            }
            Slot::Vacant(_) if !room => self.over += 1,
            Slot::Vacant(slot) => {
                self.entries.push(Entry { url: slot.key().clone(), ..facts });
                slot.insert(self.entries.len() - 1);
            }
        }
        true
    }

    fn resolve(&self, written: &str) -> Option<Url> {
        let mut url = whatwg::read(self.base.as_ref(), None, written).ok()?;
        if !whatwg::is_web(&url) {
            return None;
        }
        url.set_fragment(None);
        Some(url)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn finish(mut self) -> (Vec<Entry>, Vec<String>) {
        let (bad, long, over) = (self.bad, self.long, self.over);
        let limits = self.limits;
        if bad > 0 {
            self.fault(format!("{bad} entries are no http(s) address"));
        }
        if long > 0 {
            self.fault(format!("{long} addresses are longer than {} bytes", limits.max_url_bytes));
        }
        if over > 0 {
            self.fault(format!(
                "{over} entries beyond the first {} are left out",
                limits.max_entries
            ));
        }
        (self.entries, self.faults)
    }
}
