//! Where do large things lie that never change?
//!
//! In [`Blobs`]: a folder, or a store that speaks the S3 protocol. A key tells what is under it by a part of its
//! digest, so putting the same thing twice is harmless, and whoever reads it knows whether it is whole.
//!
//! [`Spool`] keeps files until they are there, [`Cache`] keeps what was read near, and [`sweep`] takes away what
//! nobody knows of.

mod blobs;
mod cache;
mod error;
mod files;
mod folder;
mod janitor;
mod key;
mod place;
mod s3;
mod spool;

pub use blobs::{Blobs, Settings};
pub use cache::{Cache, CacheCounts};
pub use error::{Error, Result};
pub use janitor::{Sweep, sweep};
pub use key::{Digest, Hasher, Key, Ulid};
pub use place::{Meta, Put};
pub use spool::{Spool, Upload, Waiting};
