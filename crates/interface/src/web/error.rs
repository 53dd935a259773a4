//! What is shown when there is nothing to show?

use super::api::Fault;
use super::door::Doors;
use super::shell::{Shell, respond};
use super::visit::Visit;
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use lycosa_model::message::Unanswered;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage {
    shell: Shell,
    title: &'static str,
    message: &'static str,
    /// Whether the message leads over to a link to the home page.
    to_home: bool,
    /// Where to try again.
    again: Option<String>,
}

/// No page has this address.
pub(super) async fn not_found(State(doors): State<Arc<Doors>>, visit: Visit) -> Response {
    if visit.path.starts_with("/api/") {
        let hint = "GET /api/v1/openapi.json lists them all";
        return Fault::new(StatusCode::NOT_FOUND, "no such endpoint", hint).into_response();
    }
    let t = visit.ui.texts();
    let page = ErrorPage {
        shell: Shell::new(&doors, &visit, Some(t.not_found_title)),
        title: t.not_found_title,
        message: t.not_found,
        to_home: true,
        again: None,
    };
    respond(StatusCode::NOT_FOUND, visit.ui, &page)
}

/// Everything here is read-only.
pub(super) async fn wrong_method(State(doors): State<Arc<Doors>>, visit: Visit) -> Response {
    let status = StatusCode::METHOD_NOT_ALLOWED;
    if visit.path.starts_with("/api/") {
        let hint = "GET /api/v1/openapi.json says what it can do";
        return Fault::new(status, "this endpoint cannot do that", hint).into_response();
    }
    let t = visit.ui.texts();
    let page = ErrorPage {
        shell: Shell::new(&doors, &visit, Some(t.wrong_method_title)),
        title: t.wrong_method_title,
        message: t.wrong_method,
        to_home: false,
        again: None,
    };
    respond(status, visit.ui, &page)
}

/// A title and a sentence.
pub(super) fn plain(
    doors: &Doors,
    visit: &Visit,
    status: StatusCode,
    title: &'static str,
    message: &'static str,
) -> Response {
    let shell = Shell::new(doors, visit, Some(title));
    respond(status, visit.ui, &ErrorPage { shell, title, message, to_home: false, again: None })
}

/// The search has no answer now, and may have one later.
pub(super) fn unavailable(doors: &Doors, visit: &Visit, why: Unanswered) -> Response {
    let t = visit.ui.texts();
    let page = ErrorPage {
        shell: Shell::new(doors, visit, Some(t.unavailable_title)),
        title: t.unavailable_title,
        message: match why {
            Unanswered::Broken => t.index_broken,
            Unanswered::Failed => t.query_failed,
            Unanswered::Slow => t.query_slow,
            Unanswered::Gone | Unanswered::NoCrawl | Unanswered::NotUnderstood => t.query_gone,
        },
        to_home: false,
        again: Some(visit.form.href()),
    };
    respond(StatusCode::SERVICE_UNAVAILABLE, visit.ui, &page)
}
