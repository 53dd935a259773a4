//! `GET /search?q=&format=json`: the answer that SearXNG gives, so that whoever can ask one can ask us.

use super::Fault;
use crate::web::door::{Doors, Refusal};
use crate::web::form::{MAX_PAGE, PAGE_SIZE};
use crate::web::visit::Visit;
use axum::Json;
use axum::http::StatusCode;
use lycosa_model::{Hit, SearchRequest};
use serde::Serialize;

/// The name under which we answer.
const ENGINE: &str = "lycosa";

/// The fields of SearXNG's answer; what we do not have is empty.
#[derive(Serialize)]
pub(in crate::web) struct Answer {
    query: String,
    number_of_results: usize,
    results: Vec<Row>,
    answers: [String; 0],
    corrections: Vec<String>,
    infoboxes: [String; 0],
    suggestions: Vec<String>,
    unresponsive_engines: [String; 0],
}

#[derive(Serialize)]
struct Row {
    url: String,
    title: String,
    content: String,
    engine: &'static str,
    engines: [&'static str; 1],
    category: &'static str,
    template: &'static str,
    score: f32,
    positions: [usize; 1],
}

impl Row {
    fn of(hit: Hit) -> Row {
        Row {
            content: hit.plain_snippet(),
            url: hit.url,
            title: hit.title,
            engine: ENGINE,
            engines: [ENGINE],
            category: "general",
            template: "default.html",
            score: hit.score,
            positions: [hit.rank],
        }
    }
}

/// Answers a search in SearXNG's way. Its names of parameters are `pageno` and `language`.
pub(in crate::web) async fn answer(doors: &Doors, visit: &Visit) -> Result<Json<Answer>, Fault> {
    let page = visit.params.number("pageno", visit.form.page.max(1), 1, MAX_PAGE);
    let language = visit.params.get("language").and_then(lycosa_model::Lang::parse);
    let form = visit.form.request();
    let request = SearchRequest {
        limit: PAGE_SIZE,
        offset: (page - 1) * PAGE_SIZE,
        lang: form.lang.or(language),
        ..form
    };
    if request.query.is_empty() {
        let hint = "put the words into q, as in /search?q=wolf+spider&format=json";
        return Err(Fault::new(StatusCode::BAD_REQUEST, "nothing was asked", hint));
    }
    let response = doors.search(request).await.map_err(|Refusal { error, hint, .. }| {
        Fault::new(StatusCode::SERVICE_UNAVAILABLE, error, hint)
    })?;
    Ok(Json(Answer {
        query: response.query,
        number_of_results: response.total,
        results: response.results.into_iter().map(Row::of).collect(),
        answers: [],
        corrections: response.suggestion.iter().cloned().collect(),
        infoboxes: [],
        suggestions: Vec::new(),
        unresponsive_engines: [],
    }))
}
