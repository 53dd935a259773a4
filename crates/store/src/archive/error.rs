//! Why can the archive not go on?

use std::io;
use std::path::{Path, PathBuf};

/// A file of the archive could not be used. Damage inside a file that can be read is no error but a
/// [`Fault`](super::Fault).
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The operating system refused, for instance because the disk is full.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// What was tried, as a verb.
        doing: &'static str,
        /// On which file or folder.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The file is no web archive at all.
    #[error("{}: {what}", path.display())]
    NotAnArchive {
        /// The file.
        path: PathBuf,
        /// What was found instead.
        what: String,
    },
    /// There is no record at the place that was asked for.
    #[error("{}: no record at offset {offset}: {what}", path.display())]
    NoRecord {
        /// The file.
        path: PathBuf,
        /// The offset that was asked for.
        offset: u64,
        /// What was found instead.
        what: String,
    },
}

impl ArchiveError {
    pub(crate) fn io(
        doing: &'static str,
        path: &Path,
    ) -> impl FnOnce(io::Error) -> ArchiveError + use<> {
        let path = path.to_owned();
        move |source| ArchiveError::Io { doing, path, source }
    }

    /// Whether the disk is full or a quota is used up, so that a run should stop and be resumed later.
    pub fn is_full(&self) -> bool {
        matches!(self, ArchiveError::Io { source, .. } if matches!(
            source.kind(),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
        ))
    }
}
