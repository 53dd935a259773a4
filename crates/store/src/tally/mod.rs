//! Was this fingerprint met, and how often? For a hundred million of them, with bounded memory.
//!
//! A [`Tally`] maps fingerprints to sums. What was added last is in a table in memory; tables that are
//! full become sorted files, *runs*, and runs are merged so that there are few of them. A lookup asks a
//! cache of hot fingerprints, the table, and then the runs, largest first; each run has a filter in
//! memory that turns nearly all strangers away, so a known fingerprint costs one read of a block from
//! the system's page cache and a new one costs none.
//!
//! # What survives
//!
//! [`Tally::seal`] puts what was added since the last seal into a
//! [`Change`](crate::records::Change) as one row of the tail, so it is exactly as durable as the
//! rest of that change. A run takes over from the rows that it covers when it is on the disk: from
//! the change on that names it in the manifest they do not count, and the next ones remove them.
//! Files that a manifest no longer names are deleted after that commit is on the disk, in
//! [`Tally::settle`], or else when the tally is opened.

mod durable;
mod format;
mod hot;
mod merge;
mod run;
mod work;
mod writer;

pub(crate) use durable::Manifest;

use crate::records::{Records, StoreError};
use format::Entry;
use hot::Hot;
use run::{Page, Run};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::path::PathBuf;
use std::sync::Arc;
use work::Work;

/// Which tally it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The URLs met in this run.
    Sieve,
    /// How many links lead to each URL.
    Inlinks,
}

impl Kind {
    /// What keeps the rows and files of one apart from those of the other.
    pub(crate) fn id(self) -> u8 {
        match self {
            Kind::Sieve => 1,
            Kind::Inlinks => 2,
        }
    }

    fn folder(self) -> &'static str {
        match self {
            Kind::Sieve => "sieve",
            Kind::Inlinks => "inlinks",
        }
    }
}

/// What a tally may hold in memory, apart from about 1.4 bytes for each entry on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Entries that the table takes before it becomes a run. As many again may wait while the run is
    /// being written.
    pub table: usize,
    /// Whether up to 16 million known fingerprints are remembered without a look into a run, in 80 MiB. Of
    /// ten million that are asked for alike, these are three in four.
    pub hot: bool,
}

impl Bounds {
    /// Seven eighths of 2^19: what a table of 2^19 places takes before it doubles.
    const TABLE: usize = 458_752;

    /// The usual bounds. Only the sieve is asked for the same fingerprint again and again.
    pub fn of(kind: Kind) -> Bounds {
        Bounds { table: Bounds::TABLE, hot: kind == Kind::Sieve }
    }
}

/// Fingerprints are hashes already.
#[derive(Default)]
pub(crate) struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

type Table = HashMap<u64, i32, BuildHasherDefault<Identity>>;

/// A map from fingerprints to sums, on disk. Fingerprints should be uniform (the head of a hash):
/// speed depends on it, correctness does not.
///
/// A fingerprint is known from its first [`Tally::add`] on, whatever it was added with and whatever
/// its sum is: zero does not make it unknown. Sums stop at the ends of `i32`.
pub struct Tally {
    records: Records,
    kind: Kind,
    bounds: Bounds,
    dir: PathBuf,
    /// What was added since the last seal, in order.
    fresh: Vec<Entry>,
    /// What is in no run yet and not in `frozen`.
    table: Table,
    /// The table that is being written as a run.
    frozen: Option<Frozen>,
    /// Largest first.
    runs: Vec<Arc<Run>>,
    merging: Option<Merging>,
    /// Files that the last sealed manifest no longer names.
    doomed: Vec<PathBuf>,
    sweeping: Option<Work<()>>,
    next_run: u64,
    /// The first row of the tail that is in no run.
    tail_from: u64,
    /// The first row of the tail that is not removed.
    removed_to: u64,
    /// The next row of the tail.
    next_row: u64,
    hot: Hot,
    page: Page,
    /// What `has_all` has still to look for: fingerprint and place. Kept for its memory.
    wanted: Vec<(u64, usize)>,
    /// Which of them may be in one run, and in which of its blocks.
    likely: Vec<(usize, (u64, usize))>,
}

/// A table on its way to the disk.
struct Frozen {
    table: Arc<Table>,
    /// The first row of the tail that it does not cover.
    until: u64,
    /// The run that it becomes.
    number: u64,
    work: Work<Run>,
}

/// Runs on their way to be one.
struct Merging {
    inputs: Vec<u64>,
    /// The run that they become.
    number: u64,
    work: Work<Run>,
}

impl Tally {
    /// Adds `n` to the sum of a fingerprint, which is known from now on.
    pub fn add(&mut self, fingerprint: u64, n: i32) {
        self.fresh.push((fingerprint, n));
        add_to(&mut self.table, fingerprint, n);
    }

    /// Whether the fingerprint was added since the last seal; it may say so of what was added before, too.
    pub fn has_lately(&self, fingerprint: u64) -> bool {
        self.table.contains_key(&fingerprint)
    }

    /// Whether the fingerprint is known.
    pub fn has(&mut self, fingerprint: u64) -> Result<bool, StoreError> {
        if self.is_in_memory(fingerprint) {
            return Ok(true);
        }
        for run in &self.runs {
            if run.may_hold(fingerprint) && run.find(fingerprint, &mut self.page)?.is_some() {
                self.hot.keep(fingerprint);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether each of these is known; `known` is emptied first and then has one answer for each, in
    /// their order. A new fingerprint that occurs twice is new both times. Much quicker than one after
    /// the other.
    pub fn has_all(
        &mut self,
        fingerprints: &[u64],
        known: &mut Vec<bool>,
    ) -> Result<(), StoreError> {
        known.clear();
        known.extend(fingerprints.iter().map(|fingerprint| self.is_in_memory(*fingerprint)));
        let mut wanted = std::mem::take(&mut self.wanted);
        wanted.clear();
        let places = fingerprints.iter().zip(known.iter()).enumerate();
        wanted.extend(places.filter(|(_, (_, known))| !**known).map(|(i, (f, _))| (*f, i)));
        // In order, so that a block is read once and filters and fences are walked in one direction.
        wanted.sort_unstable();
        let mut likely = std::mem::take(&mut self.likely);
        for run in &self.runs {
            // Filter and fences first, for all: their cache misses overlap, which reads would prevent.
            likely.clear();
            let passed = wanted.iter().filter(|(fingerprint, _)| run.may_hold(*fingerprint));
            likely.extend(passed.filter_map(|wanted| Some((run.block_of(wanted.0)?, *wanted))));
            for (block, (fingerprint, place)) in &likely {
                if run.find_in(*block, *fingerprint, &mut self.page)?.is_some() {
                    known[*place] = true;
                    self.hot.keep(*fingerprint);
                }
            }
            wanted.retain(|(_, place)| !known[*place]);
        }
        self.likely = likely;
        self.wanted = wanted;
        Ok(())
    }

    /// What was added to the fingerprint in all.
    pub fn total(&mut self, fingerprint: u64) -> Result<i32, StoreError> {
        let frozen = self.frozen.as_ref().and_then(|frozen| frozen.table.get(&fingerprint));
        let mut sum = self.table.get(&fingerprint).copied().unwrap_or_default();
        sum = sum.saturating_add(frozen.copied().unwrap_or_default());
        for run in &self.runs {
            if run.may_hold(fingerprint) {
                let found = run.find(fingerprint, &mut self.page)?;
                sum = sum.saturating_add(found.unwrap_or_default());
            }
        }
        Ok(sum)
    }

    /// How many entries there are. A fingerprint that was added again after its table became a run
    /// counts again until the runs are merged; one that is only added when it is new counts once.
    pub fn len(&self) -> u64 {
        let frozen = self.frozen.as_ref().map_or(0, |frozen| frozen.table.len());
        let runs: u64 = self.runs.iter().map(|run| run.count()).sum();
        runs + (self.table.len() + frozen) as u64
    }

    /// Whether nothing was added yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory that it takes now, without the thread that merges.
    pub fn memory_bytes(&self) -> usize {
        // Sixteen bytes and one of control for each place of a table; a place in eight stays empty.
        let table = |table: &Table| table.capacity() / 7 * 8 * 17;
        table(&self.table)
            + self.frozen.as_ref().map_or(0, |frozen| table(&frozen.table))
            + self.runs.iter().map(|run| run.memory_bytes()).sum::<usize>()
            + self.hot.memory_bytes()
            + (self.fresh.capacity() + self.wanted.capacity()) * size_of::<Entry>()
    }

    /// Bytes of its files; the tail is in the records.
    pub fn disk_bytes(&self) -> u64 {
        self.runs.iter().map(|run| run.disk_bytes()).sum()
    }

    fn is_in_memory(&self, fingerprint: u64) -> bool {
        self.hot.holds(fingerprint)
            || self.table.contains_key(&fingerprint)
            || self.frozen.as_ref().is_some_and(|frozen| frozen.table.contains_key(&fingerprint))
    }
}

fn add_to(table: &mut Table, fingerprint: u64, n: i32) {
    let sum = table.entry(fingerprint).or_default();
    *sum = sum.saturating_add(n);
}

#[cfg(test)]
mod tests;
