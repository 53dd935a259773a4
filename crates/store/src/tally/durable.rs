//! How does a tally outlive the process?

use super::format::{ENTRY_BYTES, pack, unpack};
use super::hot::Hot;
use super::merge::choose;
use super::run::{Page, Run, file_name, number_of};
use super::work::{Failed, Work, flush, merge};
use super::{Bounds, Frozen, Kind, Merging, Table, Tally, add_to};
use crate::records::{Change, Records, StoreError};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io;
use std::mem;
use std::path::Path;
use std::sync::Arc;

/// Runs at which a seal waits for the merge that is under way.
const MAX_RUNS: usize = 16;

/// Rows of the tail that a seal removes at most: more than it adds, and few enough not to be felt.
const REMOVED_PER_SEAL: u64 = 16;

/// What a tally consists of on disk.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// Numbers of its runs.
    runs: Vec<u64>,
    /// The first row of the tail that is in none of them.
    tail_from: u64,
    /// The first row of the tail that may still be there. Those before `tail_from` do not count.
    removed_to: u64,
}

impl Records {
    /// Opens a tally of this store with the usual bounds. There must be one at a time of each kind.
    pub fn tally(&self, kind: Kind) -> Result<Tally, StoreError> {
        self.bounded_tally(kind, Bounds::of(kind))
    }

    /// Opens a tally of this store with these bounds. There must be one at a time of each kind.
    pub fn bounded_tally(&self, kind: Kind, bounds: Bounds) -> Result<Tally, StoreError> {
        let dir = self.dir().join(kind.folder());
        make_folder(&dir).map_err(|error| StoreError::write_file(&dir, error))?;
        let manifest = self.manifest(kind)?.unwrap_or_default();
        remove_unnamed(self, &dir, &manifest.runs)?;
        let mut runs = Vec::with_capacity(manifest.runs.len());
        for number in &manifest.runs {
            runs.push(Arc::new(Run::open(&dir, kind.id(), *number)?));
        }
        let rows: Vec<(u64, fjall::Slice)> =
            self.tail(kind, manifest.tail_from).collect::<Result<_, _>>()?;
        // Room for all at once: a table that grows is copied again and again.
        let most = rows.iter().map(|(_, bytes)| bytes.len() / ENTRY_BYTES).sum::<usize>();
        let mut table = Table::default();
        table.reserve(most.min(bounds.table));
        for (_, bytes) in &rows {
            let entries = unpack(bytes).ok_or(StoreError::CorruptKey { what: "row of a tally" })?;
            entries.for_each(|(fingerprint, n)| add_to(&mut table, fingerprint, n));
        }
        let next_row = rows.last().map_or(manifest.tail_from, |(number, _)| number + 1);
        let mut tally = Tally {
            records: self.clone(),
            kind,
            bounds,
            dir,
            fresh: Vec::new(),
            table,
            frozen: None,
            runs,
            merging: None,
            doomed: Vec::new(),
            sweeping: None,
            next_run: manifest.runs.iter().max().map_or(1, |number| number + 1),
            tail_from: manifest.tail_from,
            removed_to: manifest.removed_to,
            next_row,
            hot: Hot::new(bounds.hot),
            page: Page::new(),
            wanted: Vec::new(),
            likely: Vec::new(),
        };
        tally.order_runs();
        Ok(tally)
    }
}

impl Tally {
    /// Puts what was added since the last seal into the change. When a run was written or merged in the
    /// meantime, the change also takes it over; when the table is full, this begins to write it.
    ///
    /// The change must be committed before the next seal. If this or the commit fails, the tally is not
    /// what the store says and must not be used any more; opened again, it is.
    pub fn seal(&mut self, change: &mut Change<'_>) -> Result<(), StoreError> {
        if !self.fresh.is_empty() {
            let mut bytes = Vec::with_capacity(self.fresh.len() * size_of::<super::Entry>());
            self.fresh.drain(..).for_each(|entry| pack(entry, &mut bytes));
            change.put_tail(self.kind, self.next_row, bytes);
            self.next_row += 1;
        }
        let flushed = self.take_flushed()?;
        let merged = self.take_merged()?;
        self.remove_rows(change);
        if flushed || merged {
            self.order_runs();
            change.put_manifest(self.kind, &self.manifest());
        }
        self.begin_flush()?;
        self.begin_merge()
    }

    /// Deletes the files that the last sealed change made superfluous, beside the caller. Call it after
    /// that change is committed, and only then.
    pub fn settle(&mut self) -> Result<(), StoreError> {
        if self.sweeping.as_ref().is_some_and(|work| !work.is_done()) {
            return Ok(());
        }
        if let Some(work) = self.sweeping.take() {
            work.wait()?;
        }
        if self.doomed.is_empty() {
            return Ok(());
        }
        let (records, doomed) = (self.records.clone(), mem::take(&mut self.doomed));
        self.sweeping = Some(Work::start(move |_| {
            // A power failure must not bring a manifest back whose files are gone.
            records.sync()?;
            doomed.iter().try_for_each(|path| remove(path).map_err(Failed::from))
        })?);
        Ok(())
    }

    /// Forgets everything, when the change is committed; the files go with the next
    /// [`Tally::settle`].
    pub fn clear(&mut self, change: &mut Change<'_>) {
        // Work that is dropped leaves a file that no manifest will name.
        let frozen = self.frozen.take().map(|frozen| frozen.number);
        let merging = self.merging.take().map(|merging| merging.number);
        let begun =
            frozen.into_iter().chain(merging).map(|number| self.dir.join(file_name(number)));
        self.doomed.extend(begun);
        self.doomed.extend(self.runs.drain(..).map(|run| run.path().to_owned()));
        self.fresh.clear();
        self.table = Table::default();
        self.hot.clear();
        self.tail_from = self.next_row;
        change.put_manifest(self.kind, &self.manifest());
    }

    /// Takes over the run that the frozen table became.
    fn take_flushed(&mut self) -> Result<bool, StoreError> {
        let full = self.table.len() >= 2 * self.bounds.table;
        let Some(frozen) = self.frozen.take_if(|frozen| full || frozen.work.is_done()) else {
            return Ok(false);
        };
        let run = finished(frozen.work)?;
        self.tail_from = frozen.until;
        frozen.table.keys().for_each(|fingerprint| self.hot.keep(*fingerprint));
        self.runs.push(Arc::new(run));
        Ok(true)
    }

    /// Takes over the run that others were merged into.
    fn take_merged(&mut self) -> Result<bool, StoreError> {
        let full = self.runs.len() >= MAX_RUNS;
        let Some(merging) = self.merging.take_if(|merging| full || merging.work.is_done()) else {
            return Ok(false);
        };
        let run = finished(merging.work)?;
        let is_input = |run: &mut Arc<Run>| merging.inputs.contains(&run.number());
        self.doomed.extend(self.runs.extract_if(.., is_input).map(|run| run.path().to_owned()));
        self.runs.push(Arc::new(run));
        Ok(true)
    }

    /// Removes some rows that a run covers; from when its manifest names it they do not count.
    fn remove_rows(&mut self, change: &mut Change<'_>) {
        let end = self.tail_from.min(self.removed_to + REMOVED_PER_SEAL);
        for row in self.removed_to..end {
            change.remove_tail(self.kind, row);
        }
        self.removed_to = end;
    }

    fn begin_flush(&mut self) -> Result<(), StoreError> {
        if self.table.len() < self.bounds.table.max(1) || self.frozen.is_some() {
            return Ok(());
        }
        // Who has filled one table will fill another: a table that grows is copied again and again.
        let mut room = Table::default();
        room.reserve(self.bounds.table);
        let table = Arc::new(mem::replace(&mut self.table, room));
        let (number, kind, dir) = (self.take_number(), self.kind, self.dir.clone());
        let work = {
            let table = Arc::clone(&table);
            Work::start(move |cancelled| flush(&dir, kind, number, &table, cancelled))?
        };
        self.frozen = Some(Frozen { table, until: self.next_row, number, work });
        Ok(())
    }

    fn begin_merge(&mut self) -> Result<(), StoreError> {
        if self.merging.is_some() {
            return Ok(());
        }
        let counts: Vec<u64> = self.runs.iter().map(|run| run.count()).collect();
        let Some(first) = choose(&counts) else { return Ok(()) };
        let runs = self.runs[first..].to_vec();
        let inputs = runs.iter().map(|run| run.number()).collect();
        let (number, kind, dir) = (self.take_number(), self.kind, self.dir.clone());
        let work = Work::start(move |cancelled| merge(&dir, kind, number, runs, cancelled))?;
        self.merging = Some(Merging { inputs, number, work });
        Ok(())
    }

    fn manifest(&self) -> Manifest {
        let runs = self.runs.iter().map(|run| run.number()).collect();
        Manifest { runs, tail_from: self.tail_from, removed_to: self.removed_to }
    }

    fn order_runs(&mut self) {
        self.runs.sort_by_key(|run| std::cmp::Reverse(run.count()));
    }

    fn take_number(&mut self) -> u64 {
        self.next_run += 1;
        self.next_run - 1
    }
}

/// Makes a folder whose name survives a power failure, as that of its files will.
fn make_folder(dir: &Path) -> io::Result<()> {
    if dir.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(dir)?;
    dir.parent().map_or(Ok(()), |parent| File::open(parent)?.sync_all())
}

/// The run that a thread made. Only dropped work is cancelled, and nobody waits for that.
fn finished(work: Work<Run>) -> Result<Run, StoreError> {
    work.wait()?.ok_or_else(|| StoreError::Write("writing a run was given up".into()))
}

/// Removes the files of runs that the manifest does not name: begun before a kill, or merged into
/// others. A file with another name is not ours and stays.
fn remove_unnamed(records: &Records, dir: &Path, named: &[u64]) -> Result<(), StoreError> {
    let failed = |error| StoreError::read_file(dir, error);
    let mut unnamed = Vec::new();
    for file in fs::read_dir(dir).map_err(failed)? {
        let file = file.map_err(failed)?;
        let number = file.file_name().to_str().and_then(number_of);
        if number.is_some_and(|number| !named.contains(&number)) {
            unnamed.push(file.path());
        }
    }
    if !unnamed.is_empty() {
        // A power failure must not bring a manifest back whose files are gone.
        records.sync()?;
    }
    unnamed.iter().try_for_each(|path| remove(path))
}

fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(StoreError::write_file(path, error))
        }
        _ => Ok(()),
    }
}
