//! What was a page when it was read? Its text, and nothing that could run.

use super::clean::{self, Address};
use super::door::Doors;
use super::error;
use super::search::day;
use super::shell::{Shell, respond};
use super::visit::Visit;
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "cached.html")]
struct CachedPage {
    shell: Shell,
    title: String,
    href: Option<String>,
    words: String,
    lang: Option<String>,
    /// For machines and for people.
    fetched: Option<(String, String)>,
    agent: String,
    text: String,
}

/// `GET /cached?url=`
pub(super) async fn page(State(doors): State<Arc<Doors>>, visit: Visit) -> Response {
    let t = visit.ui.texts();
    let nothing =
        || error::plain(&doors, &visit, StatusCode::NOT_FOUND, t.not_found_title, t.cached_none);
    let Some(url) = visit.params.get("url") else { return nothing() };
    let page = match doors.page(url.to_owned()).await {
        Ok(Some(page)) => page,
        Ok(None) => return nothing(),
        Err(refusal) => return error::unavailable(&doors, &visit, refusal.why),
    };
    let address = Address::new(&page.url);
    let title = clean::line(&page.title, clean::MAX_TITLE);
    let words = address.as_ref().map_or_else(|| clean::line(&page.url, 200), Address::words);
    let title = if title.is_empty() { words.clone() } else { title };
    let page = CachedPage {
        shell: Shell::new(&doors, &visit, Some(&title)),
        title,
        href: address.map(|address| address.href),
        words,
        lang: page.lang.map(|lang| lang.to_string()),
        fetched: day(page.fetched, visit.ui),
        agent: clean::line(&page.agent, 60),
        text: clean::text(&page.text),
    };
    respond(StatusCode::OK, visit.ui, &page)
}
