//! What would a strategy have fetched? Runs one over an archived web, page by page, on a virtual clock:
//! the pages are read once, and a run costs what the strategy costs.

mod oracle;
mod run;
mod topics;
mod web;

pub use oracle::{Oracle, ceiling};
pub use run::{Fetch, Settings, Trail, simulate};
pub use topics::{Topic, TopicError, read_topics};
pub use web::{ParsedLink, ParsedPage, ParsedWeb, Target, WebError};

#[cfg(test)]
mod tests;
