//! What does the broker say? Questions of the commands, each with the one answer that it can have.

use crate::failure::Failure;
use lycosa_model::Prey;
use lycosa_model::message::{BrokerMessage, BrokerReply, BrokerStatus};
use lycosa_runtime::Mailbox;

/// Asks the broker how the crawl is.
pub(crate) async fn status(broker: &Mailbox<BrokerMessage>) -> Result<BrokerStatus, Failure> {
    match broker.ask(BrokerMessage::Status).await? {
        BrokerReply::Status(status) => Ok(*status),
        other => Err(unexpected(other)),
    }
}

/// Asks for the best pages so far.
pub(crate) async fn results(
    broker: &Mailbox<BrokerMessage>,
    limit: usize,
) -> Result<Vec<Prey>, Failure> {
    match broker.ask(BrokerMessage::Results { limit }).await? {
        BrokerReply::Results(prey) => Ok(prey),
        other => Err(unexpected(other)),
    }
}

/// Lets the crawl pause.
pub(crate) async fn pause(broker: &Mailbox<BrokerMessage>) -> Result<(), Failure> {
    match broker.ask(BrokerMessage::Pause).await? {
        BrokerReply::Done => Ok(()),
        other => Err(unexpected(other)),
    }
}

/// Gives seeds to the broker; tells which were refused and why.
pub(crate) async fn sow(
    broker: &Mailbox<BrokerMessage>,
    urls: Vec<String>,
) -> Result<Vec<(String, String)>, Failure> {
    refused(broker.ask(BrokerMessage::Seeds { urls }).await?)
}

/// The same for seeds that search engines named, each with its engine.
pub(crate) async fn sow_named(
    broker: &Mailbox<BrokerMessage>,
    seeds: Vec<(String, String)>,
) -> Result<Vec<(String, String)>, Failure> {
    refused(broker.ask(BrokerMessage::Named { seeds }).await?)
}

fn refused(reply: BrokerReply) -> Result<Vec<(String, String)>, Failure> {
    match reply {
        BrokerReply::Offered { refused, .. } => Ok(refused),
        other => Err(unexpected(other)),
    }
}

fn unexpected(reply: BrokerReply) -> Failure {
    match reply {
        BrokerReply::Broken(why) => Failure::new(why),
        other => Failure::new(format!("the broker answered out of turn: {other:?}")),
    }
}
