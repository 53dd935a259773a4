//! What does a run on disk say about a fingerprint?

use super::format::{
    BLOCK_BYTES, BLOCK_ENTRIES, Block, Entry, TRAILER_BYTES, Trailer, checksum, entry_at, find_in,
    is_whole,
};
use crate::records::StoreError;
use lycosa_frontier::maybe::{LINE_BYTES, MaybeSet};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Blocks that a walk through a run reads at once.
const WALK_BLOCKS: usize = 64;

/// The name of the file of the run with this number.
pub(super) fn file_name(number: u64) -> String {
    format!("{number:010}.run")
}

/// The number of the run whose file has this name.
pub(super) fn number_of(name: &str) -> Option<u64> {
    let digits = name.strip_suffix(".run")?;
    let number = digits.parse().ok()?;
    (file_name(number) == name).then_some(number)
}

/// An immutable sorted file of entries. Fences and filter are in memory, blocks are read when needed
/// and checked each time.
#[derive(Debug)]
pub(super) struct Run {
    path: PathBuf,
    file: File,
    number: u64,
    count: u64,
    fences: Vec<u64>,
    filter: MaybeSet,
}

impl Run {
    pub(super) fn new(
        path: PathBuf,
        file: File,
        number: u64,
        count: u64,
        fences: Vec<u64>,
        filter: MaybeSet,
    ) -> Run {
        Run { path, file, number, count, fences, filter }
    }

    /// Opens the run with this number of a tally's folder. Reads and checks everything but the blocks.
    pub(super) fn open(dir: &Path, kind: u8, number: u64) -> Result<Run, StoreError> {
        let path = dir.join(file_name(number));
        let damaged = |reason| StoreError::Damaged { file: path.clone(), reason };
        let failed = |error| StoreError::read_file(&path, error);
        let file = File::open(&path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let Some(trailer_at) = length.checked_sub(TRAILER_BYTES as u64) else {
            return Err(damaged("it is shorter than a trailer"));
        };
        let mut bytes = [0; TRAILER_BYTES];
        file.read_exact_at(&mut bytes, trailer_at).map_err(failed)?;
        let trailer = Trailer::decode(&bytes).map_err(damaged)?;
        if (trailer.kind, trailer.number) != (kind, number) {
            return Err(damaged("it belongs elsewhere"));
        }
        let blocks_bytes = trailer.blocks().checked_mul(BLOCK_BYTES as u64);
        let index_bytes = trailer.blocks() * 8 + u64::from(trailer.lines) * LINE_BYTES as u64;
        if blocks_bytes.and_then(|blocks| blocks.checked_add(index_bytes)) != Some(trailer_at) {
            return Err(damaged("it has not the length that it names"));
        }
        let mut index = vec![0; index_bytes as usize];
        file.read_exact_at(&mut index, trailer_at - index_bytes).map_err(failed)?;
        if checksum(&[&index]) != trailer.index_checksum {
            return Err(damaged("its index has another checksum"));
        }
        let (fences, filter) = index.split_at(trailer.blocks() as usize * 8);
        let fences: Vec<u64> =
            fences.as_chunks::<8>().0.iter().map(|fence| u64::from_le_bytes(*fence)).collect();
        let filter = MaybeSet::from_bytes(filter).ok_or_else(|| damaged("its filter is empty"))?;
        Ok(Run::new(path, file, number, trailer.count, fences, filter))
    }

    /// Its number.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Its file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// How many entries it has.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Memory for fences and filter.
    pub(super) fn memory_bytes(&self) -> usize {
        self.fences.capacity() * 8 + self.filter.memory_bytes()
    }

    /// Bytes of its file.
    pub(super) fn disk_bytes(&self) -> u64 {
        let index = self.fences.len() * 8 + self.filter.line_count() as usize * LINE_BYTES;
        (self.fences.len() * BLOCK_BYTES + index + TRAILER_BYTES) as u64
    }

    /// Whether it may hold the fingerprint; a "no" is certain and costs no read.
    pub(super) fn may_hold(&self, fingerprint: u64) -> bool {
        self.filter.may_hold(fingerprint)
    }

    /// The sum of a fingerprint in this run.
    pub(super) fn find(
        &self,
        fingerprint: u64,
        page: &mut Page,
    ) -> Result<Option<i32>, StoreError> {
        self.block_of(fingerprint).map_or(Ok(None), |block| self.find_in(block, fingerprint, page))
    }

    /// The sum of a fingerprint in this block, which [`Run::block_of`] told.
    pub(super) fn find_in(
        &self,
        block: usize,
        fingerprint: u64,
        page: &mut Page,
    ) -> Result<Option<i32>, StoreError> {
        if page.at != Some((self.number, block)) {
            page.at = None;
            self.read(block, &mut page.block[..])?;
            page.at = Some((self.number, block));
        }
        Ok(find_in(&page.block, self.entries_of(block), fingerprint))
    }

    /// The one block that can hold the fingerprint: the last whose fence is not above it.
    ///
    /// Fingerprints are uniform, so the right fence is near the place that their value suggests; from
    /// there the steps double until they lead too far. That touches two or three cache lines where a
    /// search from the middle touches ten. Values that are not uniform only take more steps.
    pub(super) fn block_of(&self, fingerprint: u64) -> Option<usize> {
        let fences = &self.fences[..];
        let guess = ((u128::from(fingerprint) * fences.len() as u128) >> 64) as usize;
        let (mut low, mut high) = (guess, guess);
        let mut step = 1;
        if fences.get(guess).is_some_and(|fence| *fence <= fingerprint) {
            while fences.get(high).is_some_and(|fence| *fence <= fingerprint) {
                low = high;
                high += step;
                step *= 2;
            }
        } else {
            while fences.get(low).is_some_and(|fence| *fence > fingerprint) {
                high = low;
                low = low.saturating_sub(step);
                step *= 2;
                if high == 0 {
                    return None;
                }
            }
        }
        let within = fences.get(low..high.min(fences.len()))?;
        (low + within.partition_point(|fence| *fence <= fingerprint)).checked_sub(1)
    }

    fn entries_of(&self, block: usize) -> usize {
        BLOCK_ENTRIES.min(self.count as usize - block * BLOCK_ENTRIES)
    }

    /// Reads and checks the blocks from `first` on, as many as the buffer holds.
    fn read(&self, first: usize, buffer: &mut [u8]) -> Result<(), StoreError> {
        let at = (first * BLOCK_BYTES) as u64;
        let read = self.file.read_exact_at(buffer, at);
        read.map_err(|error| StoreError::read_file(&self.path, error))?;
        let mut blocks = buffer.chunks_exact(BLOCK_BYTES).zip(&self.fences[first..]);
        if blocks.all(|(block, fence)| is_whole(block, *fence)) {
            return Ok(());
        }
        let reason = "a block has another checksum";
        Err(StoreError::Damaged { file: self.path.clone(), reason })
    }
}

/// The block that was read last, so that neighbours in a sorted batch share it.
pub(super) struct Page {
    at: Option<(u64, usize)>,
    block: Box<Block>,
}

impl Page {
    /// No block yet.
    pub(super) fn new() -> Page {
        Page { at: None, block: Box::new([0; BLOCK_BYTES]) }
    }
}

/// A walk through all entries of a run, in order.
pub(super) struct Walk {
    run: Arc<Run>,
    /// The next block to read.
    next: usize,
    /// The blocks read last, of which `place..end` is still to be told.
    buffer: Vec<u8>,
    place: usize,
    end: usize,
}

impl Walk {
    /// From the first entry.
    pub(super) fn new(run: Arc<Run>) -> Walk {
        Walk { run, next: 0, buffer: Vec::new(), place: 0, end: 0 }
    }

    /// The next entry.
    pub(super) fn next(&mut self) -> Result<Option<Entry>, StoreError> {
        if self.place == self.end && !self.fill()? {
            return Ok(None);
        }
        let (block, place) = (self.place / BLOCK_ENTRIES, self.place % BLOCK_ENTRIES);
        self.place += 1;
        Ok(Some(entry_at(&self.buffer[block * BLOCK_BYTES..], place)))
    }

    fn fill(&mut self) -> Result<bool, StoreError> {
        let blocks = WALK_BLOCKS.min(self.run.fences.len() - self.next);
        if blocks == 0 {
            return Ok(false);
        }
        self.buffer.resize(blocks * BLOCK_BYTES, 0);
        self.run.read(self.next, &mut self.buffer)?;
        self.next += blocks;
        self.place = 0;
        self.end = (blocks - 1) * BLOCK_ENTRIES + self.run.entries_of(self.next - 1);
        Ok(true)
    }
}
