//! What is there after a kill at the worst moment?

use super::{fingerprint, keep, keep_in_runs, knows, open, rest, run_files};
use crate::records::Records;
use crate::tally::{Bounds, Kind, Tally};
use std::fs;

/// Twelve entries: eight in a run that is written but not taken over, four in the table.
fn with_a_written_run(records: &Records, tally: &mut Tally) {
    for number in 0..12 {
        tally.add(fingerprint(number), 1);
        keep(records, tally);
        if number == 7 {
            assert!(tally.frozen.is_some(), "the table is full");
        }
    }
}

#[test]
fn additions_that_were_not_committed_never_happened() {
    let dir = tempfile::tempdir().expect("temp dir");
    let (records, mut tally) = open(dir.path());
    (0..5).for_each(|number| tally.add(fingerprint(number), 1));
    keep(&records, &mut tally);
    (5..20).for_each(|number| tally.add(fingerprint(number), 1));
    let mut change = records.change();
    tally.seal(&mut change).expect("seal");
    drop(change);
    drop((records, tally));
    let (_records, mut tally) = open(dir.path());
    assert_eq!(knows(&mut tally, 0..20), 5);
}

#[test]
fn a_kill_between_the_run_and_its_commit_loses_and_doubles_nothing() {
    let dir = tempfile::tempdir().expect("temp dir");
    let (records, mut tally) = open(dir.path());
    (0..8).for_each(|number| tally.add(fingerprint(number), 1));
    let mut change = records.change();
    tally.seal(&mut change).expect("seal");
    change.commit().expect("commit");
    rest(&tally);
    assert_eq!(run_files(dir.path()).len(), 1, "the run is written and nobody knows of it");
    // The seal that would take it over is not committed.
    tally.seal(&mut records.change()).expect("seal");
    assert_eq!(tally.runs.len(), 1);
    drop((records, tally));
    let (_records, mut tally) = open(dir.path());
    assert!(run_files(dir.path()).is_empty(), "the run without a name is gone");
    assert_eq!(knows(&mut tally, 0..9), 8);
    assert_eq!(tally.total(fingerprint(3)).expect("look"), 1);
}

#[test]
fn a_kill_between_the_commit_and_the_deletion_leaves_files_that_go_at_the_next_start() {
    let dir = tempfile::tempdir().expect("temp dir");
    let (records, mut tally) = open(dir.path());
    let commit = |tally: &mut Tally| {
        let mut change = records.change();
        tally.seal(&mut change).expect("seal");
        change.commit().expect("commit");
    };
    for number in 0..16 {
        tally.add(fingerprint(number), 1);
        commit(&mut tally);
        rest(&tally);
    }
    for _ in 0..4 {
        rest(&tally);
        commit(&mut tally);
    }
    assert_eq!((tally.runs.len(), tally.doomed.len()), (1, 2), "two runs became one");
    assert_eq!(run_files(dir.path()).len(), 3);
    drop((records, tally));
    let (_records, mut tally) = open(dir.path());
    assert_eq!(run_files(dir.path()).len(), 1);
    assert_eq!(knows(&mut tally, 0..17), 16);
}

#[test]
fn a_kill_while_a_run_is_written_leaves_the_tail_to_start_from() {
    let dir = tempfile::tempdir().expect("temp dir");
    let (records, mut tally) = open(dir.path());
    with_a_written_run(&records, &mut tally);
    drop((records, tally));
    let (records, mut tally) = open(dir.path());
    assert_eq!(knows(&mut tally, 0..13), 12);
    keep_in_runs(&records, &mut tally, 12..20);
    assert_eq!(knows(&mut tally, 0..21), 20);
    assert_eq!(tally.total(fingerprint(0)).expect("look"), 1);
}

#[test]
fn rows_that_a_run_covers_do_not_count_although_they_are_removed_little_by_little() {
    let dir = tempfile::tempdir().expect("temp dir");
    let bounds = Bounds { table: 100, hot: false };
    let rows = |records: &Records| records.tail(Kind::Sieve, 0).count();
    {
        let records = Records::open(dir.path()).expect("open");
        let mut tally = records.bounded_tally(Kind::Sieve, bounds).expect("open");
        for number in 0..100 {
            tally.add(fingerprint(number), 1);
            keep(&records, &mut tally);
        }
        rest(&tally);
        assert_eq!((tally.runs.len(), rows(&records)), (0, 100));
        keep(&records, &mut tally);
        assert_eq!(tally.runs.len(), 1);
        assert!((1..100).contains(&rows(&records)));
    }
    let records = Records::open(dir.path()).expect("open");
    let mut tally = records.bounded_tally(Kind::Sieve, bounds).expect("open");
    assert!(tally.table.is_empty());
    assert_eq!(tally.total(fingerprint(99)).expect("look"), 1);
    (0..10).for_each(|_| keep(&records, &mut tally));
    assert_eq!(rows(&records), 0);
    assert_eq!(knows(&mut tally, 0..101), 100);
}

#[test]
fn files_of_others_are_left_alone_and_runs_without_a_name_are_removed() {
    let dir = tempfile::tempdir().expect("temp dir");
    let (records, mut tally) = open(dir.path());
    keep_in_runs(&records, &mut tally, 0..8);
    drop((records, tally));
    let folder = dir.path().join("sieve");
    for name in ["notes.txt", "1.run", "00000000ab.run", "0000000099.run"] {
        fs::write(folder.join(name), "half a run").expect("write");
    }
    let (_records, mut tally) = open(dir.path());
    assert_eq!(knows(&mut tally, 0..9), 8);
    assert_eq!(run_files(dir.path()).len(), 4);
    assert!(!folder.join("0000000099.run").exists());
}

#[test]
fn a_store_reopened_over_and_over_counts_each_addition_once() {
    let dir = tempfile::tempdir().expect("temp dir");
    for round in 0..12 {
        let (records, mut tally) = open(dir.path());
        (0..5).for_each(|number| tally.add(fingerprint(number), 1));
        tally.add(fingerprint(100 + round), 1);
        keep(&records, &mut tally);
        if round % 3 == 0 {
            rest(&tally);
            keep(&records, &mut tally);
        }
    }
    let (records, mut tally) = open(dir.path());
    assert_eq!(tally.total(fingerprint(4)).expect("look"), 12);
    assert_eq!(knows(&mut tally, 100..112), 12);
    let inlinks = records.tally(Kind::Inlinks).expect("open");
    assert!(inlinks.is_empty());
}
