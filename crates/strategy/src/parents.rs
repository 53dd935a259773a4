//! What do the pages say that link to a URL? Their number, and how relevant they are.

use lycosa_model::UrlId;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The pages that are known to link to a URL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Parents {
    pub(crate) count: u32,
    pub(crate) sum: f32,
    pub(crate) most: f32,
}

impl Parents {
    pub(crate) fn one(relevance: f32) -> Parents {
        Parents { count: 1, sum: relevance, most: relevance }
    }

    pub(crate) fn add(&mut self, relevance: f32) {
        self.count = self.count.saturating_add(1);
        self.sum += relevance;
        self.most = self.most.max(relevance);
    }

    fn join(&mut self, others: Parents) {
        self.count = self.count.saturating_add(others.count);
        self.sum += others.sum;
        self.most = self.most.max(others.most);
    }

    /// Their mean relevance, drawn towards `usual` as if there were `pull` more of that (SPEC 4.2).
    pub(crate) fn mean(&self, usual: f32, pull: f32) -> f32 {
        (self.sum + pull * usual) / (self.count as f32 + pull).max(f32::MIN_POSITIVE)
    }
}

/// A running mean.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Mean {
    count: u32,
    sum: f64,
}

impl Mean {
    pub(crate) fn add(&mut self, value: f32) {
        self.count = self.count.saturating_add(1);
        self.sum += f64::from(value);
    }

    pub(crate) fn get(&self) -> f32 {
        if self.count == 0 { 0.0 } else { (self.sum / f64::from(self.count)) as f32 }
    }
}

/// The parents of every URL that waits or is being fetched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Family {
    of: HashMap<UrlId, Parents>,
}

impl Family {
    pub(crate) fn get(&self, url: UrlId) -> Option<&Parents> {
        self.of.get(&url)
    }

    /// Adds a parent. Nothing comes of a URL that was met before and waits no longer.
    pub(crate) fn add(&mut self, url: UrlId, known: bool, relevance: f32) -> Option<&Parents> {
        match self.of.get_mut(&url) {
            Some(parents) => parents.add(relevance),
            None if known => return None,
            None => drop(self.of.insert(url, Parents::one(relevance))),
        }
        self.of.get(&url)
    }

    /// What speaks for a redirect speaks for where it leads.
    pub(crate) fn inherit(&mut self, url: UrlId, known: bool, from: Parents) -> Option<&Parents> {
        match self.of.get_mut(&url) {
            Some(parents) => parents.join(from),
            None if known => return None,
            None => drop(self.of.insert(url, from)),
        }
        self.of.get(&url)
    }

    /// A URL of which nothing may be known counts as found on one page of this relevance.
    pub(crate) fn restore(&mut self, url: UrlId, relevance: f32) {
        self.of.entry(url).or_insert_with(|| Parents::one(relevance));
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (UrlId, &Parents)> {
        self.of.iter().map(|(url, parents)| (*url, parents))
    }

    /// Those of a URL that was saved.
    pub(crate) fn put(&mut self, url: UrlId, parents: Parents) {
        self.of.insert(url, parents);
    }

    pub(crate) fn forget(&mut self, url: UrlId) -> Option<Parents> {
        self.of.remove(&url)
    }
}
