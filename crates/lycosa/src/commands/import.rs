//! `lycosa import`: documents, archives and URLs from elsewhere.

use crate::catch_up;
use crate::cli::{Common, Files, Import};
use crate::config::Config;
use crate::crew::{self, Crew};
use crate::failure::{Ending, Failure};
use crate::{folder, output};
use lycosa_broker::Plan;
use lycosa_broker::urlfrontier::dump::{DumpError, Loader};
use lycosa_knowledge::RelevanceModel;
use lycosa_lab::documents::{self, Majority};
use lycosa_model::message::IndexerMessage;
use lycosa_runtime::{Clock, Mailbox, Registry};
use lycosa_store::archive::{self, Reader};
use lycosa_store::queues::Queues;
use lycosa_store::records::Records;
use std::fs::File;
use std::future::Future;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// Documents handed to the indexer at once.
const GROUP: usize = 500;

/// Longest line in bytes.
const MAX_LINE: usize = 64 << 20;

pub(crate) fn run(common: &Common, args: Import) -> Result<Ending, Failure> {
    match args {
        Import::Jsonl(files) => rows(common, &files),
        Import::Warc(files) => archives(common, &files),
        Import::Urls(files) => urls(common, &files),
        Import::Urlfrontier(files) => urlfrontier(common, &files),
    }
}

/// Opens the index of the data folder, lets `work` fill it, and commits.
fn fill<F: Future<Output = Result<u64, Failure>>>(
    common: &Common,
    work: impl FnOnce(Mailbox<IndexerMessage>) -> F,
) -> Result<Ending, Failure> {
    let folder = folder::lock(&common.data())?;
    let config = Config::load(common.config.as_deref())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let clock = Clock::start(Default::default());
        let crew = Crew::assemble(Registry::default(), clock, &config, &folder, None).await?;
        let Some(indexer) = crew.indexer.clone() else {
            return Err(
                Failure::new("the index is switched off").hint("set write = true in [index]")
            );
        };
        let count = work(indexer).await?;
        let ended = crew.finish(None).await?;
        if let Some(why) = ended.trouble {
            return Err(Failure::new(why));
        }
        if common.json {
            let facts = serde_json::json!({ "imported": count, "documents": ended.documents });
            output::json(&facts)?;
        } else {
            let documents = output::counted(ended.documents, "document");
            output::line(format!("{count} imported, {documents} in the index"));
        }
        Ok(if count == 0 { Ending::Partial } else { Ending::Done })
    })
}

/// Opens a file, `-`, or a gzip file by its ending.
fn open(path: &Path) -> Result<Box<dyn BufRead>, Failure> {
    if path == Path::new("-") {
        return Ok(Box::new(BufReader::new(std::io::stdin())));
    }
    let file = File::open(path)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))?;
    let reader: Box<dyn Read> = if path.extension().is_some_and(|end| end == "gz") {
        Box::new(flate2::read::MultiGzDecoder::new(file))
    } else {
        Box::new(file)
    };
    Ok(Box::new(BufReader::new(reader)))
}

/// The lines of a file that are not empty, with their numbers.
struct Lines<'a> {
    path: &'a Path,
    reader: Box<dyn BufRead>,
    number: usize,
}

impl Lines<'_> {
    fn of(path: &Path) -> Result<Lines<'_>, Failure> {
        Ok(Lines { path, reader: open(path)?, number: 0 })
    }

    /// Where the last line stands, for a message.
    fn place(&self) -> String {
        format!("{}:{}", self.path.display(), self.number)
    }

    fn next(&mut self) -> Result<Option<String>, Failure> {
        loop {
            self.number += 1;
            let mut bytes = Vec::new();
            let limit = MAX_LINE as u64 + 1;
            let read = (&mut self.reader).take(limit).read_until(b'\n', &mut bytes);
            read.map_err(|error| Failure::new(format!("{}: {error}", self.place())))?;
            if bytes.is_empty() {
                return Ok(None);
            }
            if bytes.len() > MAX_LINE {
                return Err(Failure::new(format!(
                    "{}: a line of more than {MAX_LINE} bytes",
                    self.place()
                )));
            }
            let line = String::from_utf8(bytes)
                .map_err(|_| Failure::new(format!("{}: not UTF-8", self.place())))?;
            if !line.trim().is_empty() {
                return Ok(Some(line));
            }
        }
    }
}

fn rows(common: &Common, args: &Files) -> Result<Ending, Failure> {
    fill(common, |indexer| async move {
        let mut count = 0;
        for path in &args.files {
            let mut lines = Lines::of(path)?;
            let mut entries = Vec::new();
            let mut majority = Majority::default();
            while let Some(line) = lines.next()? {
                let entry = documents::read(&line).map_err(|error| {
                    Failure::new(format!("{}: {error}", lines.place()))
                        .hint("each line is {\"id\", \"url\", \"title\", \"text\"}")
                })?;
                entries.push(entry);
                count += 1;
                if entries.len() >= GROUP {
                    majority.settle(&mut entries);
                    catch_up::add(&indexer, std::mem::take(&mut entries), Vec::new()).await?;
                }
            }
            majority.settle(&mut entries);
            catch_up::add(&indexer, entries, Vec::new()).await?;
        }
        Ok(count)
    })
}

fn archives(common: &Common, args: &Files) -> Result<Ending, Failure> {
    let limit = crew::decode_limit(&Config::load(common.config.as_deref())?);
    fill(common, |indexer| async move {
        let mut count = 0;
        for path in &args.files {
            let (mut entries, mut copies) = (Vec::new(), Vec::new());
            let mut last = None;
            for entry in Reader::open(path, archive::Limits::default())? {
                match entry? {
                    archive::Entry::Fault(fault) => {
                        tracing::warn!("{} at {}: {}", path.display(), fault.offset, fault.what);
                    }
                    archive::Entry::Record(record) => {
                        let (exchange, rendered) = match catch_up::rendered(&last, &record) {
                            Some(exchange) => (exchange.clone(), Some(record)),
                            None => (record, None),
                        };
                        copies.extend(catch_up::copy(&exchange));
                        let page = catch_up::page(&exchange, rendered.as_ref(), "import", &limit);
                        catch_up::put(&mut entries, page);
                        last = catch_up::exchange_of(exchange).or(last);
                    }
                }
                if entries.len() >= GROUP {
                    count += entries.len() as u64;
                    catch_up::add(&indexer, std::mem::take(&mut entries), Vec::new()).await?;
                }
                if copies.len() >= GROUP {
                    let copies = std::mem::take(&mut copies);
                    catch_up::remove_from(&indexer, Vec::new(), copies).await?;
                }
            }
            count += entries.len() as u64;
            catch_up::add(&indexer, entries, Vec::new()).await?;
            catch_up::remove_from(&indexer, Vec::new(), copies).await?;
        }
        Ok(count)
    })
}

fn urls(common: &Common, args: &Files) -> Result<Ending, Failure> {
    let mut urls = Vec::new();
    for path in &args.files {
        let mut lines = Lines::of(path)?;
        while let Some(line) = lines.next()? {
            // A line of `export urls`, or just an address.
            let url = serde_json::from_str::<serde_json::Value>(&line)
                .ok()
                .and_then(|row| row.get("url")?.as_str().map(str::to_owned))
                .unwrap_or_else(|| line.trim().to_owned());
            urls.push(url);
        }
    }
    let folder = folder::lock(&common.data())?;
    let records = Records::open(&folder.broker())?;
    let config = Config::load(common.config.as_deref())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let plan = Plan {
            clock: Clock::start(crew::last_moment(&records)?),
            records,
            settings: crew::broker_settings(&config, None),
            strategy: config.crawl.strategy().to_owned(),
            setup: config.setup()?,
            relevance: RelevanceModel::default(),
            resume: true,
        };
        let (broker, handle) = crew::spawn_broker(&Registry::default(), plan)?;
        let given = urls.len();
        let refused = crew::sow(&broker, urls).await?;
        drop(broker);
        handle.join().await;
        let taken = given - refused.len();
        if common.json {
            let facts = serde_json::json!({ "imported": taken, "refused": refused });
            output::json(&facts)?;
        } else {
            let urls = output::counted(taken as u64, "URL");
            output::line(format!("{urls} taken; crawl with: lycosa crawl --resume"));
            for (url, why) in &refused {
                output::line(format!("  {url}: {why}"));
            }
        }
        Ok(if taken == 0 { Ending::Partial } else { Ending::Done })
    })
}

/// A dump of URLFrontier, into the queues of other crawlers.
fn urlfrontier(common: &Common, args: &Files) -> Result<Ending, Failure> {
    let folder = folder::lock(&common.data())?;
    let records = Records::open(&folder.broker())?;
    let mut loader = Loader::open(Queues::open(&records)?)?;
    for path in &args.files {
        let mut lines = Lines::of(path)?;
        while let Some(line) = lines.next()? {
            loader.line(&line).map_err(|error| match error {
                DumpError::Line(_) => Failure::new(format!("{}: {error}", lines.place()))
                    .hint("each line is a URLItem in JSON, or just a URL"),
                DumpError::Store(_) => error.into(),
            })?;
        }
    }
    let loaded = loader.finish()?;
    records.sync()?;
    if common.json {
        let facts = serde_json::json!({ "imported": loaded.taken, "skipped": loaded.skipped });
        output::json(&facts)?;
    } else {
        let urls = output::counted(loaded.taken, "URL");
        output::line(format!("{urls} taken, {} skipped", loaded.skipped));
    }
    Ok(if loaded.taken == 0 { Ending::Partial } else { Ending::Done })
}
