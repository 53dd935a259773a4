//! Who may fetch what, and when? The broker: every URL and every bot on record, what is new, what is
//! next, and leases that come back when nobody reports.

mod addresses;
mod agenda;
mod agent;
mod bots;
mod content;
mod crawllets;
mod digests;
mod draft;
mod events;
mod exclusions;
mod fresh;
mod grant;
mod housekeeping;
pub mod http;
mod leaving;
mod ledger;
mod lines;
mod links;
mod may;
mod memory;
mod not_found;
mod pages;
mod report;
mod restore;
mod results;
mod rules;
mod seeds;
mod settings;
mod sitemaps;
mod sites;
mod steering;
mod trace;
mod traps;
mod unread;
pub mod urlfrontier;
mod variants;
mod view;
mod watch;

pub use addresses::AddressRule;
pub use agent::{Broker, BrokerState, Plan};
pub use memory::Memory;
pub use settings::{CrawlletRule, Settings};

#[cfg(test)]
mod tests;
