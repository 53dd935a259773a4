//! How is the index written? Documents replace older ones of their URL; a commit makes them visible.

use crate::copies::CopyWriter;
use crate::document::{Press, Ready};
use crate::error::SegmentsError;
use crate::folder::Segments;
use crate::importance::Importance;
use crate::merging::Merging;
use crate::note::CommitNote;
use lycosa_model::UrlId;
use lycosa_model::message::{CopyOf, Entry};
use std::collections::VecDeque;
use tantivy::indexer::{IndexWriterOptions, UserOperation};
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

/// Changes that go into tantivy together. Between two pages a crawl does so much else that no word and no
/// table of words is left in the caches of the processor; the pages of a batch find them there.
const BATCH: usize = 32;
/// Bytes of text, about, that are a batch however few pages have them.
const BATCH_BYTES: usize = 2 << 20;

/// What is to be done to the index.
enum Change {
    Put(Box<Entry>),
    Remove(UrlId),
}

/// The one writer of an index. Dropped without a commit, it leaves the last commit as it was.
pub struct Writer {
    segments: Segments,
    inner: IndexWriter<Ready>,
    press: Press,
    /// Changes that tantivy has not got yet, in their order.
    waiting: VecDeque<Change>,
    /// Bytes of text in them.
    waiting_bytes: usize,
    /// The same, those before them, as tantivy takes them; empty but for a page that made us panic.
    operations: Vec<UserOperation<Ready>>,
    /// Where there ever were copies.
    copies: Option<CopyWriter>,
    importance: Importance,
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
        Ok(Writer {
            segments: segments.clone(),
            inner,
            press: Press::new(*segments.fields()),
            waiting: VecDeque::with_capacity(BATCH),
            waiting_bytes: 0,
            operations: Vec::with_capacity(2 * BATCH),
            copies: CopyWriter::open(segments)?,
            importance: Importance::open(segments.folder()),
        })
    }

    /// Puts a document in the place of every older one of its URL, also of one in the same group.
    /// Waits while the threads are behind.
    pub fn put(&mut self, entry: Entry) -> Result<(), SegmentsError> {
        self.waiting_bytes += entry.document.text.len() + entry.document.main.len();
        self.change(Change::Put(Box::new(entry)))
    }

    /// Takes a document out, and forgets that it was a copy of another.
    pub fn remove(&mut self, url_id: UrlId) -> Result<(), SegmentsError> {
        if let Some(copies) = &mut self.copies {
            copies.remove(url_id);
        }
        self.change(Change::Remove(url_id))
    }

    /// Notes that another document stands for a page, which is to be removed before.
    pub fn put_copy(&mut self, copy: &CopyOf) -> Result<(), SegmentsError> {
        if self.copies.is_none() {
            self.copies = Some(CopyWriter::create(&self.segments)?);
        }
        self.copies.as_mut().map_or(Ok(()), |copies| copies.put(copy))
    }

    fn change(&mut self, change: Change) -> Result<(), SegmentsError> {
        self.waiting.push_back(change);
        if self.waiting.len() >= BATCH || self.waiting_bytes >= BATCH_BYTES {
            self.hand_over()?;
        }
        Ok(())
    }

    /// Gives tantivy what waits.
    fn hand_over(&mut self) -> Result<(), SegmentsError> {
        let field = self.segments.fields().url_id;
        let delete = |id: UrlId| UserOperation::Delete(Term::from_field_bytes(field, &id.0));
        // One by one: should a page make us panic, whoever goes on with this writer has all others.
        while let Some(change) = self.waiting.pop_front() {
            match change {
                Change::Put(entry) => {
                    self.operations.push(delete(entry.document.url_id));
                    self.operations.push(UserOperation::Add(self.press.ready(*entry)));
                    self.importance.visit(&mut self.press.visit);
                }
                Change::Remove(id) => self.operations.push(delete(id)),
            }
        }
        self.waiting_bytes = 0;
        let run = self.inner.run(self.operations.drain(..));
        run.map_err(|error| self.segments.broken(error))?;
        Ok(())
    }

    /// Makes everything so far durable and visible together with the note, or nothing of it. Returns
    /// the number of documents in the index.
    pub fn commit(&mut self, note: &CommitNote) -> Result<u64, SegmentsError> {
        self.hand_over()?;
        if let Some(copies) = &mut self.copies {
            copies.commit()?;
        }
        let done = self.inner.prepare_commit().and_then(|mut commit| {
            commit.set_payload(&note.write());
            commit.commit()
        });
        done.map_err(|error| self.segments.broken(error))?;
        self.importance.save_if_due();
        self.segments.documents()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.importance.save();
    }
}
