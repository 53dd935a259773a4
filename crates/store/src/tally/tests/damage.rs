//! Is damage said, and never believed?

use super::{fingerprint, keep_in_runs, open, run_files};
use crate::records::{Records, StoreError};
use crate::tally::{Kind, Tally};
use std::fs;
use std::path::{Path, PathBuf};

/// Entries of the run that is damaged: several blocks.
const ENTRIES: u64 = 400;

/// A tally with one run; its file.
fn one_run(dir: &Path) -> PathBuf {
    let records = Records::open(dir).expect("open the records");
    let bounds = super::Bounds { table: ENTRIES as usize, hot: false };
    let mut tally = records.bounded_tally(Kind::Sieve, bounds).expect("open the tally");
    (0..ENTRIES - 1).for_each(|number| tally.add(fingerprint(number), 1));
    keep_in_runs(&records, &mut tally, ENTRIES - 1..ENTRIES);
    drop((records, tally));
    run_files(dir).pop().expect("one run")
}

fn reopen(dir: &Path) -> Result<Tally, StoreError> {
    Records::open(dir).expect("open the records").tally(Kind::Sieve)
}

#[test]
fn a_changed_byte_anywhere_in_a_run_is_noticed() {
    let dir = tempfile::tempdir().expect("temp dir");
    let file = one_run(dir.path());
    let whole = fs::read(&file).expect("read");
    let records = Records::open(dir.path()).expect("open the records");
    for at in (0..whole.len()).step_by(97).chain(whole.len() - 48..whole.len()) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x20;
        fs::write(&file, bytes).expect("damage");
        let asked = records.tally(Kind::Sieve).and_then(|mut tally| {
            let mut known = Vec::new();
            let wanted: Vec<u64> = (0..ENTRIES).map(fingerprint).collect();
            tally.has_all(&wanted, &mut known)
        });
        let error = asked.expect_err("byte {at} was changed");
        assert!(matches!(error, StoreError::Damaged { .. }), "byte {at}: {error}");
    }
}

#[test]
fn a_truncated_or_missing_run_is_an_error_with_its_name() {
    let dir = tempfile::tempdir().expect("temp dir");
    let file = one_run(dir.path());
    let whole = fs::read(&file).expect("read");
    for length in [0, 1, 47, 48, 1024, whole.len() - 48, whole.len() - 1] {
        fs::write(&file, &whole[..length]).expect("cut");
        let error = reopen(dir.path()).err().expect("refused");
        assert!(matches!(error, StoreError::Damaged { .. }), "{length} bytes: {error}");
        assert!(error.to_string().contains(".run"), "{error}");
    }
    fs::remove_file(&file).expect("remove");
    let error = reopen(dir.path()).err().expect("refused");
    assert!(error.to_string().contains(".run"), "{error}");
}

#[test]
fn a_run_under_the_name_of_another_is_refused() {
    let dir = tempfile::tempdir().expect("temp dir");
    let other = tempfile::tempdir().expect("temp dir");
    let file = one_run(dir.path());
    {
        let (records, mut tally) = open(other.path());
        keep_in_runs(&records, &mut tally, 0..30);
    }
    let foreign = run_files(other.path()).pop().expect("a run");
    assert_ne!(foreign.file_name(), file.file_name());
    fs::copy(foreign, &file).expect("swap");
    let error = reopen(dir.path()).err().expect("refused");
    assert!(error.to_string().contains("belongs elsewhere"), "{error}");
}

#[test]
fn a_torn_row_of_the_tail_is_an_error() {
    let dir = tempfile::tempdir().expect("temp dir");
    let (records, tally) = open(dir.path());
    let mut change = records.change();
    change.put_tail(Kind::Sieve, 0, vec![1; 11]);
    change.commit().expect("commit");
    drop((records, tally));
    assert!(matches!(reopen(dir.path()), Err(StoreError::CorruptKey { .. })));
}
