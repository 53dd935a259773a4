//! Does every frontier keep the rules, whatever happens to it? One program for all tests, which is linked once.
#![expect(clippy::print_stderr, reason = "the case that fails, and what was skipped")]

mod conformance;
mod crash;
mod layouts;
mod model;
mod moving;
mod world;
