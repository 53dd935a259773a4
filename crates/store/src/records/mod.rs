//! What does the broker remember? Every URL, bot and site, the frontier, the leases and how far the
//! archive is acknowledged, in one embedded key-value engine.
//!
//! All changes that belong together go into one [`Change`], which is written atomically: after a kill
//! at any moment either all of it is there or nothing.

mod bundle;
mod change;
mod error;
mod frontier;
mod keys;
mod pages;
mod run;

pub use bundle::{Bundle, Trail, Waiting};
pub use change::Change;
pub use error::StoreError;
pub use frontier::Stale;
pub use pages::{Content, ContentKey};
pub use run::{
    Aside, Entry, Held, Line, MAX_TLS_SITES, Queued, Root, Run, SitemapRecord, Sitemaps,
};

use crate::journal;
use crate::tables::Tables;
use crate::tally::{Kind, Manifest};
use fjall::compaction::Leveled;
use fjall::config::{CompressionPolicy, FilterPolicy};
use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};
use lycosa_model::{
    ArchiveMark, BotId, BotRecord, CrawlletRecord, Find, Site, SiteCounters, SiteRecord, UrlId,
    UrlRecord,
};
use serde::de::DeserializeOwned;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The layout on disk. A folder of another layout is refused, not guessed at.
const LAYOUT: u32 = 10;

/// Memory for blocks read from disk. What is read is spread over everything that is known, so more would
/// hardly be of more use.
const CACHE_BYTES: u64 = 32 << 20;

/// Bytes of changes that are not in sorted files yet: what a start has to read again.
const JOURNAL_BYTES: u64 = 64 << 20;

/// Threads that write and merge sorted files. Of several, the engine keeps one free for writing, which
/// hands every merge that it meets back to the others without a pause and so takes a whole core.
const WORKERS: usize = 1;

/// What a keyspace holds in memory before it becomes a sorted file; as much again while it is written.
/// Small, because it is searched for every row that is written.
const TABLE_BYTES: u64 = 8 << 20;

/// The same for what waits, of which most is written: larger files are merged less often.
const LARGE_TABLE_BYTES: u64 = 16 << 20;

/// Sorted files of a keyspace that lie side by side before they are merged into the large ones. Each
/// merge reads and writes those, so it should bring many rows; a look-up asks the filter of each file.
/// At twenty the engine begins to hold up whoever writes.
const YOUNG_FILES: u8 = 16;

/// The same for what waits: it is read in order, site by site, and then every file is opened.
const YOUNG_FILES_IN_ORDER: u8 = 8;

/// Bytes of a large file. As many of them as there may be young ones are the first level, which every
/// merge of young files writes anew: it should not be much larger than these.
const FILE_BYTES: u64 = 24 << 20;

/// The embedded store. Cheap to clone; all clones are one store.
#[derive(Clone)]
pub struct Records {
    db: Database,
    urls: Keyspace,
    outlinks: Keyspace,
    frontier: Keyspace,
    lines: Keyspace,
    agenda: Keyspace,
    asides: Keyspace,
    roots: Keyspace,
    leases: Keyspace,
    bots: Keyspace,
    sites: Keyspace,
    robots: Keyspace,
    counters: Keyspace,
    sitemaps: Keyspace,
    crawllets: Keyspace,
    marks: Keyspace,
    tails: Keyspace,
    meta: Keyspace,
    finds: Keyspace,
    pages: pages::Pages,
    tables: Tables,
    dir: PathBuf,
}

impl Records {
    /// Opens the store in `dir`, or makes an empty one.
    pub fn open(dir: &Path) -> Result<Records, StoreError> {
        let context = |source| StoreError::open(dir, source);
        journal::empty_if_done(dir).map_err(|error| StoreError::write_file(dir, error))?;
        let db = Database::builder(dir)
            .cache_size(CACHE_BYTES)
            .max_journaling_size(JOURNAL_BYTES)
            .worker_threads(WORKERS)
            .open()
            .map_err(context)?;
        let tables = RefCell::new(Tables::default());
        let with = |name, options: fn() -> KeyspaceCreateOptions, most_bytes| {
            let keyspace = db.keyspace(name, options).map_err(context)?;
            tables.borrow_mut().watch(&keyspace, most_bytes);
            Ok(keyspace)
        };
        let keyspace = |name| with(name, options, TABLE_BYTES);
        let records = Records {
            urls: keyspace("urls")?,
            outlinks: with("outlinks", of_outlinks, TABLE_BYTES)?,
            frontier: with("frontier", of_waiting, LARGE_TABLE_BYTES)?,
            lines: keyspace("lines")?,
            agenda: keyspace("agenda")?,
            asides: keyspace("asides")?,
            roots: keyspace("roots")?,
            leases: keyspace("leases")?,
            bots: keyspace("bots")?,
            sites: keyspace("sites")?,
            robots: keyspace("robots")?,
            counters: keyspace("counters")?,
            sitemaps: keyspace("sitemaps")?,
            crawllets: keyspace("crawllets")?,
            marks: keyspace("marks")?,
            tails: keyspace("tails")?,
            meta: keyspace("meta")?,
            finds: keyspace("finds")?,
            pages: pages::Pages::open(keyspace)?,
            tables: tables.take(),
            dir: dir.to_owned(),
            db,
        };
        match records.read::<u32>(&records.meta, b"layout", "layout")? {
            None => {
                let mut change = records.change();
                change.put_layout(LAYOUT);
                change.commit()?;
            }
            Some(LAYOUT) => {}
            Some(found) => {
                return Err(StoreError::Layout { found, expected: LAYOUT });
            }
        }
        Ok(records)
    }

    /// Begins a set of changes.
    pub fn change(&self) -> Change<'_> {
        Change::new(self)
    }

    /// Forces everything committed so far to the disk, so that it survives a power failure. A committed
    /// change survives the death of the process without it.
    pub fn sync(&self) -> Result<(), StoreError> {
        self.db.persist(PersistMode::SyncAll).map_err(StoreError::write)
    }

    /// What an orderly end should do: [`Records::sync`], and what else makes the next start quick. Nobody
    /// should write meanwhile.
    pub fn put_away(&self) -> Result<(), StoreError> {
        self.sync()?;
        journal::put_away(&self.db, &self.dir)
    }

    /// The tables that are looked after.
    pub(crate) fn tables(&self) -> &Tables {
        &self.tables
    }

    /// The engine, for keyspaces that are not the broker's own.
    pub(crate) fn database(&self) -> &Database {
        &self.db
    }

    /// The record of a URL, which it has from the moment on at which it is first handed out, or left by a run.
    pub fn url(&self, id: UrlId) -> Result<Option<UrlRecord>, StoreError> {
        self.read(&self.urls, &id.0, "URL record")
    }

    /// Whether there is a record of a URL.
    pub fn has_url(&self, id: UrlId) -> Result<bool, StoreError> {
        self.urls.contains_key(id.0).map_err(StoreError::read)
    }

    /// All URLs that have a record, by id. Those that wait and were never asked for have none.
    pub fn urls(&self) -> impl Iterator<Item = Result<(UrlId, UrlRecord), StoreError>> + use<> {
        scan(self.urls.iter(), "URL record", |key| key.try_into().ok().map(UrlId))
    }

    /// What a crawl that looked for something found at a URL.
    pub fn find(&self, id: UrlId) -> Result<Option<Find>, StoreError> {
        self.read(&self.finds, &id.0, "find")
    }

    /// Everything that crawls that looked for something have found, by id.
    pub fn finds(&self) -> impl Iterator<Item = Result<(UrlId, Find), StoreError>> + use<> {
        scan(self.finds.iter(), "find", |key| key.try_into().ok().map(UrlId))
    }

    /// The record of the URL with this fingerprint.
    pub fn url_of(&self, fingerprint: u64) -> Result<Option<UrlRecord>, StoreError> {
        let Some(guard) = self.urls.prefix(fingerprint.to_be_bytes()).next() else {
            return Ok(None);
        };
        let value = guard.value().map_err(StoreError::read)?;
        decode(&value, "URL record").map(Some)
    }

    /// Fingerprints of the targets of the links that are kept under this number.
    pub fn outlinks(&self, number: u64) -> Result<Vec<u64>, StoreError> {
        let key = keys::numbers([number]);
        let Some(value) = self.outlinks.get(key).map_err(StoreError::read)? else {
            return Ok(Vec::new());
        };
        let (targets, rest) = value.as_chunks();
        if !rest.is_empty() {
            return Err(StoreError::CorruptKey { what: "list of links" });
        }
        Ok(targets.iter().map(|target| u64::from_be_bytes(*target)).collect())
    }

    /// One site.
    pub fn site(&self, site: &Site) -> Result<Option<SiteRecord>, StoreError> {
        self.read(&self.sites, &keys::site(site), "site record")
    }

    /// The robots.txt of a site, as it was last read.
    pub fn robots(&self, site: &Site) -> Result<Option<String>, StoreError> {
        self.read(&self.robots, &keys::site(site), "robots.txt")
    }

    /// What is counted of a site to notice traps and budgets.
    pub fn counters(&self, site: &Site) -> Result<Option<SiteCounters>, StoreError> {
        self.read(&self.counters, &keys::site(site), "site counters")
    }

    /// The sitemaps of a site.
    pub fn sitemaps(&self, site: &Site) -> Result<Option<Sitemaps>, StoreError> {
        self.read(&self.sitemaps, &keys::site(site), "list of sitemaps")
    }

    /// The sitemaps of all sites, by site.
    pub fn all_sitemaps(
        &self,
    ) -> impl Iterator<Item = Result<(Site, Sitemaps), StoreError>> + use<> {
        scan(self.sitemaps.iter(), "list of sitemaps", keys::site_of)
    }

    /// What is remembered of a site as far as crawllets go.
    pub fn crawllet(&self, site: &Site) -> Result<Option<CrawlletRecord>, StoreError> {
        let text: Option<String> = self.read(&self.crawllets, &keys::site(site), CRAWLLET)?;
        Ok(text.and_then(|text| crawllet_of(&text)))
    }

    /// The same of all sites of which something is, by site.
    pub fn crawllets(
        &self,
    ) -> impl Iterator<Item = Result<(Site, CrawlletRecord), StoreError>> + use<> {
        let rows = scan(self.crawllets.iter(), CRAWLLET, keys::site_of);
        rows.filter_map(|row: Result<(Site, String), StoreError>| match row {
            Ok((site, text)) => crawllet_of(&text).map(|record| Ok((site, record))),
            Err(error) => Some(Err(error)),
        })
    }

    /// One bot.
    pub fn bot(&self, id: BotId) -> Result<Option<BotRecord>, StoreError> {
        self.read(&self.bots, &id.0, "bot record")
    }

    /// All bots, by id.
    pub fn bots(&self) -> impl Iterator<Item = Result<(BotId, BotRecord), StoreError>> + use<> {
        scan(self.bots.iter(), "bot record", |key| key.try_into().ok().map(BotId))
    }

    /// All leases.
    pub fn leases(&self) -> impl Iterator<Item = Result<(UrlId, Held), StoreError>> + use<> {
        scan(self.leases.iter(), "lease", |key| key.try_into().ok().map(UrlId))
    }

    /// How far an archive file is acknowledged.
    pub fn mark(&self, file: &str) -> Result<Option<u64>, StoreError> {
        self.read(&self.marks, file.as_bytes(), "archive mark")
    }

    /// How far every archive file is acknowledged.
    pub fn marks(&self) -> Result<Vec<ArchiveMark>, StoreError> {
        scan(self.marks.iter(), "archive mark", |key| String::from_utf8(key.to_vec()).ok())
            .map(|row| row.map(|(file, end)| ArchiveMark { file, end }))
            .collect()
    }

    /// The last run.
    pub fn run(&self) -> Result<Option<Run>, StoreError> {
        self.read(&self.meta, b"run", "run")
    }

    /// What a person wants left alone in a run, as far as anything was ever said about it.
    pub fn exclusions(&self, run: u32) -> Result<Option<Vec<String>>, StoreError> {
        let kept: Option<(u32, Vec<String>)> =
            self.read(&self.meta, b"exclusions", "list of exclusions")?;
        Ok(kept.filter(|(of, _)| *of == run).map(|(_, list)| list))
    }

    /// Pages of a run that were answered from what crawllets brought.
    pub fn answered(&self, run: u32) -> Result<u64, StoreError> {
        let kept: Option<(u32, u64)> = self.read(&self.meta, b"answered", "count of answers")?;
        Ok(kept.filter(|(of, _)| *of == run).map_or(0, |(_, pages)| pages))
    }

    /// Whether pages are being indexed, or were when the process was killed.
    pub fn is_indexing(&self) -> Result<bool, StoreError> {
        Ok(self.read(&self.meta, b"indexing", "note about the index")?.unwrap_or(false))
    }

    /// The folder that it is in.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// What a tally consists of.
    pub(crate) fn manifest(&self, kind: Kind) -> Result<Option<Manifest>, StoreError> {
        self.read(&self.tails, &[kind.id()], "list of runs")
    }

    /// The rows of a tally's tail from this one on, by number.
    pub(crate) fn tail(
        &self,
        kind: Kind,
        from: u64,
    ) -> impl Iterator<Item = Result<(u64, fjall::Slice), StoreError>> + use<> {
        let rows = tail_key(kind, from)..=tail_key(kind, u64::MAX);
        self.tails.range(rows).map(|guard| {
            let (key, entries) = guard.into_inner().map_err(StoreError::read)?;
            let row = key.get(1..).and_then(|row| row.try_into().ok()).map(u64::from_be_bytes);
            Ok((row.ok_or(StoreError::CorruptKey { what: "row of a tally" })?, entries))
        })
    }

    fn read<T: DeserializeOwned>(
        &self,
        keyspace: &Keyspace,
        key: &[u8],
        what: &'static str,
    ) -> Result<Option<T>, StoreError> {
        let value = keyspace.get(key).map_err(StoreError::read)?;
        value.map(|bytes| decode(&bytes, what)).transpose()
    }
}

/// What a row about crawllets is called in errors.
const CRAWLLET: &str = "crawllet record";

/// A record as it is written: as text, with names, so that it can grow. What a later program wrote in a
/// way that we do not understand is forgotten: the site is then met anew.
fn crawllet_of(text: &str) -> Option<CrawlletRecord> {
    serde_json::from_str(text).ok()
}

fn tail_key(kind: Kind, row: u64) -> [u8; 9] {
    let mut key = [kind.id(); 9];
    key[1..].copy_from_slice(&row.to_be_bytes());
    key
}

fn options() -> KeyspaceCreateOptions {
    KeyspaceCreateOptions::default()
        .max_memtable_size(TABLE_BYTES)
        .compaction_strategy(merging(YOUNG_FILES))
}

fn merging(young_files: u8) -> Arc<Leveled> {
    let strategy = Leveled::default().with_l0_threshold(young_files);
    Arc::new(strategy.with_table_target_size(FILE_BYTES))
}

/// Digests do not become smaller. Who asks for a row nearly always knows that it is there: filters tell only
/// which of the small files are not worth a look.
fn of_waiting() -> KeyspaceCreateOptions {
    options()
        .max_memtable_size(LARGE_TABLE_BYTES)
        .compaction_strategy(merging(YOUNG_FILES_IN_ORDER))
        .data_block_compression_policy(CompressionPolicy::disabled())
        .expect_point_read_hits(true)
}

/// The same, of what is hardly ever read. Numbers only grow, so files follow each other and are not merged.
fn of_outlinks() -> KeyspaceCreateOptions {
    of_waiting()
        .max_memtable_size(TABLE_BYTES)
        .compaction_strategy(merging(YOUNG_FILES))
        .filter_policy(FilterPolicy::disabled())
}

pub(crate) fn decode<T: DeserializeOwned>(
    bytes: &[u8],
    what: &'static str,
) -> Result<T, StoreError> {
    postcard::from_bytes(bytes).map_err(|source| StoreError::Corrupt { what, source })
}

fn scan<K, T: DeserializeOwned, F: Fn(&[u8]) -> Option<K>>(
    rows: fjall::Iter,
    what: &'static str,
    key_of: F,
) -> impl Iterator<Item = Result<(K, T), StoreError>> + use<K, T, F> {
    rows.map(move |guard| {
        let (key, value) = guard.into_inner().map_err(StoreError::read)?;
        let key = key_of(&key).ok_or(StoreError::CorruptKey { what })?;
        Ok((key, decode(&value, what)?))
    })
}

#[cfg(test)]
mod tests;
