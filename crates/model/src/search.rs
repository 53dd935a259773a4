//! What does a person ask, and what is answered?

use crate::{Lang, Preferences, Tick, UrlId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct SearchRequest {
    /// The words.
    pub query: String,
    /// How many results; bounded by the query agent.
    pub limit: usize,
    /// How many results to skip; bounded by the query agent.
    pub offset: usize,
    /// Only pages with some of this language.
    pub lang: Option<Lang>,
    /// Only pages of this host or of the hosts below it.
    pub site: Option<String>,
    /// Whether to explain each score.
    pub explain: bool,
    /// Whether to count the pages that match by site, language and date.
    #[serde(default)]
    pub facets: bool,
    /// Sites that count more, less, or are left out.
    #[serde(default, skip_serializing_if = "Preferences::is_empty")]
    pub preferences: Preferences,
}

/// What was done to a query that could not be read as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QueryNote {
    /// A quote without end was closed at the end.
    OpenQuote,
    /// A parenthesis without end was closed at the end.
    OpenParenthesis,
    /// A closing parenthesis that closes nothing was left out.
    StrayParenthesis,
    /// An `OR` without two sides was left out.
    StrayOr,
    /// Parentheses inside too many others were left out.
    TooDeep,
    /// What is no site was searched as words.
    NoSite,
    /// What is no language was searched as words.
    NoLanguage,
    /// What is no date was searched as words.
    NoDate,
    /// A query this long is read as prose.
    Prose,
    /// The query was cut at its longest length.
    Cut,
    /// Words beyond the most that are read were left out.
    TooManyWords,
    /// Filters beyond the most that are read were left out.
    TooManyFilters,
    /// Something to be raised, lowered or blocked is no site, or there were too many of them.
    SitesLeftOut,
}

impl QueryNote {
    /// Every note there is.
    pub const ALL: [QueryNote; 13] = [
        QueryNote::OpenQuote,
        QueryNote::OpenParenthesis,
        QueryNote::StrayParenthesis,
        QueryNote::StrayOr,
        QueryNote::TooDeep,
        QueryNote::NoSite,
        QueryNote::NoLanguage,
        QueryNote::NoDate,
        QueryNote::Prose,
        QueryNote::Cut,
        QueryNote::TooManyWords,
        QueryNote::TooManyFilters,
        QueryNote::SitesLeftOut,
    ];
}

impl std::fmt::Display for QueryNote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            QueryNote::OpenQuote => "the open quote was closed at the end",
            QueryNote::OpenParenthesis => "the open parenthesis was closed at the end",
            QueryNote::StrayParenthesis => {
                "a closing parenthesis without an opening one was left out"
            }
            QueryNote::StrayOr => "an OR without something on both sides was left out",
            QueryNote::TooDeep => "parentheses inside so many others were left out",
            QueryNote::NoSite => "what follows site: is no site and was searched as words",
            QueryNote::NoLanguage => {
                "what follows lang: is no language code and was searched as words"
            }
            QueryNote::NoDate => {
                "a date is written as 2024, 2024-05 or 2024-05-17; it was searched as words"
            }
            QueryNote::Prose => {
                "a question this long is read as prose: quotes and signs do not count"
            }
            QueryNote::Cut => "the query is too long and was cut",
            QueryNote::TooManyWords => "the query has too many words; the last ones were left out",
            QueryNote::TooManyFilters => {
                "the query has too many filters; the last ones were left out"
            }
            QueryNote::SitesLeftOut => {
                "some of what was to be raised, lowered or blocked is no site, or one too many, and was left out"
            }
        })
    }
}

/// One addend of a score, or the whole with its addends.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Explain {
    /// What it is.
    pub what: String,
    /// What it counts.
    pub value: f32,
    /// What it is made of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Explain>,
}

/// One result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Hit {
    /// Counts from 1.
    pub rank: usize,
    /// Id of the URL.
    pub url_id: UrlId,
    /// The address.
    pub url: String,
    /// The title, or the address when there is none.
    pub title: String,
    /// The best passage as HTML: text escaped, words of the query in `<mark>`.
    pub snippet: String,
    /// The score.
    pub score: f32,
    /// The host, with its port if it is not the default.
    pub site: String,
    /// Language of most of the page.
    pub lang: Option<Lang>,
    /// The agent that found the page.
    pub agent: String,
    /// When it was fetched.
    pub fetched: Tick,
    /// The date that the page names, or when it was fetched.
    #[serde(default)]
    pub date: Tick,
    /// Addresses of near-duplicates that were folded into this result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_at: Vec<String>,
    /// Further results of the same site among the best, which are not shown; on the last of the site
    /// that is.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_from_site: usize,
    /// How often words of the query stand in each of the [`Hit::CELLS`] equal parts of the text, counted up to
    /// 255; empty when none of them stands in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub positions: Vec<u8>,
    /// Why the score is what it is, when asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explain: Option<Explain>,
}

impl Hit {
    /// Parts of a text that positions tell apart.
    pub const CELLS: usize = 32;

    /// The snippet as text.
    pub fn plain_snippet(&self) -> String {
        [
            ("<mark>", ""),
            ("</mark>", ""),
            ("&lt;", "<"),
            ("&gt;", ">"),
            ("&quot;", "\""),
            ("&#39;", "'"),
            ("&amp;", "&"),
        ]
        .iter()
        .fold(self.snippet.clone(), |text, (from, to)| text.replace(from, to))
    }
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// A page as the index keeps it, to be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StoredPage {
    /// Id of the URL.
    pub url_id: UrlId,
    /// The address.
    pub url: String,
    /// The title; empty when there is none.
    pub title: String,
    /// The description that the page gives of itself.
    pub description: String,
    /// The text without navigation and boilerplate.
    pub text: String,
    /// Language of most of the page.
    pub lang: Option<Lang>,
    /// When it was fetched.
    pub fetched: Tick,
    /// The agent that fetched it.
    pub agent: String,
}

/// How many of the pages that match have some value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FacetRow {
    /// The value, as a filter of a query takes it.
    pub value: String,
    /// Pages.
    pub pages: usize,
}

/// The pages that match, counted by what they have: the same search with a filter on a value finds exactly as
/// many as its row says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Facets {
    /// Pages that were counted: all that match.
    pub counted: usize,
    /// By site with the hosts below it, the most frequent ones first.
    pub sites: Vec<FacetRow>,
    /// By language, a page under each that some of it is in, the most frequent ones first; of languages that the
    /// question was not asked in, because the index has so many, there is none. The language that the
    /// request chose is left out of account: another one would take its place.
    pub languages: Vec<FacetRow>,
    /// By year of the date, the latest first.
    pub years: Vec<FacetRow>,
}

/// The answer to a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchResponse {
    /// The words as they were asked.
    pub query: String,
    /// Pages that match.
    pub total: usize,
    /// Those of them that have every word.
    #[serde(default)]
    pub complete: usize,
    /// Pages that match and were left out because their site is blocked; `total` and all other counts are without
    /// them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub blocked: usize,
    /// Milliseconds.
    pub took_ms: f64,
    /// A better spelling, if one is known.
    pub suggestion: Option<String>,
    /// What was repaired in the query.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<QueryNote>,
    /// Counts of the pages that match, when asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facets: Option<Facets>,
    /// The results asked for.
    pub results: Vec<Hit>,
}
