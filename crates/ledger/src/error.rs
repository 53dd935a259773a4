//! What can go wrong with a frontier?

use std::error::Error;
use std::path::{Path, PathBuf};

/// Why the frontier cannot go on. A lease that was lost is no error: see
/// [`Completed::lost`](crate::Completed::lost).
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The place names a kind of frontier that does not exist.
    #[error("no frontier is kept at {scheme}://; use postgres://… or a folder")]
    Place {
        /// What stands before `://`.
        scheme: String,
    },
    /// The connection string cannot be understood.
    #[error(
        "the address of the database cannot be read: {reason}; it looks like postgres://user:password@host/database"
    )]
    Address {
        /// What is wrong.
        reason: String,
    },
    /// The database does not answer.
    #[error(
        "cannot reach the database {place}: {reason}; does it run, and may this machine connect?"
    )]
    Connect {
        /// Which one, without its password.
        place: String,
        /// What was said.
        reason: String,
    },
    /// The database refused a statement.
    #[error("the database failed: {reason}")]
    Database {
        /// What was said.
        reason: String,
        /// The code of the SQL standard, if there is one.
        code: Option<String>,
    },
    /// Somebody with a newer program was here.
    #[error(
        "the frontier has layout {found}, this program knows {known}; use the program that wrote it, or a newer one"
    )]
    Newer {
        /// The layout that is there.
        found: u32,
        /// The last one that this program knows.
        known: u32,
    },
    /// A slot is on its way to another database.
    #[error(
        "slot {slot} is being moved to another database, and it takes long; try again, or end the move with the same command"
    )]
    Moving {
        /// The slot.
        slot: u16,
    },
    /// The slots went elsewhere again and again while a statement was tried.
    #[error("the map of slots changed at every attempt; try again")]
    Stale,
    /// A slot cannot be moved there.
    #[error("slot {slot} cannot be moved: {reason}")]
    Move {
        /// The slot.
        slot: u16,
        /// Why not.
        reason: String,
    },
    /// The folder cannot be used.
    #[error("cannot use the frontier in {}: {reason}", .dir.display())]
    Folder {
        /// The folder.
        dir: PathBuf,
        /// What was said.
        reason: String,
    },
    /// A row is not as it was written.
    #[error("the frontier holds a {what} that cannot be read: {reason}")]
    Corrupt {
        /// What it should be.
        what: &'static str,
        /// Why not.
        reason: String,
    },
}

impl LedgerError {
    pub(crate) fn folder(dir: &Path, error: &dyn Error) -> LedgerError {
        LedgerError::Folder { dir: dir.to_owned(), reason: innermost(error) }
    }

    pub(crate) fn corrupt(what: &'static str, reason: impl ToString) -> LedgerError {
        LedgerError::Corrupt { what, reason: reason.to_string() }
    }
}

impl From<tokio_postgres::Error> for LedgerError {
    fn from(error: tokio_postgres::Error) -> LedgerError {
        let code = error.code().map(|code| code.code().to_owned());
        let reason = match error.as_db_error() {
            Some(said) => said.message().to_owned(),
            None => all_of(&error),
        };
        LedgerError::Database { reason, code }
    }
}

impl From<fjall::Error> for LedgerError {
    fn from(error: fjall::Error) -> LedgerError {
        LedgerError::Database { reason: innermost(&error), code: None }
    }
}

/// What an error says, and what its causes say, where they add something.
pub(crate) fn all_of(error: &dyn Error) -> String {
    let mut text = error.to_string();
    for cause in causes(error) {
        let more = cause.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
    }
    text
}

fn innermost(error: &dyn Error) -> String {
    causes(error).last().map_or_else(|| error.to_string(), ToString::to_string)
}

fn causes<'a>(error: &'a dyn Error) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(error.source(), |cause: &&'a (dyn Error + 'static)| (*cause).source())
}
