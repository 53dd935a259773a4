//! How do people and programs come in? By the search page, its JSON API, and the control door of a
//! running crawl; behind all of them stand interface agents.
//!
//! This room only asks: it holds no index and no frontier, and whatever comes out of a crawled page is
//! hostile until [`web`] has cleaned it.

mod agent;
pub mod control;
pub mod events;
pub mod graph;
mod json;
mod limits;
pub mod mcp;
pub mod web;

pub use limits::{limited_by, waits};

pub use agent::{AGENTS, Crawl, Desk, Interface, InterfaceState, MAILBOX, MAX_CONVERSATIONS, open};
