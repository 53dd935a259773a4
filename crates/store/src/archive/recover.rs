//! What is left of the archive after a crash? What was acknowledged, and nothing else.

use super::cdx::{self, IndexEntry};
use super::error::ArchiveError;
use super::member;
use super::reader::{Entry, Limits, Reader};
use super::record::{Kind, Record};
use super::writer::{is_ours, sync_dir};
use std::fs::{self, OpenOptions};
use std::path::Path;

/// What was done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing: it ends at its mark.
    Whole,
    /// It was longer than its mark and was cut.
    Cut {
        /// Length before.
        from: u64,
        /// Length now: its mark.
        to: u64,
    },
    /// It had no mark, so nothing in it was ever acknowledged, and it was removed.
    Removed {
        /// Length before.
        from: u64,
    },
    /// It is shorter than its mark, as after a loss of power: acknowledged records are gone. It was cut
    /// behind its last whole gzip member. What the caller's records place at or behind `to` has to be
    /// fetched again, and `to` is the mark from now on.
    Short {
        /// The mark.
        mark: u64,
        /// Length now.
        to: u64,
    },
}

/// What became of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// Name of the file inside the archive's folder.
    pub file: String,
    /// What was done.
    pub action: Action,
    /// Whether its CDXJ was written anew.
    pub reindexed: bool,
}

/// Brings every file that a [`Writer`](super::Writer) made in `dir` to its mark, in order of name. Other
/// files are left alone. A folder that does not exist has nothing to recover. `marks` tells how far a
/// file is acknowledged; `None` and 0 mean not at all.
pub fn recover(
    dir: &Path,
    marks: &dyn Fn(&str) -> Option<u64>,
) -> Result<Vec<Recovered>, ArchiveError> {
    let mut names = Vec::new();
    match fs::read_dir(dir) {
        Ok(files) => {
            for file in files {
                let file = file.map_err(ArchiveError::io("list", dir))?;
                let name = file.file_name().to_string_lossy().into_owned();
                if is_ours(&name) {
                    names.push(name);
                }
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(ArchiveError::io("list", dir)(error)),
    }
    names.sort_unstable();
    let mut done = Vec::with_capacity(names.len());
    for name in names {
        let mark = marks(&name).unwrap_or(0);
        done.push(settle(dir, &name, mark)?);
    }
    if done.iter().any(|file| file.action != Action::Whole) {
        sync_dir(dir)?;
    }
    Ok(done)
}

/// Brings one file to its mark.
pub(super) fn settle(dir: &Path, name: &str, mark: u64) -> Result<Recovered, ArchiveError> {
    let path = dir.join(name);
    let action = bring_to(&path, mark)?;
    let reindexed = match action {
        Action::Removed { .. } => {
            let index = cdx::path_beside(&path);
            if index.exists() {
                fs::remove_file(&index).map_err(ArchiveError::io("remove", &index))?;
            }
            false
        }
        Action::Whole => reindex(&path, name, mark)?,
        Action::Cut { to, .. } | Action::Short { to, .. } => reindex(&path, name, to)?,
    };
    Ok(Recovered { file: name.to_owned(), action, reindexed })
}

fn bring_to(path: &Path, mark: u64) -> Result<Action, ArchiveError> {
    let from = fs::metadata(path).map_err(ArchiveError::io("read", path))?.len();
    if mark == 0 {
        fs::remove_file(path).map_err(ArchiveError::io("remove", path))?;
        return Ok(Action::Removed { from });
    }
    if from == mark {
        return Ok(Action::Whole);
    }
    let (to, action) = if from > mark {
        (mark, Action::Cut { from, to: mark })
    } else {
        let to = member::last_whole(path, from)?;
        (to, Action::Short { mark, to })
    };
    let file = OpenOptions::new().write(true).open(path).map_err(ArchiveError::io("open", path))?;
    file.set_len(to).and_then(|()| file.sync_data()).map_err(ArchiveError::io("cut", path))?;
    Ok(action)
}

/// Makes the CDXJ of a file say exactly what the file holds; tells whether it had to be written.
fn reindex(path: &Path, name: &str, end: u64) -> Result<bool, ArchiveError> {
    let index = cdx::path_beside(path);
    let old = cdx::read(&index);
    let was_sorted =
        old.as_ref().is_some_and(|entries| entries.is_sorted_by_key(|entry| entry.line(name)));
    let (entries, complete) = match old {
        Some(mut entries) => {
            let before = entries.len();
            entries.retain(|entry| entry.offset.saturating_add(entry.length) <= end);
            let mut complete = entries.len() == before;
            // Lines are appended in order of the file, so only lines of the tail can be missing.
            let known = entries.iter().map(|entry| entry.offset + entry.length).max().unwrap_or(0);
            let tail = index_of(path, known)?;
            complete &= tail.is_empty();
            entries.extend(tail);
            (entries, complete)
        }
        None => (index_of(path, 0)?, false),
    };
    if complete && was_sorted {
        return Ok(false);
    }
    cdx::write_sorted(&index, name, &entries)?;
    Ok(true)
}

/// The lines for the records of a file from an offset on.
fn index_of(path: &Path, from: u64) -> Result<Vec<IndexEntry>, ArchiveError> {
    let mut entries = Vec::new();
    for entry in Reader::open_at(path, from, 0, Limits::default())? {
        let record = match entry {
            Ok(Entry::Record(record)) => record,
            Ok(Entry::Fault(_)) | Err(ArchiveError::NotAnArchive { .. }) => continue,
            Err(error) => return Err(error),
        };
        entries.extend(line_of(&record));
    }
    Ok(entries)
}

/// The line for a record, if it is one that is listed.
fn line_of(record: &Record) -> Option<IndexEntry> {
    if !matches!(record.kind, Kind::Response | Kind::Revisit) {
        return None;
    }
    let url = record.target_uri.clone()?;
    let http = record.http().ok()?;
    Some(IndexEntry {
        surt: cdx::surt(&url),
        fetched: record.date?,
        mime: if record.kind == Kind::Revisit {
            "warc/revisit".into()
        } else {
            super::encode::mime_of(&http.headers)
        },
        status: http.status,
        digest: record.payload_digest().unwrap_or_default().to_owned(),
        length: record.length,
        offset: record.offset,
        url,
    })
}
