use super::*;
use std::collections::HashMap;

/// A folder with one file of three pages, and the marks after each of them.
fn three_pages(finish: bool) -> (tempfile::TempDir, PathBuf, Vec<u64>) {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = writer(dir.path(), 1 << 30);
    let marks = [9, 2, 3].map(|n| {
        writer.append(&page(n)).unwrap();
        writer.marks()[0].end
    });
    if finish {
        writer.finish().unwrap();
    }
    let path = files(dir.path(), ".warc.gz")[0].clone();
    (dir, path, marks.to_vec())
}

fn urls(path: &Path) -> Vec<String> {
    let (records, faults) = records(path);
    assert_eq!(faults, []);
    let responses = records.into_iter().filter(|record| record.kind == Kind::Response);
    responses.filter_map(|record| record.target_uri).collect()
}

fn indexed(path: &Path) -> Vec<IndexEntry> {
    let index = path.to_string_lossy().replace(".warc.gz", ".cdxj");
    let text = std::fs::read_to_string(index).unwrap();
    assert!(text.lines().is_sorted());
    text.lines().map(|line| IndexEntry::parse(line).unwrap()).collect()
}

#[test]
fn what_lies_behind_the_mark_is_cut_wherever_the_process_was_killed() {
    let (dir, path, marks) = three_pages(false);
    let whole = std::fs::read(&path).unwrap();
    let index = std::fs::read(path.to_string_lossy().replace(".warc.gz", ".cdxj")).unwrap();
    // Two pages are acknowledged; the third may have got any number of bytes far.
    let (mark, first) = (marks[1] as usize, usize::try_from(marks[0]).unwrap());
    for length in (mark..=whole.len()).step_by(37) {
        std::fs::write(&path, &whole[..length]).unwrap();
        // The index may be whole, torn anywhere, or behind.
        let index_length = (length * 7919) % (index.len() + 1);
        let beside = path.to_string_lossy().replace(".warc.gz", ".cdxj");
        std::fs::write(&beside, &index[..index_length]).unwrap();
        let done = recover(dir.path(), &|_| Some(mark as u64)).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), &whole[..mark]);
        assert_eq!(urls(&path), ["http://example.org/9", "http://example.org/2"]);
        let entries = indexed(&path);
        assert_eq!(entries.len(), 2, "killed at {length}, index at {index_length}");
        assert_eq!(entries[0].offset as usize, first);
        assert_eq!(done.len(), 1);
        let again = recover(dir.path(), &|_| Some(mark as u64)).unwrap();
        assert_eq!(again[0].action, Action::Whole);
        assert!(!again[0].reindexed);
    }
}

#[test]
fn a_file_without_a_mark_is_removed_with_its_index() {
    let (dir, path, marks) = three_pages(false);
    let done = recover(dir.path(), &|_| None).unwrap();
    assert_eq!(done[0].action, Action::Removed { from: marks[2] });
    assert!(!path.exists());
    assert!(files(dir.path(), "").is_empty());
}

#[test]
fn a_file_of_another_maker_is_left_alone() {
    let (dir, path, _) = three_pages(true);
    for name in ["mine.warc.gz", "bot-2026-00000.warc.gz", "notes.txt"] {
        std::fs::copy(&path, dir.path().join(name)).unwrap();
    }
    assert_eq!(recover(dir.path(), &|_| None).unwrap().len(), 1);
    assert_eq!(files(dir.path(), ".warc.gz").len(), 2);
}

#[test]
fn a_finished_file_is_left_as_it_is() {
    let (dir, path, marks) = three_pages(true);
    let before = std::fs::read(&path).unwrap();
    let done = recover(dir.path(), &|_| Some(marks[2])).unwrap();
    assert_eq!(done[0].action, Action::Whole);
    assert!(!done[0].reindexed);
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_file_shorter_than_its_mark_is_cut_to_its_last_whole_member_and_told() {
    let (dir, path, marks) = three_pages(false);
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..marks[2] as usize - 5]).unwrap();
    let done = recover(dir.path(), &|_| Some(marks[2])).unwrap();
    let Action::Short { mark, to } = done[0].action else {
        panic!("{done:?}");
    };
    assert_eq!(mark, marks[2]);
    // The third response is whole, only the request behind it was torn.
    assert!(to > marks[1] && to < marks[2]);
    assert_eq!(urls(&path).len(), 3);
    assert_eq!(indexed(&path).len(), 3);
}

#[test]
fn a_missing_index_is_made_anew_like_the_one_that_was_written() {
    let (dir, path, marks) = three_pages(true);
    let before = indexed(&path);
    std::fs::remove_file(path.to_string_lossy().replace(".warc.gz", ".cdxj")).unwrap();
    let done = recover(dir.path(), &|_| Some(marks[2])).unwrap();
    assert!(done[0].reindexed);
    assert_eq!(indexed(&path), before);
}

#[test]
fn a_folder_that_is_not_there_has_nothing_to_recover() {
    let dir = tempfile::tempdir().unwrap();
    assert!(recover(&dir.path().join("none"), &|_| None).unwrap().is_empty());
}

#[test]
fn kills_at_many_moments_lose_nothing_acknowledged_and_keep_nothing_twice() {
    let dir = tempfile::tempdir().unwrap();
    let mut acknowledged: HashMap<String, u64> = HashMap::new();
    let mut done: Vec<u8> = Vec::new();
    let mut round = 0u64;
    while done.len() < 30 {
        round += 1;
        let mut writer = writer(dir.path(), 1500);
        let mut torn = Vec::new();
        let left: Vec<u8> = (0..30).filter(|n| !done.contains(n)).collect();
        for (written, n) in left.into_iter().enumerate() {
            writer.append(&page(n)).unwrap();
            // Killed after some appends, before the last of them was acknowledged.
            if written as u64 == round % 4 {
                torn = writer.marks();
                break;
            }
            for mark in writer.marks() {
                acknowledged.insert(mark.file, mark.end);
            }
            done.push(n);
        }
        drop(writer);
        if let Some(last) = torn.last() {
            let path = dir.path().join(&last.file);
            let from = acknowledged.get(&last.file).copied().unwrap_or(0);
            let length = from + (round * 131) % (last.end - from + 1);
            let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
            file.set_len(length).unwrap();
        }
        recover(dir.path(), &|name| acknowledged.get(name).copied()).unwrap();
        let mut found: Vec<String> = files(dir.path(), ".warc.gz")
            .iter()
            .flat_map(|path| {
                assert_eq!(indexed(path).len(), urls(path).len());
                urls(path)
            })
            .collect();
        found.sort();
        let mut expected: Vec<String> =
            done.iter().map(|n| format!("http://example.org/{n}")).collect();
        expected.sort();
        assert_eq!(found, expected, "round {round}");
    }
}

#[test]
fn a_writer_can_take_out_what_was_not_acknowledged() {
    let dir = tempfile::tempdir().unwrap();
    // Rotates after every page or two.
    let mut writer = writer(dir.path(), 1200);
    for n in 1..=3 {
        writer.append(&page(n)).unwrap();
        let marks = writer.marks();
        writer.acknowledged(&marks);
    }
    // The broker stored this one, but its answer was lost.
    writer.append(&page(4)).unwrap();
    let stored = writer.marks();
    for n in 5..=8 {
        writer.append(&page(n)).unwrap();
    }
    writer.rewind(&stored).unwrap();
    assert!(writer.marks().is_empty());
    writer.append(&page(5)).unwrap();
    writer.finish().unwrap();
    let found: Vec<String> = files(dir.path(), ".warc.gz")
        .iter()
        .flat_map(|path| {
            assert_eq!(indexed(path).len(), urls(path).len());
            urls(path)
        })
        .collect();
    assert_eq!(found, [1, 2, 3, 4, 5].map(|n| format!("http://example.org/{n}")));
}
