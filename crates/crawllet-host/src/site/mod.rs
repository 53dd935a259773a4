//! How does a crawllet see the site?
//!
//! Through the desk: what it asks for is read, held against scope, robots rules and privacy, and then taken from
//! the web server, or from the file that the web server would send.

pub mod desk;
pub mod files;
pub mod target;
pub mod web;
