//! How is the index written? Documents replace older ones of their URL; a commit makes them visible.

use crate::document::{Press, Ready};
use crate::error::SegmentsError;
use crate::folder::Segments;
use crate::merging::Merging;
use crate::note::CommitNote;
use lycosa_model::message::Entry;
use tantivy::indexer::IndexWriterOptions;
use tantivy::{Index, IndexWriter, Term};

/// Smallest memory that tantivy accepts for one thread.
const MIN_MEMORY: usize = 15_000_000;
/// Most threads that tantivy accepts.
const MAX_THREADS: usize = 8;

/// What the writer may use.
#[derive(Clone, Copy, Debug)]
pub struct WriterSettings {
    /// Bytes of memory per thread; a thread that has filled it writes a segment. At least 15 MB.
    pub memory: usize,
    /// Threads that analyse and invert, from 1 to 8. With one thread the order of documents is the
    /// order of arrival.
    pub threads: usize,
}

impl Default for WriterSettings {
    fn default() -> Self {
        WriterSettings { memory: 64 << 20, threads: 1 }
    }
}

/// The one writer of an index. Dropped without a commit, it leaves the last commit as it was.
pub struct Writer {
    segments: Segments,
    inner: IndexWriter<Ready>,
    press: Press,
}

impl Writer {
    pub(crate) fn new(
        segments: &Segments,
        index: &Index,
        settings: WriterSettings,
    ) -> Result<Writer, SegmentsError> {
        let options = IndexWriterOptions::builder()
            .memory_budget_per_thread(settings.memory.max(MIN_MEMORY))
            .num_worker_threads(settings.threads.clamp(1, MAX_THREADS))
            .num_merge_threads(1)
            .build();
        let inner: IndexWriter<Ready> =
            index.writer_with_options(options).map_err(|error| segments.broken(error))?;
        inner.set_merge_policy(Box::new(Merging::in_folder(segments.folder())));
        Ok(Writer { segments: segments.clone(), inner, press: Press::new(*segments.fields()) })
    }

    /// Puts a document in the place of every older one of its URL, also of one in the same group.
    /// Waits while the threads are behind.
    pub fn put(&mut self, entry: Entry) -> Result<(), SegmentsError> {
        self.remove(entry.document.url_id);
        self.inner
            .add_document(self.press.ready(entry))
            .map_err(|error| self.segments.broken(error))?;
        Ok(())
    }

    /// Takes a document out.
    pub fn remove(&self, url_id: lycosa_model::UrlId) {
        let field = self.segments.fields().url_id;
        self.inner.delete_term(Term::from_field_bytes(field, &url_id.0));
    }

    /// Makes everything so far durable and visible together with the note, or nothing of it. Returns
    /// the number of documents in the index.
    pub fn commit(&mut self, note: &CommitNote) -> Result<u64, SegmentsError> {
        let done = self.inner.prepare_commit().and_then(|mut commit| {
            commit.set_payload(&note.write());
            commit.commit()
        });
        done.map_err(|error| self.segments.broken(error))?;
        self.segments.documents()
    }
}
