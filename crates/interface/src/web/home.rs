//! What does a visitor see first? The search box, the size of the index, and what the crawl is doing.

use super::door::Doors;
use super::form::Form;
use super::shell::{Shell, respond};
use super::visit::Visit;
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "home.html")]
struct HomePage {
    shell: Shell,
    form: Form,
    /// Whether the index is known to be empty.
    empty: bool,
    documents: Option<String>,
    crawl: Vec<String>,
    /// Whether the crawl goes on.
    running: bool,
}

/// `GET /`
pub(super) async fn page(State(doors): State<Arc<Doors>>, visit: Visit) -> Response {
    let t = visit.ui.texts();
    let (documents, status) = tokio::join!(doors.documents(), doors.crawl_status());
    let running = status.as_ref().is_some_and(|status| !status.broker.finished);
    let crawl = match &status {
        Some(status) if running => vec![
            (t.crawling)(status.broker.pages, status.broker.queued),
            (t.crawl_rate)(status.pages_per_second, &status.broker.strategy),
        ],
        Some(status) => vec![(t.crawled)(status.broker.pages)],
        None => Vec::new(),
    };
    let page = HomePage {
        shell: Shell::new(&doors, &visit, None),
        form: visit.form.clone(),
        empty: documents == Some(0) && !running,
        documents: documents.filter(|n| *n > 0).map(t.documents),
        crawl,
        running,
    };
    respond(StatusCode::OK, visit.ui, &page)
}
