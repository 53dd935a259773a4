//! Which tools are there, and what do they do?

use super::answers::{
    self, Caught, Crawls, Found, Heard, Mapped, Place, UNTRUSTED, Worker, clean, date,
};
use super::arguments::{self, TimeRange};
use super::explain::explain;
use super::fetch::fetch;
use super::{Mcp, Trouble, out_of_turn, steering, watches};
use lycosa_model::message::{HuntMessage, HuntOrder, HuntReply, InterfaceMessage, InterfaceReply};
use lycosa_model::{Lang, Phase, Preference, Preferences, SearchRequest, SearchResponse};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::Instant;

const RESULTS: usize = 10;
const MOST_RESULTS: usize = 50;
const MOST_PLACES: usize = 100;
const MOST_CRAWLS: usize = 50;
const MOST_AGENTS: usize = 200;
/// Results of a crawl that can be paged through.
const MOST_CAUGHT: usize = 1_000;
/// Results that a search can skip.
const MOST_OFFSET: usize = 1_000;
/// Pages of a crawl, when nobody says how many.
const CRAWL_PAGES: u64 = 50;
/// How long a tool waits for a crawl.
pub(super) const LONGEST_WAIT: u64 = 60;
/// How often it looks.
pub(super) const LOOK: Duration = Duration::from_millis(300);

static TOOLS: LazyLock<Vec<Tool>> =
    LazyLock::new(|| [table(), steering::table(), watches::table()].concat());

/// All of them.
pub(super) fn all() -> Vec<Tool> {
    TOOLS.clone()
}

/// Reads only, of what is here.
pub(super) fn reads() -> ToolAnnotations {
    ToolAnnotations::new().read_only(true).idempotent(true).open_world(false)
}

/// Changes something, of which nothing is lost.
pub(super) fn adds() -> ToolAnnotations {
    ToolAnnotations::new().read_only(false).destructive(false).idempotent(false).open_world(true)
}

/// Tells a crawl or a watch something; to say it twice is the same as once.
pub(super) fn tells() -> ToolAnnotations {
    ToolAnnotations::new().read_only(false).destructive(false).idempotent(true).open_world(false)
}

fn table() -> Vec<Tool> {
    use answers as a;
    vec![
        tool::<arguments::Search, a::Found>(
            "search",
            "Search",
            "Searches the pages that were crawled. Best for: what is already in the index. Not for: the whole \
             web, use crawl first. Example: {\"query\": \"wolf spider habitat\", \"max_results\": 5}",
            reads(),
        ),
        tool::<arguments::Fetch, a::Fetched>(
            "fetch",
            "Read pages",
            "Gives the text of pages. A page that is in the index, and young enough, is answered from there; \
             another one is fetched politely first (robots.txt is kept, private addresses are refused), which may \
             take longer than wait_seconds: then ask again. Example: {\"urls\": [\"https://example.org/\"]}",
            adds(),
        ),
        tool::<arguments::Map, a::Mapped>(
            "map",
            "List a site",
            "Lists the pages of a site that are in the index. Example: {\"url\": \"example.org\", \"limit\": 50}",
            reads(),
        ),
        tool::<arguments::Crawl, a::Crawl>(
            "crawl",
            "Crawl",
            "Sends agents out to find pages about something, from pages to begin with or from search engines, \
             and adds what they read to the index. Gives a crawl_id for crawl_status and crawl_results. Crawls \
             take turns. Example: {\"query\": \"wolf spiders\", \"urls\": [\"https://example.org/\"], \"max_pages\": 100}",
            adds(),
        ),
        tool::<arguments::CrawlStatus, a::Crawls>(
            "crawl_status",
            "How is a crawl?",
            "Tells how a crawl is, or which crawls there are.",
            reads(),
        ),
        tool::<arguments::CrawlResults, a::CrawlResults>(
            "crawl_results",
            "What has a crawl found?",
            "Gives the pages that a crawl has found so far, the most relevant first, with who found them.",
            reads(),
        ),
        tool::<arguments::OneCrawl, a::Crawl>(
            "crawl_pause",
            "Pause a crawl",
            "Lets a crawl begin nothing new until crawl_resume.",
            tells(),
        ),
        tool::<arguments::OneCrawl, a::Crawl>(
            "crawl_resume",
            "Resume a crawl",
            "Lets a paused crawl go on.",
            tells(),
        ),
        tool::<arguments::OneCrawl, a::Crawl>(
            "crawl_stop",
            "Stop a crawl",
            "Ends a crawl for good. What it has found is kept.",
            tells().destructive(true),
        ),
        tool::<arguments::Agents, a::Agents>(
            "agents",
            "Who is at work?",
            "Shows the agents of the crawl that runs: family, energy, pages, what they look for.",
            reads(),
        ),
        tool::<arguments::Explain, a::Explained>(
            "explain",
            "Why this page?",
            "Tells why a page is found with a query, how a crawl came to it, and what is known of its URL.",
            reads(),
        ),
        tool::<arguments::Feedback, a::Heard>(
            "feedback",
            "Judge a page",
            "Says whether a page that a running crawl has read is what is wanted. The ranking and what is followed \
             next change with it.",
            tells(),
        ),
    ]
}

pub(super) fn tool<I: JsonSchema, O: JsonSchema>(
    name: &'static str,
    title: &str,
    description: &'static str,
    annotations: ToolAnnotations,
) -> Tool {
    let mut input = SchemaSettings::draft2020_12().for_deserialize();
    input.inline_subschemas = true;
    let input = input.into_generator().into_root_schema_for::<I>();
    let output = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let output = output.into_root_schema_for::<O>();
    let object = |schema: schemars::Schema| match schema.to_value() {
        Value::Object(object) => Arc::new(object),
        _ => Arc::default(),
    };
    Tool::new(name, description, object(input))
        .with_title(title)
        .with_raw_output_schema(object(output))
        .with_annotations(annotations)
}

/// Calls one by its name.
pub(super) async fn call(mcp: &Mcp, name: &str, said: JsonObject) -> Result<Value, Trouble> {
    match name {
        "search" => written(&search(mcp, read(said)?).await?),
        "fetch" => written(&fetch(mcp, read(said)?).await?),
        "map" => written(&map(mcp, read(said)?).await?),
        "crawl" => written(&crawl(mcp, read(said)?).await?),
        "crawl_status" => written(&crawl_status(mcp, read(said)?).await?),
        "crawl_results" => written(&crawl_results(mcp, read(said)?).await?),
        "crawl_pause" => written(&tell(mcp, read(said)?, |id| HuntMessage::Pause { id }).await?),
        "crawl_resume" => written(&tell(mcp, read(said)?, |id| HuntMessage::GoOn { id }).await?),
        "crawl_stop" => written(&tell(mcp, read(said)?, |id| HuntMessage::Stop { id }).await?),
        "agents" => written(&agents(mcp, read(said)?).await?),
        "explain" => written(&explain(mcp, read(said)?).await?),
        "feedback" => written(&feedback(mcp, read(said)?).await?),
        "crawl_exclude" | "agent_tend" => steering::call(mcp, name, said).await,
        _ => watches::call(mcp, name, said).await,
    }
}

pub(super) fn read<T: DeserializeOwned>(said: JsonObject) -> Result<T, Trouble> {
    serde_json::from_value(Value::Object(said))
        .map_err(|error| Trouble::new(error.to_string(), "see the schema of the tool"))
}

pub(super) fn written(answer: &impl Serialize) -> Result<Value, Trouble> {
    serde_json::to_value(answer).map_err(|error| Trouble::new(error.to_string(), "try again"))
}

/// Asks the index.
pub(super) async fn ask_index(
    mcp: &Mcp,
    request: SearchRequest,
) -> Result<SearchResponse, Trouble> {
    match mcp.ask(InterfaceMessage::Search(request)).await? {
        InterfaceReply::Found(response) => Ok(response),
        _ => Err(out_of_turn()),
    }
}

async fn search(mcp: &Mcp, said: arguments::Search) -> Result<Found, Trouble> {
    let query = query_of(&said)?;
    let limit = said.max_results.unwrap_or(RESULTS).clamp(1, MOST_RESULTS);
    let offset = said.offset.unwrap_or(0).min(MOST_OFFSET);
    let request = SearchRequest {
        query: query.clone(),
        limit,
        offset,
        lang: said.lang.as_deref().map(language).transpose()?,
        explain: said.explain.unwrap_or(false),
        preferences: preferences_of(&said)?,
        ..SearchRequest::default()
    };
    let response = ask_index(mcp, request).await?;
    let next = offset + response.results.len();
    let more = !response.results.is_empty() && next < response.total && next <= MOST_OFFSET;
    Ok(Found {
        notice: UNTRUSTED,
        query,
        total: response.total,
        suggestion: response.suggestion,
        results: response.results.into_iter().map(answers::Result::new).collect(),
        truncated: more,
        next_offset: more.then_some(next),
    })
}

/// The words with what narrows them, as the search reads it. Filters stand in front: behind an open quote
/// they would be words.
fn query_of(said: &arguments::Search) -> Result<String, Trouble> {
    let mut parts = Vec::new();
    for (sign, domains) in [("", &said.include_domains), ("-", &said.exclude_domains)] {
        for domain in domains {
            parts.push(format!("{sign}site:{}", host(domain)?));
        }
    }
    if let Some(range) = said.time_range {
        let days = match range {
            TimeRange::Day => 1,
            TimeRange::Week => 7,
            TimeRange::Month => 31,
            TimeRange::Year => 366,
        };
        let since = now_ms().saturating_sub(days * 86_400_000);
        if let Some(date) = date(lycosa_model::Tick(since)) {
            parts.push(format!("after:{}", &date[..10]));
        }
    }
    for (word, day) in [("after", &said.start_date), ("before", &said.end_date)] {
        if let Some(day) = day {
            let plain = day.len() <= 10 && day.bytes().all(|b| b.is_ascii_digit() || b == b'-');
            if !plain {
                return Err(Trouble::new(format!("`{day}` is no day"), "write 2026-01-31"));
            }
            parts.push(format!("{word}:{day}"));
        }
    }
    let words = said.query.trim();
    if words.is_empty() && parts.is_empty() {
        return Err(Trouble::new("nothing was asked", "put words into query"));
    }
    match said.exact_match {
        Some(true) => parts.push(format!("\"{}\"", words.replace('"', " "))),
        _ => parts.push(words.to_owned()),
    }
    Ok(parts.join(" "))
}

/// What is wanted of sites, beside leaving them out.
fn preferences_of(said: &arguments::Search) -> Result<Preferences, Trouble> {
    let mut preferences = Preferences::default();
    let raised = said.raise_domains.iter().map(|domain| (domain, Preference::Raise));
    let lowered = said.lower_domains.iter().map(|domain| (domain, Preference::Lower));
    for (domain, preference) in raised.chain(lowered) {
        if !preferences.set(&host(domain)?, preference) {
            let hint = format!("{} at most", Preferences::MOST);
            return Err(Trouble::new("too many domains to raise or lower", hint));
        }
    }
    Ok(preferences)
}

fn language(text: &str) -> Result<Lang, Trouble> {
    let lang = Lang::parse(text.trim());
    lang.ok_or_else(|| Trouble::new(format!("`{text}` is no language"), "write es or en"))
}

/// A host out of what people write for a site.
fn host(text: &str) -> Result<String, Trouble> {
    let text = text.trim();
    let address = match text.split_once("://") {
        Some(_) => text.to_owned(),
        None => format!("http://{text}"),
    };
    let parsed = url::Url::parse(&address).ok();
    let host = parsed.as_ref().and_then(|url| {
        let host = url.host_str()?;
        Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
    });
    host.ok_or_else(|| Trouble::new(format!("`{text}` is no site"), "write example.org"))
}

pub(super) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

async fn map(mcp: &Mcp, said: arguments::Map) -> Result<Mapped, Trouble> {
    let site = host(&said.url)?;
    let limit = said.limit.unwrap_or(MOST_PLACES).clamp(1, MOST_PLACES);
    let offset = said.offset.unwrap_or(0).min(MOST_OFFSET);
    let words = said.search.as_deref().map(str::trim).unwrap_or_default();
    let query = format!("site:{site} {words}");
    let request =
        SearchRequest { query: query.trim().to_owned(), limit, offset, ..SearchRequest::default() };
    let response = ask_index(mcp, request).await?;
    let next = offset + response.results.len();
    let more = !response.results.is_empty() && next < response.total && next <= MOST_OFFSET;
    let place = |hit: lycosa_model::Hit| Place { title: clean(&hit.title), url: hit.url };
    Ok(Mapped {
        notice: UNTRUSTED,
        site,
        total: response.total,
        urls: response.results.into_iter().map(place).collect(),
        truncated: more,
        next_offset: more.then_some(next),
    })
}

async fn crawl(mcp: &Mcp, said: arguments::Crawl) -> Result<answers::Crawl, Trouble> {
    let order = HuntOrder {
        // Without words it is as good as the pages that it begins with.
        query: said.query.unwrap_or_else(|| said.urls.join(" ")),
        urls: said.urls,
        examples: said.examples,
        strategy: said.algorithm,
        agents: said.agents,
        pages: Some(said.max_pages.unwrap_or(CRAWL_PAGES).max(1)),
        seconds: said.max_seconds,
        depth: said.max_depth,
        scope: said.allow_external.map(|any| if any { "any" } else { "site" }.to_owned()),
        lang: said.lang,
        exclude: said.exclude,
        parameters: None,
    };
    let HuntReply::Started(id) = mcp.hunts(HuntMessage::Start(Box::new(order))).await? else {
        return Err(out_of_turn());
    };
    let wait = said.wait_seconds.unwrap_or(0).min(LONGEST_WAIT);
    let view = finished(mcp, id, Instant::now() + Duration::from_secs(wait)).await?;
    Ok(answers::Crawl::new(view))
}

pub(super) async fn view(mcp: &Mcp, id: u64) -> Result<lycosa_model::message::HuntView, Trouble> {
    match mcp.hunts(HuntMessage::Show { id }).await? {
        HuntReply::Hunt(view) => Ok(*view),
        _ => Err(out_of_turn()),
    }
}

/// A crawl as it is when it has ended, or when the time has come.
pub(super) async fn finished(
    mcp: &Mcp,
    id: u64,
    until: Instant,
) -> Result<lycosa_model::message::HuntView, Trouble> {
    loop {
        let view = view(mcp, id).await?;
        if view.state == Phase::Finished || Instant::now() >= until {
            return Ok(view);
        }
        tokio::time::sleep_until(until.min(Instant::now() + LOOK)).await;
    }
}

async fn crawl_status(mcp: &Mcp, said: arguments::CrawlStatus) -> Result<Crawls, Trouble> {
    if let Some(id) = said.crawl_id {
        let crawls = vec![answers::Crawl::new(view(mcp, id).await?)];
        return Ok(Crawls { crawls, truncated: false });
    }
    let HuntReply::List(views) = mcp.hunts(HuntMessage::List).await? else {
        return Err(out_of_turn());
    };
    let truncated = views.len() > MOST_CRAWLS;
    let crawls = views.into_iter().take(MOST_CRAWLS).map(answers::Crawl::new).collect();
    Ok(Crawls { crawls, truncated })
}

async fn crawl_results(
    mcp: &Mcp,
    said: arguments::CrawlResults,
) -> Result<answers::CrawlResults, Trouble> {
    let id = said.crawl_id;
    let limit = said.max_results.unwrap_or(2 * RESULTS).clamp(1, MOST_PLACES);
    let from = said.cursor.unwrap_or(0).min(MOST_CAUGHT);
    // One more tells whether there is more.
    let wanted = (from + limit + 1).min(MOST_CAUGHT);
    let reply = mcp.hunts(HuntMessage::Results { id, limit: wanted }).await?;
    let HuntReply::Results(prey) = reply else { return Err(out_of_turn()) };
    let truncated = prey.len() > from + limit;
    let results = prey.into_iter().skip(from).take(limit).map(Caught::new).collect();
    let next_cursor = truncated.then_some(from + limit);
    Ok(answers::CrawlResults { notice: UNTRUSTED, crawl_id: id, results, truncated, next_cursor })
}

async fn tell(
    mcp: &Mcp,
    said: arguments::OneCrawl,
    message: impl FnOnce(u64) -> HuntMessage,
) -> Result<answers::Crawl, Trouble> {
    mcp.hunts(message(said.crawl_id)).await?;
    Ok(answers::Crawl::new(view(mcp, said.crawl_id).await?))
}

async fn agents(mcp: &Mcp, said: arguments::Agents) -> Result<answers::Agents, Trouble> {
    let limit = said.limit.unwrap_or(MOST_AGENTS).clamp(1, MOST_AGENTS);
    let InterfaceReply::Agents(everyone) = mcp.ask(InterfaceMessage::Agents).await? else {
        return Err(out_of_turn());
    };
    // Without a crawl there is no population, and that is no trouble.
    let population = match mcp.ask(InterfaceMessage::Population).await {
        Ok(InterfaceReply::Population(population)) => population,
        _ => Vec::new(),
    };
    let truncated = population.len() > limit || everyone.len() > limit;
    let text = |agent: &Value, field: &str| agent[field].as_str().unwrap_or_default().to_owned();
    let worker = |agent: &Value| Worker {
        name: text(agent, "name"),
        community: text(agent, "community"),
        state: text(agent, "state"),
    };
    Ok(answers::Agents {
        notice: UNTRUSTED,
        agents: population.into_iter().take(limit).collect(),
        workers: everyone.iter().take(limit).map(worker).collect(),
        truncated,
    })
}

async fn feedback(mcp: &Mcp, said: arguments::Feedback) -> Result<Heard, Trouble> {
    let arguments::Feedback { crawl_id, url, good } = said;
    mcp.hunts(HuntMessage::Verdict { id: crawl_id, url: url.clone(), good }).await?;
    Ok(Heard { crawl_id, url, good })
}
