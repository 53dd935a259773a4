//! Under which other addresses does a page stand? Copies that the crawl leaves out of the index are known
//! by name, in a small index of their own beside it, so that nothing which looks for pages meets them.
//!
//! It is committed just before the index. A page that has come into the index since is no copy any more,
//! whatever is noted here: who asks looks it up there.

use crate::error::SegmentsError;
use crate::folder::Segments;
use lycosa_model::UrlId;
use lycosa_model::message::CopyOf;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tantivy::collector::TopDocs;
use tantivy::indexer::IndexWriterOptions;
use tantivy::query::TermQuery;
use tantivy::schema::{BytesOptions, Field, IndexRecordOption, Schema, TextOptions, Value};
use tantivy::{Index, IndexReader, IndexWriter, ReloadPolicy, TantivyDocument, Term};

/// Name of the folder inside that of the index.
const FOLDER: &str = "copies";
/// Memory of the writer, the smallest that tantivy accepts: names are short.
const MEMORY: usize = 15_000_000;
/// Copies that are looked at for those that still are some.
const LOOKED_AT: usize = 100;

#[derive(Clone, Copy)]
struct Fields {
    url_id: Field,
    of: Field,
    url: Field,
}

fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let id = BytesOptions::default().set_indexed();
    let fields = Fields {
        url_id: builder.add_bytes_field("url_id", id.clone().set_stored()),
        of: builder.add_bytes_field("of", id),
        url: builder.add_text_field("url", TextOptions::default().set_stored()),
    };
    (builder.build(), fields)
}

fn folder(segments: &Segments) -> PathBuf {
    segments.folder().join(FOLDER)
}

/// Opens what is there; `None` where nothing was ever noted.
fn open(folder: &Path) -> Result<Option<Index>, SegmentsError> {
    if !folder.join("meta.json").exists() {
        return Ok(None);
    }
    let index = Index::open_in_dir(folder).map_err(|error| SegmentsError::broken(folder, error))?;
    match index.schema() == schema().0 {
        true => Ok(Some(index)),
        false => Err(SegmentsError::OtherLayout { folder: folder.to_owned(), found: 0 }),
    }
}

/// Notes copies, for the writer of the index.
pub(crate) struct CopyWriter {
    folder: PathBuf,
    inner: IndexWriter,
    /// Whether something is not committed.
    changed: bool,
}

impl CopyWriter {
    /// Goes on with what is there, if there is any. What cannot be read is begun anew: it is no reason not to
    /// write pages.
    pub(crate) fn open(segments: &Segments) -> Result<Option<CopyWriter>, SegmentsError> {
        let folder = folder(segments);
        let Ok(index) = open(&folder) else {
            let removed = fs::remove_dir_all(&folder);
            removed.map_err(|error| SegmentsError::broken(&folder, error))?;
            return Ok(None);
        };
        index.map(|index| CopyWriter::new(folder, &index)).transpose()
    }

    /// Begins.
    pub(crate) fn create(segments: &Segments) -> Result<CopyWriter, SegmentsError> {
        let folder = folder(segments);
        let made = fs::create_dir_all(&folder);
        made.map_err(|error: io::Error| SegmentsError::broken(&folder, error))?;
        let index = Index::create_in_dir(&folder, schema().0)
            .map_err(|error| SegmentsError::broken(&folder, error))?;
        CopyWriter::new(folder, &index)
    }

    fn new(folder: PathBuf, index: &Index) -> Result<CopyWriter, SegmentsError> {
        let options = IndexWriterOptions::builder()
            .memory_budget_per_thread(MEMORY)
            .num_worker_threads(1)
            .num_merge_threads(1)
            .build();
        let inner = index.writer_with_options(options);
        let inner = inner.map_err(|error| SegmentsError::broken(&folder, error))?;
        Ok(CopyWriter { folder, inner, changed: false })
    }

    pub(crate) fn put(&mut self, copy: &CopyOf) -> Result<(), SegmentsError> {
        self.remove(copy.url_id);
        let fields = schema().1;
        let mut document = TantivyDocument::default();
        document.add_bytes(fields.url_id, &copy.url_id.0);
        document.add_bytes(fields.of, &copy.of.0);
        document.add_text(fields.url, &copy.url);
        let added = self.inner.add_document(document);
        added.map(drop).map_err(|error| SegmentsError::broken(&self.folder, error))
    }

    pub(crate) fn remove(&mut self, url_id: UrlId) {
        self.changed = true;
        self.inner.delete_term(Term::from_field_bytes(schema().1.url_id, &url_id.0));
    }

    pub(crate) fn commit(&mut self) -> Result<(), SegmentsError> {
        if self.changed {
            let done = self.inner.commit();
            done.map_err(|error| SegmentsError::broken(&self.folder, error))?;
            self.changed = false;
        }
        Ok(())
    }
}

/// The copies of pages, for whoever shows them.
#[derive(Clone)]
pub struct Copies {
    folder: PathBuf,
    reader: IndexReader,
}

impl Copies {
    pub(crate) fn open(segments: &Segments) -> Result<Option<Copies>, SegmentsError> {
        let folder = folder(segments);
        let Some(index) = open(&folder)? else { return Ok(None) };
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into();
        let reader = reader.map_err(|error| SegmentsError::broken(&folder, error))?;
        Ok(Some(Copies { folder, reader }))
    }

    /// Moves on to what is noted by now.
    pub fn reload(&self) -> Result<(), SegmentsError> {
        self.reader.reload().map_err(|error| self.broken(error))
    }

    /// What tells one state of the copies from another.
    pub fn parts(&self) -> Vec<(String, Option<u64>)> {
        let searcher = self.reader.searcher();
        let parts = searcher.generation().segments().iter();
        parts.map(|(segment, deleted)| (segment.uuid_string(), *deleted)).collect()
    }

    /// Some of the pages that a page stands for, with their addresses; which of them, if there are very
    /// many, is left to chance.
    pub fn of(&self, page: UrlId) -> Result<Vec<(UrlId, String)>, SegmentsError> {
        let fields = schema().1;
        let searcher = self.reader.searcher();
        let term = Term::from_field_bytes(fields.of, &page.0);
        let query = TermQuery::new(term, IndexRecordOption::Basic);
        let first = TopDocs::with_limit(LOOKED_AT).order_by_score();
        let found = searcher.search(&query, &first).map_err(|error| self.broken(error))?;
        let mut copies = Vec::new();
        for (_, address) in found {
            let document: TantivyDocument =
                searcher.doc(address).map_err(|error| self.broken(error))?;
            let id = document.get_first(fields.url_id).and_then(|id| id.as_bytes());
            let id = id.and_then(|id| id.try_into().ok()).map(UrlId);
            let url = document.get_first(fields.url).and_then(|url| url.as_str());
            copies.extend(id.zip(url.map(str::to_owned)));
        }
        copies.sort_by(|one, other| one.1.cmp(&other.1));
        Ok(copies)
    }

    fn broken(&self, error: tantivy::TantivyError) -> SegmentsError {
        SegmentsError::broken(&self.folder, error)
    }
}

#[cfg(test)]
mod tests;
