//! The strategies `contract-net`, `xiangdan` and `wyy`: a team behind the interface of all strategies.
//!
//! Of the two older teams only abstracts are at hand (SPEC 1.2). In `xiangdan` crawlers have no assistants:
//! they negotiate themselves, and nobody crawls meanwhile. `wyy` is the same with ability by the likeness of
//! lattices alone.

use super::frontier::{Evidence, Waiting};
use super::{BusSettings, ContractCounts, Logged, Makeup, Team, TeamParameters};
use crate::score::{SEED, key, score};
use crate::{
    Choice, Explanation, LinkEvidence, PageView, Relevance, Setup, Strategy, Turn, Untended,
    Verdict, language_first,
};
use lycosa_knowledge::lattice::Lattice;
use lycosa_model::{
    AgentEvent, AgentView, Care, Deed, Outcome, Rank, ScoredUrl, Site, Spot, Tended, Tick, UrlId,
    Why,
};
use std::time::Duration;

/// Which team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// Du, Xu and Wang.
    ContractNet,
    /// Xiang and Du.
    XiangDan,
    /// Wang.
    Wyy,
}

/// See the module.
#[derive(Debug)]
pub struct ContractNet {
    variant: Variant,
    pub(super) team: Team,
    /// The page whose links are told of, and whose it is.
    reading: Option<(UrlId, u32)>,
    /// What spoke for it, if it is no page but leads to another one.
    redirects: Option<Evidence>,
    /// What speaks for a link that is about to be offered.
    found: Option<(UrlId, u32, Evidence)>,
}

impl ContractNet {
    /// A team as it is set up.
    pub fn new(variant: Variant, setup: &Setup) -> ContractNet {
        ContractNet::with_bus(variant, setup, BusSettings::default())
    }

    /// The same, with messages that take time or do not arrive.
    pub fn with_bus(variant: Variant, setup: &Setup, bus: BusSettings) -> ContractNet {
        let mut parameters: TeamParameters = setup.parameters.team.clone();
        parameters.agents = setup.agents.unwrap_or(parameters.agents);
        if variant == Variant::Wyy {
            (parameters.alpha, parameters.beta) = (0.0, 1.0);
        }
        let makeup = Makeup {
            strict: setup.strict,
            with_assistants: variant == Variant::ContractNet,
            wordnet: setup.wordnet.clone(),
            bus,
        };
        ContractNet {
            variant,
            team: Team::new(parameters, makeup),
            reading: None,
            redirects: None,
            found: None,
        }
    }

    /// Messages sent so far.
    pub fn messages(&self) -> u64 {
        self.team.bus.sent()
    }

    /// How contracts ended so far.
    pub fn contracts(&self) -> ContractCounts {
        self.team.facilitator.counts
    }

    /// Rounds begun so far.
    pub fn rounds(&self) -> u32 {
        self.team.facilitator.rounds()
    }

    /// What was said in a conversation, as far as it is kept: the last messages, as many as `log` says.
    pub fn conversation(&self, id: &str) -> Vec<&Logged> {
        self.team.conversation(id).collect()
    }

    /// The concept lattice of an agent's last pages, or of the best pages of all: the facilitator's.
    pub fn lattice(&self, agent: Option<u32>) -> Option<Lattice> {
        let documents = match agent {
            Some(number) => &self.team.assistants.get(&number)?.documents,
            None => &self.team.best,
        };
        Some(documents.lattice(&self.team.parameters))
    }

    /// An agent stops as if it had died: it says and hears nothing any more. The team finds out by itself.
    pub fn kill(&mut self, number: u32) {
        if let Some(one) = self.team.assistants.get_mut(&number) {
            one.gone = true;
        }
    }

    /// The facilitator tells everybody to stop, at the moment of the last thing that happened.
    pub fn stop(&mut self) {
        self.team.stop(self.team.bus.now);
    }
}

impl Strategy for ContractNet {
    fn name(&self) -> &'static str {
        match self.variant {
            Variant::ContractNet => "contract-net",
            Variant::XiangDan => "xiangdan",
            Variant::Wyy => "wyy",
        }
    }

    fn rank(&self, link: &LinkEvidence<'_>) -> Rank {
        // What it is worth is found out in memory; the disk has what best-first would say.
        let score = if link.seed { SEED } else { link.parent_relevance };
        Rank::new(link.wanted_language || link.seed, key(score))
    }

    fn on_link(&mut self, link: &LinkEvidence<'_>) {
        let reader = self.reading.filter(|(page, _)| link.via == Some(*page)).map(|(_, of)| of);
        let Some(reader) = reader.filter(|_| !link.seed) else { return };
        let team = &mut self.team;
        let anchor = |team: &mut Team| team.thesaurus.anchor(link.anchor, &team.parameters);
        if !link.known {
            // What speaks for a redirect speaks for where it leads.
            let evidence = self.redirects.unwrap_or_else(|| {
                let mut evidence = Evidence::default();
                evidence.add(anchor(team), link.parent_relevance);
                evidence
            });
            self.found = Some((link.url, reader, evidence));
            return;
        }
        // An agent knows of the pages that it has read itself, and of those whose links belong to it.
        let owner = team.owner(link.url, reader);
        let Some(assistant) = team.assistants.get(&owner).filter(|one| one.queue.has(link.url))
        else {
            return;
        };
        let usual = assistant.usual.get();
        let weight = anchor(team);
        let Team { assistants, frontier, parameters, .. } = team;
        if let Some(waiting) = frontier.get_mut(&link.url)
            && let Some(evidence) = &mut waiting.evidence
        {
            evidence.add(weight, link.parent_relevance);
            waiting.score = evidence.score(parameters, usual);
            let score = waiting.score;
            if let Some(assistant) = assistants.get_mut(&owner) {
                assistant.queue.put(link.url, waiting);
            }
            team.bundle(reader, owner, ScoredUrl { url: link.url, score });
        }
    }

    fn on_page(&mut self, page: &PageView<'_>, relevance: Relevance) {
        self.redirects = None;
        let reader = self.team.read(page, relevance.0);
        self.reading = reader.map(|reader| (page.url, reader));
    }

    fn on_fail(&mut self, url: UrlId, why: Outcome, _took: Duration) {
        match self.team.failed(url) {
            Some(owned) if why == Outcome::Redirect => {
                (self.reading, self.redirects) = (Some((url, owned.agent)), owned.evidence);
            }
            Some(owned) if why.is_transient() => self.team.remember(url, owned),
            _ => {}
        }
    }

    fn offer(&mut self, site: &Site, url: UrlId, spot: Spot) {
        let found = self.found.take().filter(|(of, _, _)| *of == url);
        let mut waiting = Waiting {
            site: site.clone(),
            spot,
            evidence: None,
            score: score(spot.rank),
            contract: None,
        };
        let Some((_, finder, evidence)) = found else {
            // It is read back from disk, or tried again.
            let Some(owned) = self.team.owned.remove(&url) else {
                return self.team.give(url, waiting, None);
            };
            let owner = self.team.living(owned.agent);
            if let Some(evidence) = owned.evidence {
                waiting.score = self.team.score(owner, &evidence);
            }
            (waiting.evidence, waiting.contract) = (owned.evidence, owned.contract);
            return self.team.give(url, waiting, Some(owner));
        };
        let owner = self.team.owner(url, finder);
        waiting.score = self.team.score(owner, &evidence);
        waiting.evidence = Some(evidence);
        self.team.bundle(finder, owner, ScoredUrl { url, score: waiting.score });
        self.team.give(url, waiting, Some(owner));
    }

    fn next(
        &mut self,
        now: Tick,
        k: usize,
        turn: &mut dyn FnMut(&Site) -> Turn,
        out: &mut Vec<Choice>,
    ) {
        for _ in 0..k {
            match self.team.choose(now, turn) {
                Some(choice) => out.push(choice),
                None => return,
            }
        }
    }

    fn wake(&mut self, site: &Site) {
        self.team.assistants.values_mut().for_each(|one| one.queue.wake(site));
    }

    fn explain(&self, url: UrlId, spot: Spot) -> Explanation {
        let mut why = self.team.explain(url);
        why.extend(language_first::explain(spot));
        why
    }

    fn why(&self, url: UrlId) -> Option<Why> {
        self.team.why(url)
    }

    fn tend(&mut self, now: Tick, agent: &str, how: Care) -> Result<Tended, Untended> {
        self.team.take_care(now, agent, how)
    }

    fn end(&mut self, now: Tick) {
        self.team.stop(now);
    }

    fn lattices(&self) -> Vec<(String, Lattice)> {
        self.team.lattices()
    }

    fn on_verdict(&mut self, verdict: &Verdict<'_>) {
        self.team.hear(verdict);
    }

    fn save(&self) -> Option<Vec<u8>> {
        self.team.written(self.name())
    }

    fn load(&mut self, saved: &[u8]) -> Result<(), String> {
        self.team.take_up(self.name(), saved)
    }

    fn loaded(&self) -> usize {
        self.team.frontier.len()
    }

    fn log(&mut self, out: &mut Vec<AgentEvent>) {
        self.team.log.take(out);
        out.extend(self.team.bus.drain().into_iter().map(|logged| AgentEvent {
            at: logged.at,
            agent: logged.message.sender.to_string(),
            deed: Deed::Said { arrives: logged.arrives, message: Box::new(logged.message) },
        }));
    }

    fn agents(&self) -> Vec<AgentView> {
        self.team.views()
    }

    fn window(&self) -> Option<usize> {
        None
    }

    fn wants_evidence(&self) -> bool {
        true
    }
}
