//! What is known of the URLs that wait, whoever holds them? The frontier outlives the agents: what one
//! held that has died is here still.

use super::parameters::{TeamParameters, WhichParents};
use lycosa_model::{Site, Spot, UrlId};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;

/// What speaks for a URL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Evidence {
    /// The weight of the best anchor (Du et al., eq. 3).
    pub(super) anchor: f32,
    pub(super) first: f32,
    pub(super) most: f32,
    pub(super) sum: f32,
    pub(super) count: u32,
}

impl Evidence {
    pub(super) fn add(&mut self, anchor: f32, relevance: f32) {
        if self.count == 0 {
            self.first = relevance;
        }
        self.anchor = self.anchor.max(anchor);
        self.most = self.most.max(relevance);
        self.sum += relevance;
        self.count = self.count.saturating_add(1);
    }

    /// The relevance of the pages that link to it, where `usual` is that of a page.
    pub(super) fn parents(&self, parameters: &TeamParameters, usual: f32) -> f32 {
        let pull = parameters.pull.max(0.0);
        match parameters.parents {
            WhichParents::First => self.first,
            WhichParents::Most => self.most,
            WhichParents::Mean => {
                (self.sum + pull * usual) / (self.count as f32 + pull).max(f32::MIN_POSITIVE)
            }
        }
    }

    /// Du et al., eq. 2.
    pub(super) fn score(&self, parameters: &TeamParameters, usual: f32) -> f32 {
        self.anchor * self.parents(parameters, usual)
    }
}

/// A URL that waits.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) site: Site,
    pub(super) spot: Spot,
    /// None of what a person named, or of what was read back from disk.
    pub(super) evidence: Option<Evidence>,
    /// What it was worth at last.
    pub(super) score: f32,
    /// The contract it passed by at last.
    pub(super) contract: Option<Arc<str>>,
}

/// All URLs that wait and were not chosen.
pub(super) type Frontier = HashMap<UrlId, Waiting>;
