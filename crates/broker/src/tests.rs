//! The broker on its real store, driven by its messages and a clock that jumps.

mod addresses;
mod bots;
mod content;
mod crawllets;
mod door;
mod exclusions;
mod failures;
mod fresh;
mod hunting;
mod leases;
mod order;
mod panic;
mod politeness;
mod records;
mod redirects;
mod restart;
mod robots;
mod schedule;
mod seen;
mod sitemaps;
mod status;
mod traps;
mod windows;
mod yard;
