//! What lies in a store that nobody knows of?
//!
//! A process that dies between an upload and the record of it leaves something that no record names. It is taken
//! away once it is so old that no record can still be on its way.

use crate::blobs::Blobs;
use crate::error::Result;
use crate::key::Key;
use futures_util::TryStreamExt;
use std::time::{Duration, SystemTime};

/// What a sweep did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sweep {
    /// Known by a record.
    pub known: u64,
    /// Too young to be judged.
    pub young: u64,
    /// Taken away.
    pub removed: u64,
    /// Bytes of those.
    pub removed_bytes: u64,
    /// Kept, since it could not be found out whether there is a record, or it could not be taken away.
    pub doubtful: u64,
}

/// Takes away what begins with a prefix, is older than `age`, and has no record by what `has_record` says. In
/// doubt it stays. An age of a day is usual: records must be written sooner than that after an upload.
///
/// # Errors
/// When the store cannot be listed; what was done until then is done.
pub async fn sweep<E: std::fmt::Display>(
    blobs: &Blobs,
    prefix: &str,
    age: Duration,
    now: SystemTime,
    mut has_record: impl AsyncFnMut(&Key) -> std::result::Result<bool, E>,
) -> Result<Sweep> {
    let mut sweep = Sweep::default();
    let mut all = blobs.list(prefix);
    while let Some(meta) = all.try_next().await? {
        // Something from the future, by another clock, is young.
        if now.duration_since(meta.changed).unwrap_or_default() < age {
            sweep.young += 1;
            continue;
        }
        match has_record(&meta.key).await {
            Ok(true) => sweep.known += 1,
            Ok(false) => match blobs.delete(&meta.key).await {
                Ok(()) => {
                    sweep.removed += 1;
                    sweep.removed_bytes += meta.bytes;
                }
                Err(error) => {
                    tracing::warn!(%error, key = %meta.key, "not taken away");
                    sweep.doubtful += 1;
                }
            },
            Err(error) => {
                tracing::warn!(%error, key = %meta.key, "is there a record?");
                sweep.doubtful += 1;
            }
        }
    }
    Ok(sweep)
}
