//! What is a line of a collection? A document from elsewhere, with whatever it knows of itself: what
//! `lycosa import jsonl` and the studies read.

use lycosa_frontier::normal;
use lycosa_model::message::Entry;
use lycosa_model::{Document, Lang, LangShare, UrlId};
use lycosa_page::{Input, Limits, Reading};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;

/// Documents without an address get one of this scheme, made of their id.
const ID_SCHEME: &str = "id:";
/// Longest id in bytes.
const MAX_ID: usize = 1_024;
/// Longest address in bytes.
const MAX_URL: usize = 8 * 1_024;

/// A line as it is written. Fields with other names are left alone.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Row {
    #[serde(alias = "_id", deserialize_with = "words")]
    id: Option<String>,
    #[serde(deserialize_with = "words")]
    url: Option<String>,
    #[serde(deserialize_with = "words")]
    title: Option<String>,
    #[serde(deserialize_with = "words")]
    text: Option<String>,
    #[serde(deserialize_with = "words")]
    lang: Option<String>,
    #[serde(deserialize_with = "words")]
    description: Option<String>,
    #[serde(deserialize_with = "words")]
    keywords: Option<String>,
    #[serde(deserialize_with = "words")]
    author: Option<String>,
    #[serde(deserialize_with = "words")]
    bib: Option<String>,
    #[serde(deserialize_with = "words")]
    byline: Option<String>,
    #[serde(deserialize_with = "words")]
    headings: Option<String>,
    #[serde(deserialize_with = "words")]
    published: Option<String>,
    #[serde(deserialize_with = "words")]
    modified: Option<String>,
}

/// Text, a number, or a list of them; nothing for an empty one.
fn words<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    use serde::de::Error;
    use serde_json::Value;
    fn one(value: &Value) -> Option<String> {
        match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }
    let value = Value::deserialize(from)?;
    let text = match &value {
        Value::Null => Some(String::new()),
        Value::Array(list) => {
            list.iter().map(one).collect::<Option<Vec<_>>>().map(|l| l.join(", "))
        }
        other => one(other),
    };
    let text = text.ok_or_else(|| D::Error::custom("text, a number or a list was expected"))?;
    Ok(Some(text).filter(|text| !text.trim().is_empty()))
}

/// Reads a line as a document; where it is none, tells why in words.
pub fn read(line: &str) -> Result<Entry, String> {
    Row::parse(line)?.entry()
}

impl Row {
    /// Reads a line; where it is no row, tells why in words.
    pub fn parse(line: &str) -> Result<Row, String> {
        // A list would be read as the fields in order.
        if !line.trim_start().starts_with('{') {
            return Err("not a JSON object".into());
        }
        serde_json::from_str(line).map_err(|error| error.to_string())
    }

    /// All that it says in one text, without the place where it was printed: what the reference of the
    /// studies searches.
    pub fn flat(&self) -> String {
        let parts = [&self.title, &self.text, &self.author, &self.keywords];
        parts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" ")
    }

    /// The document; where it is none, tells why in words.
    pub fn entry(self) -> Result<Entry, String> {
        let id = bounded(self.id, "id", MAX_ID)?;
        let url = match (bounded(self.url, "url", MAX_URL)?, &id) {
            (Some(url), _) => url,
            (None, Some(id)) => format!("{ID_SCHEME}{id}"),
            (None, None) => return Err("neither id nor url".into()),
        };
        let lang = match self.lang {
            None => None,
            Some(code) => {
                Some(Lang::parse(&code).ok_or_else(|| format!("`{code}` is no language"))?)
            }
        };
        let (title, text) = (self.title.unwrap_or_default(), self.text.unwrap_or_default());
        let keywords = [self.keywords, self.author, self.bib].into_iter().flatten();
        let read = plain(&url, &text)?;
        let languages = match lang {
            // Whoever keeps a collection knows its language better than a guess.
            Some(lang) => vec![LangShare { lang, share: 1.0 }],
            // Where a text does not tell its language, its title may.
            None if read.languages.is_empty() => {
                plain(&url, &format!("{title}\n{text}"))?.languages
            }
            None => read.languages,
        };
        let document = Document {
            title,
            keywords: keywords.collect::<Vec<_>>().join("; "),
            description: self.description.unwrap_or_default(),
            headings: self.headings.unwrap_or_default(),
            byline: self.byline.unwrap_or_default(),
            published: self.published.and_then(|date| lycosa_page::moment(&date)),
            modified: self.modified.and_then(|date| lycosa_page::moment(&date)),
            languages,
            // What stands in a line was once something else; its address may tell what.
            media_type: String::new(),
            ..read
        };
        Ok(Entry { document, agent: "import".into(), fetched: Default::default(), id })
    }
}

/// The languages of a collection, as far as it was read. A title of three words does not tell its language, but
/// the documents around it do; analysed as they are, it is found by the same words.
#[derive(Debug, Default)]
pub struct Majority {
    documents: BTreeMap<Lang, usize>,
}

impl Majority {
    /// Takes note of the languages of these documents, and gives those that have none the language of more than
    /// half of all others so far.
    pub fn settle(&mut self, entries: &mut [Entry]) {
        for lang in entries.iter().filter_map(|entry| entry.document.main_language()) {
            *self.documents.entry(lang).or_default() += 1;
        }
        let Some(lang) = self.lang() else { return };
        for entry in entries.iter_mut().filter(|entry| entry.document.languages.is_empty()) {
            entry.document.languages = vec![LangShare { lang, share: 1.0 }];
        }
    }

    /// The language of more than half of the documents that have one.
    fn lang(&self) -> Option<Lang> {
        let all: usize = self.documents.values().sum();
        let most = self.documents.iter().find(|(_, count)| *count * 2 > all);
        most.map(|(lang, _)| *lang)
    }
}

fn bounded(name: Option<String>, field: &str, limit: usize) -> Result<Option<String>, String> {
    match name {
        Some(name) if name.len() > limit => {
            Err(format!("the {field} is longer than {limit} bytes"))
        }
        name => Ok(name.map(|name| name.trim().to_owned())),
    }
}

/// Reads a text as a page, which finds its languages and digests.
fn plain(url: &str, text: &str) -> Result<Document, String> {
    // It is text, whatever its first letters look like: an empty line keeps `ID3` from being a song.
    let control = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    let body = format!("\n{}", text.replace(control, " "));
    let url_id = normal::parse(url).map_or_else(|_| UrlId::of(url), |address| address.id);
    let mut input = Input::new(url_id, url, body.as_bytes());
    input.content_type = Some("text/plain; charset=utf-8");
    match lycosa_page::read(&input, &Limits::default()) {
        Reading::Document(document) => Ok(*document),
        Reading::NotText { media_type, .. } => Err(format!("the text looks like {media_type}")),
    }
}

#[cfg(test)]
mod tests;
