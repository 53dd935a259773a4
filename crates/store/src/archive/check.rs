//! Is this file what it says? Counts its records, verifies their digests, lists its faults.

use super::error::ArchiveError;
use super::http::dechunk;
use super::reader::{Entry, Fault, Limits, Reader};
use super::record::{Kind, Record};
use ring::digest::{Algorithm, SHA1_FOR_LEGACY_USE_ONLY, SHA256, SHA512, digest};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Faults that are listed; further ones are only counted.
pub const MAX_FAULTS: usize = 1000;
/// Types of records that are counted by name; further ones are counted together.
const MAX_KINDS: usize = 32;

/// What a file is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// The file as it was named.
    pub file: String,
    /// Records by type.
    pub records: BTreeMap<String, u64>,
    /// Digests that are right.
    pub digests_right: u64,
    /// Digests that are wrong; each is a fault, too.
    pub digests_wrong: u64,
    /// Digests in an algorithm or spelling that is not known, and those of revisits, whose payload
    /// stands elsewhere.
    pub digests_unchecked: u64,
    /// Number of faults.
    pub fault_count: u64,
    /// The first [`MAX_FAULTS`] of them, in order of the file.
    pub faults: Vec<Fault>,
}

impl Summary {
    /// Whether nothing is wrong.
    pub fn is_clean(&self) -> bool {
        self.fault_count == 0
    }

    fn add(&mut self, fault: Fault) {
        self.fault_count += 1;
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(fault);
        }
    }
}

/// What became of one digest.
enum Verdict {
    Right,
    Wrong,
    Unchecked,
}

/// Reads a whole file. An error means that it could not be read, or is no archive at all.
pub fn check(path: &Path) -> Result<Summary, ArchiveError> {
    let mut summary = Summary { file: path.display().to_string(), ..Summary::default() };
    for entry in Reader::open(path, Limits::default())? {
        match entry? {
            Entry::Fault(fault) => summary.add(fault),
            Entry::Record(record) => {
                look_at(&record, &mut summary);
                let mut name = record.kind.to_string();
                if summary.records.len() >= MAX_KINDS && !summary.records.contains_key(&name) {
                    name = "other".into();
                }
                *summary.records.entry(name).or_default() += 1;
            }
        }
    }
    Ok(summary)
}

fn look_at(record: &Record, summary: &mut Summary) {
    let fault = |what: String| Fault { offset: record.offset, what };
    if matches!(record.kind, Kind::Response | Kind::Revisit | Kind::Request)
        && record.target_uri.is_none()
    {
        summary.add(fault(format!("the {} names no address", record.kind)));
    }
    if record.date.is_none() {
        summary.add(fault(format!("the {} has no date", record.kind)));
    }
    for (field, payload) in [("WARC-Block-Digest", false), ("WARC-Payload-Digest", true)] {
        let Some(written) = record.headers.get(field) else {
            continue;
        };
        match verdict(record, written, payload) {
            Verdict::Right => summary.digests_right += 1,
            Verdict::Unchecked => summary.digests_unchecked += 1,
            Verdict::Wrong => {
                summary.digests_wrong += 1;
                summary.add(fault(format!(
                    "the {} of this {} is wrong",
                    field.trim_start_matches("WARC-").to_lowercase(),
                    record.kind
                )));
            }
        }
    }
}

fn verdict(record: &Record, written: &str, payload: bool) -> Verdict {
    // That a record is cut is a fault of its own.
    if record.cut || payload && matches!(record.kind, Kind::Revisit | Kind::Continuation) {
        return Verdict::Unchecked;
    }
    let segmented = record.headers.get("WARC-Segment-Number").is_some();
    if payload && segmented {
        return Verdict::Unchecked;
    }
    let bytes = if payload { record.payload() } else { &record.block };
    match matches(written, bytes) {
        // Some writers digest the payload before, some after the chunks are undone.
        Verdict::Wrong if payload => match dechunk(bytes) {
            Some(whole) => matches(written, &whole),
            None => Verdict::Wrong,
        },
        other => other,
    }
}

fn matches(written: &str, bytes: &[u8]) -> Verdict {
    let Some((name, value)) = written.split_once(':') else {
        return Verdict::Unchecked;
    };
    let algorithm: &Algorithm = match name.to_ascii_lowercase().as_str() {
        "sha1" | "sha-1" => &SHA1_FOR_LEGACY_USE_ONLY,
        "sha256" | "sha-256" => &SHA256,
        "sha512" | "sha-512" => &SHA512,
        _ => return Verdict::Unchecked,
    };
    let found = digest(algorithm, bytes);
    let (value, found) = (value.trim(), found.as_ref());
    let bare = value.trim_end_matches('=');
    // Which spelling it is follows from its length.
    let right = if value.len() == found.len() * 2 {
        data_encoding::HEXLOWER.encode(found) == value.to_ascii_lowercase()
    } else if bare.len() == (found.len() * 8).div_ceil(6) {
        [data_encoding::BASE64_NOPAD.encode(found), data_encoding::BASE64URL_NOPAD.encode(found)]
            .contains(&bare.to_owned())
    } else {
        data_encoding::BASE32_NOPAD.encode(found) == bare.to_ascii_uppercase()
    };
    if right { Verdict::Right } else { Verdict::Wrong }
}
