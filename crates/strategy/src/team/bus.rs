//! How do messages get from one agent to another? Over one bus in virtual time, on which they are logged,
//! and on which faults can be made: some get lost, some come late.

use lycosa_model::{AclMessage, Protocol, TeamAgent, TeamContent, Tick};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// What goes wrong, by chance; nothing unless said.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Faults {
    /// Where chance begins.
    pub seed: u64,
    /// Share of messages that get lost.
    pub lost: f32,
    /// Share of messages that come late.
    pub late: f32,
    /// How much later they come.
    pub late_by: Duration,
}

/// How messages travel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BusSettings {
    /// How long a message takes; within a process, no time.
    pub delay: Duration,
    /// What goes wrong.
    pub faults: Faults,
}

/// A message and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Logged {
    /// When it was sent.
    pub at: Tick,
    /// When it arrives; `None` when it got lost.
    pub arrives: Option<Tick>,
    /// What it is.
    #[serde(flatten)]
    pub message: AclMessage,
}

/// A message that is to be sent.
pub(super) struct Letter<'a> {
    pub(super) from: TeamAgent,
    pub(super) to: TeamAgent,
    pub(super) content: TeamContent,
    pub(super) conversation: &'a Arc<str>,
    pub(super) in_reply_to: Option<u64>,
    pub(super) reply_by: Option<Tick>,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Bus {
    pub(super) now: Tick,
    delay: Duration,
    pub(super) faults: Faults,
    dice: u64,
    on_the_way: BTreeMap<(Tick, u64), AclMessage>,
    numbers: u64,
    log: VecDeque<Logged>,
    keep: usize,
    /// Messages that no longer fit into the log.
    pub(super) forgotten: u64,
}

impl Bus {
    pub(super) fn new(keep: usize, settings: BusSettings) -> Bus {
        let BusSettings { delay, faults } = settings;
        Bus {
            now: Tick::default(),
            delay,
            faults,
            dice: faults.seed,
            on_the_way: BTreeMap::new(),
            numbers: 0,
            log: VecDeque::new(),
            keep,
            forgotten: 0,
        }
    }

    /// Messages sent so far.
    pub(super) fn sent(&self) -> u64 {
        self.numbers
    }

    /// So many were sent before a restart.
    pub(super) fn skip(&mut self, messages: u64) {
        self.numbers = messages;
    }

    /// Sends a message.
    pub(super) fn send(&mut self, letter: Letter<'_>) {
        self.numbers += 1;
        let protocol = match letter.content {
            TeamContent::Registration | TeamContent::Registered => Protocol::FipaRequest,
            TeamContent::NextUrl | TeamContent::Go(_) => Protocol::FipaRequest,
            TeamContent::Check(_) | TeamContent::NotFetched(_) => Protocol::FipaQuery,
            _ => Protocol::FipaContractNet,
        };
        let message = AclMessage {
            performative: letter.content.performative(),
            sender: letter.from,
            receiver: letter.to,
            content: letter.content,
            protocol,
            conversation_id: letter.conversation.clone(),
            reply_with: self.numbers,
            in_reply_to: letter.in_reply_to,
            reply_by: letter.reply_by,
        };
        let arrives = match self.chance(self.faults.lost) {
            true => None,
            false if self.chance(self.faults.late) => {
                Some(self.now.after(self.delay).after(self.faults.late_by))
            }
            false => Some(self.now.after(self.delay)),
        };
        self.record(Logged { at: self.now, arrives, message: message.clone() });
        if let Some(arrives) = arrives {
            self.on_the_way.insert((arrives, self.numbers), message);
        }
    }

    fn record(&mut self, logged: Logged) {
        while self.log.len() >= self.keep.max(1) {
            self.log.pop_front();
            self.forgotten += 1;
        }
        self.log.push_back(logged);
    }

    /// Whether it happens. Nothing is thrown for what never does, so a team without faults needs no chance.
    fn chance(&mut self, share: f32) -> bool {
        if share <= 0.0 {
            return false;
        }
        // SplitMix64.
        self.dice = self.dice.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.dice;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / ((1_u32 << 24) as f32) < share
    }

    /// When the next message arrives.
    pub(super) fn due(&self) -> Option<Tick> {
        self.on_the_way.keys().next().map(|(tick, _)| *tick)
    }

    /// The next message that has arrived by now.
    pub(super) fn arrived(&mut self) -> Option<AclMessage> {
        let first = self.on_the_way.first_entry()?;
        (first.key().0 <= self.now).then(|| first.remove())
    }

    /// The messages that are kept.
    pub(super) fn log(&self) -> impl Iterator<Item = &Logged> {
        self.log.iter()
    }

    /// Gives the messages that are kept away.
    pub(super) fn drain(&mut self) -> Vec<Logged> {
        self.log.drain(..).collect()
    }
}
