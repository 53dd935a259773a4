//! What must a start read again?
//!
//! The engine writes every change to a journal first, and reads that again when it is opened. It begins a
//! new one only when the last has 64 MB, also when everything in it has long been in sorted files; to
//! read so much takes more than a second. So at an orderly end everything is put into sorted files, and a
//! note says up to where the journal is not needed any more. The next start empties it, if it still ends
//! where the note says: a change that came later is beyond that.

use crate::records::StoreError;
use fjall::{AbstractTree, Database, Keyspace, KeyspaceCreateOptions, PersistMode};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A journal of fewer bytes is read again in a moment.
const WORTH_IT: u64 = 16 << 20;

/// How long sorted files are waited for. A merge that is under way may take longer.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often is looked whether they are written.
const LOOK: Duration = Duration::from_millis(10);

/// Bytes of a block as file systems count them.
const BLOCK: u64 = 512;

/// Bytes that are looked at in one go for the end of a journal.
const CHUNK: u64 = 1 << 16;

/// The file in which the note is written.
const NOTE: &str = "journal-done";

/// The file that the engine holds a lock on.
const LOCK: &str = "lock";

/// Puts everything into sorted files and leaves a note of it, if the journal is long. Nobody may write
/// meanwhile; what is written all the same is in the journal behind what the note speaks of.
pub(crate) fn put_away(db: &Database, dir: &Path) -> Result<(), StoreError> {
    let disk = |error| StoreError::write_file(dir, error);
    if !is_long(dir).map_err(disk)? {
        return Ok(());
    }
    let names = db.list_keyspace_names();
    let all = names.iter().map(|name| db.keyspace(name, KeyspaceCreateOptions::default));
    let all: Vec<Keyspace> = all.collect::<Result<_, _>>().map_err(StoreError::write)?;
    for keyspace in &all {
        keyspace.rotate_memtable().map_err(StoreError::write)?;
    }
    let began = Instant::now();
    while all.iter().any(|keyspace| keyspace.tree.sealed_memtable_count() > 0) {
        if began.elapsed() > PATIENCE {
            return Ok(());
        }
        std::thread::sleep(LOOK);
    }
    let Some((journal, end)) = end_of(dir).map_err(disk)? else { return Ok(()) };
    // Changes hold the journal until they are in the tables in memory: after this, whatever stands
    // before that end is either there, where it is seen, or in a file.
    db.persist(PersistMode::SyncAll).map_err(StoreError::write)?;
    if all.iter().all(|keyspace| keyspace.tree.active_memtable().is_empty()) {
        write_note(dir, &journal, end).map_err(disk)?;
    }
    Ok(())
}

/// Empties the journal if a note says that all of it is in sorted files. To be called before the engine
/// is opened; does nothing when somebody has it open.
pub(crate) fn empty_if_done(dir: &Path) -> io::Result<()> {
    let note = dir.join(NOTE);
    let text = match fs::read_to_string(&note) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        text => text?,
    };
    let lock = OpenOptions::new().read(true).write(true).open(dir.join(LOCK))?;
    if lock.try_lock().is_err() {
        return Ok(());
    }
    if let Some((journal, end)) = end_of(dir)?
        && text == line_of(&journal, end)
    {
        let file = OpenOptions::new().write(true).open(dir.join(journal))?;
        file.set_len(0)?;
        file.sync_all()?;
    }
    fs::remove_file(note)
}

fn line_of(journal: &str, end: u64) -> String {
    format!("{journal} {end}\n")
}

fn write_note(dir: &Path, journal: &str, end: u64) -> io::Result<()> {
    let unfinished = dir.join(format!("{NOTE}.new"));
    let mut file = File::create(&unfinished)?;
    file.write_all(line_of(journal, end).as_bytes())?;
    file.sync_all()?;
    fs::rename(unfinished, dir.join(NOTE))
}

/// Whether so much is written in the journal that it is worth to spare the next start from it.
fn is_long(dir: &Path) -> io::Result<bool> {
    let Some((_, path)) = last_journal(dir)? else { return Ok(false) };
    // Room that was never written takes no blocks; where it does, its end has to be looked for.
    let blocks = fs::metadata(path)?.blocks() * BLOCK;
    Ok(blocks >= WORTH_IT && end_of(dir)?.is_some_and(|(_, end)| end >= WORTH_IT))
}

/// The journal that is written to, and where what is written in it ends: room is kept behind that, which
/// is all zero.
fn end_of(dir: &Path) -> io::Result<Option<(String, u64)>> {
    let Some((name, path)) = last_journal(dir)? else { return Ok(None) };
    let mut file = File::open(path)?;
    let mut end = file.seek(SeekFrom::End(0))?;
    let mut chunk = Vec::new();
    while end > 0 {
        let from = end.saturating_sub(CHUNK);
        file.seek(SeekFrom::Start(from))?;
        chunk.clear();
        Read::by_ref(&mut file).take(end - from).read_to_end(&mut chunk)?;
        if let Some(last) = chunk.iter().rposition(|byte| *byte != 0) {
            return Ok(Some((name, from + last as u64 + 1)));
        }
        end = from;
    }
    Ok(Some((name, 0)))
}

fn last_journal(dir: &Path) -> io::Result<Option<(String, PathBuf)>> {
    let mut last = None;
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        let number = path.extension().is_some_and(|ext| ext == "jnl").then(|| path.file_stem());
        let number = number.flatten().and_then(|stem| stem.to_str()?.parse::<u64>().ok());
        last = last.max(number.map(|number| (number, path)));
    }
    Ok(last.map(|(number, path)| (format!("{number}.jnl"), path)))
}

#[cfg(test)]
mod tests;
