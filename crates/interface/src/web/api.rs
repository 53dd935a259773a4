//! What do programs get? JSON, also for errors: `{"error", "hint"}`.

pub(super) mod agents;
pub(super) mod search;
pub(super) mod status;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// Why a program gets no answer.
#[derive(Debug, Serialize)]
pub(super) struct Fault {
    #[serde(skip)]
    status: StatusCode,
    error: &'static str,
    hint: &'static str,
}

impl Fault {
    pub(super) fn new(status: StatusCode, error: &'static str, hint: &'static str) -> Fault {
        Fault { status, error, hint }
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
