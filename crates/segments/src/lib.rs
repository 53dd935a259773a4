//! What is the index on disk? The folder `DIR/index`: its layout, its fields, how a document goes in and
//! how it comes out. The indexer writes it and query agents read it; both know it only through this crate.

mod address;
mod copies;
mod document;
mod error;
mod excerpt;
mod folder;
mod importance;
mod merging;
mod note;
mod outlinks;
mod schema;
mod sealed;
mod site;
mod standing;
mod tokens;
mod writer;

pub use copies::Copies;
pub use document::{StoredDocument, title_key};
pub use error::SegmentsError;
pub use folder::{INDEX_FOLDER, LAYOUT, LinkedPage, Segments, for_each_document};
pub use importance::Ranks;
pub use note::CommitNote;
pub use outlinks::Outlink;
pub use schema::{Fields, UNKNOWN_LANGUAGE};
pub use site::{site_above, site_filter, site_name};
pub use standing::{AnchorPlaces, Standing};
pub use tokens::counters;
pub use writer::{Writer, WriterSettings};

#[cfg(test)]
mod tests;
