mod crash;
mod damage;
mod model;
mod parts;

use super::{Bounds, Kind, Tally};
use crate::records::Records;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

/// So small that a few additions make a run.
const TINY: Bounds = Bounds { table: 8, hot: true };

/// A uniform fingerprint for each number (the finalizer of splitmix64).
fn fingerprint(number: u64) -> u64 {
    let mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

fn open(dir: &Path) -> (Records, Tally) {
    let records = Records::open(dir).expect("open the records");
    let tally = records.bounded_tally(Kind::Sieve, TINY).expect("open the tally");
    (records, tally)
}

/// Seals, commits and settles.
fn keep(records: &Records, tally: &mut Tally) {
    let mut change = records.change();
    tally.seal(&mut change).expect("seal");
    change.commit().expect("commit");
    tally.settle().expect("settle");
}

/// Waits until no thread is at work. What they made is taken over by the next seal.
fn rest(tally: &Tally) {
    let idle = |tally: &Tally| {
        tally.frozen.as_ref().is_none_or(|frozen| frozen.work.is_done())
            && tally.merging.as_ref().is_none_or(|merging| merging.work.is_done())
            && tally.sweeping.as_ref().is_none_or(super::Work::is_done)
    };
    while !idle(tally) {
        thread::yield_now();
    }
}

/// Adds the fingerprints of these numbers and keeps them, until all of them are in runs, deletes what
/// is superfluous, and nothing is left to do.
fn keep_in_runs(records: &Records, tally: &mut Tally, numbers: std::ops::Range<u64>) {
    for number in numbers {
        tally.add(fingerprint(number), 1);
        keep(records, tally);
    }
    for _ in 0..8 {
        rest(tally);
        keep(records, tally);
    }
}

fn run_files(dir: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(dir.join("sieve")).expect("list");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("file").path()).collect();
    files.sort();
    files
}

fn knows(tally: &mut Tally, numbers: std::ops::Range<u64>) -> usize {
    let wanted: Vec<u64> = numbers.map(fingerprint).collect();
    let mut known = Vec::new();
    tally.has_all(&wanted, &mut known).expect("look");
    known.into_iter().filter(|known| *known).count()
}

#[test]
fn what_was_added_is_known_and_counted() {
    let dir = tempfile::tempdir().expect("temp dir");
    let (_records, mut tally) = open(dir.path());
    assert!(tally.is_empty());
    assert!(!tally.has(0).expect("look"));
    tally.add(0, 2);
    tally.add(0, 3);
    tally.add(7, -1);
    tally.add(7, 1);
    assert!(tally.has(0).expect("look"));
    assert!(tally.has(7).expect("look"), "a sum of zero is known all the same");
    assert_eq!(tally.total(0).expect("look"), 5);
    assert_eq!(tally.total(7).expect("look"), 0);
    assert_eq!(tally.len(), 2);
}

#[test]
fn a_full_table_becomes_a_run_and_its_rows_leave_the_tail() {
    let dir = tempfile::tempdir().expect("temp dir");
    let (records, mut tally) = open(dir.path());
    keep_in_runs(&records, &mut tally, 0..8);
    assert_eq!(tally.runs.len(), 1);
    assert!(tally.table.is_empty());
    assert_eq!(records.tail(Kind::Sieve, 0).count(), 0);
    assert_eq!(tally.len(), 8);
    let length = fs::metadata(&run_files(dir.path())[0]).expect("run").len();
    assert_eq!(tally.disk_bytes(), length);
    assert_eq!(knows(&mut tally, 0..9), 8);
}

#[test]
fn runs_are_merged_and_their_files_deleted() {
    let dir = tempfile::tempdir().expect("temp dir");
    let (records, mut tally) = open(dir.path());
    keep_in_runs(&records, &mut tally, 0..2_000);
    assert!(tally.runs.len() <= 8, "{} runs", tally.runs.len());
    assert_eq!(run_files(dir.path()).len(), tally.runs.len());
    assert_eq!(knows(&mut tally, 0..3_000), 2_000);
    assert_eq!(tally.len(), 2_000);
    assert_eq!(tally.total(fingerprint(77)).expect("look"), 1);
}

#[test]
fn sums_of_several_runs_add_up_and_stop_at_the_ends() {
    let dir = tempfile::tempdir().expect("temp dir");
    let (records, mut tally) = open(dir.path());
    for _ in 0..3 {
        tally.add(1, i32::MAX);
        tally.add(2, 5);
        keep_in_runs(&records, &mut tally, 0..8);
    }
    assert_eq!(tally.total(1).expect("look"), i32::MAX);
    assert_eq!(tally.total(2).expect("look"), 15);
    assert_eq!(tally.total(fingerprint(3)).expect("look"), 3);
    assert_eq!(tally.total(3).expect("look"), 0);
}

#[test]
fn two_tallies_of_one_store_do_not_meet() {
    let dir = tempfile::tempdir().expect("temp dir");
    let (records, mut sieve) = open(dir.path());
    let mut inlinks = records.bounded_tally(Kind::Inlinks, TINY).expect("open");
    keep_in_runs(&records, &mut sieve, 0..20);
    keep_in_runs(&records, &mut inlinks, 20..40);
    drop((records, sieve, inlinks));
    let (records, mut sieve) = open(dir.path());
    let mut inlinks = records.tally(Kind::Inlinks).expect("open");
    assert_eq!((knows(&mut sieve, 0..20), knows(&mut sieve, 20..40)), (20, 0));
    assert_eq!((knows(&mut inlinks, 0..20), knows(&mut inlinks, 20..40)), (0, 20));
}

#[test]
fn a_cleared_tally_is_empty_and_has_no_files() {
    let dir = tempfile::tempdir().expect("temp dir");
    let (records, mut tally) = open(dir.path());
    keep_in_runs(&records, &mut tally, 0..100);
    (100..110).for_each(|number| tally.add(fingerprint(number), 1));
    keep(&records, &mut tally);
    tally.add(fingerprint(110), 1);
    let mut change = records.change();
    tally.clear(&mut change);
    change.commit().expect("commit");
    tally.settle().expect("settle");
    rest(&tally);
    assert!(tally.is_empty());
    assert_eq!(knows(&mut tally, 0..111), 0);
    assert!(run_files(dir.path()).is_empty());
    keep_in_runs(&records, &mut tally, 200..220);
    drop((records, tally));
    let (_records, mut tally) = open(dir.path());
    assert_eq!((knows(&mut tally, 0..111), knows(&mut tally, 200..220)), (0, 20));
}
