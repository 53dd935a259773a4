//! What must a strategy not forget when the crawl is cut off? What it has learned, and how common words
//! are, in a file that is written now and then. The file may be some pages behind the store.

use crate::ledger::Ledger;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// Least time between two writings, and how many times as long as one takes.
const EVERY: Duration = Duration::from_secs(10);
const SHARE: u32 = 50;

/// The file.
#[derive(Debug, Serialize, Deserialize)]
pub struct Memory {
    /// The run that it belongs to.
    pub run: u32,
    /// The name of the strategy, as it was typed.
    pub strategy: String,
    /// The agents that it was told to have.
    pub agents: Option<usize>,
    /// Its settings, as JSON.
    pub parameters: String,
    /// What the strategy gave; empty when it learns nothing.
    pub state: Vec<u8>,
    /// How many pages were counted, and how many of them have each word.
    common: (u32, Vec<(u32, u32)>),
}

impl Memory {
    /// Reads the file.
    ///
    /// # Errors
    /// When it cannot be read, or is none.
    pub fn read(path: &Path) -> io::Result<Memory> {
        let bytes = std::fs::read(path)?;
        postcard::from_bytes(&bytes)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }

    /// Puts the file into the place of an older one, so that there is always a whole one.
    fn write(&self, path: &Path) -> io::Result<()> {
        let bytes = postcard::to_stdvec(self).map_err(io::Error::other)?;
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let new = path.with_extension("new");
        let mut file = std::fs::File::create(&new)?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        std::fs::rename(new, path)
    }
}

/// When it is written.
pub(crate) struct Writing {
    due: Instant,
    /// Attempts of the run when it was written last, or when the run was taken up.
    attempts: u64,
}

impl Writing {
    pub(crate) fn new(attempts: u64) -> Writing {
        Writing { due: Instant::now() + EVERY, attempts }
    }
}

impl Ledger {
    /// Takes up what the strategy had learned when the run was cut off.
    pub(crate) fn recall(&mut self) {
        let Some(path) = &self.plan.settings.memory else { return };
        let memory = match Memory::read(path) {
            Ok(memory) => memory,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => {
                tracing::warn!("{}: {error}; the strategy begins anew", path.display());
                return;
            }
        };
        if memory.run != self.run.number || memory.strategy != self.plan.strategy {
            return;
        }
        self.relevance.set_common(memory.common);
        if memory.state.is_empty() {
            return;
        }
        if let Err(error) = self.strategy.load(&memory.state) {
            tracing::warn!("{}: {error}; the strategy begins anew", path.display());
        }
    }

    /// Writes down what the strategy has learned, because a person changed it: a spider that was stopped should not
    /// live again after a crash.
    pub(crate) fn memorise_now(&mut self) {
        self.writing.attempts = u64::MAX;
        self.memorise(true);
    }

    /// Writes down what the strategy has learned, if it is time or the end.
    pub(crate) fn memorise(&mut self, end: bool) {
        let Some(path) = &self.plan.settings.memory else { return };
        let began = Instant::now();
        if self.run.attempts == self.writing.attempts || (!end && began < self.writing.due) {
            return;
        }
        self.writing.attempts = self.run.attempts;
        let state = self.strategy.save();
        if state.is_none() && !self.wants_terms() {
            self.writing.due = began + EVERY;
            return;
        }
        let memory = Memory {
            run: self.run.number,
            strategy: self.plan.strategy.clone(),
            agents: self.plan.setup.agents,
            parameters: serde_json::to_string(&self.plan.setup.parameters).unwrap_or_default(),
            state: state.unwrap_or_default(),
            common: self.relevance.common(),
        };
        if let Err(error) = memory.write(path) {
            // The crawl goes on; only who resumes it begins with less.
            tracing::warn!("cannot keep what was learned in {}: {error}", path.display());
        }
        self.writing.due = Instant::now() + EVERY.max(began.elapsed() * SHARE);
    }
}
