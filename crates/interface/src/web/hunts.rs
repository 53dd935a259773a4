//! Where do people start hunts, and watch them?
//!
//! Every view is a page of its own that is complete without a script; with one, the same page is fetched again
//! when the stream of events says that something happened, and what has changed is put in its place.

mod agents;
mod list;
mod results;
mod talk;
mod texts;
mod view;
mod ways;

pub(super) use agents::page as agent_page;
pub(super) use list::{page as list, start};
pub(super) use texts::{EN, ES, HuntTexts};
pub(super) use view::{page, steer};

use super::clean;
use super::door::{Doors, Refusal};
use super::error;
use super::visit::Visit;
use axum::http::StatusCode;
use axum::response::Response;
use lycosa_model::message::HuntView;

/// Characters of the words of a hunt that are shown.
const MOST_WORDS: usize = 200;

/// What a hunt is called.
fn name(view: &HuntView) -> String {
    let words = clean::line(&view.order.query, MOST_WORDS);
    let first = view.order.urls.first().map(|url| clean::line(url, MOST_WORDS));
    if words.is_empty() { first.unwrap_or_else(|| format!("#{}", view.id)) } else { words }
}

/// The page of a hunt, or of something below it, in the language that was chosen.
fn place(visit: &Visit, id: u64, below: &str) -> String {
    let mark = if below.contains('?') { '&' } else { '?' };
    match visit.form.ui {
        Some(ui) => format!("/hunts/{id}{below}{mark}ui={}", ui.code()),
        None => format!("/hunts/{id}{below}"),
    }
}

/// A value in an address.
fn escaped(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// There is no such hunt, agent or page.
fn missing(doors: &Doors, visit: &Visit) -> Response {
    let t = visit.ui.texts();
    error::plain(doors, visit, StatusCode::NOT_FOUND, t.not_found_title, t.hunt.unknown)
}

/// Whoever manages hunts has no answer now.
fn unanswered(doors: &Doors, visit: &Visit, refusal: &Refusal) -> Response {
    tracing::warn!("no answer about hunts: {}", refusal.error);
    let t = visit.ui.texts();
    let status = StatusCode::SERVICE_UNAVAILABLE;
    error::plain(doors, visit, status, t.unavailable_title, t.try_again)
}
