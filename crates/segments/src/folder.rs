//! Is this folder an index of ours, and how is it opened?

use crate::copies::Copies;
use crate::document::{StoredDocument, from_tantivy};
use crate::error::SegmentsError;
use crate::importance::{self, Ranks};
use crate::note::CommitNote;
use crate::outlinks::{self, Outlink};
use crate::schema::{Fields, schema};
use crate::standing::{self, Standing};
use crate::tokens;
use crate::writer::{Writer, WriterSettings};
use lycosa_model::{Lang, LangShare, UrlId};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tantivy::query::TermQuery;
use tantivy::schema::{IndexRecordOption, Value};
use tantivy::store::StoreReader;
use tantivy::{DocAddress, Index, IndexReader, ReloadPolicy, Searcher, TantivyDocument, Term};

/// Name of the folder inside the data directory.
pub const INDEX_FOLDER: &str = "index";
/// Layout of the folder. It changes with the fields, with what they hold and with the analysis.
pub const LAYOUT: u32 = 6;

/// The file that says whose folder this is.
const LABEL: &str = "lycosa-index.json";
const LABEL_DRAFT: &str = "lycosa-index.json.new";
/// Stored blocks that one reader keeps unpacked while it walks through all documents.
const WALK_CACHE: usize = 2;

#[derive(Serialize, Deserialize)]
struct Label {
    layout: u32,
}

/// The index of one data directory.
#[derive(Clone)]
pub struct Segments {
    folder: PathBuf,
    index: Index,
    fields: Fields,
}

impl Segments {
    /// Opens the index of a data directory to write it; makes an empty one where there is none.
    pub fn create_or_open(data: &Path) -> Result<Segments, SegmentsError> {
        let folder = data.join(INDEX_FOLDER);
        let io = |error: io::Error| SegmentsError::broken(&folder, error);
        fs::create_dir_all(&folder).map_err(io)?;
        match read_label(&folder)? {
            Some(LAYOUT) => {}
            Some(found) => return Err(SegmentsError::OtherLayout { folder, found }),
            None if is_empty(&folder).map_err(io)? => write_label(&folder).map_err(io)?,
            None => return Err(SegmentsError::Foreign(folder)),
        }
        if !folder.join("meta.json").exists() {
            // Either new, or a process died between the label and the first commit.
            let index = Index::create_in_dir(&folder, schema().0)
                .map_err(|error| SegmentsError::broken(&folder, error))?;
            return Segments::checked(folder, index);
        }
        Segments::open(data)
    }

    /// Opens the index of a data directory to read it, also while another process writes it.
    pub fn open(data: &Path) -> Result<Segments, SegmentsError> {
        let folder = data.join(INDEX_FOLDER);
        match read_label(&folder)? {
            Some(LAYOUT) => {}
            Some(found) => return Err(SegmentsError::OtherLayout { folder, found }),
            None if folder.join("meta.json").exists() => {
                return Err(SegmentsError::Foreign(folder));
            }
            None => return Err(SegmentsError::Missing(folder)),
        }
        if !folder.join("meta.json").exists() {
            return Err(SegmentsError::Missing(folder));
        }
        let index =
            Index::open_in_dir(&folder).map_err(|error| SegmentsError::broken(&folder, error))?;
        Segments::checked(folder, index)
    }

    fn checked(folder: PathBuf, index: Index) -> Result<Segments, SegmentsError> {
        let (expected, fields) = schema();
        if index.schema() != expected {
            return Err(SegmentsError::OtherLayout { folder, found: 0 });
        }
        tokens::register(index.tokenizers());
        Ok(Segments { folder, index, fields })
    }

    /// The fields.
    pub fn fields(&self) -> &Fields {
        &self.fields
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A reader that sees the last commit and moves on only when it is told to.
    pub fn reader(&self) -> Result<IndexReader, SegmentsError> {
        self.index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()
            .map_err(|error| self.broken(error))
    }

    /// The one writer. A second one, here or in another process, is refused while it lives; the lock
    /// ends with its process, however that ended.
    pub fn writer(&self, settings: WriterSettings) -> Result<Writer, SegmentsError> {
        Writer::new(self, &self.index, settings)
    }

    /// The note of the last commit.
    pub fn note(&self) -> Result<CommitNote, SegmentsError> {
        let metas = self.index.load_metas().map_err(|error| self.broken(error))?;
        Ok(CommitNote::read(metas.payload.as_deref()))
    }

    /// Documents in the last commit.
    pub fn documents(&self) -> Result<u64, SegmentsError> {
        let metas = self.index.load_metas().map_err(|error| self.broken(error))?;
        Ok(metas.segments.iter().map(|s| u64::from(s.num_docs())).sum())
    }

    /// The document of a URL, as `searcher` sees it.
    pub fn document_by_id(
        &self,
        searcher: &Searcher,
        id: UrlId,
    ) -> Result<Option<StoredDocument>, SegmentsError> {
        match self.address_of(searcher, id)? {
            Some(address) => self.document(searcher, address),
            None => Ok(None),
        }
    }

    /// Whether there is a document of a URL, as `searcher` sees it.
    pub fn has(&self, searcher: &Searcher, id: UrlId) -> Result<bool, SegmentsError> {
        Ok(self.address_of(searcher, id)?.is_some())
    }

    fn address_of(
        &self,
        searcher: &Searcher,
        id: UrlId,
    ) -> Result<Option<DocAddress>, SegmentsError> {
        let term = Term::from_field_bytes(self.fields.url_id, &id.0);
        let query = TermQuery::new(term, IndexRecordOption::Basic);
        let found = searcher
            .search(&query, &tantivy::collector::DocSetCollector)
            .map_err(|error| self.broken(error))?;
        Ok(found.into_iter().next())
    }

    /// The document at an address of `searcher`.
    pub fn document(
        &self,
        searcher: &Searcher,
        address: DocAddress,
    ) -> Result<Option<StoredDocument>, SegmentsError> {
        let document: TantivyDocument =
            searcher.doc(address).map_err(|error| self.broken(error))?;
        Ok(from_tantivy(&document, &self.fields))
    }

    /// The copies that are left out of the index; `None` where none was ever noted.
    pub fn copies(&self) -> Result<Option<Copies>, SegmentsError> {
        Copies::open(self)
    }

    /// Hands every page of `searcher` with its links to `visit`, one at a time.
    pub fn for_each_linked(
        &self,
        searcher: &Searcher,
        mut visit: impl FnMut(LinkedPage<'_>),
    ) -> Result<(), SegmentsError> {
        for segment in searcher.segment_readers() {
            let store: StoreReader =
                segment.get_store_reader(WALK_CACHE).map_err(|error| self.broken(error))?;
            for document in store.iter::<TantivyDocument>(segment.alive_bitset()) {
                let document = document.map_err(|error| self.broken(error))?;
                if let Some(page) = LinkedPage::of(&document, &self.fields) {
                    visit(page);
                }
            }
        }
        Ok(())
    }

    /// What other pages say of each, as it was last found out; `None` when that is not known.
    pub fn standing(&self) -> Option<Standing> {
        standing::read(&self.folder)
    }

    /// When that was found out.
    pub fn standing_since(&self) -> Option<SystemTime> {
        standing::written_at(&self.folder)
    }

    /// The ranks that were last estimated while pages went in; `None` where none were.
    pub fn ranks(&self) -> Option<Ranks> {
        importance::read(&self.folder)
    }

    /// When they were estimated.
    pub fn ranks_since(&self) -> Option<SystemTime> {
        importance::written_at(&self.folder)
    }

    /// The number of the last commit; every commit has a higher one.
    pub fn last_commit(&self) -> Result<u64, SegmentsError> {
        Ok(self.index.load_metas().map_err(|error| self.broken(error))?.opstamp)
    }

    /// Puts down what other pages say of each.
    pub fn put_standing(&self, standing: &Standing) -> Result<(), SegmentsError> {
        let put = standing::write(&self.folder, standing);
        put.map_err(|error| SegmentsError::broken(&self.folder, error))
    }

    /// An error of this index.
    pub fn broken(&self, error: impl Into<tantivy::TantivyError>) -> SegmentsError {
        SegmentsError::broken(&self.folder, error)
    }
}

/// A page with its links.
pub struct LinkedPage<'a> {
    /// The first 64 bits of its id.
    pub tie: u64,
    /// Its address.
    pub url: &'a str,
    /// Language of most of it.
    pub lang: Option<Lang>,
    links: &'a [u8],
}

impl<'a> LinkedPage<'a> {
    fn of(document: &'a TantivyDocument, fields: &Fields) -> Option<LinkedPage<'a>> {
        let id: [u8; 16] = document.get_first(fields.url_id)?.as_bytes()?.try_into().ok()?;
        let shares = document.get_first(fields.languages).and_then(|value| value.as_str());
        let shares: Vec<LangShare> =
            shares.and_then(|shares| serde_json::from_str(shares).ok()).unwrap_or_default();
        Some(LinkedPage {
            tie: outlinks::tie(UrlId(id)),
            url: document.get_first(fields.url)?.as_str()?,
            lang: shares.first().map(|share| share.lang),
            links: document.get_first(fields.links).and_then(|v| v.as_bytes()).unwrap_or_default(),
        })
    }

    /// Where it leads to.
    pub fn links(&self) -> impl Iterator<Item = Outlink<'a>> {
        outlinks::read(self.links)
    }
}

/// Hands every document of the last commit to `visit` until it breaks, one at a time, so that an export
/// needs no more memory than one document.
pub fn for_each_document(
    data: &Path,
    mut visit: impl FnMut(StoredDocument) -> ControlFlow<()>,
) -> Result<(), SegmentsError> {
    let segments = Segments::open(data)?;
    let searcher = segments.reader()?.searcher();
    for segment in searcher.segment_readers() {
        let store: StoreReader =
            segment.get_store_reader(WALK_CACHE).map_err(|error| segments.broken(error))?;
        for document in store.iter::<TantivyDocument>(segment.alive_bitset()) {
            let document = document.map_err(|error| segments.broken(error))?;
            if let Some(document) = from_tantivy(&document, &segments.fields)
                && visit(document).is_break()
            {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// The layout that the label names; 0 for a label that cannot be read as one.
fn read_label(folder: &Path) -> Result<Option<u32>, SegmentsError> {
    match fs::read_to_string(folder.join(LABEL)) {
        Ok(text) => {
            let label = serde_json::from_str::<Label>(&text);
            Ok(Some(label.map_or(0, |label| label.layout)))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(SegmentsError::broken(folder, error)),
    }
}

/// Writes the label in one step, so that a killed process leaves a whole one or none.
fn write_label(folder: &Path) -> io::Result<()> {
    let text = serde_json::to_string(&Label { layout: LAYOUT })?;
    fs::write(folder.join(LABEL_DRAFT), text)?;
    fs::rename(folder.join(LABEL_DRAFT), folder.join(LABEL))
}

fn is_empty(folder: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(folder)? {
        if entry?.file_name() != LABEL_DRAFT {
            return Ok(false);
        }
    }
    Ok(true)
}
