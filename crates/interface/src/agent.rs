//! Who answers people and programs? An interface agent: it asks query agents and the broker for them.
//!
//! The web pages and the control door hold nothing but the mailbox of a pool of these agents. An agent
//! holds several conversations at a time, because most of a conversation is waiting: a slow search must
//! not keep the next visitor from learning how the crawl is.

mod desk;
#[cfg(test)]
mod tests;

pub use desk::{Crawl, Desk};

pub(crate) use desk::{HUNT_PATIENCE, SEARCH_PATIENCE, SIZE_PATIENCE, refused};
use desk::{Told, unanswered};
use lycosa_model::message::{InterfaceMessage, InterfaceReply, Unanswered};
use lycosa_runtime::{Agent, Exit, Handle, Life, Mailbox, mailbox, spawn_pool};
use serde::Serialize;
use std::time::Duration;
use tokio::task::{JoinError, JoinSet};
use tokio::time::timeout;

/// Agents of a pool. One would do; the second one goes on while the first is restarted.
pub const AGENTS: usize = 2;
/// Conversations that one agent holds at a time; further questions wait in the mailbox.
pub const MAX_CONVERSATIONS: usize = 64;
/// Questions that may wait for an agent.
pub const MAILBOX: usize = 256;
/// How much longer than an agent's own patience a door waits for it, so that the agent's answer, and
/// not the door's, is the usual one.
const GRACE: Duration = Duration::from_secs(1);

/// An interface agent.
pub struct Interface {
    desk: Desk,
    state: InterfaceState,
}

/// What an interface agent shows of itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct InterfaceState {
    /// Questions answered, refused ones among them.
    pub requests: u64,
    /// Searches among them that had an answer.
    pub searches: u64,
    /// Questions that had none.
    pub failures: u64,
    /// Conversations under way.
    pub under_way: usize,
    /// Milliseconds that the last search took, with the wait for a query agent.
    pub last_search_ms: f64,
}

impl Interface {
    /// An agent that asks those whom the desk names.
    pub fn new(desk: Desk) -> Interface {
        Interface { desk, state: InterfaceState::default() }
    }

    fn ended(&mut self, told: Result<Told, JoinError>) {
        match told {
            Ok(told) => self.state.count(&told),
            Err(error) => {
                // Its sender has been told by the broken way back.
                tracing::error!("a conversation of an interface agent failed: {error}");
                self.state.requests += 1;
                self.state.failures += 1;
            }
        }
    }
}

impl InterfaceState {
    fn count(&mut self, told: &Told) {
        self.requests += 1;
        match told {
            Told::Search { took } => {
                self.searches += 1;
                self.last_search_ms = took.as_secs_f64() * 1_000.0;
            }
            Told::Other => {}
            Told::Nothing => self.failures += 1,
        }
    }
}

impl Agent for Interface {
    type Message = InterfaceMessage;
    type State = InterfaceState;

    fn observe(&self) -> InterfaceState {
        self.state.clone()
    }

    async fn handle(&mut self, message: InterfaceMessage) -> InterfaceReply {
        let (reply, told) = self.desk.answer(message).await;
        self.state.count(&told);
        reply
    }

    async fn run(&mut self, life: &Life<Self>) -> Exit {
        let mut conversations = JoinSet::new();
        loop {
            tokio::select! {
                Some(told) = conversations.join_next() => {
                    self.ended(told);
                    self.state.under_way = conversations.len();
                    life.handled(self);
                }
                next = life.inbox.next(), if conversations.len() < MAX_CONVERSATIONS => {
                    let Some(envelope) = next else { break };
                    let (message, way_back) = envelope.open();
                    let desk = self.desk.clone();
                    conversations.spawn(async move {
                        let (reply, told) = desk.answer(message).await;
                        way_back.send(reply);
                        told
                    });
                    self.state.under_way = conversations.len();
                    life.publish(self);
                }
            }
        }
        while let Some(told) = conversations.join_next().await {
            self.ended(told);
            self.state.under_way = conversations.len();
            life.handled(self);
        }
        Exit::Finished
    }
}

/// Starts a pool of interface agents on the present runtime, which must have real time. They leave when
/// the last clone of the mailbox is gone.
pub fn open(desk: Desk) -> (Mailbox<InterfaceMessage>, Vec<Handle>) {
    let (mailbox, inbox) = mailbox(MAILBOX);
    let registry = desk.registry.clone();
    let build = move |_| Interface::new(desk.clone());
    let handles = spawn_pool(&registry, "interface", AGENTS, (&mailbox, inbox), build);
    (mailbox, handles)
}

/// Asks a pool, and answers in its place when it has no time or has left.
pub(crate) async fn ask(
    interface: &Mailbox<InterfaceMessage>,
    message: InterfaceMessage,
    patience: Duration,
) -> InterfaceReply {
    match timeout(patience + GRACE, interface.ask(message)).await {
        Ok(Ok(reply)) => reply,
        Ok(Err(error)) => {
            let words = format!("the interface gave no answer: {error}");
            refused(unanswered(error), words, "try again later")
        }
        Err(_) => refused(Unanswered::Slow, "the interface is too busy", "try again in a moment"),
    }
}
