//! What did the agents of the strategy do? One JSON line per event, in a file of the data folder.

use crate::ledger::{Ledger, LedgerError};
use crate::trace::Trace;
use lycosa_model::{AgentEvent, Deed};
use lycosa_store::records::StoreError;
use serde::Serialize;
use std::path::Path;

/// Lines of a run at most; what comes after them is not kept.
const MOST_LINES: u64 = 5_000_000;

/// The diary of a run. It has no file until there is something to write.
#[derive(Default)]
pub(crate) struct Diary {
    file: Option<Trace>,
    lines: u64,
}

/// An event, with the address of the page that it is about.
#[derive(Serialize)]
struct Told {
    #[serde(flatten)]
    event: AgentEvent,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
}

impl Ledger {
    /// Writes down what the agents of the strategy did since the last time.
    pub(crate) fn write_diary(&mut self) -> Result<(), LedgerError> {
        let mut events = Vec::new();
        self.strategy.log(&mut events);
        let Some(path) = self.plan.settings.diary.clone().filter(|_| !events.is_empty()) else {
            return Ok(());
        };
        let room = MOST_LINES.saturating_sub(self.diary.lines);
        if room == 0 {
            return Ok(());
        }
        events.truncate(usize::try_from(room).unwrap_or(usize::MAX));
        self.diary.lines += events.len() as u64;
        if self.diary.lines == MOST_LINES {
            tracing::warn!("{} has {MOST_LINES} lines; no more is written", path.display());
        }
        let told = events.into_iter().map(|event| self.told(event));
        let told: Vec<Told> = told.collect::<Result<_, StoreError>>()?;
        let file = match &mut self.diary.file {
            Some(file) => file,
            empty => empty.insert(open(&path, self.went_on).map_err(LedgerError::Trace)?),
        };
        file.write(&told).map_err(LedgerError::Trace)
    }

    fn told(&self, event: AgentEvent) -> Result<Told, StoreError> {
        let address = match event.deed {
            Deed::Visited { url, .. } => self.records.url(url)?.map(|record| record.url),
            _ => None,
        };
        Ok(Told { event, address })
    }
}

fn open(path: &Path, go_on: bool) -> Result<Trace, String> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    }
    Trace::open(path, go_on)
}
