//! How does a run come to be? Entries are streamed into a file in ascending order, block by block.

use super::format::{BLOCK_BYTES, BLOCK_ENTRIES, Block, Entry, Trailer, encode_block};
use super::run::{Run, file_name};
use super::work::Failed;
use crate::records::StoreError;
use flate2::Crc;
use lycosa_frontier::maybe::MaybeSet;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes gathered before they go to the file.
const BUFFER_BYTES: usize = 256 << 10;

/// A run in the making.
pub(super) struct RunWriter<'a> {
    path: PathBuf,
    out: BufWriter<File>,
    kind: u8,
    number: u64,
    count: u64,
    waiting: Vec<Entry>,
    block: Block,
    fences: Vec<u64>,
    filter: MaybeSet,
    cancelled: &'a AtomicBool,
}

impl<'a> RunWriter<'a> {
    /// Begins the run with this number, of at most `room` entries.
    pub(super) fn create(
        dir: &Path,
        kind: u8,
        number: u64,
        room: u64,
        cancelled: &'a AtomicBool,
    ) -> Result<RunWriter<'a>, StoreError> {
        let path = dir.join(file_name(number));
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&path);
        let file = file.map_err(|error| StoreError::write_file(&path, error))?;
        Ok(RunWriter {
            path,
            out: BufWriter::with_capacity(BUFFER_BYTES, file),
            kind,
            number,
            count: 0,
            waiting: Vec::with_capacity(BLOCK_ENTRIES),
            block: [0; BLOCK_BYTES],
            fences: Vec::with_capacity(room.div_ceil(BLOCK_ENTRIES as u64) as usize),
            filter: MaybeSet::with_room_for(room),
            cancelled,
        })
    }

    /// Appends an entry whose fingerprint is above all before it.
    pub(super) fn push(&mut self, entry: Entry) -> Result<(), Failed> {
        self.filter.insert(entry.0);
        self.waiting.push(entry);
        if self.waiting.len() == BLOCK_ENTRIES { self.write_block() } else { Ok(()) }
    }

    /// Ends the file and forces it to the disk.
    pub(super) fn finish(mut self) -> Result<Run, Failed> {
        if !self.waiting.is_empty() {
            self.write_block()?;
        }
        self.fences.shrink_to_fit();
        let written =
            self.write_index().and_then(|()| self.out.into_inner().map_err(io::Error::from));
        let synced = written.and_then(|file| {
            file.sync_all()?;
            // The name must be as durable as the bytes.
            let dir = self.path.parent().unwrap_or_else(|| Path::new("."));
            File::open(dir)?.sync_all()?;
            Ok(file)
        });
        let file = synced.map_err(|error| StoreError::write_file(&self.path, error))?;
        Ok(Run::new(self.path, file, self.number, self.count, self.fences, self.filter))
    }

    fn write_block(&mut self) -> Result<(), Failed> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(Failed::Cancelled);
        }
        encode_block(&self.waiting, &mut self.block);
        self.fences.extend(self.waiting.first().map(|entry| entry.0));
        self.count += self.waiting.len() as u64;
        self.waiting.clear();
        let written = self.out.write_all(&self.block);
        written.map_err(|error| Failed::Store(StoreError::write_file(&self.path, error)))
    }

    fn write_index(&mut self) -> io::Result<()> {
        let mut crc = Crc::new();
        for fence in &self.fences {
            crc.update(&fence.to_le_bytes());
            self.out.write_all(&fence.to_le_bytes())?;
        }
        for line in self.filter.lines() {
            crc.update(&line);
            self.out.write_all(&line)?;
        }
        let trailer = Trailer {
            kind: self.kind,
            number: self.number,
            count: self.count,
            lines: self.filter.line_count(),
            index_checksum: crc.sum(),
        };
        self.out.write_all(&trailer.encode())
    }
}
