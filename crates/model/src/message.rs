//! What do agents say to each other? One closed enum of messages and one of replies per community.
//!
//! Messages are plain data, so the same ones travel between tasks and between processes. Every agent's
//! mailbox carries its own message type; the reply type belongs to it (see [`Message`]).

mod broker;
mod hunt;
mod interface;
mod pipeline;
mod query;
mod status;
mod views;
mod watch;

pub use broker::{
    BrokerMessage, BrokerReply, Budget, CopyOf, Finding, Opinion, Original, Refusal, Report,
    Welcome,
};
pub use hunt::{EngineAnswer, HuntMessage, HuntOrder, HuntReply, HuntSeed, HuntView};
pub use interface::{CrawlStatus, InterfaceMessage, InterfaceReply, Unanswered, Waits};
pub use pipeline::{
    BotMessage, Entry, FilterMessage, FilterReply, IndexerMessage, IndexerReply, Parts,
};
pub use query::{LexiconRow, QueryMessage, QueryReply};
pub use status::{BrokerStatus, Fetching, Pace, SiteCounts, SiteTrouble, TopSite};
pub use views::{RevisitStatus, SiteView, UrlView};
pub use watch::{
    ChangeKind, DeliveryState, DeliveryView, Piece, PieceKind, WatchCheck, WatchEdit, WatchEntry,
    WatchFeed, WatchMessage, WatchOrder, WatchReply, WatchView,
};

/// A message of one community and the reply that belongs to it.
pub trait Message: Send + 'static {
    /// What comes back.
    type Reply: Send + 'static;
}
