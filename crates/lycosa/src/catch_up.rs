//! What must be put right before a crawl goes on? The archive is cut to what was acknowledged, and the
//! index takes in what it has not committed.

use crate::failure::Failure;
use lycosa_bot::decode::{DecodeLimit, decode};
use lycosa_frontier::{Address, normal};
use lycosa_model::message::{CopyOf, Entry as IndexEntry, IndexerMessage, IndexerReply, Parts};
use lycosa_model::{
    ArchiveMark, ArchivePlace, BotId, Door, Previous, Rank, Spot, Tick, UrlId, UrlRecord,
};
use lycosa_page::{Input, Limits as PageLimits, Reading};
use lycosa_runtime::Mailbox;
use lycosa_segments::Segments;
use lycosa_store::archive::{self, Action, Entry, Kind, Limits, Reader, Record};
use lycosa_store::records::{self, Change, Queued, Records, Run};
use std::collections::BTreeMap;
use std::path::Path;

/// Documents handed to the indexer at once.
const GROUP: usize = 100;

/// Pages that are taken out of the index at once.
const REMOVALS: usize = 1000;

/// Pages that are queued again in one change.
const STEP: u64 = 1000;

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

/// Makes the store forget what an archive file no longer holds, and queues those pages again.
fn forget(records: &Records, file: &str, end: u64) -> Result<(), Failure> {
    let Some(mut run) = records.run()? else {
        return Ok(());
    };
    let mut change = records.change();
    for row in records.urls() {
        let (id, mut record) = row?;
        let lost = |place: &ArchivePlace| place.file == file && place.offset >= end;
        if !record.archived.as_ref().is_some_and(lost) {
            continue;
        }
        record.archived = None;
        if fetch_again(&mut change, &mut run, id, &mut record) {
            run.stored = run.stored.saturating_sub(1);
        }
    }
    change.put_mark(&ArchiveMark { file: file.to_owned(), end });
    change.put_run(&run);
    Ok(change.commit()?)
}

/// Makes the store forget that it has a page, and queues the page again if the run has met it. Tells
/// whether it has.
fn fetch_again(change: &mut Change<'_>, run: &mut Run, id: UrlId, record: &mut UrlRecord) -> bool {
    record.dlast = None;
    record.previous = Previous::default();
    let met = record.run == run.number && record.queued.is_none();
    if met {
        let queued = Queued {
            url_id: id,
            depth: record.depth,
            parent_relevance: 0.0,
            wanted_language: record.wanted_language,
            seed: record.via.is_none(),
        };
        // The broker takes it from its agenda, and lets the strategy judge it.
        let spot = Spot { rank: Rank::UNJUDGED, place: run.take_place(false) };
        change.postpone(run.number, Tick(0), &records::Entry { spot, queued });
        record.queued = Some(spot);
        run.postponed += 1;
        run.pages = run.pages.saturating_sub(1);
    }
    change.put_url(id, record);
    met
}

/// Notes that pages are being indexed, until [`indexed_all`]. If the note is there already, that crawl was
/// killed, and the pages that its indexer had not committed are lost unless the archive has them: they
/// are queued again.
pub(crate) fn begin_indexing(records: &Records, data: &Path) -> Result<(), Failure> {
    if records.is_indexing()? {
        let lost = seek_lost(records, &Segments::create_or_open(data)?)?;
        if lost > 0 {
            tracing::warn!("{lost} pages were not in the index yet; they are fetched again");
        }
        return Ok(());
    }
    let mut change = records.change();
    change.put_indexing(true);
    Ok(change.commit()?)
}

/// Notes that the index has all that it was given.
pub(crate) fn indexed_all(records: &Records) -> Result<(), Failure> {
    let mut change = records.change();
    change.put_indexing(false);
    Ok(change.commit()?)
}

fn seek_lost(records: &Records, segments: &Segments) -> Result<u64, Failure> {
    let Some(mut run) = records.run()? else {
        return Ok(0);
    };
    let searcher = segments.reader()?.searcher();
    let (mut lost, mut change) = (0, records.change());
    for row in records.histories() {
        let (id, mut history) = row?;
        if !history.indexed || segments.has(&searcher, id)? {
            continue;
        }
        let Some(mut record) = records.url(id)?.filter(|record| record.archived.is_none()) else {
            continue;
        };
        history.indexed = false;
        change.put_history(id, &history);
        fetch_again(&mut change, &mut run, id, &mut record);
        lost += 1;
        if lost % STEP == 0 {
            change.put_run(&run);
            std::mem::replace(&mut change, records.change()).commit()?;
        }
    }
    change.put_run(&run);
    change.commit()?;
    Ok(lost)
}

/// Who knows what was acknowledged.
pub(crate) enum Truth<'a> {
    /// The store of a broker in this process.
    Records(&'a Records),
    /// A broker elsewhere, which told these marks to the bot of this name.
    Marks(Vec<ArchiveMark>, &'a str),
}

impl Truth<'_> {
    fn marks(&self) -> Result<Vec<ArchiveMark>, Failure> {
        match self {
            Truth::Records(records) => Ok(records.marks()?),
            Truth::Marks(marks, _) => Ok(marks.clone()),
        }
    }

    /// The page in this record, if it should be in the index; as it was rendered, if it was.
    fn page(
        &self,
        file: &str,
        record: &Record,
        rendered: Option<&Record>,
        limit: &DecodeLimit,
    ) -> Result<Option<IndexEntry>, Failure> {
        match self {
            Truth::Records(records) => current_copy(records, file, record, rendered, limit),
            Truth::Marks(_, name) => Ok(page(record, rendered, name, limit)),
        }
    }
}

/// Gives the indexer every acknowledged page that its last commit did not have. Tells how many.
pub(crate) async fn index(
    truth: &Truth<'_>,
    dir: &Path,
    indexed: &[ArchiveMark],
    indexer: &Mailbox<IndexerMessage>,
    limit: &DecodeLimit,
) -> Result<u64, Failure> {
    let indexed: BTreeMap<&str, u64> =
        indexed.iter().map(|mark| (mark.file.as_str(), mark.end)).collect();
    let mut count = 0;
    for mark in truth.marks()? {
        let begin = indexed.get(mark.file.as_str()).copied().unwrap_or(0);
        let path = dir.join(&mark.file);
        if begin >= mark.end || !path.exists() {
            continue;
        }
        let mut entries = Vec::new();
        let mut last = None;
        for entry in Reader::open_at(&path, begin, 0, Limits::default())? {
            let Entry::Record(record) = entry? else { continue };
            let (exchange, rendered) = match rendered(&last, &record) {
                Some(exchange) => (exchange.clone(), Some(record)),
                None => (record, None),
            };
            let page = truth.page(&mark.file, &exchange, rendered.as_ref(), limit)?;
            put(&mut entries, page);
            last = exchange_of(exchange).or(last);
            if entries.len() >= GROUP {
                count += entries.len() as u64;
                add(indexer, std::mem::take(&mut entries), Vec::new()).await?;
            }
        }
        count += entries.len() as u64;
        add(indexer, entries, vec![mark]).await?;
    }
    Ok(count)
}

/// Whether there is no index yet, or an empty one.
pub(crate) fn is_new_index(data: &Path) -> bool {
    let documents = Segments::open(data).and_then(|index| index.documents());
    !documents.is_ok_and(|documents| documents > 0)
}

/// Notes in a new index which pages others stand for in it, by the records; an old one knows.
pub(crate) async fn name_copies(
    records: &Records,
    indexer: &Mailbox<IndexerMessage>,
    is_new: bool,
) -> Result<(), Failure> {
    if !is_new {
        return Ok(());
    }
    let mut copies = Vec::new();
    for row in records.histories() {
        let (id, history) = row?;
        if history.same_as.is_some() {
            copies.extend(records.copy_of(id)?);
        }
        if copies.len() >= REMOVALS {
            remove_from(indexer, Vec::new(), std::mem::take(&mut copies)).await?;
        }
    }
    remove_from(indexer, Vec::new(), copies).await
}

/// Takes pages out of the index, but for the names of copies.
pub(crate) async fn remove_from(
    indexer: &Mailbox<IndexerMessage>,
    urls: Vec<UrlId>,
    copies: Vec<CopyOf>,
) -> Result<(), Failure> {
    if urls.is_empty() && copies.is_empty() {
        return Ok(());
    }
    match indexer.ask(IndexerMessage::Remove { urls, copies }).await? {
        IndexerReply::Broken(why) => Err(Failure::new(why)),
        IndexerReply::Taken | IndexerReply::Committed { .. } => Ok(()),
    }
}

/// Takes out of the index what has left it by the records, and makes that durable. Tells how many. Until
/// then the records remember it, so a kill at any moment loses no removal.
pub(crate) async fn remove(
    records: &Records,
    indexer: &Mailbox<IndexerMessage>,
) -> Result<u64, Failure> {
    // Bots with an index of their own may still have to hear of it.
    let mut kept = false;
    for row in records.bots() {
        kept |= row?.1.door == Door::Http;
    }
    let (mut count, mut after) = (0, 0);
    loop {
        let rows: Vec<(u64, UrlId)> =
            records.removals(after).take(REMOVALS).collect::<Result<_, _>>()?;
        let Some((last, _)) = rows.last() else {
            return Ok(count);
        };
        after = *last;
        let (mut urls, mut copies) = (Vec::with_capacity(rows.len()), Vec::new());
        for (_, id) in &rows {
            // What came back since is in the index by right.
            if !records.history(*id)?.is_some_and(|history| history.indexed) {
                urls.push(*id);
                copies.extend(records.copy_of(*id)?);
            }
        }
        count += urls.len() as u64;
        remove_from(indexer, urls, copies).await?;
        if let IndexerReply::Broken(why) = indexer.ask(IndexerMessage::Commit).await? {
            return Err(Failure::new(why));
        }
        if !kept {
            let mut change = records.change();
            rows.iter().for_each(|(place, id)| change.remove_removal(*place, *id));
            change.commit()?;
        }
    }
}

/// The page in this record, if it is the copy that the broker has on record.
fn current_copy(
    records: &Records,
    file: &str,
    record: &Record,
    rendered: Option<&Record>,
    limit: &DecodeLimit,
) -> Result<Option<IndexEntry>, Failure> {
    let Some(address) = address(record) else {
        return Ok(None);
    };
    let Some(known) = records.url(address.id)? else {
        return Ok(None);
    };
    let here = |place: &ArchivePlace| place.file == file && place.offset == record.offset;
    // The same body may become another page: then the copy on record is older than its rendering.
    let revisited = record.kind == Kind::Revisit && rendered.is_some();
    if !known.archived.as_ref().is_some_and(|place| revisited || here(place)) {
        return Ok(None);
    }
    // Another address may stand for it, or it has left since.
    if records.history(address.id)?.is_some_and(|history| !history.indexed) {
        return Ok(None);
    }
    let agent = match known.bot1_id {
        Some(bot) => agent_name(records, bot)?,
        None => String::new(),
    };
    Ok(read(record, rendered, address.id, &known.url, agent, limit))
}

/// The exchange of which this record is the rendered form: the one that stands just before it.
pub(crate) fn rendered<'a>(last: &'a Option<Record>, record: &Record) -> Option<&'a Record> {
    let refers_to = record.refers_to().filter(|_| record.kind == Kind::Conversion)?;
    last.as_ref().filter(|last| last.id() == Some(refers_to))
}

/// A record that holds a response, whole or only its head.
pub(crate) fn exchange_of(record: Record) -> Option<Record> {
    matches!(record.kind, Kind::Response | Kind::Revisit).then_some(record)
}

/// Adds a page; its rendered form takes the place of the form before.
pub(crate) fn put(entries: &mut Vec<IndexEntry>, page: Option<IndexEntry>) {
    let Some(page) = page else { return };
    if entries.last().is_some_and(|last| last.document.url_id == page.document.url_id) {
        entries.pop();
    }
    entries.push(page);
}

/// Address of a record that holds a response, whole or only its head.
fn address(record: &Record) -> Option<Address> {
    let exchange = matches!(record.kind, Kind::Response | Kind::Revisit);
    let uri = record.target_uri.as_deref().filter(|_| exchange)?;
    normal::parse(uri).ok()
}

/// The page that a record of an archive without a broker only names, because another has the same body.
pub(crate) fn copy(record: &Record) -> Option<CopyOf> {
    let original = record.refers_to_uri().filter(|_| record.kind == Kind::Revisit)?;
    let (own, original) = (address(record)?, normal::parse(&original).ok()?);
    let copy = CopyOf { url_id: own.id, url: own.request, of: original.id };
    (copy.of != copy.url_id).then_some(copy)
}

/// The page in a record of an archive that has no broker.
pub(crate) fn page(
    record: &Record,
    rendered: Option<&Record>,
    agent: &str,
    limit: &DecodeLimit,
) -> Option<IndexEntry> {
    // Archives keep robots.txt beside the pages; it is none.
    let address = address(record).filter(|address| address.path_and_query() != "/robots.txt")?;
    read(record, rendered, address.id, &address.request, agent.to_owned(), limit)
}

fn agent_name(records: &Records, bot: BotId) -> Result<String, Failure> {
    Ok(records.bot(bot)?.map(|bot| bot.name).unwrap_or_default())
}

/// Reads the page in a response record, or its rendered form; `None` when it is not a successful answer
/// with text.
fn read(
    record: &Record,
    rendered: Option<&Record>,
    url_id: UrlId,
    url: &str,
    agent: String,
    limit: &DecodeLimit,
) -> Option<IndexEntry> {
    let mut response = record.http().ok()?;
    if !(200..300).contains(&response.status) {
        return None;
    }
    let body = match rendered {
        Some(rendered) => {
            let headers = &mut response.headers;
            headers.0.retain(|header| !header.name.eq_ignore_ascii_case("content-type"));
            headers.push("Content-Type", rendered.headers.get("Content-Type")?.to_owned());
            rendered.block.clone()
        }
        None if record.kind == Kind::Response => {
            decode(&response.headers, &response.body, limit).ok()?
        }
        None => return None,
    };
    let input = Input::new(url_id, url, &body).with_headers(&response.headers);
    let input = input.for_parts(Parts::INDEX);
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
