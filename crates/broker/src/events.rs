//! What happened in the run? One JSON line per event, in a file of the data folder, for everybody who watches.
//!
//! A line is written after what it tells is on record. Where a line ends in the file is its number, so that
//! whoever was cut off can go on behind the last line that they have.

use crate::ledger::{Ledger, LedgerError};
use crate::trace::{Trace, Tried};
use lycosa_model::{Deed, Event, Happening, Phase, TeamContent};
use lycosa_store::records::StoreError;
use std::path::Path;

/// Lines of a run at most; what comes after them is not kept.
const MOST_LINES: u64 = 5_000_000;

/// Links that are named in one message; the others are counted by nobody, and a line stays short.
const MOST_LINKS: usize = 1_000;

/// Runs whose events are kept.
const MOST_RUNS: usize = 100;

/// The events of a run. They have no file until there is something to write.
#[derive(Default)]
pub(crate) struct Events {
    /// Whether somebody may want to watch this run.
    pub(crate) watched: bool,
    file: Option<Trace>,
    lines: u64,
    /// What was not written yet.
    waiting: Vec<Event>,
    /// What the run was doing when it was last looked at.
    state: Option<Phase>,
}

impl Ledger {
    /// Whether what happens is written down: somebody looks for something, agents live, or everything shall be.
    pub(crate) fn is_watched(&self) -> bool {
        let settings = &self.plan.settings;
        let agents = lycosa_strategy::AGENTS.contains(&self.plan.strategy.as_str());
        settings.events.is_some() && (settings.every_event || agents || self.wants_terms())
    }

    /// Takes note of something; it is written with the next [`Ledger::write_events`].
    pub(crate) fn note(&mut self, what: Happening) {
        if self.events.watched {
            let t = self.seconds();
            self.events.waiting.push(Event { t, what });
        }
    }

    /// How long the run has been worked on. Milliseconds are all that the clock promises.
    pub(crate) fn seconds(&self) -> f64 {
        self.age().as_millis() as f64 / 1000.0
    }

    /// Takes note of attempts on pages.
    pub(crate) fn note_attempts(&mut self, attempts: Vec<Tried>) {
        for Tried { n, title, attempt } in attempts {
            self.note(Happening::Page { n, title, attempt: Box::new(attempt) });
        }
    }

    /// Writes down what happened since the last time.
    pub(crate) fn write_events(&mut self) -> Result<(), LedgerError> {
        let mut deeds = Vec::new();
        self.strategy.log(&mut deeds);
        if !self.events.watched {
            return Ok(());
        }
        for event in deeds {
            let address = match event.deed {
                Deed::Visited { url, .. } => self.address(url)?,
                _ => None,
            };
            let (at, agent, mut deed) = (event.at, event.agent, event.deed);
            if let Deed::Said { message, .. } = &mut deed {
                shorten(&mut message.content);
            }
            self.note(Happening::Agent { at, agent, address, deed });
        }
        let state = self.phase();
        if self.events.state != Some(state) {
            self.events.state = Some(state);
            self.note(Happening::State { state });
        }
        if self.events.waiting.is_empty() {
            return Ok(());
        }
        let Some(folder) = self.plan.settings.events.clone() else { return Ok(()) };
        let mut events = std::mem::take(&mut self.events.waiting);
        if self.events.file.is_none() {
            let path = folder.join(format!("{}.jsonl", self.run.number));
            // The file is that of this run alone, so whatever is in it was not told by another.
            let file = open(&folder, &path, self.resumed).map_err(LedgerError::Trace)?;
            self.events.file = Some(file);
            let (run, at) = (self.run.number, self.now());
            let strategy = self.plan.strategy.clone();
            let begun = Happening::Begun { run, at, strategy };
            events.insert(0, Event { t: self.seconds(), what: begun });
        }
        let room = MOST_LINES.saturating_sub(self.events.lines);
        if room == 0 {
            return Ok(());
        }
        events.truncate(usize::try_from(room).unwrap_or(usize::MAX));
        self.events.lines += events.len() as u64;
        if self.events.lines == MOST_LINES {
            tracing::warn!("run {} has {MOST_LINES} events; no more are kept", self.run.number);
        }
        match &mut self.events.file {
            Some(file) => file.write(&events).map_err(LedgerError::Trace),
            None => Ok(()),
        }
    }

    fn address(&self, url: lycosa_model::UrlId) -> Result<Option<String>, StoreError> {
        Ok(self.records.url(url)?.map(|record| record.url))
    }
}

/// Leaves out of a message what would make a line that nobody reads.
fn shorten(content: &mut TeamContent) {
    match content {
        TeamContent::InitialUrls(links)
        | TeamContent::Links(links)
        | TeamContent::Call { links, .. } => links.truncate(MOST_LINKS),
        TeamContent::Check(urls) | TeamContent::NotFetched(urls) => urls.truncate(MOST_LINKS),
        _ => {}
    }
}

fn open(folder: &Path, path: &Path, go_on: bool) -> Result<Trace, String> {
    std::fs::create_dir_all(folder)
        .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    forget_old(folder);
    Trace::open(path, go_on)
}

/// Removes the events of runs of long ago.
fn forget_old(folder: &Path) {
    let Ok(files) = std::fs::read_dir(folder) else { return };
    let mut runs: Vec<u32> =
        files.filter_map(|file| file.ok()?.path().file_stem()?.to_str()?.parse().ok()).collect();
    runs.sort_unstable();
    for run in runs.iter().rev().skip(MOST_RUNS - 1) {
        let path = folder.join(format!("{run}.jsonl"));
        if let Err(error) = std::fs::remove_file(&path) {
            tracing::warn!("cannot remove {}: {error}", path.display());
        }
    }
}
