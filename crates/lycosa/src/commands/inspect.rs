//! `lycosa inspect`: what the program sees in a page, a robots.txt, a URL, a sitemap or an archive.

mod sitemap;

use crate::cli::{Common, Inspect, InspectPage, InspectRobots, InspectUrl, InspectWarc};
use crate::config::Config;
use crate::crew;
use crate::failure::{Ending, Failure};
use crate::output;
use lycosa_bot::decode::{DecodeLimit, decode};
use lycosa_bot::live::LiveWeb;
use lycosa_frontier::{Robots, normal, surt};
use lycosa_model::{Headers, Outcome, Tick, UrlId};
use lycosa_page::{Input, Limits, Reading};
use lycosa_runtime::{Ask, Web};
use lycosa_store::archive;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Largest file that is looked at, and longest line of a batch. Archives are read in pieces and may be
/// of any size.
const MAX_FILE: u64 = 256 << 20;

pub(crate) fn run(common: &Common, args: Inspect) -> Result<Ending, Failure> {
    match args {
        Inspect::Page(args) => page(common, &args),
        Inspect::Robots(args) => robots(common, &args),
        Inspect::Url(args) => url(common, &args),
        Inspect::Sitemap(args) => sitemap::run(common, &args),
        Inspect::Warc(args) => warc(common, &args),
    }
}

/// Runs `answer` over JSON lines; a line that cannot be read is answered with its error.
fn batch<T: DeserializeOwned>(
    source: &str,
    mut answer: impl FnMut(T) -> Value,
) -> Result<Ending, Failure> {
    let reader = open(source).map_err(|error| unreadable(source, &error))?;
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = reader.by_ref().take(MAX_FILE).read_until(b'\n', &mut line);
        if read.map_err(|error| unreadable(source, &error))? == 0 {
            break;
        }
        if line.len() as u64 == MAX_FILE {
            return Err(unreadable(source, &too_large()));
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let value = match serde_json::from_slice(&line) {
            Ok(row) => answer(row),
            Err(error) => json!({ "error": format!("not a line of this form: {error}") }),
        };
        output::json(&value)?;
    }
    Ok(Ending::Done)
}

/// A file, or standard input.
fn open(source: &str) -> std::io::Result<Box<dyn Read>> {
    Ok(match source {
        "-" => Box::new(std::io::stdin()),
        path => Box::new(std::fs::File::open(path)?),
    })
}

/// All of a file or of standard input, if that is not too much.
fn read_source(source: &str) -> Result<Vec<u8>, Failure> {
    let read = open(source).and_then(|reader| {
        let mut bytes = Vec::new();
        reader.take(MAX_FILE + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_FILE { Err(too_large()) } else { Ok(bytes) }
    });
    read.map_err(|error| unreadable(source, &error))
}

/// The same for a row of a batch, which answers with its error.
fn read_row(path: &Path) -> Result<Vec<u8>, Value> {
    let read = read_source(&path.to_string_lossy());
    read.map_err(|failure| json!({ "error": failure.to_string() }))
}

fn too_large() -> std::io::Error {
    std::io::Error::other(format!("it is larger than {} MiB", MAX_FILE >> 20))
}

fn unreadable(path: &str, error: &std::io::Error) -> Failure {
    Failure::new(format!("cannot read {path}: {error}"))
}

fn show(common: &Common, value: &Value) -> Result<(), Failure> {
    if common.json {
        return output::json(value);
    }
    output::line(serde_json::to_string_pretty(value)?);
    Ok(())
}

#[derive(Deserialize)]
struct PageRow {
    file: PathBuf,
    url: Option<String>,
    content_type: Option<String>,
}

fn page(common: &Common, args: &InspectPage) -> Result<Ending, Failure> {
    if args.batch {
        return batch(&args.source, |row: PageRow| match read_row(&row.file) {
            Ok(body) => {
                let url = row.url.unwrap_or_else(|| file_url(&row.file));
                view_page(&url, row.content_type.as_deref(), &Headers::default(), &body)
            }
            Err(error) => error,
        });
    }
    let value = if args.source.starts_with("http://") || args.source.starts_with("https://") {
        fetch(common, args)?
    } else {
        let body = read_source(&args.source)?;
        let url = args.url.clone().unwrap_or_else(|| file_url(Path::new(&args.source)));
        view_page(&url, args.content_type.as_deref(), &Headers::default(), &body)
    };
    show(common, &value)?;
    Ok(Ending::Done)
}

/// A file without address is read as the page of a host that does not exist.
fn file_url(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    normal::resolve("http://file.invalid/", &name)
        .map_or_else(|_| "http://file.invalid/".into(), |address| address.request)
}

fn fetch(common: &Common, args: &InspectPage) -> Result<Value, Failure> {
    let mut config = Config::load(common.config.as_deref())?;
    config.fetch.allow_private |= args.allow_private;
    let web = LiveWeb::new(&crew::live_settings(&config)?)?;
    let mut headers = Headers::default();
    headers.push("User-Agent", config.user_agent());
    headers.push("Accept-Encoding", "gzip, br, zstd, deflate");
    let ask = Ask {
        url: args.source.clone(),
        headers,
        max_body: config.fetch.max_body.0,
        cut: false,
        timeout: config.fetch.timeout.0,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let failed = |why| {
        Failure::new(format!("{}: {}", args.source, Outcome::Failed(why)))
            .hint("private and loopback addresses need --allow-private")
    };
    let answer = runtime.block_on(web.get(ask)).map_err(failed)?;
    let body = decode(&answer.headers, &answer.body, &DecodeLimit::default()).map_err(failed)?;
    let content_type = args.content_type.as_deref().or(answer.headers.get("content-type"));
    let url = args.url.as_deref().unwrap_or(&args.source);
    let mut value = view_page(url, content_type, &answer.headers, &body);
    if let Some(fields) = value.as_object_mut() {
        fields.insert("status".into(), answer.status.into());
    }
    Ok(value)
}

fn view_page(url: &str, content_type: Option<&str>, headers: &Headers, body: &[u8]) -> Value {
    let url_id = normal::parse(url).map_or_else(|_| UrlId::of(url), |address| address.id);
    let mut input = Input::new(url_id, url, body).with_headers(headers);
    input.content_type = content_type;
    match lycosa_page::read(&input, &Limits::with_resources()) {
        Reading::Document(document) => {
            let mut value = serde_json::to_value(&*document).unwrap_or(Value::Null);
            write_dates(&mut value);
            if let Some(Value::Array(things)) = value.get_mut("json_ld") {
                things.iter_mut().for_each(write_dates);
            }
            value
        }
        Reading::NotText { media_type, links, why } => {
            json!({ "url": url, "not_text": media_type, "why": why, "links": links })
        }
    }
}

/// Writes the dates of a page or of a thing as people and programs read them.
fn write_dates(value: &mut Value) {
    for field in ["published", "modified"] {
        if let Some(date) = value.get_mut(field)
            && let Some(at) = date.as_u64()
        {
            *date = archive::warc_date(Tick(at)).into();
        }
    }
}

#[derive(Deserialize)]
struct RobotsRow {
    robots: String,
    agent: String,
    url: String,
}

fn robots(common: &Common, args: &InspectRobots) -> Result<Ending, Failure> {
    if args.batch {
        return batch(&args.file, |row: RobotsRow| {
            view_robots(&Robots::parse(row.robots.as_bytes()), &row.agent, &row.url)
        });
    }
    let rules = Robots::parse(&read_source(&args.file)?);
    if args.urls.is_empty() {
        return Err(Failure::new("no URL is given").hint("inspect robots FILE --agent NAME URL…"));
    }
    let mut all_allowed = true;
    for url in &args.urls {
        let value = view_robots(&rules, &args.agent, url);
        all_allowed &= value["allowed"] == true;
        show(common, &value)?;
    }
    Ok(if all_allowed { Ending::Done } else { Ending::Partial })
}

fn view_robots(rules: &Robots, agent: &str, url: &str) -> Value {
    let verdict = rules.verdict(agent, url);
    let other: Vec<String> =
        rules.other().iter().map(|line| format!("{}: {}", line.key, line.value)).collect();
    json!({
        "url": url,
        "agent": agent,
        "allowed": verdict.allowed,
        "rule": verdict.rule,
        "line": verdict.line,
        "crawl_delay": rules.crawl_delay(agent).map(|delay| delay.as_secs_f64()),
        "sitemaps": rules.sitemaps(),
        "other": other,
    })
}

#[derive(Deserialize)]
struct UrlRow {
    url: String,
    base: Option<String>,
}

fn url(common: &Common, args: &InspectUrl) -> Result<Ending, Failure> {
    if args.batch {
        let source = args.urls.first().map_or("-", String::as_str);
        return batch(source, |row: UrlRow| view_url(&row.url, row.base.as_deref()));
    }
    if args.urls.is_empty() {
        return Err(Failure::new("no URL is given").hint("inspect url URL…"));
    }
    let mut all_good = true;
    for url in &args.urls {
        let value = view_url(url, None);
        all_good &= value.get("error").is_none();
        show(common, &value)?;
    }
    Ok(if all_good { Ending::Done } else { Ending::Partial })
}

fn view_url(url: &str, base: Option<&str>) -> Value {
    let address = match base {
        Some(base) => normal::resolve(base, url),
        None => normal::parse(url),
    };
    match address {
        Ok(address) => json!({
            "url": url,
            "request": address.request,
            "normal": address.normal(),
            "site": address.site,
            "url_id": address.id,
            "surt": surt(address.normal()),
        }),
        Err(error) => json!({ "url": url, "error": error.to_string() }),
    }
}

fn warc(common: &Common, args: &InspectWarc) -> Result<Ending, Failure> {
    let mut clean = true;
    for path in &args.files {
        let summary = archive::check(path)?;
        clean &= summary.is_clean();
        if common.json {
            output::json(&summary)?;
            continue;
        }
        let records: Vec<String> =
            summary.records.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        output::line(format!("{}: {}", summary.file, records.join(", ")));
        output::line(format!(
            "  digests: {} right, {} wrong, {} not checked; faults: {}",
            summary.digests_right,
            summary.digests_wrong,
            summary.digests_unchecked,
            summary.fault_count
        ));
        for fault in &summary.faults {
            output::line(format!("  at {}: {}", fault.offset, fault.what));
        }
    }
    Ok(if clean { Ending::Done } else { Ending::Partial })
}
