//! What can be set about a team? All that Du, Xu and Wang leave open, with our choices.

use lycosa_knowledge::wordnet::Closeness;
use serde::{Deserialize, Serialize};

/// Settings of a contract-net team. Where the paper names a value it is the default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TeamParameters {
    /// Crawlers, each with its assistant. The paper has 5 and 10.
    pub agents: usize,
    /// What the scores of its links count for the ability of an agent (alpha).
    pub alpha: f32,
    /// What the likeness of its lattice to the facilitator's counts (beta).
    pub beta: f32,
    /// The least ability of an agent that calls for proposals (W).
    pub threshold: f32,
    /// What relations between words count (d1, d2).
    pub closeness: Closeness,
    /// What an anchor counts at least that has nothing to do with the topic. The paper has 0.001, which
    /// leaves nothing of what its page says for it.
    pub anchor_floor: f32,
    /// Who gets a link that was found.
    pub ownership: Ownership,
    /// Words of the topic that an anchor is held against.
    pub query_words: usize,
    /// Which pages count that link to a URL.
    pub parents: WhichParents,
    /// With the mean of them: as if so many more of the usual relevance linked to it.
    pub pull: f32,
    /// Links that are offered in one call (n).
    pub links: usize,
    /// Agents that are asked for bids in one call (m); 0 for 2, and 3 from ten agents on.
    pub invited: usize,
    /// Pages of each agent from one round to the next (T), as long as that comes before `period_ms`.
    pub period_pages: usize,
    /// Time from one round to the next.
    pub period_ms: u64,
    /// Time that a round may take: a third for abilities, a third for bids, a third for links.
    pub deadline_ms: u64,
    /// Links of an agent that count for its ability, the best ones.
    pub best_links: usize,
    /// Words of a page that count, those with the largest TF-IDF.
    pub page_words: usize,
    /// What shared pages count in the likeness of two concepts (w); the rest is for shared keywords.
    pub extents: f32,
    /// Concepts of a lattice.
    pub concepts: usize,
    /// URLs that are checked with the facilitator in one message.
    pub check_batch: usize,
    /// Whether bidders are ranked by credibility and availability (DOC and DOA) before their ability.
    pub reputation: bool,
    /// URLs with which an agent counts as fully busy, where availability is asked for.
    pub queue_cap: usize,
    /// Rounds without a word after which an agent is taken for dead.
    pub silence: u32,
    /// Messages that are kept for whoever asks.
    pub log: usize,
}

/// Who gets a link that was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ownership {
    /// Who found it; before it is fetched the facilitator is asked whether it was.
    #[default]
    Finder,
    /// Whoever a hash of the URL names, so that nobody needs to be asked. Links are sent there, one message
    /// for each page and owner.
    Hash,
}

/// Which of the pages that an agent has seen to link to a URL count for it; the paper does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhichParents {
    /// The first one.
    First,
    /// The most relevant one.
    Most,
    /// All, by their mean.
    #[default]
    Mean,
}

impl Default for TeamParameters {
    fn default() -> TeamParameters {
        TeamParameters {
            agents: 5,
            alpha: 0.5,
            beta: 0.5,
            threshold: 0.25,
            closeness: Closeness::default(),
            anchor_floor: 0.25,
            ownership: Ownership::default(),
            query_words: 10,
            parents: WhichParents::default(),
            pull: 2.0,
            links: 10,
            invited: 0,
            period_pages: 10,
            period_ms: 300_000,
            deadline_ms: 30_000,
            best_links: 50,
            page_words: 20,
            extents: 0.0,
            concepts: 256,
            check_batch: 32,
            reputation: false,
            queue_cap: 10_000,
            silence: 2,
            log: 10_000,
        }
    }
}

/// Agents of a team, whatever is asked for.
pub const MAX_AGENTS: usize = 1_000;

impl TeamParameters {
    /// How many agents are asked for bids.
    pub(super) fn invitations(&self) -> usize {
        match (self.invited, self.agents) {
            (0, ..=9) => 2,
            (0, _) => 3,
            (some, _) => some,
        }
    }

    /// From one check of the clock to the next within a round.
    pub(super) fn phase_ms(&self) -> u64 {
        (self.deadline_ms / 3).max(1)
    }
}
