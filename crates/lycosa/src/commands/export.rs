//! `lycosa export`: documents, archives and URLs for elsewhere.

mod graph;
mod lattice;

use crate::cli::{Common, Export, ExportKind};
use crate::commands::status::open_records;
use crate::failure::{Ending, Failure};
use crate::output;
use lycosa_broker::urlfrontier::dump;
use lycosa_model::{Document, UrlId, UrlRecord, UrlState};
use lycosa_page::xml;
use lycosa_segments::{StoredDocument, for_each_document};
use lycosa_store::archive;
use lycosa_store::queues::Queues;
use lycosa_store::tally::Kind;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

pub(crate) fn run(common: &Common, args: &Export) -> Result<Ending, Failure> {
    let mut out: Box<dyn Write> =
        match &args.out {
            None => Box::new(BufWriter::new(std::io::stdout().lock())),
            Some(path) => Box::new(BufWriter::new(File::create(path).map_err(|error| {
                Failure::new(format!("cannot write {}: {error}", path.display()))
            })?)),
        };
    let data = common.data();
    let count = match args.what {
        ExportKind::Xml => export_xml(&data, &mut out),
        ExportKind::Jsonl => jsonl(&data, &mut out),
        ExportKind::Urls => urls(common, &mut out),
        ExportKind::Urlfrontier => urlfrontier(common, &mut out),
        ExportKind::Warc => warc(&data, &mut out),
        ExportKind::Cdxj => cdxj(&data, &mut out),
        ExportKind::Graph => graph::write(&data, args, &mut out),
        ExportKind::Lattice => lattice::write(&data, args, &mut out).map_err(Stop::from),
    };
    let written = count.and_then(|count| {
        out.flush()?;
        Ok(count)
    });
    match written {
        Ok(0) => {
            if !common.quiet {
                output::note(format!("there is nothing to give out in {}", data.display()));
            }
            Ok(Ending::Partial)
        }
        // Whoever read it has had enough.
        Ok(_) | Err(Stop::Unread) => Ok(Ending::Done),
        Err(Stop::Failed(failure)) => Err(failure),
    }
}

/// Why an export ended early.
enum Stop {
    /// Nobody reads any more, as in `lycosa export urls | head`.
    Unread,
    /// It could not be read or written.
    Failed(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Failed(failure)
    }
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Stop {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Stop::Unread;
        }
        Stop::Failed(Failure::new(format!("cannot write: {error}")))
    }
}

/// Gives every document of the index to `write`.
fn documents(
    data: &Path,
    mut write: impl FnMut(StoredDocument) -> std::io::Result<()>,
) -> Result<u64, Stop> {
    let mut count = 0;
    let mut failed = None;
    for_each_document(data, |document| match write(document) {
        Ok(()) => {
            count += 1;
            ControlFlow::Continue(())
        }
        Err(error) => {
            failed = Some(error);
            ControlFlow::Break(())
        }
    })
    .map_err(|error| {
        let hint = error.hint();
        Failure::from(error).hint(hint)
    })?;
    match failed {
        Some(error) => Err(error.into()),
        None => Ok(count),
    }
}

/// i-Bot's documents: display and folded forms, valid XML 1.0.
fn export_xml(data: &Path, out: &mut dyn Write) -> Result<u64, Stop> {
    out.write_all(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<documents>\n")?;
    let mut text = String::new();
    let count = documents(data, |stored| {
        text.clear();
        xml::write(&restore(stored), &mut text);
        text.push('\n');
        out.write_all(text.as_bytes())
    })?;
    out.write_all(b"</documents>\n")?;
    Ok(count)
}

/// The part of a document that the index keeps.
fn restore(stored: StoredDocument) -> Document {
    let main = if stored.main.is_empty() { stored.text.clone() } else { stored.main };
    Document {
        title: stored.title,
        keywords: stored.keywords,
        description: stored.description,
        headings: stored.headings,
        byline: stored.byline,
        published: stored.published,
        modified: stored.modified,
        text: stored.text,
        main,
        languages: stored.languages,
        ..Document::empty(stored.url_id, stored.url)
    }
}

fn jsonl(data: &Path, out: &mut dyn Write) -> Result<u64, Stop> {
    documents(data, |stored| {
        let row = json!({
            "url_id": stored.url_id,
            "url": stored.url,
            "id": stored.id,
            "title": stored.title,
            "text": stored.text,
            "lang": stored.lang,
            "fetched": archive::warc_date(stored.fetched),
            "description": stored.description,
            "keywords": stored.keywords,
            "headings": stored.headings,
            "byline": stored.byline,
            "published": stored.published.map(archive::warc_date),
            "modified": stored.modified.map(archive::warc_date),
            "agent": stored.agent,
        });
        writeln!(out, "{row}")
    })
}

/// i-Bot's URL records, also of URLs that wait and have none yet.
fn urls(common: &Common, out: &mut dyn Write) -> Result<u64, Stop> {
    let records = open_records(common)?;
    let run = records.run().map_err(Failure::from)?.unwrap_or_default();
    let mut inlinks = records.tally(Kind::Inlinks).map_err(Failure::from)?;
    let mut count = 0;
    for row in records.urls().chain(records.all_unasked()) {
        let (id, record) = row.map_err(Failure::from)?;
        let inlinks = inlinks.total(id.fingerprint()).map_err(Failure::from)?;
        writeln!(out, "{}", url_row(id, &record, run.number, inlinks))?;
        count += 1;
    }
    Ok(count)
}

fn url_row(id: UrlId, record: &UrlRecord, run: u32, inlinks: i32) -> Value {
    let state = match record.state {
        UrlState::Waiting(_) => json!("waiting"),
        UrlState::Answered(status) => json!(status),
        UrlState::Ended(outcome) => json!(outcome.name()),
        UrlState::Dropped => json!("dropped"),
    };
    json!({
        "url_id": id,
        "url": record.url,
        "state": state,
        "tsstate": record.tsstate,
        "inlinks": inlinks.max(0),
        "outlinks": record.outlinks,
        "dinit": record.dinit,
        "dlast": record.dlast,
        "language": record.language,
        "bot1_id": record.bot1_id,
        "bot2_id": record.bot2_id,
        "depth": record.depth,
        "failures": record.failures,
        "queued": record.queued.is_some() && record.run == run,
    })
}

/// The queues of other crawlers.
fn urlfrontier(common: &Common, out: &mut dyn Write) -> Result<u64, Stop> {
    let records = open_records(common)?;
    let queues = Queues::open(&records).map_err(Failure::from)?;
    let mut count = 0;
    for line in dump::lines(&queues) {
        writeln!(out, "{}", line.map_err(Failure::from)?)?;
        count += 1;
    }
    Ok(count)
}

/// Files of the archive with this ending, by name.
fn archive_files(data: &Path, ending: &str) -> Result<Vec<PathBuf>, Failure> {
    let dir = data.join("archive");
    let listing = std::fs::read_dir(&dir).map_err(|error| {
        Failure::new(format!("there is no archive in {}: {error}", dir.display()))
            .hint("is --data right?")
    })?;
    let mut files = Vec::new();
    for file in listing {
        let path = file?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(ending)) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("cannot read {}: {error}", path.display()))
}

fn open(path: &Path) -> Result<File, Failure> {
    File::open(path).map_err(|error| unreadable(path, &error))
}

/// WARC files one after the other are a WARC file.
fn warc(data: &Path, out: &mut dyn Write) -> Result<u64, Stop> {
    let files = archive_files(data, ".warc.gz")?;
    for path in &files {
        std::io::copy(&mut open(path)?, out)?;
    }
    Ok(files.len() as u64)
}

/// All lines of the archive's index, sorted.
fn cdxj(data: &Path, out: &mut dyn Write) -> Result<u64, Stop> {
    let mut lines = Vec::new();
    for path in archive_files(data, ".cdxj")? {
        for line in BufReader::new(open(&path)?).lines() {
            lines.push(line.map_err(|error| unreadable(&path, &error))?);
        }
    }
    lines.sort_unstable();
    for line in &lines {
        writeln!(out, "{line}")?;
    }
    Ok(lines.len() as u64)
}
