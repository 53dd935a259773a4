//! What does a bot ask of the broker, and how does it take its leave?

use super::{Bot, Trouble, unexpected};
use lycosa_model::message::{BrokerMessage, BrokerReply, CopyOf};
use lycosa_model::{BotId, Lease, UrlId};
use std::time::Duration;

/// What the broker gives to a bot that asks.
pub(super) struct Given {
    pub(super) leases: Vec<Lease>,
    /// When to ask again.
    pub(super) wait: Duration,
    /// No more will come.
    pub(super) end: bool,
    pub(super) left: Left,
}

/// What has left the index.
#[derive(Default)]
pub(super) struct Left {
    pub(super) urls: Vec<UrlId>,
    /// Those of them that others stand for.
    pub(super) copies: Vec<CopyOf>,
    /// How long the broker's list is.
    pub(super) last: u64,
}

impl Left {
    /// What has left by now, and what has left since.
    pub(super) fn extend(&mut self, later: Left) {
        self.copies.retain(|copy| !later.urls.contains(&copy.url_id));
        self.urls.extend(later.urls);
        self.copies.extend(later.copies);
        self.last = self.last.max(later.last);
    }
}

impl Bot {
    /// Asks for so many leases.
    pub(super) async fn ask_for(&self, bot: BotId, n: usize) -> Result<Given, Trouble> {
        self.own().meter.asks(true);
        let reply = self.tools.broker.ask(BrokerMessage::GiveMe { bot, n }).await?;
        self.own().meter.asks(false);
        match reply {
            BrokerReply::Leases {
                leases,
                ask_again_ms,
                finished: end,
                removed: urls,
                copies,
                removals: last,
            } => {
                let wait = Duration::from_millis(ask_again_ms);
                Ok(Given { leases, wait, end, left: Left { urls, copies, last } })
            }
            other => Err(unexpected(other)),
        }
    }

    /// Whether the index still has something of that.
    pub(super) fn is_behind(&self, left: &Left) -> bool {
        !left.urls.is_empty() || self.own().removals.is_some_and(|after| after < left.last)
    }

    pub(super) async fn leave(&self, bot: BotId) -> Result<(), Trouble> {
        match self.tools.broker.ask(BrokerMessage::Leave { bot }).await {
            Ok(BrokerReply::Done | BrokerReply::Refused(_)) | Err(_) => Ok(()),
            Ok(other) => Err(unexpected(other)),
        }
    }
}
