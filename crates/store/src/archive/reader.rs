//! Which records are in this file, and what is wrong with it?
//!
//! Reads WARC and ARC files, plain or gzip, with a member per record or without. What is wrong inside a
//! file is told as a [`Fault`] among the records, and reading goes on at the next record that can be
//! found.

use super::arc;
use super::error::ArchiveError;
use super::head;
use super::record::Record;
use super::source::{At, Fill, Input, Source};
use bytes::Bytes;
use serde::Serialize;
use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// How much of a record is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Longest head of a record, in bytes.
    pub head: usize,
    /// Longest block; a longer one is passed over, with a fault.
    pub block: u64,
    /// How much of each block is kept; the rest is read and forgotten.
    pub keep: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { head: 64 << 10, block: 256 << 20, keep: u64::MAX }
    }
}

/// Something wrong inside a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// Where: offset of the record or gzip member concerned.
    pub offset: u64,
    /// What.
    pub what: String,
}

/// What a reader comes upon.
#[derive(Clone, Debug)]
pub enum Entry {
    /// A record.
    Record(Record),
    /// A fault.
    Fault(Fault),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Warc,
    Arc,
}

/// How the reading of a line or block ended.
enum Step<T> {
    Got(T),
    End,
    /// The bytes ended before they should: the next gzip member begins a new record, or damage.
    Cut(String),
    TooLong,
}

/// Iterates over one file. After an error it yields nothing more.
pub struct Reader {
    path: PathBuf,
    source: Source,
    limits: Limits,
    format: Option<Format>,
    /// A line that was read to find the beginning of a record.
    ahead: Option<(At, Vec<u8>)>,
    ready: VecDeque<Entry>,
    /// The gzip member whose sharing was told last.
    shared_told: Option<u64>,
    ended: bool,
}

impl Reader {
    /// Opens a file. One that is neither WARC nor ARC yields an error at its first record.
    pub fn open(path: &Path, limits: Limits) -> Result<Reader, ArchiveError> {
        Reader::open_at(path, 0, 0, limits)
    }

    /// Opens a file at a record: the `offset` and `inner` of a [`Record`].
    pub fn open_at(
        path: &Path,
        offset: u64,
        inner: u64,
        limits: Limits,
    ) -> Result<Reader, ArchiveError> {
        let file = File::open(path).map_err(ArchiveError::io("open", path))?;
        Reader::over(Box::new(file), path, offset, inner, limits)
    }

    pub(super) fn over(
        input: Box<dyn Input>,
        path: &Path,
        offset: u64,
        inner: u64,
        limits: Limits,
    ) -> Result<Reader, ArchiveError> {
        let source = Source::new(input, offset).map_err(ArchiveError::io("read", path))?;
        let mut reader = Reader {
            path: path.to_owned(),
            source,
            limits,
            format: None,
            ahead: None,
            ready: VecDeque::new(),
            shared_told: None,
            ended: false,
        };
        if inner > 0 {
            reader.shared_told = Some(offset);
            // The first bytes of the member belong to another record, so they are not looked at.
            reader.source.fill().map_err(ArchiveError::io("read", path))?;
            reader.pass_over(inner).map_err(ArchiveError::io("read", path))?;
        }
        Ok(reader)
    }

    fn fault(&mut self, offset: u64, what: impl Into<String>) {
        self.ready.push_back(Entry::Fault(Fault { offset, what: what.into() }));
    }

    /// Reads the next record or fault into `ready`.
    fn advance(&mut self) -> Result<(), ArchiveError> {
        let path = self.path.clone();
        self.step().map_err(ArchiveError::io("read", &path))?;
        // Only the first record decides whether this is an archive at all.
        if self.format.is_none()
            && let Some(Entry::Fault(fault)) = self.ready.front()
        {
            self.ended = true;
            return Err(ArchiveError::NotAnArchive { path, what: fault.what.clone() });
        }
        Ok(())
    }

    fn step(&mut self) -> io::Result<()> {
        let (at, line) = match self.ahead.take() {
            Some(found) => found,
            None => match self.first_line()? {
                Some(found) => found,
                None => return Ok(()),
            },
        };
        if line.starts_with(b"WARC/") {
            self.format.get_or_insert(Format::Warc);
            return self.warc_record(at);
        }
        if self.format != Some(Format::Warc)
            && let Some(found) = arc::parse_line(&line)
        {
            self.format = Some(Format::Arc);
            let mut record = Record::of_fields(found.headers);
            (record.offset, record.inner) = (at.offset, at.inner);
            return match found.length {
                Some(length) => self.block(record, length),
                None => {
                    self.fault(at.offset, "the record's length is no number");
                    self.find_record()
                }
            };
        }
        let shown = String::from_utf8_lossy(&line[..line.len().min(40)]).into_owned();
        self.fault(at.offset, format!("no record begins here, but {shown:?}"));
        self.find_record()
    }

    /// The first line that is not empty, and its place.
    fn first_line(&mut self) -> io::Result<Option<(At, Vec<u8>)>> {
        loop {
            if self.source.bytes().is_empty() {
                match self.source.fill()? {
                    Fill::Data | Fill::Member => {}
                    Fill::End => {
                        self.ended = true;
                        return Ok(None);
                    }
                    Fill::Damage { offset, what } => {
                        self.fault(offset, what);
                        return Ok(None);
                    }
                }
            }
            match self.source.bytes().first() {
                Some(b'\r' | b'\n') => self.source.consume(1),
                _ => break,
            }
        }
        let at = self.source.at();
        match self.line(self.limits.head)? {
            Step::Got(line) => Ok(Some((at, line))),
            Step::End => Ok(None),
            Step::Cut(why) => {
                self.fault(at.offset, why);
                Ok(None)
            }
            Step::TooLong => Ok(Some((at, Vec::new()))),
        }
    }

    fn warc_record(&mut self, at: At) -> io::Result<()> {
        let mut text = Vec::new();
        loop {
            let room = self.limits.head.saturating_sub(text.len());
            match self.line(room)? {
                Step::Got(line) if line.is_empty() => break,
                Step::Got(line) => {
                    text.extend_from_slice(&line);
                    text.push(b'\n');
                }
                Step::End => {
                    self.fault(at.offset, "the file ends inside the head of this record");
                    return Ok(());
                }
                Step::Cut(why) => {
                    self.fault(at.offset, why);
                    return Ok(());
                }
                Step::TooLong => {
                    self.fault(at.offset, "the head of this record is too long");
                    return self.find_record();
                }
            }
        }
        let mut record = Record::of_fields(head::headers(head::lines(&text)));
        (record.offset, record.inner) = (at.offset, at.inner);
        if at.inner > 0 && self.shared_told != Some(at.offset) {
            self.shared_told = Some(at.offset);
            self.fault(at.offset, "records share this gzip member: they cannot be read one by one");
        }
        match record.headers.get("Content-Length").map(str::parse) {
            Some(Ok(length)) => self.block(record, length),
            Some(Err(_)) => {
                self.fault(at.offset, "Content-Length is no number");
                self.find_record()
            }
            None => {
                self.fault(at.offset, "the record has no Content-Length");
                self.find_record()
            }
        }
    }

    fn block(&mut self, mut record: Record, length: u64) -> io::Result<()> {
        let start = record.offset;
        record.block_length = length;
        if length > self.limits.block {
            self.fault(start, format!("a record of {length} bytes is too large"));
            return match self.pass_over(length)? {
                Step::Cut(why) => {
                    self.fault(start, why);
                    Ok(())
                }
                _ => Ok(()),
            };
        }
        let keep = length.min(self.limits.keep);
        let mut kept = Vec::with_capacity(keep.min(1 << 20) as usize);
        let outcome = match self.read_into(keep, &mut kept)? {
            Step::Got(()) => self.pass_over(length - keep)?,
            other => other,
        };
        match outcome {
            Step::Got(()) => {}
            Step::Cut(why) => {
                self.fault(start, why);
                return Ok(());
            }
            Step::End | Step::TooLong => {
                record.block = Bytes::from(kept);
                record.cut = true;
                self.ready.push_back(Entry::Record(record));
                self.fault(start, "the file ends inside this record");
                return Ok(());
            }
        }
        record.block = Bytes::from(kept);
        self.close(record)
    }

    /// Passes over the line ends behind a record and finds out where it ends.
    fn close(&mut self, mut record: Record) -> io::Result<()> {
        let wanted = if self.format == Some(Format::Arc) { 1 } else { 2 };
        let mut line_ends = 0;
        let end = loop {
            if self.source.bytes().is_empty() {
                match self.source.fill()? {
                    Fill::Data => {}
                    Fill::Member | Fill::End => break self.source.at(),
                    Fill::Damage { offset, what } => {
                        // Damage of its own member: the block cannot be trusted.
                        self.fault(offset, what);
                        if offset == record.offset {
                            return Ok(());
                        }
                        break At { offset, inner: 0 };
                    }
                }
            }
            match self.source.bytes().first() {
                Some(b'\r') if line_ends < wanted => self.source.consume(1),
                Some(b'\n') if line_ends < wanted => {
                    line_ends += 1;
                    self.source.consume(1);
                }
                _ if line_ends >= 1 => break self.source.at(),
                _ => {
                    let at = self.source.at();
                    self.ready.push_back(Entry::Record(record));
                    self.fault(
                        at.offset,
                        "the record is not followed by an empty line: its length may be wrong",
                    );
                    return self.find_record();
                }
            }
        };
        if end.inner == 0 && record.inner == 0 {
            record.length = end.offset.saturating_sub(record.offset);
        }
        self.ready.push_back(Entry::Record(record));
        Ok(())
    }

    /// Goes to the next line that begins a record.
    fn find_record(&mut self) -> io::Result<()> {
        loop {
            let Some((at, line)) = self.first_line()? else {
                return Ok(());
            };
            let begins = match self.format {
                Some(Format::Arc) => arc::parse_line(&line).is_some(),
                _ => line.starts_with(b"WARC/1.") || line.starts_with(b"WARC/0."),
            };
            if begins {
                self.ahead = Some((at, line));
                return Ok(());
            }
        }
    }

    /// One line without its end.
    fn line(&mut self, limit: usize) -> io::Result<Step<Vec<u8>>> {
        let mut line = Vec::new();
        loop {
            match self.more()? {
                Step::Got(()) => {}
                // A last line without end is a line.
                Step::End if !line.is_empty() => return Ok(Step::Got(line)),
                Step::End => return Ok(Step::End),
                Step::Cut(why) => return Ok(Step::Cut(why)),
                Step::TooLong => return Ok(Step::TooLong),
            }
            let bytes = self.source.bytes();
            let (used, done) = match bytes.iter().position(|byte| *byte == b'\n') {
                Some(at) => (at + 1, true),
                None => (bytes.len(), false),
            };
            line.extend_from_slice(&bytes[..used]);
            self.source.consume(used);
            if line.len() > limit {
                return Ok(Step::TooLong);
            }
            if done {
                line.pop();
                if line.last() == Some(&b'\r') {
                    line.pop();
                }
                return Ok(Step::Got(line));
            }
        }
    }

    fn read_into(&mut self, mut n: u64, into: &mut Vec<u8>) -> io::Result<Step<()>> {
        while n > 0 {
            match self.more()? {
                Step::Got(()) => {}
                other => return Ok(other),
            }
            let bytes = self.source.bytes();
            let used = bytes.len().min(usize::try_from(n).unwrap_or(usize::MAX));
            into.extend_from_slice(&bytes[..used]);
            self.source.consume(used);
            n -= used as u64;
        }
        Ok(Step::Got(()))
    }

    fn pass_over(&mut self, mut n: u64) -> io::Result<Step<()>> {
        while n > 0 {
            match self.more()? {
                Step::Got(()) => {}
                other => return Ok(other),
            }
            let have = self.source.bytes().len();
            let used = have.min(usize::try_from(n).unwrap_or(usize::MAX));
            self.source.consume(used);
            n -= used as u64;
        }
        Ok(Step::Got(()))
    }

    /// Makes sure that bytes of the same record are at hand.
    fn more(&mut self) -> io::Result<Step<()>> {
        if !self.source.bytes().is_empty() {
            return Ok(Step::Got(()));
        }
        Ok(match self.source.fill()? {
            Fill::Data => Step::Got(()),
            Fill::Member if self.source.bytes().starts_with(b"WARC/") => {
                Step::Cut("the gzip member ends before its record does".into())
            }
            Fill::Member => Step::Got(()),
            Fill::End => Step::End,
            Fill::Damage { what, .. } => Step::Cut(what),
        })
    }
}

impl Iterator for Reader {
    type Item = Result<Entry, ArchiveError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(entry) = self.ready.pop_front() {
                return Some(Ok(entry));
            }
            if self.ended {
                return None;
            }
            if let Err(error) = self.advance() {
                self.ended = true;
                self.ready.clear();
                return Some(Err(error));
            }
        }
    }
}

/// Reads the one record that begins at `offset`, whole.
pub fn read_at(path: &Path, offset: u64) -> Result<Record, ArchiveError> {
    let nothing = |what: String| ArchiveError::NoRecord { path: path.to_owned(), offset, what };
    match Reader::open_at(path, offset, 0, Limits::default())?.next() {
        Some(Ok(Entry::Record(record))) => Ok(record),
        Some(Ok(Entry::Fault(fault))) => Err(nothing(fault.what)),
        Some(Err(ArchiveError::NotAnArchive { what, .. })) => Err(nothing(what)),
        Some(Err(error)) => Err(error),
        None => Err(nothing("the file ends before it".into())),
    }
}
