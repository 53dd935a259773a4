//! What do programs get? JSON, also for errors: `{"error", "hint"}`.

pub(super) mod agents;
pub(super) mod complete;
pub(super) mod events;
pub(super) mod export;
pub(super) mod hunts;
pub(super) mod metrics;
pub(super) mod openapi;
mod operation;
pub(super) mod page;
pub(super) mod picture;
pub(super) mod search;
pub(super) mod searxng;
pub(super) mod status;
pub(super) mod table;
pub(super) mod url;
pub(super) mod watches;

use super::door::{Doors, Refusal};
use crate::json::with_whole_numbers;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::borrow::Cow;
use std::sync::Arc;

/// Why a program gets no answer.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Error")]
pub(super) struct Fault {
    #[serde(skip)]
    status: StatusCode,
    /// What is wrong.
    error: Cow<'static, str>,
    /// What to do about it.
    hint: Cow<'static, str>,
}

impl Fault {
    pub(super) fn new(
        status: StatusCode,
        error: impl Into<Cow<'static, str>>,
        hint: impl Into<Cow<'static, str>>,
    ) -> Fault {
        Fault { status, error: error.into(), hint: hint.into() }
    }
}

impl Fault {
    /// What was refused because of what was asked, not because of the moment.
    fn of_the_request(mut self) -> Fault {
        if self.status == StatusCode::CONFLICT {
            self.status = StatusCode::UNPROCESSABLE_ENTITY;
        }
        self
    }
}

impl From<Refusal> for Fault {
    fn from(Refusal { error, hint, .. }: Refusal) -> Fault {
        Fault::new(StatusCode::SERVICE_UNAVAILABLE, error, hint)
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        (self.status, Json(self)).into_response()
    }
}

/// The body of a request that changes something, and where to read how it is written.
fn read<T: DeserializeOwned>(body: &[u8], hint: &'static str) -> Result<T, Fault> {
    let read =
        serde_json::from_slice(body).map(with_whole_numbers).and_then(serde_json::from_value);
    read.map_err(|error| Fault::new(StatusCode::BAD_REQUEST, error.to_string(), hint))
}

/// `GET /readyz`: whether it can answer: the index can be read, and the crawl speaks if one runs.
pub(super) async fn readyz(State(doors): State<Arc<Doors>>) -> (StatusCode, &'static str) {
    let (documents, crawl) = tokio::join!(doors.documents(), doors.crawl_answers());
    match (documents, crawl) {
        (Some(_), true) => (StatusCode::OK, "ready\n"),
        (None, _) => (StatusCode::SERVICE_UNAVAILABLE, "the index cannot be read\n"),
        (_, false) => (StatusCode::SERVICE_UNAVAILABLE, "the crawl does not answer\n"),
    }
}

/// `GET /healthz`: the server is alive. Says nothing of the index.
pub(super) async fn healthz() -> &'static str {
    "ok\n"
}
