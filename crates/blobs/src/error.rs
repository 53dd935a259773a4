//! What can go wrong with blobs, and does it pass?

use crate::key::Key;
use std::io;
use std::path::Path;

/// What a call may end with.
pub type Result<T> = std::result::Result<T, Error>;

/// Why something could not be done. [`Error::passes`] tells whether it is worth another try.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address of the store is not one.
    #[error(
        "`{address}` is no store: {why} (write a folder, `file:///folder`, or `s3://bucket/prefix?endpoint=https://host`)"
    )]
    Address {
        /// What was given.
        address: String,
        /// What is wrong with it.
        why: String,
    },
    /// Not a key.
    #[error(
        "`{0}` is no key: folders and a name with 16 digits of its digest, as in `split/01J…-0123456789abcdef.split`"
    )]
    Key(String),
    /// Nothing is under this key.
    #[error("{0}: not there")]
    NotFound(Key),
    /// Something else is under this key, or the content is not what the key says.
    #[error("{key}: {why}")]
    Damaged {
        /// The key.
        key: Key,
        /// What is wrong.
        why: String,
    },
    /// The range begins behind the end.
    #[error("{key}: it has {bytes} bytes, and the range begins at {start}")]
    OutOfRange {
        /// The key.
        key: Key,
        /// Its size.
        bytes: u64,
        /// Where the range begins.
        start: u64,
    },
    /// It is larger than what is read into memory at once.
    #[error(
        "{key}: {bytes} bytes are too many to be read at once, {most} is the most (read ranges, or into a file)"
    )]
    TooLarge {
        /// The key.
        key: Key,
        /// Its size.
        bytes: u64,
        /// The limit.
        most: u64,
    },
    /// The store does not let us.
    #[error(
        "the store refuses: {0} (are AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION right?)"
    )]
    Denied(String),
    /// The store does not answer, or is overloaded.
    #[error("the store is disturbed: {0}")]
    Disturbed(String),
    /// The store will never do this.
    #[error("the store cannot do this: {0}")]
    Rejected(String),
    /// The disk is full. What was to be written is still where it was.
    #[error("no room left for {0} (make room, or give the spool another disk)")]
    DiskFull(String),
    /// The spool has as much as it may have.
    #[error("the spool has {bytes} bytes of at most {limit}")]
    SpoolFull {
        /// What it has.
        bytes: u64,
        /// What it may have.
        limit: u64,
    },
    /// Another process uses the spool.
    #[error("{0} is used by another process")]
    Locked(String),
    /// A file could not be read or written.
    #[error("{what}: {source}")]
    Io {
        /// The file.
        what: String,
        /// What the system says.
        source: io::Error,
    },
}

impl Error {
    /// Whether it may pass by itself, so that the same call can succeed later.
    pub fn passes(&self) -> bool {
        match self {
            Error::Disturbed(_) | Error::DiskFull(_) | Error::SpoolFull { .. } => true,
            Error::Io { source, .. } => source.kind() == io::ErrorKind::Interrupted,
            _ => false,
        }
    }

    /// What an error with a file means.
    pub(crate) fn io(path: &Path, source: io::Error) -> Error {
        let what = path.display().to_string();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Error::DiskFull(what),
            _ => Error::Io { what, source },
        }
    }
}

/// Adds the path to what a call on a file says.
pub(crate) trait At<T> {
    /// The error with its path.
    fn at(self, path: &Path) -> Result<T>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, path: &Path) -> Result<T> {
        self.map_err(|source| Error::io(path, source))
    }
}
