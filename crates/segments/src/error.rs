//! Why can the index not be used?

use std::path::{Path, PathBuf};
use tantivy::TantivyError;
use tantivy::directory::error::LockError;

/// Bytes that are written to find out whether any can be.
const PROBE: usize = 1 << 20;

/// A thread that dies does not say why. Most often there is no room: then nothing else can be written
/// either.
fn probe(folder: &Path) -> std::io::Result<()> {
    let file = folder.join(".probe");
    let written = std::fs::write(&file, vec![0; PROBE]);
    // What was written of it, if anything, is of no use.
    let _ = std::fs::remove_file(&file);
    written
}

/// Why the index cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SegmentsError {
    /// There is no index yet.
    #[error("there is no index in {}", .0.display())]
    Missing(PathBuf),
    /// The folder holds something else.
    #[error("{} is not empty and is not an index of Lycosa", .0.display())]
    Foreign(PathBuf),
    /// The index was written by another version.
    #[error("the index in {} has layout {found}, this program reads layout {}", .folder.display(), crate::LAYOUT)]
    OtherLayout {
        /// The folder.
        folder: PathBuf,
        /// Its layout; 0 when it cannot be read.
        found: u32,
    },
    /// Another process writes it.
    #[error("another process writes the index in {}", .0.display())]
    Busy(PathBuf),
    /// The folder cannot be read or written.
    #[error("the index in {} cannot be used: {source}", .folder.display())]
    Broken {
        /// The folder.
        folder: PathBuf,
        /// What failed.
        source: Box<TantivyError>,
    },
}

impl SegmentsError {
    pub(crate) fn broken(folder: &Path, source: impl Into<TantivyError>) -> SegmentsError {
        let folder = folder.to_owned();
        let source = match source.into() {
            TantivyError::ErrorInThread(what) => {
                probe(&folder).err().map_or(TantivyError::ErrorInThread(what), TantivyError::from)
            }
            source => source,
        };
        match source {
            TantivyError::LockFailure(LockError::LockBusy, _) => SegmentsError::Busy(folder),
            source => SegmentsError::Broken { folder, source: Box::new(source) },
        }
    }

    /// What a person can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            SegmentsError::Missing(_) => "crawl or import something first",
            SegmentsError::Foreign(_) => "choose another folder with --data",
            SegmentsError::OtherLayout { .. } => {
                "remove the index folder and rebuild it from the archive with `lycosa import warc`"
            }
            SegmentsError::Busy(_) => "wait for the other process or stop it",
            SegmentsError::Broken { .. } => "check free space and permissions of the folder",
        }
    }
}
