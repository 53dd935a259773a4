//! What is a round? Abilities, calls and bids, links: three phases, each with an end that comes by itself.

use lycosa_model::{ScoredUrl, Tick};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the facilitator waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// What everybody can do.
    Abilities,
    /// Who wants the links of others.
    Bids,
    /// Links on their way.
    Links,
}

/// A round from its beginning to its end.
#[derive(Debug)]
pub(super) struct Round {
    pub(super) conversation: Arc<str>,
    pub(super) phase: Phase,
    /// When the phase ends, whoever has spoken.
    pub(super) until: Tick,
    pub(super) heard: BTreeSet<u32>,
    /// What managers offer.
    pub(super) calls: BTreeMap<u32, Vec<ScoredUrl>>,
    pub(super) contracts: Vec<Contract>,
}

impl Round {
    pub(super) fn new(conversation: Arc<str>, until: Tick) -> Round {
        Round {
            conversation,
            phase: Phase::Abilities,
            until,
            heard: BTreeSet::new(),
            calls: BTreeMap::new(),
            contracts: Vec::new(),
        }
    }

    pub(super) fn contract(&mut self, conversation: &str) -> Option<&mut Contract> {
        self.contracts.iter_mut().find(|contract| *contract.conversation == *conversation)
    }
}

/// How far a contract is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Bids are awaited.
    Calling,
    /// The links of the manager are awaited.
    Awarded,
    /// The contractor shall say that they came.
    Delivering,
    Ended,
}

/// One manager's call and what comes of it.
#[derive(Debug)]
pub(super) struct Contract {
    pub(super) conversation: Arc<str>,
    pub(super) manager: u32,
    pub(super) invited: Vec<u32>,
    pub(super) answered: BTreeSet<u32>,
    pub(super) bids: BTreeSet<u32>,
    pub(super) contractor: Option<u32>,
    pub(super) state: State,
}

impl Contract {
    pub(super) fn new(conversation: Arc<str>, manager: u32, invited: Vec<u32>) -> Contract {
        Contract {
            conversation,
            manager,
            invited,
            answered: BTreeSet::new(),
            bids: BTreeSet::new(),
            contractor: None,
            state: State::Calling,
        }
    }
}
