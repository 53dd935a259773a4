//! `GET /api/agents`: every agent's observable state, as in `lycosa agents --json`.

use crate::web::door::Doors;
use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// Everyone who is alive.
#[derive(Serialize, JsonSchema)]
pub(in crate::web) struct AgentsView {
    /// In order of birth; those of the crawl's process last when it is another one.
    agents: Vec<serde_json::Value>,
}

pub(in crate::web) async fn endpoint(State(doors): State<Arc<Doors>>) -> Json<AgentsView> {
    Json(AgentsView { agents: doors.agents().await })
}
