//! How do whole frontiers move? One `URLItem` a line, in the JSON form of protocol buffers, as the client
//! of URLFrontier dumps and reads them.

use super::book::{Book, Put, Verdict};
use super::desk::now;
use super::door::known;
use super::messages::{DiscoveredUrlItem, KnownUrlItem, StringList, UrlInfo, UrlItem, url_item};
use super::names;
use lycosa_store::queues::Queues;
use lycosa_store::records::StoreError;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// URLs taken in one change.
const GROUP: usize = 4_096;

/// Why a dump cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum DumpError {
    /// A line is neither an address nor an item.
    #[error("the line is no URLItem: {0}")]
    Line(String),
    /// The store failed.
    #[error("{0}")]
    Store(String),
}

/// What became of the lines of a dump.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Loaded {
    /// URLs taken.
    pub taken: u64,
    /// URLs that were known, or can never be taken.
    pub skipped: u64,
}

/// Reads a dump into the queues of a store.
pub struct Loader {
    book: Book,
    group: Vec<Put>,
    loaded: Loaded,
}

impl Loader {
    /// Begins. Nobody else may use the queues meanwhile.
    pub fn open(store: Queues) -> Result<Loader, StoreError> {
        let book = Book::open(store, now())?;
        Ok(Loader { book, group: Vec::new(), loaded: Loaded::default() })
    }

    /// Takes a line: an item, or just an address, which is then discovered.
    pub fn line(&mut self, line: &str) -> Result<(), DumpError> {
        let item = match line.trim_start().starts_with('{') {
            true => from_json(line)?,
            false => discovered(line.trim()),
        };
        let created = item.creation_date;
        match names::item(item) {
            Ok(put) => {
                let created = Some(created).filter(|created| *created > 0);
                self.group.push(Put { created, ..put });
            }
            Err(why) => {
                tracing::warn!("a URL is skipped: {why}");
                self.loaded.skipped += 1;
            }
        }
        if self.group.len() >= GROUP { self.flush() } else { Ok(()) }
    }

    /// Ends; everything is in the store then.
    pub fn finish(mut self) -> Result<Loaded, DumpError> {
        self.flush()?;
        Ok(self.loaded)
    }

    fn flush(&mut self) -> Result<(), DumpError> {
        let group = std::mem::take(&mut self.group);
        let verdicts = self.book.put(group, now());
        for verdict in verdicts.map_err(|error| DumpError::Store(error.to_string()))? {
            match verdict {
                Verdict::Taken => self.loaded.taken += 1,
                Verdict::Skipped => self.loaded.skipped += 1,
                Verdict::Failed => {
                    return Err(DumpError::Store("there are too many queues".to_owned()));
                }
            }
        }
        Ok(())
    }
}

/// Every URL of every queue, one line each, without line feed.
pub fn lines(store: &Queues) -> impl Iterator<Item = Result<String, StoreError>> {
    store.queues().flat_map(|queue| {
        let (urls, failed) = match queue {
            Ok((id, record)) => {
                let urls = store.urls(id).map(move |row| {
                    let (url, row) = row?;
                    Ok(to_json(&known(&record.crawl, &record.key, url, row)))
                });
                (Some(urls), None)
            }
            Err(error) => (None, Some(Err(error))),
        };
        urls.into_iter().flatten().chain(failed)
    })
}

fn discovered(url: &str) -> UrlItem {
    let info = Some(UrlInfo { url: url.to_owned(), ..UrlInfo::default() });
    UrlItem {
        item: Some(url_item::Item::Discovered(DiscoveredUrlItem { info })),
        ..UrlItem::default()
    }
}

/// An item in JSON. What has its default value is left out, and 64-bit numbers are strings, as protocol
/// buffers want it.
pub fn to_json(item: &UrlItem) -> String {
    let mut row = Map::new();
    match &item.item {
        Some(url_item::Item::Discovered(found)) => {
            row.insert("discovered".into(), json!({ "info": said(found.info.as_ref()) }));
        }
        Some(url_item::Item::Known(known)) => {
            let mut inner = Map::new();
            inner.insert("info".into(), said(known.info.as_ref()));
            insert(&mut inner, "refetchableFromDate", known.refetchable_from_date);
            row.insert("known".into(), inner.into());
        }
        None => {}
    }
    if !item.id.is_empty() {
        row.insert("ID".into(), item.id.clone().into());
    }
    insert(&mut row, "creationDate", item.creation_date);
    Value::from(row).to_string()
}

fn insert(row: &mut Map<String, Value>, name: &str, number: u64) {
    if number > 0 {
        row.insert(name.into(), number.to_string().into());
    }
}

fn said(info: Option<&UrlInfo>) -> Value {
    let mut row = Map::new();
    let Some(info) = info else { return row.into() };
    for (name, text) in [("url", &info.url), ("key", &info.key)] {
        if !text.is_empty() {
            row.insert(name.into(), text.clone().into());
        }
    }
    if !info.metadata.is_empty() {
        let lists = info.metadata.iter().map(|(name, list)| {
            let list =
                if list.values.is_empty() { json!({}) } else { json!({ "values": list.values }) };
            (name.clone(), list)
        });
        row.insert("metadata".into(), Value::Object(lists.collect()));
    }
    if !info.crawl_id.is_empty() {
        row.insert("crawlID".into(), info.crawl_id.clone().into());
    }
    row.into()
}

/// Reads an item. Names may be written as in the protocol or as in JSON, and numbers as strings.
pub fn from_json(line: &str) -> Result<UrlItem, DumpError> {
    let row: Value = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
    let item = match (row.get("discovered"), row.get("known")) {
        (Some(found), None) => {
            url_item::Item::Discovered(DiscoveredUrlItem { info: Some(info(found)?) })
        }
        (None, Some(known)) => url_item::Item::Known(KnownUrlItem {
            info: Some(info(known)?),
            refetchable_from_date: number(known, ["refetchableFromDate", "refetchable_from_date"])?,
        }),
        _ => return Err(wrong("it holds neither or both of `discovered` and `known`")),
    };
    Ok(UrlItem {
        item: Some(item),
        id: text(&row, ["ID", "id"])?,
        creation_date: number(&row, ["creationDate", "creation_date"])?,
    })
}

fn wrong(why: impl Into<String>) -> DumpError {
    DumpError::Line(why.into())
}

fn field<'a>(row: &'a Value, names: [&str; 2]) -> Option<&'a Value> {
    names.into_iter().find_map(|name| row.get(name)).filter(|value| !value.is_null())
}

fn text(row: &Value, names: [&str; 2]) -> Result<String, DumpError> {
    match field(row, names) {
        None => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(other) => Err(wrong(format!("`{}` is no text: {other}", names[0]))),
    }
}

fn number(row: &Value, names: [&str; 2]) -> Result<u64, DumpError> {
    let Some(value) = field(row, names) else { return Ok(0) };
    let read = value.as_u64().or_else(|| value.as_str()?.parse().ok());
    read.ok_or_else(|| wrong(format!("`{}` is no number: {value}", names[0])))
}

fn info(item: &Value) -> Result<UrlInfo, DumpError> {
    let row = field(item, ["info", "info"]).ok_or_else(|| wrong("`info` is missing"))?;
    let mut metadata = BTreeMap::new();
    for (name, list) in
        field(row, ["metadata", "metadata"]).and_then(Value::as_object).into_iter().flatten()
    {
        let values = list.get("values").and_then(Value::as_array).map(Vec::as_slice);
        let values =
            values.unwrap_or_default().iter().map(|value| value.as_str().map(str::to_owned));
        let values: Option<Vec<String>> = values.collect();
        let values = values.ok_or_else(|| wrong(format!("`{name}` holds what is no text")))?;
        metadata.insert(name.clone(), StringList { values });
    }
    Ok(UrlInfo {
        url: text(row, ["url", "url"])?,
        key: text(row, ["key", "key"])?,
        metadata,
        crawl_id: text(row, ["crawlID", "crawlId"])?,
    })
}
