//! What did a crawl leave behind? Its archive, its index and its trace, read without its own code where
//! that is possible.

use super::{run, text};
use lycosa_lab::synthetic::Facts;
use lycosa_store::archive::{self, Entry, IndexEntry, Kind, Limits, Reader, Record};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The trace of a crawl.
pub struct Trace(pub Vec<Value>);

impl Trace {
    /// Reads a trace file.
    #[track_caller]
    pub fn read(path: &Path) -> Trace {
        let text = std::fs::read_to_string(path).expect("a trace");
        let lines = text.lines();
        Trace(lines.map(|line| serde_json::from_str(line).expect("a JSON line")).collect())
    }

    /// Addresses of the attempts with this outcome, in order.
    pub fn urls(&self, outcome: &str) -> Vec<&str> {
        let rows = self.0.iter().filter(|row| row["outcome"] == outcome);
        rows.map(|row| row["url"].as_str().expect("a url")).collect()
    }
}

/// Whole lines in a file so far; 0 when there is none yet.
pub fn lines_in(path: &Path) -> usize {
    let bytes = std::fs::read(path).unwrap_or_default();
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

/// What stands in the archive of a data folder.
#[derive(Debug, Default)]
pub struct Archived {
    /// Records with a successful page by address; robots.txt is no page.
    pub pages: BTreeMap<String, usize>,
    /// Revisit records by address.
    pub revisits: BTreeMap<String, usize>,
    /// Blocks of the request records.
    pub requests: Vec<String>,
}

/// The archive files of a data folder, by name.
pub fn archive_files(data: &Path, ending: &str) -> Vec<PathBuf> {
    let listing = std::fs::read_dir(data.join("archive")).expect("an archive");
    let mut files: Vec<PathBuf> = listing.map(|file| file.expect("readable").path()).collect();
    files.retain(|path| text(path).ends_with(ending));
    files.sort();
    files
}

/// Reads the whole archive of a data folder, which must have no fault.
#[track_caller]
pub fn archived(data: &Path) -> Archived {
    let mut archived = Archived::default();
    for path in archive_files(data, ".warc.gz") {
        for entry in Reader::open(&path, Limits::default()).expect("an archive") {
            match entry.expect("readable") {
                Entry::Record(record) => archived.add(&record),
                Entry::Fault(fault) => {
                    panic!("{} at {}: {}", text(&path), fault.offset, fault.what)
                }
            }
        }
    }
    archived
}

impl Archived {
    fn add(&mut self, record: &Record) {
        let url = record.target_uri.clone().unwrap_or_default();
        match record.kind {
            Kind::Response => {
                let page = record.http_status().is_some_and(|status| (200..300).contains(&status));
                if page && !url.ends_with("/robots.txt") {
                    *self.pages.entry(url).or_default() += 1;
                }
            }
            Kind::Revisit => *self.revisits.entry(url).or_default() += 1,
            Kind::Request => {
                self.requests.push(String::from_utf8_lossy(&record.block).into_owned());
            }
            _ => {}
        }
    }
}

/// Asserts that every CDXJ of a data folder is sorted and that each of its lines points at its record.
/// Tells how many lines there are.
#[track_caller]
pub fn check_cdxj(data: &Path) -> usize {
    let mut count = 0;
    for warc in archive_files(data, ".warc.gz") {
        let cdxj = text(&warc).replace(".warc.gz", ".cdxj");
        let lines = std::fs::read_to_string(&cdxj).expect("an index beside each archive");
        let lines: Vec<&str> = lines.lines().collect();
        assert!(lines.is_sorted(), "{cdxj} is sorted");
        for line in &lines {
            let entry = IndexEntry::parse(line).expect("a line of an index");
            let record = archive::read_at(&warc, entry.offset).expect("a record at the offset");
            assert_eq!(record.target_uri.as_deref(), Some(entry.url.as_str()), "{line}");
            assert_eq!(record.length, entry.length, "{line}");
        }
        count += lines.len();
    }
    count
}

/// Asserts that the index has every page of a made-up web that may be in it, and nothing else. Of the two
/// that are nearly the same, one may stand for both.
#[track_caller]
pub fn check_indexed(data: &Path, facts: &Facts) {
    let indexed = exported("jsonl", data);
    let near: Vec<&String> =
        facts.near_duplicates.iter().flat_map(|(one, two)| [one, two]).collect();
    let wanted = facts.pages.iter().filter(|page| !facts.noindex.contains(page));
    let missing: Vec<&String> = wanted.filter(|page| !indexed.contains_key(*page)).collect();
    let is_fine = missing.len() <= 1 && missing.iter().all(|page| near.contains(page));
    assert!(is_fine, "not in the index: {missing:?}");
    assert_eq!(indexed.len() + missing.len(), facts.pages.len() - facts.noindex.len());
}

/// What `lycosa export` gives, as JSON lines by address; each address must be there once.
#[track_caller]
pub fn exported(what: &str, data: &Path) -> BTreeMap<String, Value> {
    let rows = run(["export", what, "--data", text(data)]).exits(0).json_lines();
    let count = rows.len();
    let by_url: BTreeMap<String, Value> =
        rows.into_iter().map(|row| (row["url"].as_str().expect("a url").to_owned(), row)).collect();
    assert_eq!(by_url.len(), count, "no address is exported twice");
    by_url
}
