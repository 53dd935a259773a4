//! What may be said to a tool? Names are those that other servers of this kind use.

use crate::json::with_whole_numbers;
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Of `search`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Search {
    /// The words. "A phrase" stands in quotes, -word leaves out.
    pub(super) query: String,
    /// Results at most, from 1 to 50.
    #[serde(default)]
    pub(super) max_results: Option<usize>,
    /// Results to skip; next_offset of the last answer.
    #[serde(default)]
    pub(super) offset: Option<usize>,
    /// Only pages with some of this language, as in `es`.
    #[serde(default)]
    pub(super) lang: Option<String>,
    /// Only pages of these hosts and the hosts below them.
    #[serde(default)]
    pub(super) include_domains: Vec<String>,
    /// No pages of these hosts.
    #[serde(default)]
    pub(super) exclude_domains: Vec<String>,
    /// Pages of these hosts and the hosts below them count more.
    #[serde(default)]
    pub(super) raise_domains: Vec<String>,
    /// They count less.
    #[serde(default)]
    pub(super) lower_domains: Vec<String>,
    /// Only pages dated within the last `day`, `week`, `month` or `year`.
    #[serde(default)]
    pub(super) time_range: Option<TimeRange>,
    /// Only pages dated on this day (2026-01-31) or later.
    #[serde(default)]
    pub(super) start_date: Option<String>,
    /// Only pages dated before this day.
    #[serde(default)]
    pub(super) end_date: Option<String>,
    /// Take the whole query as one phrase.
    #[serde(default)]
    pub(super) exact_match: Option<bool>,
    /// Say how each score came about.
    #[serde(default)]
    pub(super) explain: Option<bool>,
}

/// How far back.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum TimeRange {
    Day,
    Week,
    Month,
    Year,
}

/// Of `fetch`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Fetch {
    /// Addresses of pages, 10 at most.
    #[serde(default)]
    pub(super) urls: Vec<String>,
    /// One address, as search results name it; the same as one of `urls`.
    #[serde(default)]
    pub(super) id: Option<String>,
    /// `text`, or `markdown`: the title as a heading, then the text.
    #[serde(default)]
    pub(super) format: Option<Format>,
    /// Characters of each page at most, from 100 to 50,000.
    #[serde(default)]
    pub(super) max_characters: Option<usize>,
    /// Where to go on in a page that was truncated: its next_cursor.
    #[serde(default)]
    pub(super) cursor: Option<usize>,
    /// A copy that is older than this is fetched again.
    #[serde(default)]
    pub(super) max_age_hours: Option<f64>,
    /// Seconds to wait for pages that must be fetched first, from 0 to 60.
    #[serde(default)]
    pub(super) wait_seconds: Option<u64>,
}

/// How a page is written.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum Format {
    Text,
    Markdown,
}

/// Of `map`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Map {
    /// The site: its address or its host.
    pub(super) url: String,
    /// Only pages with these words.
    #[serde(default)]
    pub(super) search: Option<String>,
    /// Addresses at most, from 1 to 100.
    #[serde(default)]
    pub(super) limit: Option<usize>,
    /// Addresses to skip; next_offset of the last answer.
    #[serde(default)]
    pub(super) offset: Option<usize>,
}

/// Of `crawl`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Crawl {
    /// What to look for, in words. Agents go where it seems to be.
    #[serde(default)]
    pub(super) query: Option<String>,
    /// Where to begin; without any, search engines are asked.
    #[serde(default)]
    pub(super) urls: Vec<String>,
    /// Pages that are examples of what is wanted.
    #[serde(default)]
    pub(super) examples: Vec<String>,
    /// How agents choose: infospiders, best-first, shark, contract-net, breadth-first and others.
    #[serde(default)]
    pub(super) algorithm: Option<String>,
    /// Pages at most; 50 without.
    #[serde(default)]
    pub(super) max_pages: Option<u64>,
    /// Seconds at most.
    #[serde(default)]
    pub(super) max_seconds: Option<u64>,
    /// Links from a page to begin with at most.
    #[serde(default)]
    pub(super) max_depth: Option<u32>,
    /// Agents.
    #[serde(default)]
    pub(super) agents: Option<usize>,
    /// Whether links to other sites are followed; they are without.
    #[serde(default)]
    pub(super) allow_external: Option<bool>,
    /// Language to look for, as in `es`.
    #[serde(default)]
    pub(super) lang: Option<String>,
    /// What is left alone: hosts (`example.org`), beginnings of addresses (`example.org/shop/`), patterns (`*/print/*`).
    #[serde(default)]
    pub(super) exclude: Vec<String>,
    /// Seconds to wait for its end, from 0 to 60.
    #[serde(default)]
    pub(super) wait_seconds: Option<u64>,
}

/// Of `crawl_status`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CrawlStatus {
    /// One crawl; without, the newest ones.
    #[serde(default)]
    pub(super) crawl_id: Option<u64>,
}

/// Of `crawl_results`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CrawlResults {
    /// The crawl.
    pub(super) crawl_id: u64,
    /// Results at most, from 1 to 100.
    #[serde(default)]
    pub(super) max_results: Option<usize>,
    /// Where to go on: next_cursor of the last answer.
    #[serde(default)]
    pub(super) cursor: Option<usize>,
}

/// Of `crawl_pause`, `crawl_resume` and `crawl_stop`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OneCrawl {
    /// The crawl.
    pub(super) crawl_id: u64,
}

/// Of `agents`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Agents {
    /// Agents at most, from 1 to 200.
    #[serde(default)]
    pub(super) limit: Option<usize>,
}

/// Of `explain`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Explain {
    /// The page.
    pub(super) url: String,
    /// Why it is found with these words: what its score is made of.
    #[serde(default)]
    pub(super) query: Option<String>,
    /// How this crawl came to it: the path of links, and who went there.
    #[serde(default)]
    pub(super) crawl_id: Option<u64>,
}

/// Of `feedback`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Feedback {
    /// The crawl, which must be under way.
    pub(super) crawl_id: u64,
    /// A page that it has read.
    pub(super) url: String,
    /// Whether it is what is wanted. Agents learn from it.
    pub(super) good: bool,
}

/// Numbers, flags and lists that were written as text, as models do; and nothing where nothing was said.
pub(super) fn lenient(schema: &JsonObject, arguments: JsonObject) -> JsonObject {
    let wanted = |name: &str| schema.get("properties")?.get(name);
    let said = arguments.into_iter().filter(|(_, value)| !value.is_null());
    said.map(|(name, value)| {
        let value = match (wanted(&name), value) {
            (Some(wanted), Value::String(text)) => read(wanted, text),
            (_, value) => with_whole_numbers(value),
        };
        (name, value)
    })
    .collect()
}

/// Whether a schema names this type, alone or among others.
fn is(schema: &Value, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(one)) => one == kind,
        Some(Value::Array(several)) => several.iter().any(|one| one == kind),
        _ => false,
    }
}

fn read(schema: &Value, text: String) -> Value {
    let trimmed = text.trim();
    if is(schema, "array") {
        let list = serde_json::from_str(trimmed).ok().filter(Value::is_array);
        return list.unwrap_or_else(|| {
            let parts = trimmed.split([',', '\n']).map(str::trim).filter(|part| !part.is_empty());
            parts.map(Value::from).collect()
        });
    }
    let number = ["integer", "number"].iter().any(|kind| is(schema, kind));
    let flag = is(schema, "boolean");
    if (number || flag)
        && let Ok(value) = serde_json::from_str::<Value>(&trimmed.to_lowercase())
    {
        return with_whole_numbers(value);
    }
    Value::String(text)
}
