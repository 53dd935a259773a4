//! What is to be said of a team? Why a URL stands where it does, who its agents are, and what was said in a
//! conversation.

use super::{Logged, Team};
use crate::Explanation;
use lycosa_model::{AgentView, TeamAgent, UrlId};

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
            let parents = evidence.parents(&self.parameters, usual);
            why.push(format!(
                "{:.3} for its anchor, times {parents:.3} for {} that link to it: score {:.3}",
                evidence.anchor,
                match evidence.count {
                    1 => "the page".to_owned(),
                    count => format!("the {count} pages"),
                },
                waiting.score
            ));
        }
        why
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
