//! Whatever is done to a tally, it answers like a map in memory.

use super::{fingerprint, rest};
use crate::records::Records;
use crate::tally::Tally;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::collections::HashMap;
use std::fs;
use std::path::Path;

#[derive(Clone, Debug)]
enum Step {
    /// Some additions.
    Add(Vec<(u64, i32)>),
    /// Seal, commit, settle.
    Keep,
    /// Seal and commit, without settling.
    KeepUnsettled,
    /// Let the threads finish.
    Rest,
    /// A kill, and a new start.
    Kill,
    /// A kill between seal and commit, and a new start.
    KillUncommitted,
    /// A new run of the crawl.
    Clear,
    /// A file that is not ours, and half a run.
    Litter(u64),
    /// Look at some of them.
    Look(Vec<u64>),
}

/// Few enough to meet again; the ends of the range, and values that are anything but uniform.
fn fingerprints() -> impl Strategy<Value = u64> {
    prop_oneof![
        8 => (0..300_u64).prop_map(fingerprint),
        1 => 0..20_u64,
        1 => Just(u64::MAX),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let additions = prop::collection::vec((fingerprints(), -2..4_i32), 1..40);
    let step = prop_oneof![
        12 => additions.prop_map(Step::Add),
        12 => Just(Step::Keep),
        4 => Just(Step::KeepUnsettled),
        8 => Just(Step::Rest),
        2 => Just(Step::Kill),
        2 => Just(Step::KillUncommitted),
        1 => Just(Step::Clear),
        1 => (1..60_u64).prop_map(Step::Litter),
        6 => prop::collection::vec(fingerprints(), 0..60).prop_map(Step::Look),
    ];
    prop::collection::vec(step, 1..80)
}

type Model = HashMap<u64, i32>;

fn check(tally: &mut Tally, model: &Model, wanted: &[u64]) {
    let mut known = Vec::new();
    tally.has_all(wanted, &mut known).expect("look");
    let expected: Vec<bool> = wanted.iter().map(|one| model.contains_key(one)).collect();
    assert_eq!(known, expected);
    for one in wanted {
        assert_eq!(tally.has(*one).expect("look"), model.contains_key(one));
        assert_eq!(tally.total(*one).expect("look"), model.get(one).copied().unwrap_or_default());
    }
}

/// Does all steps, beginning with an empty tally, and compares at the end and after a new start.
fn follow(dir: &Path, steps: Vec<Step>) {
    let mut model = Model::new();
    let mut committed = Model::new();
    let (mut records, mut tally) = super::open(dir);
    clear(&records, &mut tally);
    for step in steps {
        match step {
            Step::Add(additions) => {
                for (one, n) in additions {
                    tally.add(one, n);
                    *model.entry(one).or_default() += n;
                }
            }
            Step::Keep | Step::KeepUnsettled => {
                let mut change = records.change();
                tally.seal(&mut change).expect("seal");
                change.commit().expect("commit");
                committed.clone_from(&model);
                if matches!(step, Step::Keep) {
                    tally.settle().expect("settle");
                }
            }
            Step::Rest => rest(&tally),
            Step::Kill | Step::KillUncommitted => {
                if matches!(step, Step::KillUncommitted) {
                    tally.seal(&mut records.change()).expect("seal");
                }
                drop((records, tally));
                (records, tally) = super::open(dir);
                model.clone_from(&committed);
            }
            Step::Clear => {
                clear(&records, &mut tally);
                model.clear();
                committed.clear();
            }
            Step::Litter(number) => {
                let folder = dir.join("sieve");
                fs::write(folder.join("notes.txt"), "not ours").expect("litter");
                let torn = folder.join(format!("{:010}.run", 1_000_000 + number));
                fs::write(torn, vec![7; number as usize]).expect("litter");
            }
            Step::Look(wanted) => check(&mut tally, &model, &wanted),
        }
    }
    let all: Vec<u64> = (0..320).map(fingerprint).chain(0..25).chain([u64::MAX]).collect();
    check(&mut tally, &model, &all);
    drop((records, tally));
    let (_records, mut tally) = super::open(dir);
    check(&mut tally, &committed, &all);
}

fn clear(records: &Records, tally: &mut Tally) {
    let mut change = records.change();
    tally.clear(&mut change);
    change.commit().expect("commit");
}

#[test]
fn a_tally_answers_like_a_map() {
    // One store for all cases: making a new one is slower than all the rest.
    let dir = tempfile::tempdir().expect("temp dir");
    let mut runner = TestRunner::new(ProptestConfig::with_cases(24));
    let result = runner.run(&steps(), |steps| {
        follow(dir.path(), steps);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}
