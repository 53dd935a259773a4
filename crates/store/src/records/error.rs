//! What can go wrong with the store?

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

/// Why the store cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// It cannot be opened.
    #[error("cannot open the store in {}: {reason}", .dir.display())]
    Open {
        /// The folder.
        dir: PathBuf,
        /// What the engine said.
        reason: String,
    },
    /// The disk is full.
    #[error("the disk is full")]
    NoSpace,
    /// It cannot be written.
    #[error("cannot write to the store: {0}")]
    Write(String),
    /// It cannot be read.
    #[error("cannot read from the store: {0}")]
    Read(String),
    /// A value cannot be understood.
    #[error("the store holds a {what} that cannot be read: {source}")]
    Corrupt {
        /// What it should be.
        what: &'static str,
        /// Why not.
        source: postcard::Error,
    },
    /// A key cannot be understood.
    #[error("the store holds a {what} under a key that cannot be read")]
    CorruptKey {
        /// What it should be.
        what: &'static str,
    },
    /// A file of the store is not as it was written.
    #[error("{} is damaged: {reason}", .file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The folder was written by another version.
    #[error("the store has layout {found}, this program reads layout {expected}")]
    Layout {
        /// What is there.
        found: u32,
        /// What we write.
        expected: u32,
    },
}

impl StoreError {
    pub(super) fn open(dir: &Path, source: fjall::Error) -> StoreError {
        if out_of_space(&source) {
            return StoreError::NoSpace;
        }
        StoreError::Open { dir: dir.to_owned(), reason: innermost(&source) }
    }

    pub(crate) fn write(source: fjall::Error) -> StoreError {
        if out_of_space(&source) {
            StoreError::NoSpace
        } else {
            StoreError::Write(innermost(&source))
        }
    }

    pub(crate) fn read(source: fjall::Error) -> StoreError {
        StoreError::Read(innermost(&source))
    }

    pub(crate) fn write_file(file: &Path, source: io::Error) -> StoreError {
        if is_out_of_space(&source) {
            StoreError::NoSpace
        } else {
            StoreError::Write(format!("{}: {source}", file.display()))
        }
    }

    pub(crate) fn read_file(file: &Path, source: io::Error) -> StoreError {
        StoreError::Read(format!("{}: {source}", file.display()))
    }
}

fn out_of_space(error: &fjall::Error) -> bool {
    chain(error).any(|cause| cause.downcast_ref::<io::Error>().is_some_and(is_out_of_space))
}

fn is_out_of_space(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

fn innermost(error: &fjall::Error) -> String {
    chain(error).last().map_or_else(|| error.to_string(), ToString::to_string)
}

fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |cause: &&'a (dyn Error + 'static)| (*cause).source())
}
