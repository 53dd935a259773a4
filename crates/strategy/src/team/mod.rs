//! How do agents share the work? A team of crawlers with their assistants and one facilitator, under the
//! contract net of Du, Xu and Wang: whoever has many good links calls for proposals, whoever has none bids,
//! and links pass by contract (SPEC 1.2).
//!
//! Everything is a state machine over one logged bus in virtual time. A round ends by its deadline whoever
//! fails to speak, and no URL is lost: who passes one on keeps it until the other has said that it came, and
//! the links of an agent that died go to another. A URL may then be held twice, but it is fetched once:
//! before it is, the facilitator is asked.

mod assistant;
mod bus;
mod documents;
mod facilitator;
mod frontier;
mod negotiation;
mod parameters;
mod queue;
mod round;
mod saved;
mod serve;
mod tending;
mod thesaurus;
mod view;

pub use bus::{BusSettings, Faults, Logged};
pub use facilitator::ContractCounts;
pub use parameters::{MAX_AGENTS, Ownership, TeamParameters, WhichParents};
pub use serve::{ContractNet, Variant};

use crate::agent_log::AgentLog;
use crate::{Choice, PageView, Turn, Verdict};
use assistant::Assistant;
use bus::{Bus, Letter};
use documents::{Documents, words_of};
use facilitator::Facilitator;
use frontier::{Evidence, Frontier, Waiting};
use lycosa_knowledge::wordnet::WordNet;
use lycosa_model::{AbilitySum, ScoredUrl, Site, TeamAgent, TeamContent, Tick, UrlId};
use saved::{Owned, OwnedLinks};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;
use thesaurus::Thesaurus;

/// What a team is made of, beside its parameters.
#[derive(Clone, Debug, Default)]
struct Makeup {
    strict: bool,
    /// Whether crawlers have assistants; without, they speak for themselves and rest meanwhile.
    with_assistants: bool,
    wordnet: Option<Arc<WordNet>>,
    bus: BusSettings,
}

/// See the module.
#[derive(Debug)]
struct Team {
    parameters: TeamParameters,
    strict: bool,
    bus: Bus,
    facilitator: Facilitator,
    assistants: BTreeMap<u32, Assistant>,
    /// Who took the place of whom.
    heirs: HashMap<u32, u32>,
    born: u32,
    frontier: Frontier,
    /// Where each URL under way was sent by whom, under which contract, and what was expected.
    under_way: HashMap<UrlId, Trip>,
    thesaurus: Thesaurus,
    /// The best pages of all: what the facilitator's lattice is made of.
    best: Documents,
    /// Whose turn it is.
    last: u32,
    pages_since: usize,
    last_round: Tick,
    /// Links of the page that is read which belong to others, by whom.
    bundles: BTreeMap<(u32, u32), Vec<ScoredUrl>>,
    /// Whose links are that will be offered again.
    owned: OwnedLinks,
    /// What people did to agents; what these say is on the bus.
    log: AgentLog,
}

#[derive(Clone, Debug)]
struct Trip {
    agent: u32,
    contract: Option<Arc<str>>,
    score: f32,
    evidence: Option<Evidence>,
}

impl Team {
    fn new(parameters: TeamParameters, makeup: Makeup) -> Team {
        let Makeup { strict, with_assistants, wordnet, bus } = makeup;
        let mut team = Team {
            bus: Bus::new(parameters.log, bus),
            facilitator: Facilitator::new(with_assistants),
            assistants: BTreeMap::new(),
            heirs: HashMap::new(),
            born: 0,
            frontier: Frontier::new(),
            under_way: HashMap::new(),
            thesaurus: Thesaurus::new(wordnet),
            best: Documents::default(),
            last: 0,
            pages_since: 0,
            last_round: Tick::default(),
            bundles: BTreeMap::new(),
            owned: OwnedLinks::new(),
            log: AgentLog::default(),
            strict,
            parameters,
        };
        team.parameters.agents = team.parameters.agents.clamp(1, MAX_AGENTS);
        team
    }

    fn start_agent(&mut self) -> u32 {
        self.born += 1;
        let number = self.born;
        let assistant = Assistant::new(number, self.facilitator.speaker(number), self.strict);
        self.facilitator.expect(number);
        assistant.register(&mut self.bus);
        self.assistants.insert(number, assistant);
        number
    }

    /// Lets time pass: messages arrive, and what is due is done, in the order of time.
    fn advance(&mut self, now: Tick) {
        let now = now.max(self.bus.now);
        self.send_bundles();
        if self.born == 0 {
            (self.bus.now, self.last_round) = (now, now);
            for _ in 0..self.parameters.agents {
                self.start_agent();
            }
        }
        self.settle(now);
        let period = self.parameters.period_pages.max(1) * self.assistants.len();
        let passed = now.since(self.last_round) >= Duration::from_millis(self.parameters.period_ms);
        let due = self.pages_since >= period || (passed && !self.frontier.is_empty());
        if due && self.facilitator.round.is_none() {
            self.begin_round(now);
            self.settle(now);
        }
        self.facilitator.deal(&mut self.bus, &self.parameters);
        self.settle(now);
    }

    fn settle(&mut self, now: Tick) {
        loop {
            let alarms = self.assistants.values().filter(|one| !one.gone).map(Assistant::alarm);
            let next = alarms.chain([self.bus.due(), self.facilitator.alarm()]).flatten().min();
            let Some(next) = next.filter(|next| *next <= now) else { break };
            self.bus.now = self.bus.now.max(next);
            while let Some(message) = self.bus.arrived() {
                match message.receiver {
                    TeamAgent::Facilitator => {
                        let Team { facilitator, frontier, bus, parameters, .. } = self;
                        facilitator.hear(&message, frontier, bus, parameters);
                    }
                    TeamAgent::Assistant(number) | TeamAgent::Crawler(number) => {
                        let Team { assistants, frontier, bus, parameters, .. } = self;
                        if let Some(one) = assistants.get_mut(&number).filter(|one| !one.gone) {
                            one.hear(&message, frontier, bus, parameters);
                        }
                    }
                }
            }
            self.facilitator.clock(&mut self.bus, &self.parameters);
            for assistant in self.assistants.values_mut().filter(|one| !one.gone) {
                assistant.clock(&self.frontier, &self.bus);
            }
            self.replace_the_dead();
        }
        self.bus.now = self.bus.now.max(now);
    }

    /// Everybody says what it can do.
    fn begin_round(&mut self, now: Tick) {
        self.pages_since = 0;
        self.last_round = now;
        let common = self.best.lattice(&self.parameters);
        let round = self.facilitator.begin(&self.bus, &self.parameters);
        let TeamParameters { alpha, beta, .. } = self.parameters;
        for assistant in self.assistants.values_mut().filter(|one| !one.gone) {
            // Du et al., eq. 1.
            let links = assistant.promise_of_links(&self.parameters);
            let mut sum = AbilitySum { alpha, links, beta, likeness: 0.0 };
            if beta > 0.0 {
                let own = assistant.documents.lattice(&self.parameters);
                sum.likeness = self.thesaurus.likeness(&own, &common, &self.parameters);
            }
            (assistant.ability, assistant.sum) = (sum.ability(), Some(sum));
            assistant.speak_up(&round, &mut self.bus, &self.parameters);
        }
    }

    /// A new agent for each that is taken for dead, with the links of that.
    fn replace_the_dead(&mut self) {
        for dead in std::mem::take(&mut self.facilitator.dead) {
            let Some(assistant) = self.assistants.remove(&dead) else { continue };
            let heir = self.start_agent();
            self.heirs.insert(dead, heir);
            let left = assistant.held().filter_map(|url| {
                self.frontier.get(&url).map(|waiting| ScoredUrl { url, score: waiting.score })
            });
            let left: Vec<ScoredUrl> = left.collect();
            if !left.is_empty() {
                self.facilitator.give(&mut self.bus, &self.parameters, heir, left);
            }
        }
    }

    /// The agent that lives on in the place of this one.
    fn living(&self, mut number: u32) -> u32 {
        while let Some(heir) = self.heirs.get(&number) {
            number = *heir;
        }
        number
    }

    /// To whom a link belongs that this agent has found.
    fn owner(&self, url: UrlId, finder: u32) -> u32 {
        match self.parameters.ownership {
            Ownership::Finder => finder,
            Ownership::Hash => {
                let agents = self.parameters.agents as u64;
                self.living((url.fingerprint() % agents) as u32 + 1)
            }
        }
    }

    /// Takes note that a link is sent to its owner.
    fn bundle(&mut self, finder: u32, owner: u32, link: ScoredUrl) {
        if finder != owner {
            self.bundles.entry((finder, owner)).or_default().push(link);
        }
    }

    /// Sends the links of the last page to their owners.
    fn send_bundles(&mut self) {
        for ((finder, owner), links) in std::mem::take(&mut self.bundles) {
            let (from, to) = (self.facilitator.speaker(finder), self.facilitator.speaker(owner));
            let conversation: Arc<str> = format!("links-{finder}-{owner}").into();
            let (in_reply_to, reply_by, conversation) = (None, None, &conversation);
            let content = TeamContent::Links(links);
            self.bus.send(Letter { from, to, content, conversation, in_reply_to, reply_by });
        }
    }

    /// A URL for the team. It goes to the agent that found it, or to whom the facilitator gives it.
    fn give(&mut self, url: UrlId, waiting: Waiting, finder: Option<u32>) {
        let score = waiting.score;
        let finder = finder.map(|number| self.living(number));
        match finder.and_then(|number| self.assistants.get_mut(&number)) {
            Some(assistant) => assistant.queue.put(url, &waiting),
            None => self.facilitator.take([ScoredUrl { url, score }]),
        }
        self.frontier.insert(url, waiting);
    }

    /// What a link is worth to an agent.
    fn score(&self, agent: u32, evidence: &Evidence) -> f32 {
        let usual = self.assistants.get(&agent).map_or(0.0, |one| one.usual.get());
        evidence.score(&self.parameters, usual)
    }

    /// The next URL of the agent whose turn it is, or of the next one that has any.
    fn choose(&mut self, now: Tick, turn: &mut dyn FnMut(&Site) -> Turn) -> Option<Choice> {
        self.advance(now);
        // Without assistants nobody crawls while there are negotiations.
        if !self.facilitator.with_assistants && self.facilitator.round.is_some() {
            return None;
        }
        let mut order: Vec<u32> = self.assistants.keys().copied().collect();
        let next = order.partition_point(|number| *number <= self.last);
        order.rotate_left(next);
        // Links of the wanted language come first, whoever has them.
        if let Some(choice) = self.choose_of(&order, true, now, turn) {
            return Some(choice);
        }
        match self.assistants.values().any(|one| !one.gone && one.queue.awaits()) {
            true => None,
            false => self.choose_of(&order, false, now, turn),
        }
    }

    fn choose_of(
        &mut self,
        order: &[u32],
        wanted: bool,
        now: Tick,
        turn: &mut dyn FnMut(&Site) -> Turn,
    ) -> Option<Choice> {
        for &number in order {
            while let Some(mut choice) = self.take_of(number, wanted, turn) {
                // Another agent may have been there: then it waits no longer.
                let Some(waiting) = self.frontier.remove(&choice.url) else { continue };
                self.last = number;
                choice.agent = self.assistants.get(&number).map(|one| one.crawler.clone());
                let Waiting { contract, score, evidence, .. } = waiting;
                let trip = Trip { agent: number, contract, score, evidence };
                self.under_way.insert(choice.url, trip);
                self.settle(now);
                return Some(choice);
            }
        }
        None
    }

    /// The crawler asks its assistant, and that asks the facilitator.
    fn take_of(
        &mut self,
        number: u32,
        wanted: bool,
        turn: &mut dyn FnMut(&Site) -> Turn,
    ) -> Option<Choice> {
        let assistant = self.assistants.get_mut(&number).filter(|one| !one.gone)?;
        let choice = assistant.queue.take(wanted, turn)?;
        if self.facilitator.with_assistants {
            let conversation: Arc<str> = format!("crawl-{number}-{}", assistant.pages).into();
            let (from, to) = (TeamAgent::Crawler(number), TeamAgent::Assistant(number));
            let (in_reply_to, reply_by) = (None, None);
            for (from, to, content) in
                [(from, to, TeamContent::NextUrl), (to, from, TeamContent::Go(choice.url))]
            {
                let conversation = &conversation;
                self.bus.send(Letter { from, to, content, conversation, in_reply_to, reply_by });
            }
        }
        if self.parameters.ownership == Ownership::Finder {
            assistant.check(choice.url, &mut self.bus, &self.parameters);
        }
        Some(choice)
    }

    /// A page was fetched; tells which agent has it.
    fn read(&mut self, page: &PageView<'_>, relevance: f32) -> Option<u32> {
        self.send_bundles();
        self.thesaurus.learn(page.topic, page.terms, &self.parameters);
        let Trip { agent, contract, score, .. } = self.under_way.remove(&page.url)?;
        let agent = self.living(agent);
        if contract.is_some() {
            self.facilitator.judge(agent, score, relevance);
        }
        let words = words_of(page, &self.parameters);
        self.best.keep(f64::from(relevance), page.url, words.clone());
        self.pages_since += 1;
        let assistant = self.assistants.get_mut(&agent)?;
        assistant.pages += 1;
        assistant.usual.add(relevance);
        // The last pages say what an agent is at now.
        assistant.documents.keep(assistant.pages as f64, page.url, words);
        Some(agent)
    }

    /// A person says what a page is worth: a good one is among the best of all, a bad one is nowhere.
    fn hear(&mut self, verdict: &Verdict<'_>) {
        self.thesaurus.look_again();
        let best = self.best.forget(verdict.url);
        let mut own = self.assistants.values_mut();
        if !verdict.good {
            own.for_each(|one| drop(one.documents.forget(verdict.url)));
        } else if let Some(words) =
            best.or_else(|| own.find_map(|one| one.documents.words(verdict.url)))
        {
            self.best.keep(f64::from(verdict.relevance()), verdict.url, words);
        }
    }

    /// A URL gave no page; tells whose it was and what spoke for it.
    fn failed(&mut self, url: UrlId) -> Option<Owned> {
        let Trip { agent, evidence, contract, .. } = self.under_way.remove(&url)?;
        self.pages_since += 1;
        Some(Owned { agent: self.living(agent), evidence, contract })
    }

    /// The facilitator tells everybody to stop, and who hears it does.
    fn stop(&mut self, now: Tick) {
        let now = now.max(self.bus.now);
        self.send_bundles();
        self.settle(now);
        let conversation: Arc<str> = "stop".into();
        let speakers: Vec<(u32, TeamAgent)> =
            self.assistants.keys().map(|&n| (n, self.facilitator.speaker(n))).collect();
        for (number, to) in speakers {
            let (from, content) = (TeamAgent::Facilitator, TeamContent::Stop);
            let (in_reply_to, reply_by, conversation) = (None, None, &conversation);
            self.bus.send(Letter { from, to, content, conversation, in_reply_to, reply_by });
            if self.facilitator.with_assistants {
                let (from, to) = (to, TeamAgent::Crawler(number));
                let content = TeamContent::Stop;
                self.bus.send(Letter { from, to, content, conversation, in_reply_to, reply_by });
            }
        }
        self.settle(now);
    }
}

#[cfg(test)]
mod tests;
