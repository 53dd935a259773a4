//! What did the visitor ask, once everything unreadable is repaired?

use super::clean;
use super::language;
use super::preferences::{self, Read};
use super::ui::Ui;
use lycosa_model::{Lang, Preferences, SearchRequest};
use url::form_urlencoded;

/// Characters of a query that are used; the rest is cut, and the page says so.
pub(super) const MAX_QUERY: usize = 400;
/// Results on one page.
pub(super) const PAGE_SIZE: usize = 10;
/// The last page that can be turned to.
pub(super) const MAX_PAGE: usize = 100;
/// Most results of one API answer.
pub(super) const MAX_LIMIT: usize = 100;
/// Most results that an API call may skip.
pub(super) const MAX_OFFSET: usize = 10_000;
/// Longest host name with port.
const MAX_SITE: usize = 261;

/// Something in the address that could not be used as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Note {
    /// The query was cut to [`MAX_QUERY`].
    QueryCut,
    /// The language is none.
    NoSuchLanguage,
    /// The site is no host name.
    NoSuchSite,
    /// A site to raise, lower or block is no host name.
    OddPreference,
    /// There are more of them than can be.
    TooManyPreferences,
}

/// The parameters of an address, as they came.
#[derive(Clone, Debug, Default)]
pub(super) struct Params(pub(super) Vec<(String, String)>);

impl Params {
    /// The first value under this name that is not empty.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let mut values = self.0.iter().filter(|(key, _)| key == name);
        values.find_map(|(_, value)| Some(value.trim()).filter(|value| !value.is_empty()))
    }

    /// A whole number within the range; `default` when there is none or it is no number.
    pub(super) fn number(&self, name: &str, default: usize, least: usize, most: usize) -> usize {
        // By way of floating point, `1e9` and `-3` are numbers too, and land inside the range.
        let number = self.get(name).and_then(|text| text.parse::<f64>().ok());
        match number.filter(|number| !number.is_nan()) {
            Some(number) => (number.max(0.0) as usize).clamp(least, most),
            None => default,
        }
    }

    /// A yes or no: present without a value, or with one that does not deny it.
    pub(super) fn flag(&self, name: &str) -> bool {
        let value = self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.trim());
        value.is_some_and(|value| !matches!(value, "0" | "false" | "no" | "off"))
    }
}

/// A search as the pages know it. It can be written as an address, with parts of it changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Form {
    /// The words; empty when there are none.
    pub(super) query: String,
    /// Only this language.
    pub(super) lang: Option<Lang>,
    /// Only this host and those below it.
    pub(super) site: Option<String>,
    /// Counts from 1.
    pub(super) page: usize,
    /// The language of the pages, when the visitor chose one.
    pub(super) ui: Option<Ui>,
    /// What the address says of sites.
    pub(super) preferences: Preferences,
    /// What had to be repaired.
    pub(super) notes: Vec<Note>,
}

impl Form {
    /// Reads the parameters. Nothing in them is an error: what cannot be used is repaired or left out.
    pub(super) fn new(params: &Params) -> Form {
        let mut notes = Vec::new();
        let asked = params.get("q").unwrap_or_default();
        let mut query: String =
            asked.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        if let Some((end, _)) = query.char_indices().nth(MAX_QUERY) {
            query.truncate(end);
            notes.push(Note::QueryCut);
        }
        let lang = params.get("lang").and_then(|text| {
            language::known(text).or_else(|| {
                notes.push(Note::NoSuchLanguage);
                None
            })
        });
        let site = params.get("site").and_then(|text| {
            host(text).or_else(|| {
                notes.push(Note::NoSuchSite);
                None
            })
        });
        let read = params.0.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let read = Read::of(read);
        notes.extend(read.odd.then_some(Note::OddPreference));
        notes.extend(read.too_many.then_some(Note::TooManyPreferences));
        Form {
            query: query.trim().to_owned(),
            lang,
            site,
            page: params.number("page", 1, 1, MAX_PAGE),
            ui: params.get("ui").and_then(Ui::parse),
            preferences: read.preferences,
            notes,
        }
    }

    /// The search for one page of results.
    pub(super) fn request(&self) -> SearchRequest {
        SearchRequest {
            query: self.query.clone(),
            limit: PAGE_SIZE,
            offset: (self.page - 1) * PAGE_SIZE,
            lang: self.lang,
            site: self.site.clone(),
            explain: true,
            facets: true,
            preferences: self.preferences.clone(),
        }
    }

    /// The address of this search.
    pub(super) fn href(&self) -> String {
        let start = String::from("/search?");
        let after = start.len();
        let mut out = form_urlencoded::Serializer::for_suffix(start, after);
        out.append_pair("q", &self.query);
        if let Some(lang) = self.lang {
            out.append_pair("lang", lang.as_str());
        }
        if let Some(site) = &self.site {
            out.append_pair("site", site);
        }
        if self.page > 1 {
            out.append_pair("page", &self.page.to_string());
        }
        preferences::write(&self.preferences, &mut out);
        if let Some(ui) = self.ui {
            out.append_pair("ui", ui.code());
        }
        out.finish()
    }

    /// The address of a form that has this search watched.
    pub(super) fn watched(&self) -> String {
        let search = self.with(|_| {});
        let query = search.strip_prefix("/search").unwrap_or_default();
        format!("/watches{query}#add")
    }

    /// The address of what was kept of a page.
    pub(super) fn cached(&self, url: &str) -> String {
        let start = String::from("/cached?");
        let after = start.len();
        let mut out = form_urlencoded::Serializer::for_suffix(start, after);
        out.append_pair("url", url);
        if let Some(ui) = self.ui {
            out.append_pair("ui", ui.code());
        }
        out.finish()
    }

    /// The same search with something changed, from its first page.
    pub(super) fn with(&self, change: impl FnOnce(&mut Form)) -> String {
        let mut other = Form { page: 1, ..self.clone() };
        change(&mut other);
        other.href()
    }
}

/// A host name out of what people write for a site: `https://Example.org/path` is `example.org`.
pub(super) fn host(text: &str) -> Option<String> {
    let text = text.trim();
    let address = match text.split_once("://") {
        Some(_) => text.to_owned(),
        None => format!("http://{text}"),
    };
    let host = clean::Address::new(&address)?.host;
    (host.len() <= MAX_SITE).then_some(host)
}
