//! Where in the archive is it?

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One record of the archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArchivePlace {
    /// Name of the WARC file inside `archive/`.
    pub file: String,
    /// Where its gzip member begins.
    pub offset: u64,
    /// How long the gzip member is.
    pub length: u64,
}

/// How far a WARC file is acknowledged. What lies behind the mark was never acknowledged, and is cut
/// after a crash, so that a page which is fetched again does not stand in the archive twice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArchiveMark {
    /// Name of the WARC file inside `archive/`.
    pub file: String,
    /// Offset of the first byte that is not acknowledged.
    pub end: u64,
}

/// The name under which an index notes, beside its marks, how far it is in the broker's list of pages
/// that have left it. No file of an archive has this name.
pub const REMOVALS: &str = "removals";
