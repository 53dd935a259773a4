//! Does a host hold what the protocol and the threat model promise, however it is installed?
//!
//! One suite for all installations: by itself, by CGI, under Apache, under nginx with fcgiwrap. What is not
//! installed here is skipped with a line.

#![expect(clippy::print_stderr, clippy::print_stdout, reason = "figures, and what was skipped")]

mod directory;
mod engine;
mod front;
mod hostile;
mod load;
mod owner;
mod protocol;
mod shelf;
mod site;
mod smith;
mod threats;
mod upstream;
