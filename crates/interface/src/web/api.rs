//! What do programs get? JSON, also for errors: `{"error", "hint"}`.

pub(super) mod agents;
pub(super) mod complete;
pub(super) mod hunts;
pub(super) mod metrics;
pub(super) mod search;
pub(super) mod searxng;
pub(super) mod status;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::borrow::Cow;

/// Why a program gets no answer.
#[derive(Debug, Serialize)]
pub(super) struct Fault {
    #[serde(skip)]
    status: StatusCode,
    error: Cow<'static, str>,
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
            self.status = StatusCode::BAD_REQUEST;
        }
        self
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        (self.status, Json(self)).into_response()
    }
}

/// `GET /healthz`: the server is alive. Says nothing of the index.
pub(super) async fn healthz() -> &'static str {
    "ok\n"
}
