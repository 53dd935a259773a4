//! How does the facilitator lead a round? It collects abilities, passes calls on to the weakest, chooses
//! among the bidders, and passes links on (Du et al., stages 1 to 5).

use super::bus::{Bus, Letter};
use super::facilitator::Facilitator;
use super::parameters::TeamParameters;
use super::round::{Contract, Phase, Round, State};
use lycosa_model::{AclMessage, ScoredUrl, TeamAgent, TeamContent};
use std::sync::Arc;
use std::time::Duration;

impl Facilitator {
    pub(super) fn note(
        &mut self,
        sender: u32,
        ability: f32,
        waiting: u32,
        conversation: &Arc<str>,
        links: Option<Vec<ScoredUrl>>,
    ) {
        let Some(member) = self.members.get_mut(&sender) else { return };
        (member.ability, member.waiting, member.silent) = (ability, waiting, 0);
        if let Some(round) = self.round.as_mut()
            && round.conversation == *conversation
            && round.phase == Phase::Abilities
        {
            round.heard.insert(sender);
            if let Some(links) = links.filter(|links| !links.is_empty()) {
                round.calls.insert(sender, links);
            }
        }
    }

    pub(super) fn invite_when_complete(&mut self, bus: &mut Bus, parameters: &TeamParameters) {
        let complete = self.round.as_ref().is_some_and(|round| {
            round.phase == Phase::Abilities
                && self.members.keys().all(|number| round.heard.contains(number))
        });
        if complete {
            self.invite(bus, parameters);
        }
    }

    /// The weakest first; with `reputation`, those first whose word and time are worth most.
    pub(super) fn by_need(&self, parameters: &TeamParameters, numbers: &mut [u32]) {
        let worth = |number: &u32| {
            let Some(member) = self.members.get(number) else { return (0.0, 0.0) };
            let busy = member.waiting as f32 / parameters.queue_cap.max(1) as f32;
            let reputation = member.credibility * (1.0 - busy.min(1.0));
            (if parameters.reputation { -reputation } else { 0.0 }, member.ability)
        };
        numbers.sort_by(|a, b| {
            let (one, other) = (worth(a), worth(b));
            one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)).then(a.cmp(b))
        });
    }

    /// All abilities are known, or the time for them is over: calls are passed on to the weakest.
    pub(super) fn invite(&mut self, bus: &mut Bus, parameters: &TeamParameters) {
        let Some(mut round) = self.round.take() else { return };
        for (number, member) in &mut self.members {
            if !round.heard.contains(number) {
                member.silent += 1;
            }
        }
        let silence = parameters.silence.max(1);
        let dead: Vec<u32> = self
            .members
            .iter()
            .filter(|(_, member)| member.silent >= silence)
            .map(|(number, _)| *number)
            .collect();
        for number in dead {
            self.tell(bus, number, TeamContent::Stop, &round.conversation);
            self.members.remove(&number);
            self.dead.push(number);
        }
        round.phase = Phase::Bids;
        round.until = bus.now.after(Duration::from_millis(parameters.phase_ms()));
        let mut managers: Vec<u32> = round.calls.keys().copied().collect();
        let ability = |number: &u32| self.members.get(number).map_or(0.0, |m| m.ability);
        managers.retain(|number| ability(number) >= parameters.threshold);
        managers.sort_by(|a, b| ability(b).total_cmp(&ability(a)).then(a.cmp(b)));
        // Everybody is in one contract of a round at most.
        let mut free: Vec<u32> =
            self.members.keys().copied().filter(|number| round.heard.contains(number)).collect();
        self.by_need(parameters, &mut free);
        for manager in managers {
            if !free.contains(&manager) {
                continue;
            }
            free.retain(|number| *number != manager);
            let invited: Vec<u32> =
                free.drain(..parameters.invitations().min(free.len())).collect();
            let Some(links) = round.calls.remove(&manager).filter(|_| !invited.is_empty()) else {
                continue;
            };
            let number = round.contracts.len() + 1;
            let conversation: Arc<str> = format!("{}-contract-{number}", round.conversation).into();
            for invited in &invited {
                let content = TeamContent::Call {
                    ability: ability(&manager),
                    waiting: 0,
                    links: links.clone(),
                };
                bus.send(Letter {
                    from: TeamAgent::Facilitator,
                    to: self.speaker(*invited),
                    content,
                    conversation: &conversation,
                    in_reply_to: None,
                    reply_by: Some(round.until),
                });
            }
            round.contracts.push(Contract::new(conversation, manager, invited));
        }
        let nothing = round.contracts.is_empty();
        self.round = (!nothing).then_some(round);
    }

    /// An answer to a call.
    pub(super) fn answer(
        &mut self,
        sender: u32,
        bid: Option<f32>,
        message: &AclMessage,
        bus: &mut Bus,
        parameters: &TeamParameters,
    ) {
        let conversation = &message.conversation_id;
        let contract = self.round.as_mut().and_then(|round| round.contract(conversation));
        match contract {
            Some(contract)
                if contract.state == State::Calling && contract.invited.contains(&sender) =>
            {
                contract.answered.insert(sender);
                if bid.is_some() {
                    contract.bids.insert(sender);
                }
                if contract.answered.len() == contract.invited.len() {
                    self.award(&conversation.clone(), bus, parameters);
                }
            }
            // It comes too late for a contract.
            _ if bid.is_some() => self.tell(bus, sender, TeamContent::NoContract, conversation),
            _ => {}
        }
        self.end_when_complete();
    }

    /// The time for bids is over.
    pub(super) fn award_all(&mut self, bus: &mut Bus, parameters: &TeamParameters) {
        let Some(round) = self.round.as_mut() else { return };
        let waits = |contract: &&Contract| contract.state == State::Calling;
        let open: Vec<Arc<str>> =
            round.contracts.iter().filter(waits).map(|c| c.conversation.clone()).collect();
        for conversation in open {
            self.award(&conversation, bus, parameters);
        }
        if let Some(round) = self.round.as_mut() {
            round.phase = Phase::Links;
            round.until = bus.now.after(Duration::from_millis(parameters.phase_ms()));
        }
        self.end_when_complete();
    }

    pub(super) fn award(
        &mut self,
        conversation: &Arc<str>,
        bus: &mut Bus,
        parameters: &TeamParameters,
    ) {
        let Some(contract) = self.round.as_mut().and_then(|round| round.contract(conversation))
        else {
            return;
        };
        let manager = contract.manager;
        let mut bidders: Vec<u32> = contract.bids.iter().copied().collect();
        self.by_need(parameters, &mut bidders);
        let Some((&contractor, others)) = bidders.split_first() else {
            self.counts.without_bids += 1;
            self.set_state(conversation, State::Ended, None);
            self.tell(bus, manager, TeamContent::NoContract, conversation);
            return;
        };
        self.set_state(conversation, State::Awarded, Some(contractor));
        for number in [manager, contractor] {
            self.tell(bus, number, TeamContent::Contract { manager, contractor }, conversation);
        }
        for number in others {
            self.tell(bus, *number, TeamContent::NoContract, conversation);
        }
    }

    pub(super) fn set_state(
        &mut self,
        conversation: &Arc<str>,
        state: State,
        contractor: Option<u32>,
    ) {
        if let Some(contract) = self.round.as_mut().and_then(|round| round.contract(conversation)) {
            contract.state = state;
            contract.contractor = contractor.or(contract.contractor);
        }
    }

    /// Links of a manager go to its contractor.
    pub(super) fn pass_on(
        &mut self,
        sender: u32,
        links: &[ScoredUrl],
        conversation: &Arc<str>,
        bus: &mut Bus,
        parameters: &TeamParameters,
    ) {
        let contract = self.round.as_mut().and_then(|round| round.contract(conversation));
        let contractor = contract
            .filter(|contract| contract.state == State::Awarded && contract.manager == sender)
            .and_then(|contract| contract.contractor);
        match contractor {
            None => self.tell(bus, sender, TeamContent::TooLate, conversation),
            Some(_) if links.is_empty() => self.conclude(conversation, false, bus),
            Some(contractor) => {
                self.set_state(conversation, State::Delivering, None);
                let content = TeamContent::Links(links.to_vec());
                self.deliver(bus, parameters, contractor, content, conversation.clone());
            }
        }
        self.end_when_complete();
    }

    /// A contract ends well, or with nothing given.
    pub(super) fn conclude(&mut self, conversation: &Arc<str>, kept: bool, bus: &mut Bus) {
        let Some(contract) = self.round.as_mut().and_then(|round| round.contract(conversation))
        else {
            return;
        };
        if matches!(contract.state, State::Awarded | State::Delivering) {
            contract.state = State::Ended;
            let (manager, contractor) = (contract.manager, contract.contractor);
            if kept {
                self.counts.kept += 1;
            }
            for number in std::iter::once(manager).chain(contractor) {
                self.tell(bus, number, TeamContent::Terminated, conversation);
            }
        }
    }

    /// A round in which every contract has ended is over.
    pub(super) fn end_when_complete(&mut self) {
        let complete = |round: &Round| {
            round.phase != Phase::Abilities
                && round.contracts.iter().all(|contract| contract.state == State::Ended)
        };
        if self.round.as_ref().is_some_and(complete) {
            self.round = None;
        }
    }

    /// The time of the round is over. What has not reached its contractor goes back to the manager.
    pub(super) fn end(&mut self, bus: &mut Bus, parameters: &TeamParameters) {
        let Some(round) = self.round.take() else { return };
        for contract in round.contracts {
            let Contract { conversation, manager, contractor, state, .. } = contract;
            if state == State::Ended {
                continue;
            }
            self.counts.failed += 1;
            for number in std::iter::once(manager).chain(contractor) {
                self.tell(bus, number, TeamContent::TooLate, &conversation);
            }
            if let Some(delivery) = self.deliveries.remove(&conversation)
                && let TeamContent::Links(links) = delivery.content
            {
                let content = TeamContent::InitialUrls(links);
                self.deliver(bus, parameters, manager, content, conversation);
            }
        }
    }
}
