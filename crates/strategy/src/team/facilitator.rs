//! Who keeps the team together? The facilitator: it knows who there is and what each can do, finds
//! contractors, passes links on, and answers whether a URL was fetched. Of what it passes on it keeps a copy
//! until the receiver has said that it came.

use super::bus::{Bus, Letter};
use super::frontier::Frontier;
use super::parameters::TeamParameters;
use super::round::{Phase, Round};
use lycosa_model::{AclMessage, ScoredUrl, TeamAgent, TeamContent, Tick};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// How much of what is known of an agent's word is forgotten with each new page.
const CREDIBILITY_RATE: f32 = 0.1;

/// What is known of an agent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub(super) ability: f32,
    pub(super) waiting: u32,
    /// Value delivered by value promised (DOC), of late.
    pub(super) credibility: f32,
    pub(super) silent: u32,
}

/// Links that somebody must get.
#[derive(Clone, Debug)]
pub(super) struct Delivery {
    to: u32,
    pub(super) content: TeamContent,
    again: Tick,
}

/// How contracts ended so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContractCounts {
    /// Links passed from manager to contractor.
    pub kept: u64,
    /// Nobody bid.
    pub without_bids: u64,
    /// Not in time.
    pub failed: u64,
}

/// What is saved of the facilitator: how far it has counted.
#[derive(Serialize, Deserialize)]
pub(super) struct SavedFacilitator {
    rounds: u32,
    numbers: u64,
    contracts: ContractCounts,
}

impl SavedFacilitator {
    /// All of its numbers that only grow.
    pub(super) fn counts(&self) -> [u64; 5] {
        let ContractCounts { kept, without_bids, failed } = self.contracts;
        [u64::from(self.rounds) << 17, self.numbers, kept, without_bids, failed]
    }
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Facilitator {
    pub(super) members: BTreeMap<u32, Member>,
    pub(super) round: Option<Round>,
    rounds: u32,
    pub(super) deliveries: BTreeMap<Arc<str>, Delivery>,
    numbers: u64,
    /// URLs that nobody has yet.
    unassigned: Vec<ScoredUrl>,
    /// Whose turn it is to get the next of them.
    turn: usize,
    /// Agents that are taken for dead, and were not replaced yet.
    pub(super) dead: Vec<u32>,
    pub(super) counts: ContractCounts,
    /// How agents are addressed.
    pub(super) with_assistants: bool,
}

impl Facilitator {
    pub(super) fn new(with_assistants: bool) -> Facilitator {
        Facilitator { with_assistants, ..Facilitator::default() }
    }

    pub(super) fn save(&self) -> SavedFacilitator {
        let Facilitator { rounds, numbers, counts, .. } = *self;
        SavedFacilitator { rounds, numbers, contracts: counts }
    }

    pub(super) fn load(&mut self, saved: &SavedFacilitator) {
        (self.rounds, self.numbers, self.counts) = (saved.rounds, saved.numbers, saved.contracts);
    }

    /// The agent of a number that speaks and is spoken to.
    pub(super) fn speaker(&self, number: u32) -> TeamAgent {
        match self.with_assistants {
            true => TeamAgent::Assistant(number),
            false => TeamAgent::Crawler(number),
        }
    }

    pub(super) fn rounds(&self) -> u32 {
        self.rounds
    }

    pub(super) fn tell(
        &self,
        bus: &mut Bus,
        to: u32,
        content: TeamContent,
        conversation: &Arc<str>,
    ) {
        let to = self.speaker(to);
        let from = TeamAgent::Facilitator;
        let (in_reply_to, reply_by) = (None, None);
        bus.send(Letter { from, to, content, conversation, in_reply_to, reply_by });
    }

    /// An agent was started: it is missed if it never says a word.
    pub(super) fn expect(&mut self, number: u32) {
        let new = Member { ability: 0.0, waiting: 0, credibility: 1.0, silent: 0 };
        self.members.insert(number, new);
    }

    /// URLs that somebody shall take.
    pub(super) fn take(&mut self, urls: impl IntoIterator<Item = ScoredUrl>) {
        self.unassigned.extend(urls);
    }

    /// Deals out what nobody has, the best first, one to each in turn.
    pub(super) fn deal(&mut self, bus: &mut Bus, parameters: &TeamParameters) {
        if self.unassigned.is_empty() || self.members.is_empty() {
            return;
        }
        let mut urls = std::mem::take(&mut self.unassigned);
        urls.sort_by(|a, b| b.score.total_cmp(&a.score));
        let numbers: Vec<u32> = self.members.keys().copied().collect();
        let mut shares: BTreeMap<u32, Vec<ScoredUrl>> = BTreeMap::new();
        for url in urls {
            let number = numbers[self.turn % numbers.len()];
            self.turn = self.turn.wrapping_add(1);
            shares.entry(number).or_default().push(url);
        }
        for (number, urls) in shares {
            self.give(bus, parameters, number, urls);
        }
    }

    /// URLs for one agent that come of no contract.
    pub(super) fn give(
        &mut self,
        bus: &mut Bus,
        parameters: &TeamParameters,
        to: u32,
        urls: Vec<ScoredUrl>,
    ) {
        self.numbers += 1;
        let conversation: Arc<str> = format!("initial-{}", self.numbers).into();
        self.deliver(bus, parameters, to, TeamContent::InitialUrls(urls), conversation);
    }

    pub(super) fn deliver(
        &mut self,
        bus: &mut Bus,
        parameters: &TeamParameters,
        to: u32,
        content: TeamContent,
        conversation: Arc<str>,
    ) {
        let again = bus.now.after(Duration::from_millis(parameters.deadline_ms.max(1)));
        self.tell(bus, to, content.clone(), &conversation);
        self.deliveries.insert(conversation, Delivery { to, content, again });
    }

    /// The page of a contract turned out like this, where that was promised.
    pub(super) fn judge(&mut self, number: u32, promised: f32, delivered: f32) {
        if let Some(member) = self.members.get_mut(&number).filter(|_| promised > 0.0) {
            let kept = (delivered / promised).clamp(0.0, 1.0);
            member.credibility += CREDIBILITY_RATE * (kept - member.credibility);
        }
    }

    /// Begins a round; tells its conversation.
    pub(super) fn begin(&mut self, bus: &Bus, parameters: &TeamParameters) -> Arc<str> {
        self.rounds += 1;
        let conversation: Arc<str> = format!("round-{}", self.rounds).into();
        let until = bus.now.after(Duration::from_millis(parameters.phase_ms()));
        self.round = Some(Round::new(conversation.clone(), until));
        conversation
    }

    /// When something is to be done though nobody says anything.
    pub(super) fn alarm(&self) -> Option<Tick> {
        let round = self.round.as_ref().map(|round| round.until);
        let deliveries = self.deliveries.values().map(|delivery| delivery.again).min();
        [round, deliveries].into_iter().flatten().min()
    }

    /// Time has passed.
    pub(super) fn clock(&mut self, bus: &mut Bus, parameters: &TeamParameters) {
        if let Some(round) = self.round.as_ref().filter(|round| round.until <= bus.now) {
            match round.phase {
                Phase::Abilities => self.invite(bus, parameters),
                Phase::Bids => self.award_all(bus, parameters),
                Phase::Links => self.end(bus, parameters),
            }
        }
        let due: Vec<Arc<str>> = self
            .deliveries
            .iter()
            .filter(|(_, delivery)| delivery.again <= bus.now)
            .map(|(conversation, _)| conversation.clone())
            .collect();
        for conversation in due {
            if let Some(delivery) = self.deliveries.remove(&conversation) {
                let weakest =
                    self.members.iter().min_by(|a, b| a.1.ability.total_cmp(&b.1.ability));
                let to = match self.members.contains_key(&delivery.to) {
                    true => delivery.to,
                    false => weakest.map_or(delivery.to, |(number, _)| *number),
                };
                self.deliver(bus, parameters, to, delivery.content, conversation);
            }
        }
    }

    /// Hears a message.
    pub(super) fn hear(
        &mut self,
        message: &AclMessage,
        frontier: &Frontier,
        bus: &mut Bus,
        parameters: &TeamParameters,
    ) {
        let (TeamAgent::Assistant(sender) | TeamAgent::Crawler(sender)) = message.sender else {
            return;
        };
        let conversation = &message.conversation_id;
        match &message.content {
            TeamContent::Registration if self.members.contains_key(&sender) => {
                self.tell(bus, sender, TeamContent::Registered, conversation);
            }
            TeamContent::Ability { ability, waiting } => {
                self.note(sender, *ability, *waiting, conversation, None);
                self.invite_when_complete(bus, parameters);
            }
            TeamContent::Call { ability, waiting, links } => {
                self.note(sender, *ability, *waiting, conversation, Some(links.clone()));
                self.invite_when_complete(bus, parameters);
            }
            TeamContent::Bid { ability, .. } => {
                self.answer(sender, Some(*ability), message, bus, parameters)
            }
            TeamContent::NoBid => self.answer(sender, None, message, bus, parameters),
            TeamContent::Links(links) => self.pass_on(sender, links, conversation, bus, parameters),
            TeamContent::Received => {
                self.deliveries.remove(conversation);
                self.conclude(conversation, true, bus);
                self.end_when_complete();
            }
            TeamContent::Check(urls) => {
                let left = urls.iter().copied().filter(|url| frontier.contains_key(url)).collect();
                self.tell(bus, sender, TeamContent::NotFetched(left), conversation);
            }
            _ => {}
        }
    }
}
