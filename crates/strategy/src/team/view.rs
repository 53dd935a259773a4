//! What is to be said of a team? Why a URL stands where it does, who its agents are, and what was said in a
//! conversation.

use super::frontier::Evidence;
use super::{Logged, Team};
use crate::why::{self, ANCHOR, SEED_PART};
use crate::{Explanation, score};
use lycosa_knowledge::lattice::Lattice;
use lycosa_model::{AgentView, Part, TeamAgent, UrlId, Why};

impl Team {
    /// Who holds a URL, by which contract, and what its score is made of.
    pub(super) fn explain(&self, url: UrlId) -> Explanation {
        let mut why = Vec::new();
        let Some(waiting) = self.frontier.get(&url) else { return why };
        let holder = self.assistants.values().find(|one| one.queue.has(url));
        match holder {
            Some(one) => {
                why.push(format!("waits with {}, whose ability is {:.3}", one.crawler, one.ability))
            }
            None => why.push("is held by the facilitator, on its way to an agent".into()),
        }
        if let Some(contract) = &waiting.contract {
            why.push(format!("came by {contract}"));
        }
        if let Some(evidence) = &waiting.evidence {
            let usual = holder.map_or(0.0, |one| one.usual.get());
            why.extend(why::sentences(&self.parts(waiting.evidence.as_ref(), usual, 0.0)));
            let pages = if evidence.count == 1 { "page links" } else { "pages link" };
            why.push(format!("{} {pages} to it: score {:.3}", evidence.count, waiting.score));
        }
        why
    }

    fn parts(&self, evidence: Option<&Evidence>, usual: f32, score: f32) -> Vec<Part> {
        match evidence {
            Some(evidence) => vec![
                why::part("parents", evidence.parents(&self.parameters, usual)),
                why::part(ANCHOR, evidence.anchor),
            ],
            None if score >= score::SEED => vec![why::part(SEED_PART, score)],
            None => vec![why::part("parent", score)],
        }
    }

    /// Why a URL was named, or would be.
    pub(super) fn why(&self, url: UrlId) -> Option<Why> {
        let (evidence, score, contract, holder) = match self.under_way.get(&url) {
            Some(trip) => {
                let holder = self.assistants.get(&self.living(trip.agent));
                (trip.evidence.as_ref(), trip.score, &trip.contract, holder)
            }
            None => {
                let waiting = self.frontier.get(&url)?;
                let holder = self.assistants.values().find(|one| one.queue.has(url));
                (waiting.evidence.as_ref(), waiting.score, &waiting.contract, holder)
            }
        };
        let usual = holder.map_or(0.0, |one| one.usual.get());
        let parts = self.parts(evidence, usual, score);
        let contract = contract.as_ref().map(ToString::to_string);
        Some(Why { parts, contract, ..Why::default() })
    }

    /// The lattices of the best pages of all, and of the last pages of each crawler.
    pub(super) fn lattices(&self) -> Vec<(String, Lattice)> {
        let common = (TeamAgent::Facilitator.to_string(), self.best.lattice(&self.parameters));
        let own = self.assistants.values();
        let own = own.map(|one| (one.crawler.to_string(), one.documents.lattice(&self.parameters)));
        std::iter::once(common).chain(own).collect()
    }

    /// Its agents.
    pub(super) fn views(&self) -> Vec<AgentView> {
        let counts = self.facilitator.counts;
        let mut views = vec![AgentView {
            name: TeamAgent::Facilitator.to_string(),
            kind: "facilitator".into(),
            alive: true,
            keywords: self.thesaurus.query(),
            note: format!(
                "{} rounds, {} contracts kept, {} without bids, {} failed, {} messages",
                self.facilitator.rounds(),
                counts.kept,
                counts.without_bids,
                counts.failed,
                self.bus.sent()
            ),
            ..AgentView::default()
        }];
        views.extend(self.assistants.values().map(|one| AgentView {
            name: one.crawler.to_string(),
            kind: "crawler".into(),
            alive: !one.gone,
            pages: one.pages,
            note: format!("ability {:.3}, {} links wait with it", one.ability, one.queue.len()),
            ..AgentView::default()
        }));
        views
    }

    /// What was said in a conversation, as far as it is kept.
    pub(super) fn conversation(&self, id: &str) -> impl Iterator<Item = &Logged> {
        self.bus.log().filter(move |logged| *logged.message.conversation_id == *id)
    }
}
