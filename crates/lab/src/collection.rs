//! What is a judged collection? A folder with `corpus.jsonl.gz` (or `corpus.jsonl`; documents as
//! [`crate::documents`] reads them), `queries.tsv` (id, tab, words) and `qrels.tsv` (id of the query, tab,
//! id of the document, tab, gain).

use crate::documents::{Majority, Row};
use crate::evaluation::Judgements;
use flate2::read::MultiGzDecoder;
use lycosa_model::Lang;
use lycosa_model::message::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Longest line in bytes.
const MAX_LINE: usize = 64 << 20;
/// Most documents of a collection: it is held in memory.
const MAX_DOCUMENTS: usize = 5_000_000;

/// Documents, questions and what people judged.
#[derive(Debug)]
pub struct Collection {
    /// Name of its folder.
    pub name: String,
    /// The documents, each with an id, in the order of the file.
    pub documents: Vec<Entry>,
    /// All that each of them says in one text, in the same order.
    pub flat: Vec<String>,
    /// Language of most of the documents.
    pub lang: Option<Lang>,
    /// Queries by their id.
    pub queries: BTreeMap<String, String>,
    /// What is relevant to them.
    pub judgements: Judgements,
    /// What is odd about it, in words, with counts.
    pub warnings: Vec<String>,
}

/// Why a folder is no collection.
#[derive(Debug, thiserror::Error)]
pub enum CollectionError {
    /// A file is missing or cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A line is not what it should be.
    #[error("{}:{line}: {what}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Counts from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// It is too large for this.
    #[error("{} has more than {MAX_DOCUMENTS} documents", .0.display())]
    TooLarge(PathBuf),
    /// There is nothing to measure with.
    #[error("{}: no query has a relevant document", .0.display())]
    NothingJudged(PathBuf),
}

impl CollectionError {
    /// What a person can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            CollectionError::Unreadable { .. } => {
                "a collection is a folder with corpus.jsonl.gz, queries.tsv and qrels.tsv"
            }
            CollectionError::Line { path, .. } if path.ends_with("queries.tsv") => {
                "each line is: id, tab, query; no id twice"
            }
            CollectionError::Line { path, .. } if path.ends_with("qrels.tsv") => {
                "each line is: id of the query, tab, id of the document, tab, gain (a number)"
            }
            CollectionError::Line { .. } => "each line is {\"_id\", \"title\", \"text\"}",
            CollectionError::TooLarge(_) => "measure with a part of it",
            CollectionError::NothingJudged(_) => {
                "the ids of queries.tsv and the first column of qrels.tsv must be the same"
            }
        }
    }
}

/// A file that is read line by line.
struct Lines {
    path: PathBuf,
    reader: Box<dyn BufRead>,
    number: usize,
}

impl Lines {
    fn open(path: &Path) -> Result<Lines, CollectionError> {
        let file = File::open(path).map_err(|source| unreadable(path, source))?;
        let reader: Box<dyn Read> = match path.extension() {
            Some(end) if end == "gz" => Box::new(MultiGzDecoder::new(file)),
            _ => Box::new(file),
        };
        Ok(Lines { path: path.to_owned(), reader: Box::new(BufReader::new(reader)), number: 0 })
    }

    fn wrong(&self, what: impl Into<String>) -> CollectionError {
        CollectionError::Line { path: self.path.clone(), line: self.number, what: what.into() }
    }

    /// The next line that is not empty, without its end.
    fn next(&mut self) -> Result<Option<String>, CollectionError> {
        loop {
            self.number += 1;
            let mut bytes = Vec::new();
            let read = (&mut self.reader).take(MAX_LINE as u64 + 1).read_until(b'\n', &mut bytes);
            read.map_err(|error| self.wrong(error.to_string()))?;
            if bytes.is_empty() {
                return Ok(None);
            }
            if bytes.len() > MAX_LINE {
                return Err(self.wrong(format!("a line of more than {MAX_LINE} bytes")));
            }
            let line = String::from_utf8(bytes).map_err(|_| self.wrong("not UTF-8"))?;
            let line = line.trim_end_matches(['\n', '\r']);
            if !line.trim().is_empty() {
                return Ok(Some(line.to_owned()));
            }
        }
    }
}

fn unreadable(path: &Path, source: std::io::Error) -> CollectionError {
    CollectionError::Unreadable { path: path.to_owned(), source }
}

impl Collection {
    /// Reads a collection from its folder.
    pub fn read(folder: &Path) -> Result<Collection, CollectionError> {
        let (documents, flat, mut warnings) = corpus(folder)?;
        let queries = queries(&folder.join("queries.tsv"))?;
        let judgements = judgements(&folder.join("qrels.tsv"), &mut warnings)?;
        if !judgements.values().any(is_relevant) {
            return Err(CollectionError::NothingJudged(folder.to_owned()));
        }
        let names: BTreeSet<&str> =
            documents.iter().filter_map(|entry| entry.id.as_deref()).collect();
        let judged = judgements.values().flat_map(BTreeMap::keys);
        let lost = judged.filter(|name| !names.contains(name.as_str())).count();
        note(&mut warnings, lost, "judgements of documents that the corpus does not have");
        let unasked = judgements.keys().filter(|query| !queries.contains_key(*query)).count();
        note(&mut warnings, unasked, "judged queries that queries.tsv does not have (count 0)");
        let unjudged = |query: &&String| !judgements.get(*query).is_some_and(is_relevant);
        let unjudged = queries.keys().filter(unjudged).count();
        note(&mut warnings, unjudged, "queries without a relevant document (left out)");
        Ok(Collection {
            name: name(folder),
            lang: main_language(&documents),
            documents,
            flat,
            queries,
            judgements,
            warnings,
        })
    }

    /// The queries that count, each with its words (none when `queries.tsv` lacks it) and its gains.
    pub fn judged(&self) -> impl Iterator<Item = (&str, &str, &BTreeMap<String, f64>)> {
        self.judgements.iter().filter(|(_, gains)| is_relevant(gains)).map(|(id, gains)| {
            (id.as_str(), self.queries.get(id).map_or("", String::as_str), gains)
        })
    }
}

fn is_relevant(gains: &BTreeMap<String, f64>) -> bool {
    gains.values().any(|gain| *gain > 0.0)
}

fn note(warnings: &mut Vec<String>, count: usize, what: &str) {
    if count > 0 {
        warnings.push(format!("{count} {what}"));
    }
}

/// The name of a folder, also of `.` and of `DIR/..`.
fn name(folder: &Path) -> String {
    let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    whole
        .file_name()
        .map_or_else(|| "collection".into(), |name| name.to_string_lossy().into_owned())
}

/// Documents, the same as flat texts, and warnings.
type Corpus = (Vec<Entry>, Vec<String>, Vec<String>);

fn corpus(folder: &Path) -> Result<Corpus, CollectionError> {
    let (packed, plain) = (folder.join("corpus.jsonl.gz"), folder.join("corpus.jsonl"));
    let mut lines = Lines::open(if plain.exists() && !packed.exists() { &plain } else { &packed })?;
    let (mut documents, mut flat) = (Vec::new(), Vec::new());
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut twice = 0;
    while let Some(line) = lines.next()? {
        let row = Row::parse(&line).map_err(|what| lines.wrong(what))?;
        let text = row.flat();
        let mut entry = row.entry().map_err(|what| lines.wrong(what))?;
        let id = entry.id.get_or_insert_with(|| entry.document.url.clone()).clone();
        if documents.len() >= MAX_DOCUMENTS {
            return Err(CollectionError::TooLarge(folder.to_owned()));
        }
        match places.get(&id) {
            Some(place) => {
                (documents[*place], flat[*place]) = (entry, text);
                twice += 1;
            }
            None => {
                places.insert(id, documents.len());
                documents.push(entry);
                flat.push(text);
            }
        }
    }
    Majority::default().settle(&mut documents);
    let mut warnings = Vec::new();
    note(&mut warnings, twice, "documents with the id of another one (the last one counts)");
    Ok((documents, flat, warnings))
}

fn queries(path: &Path) -> Result<BTreeMap<String, String>, CollectionError> {
    let mut lines = Lines::open(path)?;
    let mut queries = BTreeMap::new();
    while let Some(line) = lines.next()? {
        let (id, words) = line.split_once('\t').ok_or_else(|| lines.wrong("no tab"))?;
        if queries.insert(id.trim().to_owned(), words.to_owned()).is_some() {
            return Err(lines.wrong(format!("the query {id} stands here twice")));
        }
    }
    Ok(queries)
}

fn judgements(path: &Path, warnings: &mut Vec<String>) -> Result<Judgements, CollectionError> {
    let mut lines = Lines::open(path)?;
    let mut judgements = Judgements::new();
    let mut twice = 0;
    while let Some(line) = lines.next()? {
        let mut columns = line.split('\t').map(str::trim);
        let (Some(query), Some(document), Some(gain)) =
            (columns.next(), columns.next(), columns.next())
        else {
            return Err(lines.wrong("fewer than three columns"));
        };
        let gain: f64 = match gain.parse() {
            Ok(gain) if f64::is_finite(gain) => gain,
            _ => return Err(lines.wrong(format!("`{gain}` is no gain"))),
        };
        let gains = judgements.entry(query.to_owned()).or_default();
        twice += usize::from(gains.insert(document.to_owned(), gain).is_some());
    }
    note(warnings, twice, "documents judged twice for a query (the last one counts)");
    Ok(judgements)
}

/// The language of most documents.
fn main_language(documents: &[Entry]) -> Option<Lang> {
    let mut counts: BTreeMap<Lang, usize> = BTreeMap::new();
    for lang in documents.iter().filter_map(|entry| entry.document.main_language()) {
        *counts.entry(lang).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(lang, _)| lang)
}

#[cfg(test)]
mod tests;
