//! Does every store keep what the port promises? One suite for all back ends, and what only a server can do wrong.

mod cache;
mod faults;
mod spool;
mod suite;
mod support;
