//! Who ran what here? The owner's log, one JSON object in a line, only ever appended to.

use super::State;
use serde::{Deserialize, Serialize};
use std::fs::OpenOptions;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

/// At this size the log is put aside as `log.jsonl.1`, in the place of the one before.
const MAX_LOG: u64 = 16 << 20;

/// The longest line that is read again.
const MAX_LINE: u64 = 64 << 10;

/// One line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Entry {
    /// When, in RFC 3339.
    pub time: String,
    /// What: `grant`, `refusal`, `job`.
    pub what: String,
    /// Which engine.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub engine: String,
    /// From which address.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub address: String,
    /// For what purpose, as the engine says.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub purpose: String,
    /// Session of a grant or job.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// SHA-256 of the module of a job.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub module: String,
    /// Whether it ran as it was compiled before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub compiled: bool,
    /// Why a job ended, or why there was a refusal.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Pages asked for.
    #[serde(skip_serializing_if = "is_zero")]
    pub pages: u64,
    /// Those that were files.
    #[serde(skip_serializing_if = "is_zero")]
    pub files: u64,
    /// Requests that were refused.
    #[serde(skip_serializing_if = "is_zero")]
    pub refused: u64,
    /// Bytes of pages.
    #[serde(skip_serializing_if = "is_zero")]
    pub bytes: u64,
    /// Bytes sent.
    #[serde(skip_serializing_if = "is_zero")]
    pub sent: u64,
    /// Time of the processor.
    #[serde(skip_serializing_if = "is_zero")]
    pub cpu_ms: u64,
    /// Time of the clock.
    #[serde(skip_serializing_if = "is_zero")]
    pub wall_ms: u64,
    /// What else the owner should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The log.
#[derive(Debug, Clone)]
pub struct Journal {
    path: PathBuf,
}

impl State {
    /// The owner's log.
    pub fn journal(&self) -> Journal {
        Journal { path: self.folder().join("log.jsonl") }
    }
}

impl Journal {
    /// Appends a line, in one write: lines of several processes do not mix.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn write(&self, entry: &Entry) -> io::Result<()> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        let mut file = OpenOptions::new().append(true).create(true).mode(0o640).open(&self.path)?;
        if file.metadata()?.len() > MAX_LOG {
            std::fs::rename(&self.path, self.path.with_extension("jsonl.1"))?;
            file = OpenOptions::new().append(true).create(true).mode(0o640).open(&self.path)?;
        }
        file.write_all(&line)
    }

    /// All lines that can be read, oldest first.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn read(&self) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for path in [self.path.with_extension("jsonl.1"), self.path.clone()] {
            let file = match std::fs::File::open(path) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            let mut from = BufReader::new(file);
            let mut line = Vec::new();
            while (&mut from).take(MAX_LINE).read_until(b'\n', &mut line)? > 0 {
                entries.extend(serde_json::from_slice::<Entry>(&line));
                line.clear();
            }
        }
        Ok(entries)
    }
}
