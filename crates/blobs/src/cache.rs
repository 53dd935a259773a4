//! What was read before, and is it still near?
//!
//! Whole objects, and blocks of objects, as files in a folder that several processes may share. Keys name contents,
//! so nothing in it gets old; what was not used for longest goes first. A file is put in its place as a whole; one
//! that was damaged there is noticed when it is read, and read anew.

use crate::blobs::Blobs;
use crate::error::{At, Error, Result};
use crate::files::{Draft, blocking, digest_of, make_folder, remove_abandoned};
use crate::key::{Digest, Key};
use bytes::{Bytes, BytesMut};
use lycosa_runtime::chance;
use std::collections::HashMap;
use std::fs::{self, File, FileTimes};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;
use tokio::sync::Mutex as AsyncMutex;

/// Size of a block. What is read of an object is rounded to blocks, so that many small reads near each other are
/// one.
pub(crate) const BLOCK: u64 = 256 * 1024;

/// Bytes behind a block: its digest.
const TRAILER: usize = 32;

/// How much is left after things had to go, of 100.
const KEPT: u64 = 90;

/// What a cache did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CacheCounts {
    /// Blocks and objects that were here.
    pub hits: u64,
    /// Those that had to be read from the store.
    pub misses: u64,
    /// Those that were here and damaged.
    pub damaged: u64,
    /// Those that had to go.
    pub removed: u64,
}

/// A cache in a folder. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Cache {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    folder: PathBuf,
    limit: u64,
    /// About how much is in the folder: what was there at the last look, and what we added since.
    bytes: AtomicU64,
    /// Objects whose content was checked by this process, and their sizes.
    checked: Mutex<HashMap<Key, u64>>,
    /// What is being read now, so that it is read once.
    busy: Mutex<HashMap<String, Arc<AsyncMutex<()>>>>,
    counts: [AtomicU64; 4],
}

impl Cache {
    /// Opens a cache for about `limit` bytes. Others may have it open, too.
    ///
    /// # Errors
    /// When the folder cannot be made or read.
    pub fn open(folder: &Path, limit: u64) -> Result<Cache> {
        make_folder(&folder.join("drafts"))?;
        make_folder(&folder.join("entries"))?;
        remove_abandoned(&folder.join("drafts"))?;
        let bytes = entries(folder)?.iter().map(|one| one.bytes).sum();
        let shared = Shared {
            folder: folder.to_owned(),
            limit,
            bytes: AtomicU64::new(bytes),
            checked: Mutex::default(),
            busy: Mutex::default(),
            counts: [const { AtomicU64::new(0) }; 4],
        };
        Ok(Cache { shared: Arc::new(shared) })
    }

    /// What it did since it was opened.
    pub fn counts(&self) -> CacheCounts {
        let [hits, misses, damaged, removed] =
            [0, 1, 2, 3].map(|which| self.shared.counts[which].load(Ordering::Relaxed));
        CacheCounts { hits, misses, damaged, removed }
    }

    fn add(&self, which: usize, count: u64) {
        self.shared.counts[which].fetch_add(count, Ordering::Relaxed);
    }

    fn entry(&self, key: &Key, ending: &str) -> PathBuf {
        let name = key.as_str().replace('/', "~");
        self.shared.folder.join("entries").join(format!("{name}{ending}"))
    }

    fn checked(&self) -> MutexGuard<'_, HashMap<Key, u64>> {
        self.shared.checked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One at a time for each name.
    fn turn(&self, name: &str) -> Arc<AsyncMutex<()>> {
        let mut busy = self.shared.busy.lock().unwrap_or_else(PoisonError::into_inner);
        // Those that nobody waits for are held by this table alone.
        busy.retain(|_, turn| Arc::strong_count(turn) > 1);
        Arc::clone(busy.entry(name.to_owned()).or_default())
    }

    /// The whole object as a file. An open file stays readable even when it has to go from the cache; the first
    /// time that a process asks for an object it is checked against its key, later its size.
    ///
    /// # Errors
    /// As [`Blobs::get_file`].
    pub async fn whole(&self, blobs: &Blobs, key: &Key) -> Result<File> {
        let turn = self.turn(key.as_str());
        let _turn = turn.lock().await;
        let path = self.entry(key, "+whole");
        if let Some(file) = self.look(key, &path).await? {
            self.add(0, 1);
            return Ok(file);
        }
        self.add(1, 1);
        // The unfinished file and its place are on one disk, in two folders.
        let fetched = self.shared.folder.join("drafts").join(format!(
            "{}-{:016x}",
            std::process::id(),
            chance()
        ));
        let bytes = blobs.get_file(key, &fetched).await?;
        let place = path.clone();
        let file = blocking(move || {
            // Opened first: it may have to go as soon as it is there.
            let file = File::open(&fetched).at(&fetched)?;
            fs::rename(&fetched, &place).at(&place)?;
            Ok(file)
        })
        .await?;
        self.checked().insert(key.clone(), bytes);
        self.added(bytes).await?;
        Ok(file)
    }

    /// The file that is there, if it is whole.
    async fn look(&self, key: &Key, path: &Path) -> Result<Option<File>> {
        let Ok(file) = File::open(path) else { return Ok(None) };
        let there = file.metadata().at(path)?.len();
        let size = self.checked().get(key).copied();
        let whole = match size {
            Some(size) => size == there,
            None => {
                let place = path.to_owned();
                match blocking(move || digest_of(&place)).await {
                    Ok((digest, _)) => key.fits(&digest),
                    // It had to go meanwhile.
                    Err(_) => return Ok(None),
                }
            }
        };
        if !whole {
            self.add(2, 1);
            drop(fs::remove_file(path));
            return Ok(None);
        }
        self.checked().insert(key.clone(), there);
        touch(&file);
        Ok(Some(file))
    }

    /// The bytes of a range, less if it ends behind the end, from blocks that are here and others that are read
    /// now.
    ///
    /// # Errors
    /// As [`Blobs::get_range`].
    pub async fn range(&self, blobs: &Blobs, key: &Key, range: Range<u64>) -> Result<Bytes> {
        if range.is_empty() {
            return Ok(Bytes::new());
        }
        let most = blobs.settings().max_whole;
        let bytes = range.end - range.start;
        if bytes > most {
            return Err(Error::TooLarge { key: key.clone(), bytes, most });
        }
        let mut all = BytesMut::new();
        let first = range.start / BLOCK;
        for number in first..range.end.div_ceil(BLOCK) {
            let block = match self.block(blobs, key, number).await {
                Ok(block) => block,
                // The range ends behind the end.
                Err(Error::OutOfRange { .. }) if number > first => break,
                Err(error) => return Err(error),
            };
            all.extend_from_slice(&block);
            if (block.len() as u64) < BLOCK {
                break;
            }
        }
        let skip = range.start - first * BLOCK;
        let end = (skip + bytes).min(all.len() as u64);
        if skip >= end {
            let bytes = first * BLOCK + all.len() as u64;
            return Err(Error::OutOfRange { key: key.clone(), bytes, start: range.start });
        }
        Ok(all.freeze().slice(skip as usize..end as usize))
    }

    async fn block(&self, blobs: &Blobs, key: &Key, number: u64) -> Result<Bytes> {
        let turn = self.turn(&format!("{key}+{number}"));
        let _turn = turn.lock().await;
        let path = self.entry(key, &format!("+{number}"));
        let place = path.clone();
        match blocking(move || Ok(read_block(&place))).await? {
            Some(Ok(block)) => {
                self.add(0, 1);
                return Ok(block);
            }
            Some(Err(())) => self.add(2, 1),
            None => {}
        }
        self.add(1, 1);
        let block = blobs.get_range(key, number * BLOCK..(number + 1) * BLOCK).await?;
        let (drafts, content) = (self.shared.folder.join("drafts"), block.clone());
        blocking(move || {
            let mut draft = Draft::new(&drafts)?;
            draft.write(&content)?;
            draft.write(Digest::of(&content).as_bytes())?;
            // Its digest tells whether it is whole.
            draft.put_down(&path)
        })
        .await?;
        self.added((block.len() + TRAILER) as u64).await?;
        Ok(block)
    }

    /// Makes room when there is too much.
    async fn added(&self, bytes: u64) -> Result<()> {
        let before = self.shared.bytes.fetch_add(bytes, Ordering::Relaxed);
        if before + bytes <= self.shared.limit {
            return Ok(());
        }
        let shared = Arc::clone(&self.shared);
        let removed = blocking(move || make_room(&shared.folder, shared.limit, &shared.bytes));
        self.add(3, removed.await?);
        Ok(())
    }
}

/// Says that a file was used now. Where that is not possible it goes sooner.
fn touch(file: &File) {
    drop(file.set_times(FileTimes::new().set_modified(SystemTime::now())));
}

/// A block from its file: nothing when there is none, and an error when it is damaged.
fn read_block(path: &Path) -> Option<std::result::Result<Bytes, ()>> {
    let mut content = fs::read(path).ok()?;
    let split = content.len().saturating_sub(TRAILER);
    let trailer = content.split_off(split);
    if trailer != Digest::of(&content).as_bytes() {
        drop(fs::remove_file(path));
        return Some(Err(()));
    }
    if let Ok(file) = File::options().append(true).open(path) {
        touch(&file);
    }
    Some(Ok(content.into()))
}

struct Entry {
    used: SystemTime,
    bytes: u64,
    path: PathBuf,
}

fn entries(folder: &Path) -> Result<Vec<Entry>> {
    let folder = folder.join("entries");
    let mut found = Vec::new();
    for entry in fs::read_dir(&folder).at(&folder)? {
        let path = entry.at(&folder)?.path();
        // Others remove files, too.
        let Ok(meta) = fs::metadata(&path) else { continue };
        let used = meta.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        found.push(Entry { used, bytes: meta.len(), path });
    }
    Ok(found)
}

/// Removes what was not used for longest, until it is less than the limit; one process at a time.
fn make_room(folder: &Path, limit: u64, counted: &AtomicU64) -> Result<u64> {
    let path = folder.join("lock");
    let lock = File::options().create(true).truncate(false).write(true).open(&path).at(&path)?;
    lock.lock().at(&path)?;
    let mut all = entries(folder)?;
    all.sort_by_key(|one| one.used);
    let mut bytes: u64 = all.iter().map(|one| one.bytes).sum();
    let mut removed = 0;
    if bytes > limit {
        for one in all {
            if bytes <= limit / 100 * KEPT {
                break;
            }
            if fs::remove_file(&one.path).is_ok() {
                removed += 1;
            }
            bytes -= one.bytes;
        }
    }
    counted.store(bytes, Ordering::Relaxed);
    Ok(removed)
}
