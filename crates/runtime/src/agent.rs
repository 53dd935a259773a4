//! How does an agent live, fail and come back?
//!
//! An agent is its own state and a loop over its inbox. It runs under a supervisor: when it panics it is
//! built anew and goes on with the same inbox. The message that it failed on is not tried again; its
//! sender is told and decides what that means.

use crate::mailbox::{Inbox, Mailbox};
use crate::registry::{Cell, Registry};
use futures_util::FutureExt;
use lycosa_model::message::Message;
use serde::Serialize;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;

/// How an agent's life ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It has nothing left to do.
    Finished,
    /// It cannot go on, and a restart would not help.
    Failed(String),
}

/// An agent: a state of its own, a closed set of messages, and a state that others may see.
pub trait Agent: Send + Sized + 'static {
    /// What it understands.
    type Message: Message;
    /// What it shows of itself; copied after every message, so keep it small.
    type State: Serialize + Clone + Send + Default + 'static;

    /// The present observable state.
    fn observe(&self) -> Self::State;

    /// Handles one message.
    fn handle(
        &mut self,
        message: Self::Message,
    ) -> impl Future<Output = <Self::Message as Message>::Reply> + Send;

    /// The life of the agent. Most agents only answer messages and keep this default; an agent with
    /// work of its own between messages (a bot, a broker with timers) replaces it.
    fn run(&mut self, life: &Life<Self>) -> impl Future<Output = Exit> + Send {
        async move {
            while let Some(envelope) = life.inbox.next().await {
                let (message, reply) = envelope.open();
                reply.send(self.handle(message).await);
                life.handled(self);
            }
            Exit::Finished
        }
    }
}

/// What the supervisor lends to the agent that is alive now.
pub struct Life<A: Agent> {
    /// Its messages.
    pub inbox: Inbox<A::Message>,
    cell: Arc<Cell>,
    observed: Arc<Mutex<A::State>>,
}

impl<A: Agent> Life<A> {
    /// Counts a message and publishes the state.
    pub fn handled(&self, agent: &A) {
        self.cell.count();
        self.publish(agent);
    }

    /// Publishes the state.
    pub fn publish(&self, agent: &A) {
        *self.observed.lock().unwrap_or_else(PoisonError::into_inner) = agent.observe();
    }
}

/// How often an agent may fail before its supervisor gives up.
#[derive(Clone, Copy, Debug)]
pub struct RestartLimit {
    /// Restarts within the period.
    pub restarts: usize,
    /// The period.
    pub period: Duration,
}

impl Default for RestartLimit {
    fn default() -> Self {
        RestartLimit { restarts: 100, period: Duration::from_secs(60) }
    }
}

/// A running agent.
pub struct Handle {
    /// Its name.
    pub name: String,
    task: JoinHandle<Exit>,
}

impl Handle {
    /// Waits for its end.
    pub async fn join(self) -> Exit {
        self.task.await.unwrap_or_else(|error| Exit::Failed(format!("supervisor failed: {error}")))
    }

    /// Ends it where it stands.
    pub fn abort(&self) {
        self.task.abort();
    }
}

/// Starts one supervised agent. `build` makes it, also after each panic.
pub fn spawn<A: Agent>(
    registry: &Registry,
    community: &'static str,
    name: String,
    channel: (&Mailbox<A::Message>, Inbox<A::Message>),
    limit: RestartLimit,
    build: impl FnMut() -> A + Send + 'static,
) -> Handle {
    let (mailbox, inbox) = channel;
    let observed = Arc::new(Mutex::new(A::State::default()));
    // A weak probe: the registry must not keep the mailbox open, or its agent would never finish.
    let probe = mailbox.probe();
    let shown = Arc::clone(&observed);
    let cell = registry.enter(
        name.clone(),
        community,
        Box::new(probe),
        Box::new(move || {
            let state = shown.lock().unwrap_or_else(PoisonError::into_inner).clone();
            serde_json::to_value(state).unwrap_or(serde_json::Value::Null)
        }),
    );
    let life = Life { inbox, cell, observed };
    Handle { name, task: tokio::spawn(supervise(life, limit, build)) }
}

/// Starts `count` agents that share one inbox: whoever is free takes the next message.
pub fn spawn_pool<A: Agent>(
    registry: &Registry,
    community: &'static str,
    count: usize,
    channel: (&Mailbox<A::Message>, Inbox<A::Message>),
    build: impl Fn(usize) -> A + Send + Sync + Clone + 'static,
) -> Vec<Handle> {
    let (mailbox, inbox) = channel;
    (1..=count.max(1))
        .map(|number| {
            let build = build.clone();
            spawn(
                registry,
                community,
                format!("{community}-{number}"),
                (mailbox, inbox.clone()),
                RestartLimit::default(),
                move || build(number),
            )
        })
        .collect()
}

async fn supervise<A: Agent>(
    life: Life<A>,
    limit: RestartLimit,
    mut build: impl FnMut() -> A + Send,
) -> Exit {
    let mut failures: Vec<Instant> = Vec::new();
    loop {
        let mut agent = build();
        life.publish(&agent);
        life.cell.set_state("running");
        match AssertUnwindSafe(agent.run(&life)).catch_unwind().await {
            Ok(exit) => {
                life.publish(&agent);
                life.cell.set_state(if exit == Exit::Finished { "finished" } else { "failed" });
                return exit;
            }
            Err(panic) => {
                let why = panic_text(&*panic);
                let restarts = life.cell.restarted();
                life.cell.set_state("restarting");
                tracing::error!(agent = life.cell.name(), restarts, "agent panicked: {why}");
                failures.retain(|at| at.elapsed() < limit.period);
                failures.push(Instant::now());
                if failures.len() > limit.restarts {
                    life.cell.set_state("failed");
                    return Exit::Failed(format!("panicked {restarts} times, last: {why}"));
                }
            }
        }
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "unknown".into())
}

#[cfg(test)]
mod tests;
