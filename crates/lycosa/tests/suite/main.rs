//! Does the program do what it says? It is used as a person would.
//!
//! One program with all tests, since each program is linked with everything that it needs.

mod agents;
mod bad_input;
mod bots;
mod browser;
mod collections;
mod crash;
mod crawllet_host;
mod crawllet_study;
mod crawllets;
mod credentials;
mod demo;
mod feeds;
mod fetching;
mod fresh;
mod guard;
mod hunting;
mod hunts;
mod inspecting;
mod lab;
mod leaving;
mod limits;
mod maze;
mod mcp;
mod openapi;
mod pdf;
mod rebinding;
mod render;
mod replay;
mod sitemaps;
mod support;
mod torture;
mod traps;
mod tui;
mod urlfrontier;
mod watchers;
mod watches;
