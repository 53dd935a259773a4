//! Which conditions can a query name that are no words of the text?

use super::Word;
use crate::date::date;
use lycosa_model::{Lang, QueryNote, Tick};
use lycosa_segments::site_filter;

/// Letters of a file type or of the name of an agent.
const MAX_NAME: usize = 64;

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Filter {
    /// The host, or a domain above it.
    Site(String),
    /// Some of the page is in it.
    Lang(Lang),
    /// These words, in this order, in the title.
    Title(Vec<Word>),
    /// These words, all of them, in the address.
    Address(Vec<Word>),
    /// What kind of file it is, as `html` or `pdf`.
    FileType(String),
    /// Dated then or later.
    After(Tick),
    /// Dated earlier.
    Before(Tick),
    /// Who fetched it.
    Agent(String),
}

/// What a filter was read as.
pub(super) enum Reading {
    /// As the filter it names.
    Filter(Filter),
    /// As nothing: it has no value yet.
    Nothing,
    /// As the words it is made of, because of this.
    Words(QueryNote),
}

/// Whether something is the name of a filter.
pub(super) fn is_name(name: &str) -> bool {
    const NAMES: [&str; 8] =
        ["site", "lang", "intitle", "inurl", "filetype", "after", "before", "agent"];
    NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
}

impl Filter {
    /// Reads a filter by its name and value; `words` are the words of the value.
    pub(super) fn read(name: &str, value: &str, words: impl FnOnce() -> Vec<Word>) -> Reading {
        let value = value.trim();
        if value.is_empty() {
            return Reading::Nothing;
        }
        let known =
            |filter: Option<Filter>, note| filter.map_or(Reading::Words(note), Reading::Filter);
        match name.to_ascii_lowercase().as_str() {
            "site" => known(site_filter(value).map(Filter::Site), QueryNote::NoSite),
            "lang" => known(Lang::parse(value).map(Filter::Lang), QueryNote::NoLanguage),
            "after" => known(date(value).map(Filter::After), QueryNote::NoDate),
            "before" => known(date(value).map(Filter::Before), QueryNote::NoDate),
            "intitle" => some(words(), Filter::Title),
            "inurl" => some(words(), Filter::Address),
            "filetype" => Reading::Filter(Filter::FileType(file_type(value))),
            _ => Reading::Filter(Filter::Agent(short(value, false))),
        }
    }
}

/// The name of a kind of file as the index has it.
fn file_type(value: &str) -> String {
    let name = short(value.trim_start_matches('.'), true);
    match name.as_str() {
        "text/html" | "application/xhtml+xml" => "html".to_owned(),
        "text" | "text/plain" => "txt".to_owned(),
        "application/pdf" => "pdf".to_owned(),
        "markdown" => "md".to_owned(),
        _ => name,
    }
}

fn some(words: Vec<Word>, filter: impl Fn(Vec<Word>) -> Filter) -> Reading {
    if words.is_empty() { Reading::Nothing } else { Reading::Filter(filter(words)) }
}

fn short(value: &str, lower: bool) -> String {
    let value = &value[..value.floor_char_boundary(MAX_NAME)];
    if lower { value.to_lowercase() } else { value.to_owned() }
}
