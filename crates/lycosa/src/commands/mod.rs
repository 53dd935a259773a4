//! One file per command.

pub(crate) mod agent;
pub(crate) mod agents;
pub(crate) mod crawl;
pub(crate) mod crawllet;
pub(crate) mod demo;
pub(crate) mod export;
pub(crate) mod hunt;
pub(crate) mod hunts;
pub(crate) mod import;
pub(crate) mod inspect;
pub(crate) mod lab;
pub(crate) mod lexicon;
pub(crate) mod mcp;
pub(crate) mod rank;
pub(crate) mod replay;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod status;
pub(crate) mod steer;
pub(crate) mod url;
pub(crate) mod watch;
