//! What has been taken and is not committed yet?

use lycosa_model::message::{CopyOf, Entry};
use lycosa_model::{ArchiveMark, UrlId};
use lycosa_segments::{CommitNote, Segments, SegmentsError, Writer, WriterSettings};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// Why the indexer cannot start.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The index cannot be opened or written.
    #[error(transparent)]
    Segments(#[from] SegmentsError),
    /// The thread that commits idle groups cannot be started.
    #[error("the commit timer cannot start: {0}")]
    Timer(std::io::Error),
}

/// How the indexer works.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// A group is committed when it has this many documents.
    pub group_documents: usize,
    /// A group is committed when its first document is this old, in real time.
    pub group_time: Duration,
    /// Whether to index pages that ask not to be indexed; for private collections.
    pub ignore_noindex: bool,
    /// Memory and threads.
    pub writer: WriterSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            group_documents: 5_000,
            group_time: Duration::from_secs(5),
            ignore_noindex: false,
            writer: WriterSettings::default(),
        }
    }
}

/// The group under way, and what became of the earlier ones.
pub(crate) struct Group {
    writer: Writer,
    settings: Settings,
    /// As of the last message; durable with the next commit.
    marks: BTreeMap<String, u64>,
    /// When the first change of the group came.
    since: Option<Instant>,
    /// No more commits on time: the indexer is being dropped.
    pub(crate) closed: bool,
    pub(crate) counts: Counts,
    pub(crate) broken: Option<String>,
}

/// What has been done so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) taken: u64,
    pub(crate) skipped: u64,
    pub(crate) removed: u64,
    pub(crate) committed: u64,
    pub(crate) groups: u64,
    pub(crate) pending: u64,
    pub(crate) documents: u64,
    pub(crate) last_commit_ms: u64,
}

impl Group {
    pub(crate) fn open(data: &Path, settings: Settings) -> Result<Group, IndexError> {
        let segments = Segments::create_or_open(data)?;
        let writer = segments.writer(settings.writer)?;
        Ok(Group {
            // Read under the writer's lock, so that nobody moves them meanwhile.
            marks: segments.note()?.marks,
            counts: Counts { documents: segments.documents()?, ..Counts::default() },
            writer,
            settings,
            since: None,
            closed: false,
            broken: None,
        })
    }

    pub(crate) fn marks(&self) -> Vec<ArchiveMark> {
        self.marks.iter().map(|(file, end)| ArchiveMark { file: file.clone(), end: *end }).collect()
    }

    /// Takes documents and marks, and commits when the group is full. A mark replaces the earlier one of
    /// its file even when it lies before it: an archive that was cut after a crash grows again.
    pub(crate) fn add(
        &mut self,
        entries: Vec<Entry>,
        marks: Vec<ArchiveMark>,
    ) -> Result<(), String> {
        self.usable()?;
        if !entries.is_empty() || !marks.is_empty() {
            self.since.get_or_insert_with(Instant::now);
        }
        for entry in entries {
            self.put(entry)?;
        }
        // After the documents: a mark must never be durable before what it stands for.
        for mark in marks {
            self.marks.insert(mark.file, mark.end);
        }
        let full = self.counts.pending >= self.settings.group_documents as u64;
        // A steady stream keeps the lock from the timer, so age is checked here as well.
        if full || self.due().is_some_and(|rest| rest.is_zero()) {
            self.commit()?;
        }
        Ok(())
    }

    /// Takes documents out, and keeps the names of copies; durable with the next commit, like what is put
    /// in.
    pub(crate) fn remove(&mut self, urls: &[UrlId], copies: Vec<CopyOf>) -> Result<(), String> {
        self.usable()?;
        if !urls.is_empty() {
            self.since.get_or_insert_with(Instant::now);
        }
        for url in urls {
            if let Err(error) = self.writer.remove(*url) {
                return Err(self.fail(&error));
            }
        }
        for copy in copies {
            if let Err(error) = self.writer.put_copy(&copy) {
                return Err(self.fail(&error));
            }
        }
        self.counts.removed += urls.len() as u64;
        Ok(())
    }

    fn put(&mut self, entry: Entry) -> Result<(), String> {
        let robots = &entry.document.robots;
        if !robots.may_be_indexed(entry.fetched) && !self.settings.ignore_noindex {
            // An earlier copy may not have asked for it.
            self.counts.skipped += 1;
            let removed = self.writer.remove(entry.document.url_id);
            return removed.map_err(|error| self.fail(&error));
        }
        if let Err(error) = self.writer.put(entry) {
            return Err(self.fail(&error));
        }
        self.counts.taken += 1;
        self.counts.pending += 1;
        Ok(())
    }

    /// Commits what was taken; does nothing when nothing was.
    pub(crate) fn commit(&mut self) -> Result<u64, String> {
        self.usable()?;
        if self.since.is_none() {
            return Ok(self.counts.documents);
        }
        let start = Instant::now();
        let note = CommitNote::new(self.marks.clone());
        let documents = match self.writer.commit(&note) {
            Ok(documents) => documents,
            Err(error) => return Err(self.fail(&error)),
        };
        self.since = None;
        let counts = &mut self.counts;
        counts.documents = documents;
        counts.committed += counts.pending;
        counts.pending = 0;
        counts.groups += 1;
        counts.last_commit_ms = start.elapsed().as_millis() as u64;
        Ok(documents)
    }

    /// How long until the group must be committed; `None` while there is nothing to commit.
    pub(crate) fn due(&self) -> Option<Duration> {
        self.since.map(|since| self.settings.group_time.saturating_sub(since.elapsed()))
    }

    fn usable(&self) -> Result<(), String> {
        self.broken.clone().map_or(Ok(()), Err)
    }

    /// After a failed write nobody knows what the writer still holds, so nothing more is taken. The last
    /// commit is whole, and the archive has the rest.
    fn fail(&mut self, error: &SegmentsError) -> String {
        let text = error.to_string();
        tracing::error!("{text}");
        self.since = None;
        self.broken = Some(text.clone());
        text
    }
}
