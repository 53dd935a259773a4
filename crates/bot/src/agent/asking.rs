//! What does a bot ask of the broker, and how does it take its leave?

use super::{Bot, Trouble, unexpected};
use lycosa_model::message::{BrokerMessage, BrokerReply};
use lycosa_model::{BotId, Lease, UrlId};
use std::time::Duration;

/// What the broker gives to a bot that asks.
pub(super) struct Given {
    pub(super) leases: Vec<Lease>,
    /// When to ask again.
    pub(super) wait: Duration,
    /// No more will come.
    pub(super) end: bool,
    pub(super) removed: Vec<UrlId>,
    /// How long the list of pages is that have left the index.
    pub(super) removals: u64,
}

impl Bot {
    pub(super) async fn ask_for(&self, bot: BotId, n: usize) -> Result<Given, Trouble> {
        match self.tools.broker.ask(BrokerMessage::GiveMe { bot, n }).await? {
            BrokerReply::Leases { leases, ask_again_ms, finished: end, removed, removals } => {
                let wait = Duration::from_millis(ask_again_ms);
                Ok(Given { leases, wait, end, removed, removals })
            }
            other => Err(unexpected(other)),
        }
    }

    pub(super) async fn leave(&self, bot: BotId) -> Result<(), Trouble> {
        match self.tools.broker.ask(BrokerMessage::Leave { bot }).await {
            Ok(BrokerReply::Done | BrokerReply::Refused(_)) | Err(_) => Ok(()),
            Ok(other) => Err(unexpected(other)),
        }
    }
}
