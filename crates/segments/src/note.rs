//! How far is the archive indexed? Each commit says so itself, so the answer can never differ from what
//! the index holds.

use crate::folder::LAYOUT;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a commit carries besides documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitNote {
    /// Layout of the index.
    pub version: u32,
    /// For each WARC file the offset behind the last record that is indexed.
    pub marks: BTreeMap<String, u64>,
}

impl CommitNote {
    /// A note with these marks.
    pub fn new(marks: BTreeMap<String, u64>) -> CommitNote {
        CommitNote { version: LAYOUT, marks }
    }

    /// Reads the note of a commit. A commit without a note, or with one that cannot be read, says
    /// nothing: the archive is then indexed from its beginning, which replaces and never doubles.
    pub(crate) fn read(payload: Option<&str>) -> CommitNote {
        payload
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_else(|| CommitNote::new(BTreeMap::new()))
    }

    pub(crate) fn write(&self) -> String {
        // A map of strings and numbers always has a JSON form.
        serde_json::to_string(self).unwrap_or_default()
    }
}
