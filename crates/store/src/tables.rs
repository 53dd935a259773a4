//! Which tables in memory are full?
//!
//! The engine's worker puts a full table aside when it finds time for it. While it merges files for
//! minutes it finds none: tables, and the journal behind them, would grow with all that is written
//! meanwhile, and with every change it would be asked again, until its letterbox is full and it waits for
//! itself to empty it. So whoever writes puts full tables aside at once. When several wait to become files,
//! the engine holds up the next change; memory and journal are bounded however long a merge takes.
//!
//! A journal can go when all rows in it are in files. A table that fills slowly would keep it for long, and
//! every start reads it, so tables are also put aside when much was written since they were begun.

use crate::records::StoreError;
use fjall::{AbstractTree, Keyspace};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Bytes of changes of all keyspaces after which a table is put aside, however little is in it.
const SPAN: u64 = 24 << 20;

/// The tables of some keyspaces.
#[derive(Clone, Default)]
pub(crate) struct Tables {
    list: Vec<Table>,
    /// Bytes that were written to all tables of the journal.
    written: Arc<AtomicU64>,
}

#[derive(Clone)]
struct Table {
    keyspace: Keyspace,
    /// How large it may become.
    most: u64,
    /// How large it was when it was last looked at.
    before: Arc<AtomicU64>,
    /// What was written to all of them when it was begun.
    begun: Arc<AtomicU64>,
}

impl Tables {
    /// Other tables of the same journal.
    pub(crate) fn beside(&self) -> Tables {
        Tables { list: Vec::new(), written: Arc::clone(&self.written) }
    }

    /// Keeps an eye on the table of a keyspace, too.
    pub(crate) fn watch(&mut self, keyspace: &Keyspace, most_bytes: u64) {
        let (keyspace, before) = (keyspace.clone(), Arc::default());
        self.list.push(Table { keyspace, most: most_bytes, before, begun: Arc::default() });
    }

    /// Puts the tables aside that are full or were begun long ago. To be called after every change.
    pub(crate) fn put_full_aside(&self) -> Result<(), StoreError> {
        let mut written = self.written.load(Relaxed);
        for Table { keyspace, most, before, begun } in &self.list {
            let size = bytes_of(keyspace);
            let known = before.swap(size, Relaxed);
            // A smaller one is another one: the engine has put the one before aside.
            let begins = known == 0 || size < known;
            let grown = if begins { size } else { size - known };
            if begins {
                begun.store(written, Relaxed);
            }
            written = self.written.fetch_add(grown, Relaxed) + grown;
            let old = written.saturating_sub(begun.load(Relaxed)) > SPAN;
            if size > *most || (size > 0 && old) {
                keyspace.rotate_memtable().map_err(StoreError::write)?;
                before.store(0, Relaxed);
            }
        }
        Ok(())
    }
}

/// Bytes in the table that a keyspace is written to now.
fn bytes_of(keyspace: &Keyspace) -> u64 {
    keyspace.tree.active_memtable().size()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fjall::{Database, KeyspaceCreateOptions};

    #[test]
    fn a_full_table_is_put_aside_without_the_engine() {
        let dir = tempfile::tempdir().expect("temp dir");
        let db = Database::builder(dir.path()).open().expect("open");
        let (full, other) = ("full", "other");
        let [full, other] = [full, other]
            .map(|name| db.keyspace(name, KeyspaceCreateOptions::default).expect("new"));
        let mut tables = Tables::default();
        tables.watch(&full, 10_000);
        tables.watch(&other, 10_000);
        other.insert("row", "value").expect("write");
        for row in 0..100_u32 {
            full.insert(row.to_be_bytes(), [7; 1_000]).expect("write");
            // The engine itself would let it grow to 64 MiB.
            tables.put_full_aside().expect("put aside");
            assert!(bytes_of(&full) <= 10_000);
        }
        for row in 0..100_u32 {
            assert!(full.get(row.to_be_bytes()).expect("read").is_some(), "row {row}");
        }
        assert!(bytes_of(&other) > 0, "what was begun a moment ago stays");
        for row in 0..=SPAN / 1_000_000 {
            full.insert(row.to_be_bytes(), vec![7; 1_000_000]).expect("write");
            tables.put_full_aside().expect("put aside");
        }
        assert_eq!(bytes_of(&other), 0, "and goes when much was written");
        assert!(other.get("row").expect("read").is_some());
    }
}
