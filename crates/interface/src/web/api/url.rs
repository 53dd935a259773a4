//! `GET /api/v1/url?url=`: what is known of a URL, and why it was or was not fetched.

use super::Fault;
use crate::web::door::Doors;
use crate::web::visit::Visit;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use lycosa_frontier::normal;
use lycosa_model::message::{Unanswered, UrlView};
use std::sync::Arc;

pub(in crate::web) async fn endpoint(
    State(doors): State<Arc<Doors>>,
    visit: Visit,
) -> Result<Json<UrlView>, Fault> {
    let url = address(&visit)?;
    match doors.url(url).await {
        Ok(Some(view)) => Ok(Json(*view)),
        Ok(None) => {
            let hint = "no page that was read links to it, or it is out of scope";
            Err(Fault::new(StatusCode::NOT_FOUND, "this URL is not known", hint))
        }
        Err(refusal) if refusal.why == Unanswered::NoCrawl => {
            Err(Fault::new(StatusCode::CONFLICT, refusal.error, "at rest, use: lycosa url URL"))
        }
        Err(refusal) => Err(refusal.into()),
    }
}

/// The address that is asked for. What is none is not known.
pub(super) fn address(visit: &Visit) -> Result<String, Fault> {
    let url = visit.params.get("url").unwrap_or_default();
    match normal::parse(url) {
        Ok(_) => Ok(url.to_owned()),
        Err(error) => {
            let error = format!("this is no address of a page: {error}");
            Err(Fault::new(StatusCode::NOT_FOUND, error, "write http://… or https://…"))
        }
    }
}
