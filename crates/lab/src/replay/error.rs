//! Why can a web not be replayed?

use lycosa_store::archive::ArchiveError;
use std::io;
use std::path::PathBuf;

/// An archive cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// A file or folder cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file cannot be read, or is no archive.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// A folder has no archives in it.
    #[error("{}: no *.warc, *.warc.gz, *.arc or *.arc.gz in this folder", .0.display())]
    NoArchives(PathBuf),
    /// Archives were read and none of them holds a response.
    #[error("no responses in {0}")]
    NoCaptures(String),
}
