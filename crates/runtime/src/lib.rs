//! How do agents live? Mailboxes, supervision, the clock, the dice, and the ports to the outside.

mod agent;
mod backoff;
mod chain;
mod clock;
mod dice;
mod load;
mod mailbox;
mod registry;
mod seal;
mod web;

pub use agent::{Agent, Exit, Handle, Life, RestartLimit, spawn, spawn_pool};
pub use backoff::Backoff;
pub use chain::chain;
pub use clock::Clock;
pub use dice::{chance, dice};
pub use mailbox::{AskError, Envelope, Inbox, Mailbox, ReplyTo, mailbox};
pub use registry::{AgentView, Registry};
pub use seal::Seal;
pub use web::{Answer, Ask, Web};
