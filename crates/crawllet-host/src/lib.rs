//! How does a site let a crawllet in, and stay whole?
//!
//! The site owner's side of CLP/1: see the README. The program is two things, as usual: a command line, and
//! these parts. [`front`] takes requests, [`door`] decides about them, [`job`] runs what was let in, [`sandbox`]
//! holds it, and [`site`] is all it sees.

pub mod budget;
pub mod client;
pub mod commands;
pub mod config;
pub mod door;
pub mod fault;
pub mod front;
pub mod host;
pub mod job;
pub mod sandbox;
pub mod site;
pub mod state;
pub mod units;
