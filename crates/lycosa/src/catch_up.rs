//! What must be put right before a crawl goes on? The archive is cut to what was acknowledged, and the
//! index takes in what it has not committed.

use crate::failure::Failure;
use lycosa_bot::decode::{DecodeLimit, decode};
use lycosa_frontier::normal;
use lycosa_model::message::{Entry as IndexEntry, IndexerMessage, IndexerReply};
use lycosa_model::{ArchiveMark, ArchivePlace, BotId, UrlId};
use lycosa_page::{Input, Limits as PageLimits, Reading};
use lycosa_runtime::Mailbox;
use lycosa_store::archive::{self, Action, Entry, Kind, Limits, Reader, Record};
use lycosa_store::records::Records;
use std::collections::BTreeMap;
use std::path::Path;

/// Documents handed to the indexer at once.
const GROUP: usize = 100;

/// Brings every archive file to its mark. Pages whose only copy was lost with the power are queued
/// again.
pub(crate) fn recover_archive(records: &Records, dir: &Path) -> Result<(), Failure> {
    let marks: BTreeMap<String, u64> =
        records.marks()?.into_iter().map(|mark| (mark.file, mark.end)).collect();
    for done in archive::recover(dir, &|file| marks.get(file).copied())? {
        match done.action {
            Action::Whole => {}
            Action::Cut { from, to } => {
                tracing::info!(file = done.file, "cut {} unacknowledged bytes", from - to);
            }
            Action::Removed { from } => {
                tracing::info!(file = done.file, "removed {from} unacknowledged bytes");
            }
            Action::Short { mark, to } => {
                tracing::warn!(
                    file = done.file,
                    "{} acknowledged bytes are lost; their pages are fetched again",
                    mark - to
                );
                forget(records, &done.file, to)?;
            }
        }
    }
    Ok(())
}

/// Makes the store forget what an archive file no longer holds.
fn forget(records: &Records, file: &str, end: u64) -> Result<(), Failure> {
    let Some(mut run) = records.run()? else {
        return Ok(());
    };
    let mut change = records.change();
    for row in records.urls() {
        let (id, mut record) = row?;
        let lost =
            record.archived.as_ref().is_some_and(|place| place.file == file && place.offset >= end);
        if lost {
            record.archived = None;
            record.dlast = None;
            record.previous = Default::default();
            if record.run == run.number && record.queued.is_none() {
                // Not met in this run, so the next page that links here queues it again.
                record.run = 0;
                run.pages = run.pages.saturating_sub(1);
                run.stored = run.stored.saturating_sub(1);
            }
            change.put_url(id, &record);
        }
    }
    change.put_mark(&ArchiveMark { file: file.to_owned(), end });
    change.put_run(&run);
    Ok(change.commit()?)
}

/// Gives the indexer every acknowledged page that its last commit did not have. Tells how many.
pub(crate) async fn index(
    records: &Records,
    dir: &Path,
    indexed: &[ArchiveMark],
    indexer: &Mailbox<IndexerMessage>,
) -> Result<u64, Failure> {
    let indexed: BTreeMap<&str, u64> =
        indexed.iter().map(|mark| (mark.file.as_str(), mark.end)).collect();
    let mut count = 0;
    for mark in records.marks()? {
        let begin = indexed.get(mark.file.as_str()).copied().unwrap_or(0);
        if begin < mark.end {
            count += index_file(records, dir, &mark, begin, indexer).await?;
        }
    }
    Ok(count)
}

async fn index_file(
    records: &Records,
    dir: &Path,
    mark: &ArchiveMark,
    begin: u64,
    indexer: &Mailbox<IndexerMessage>,
) -> Result<u64, Failure> {
    let path = dir.join(&mark.file);
    if !path.exists() {
        return Ok(0);
    }
    let mut entries = Vec::new();
    let mut count = 0;
    for entry in Reader::open_at(&path, begin, 0, Limits::default())? {
        let Entry::Record(record) = entry? else { continue };
        let place = (mark.file.as_str(), record.offset);
        if let Some(entry) = current_copy(records, place, &record)? {
            entries.push(entry);
            count += 1;
        }
        if entries.len() >= GROUP {
            add(indexer, std::mem::take(&mut entries), Vec::new()).await?;
        }
    }
    add(indexer, entries, vec![mark.clone()]).await?;
    Ok(count)
}

/// The page in this record, if it is the copy that the broker has on record.
fn current_copy(
    records: &Records,
    (file, offset): (&str, u64),
    record: &Record,
) -> Result<Option<IndexEntry>, Failure> {
    let Some(uri) = record.target_uri.as_deref().filter(|_| record.kind == Kind::Response) else {
        return Ok(None);
    };
    let Ok(address) = normal::parse(uri) else {
        return Ok(None);
    };
    let Some(known) = records.url(address.id)? else {
        return Ok(None);
    };
    let here = |place: &ArchivePlace| place.file == file && place.offset == offset;
    if !known.archived.as_ref().is_some_and(here) {
        return Ok(None);
    }
    let agent = match known.bot1_id {
        Some(bot) => agent_name(records, bot)?,
        None => String::new(),
    };
    Ok(read(record, address.id, &known.url, agent))
}

fn agent_name(records: &Records, bot: BotId) -> Result<String, Failure> {
    Ok(records.bot(bot)?.map(|bot| bot.name).unwrap_or_default())
}

/// Reads the page in a response record; `None` when it is not a successful answer with text.
pub(crate) fn read(record: &Record, url_id: UrlId, url: &str, agent: String) -> Option<IndexEntry> {
    let response = record.http().ok()?;
    if !(200..300).contains(&response.status) {
        return None;
    }
    let body = decode(&response.headers, &response.body, &DecodeLimit::default()).ok()?;
    let input = Input {
        url_id,
        url,
        content_type: response.headers.get("content-type"),
        x_robots_tag: response.headers.all("x-robots-tag").collect(),
        refresh: response.headers.get("refresh"),
        body: &body,
    };
    match lycosa_page::read(&input, &PageLimits::default()) {
        Reading::Document(document) => Some(IndexEntry {
            document: *document,
            agent,
            fetched: record.date.unwrap_or_default(),
            id: None,
        }),
        Reading::NotText { .. } => None,
    }
}

/// Sends documents to the indexer.
pub(crate) async fn add(
    indexer: &Mailbox<IndexerMessage>,
    entries: Vec<IndexEntry>,
    marks: Vec<ArchiveMark>,
) -> Result<(), Failure> {
    match indexer.ask(IndexerMessage::Add { entries, marks }).await? {
        IndexerReply::Broken(why) => Err(Failure::new(why)),
        IndexerReply::Taken | IndexerReply::Committed { .. } => Ok(()),
    }
}
