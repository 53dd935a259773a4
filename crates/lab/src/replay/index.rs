//! Where does the capture of an address stand? One place per address, in memory: 40 bytes and the
//! map's own.

use super::error::ReplayError;
use lycosa_frontier::normal;
use lycosa_model::{Tick, UrlId};
use lycosa_store::archive::{Entry, Kind, Limits, Reader, Record};
use serde::Serialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Enough of a block to read its status line.
const KEEP: u64 = 64;
/// Threads that read archives.
const MAX_THREADS: usize = 8;

/// A capture's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) file: u32,
    pub(super) offset: u64,
    pub(super) inner: u64,
}

/// How far the reading of archives is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Files read.
    pub files_done: usize,
    /// Files to read.
    pub files: usize,
    /// Records in the file that was just read.
    pub records: u64,
}

/// What was found in the archives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Files read.
    pub files: usize,
    /// Records of every type.
    pub records: u64,
    /// Addresses that can be served.
    pub addresses: usize,
    /// Revisit records whose original is not in these archives and that could not be served for it.
    pub unresolved: u64,
    /// Places of damage, which were passed over.
    pub faults: u64,
}

/// One capture of an address.
#[derive(Clone, Copy)]
struct Capture {
    id: UrlId,
    rank: Rank,
    digest: Option<UrlId>,
    place: Place,
}

/// Which of two captures of an address is served: a good one before a failure, then the newer one; of
/// two equals the first in order of files and offsets.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    good: bool,
    date: Tick,
}

/// A capture whose body stands elsewhere.
struct Revisit {
    id: UrlId,
    date: Tick,
    digest: Option<UrlId>,
    original: Option<UrlId>,
}

#[derive(Default)]
struct OfFile {
    captures: Vec<Capture>,
    revisits: Vec<Revisit>,
    records: u64,
    faults: u64,
}

#[derive(Debug)]
pub(super) struct Index {
    places: HashMap<UrlId, Place>,
    pub(super) summary: Summary,
}

impl Index {
    pub(super) fn get(&self, id: &UrlId) -> Option<Place> {
        self.places.get(id).copied()
    }

    /// Reads all files, several at a time; the result does not depend on which is ready first.
    pub(super) fn build(
        files: &[PathBuf],
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Index, ReplayError> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let read: Mutex<Vec<(usize, Result<OfFile, ReplayError>)>> = Mutex::default();
        std::thread::scope(|scope| {
            for _ in 0..threads.min(MAX_THREADS).min(files.len()) {
                scope.spawn(|| {
                    while let Some((number, path)) = take(&next, files) {
                        let result = read_file(path, number as u32);
                        let records = result.as_ref().map_or(0, |file| file.records);
                        let mut read = read.lock().unwrap_or_else(PoisonError::into_inner);
                        read.push((number, result));
                        drop(read);
                        progress(Progress {
                            files_done: done.fetch_add(1, Ordering::Relaxed) + 1,
                            files: files.len(),
                            records,
                        });
                    }
                });
            }
        });
        let mut read = read.into_inner().unwrap_or_else(PoisonError::into_inner);
        read.sort_by_key(|(number, _)| *number);
        let read: Result<Vec<OfFile>, ReplayError> =
            read.into_iter().map(|(_, result)| result).collect();
        let index = merge(read?);
        if index.places.is_empty() {
            let names: Vec<String> =
                files.iter().take(3).map(|path| path.display().to_string()).collect();
            return Err(ReplayError::NoCaptures(names.join(", ")));
        }
        Ok(index)
    }
}

fn take<'a>(next: &AtomicUsize, files: &'a [PathBuf]) -> Option<(usize, &'a Path)> {
    let number = next.fetch_add(1, Ordering::Relaxed);
    files.get(number).map(|path| (number, path.as_path()))
}

fn read_file(path: &Path, file: u32) -> Result<OfFile, ReplayError> {
    let mut found = OfFile::default();
    let limits = Limits { keep: KEEP, ..Limits::default() };
    for entry in Reader::open(path, limits)? {
        match entry? {
            Entry::Fault(_) => found.faults += 1,
            Entry::Record(record) => {
                found.records += 1;
                look_at(&record, file, &mut found);
            }
        }
    }
    Ok(found)
}

fn look_at(record: &Record, file: u32, found: &mut OfFile) {
    if !matches!(record.kind, Kind::Response | Kind::Resource | Kind::Revisit) || record.cut {
        return;
    }
    let address = record.target_uri.as_deref();
    let Some(Ok(address)) = address.map(normal::parse) else {
        return;
    };
    let date = record.date.unwrap_or_default();
    let digest = record.payload_digest().map(UrlId::of);
    if record.kind == Kind::Revisit {
        let original = record.headers.get("WARC-Refers-To-Target-URI");
        let original = original.and_then(|url| normal::parse(url).ok());
        found.revisits.push(Revisit {
            id: address.id,
            date,
            digest,
            original: original.map(|address| address.id),
        });
        return;
    }
    let good = match (&record.kind, record.http_status()) {
        (Kind::Resource, _) => true,
        (_, Some(status)) => matches!(status, 200..=299 | 300..=303 | 307 | 308),
        // No HTTP response: nothing that could be served.
        (_, None) => return,
    };
    found.captures.push(Capture {
        id: address.id,
        rank: Rank { good, date },
        digest,
        place: Place { file, offset: record.offset, inner: record.inner },
    });
}

fn merge(read: Vec<OfFile>) -> Index {
    let mut summary = Summary { files: read.len(), ..Summary::default() };
    let mut best: HashMap<UrlId, (Rank, Place)> =
        HashMap::with_capacity(read.iter().map(|file| file.captures.len()).sum());
    let any_revisit = read.iter().any(|file| !file.revisits.is_empty());
    let mut bodies: HashMap<UrlId, Place> = HashMap::new();
    for file in &read {
        summary.records += file.records;
        summary.faults += file.faults;
        for capture in &file.captures {
            offer(&mut best, capture.id, capture.rank, capture.place);
            if any_revisit
                && capture.rank.good
                && let Some(digest) = capture.digest
            {
                bodies.entry(digest).or_insert(capture.place);
            }
        }
    }
    for revisit in read.iter().flat_map(|file| &file.revisits) {
        let by_digest = revisit.digest.and_then(|digest| bodies.get(&digest));
        let by_address = || best.get(&revisit.original.unwrap_or(revisit.id));
        let place = match by_digest {
            Some(place) => Some(*place),
            None => by_address().map(|(_, place)| *place),
        };
        match place {
            Some(place) => {
                let rank = Rank { good: true, date: revisit.date };
                offer(&mut best, revisit.id, rank, place);
            }
            None => summary.unresolved += 1,
        }
    }
    let places: HashMap<UrlId, Place> =
        best.into_iter().map(|(id, (_, place))| (id, place)).collect();
    summary.addresses = places.len();
    Index { places, summary }
}

fn offer(best: &mut HashMap<UrlId, (Rank, Place)>, id: UrlId, rank: Rank, place: Place) {
    let held = best.entry(id).or_insert((rank, place));
    if rank > held.0 {
        *held = (rank, place);
    }
}
