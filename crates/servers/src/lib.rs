//! Which servers do tests hold us against?
//!
//! Real ones, started by the test on loopback and on free ports, killed when it ends. Knows nothing of Lycosa
//! and is used by tests only. Whoever asks for a server that is not on this machine gets `None`, and skips.

pub mod nats;
mod process;
pub mod s3;

pub use process::{Process, free_port, http_get, programs, wait_until};
