//! How do an engine and a site speak about crawllets?
//!
//! CLP/1 for both sides, without I/O: bytes in, bytes out; the time and fresh randomness come as
//! arguments. See the README for the messages.

pub mod cbor;
pub mod descriptor;
pub mod engine;
mod fault;
pub mod guests;
pub mod host;
pub mod identity;
pub mod limits;
pub(crate) mod noise;
pub mod record;
pub mod subtree;
pub mod terms;
pub mod trust;
pub mod wire;
pub(crate) mod zip;

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests;

pub use fault::{Fault, Refusal};
