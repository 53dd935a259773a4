//! How are results read by programs that know no JSON? As a feed (Atom, RSS) that tells of new pages, or as a
//! table (CSV).

use super::api::Fault;
use super::asset::mark;
use super::door::Doors;
use super::form::MAX_LIMIT;
use super::visit::Visit;
use crate::graph::escaped;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use lycosa_model::{Hit, Prey, SearchRequest, SearchResponse, Tick};
use std::fmt::Write;

/// Results of a feed or a table, when nobody says how many.
const RESULTS: usize = 20;

/// What the names of our feeds begin with. It never changes, so that readers know what they have seen.
const TAG: &str = "tag:lycosa,2026";

/// A form other than a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Atom,
    Rss,
    Csv,
}

impl Form {
    /// The form of this name.
    pub(super) fn parse(name: &str) -> Option<Form> {
        match name {
            "atom" => Some(Form::Atom),
            "rss" => Some(Form::Rss),
            "csv" => Some(Form::Csv),
            _ => None,
        }
    }
}

/// Answers a search in another form than a page.
pub(super) async fn answer(
    doors: &Doors,
    visit: &Visit,
    headers: &HeaderMap,
    form: Form,
) -> Result<Response, Fault> {
    let limit = visit.params.number("limit", RESULTS, 1, MAX_LIMIT);
    let request = SearchRequest { limit, explain: false, facets: false, ..visit.form.request() };
    if request.query.is_empty() {
        let hint = "put the words into q, as in /search?q=wolf+spider&format=atom";
        return Err(Fault::new(StatusCode::BAD_REQUEST, "nothing was asked", hint));
    }
    let response = doors.search(request).await?;
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let origin = format!("http://{host}");
    let page = format!("{origin}{}", visit.form.href());
    let (media, body) = match form {
        Form::Atom => ("application/atom+xml; charset=utf-8", atom(doors, &page, &response)),
        Form::Rss => ("application/rss+xml; charset=utf-8", rss(doors, &page, &response)),
        Form::Csv => ("text/csv; charset=utf-8", csv(&response)),
    };
    Ok(with_mark(headers, media, body))
}

/// An answer that is sent only to whoever does not have it yet.
fn with_mark(headers: &HeaderMap, media: &'static str, body: String) -> Response {
    let mark = format!("\"{:016x}\"", mark(body.as_bytes()));
    let known = headers.get(header::IF_NONE_MATCH).and_then(|marks| marks.to_str().ok());
    let known = known.is_some_and(|known| {
        let mut marks = known.split(',').map(|known| known.trim().trim_start_matches("W/"));
        marks.any(|known| known == mark || known == "*")
    });
    let value = HeaderValue::from_str(&mark).unwrap_or(HeaderValue::from_static("\"\""));
    let mark = [(header::ETAG, value)];
    match known {
        true => (StatusCode::NOT_MODIFIED, mark).into_response(),
        false => (mark, [(header::CONTENT_TYPE, media)], body).into_response(),
    }
}

/// A moment as feeds write it; the first one there is when it is not known.
fn moment(tick: Tick, form: &str) -> String {
    let moment = i64::try_from(tick.0).ok();
    let moment = moment.and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    moment.unwrap_or_default().strftime(form).to_string()
}

const ATOM_TIME: &str = "%Y-%m-%dT%H:%M:%SZ";
const RSS_TIME: &str = "%a, %d %b %Y %H:%M:%S GMT";

fn latest(response: &SearchResponse) -> Tick {
    response.results.iter().map(|hit| hit.date).max().unwrap_or_default()
}

fn atom(doors: &Doors, page: &str, response: &SearchResponse) -> String {
    let query = escaped(&response.query);
    let page = escaped(page);
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n\
         <id>{TAG}:search/{:016x}</id>\n<title>{query} – {name}</title>\n\
         <updated>{}</updated>\n<link rel=\"self\" type=\"application/atom+xml\" href=\"{page}&amp;format=atom\"/>\n\
         <link rel=\"alternate\" type=\"text/html\" href=\"{page}\"/>\n<author><name>{name}</name></author>\n",
        mark(response.query.as_bytes()),
        moment(latest(response), ATOM_TIME),
        name = escaped(&doors.about.name),
    );
    for hit in &response.results {
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "<entry><id>{TAG}:page/{}</id><title>{}</title><link href=\"{}\"/><updated>{}</updated>\
             <summary>{}</summary></entry>",
            hit.url_id,
            escaped(&hit.title),
            escaped(&hit.url),
            moment(hit.date, ATOM_TIME),
            escaped(&hit.plain_snippet()),
        );
    }
    out.push_str("</feed>\n");
    out
}

fn rss(doors: &Doors, page: &str, response: &SearchResponse) -> String {
    let (name, query) = (escaped(&doors.about.name), escaped(&response.query));
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<rss version=\"2.0\"><channel><title>{query} – {name}</title>\
         <link>{}</link><description>{query}</description>\n",
        escaped(page)
    );
    for hit in &response.results {
        let _ = writeln!(
            out,
            "<item><guid isPermaLink=\"false\">{TAG}:page/{}</guid><title>{}</title><link>{}</link>\
             <pubDate>{}</pubDate><description>{}</description></item>",
            hit.url_id,
            escaped(&hit.title),
            escaped(&hit.url),
            moment(hit.date, RSS_TIME),
            escaped(&escaped(&hit.plain_snippet())),
        );
    }
    out.push_str("</channel></rss>\n");
    out
}

fn csv(response: &SearchResponse) -> String {
    let row = |hit: &Hit| {
        let lang = hit.lang.map(|lang| lang.to_string()).unwrap_or_default();
        let date = moment(hit.date, ATOM_TIME);
        let snippet = hit.plain_snippet();
        let (rank, score) = (hit.rank.to_string(), hit.score.to_string());
        line(&[&rank, &hit.url, &hit.title, &snippet, &score, &hit.site, &lang, &date, &hit.agent])
    };
    let head = line(&["rank", "url", "title", "snippet", "score", "site", "lang", "date", "agent"]);
    head + &response.results.iter().map(row).collect::<String>()
}

/// What a hunt has found, as a table.
pub(super) fn prey_csv(prey: &[Prey]) -> String {
    let row = |prey: &Prey| {
        let verdict = prey.verdict.map(|good| if good { "good" } else { "bad" });
        line(&[
            &prey.rank.to_string(),
            &prey.url,
            &prey.title,
            &prey.relevance.to_string(),
            &prey.finder,
            &prey.agent,
            prey.via.as_deref().unwrap_or_default(),
            &prey.seconds.to_string(),
            verdict.unwrap_or_default(),
        ])
    };
    let head =
        ["rank", "url", "title", "relevance", "finder", "agent", "via", "seconds", "verdict"];
    line(&head) + &prey.iter().map(row).collect::<String>()
}

/// A line of a table (RFC 4180). A cell that a spreadsheet would take for a formula is marked as text.
fn line(cells: &[&str]) -> String {
    let cell = |text: &&str| {
        let text: String = text.chars().filter(|c| !c.is_control() || *c == '\n').collect();
        let number = text.parse::<f64>().is_ok();
        let text = match text.chars().next() {
            Some('=' | '+' | '-' | '@') if !number => format!("'{text}"),
            _ => text,
        };
        match text.contains([',', '"', '\n']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text,
        }
    };
    let cells: Vec<String> = cells.iter().map(cell).collect();
    cells.join(",") + "\r\n"
}
