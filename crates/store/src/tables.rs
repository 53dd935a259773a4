//! Which tables in memory are full?
//!
//! The engine's worker puts a full table aside when it finds time for it. While it merges files for
//! minutes it finds none: tables, and the journal behind them, would grow with all that is written
//! meanwhile, and with every change it would be asked again, until its letterbox is full and it waits for
//! itself to empty it. So whoever writes puts full tables aside at once. When several wait to become files,
//! the engine holds up the next change; memory and journal are bounded however long a merge takes.

use crate::records::StoreError;
use fjall::{AbstractTree, Keyspace};

/// The tables of some keyspaces, and how large each may become.
#[derive(Clone, Default)]
pub(crate) struct Tables {
    list: Vec<(Keyspace, u64)>,
}

impl Tables {
    /// Keeps an eye on the table of a keyspace, too.
    pub(crate) fn watch(&mut self, keyspace: &Keyspace, most_bytes: u64) {
        self.list.push((keyspace.clone(), most_bytes));
    }

    /// Puts the tables aside that are full. To be called after every change.
    pub(crate) fn put_full_aside(&self) -> Result<(), StoreError> {
        for (keyspace, most) in &self.list {
            if bytes_of(keyspace) > *most {
                keyspace.rotate_memtable().map_err(StoreError::write)?;
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
        assert!(bytes_of(&other) > 0, "what is not full stays");
        for row in 0..100_u32 {
            assert!(full.get(row.to_be_bytes()).expect("read").is_some(), "row {row}");
        }
    }
}
