//! The parts: filter, fences, cache, the choice of what to merge.

use super::fingerprint;
use crate::tally::Kind;
use crate::tally::format::Entry;
use crate::tally::hot::Hot;
use crate::tally::merge::{Merge, choose};
use crate::tally::run::{Page, Run};
use crate::tally::writer::RunWriter;
use lycosa_frontier::maybe::MaybeSet;
use proptest::prelude::*;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn write(dir: &Path, number: u64, entries: &[Entry]) -> Run {
    let go_on = AtomicBool::new(false);
    let room = entries.len() as u64;
    let kind = Kind::Sieve.id();
    let mut writer = RunWriter::create(dir, kind, number, room, &go_on).expect("create");
    entries.iter().for_each(|entry| writer.push(*entry).expect("push"));
    writer.finish().expect("finish")
}

#[test]
fn a_filter_turns_nearly_all_strangers_away_and_no_friend() {
    let mut filter = MaybeSet::with_room_for(100_000);
    (0..100_000).for_each(|number| filter.insert(fingerprint(number)));
    let bytes: Vec<u8> = filter.lines().flatten().collect();
    let read = MaybeSet::from_bytes(&bytes).expect("whole lines");
    assert!((0..100_000).all(|number| read.may_hold(fingerprint(number))));
    let passed = (100_000..200_000).filter(|number| read.may_hold(fingerprint(*number))).count();
    assert!(passed < 2_000, "{passed} of 100,000 strangers passed");
    assert!(MaybeSet::from_bytes(&bytes[1..]).is_none());
    assert!(MaybeSet::from_bytes(&[]).is_none());
}

#[test]
fn the_cache_keeps_the_newest_of_each_slot_and_never_invents() {
    let mut hot = Hot::new(true);
    assert_eq!(hot.memory_bytes(), 80 << 20);
    assert!(!hot.holds(0));
    hot.keep(0);
    assert!(!hot.holds(0), "zero is an empty slot");
    let (one, other, same_slot) = (7 << 24 | 5, 7 << 24 | 6, 8 << 24 | 5);
    hot.keep(one);
    assert!(hot.holds(one) && !hot.holds(other) && !hot.holds(same_slot));
    // Every bit tells two fingerprints apart.
    for bit in 0..64 {
        assert!(!hot.holds(one ^ 1 << bit), "bit {bit}");
    }
    hot.keep(same_slot);
    hot.keep(u64::MAX);
    assert!(hot.holds(same_slot) && !hot.holds(one) && hot.holds(u64::MAX));
    hot.clear();
    assert!(!hot.holds(same_slot));
    let mut none = Hot::new(false);
    none.keep(9);
    assert!(!none.holds(9));
}

#[test]
fn runs_double_in_size_and_stay_few() {
    assert_eq!(choose(&[]), None);
    assert_eq!(choose(&[7]), None);
    assert_eq!(choose(&[100, 49, 1]), None);
    assert_eq!(choose(&[100, 50, 50]), Some(0));
    assert_eq!(choose(&[100, 40, 20, 20]), Some(1));
    let mut counts: Vec<u64> = Vec::new();
    let mut written = 0;
    for _ in 0..128 {
        counts.push(1);
        if let Some(first) = choose(&counts) {
            let merged: u64 = counts.drain(first..).sum();
            written += merged;
            counts.push(merged);
        }
        assert!(counts.len() <= 8, "{counts:?}");
    }
    assert_eq!(counts.iter().sum::<u64>(), 128);
    assert!(written <= 128 * 7, "{written} entries written again");
}

#[test]
fn a_merge_sums_what_is_equal_and_tells_zeros() {
    let dir = tempfile::tempdir().expect("temp dir");
    let even: Vec<Entry> = (0..500).map(|n| (n * 2, 1)).collect();
    let threes: Vec<Entry> = (0..500).map(|n| (n * 3, -1)).collect();
    let runs = vec![Arc::new(write(dir.path(), 1, &even)), Arc::new(write(dir.path(), 2, &threes))];
    let mut merge = Merge::of(runs).expect("merge");
    let mut told = Vec::new();
    while let Some(entry) = merge.next().expect("next") {
        told.push(entry);
    }
    assert!(told.is_sorted_by(|a, b| a.0 < b.0));
    assert_eq!(told.len(), 500 + 500 - 167);
    assert_eq!(told[..5], [(0, 0), (2, 1), (3, -1), (4, 1), (6, 0)]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn a_run_finds_all_of_its_entries_and_no_other(
        keys in prop::collection::btree_set(
            prop_oneof![any::<u64>(), 0..5_000_u64, (0..5_000_u64).prop_map(|n| u64::MAX - n)],
            0..600,
        ),
        strangers in prop::collection::vec(any::<u64>(), 50),
    ) {
        let dir = tempfile::tempdir().expect("temp dir");
        let entries: Vec<Entry> = keys.iter().map(|key| (*key, *key as i32)).collect();
        let written = write(dir.path(), 3, &entries);
        let opened = Run::open(dir.path(), Kind::Sieve.id(), 3).expect("open");
        let mut page = Page::new();
        for run in [&written, &opened] {
            prop_assert_eq!(run.count(), keys.len() as u64);
            for key in &keys {
                prop_assert!(run.may_hold(*key));
                prop_assert_eq!(run.find(*key, &mut page).expect("find"), Some(*key as i32));
            }
            for near in keys.iter().flat_map(|key| [key.wrapping_add(1), key.wrapping_sub(1)]) {
                let found = run.find(near, &mut page).expect("find").is_some();
                prop_assert_eq!(found, keys.contains(&near));
            }
            for one in strangers.iter().chain(&[0, u64::MAX]) {
                let found = run.find(*one, &mut page).expect("find").is_some();
                prop_assert_eq!(found, keys.contains(one));
            }
        }
    }
}
