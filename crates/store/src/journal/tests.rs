use super::*;
use crate::records::{Line, Records};
use lycosa_model::Site;

/// A site and the number of its row.
fn site(number: u32) -> Site {
    let url = format!("http://{number}.test/");
    Site::of(&url::Url::parse(&url).expect("url")).expect("site")
}

fn write(records: &Records, numbers: std::ops::Range<u32>, waiting: u64) {
    for some in numbers.collect::<Vec<_>>().chunks(1_000) {
        let mut change = records.change();
        for number in some {
            let line = Line { number: *number, waiting, ..Line::default() };
            change.put_line(&site(*number), &line);
        }
        change.commit().expect("written");
    }
}

/// Texts that make the journal long, though it is compressed.
fn lengthen(records: &Records) {
    let mut state = 1_u64;
    let mut text = || {
        let letters = (0..TEXT).map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            char::from(b' ' + (state >> 58) as u8)
        });
        letters.collect::<String>()
    };
    let mut change = records.change();
    for number in 0..TEXTS {
        change.put_robots(&site(number), &text());
    }
    change.commit().expect("written");
}

const TEXT: usize = 500_000;
const TEXTS: u32 = 50;

fn waiting(records: &Records, number: u32) -> u64 {
    records.line(&site(number)).expect("read").expect("there").waiting
}

fn length(dir: &Path) -> u64 {
    end_of(dir).expect("read").expect("a journal").1
}

#[test]
fn a_long_journal_is_not_read_again_after_an_orderly_end() {
    let dir = tempfile::tempdir().expect("temp dir");
    let records = Records::open(dir.path()).expect("open");
    write(&records, 0..1_000, 1);
    lengthen(&records);
    records.put_away().expect("put away");
    assert!(length(dir.path()) > WORTH_IT);
    drop(records);
    let records = Records::open(dir.path()).expect("reopen");
    assert_eq!(length(dir.path()), 0);
    assert!(!dir.path().join(NOTE).exists());
    assert_eq!(waiting(&records, 999), 1);
    assert_eq!(records.robots(&site(0)).expect("read").map(|text| text.len()), Some(TEXT));
    // What is written now is newer than what is in the files, also after another start.
    write(&records, 0..10, 2);
    assert_eq!((waiting(&records, 9), waiting(&records, 10)), (2, 1));
    drop(records);
    let records = Records::open(dir.path()).expect("reopen");
    assert_eq!((waiting(&records, 9), waiting(&records, 10)), (2, 1));
}

#[test]
fn what_is_written_after_the_note_is_kept() {
    let dir = tempfile::tempdir().expect("temp dir");
    let records = Records::open(dir.path()).expect("open");
    write(&records, 0..1_000, 1);
    lengthen(&records);
    records.put_away().expect("put away");
    write(&records, 5..6, 7);
    drop(records);
    let records = Records::open(dir.path()).expect("reopen");
    assert!(length(dir.path()) > WORTH_IT, "the journal is read again");
    assert_eq!((waiting(&records, 5), waiting(&records, 6)), (7, 1));
    assert!(!dir.path().join(NOTE).exists(), "a note is good for one start");
}

#[test]
fn a_short_journal_is_left_alone() {
    let dir = tempfile::tempdir().expect("temp dir");
    let records = Records::open(dir.path()).expect("open");
    write(&records, 0..1_000, 1);
    records.put_away().expect("put away");
    assert!(!dir.path().join(NOTE).exists());
    drop(records);
    assert_eq!(waiting(&Records::open(dir.path()).expect("reopen"), 999), 1);
}

#[test]
fn a_journal_that_is_in_use_is_not_emptied() {
    let dir = tempfile::tempdir().expect("temp dir");
    let records = Records::open(dir.path()).expect("open");
    lengthen(&records);
    records.put_away().expect("put away");
    let before = length(dir.path());
    empty_if_done(dir.path()).expect("looked");
    assert_eq!(length(dir.path()), before);
    drop(records);
    empty_if_done(dir.path()).expect("emptied");
    assert_eq!(length(dir.path()), 0);
}

#[test]
fn a_note_that_is_rubbish_does_nothing() {
    let dir = tempfile::tempdir().expect("temp dir");
    let records = Records::open(dir.path()).expect("open");
    write(&records, 0..10, 1);
    drop(records);
    std::fs::write(dir.path().join(NOTE), "0.jnl 1").expect("write");
    assert_eq!(waiting(&Records::open(dir.path()).expect("reopen"), 9), 1);
}
