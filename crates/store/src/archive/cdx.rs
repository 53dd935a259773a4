//! Where in a file is the capture of an address? CDXJ: one line per response or revisit record, sorted
//! by address when the file is finished.

use super::date::{parse_date, timestamp14};
use super::error::ArchiveError;
use lycosa_model::Tick;
use std::fs;
use std::path::{Path, PathBuf};

/// The sort key of an address: `org,example)/path?query`.
pub fn surt(url: &str) -> String {
    // Whatever was asked, a key is one word, or its line could not be read back.
    super::encode::clean_uri(&lycosa_frontier::surt(url))
}

/// One line of a CDXJ file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// Sort key of the address.
    pub surt: String,
    /// When it was fetched; the line keeps whole seconds.
    pub fetched: Tick,
    /// The address.
    pub url: String,
    /// Media type, `warc/revisit` for a revisit, `unk` when the site did not say.
    pub mime: String,
    /// HTTP status.
    pub status: u16,
    /// SHA-1 of the payload in base 32, without `sha1:`; may be empty for a revisit.
    pub digest: String,
    /// Length of the record's gzip member.
    pub length: u64,
    /// Offset of the record's gzip member.
    pub offset: u64,
}

impl IndexEntry {
    /// The line, with its line end, for a record of `file`.
    pub fn line(&self, file: &str) -> String {
        let json = serde_json::json!({
            "url": self.url,
            "mime": self.mime,
            "status": self.status.to_string(),
            "digest": self.digest,
            "length": self.length.to_string(),
            "offset": self.offset.to_string(),
            "filename": file,
        });
        format!("{} {} {json}\n", self.surt, timestamp14(self.fetched))
    }

    /// Reads a line back; `None` when it is torn or foreign.
    pub fn parse(line: &str) -> Option<IndexEntry> {
        let (surt, rest) = line.trim_end().split_once(' ')?;
        let (stamp, json) = rest.split_once(' ')?;
        let json: serde_json::Value = serde_json::from_str(json).ok()?;
        let text = |name: &str| json.get(name)?.as_str();
        Some(IndexEntry {
            surt: surt.to_owned(),
            fetched: parse_date(stamp)?,
            url: text("url")?.to_owned(),
            mime: text("mime")?.to_owned(),
            status: text("status")?.parse().ok()?,
            digest: text("digest")?.to_owned(),
            length: text("length")?.parse().ok()?,
            offset: text("offset")?.parse().ok()?,
        })
    }
}

/// The CDXJ beside a WARC file: `x.warc.gz` has `x.cdxj`.
pub(super) fn path_beside(warc: &Path) -> PathBuf {
    let name = warc.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(".warc.gz").unwrap_or(&name);
    warc.with_file_name(format!("{stem}.cdxj"))
}

/// Every line of a CDXJ file; `None` when it is missing, unreadable or has a line that is torn, in which
/// case it has to be made anew from the archive.
pub(super) fn read(path: &Path) -> Option<Vec<IndexEntry>> {
    let text = fs::read_to_string(path).ok()?;
    if !text.is_empty() && !text.ends_with('\n') {
        return None;
    }
    text.lines().map(IndexEntry::parse).collect()
}

/// Writes a whole CDXJ file in its sorted order. The old one stands until the new one is complete.
pub(super) fn write_sorted(
    path: &Path,
    file: &str,
    entries: &[IndexEntry],
) -> Result<(), ArchiveError> {
    let mut lines: Vec<String> = entries.iter().map(|entry| entry.line(file)).collect();
    lines.sort_unstable();
    let fresh = path.with_extension("cdxj.new");
    fs::write(&fresh, lines.concat()).map_err(ArchiveError::io("write", &fresh))?;
    fs::rename(&fresh, path).map_err(ArchiveError::io("replace", path))
}
