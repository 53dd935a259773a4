//! What of a team gets over a restart? What each agent can do and has read, who holds which links and why,
//! and how far the facilitator has counted.

use super::Team;
use super::assistant::Assistant;
use super::documents::Documents;
use super::facilitator::SavedFacilitator;
use super::frontier::Evidence;
use crate::parents::Mean;
use crate::saved::{self, MOST_LINKS};
use lycosa_model::UrlId;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;

/// A link that is offered again: whose it was, and what speaks for it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Owned {
    pub(super) agent: u32,
    pub(super) evidence: Option<Evidence>,
    pub(super) contract: Option<Arc<str>>,
}

#[derive(Serialize, Deserialize)]
struct SavedAgent<D> {
    number: u32,
    documents: D,
    usual: Mean,
    pages: u64,
    ability: f32,
}

#[derive(Serialize, Deserialize)]
struct Saved<D> {
    agents: Vec<SavedAgent<D>>,
    best: D,
    facilitator: SavedFacilitator,
    born: u32,
    heirs: Vec<(u32, u32)>,
    last: u32,
    messages: u64,
    spelled: Vec<String>,
    links: Vec<(UrlId, Owned)>,
}

impl Team {
    pub(super) fn written(&self, name: &str) -> Option<Vec<u8>> {
        if self.born == 0 {
            return None;
        }
        let agents = self.assistants.values().map(|one| SavedAgent {
            number: one.number,
            documents: &one.documents,
            usual: one.usual,
            pages: one.pages,
            ability: one.ability,
        });
        let held = self.assistants.values().flat_map(|one| {
            let held = one.held().filter_map(|url| Some((url, self.frontier.get(&url)?)));
            held.map(|(url, waiting)| {
                let (evidence, contract) = (waiting.evidence, waiting.contract.clone());
                (waiting.score, url, Owned { agent: one.number, evidence, contract })
            })
        });
        let under_way = self.under_way.iter().map(|(url, trip)| {
            let (evidence, contract) = (trip.evidence, trip.contract.clone());
            (trip.score, *url, Owned { agent: self.living(trip.agent), evidence, contract })
        });
        let state = Saved {
            agents: agents.collect(),
            best: &self.best,
            facilitator: self.facilitator.save(),
            born: self.born,
            heirs: self.heirs.iter().map(|(dead, heir)| (*dead, *heir)).collect(),
            last: self.last,
            messages: self.bus.sent(),
            spelled: self.thesaurus.query(),
            links: saved::best(held.chain(under_way).collect(), MOST_LINKS),
        };
        saved::write(name, &state)
    }

    pub(super) fn take_up(&mut self, name: &str, bytes: &[u8]) -> Result<(), String> {
        let state: Saved<Documents> = saved::read(name, bytes)?;
        let (there, wanted) = (state.agents.len(), self.parameters.agents);
        if there != wanted {
            return Err(format!("saved with {there} agents, and there shall be {wanted} now"));
        }
        let pages = state.agents.iter().map(|agent| agent.pages);
        let counts = state.facilitator.counts();
        saved::check_counts(
            pages.chain(counts).chain([state.messages, u64::from(state.born) << 17]),
        )?;
        let known = |number: u32| (1..=state.born).contains(&number);
        // Heirs are born after those whose place they take, so there is an end to every chain of them.
        let inherits = |(dead, heir): &(u32, u32)| dead < heir && known(*heir);
        if !state.agents.iter().all(|agent| known(agent.number))
            || !state.heirs.iter().all(inherits)
        {
            return Err(format!("what {name} has saved is damaged: nobody is called like that"));
        }
        self.facilitator.load(&state.facilitator);
        for agent in state.agents {
            let SavedAgent { number, documents, usual, pages, ability } = agent;
            let speaker = self.facilitator.speaker(number);
            let mut one = Assistant::new(number, speaker, self.strict);
            (one.documents, one.usual, one.pages, one.ability) = (documents, usual, pages, ability);
            self.facilitator.expect(number);
            if let Some(member) = self.facilitator.members.get_mut(&number) {
                member.ability = ability;
            }
            self.assistants.insert(number, one);
        }
        self.best = state.best;
        (self.born, self.last) = (state.born, state.last);
        self.heirs = state.heirs.into_iter().collect();
        self.bus.skip(state.messages);
        self.thesaurus.spell(state.spelled);
        self.owned = state.links.into_iter().collect();
        Ok(())
    }

    /// A link that is tried again goes to who had it.
    pub(super) fn remember(&mut self, url: UrlId, owned: Owned) {
        if self.owned.len() < MOST_LINKS {
            self.owned.insert(url, owned);
        }
    }
}

/// Links that were saved and have not been offered again.
pub(super) type OwnedLinks = HashMap<UrlId, Owned>;
