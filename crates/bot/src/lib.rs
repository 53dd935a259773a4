//! Who fetches? The bot: what it was leased, politely, and nothing else.

mod agent;
pub mod crawllet;
pub mod decode;
#[cfg(test)]
mod fuzz;
mod job;
pub mod live;
mod meter;
mod remote;
mod render;
mod request;

pub use agent::{Bot, BotState, Tools};
pub use job::JobSettings;
pub use remote::{RemoteBroker, RemoteState};
pub use render::{BrowserState, Ends, RenderError, RenderSettings, Renderer};
