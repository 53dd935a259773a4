//! `GET /api/status`: the size of the index, and the fields of `lycosa status --json` while a crawl runs.

use crate::web::door::Doors;
use axum::Json;
use axum::extract::State;
use lycosa_model::message::CrawlStatus;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// What there is to know.
#[derive(Serialize, JsonSchema)]
pub(in crate::web) struct StatusView {
    /// Whether a crawl runs.
    running: bool,
    /// Documents in the index, if that is known.
    documents: Option<u64>,
    /// The crawl in numbers; no field of it while none runs.
    #[serde(flatten)]
    crawl: Option<CrawlStatus>,
}

pub(in crate::web) async fn endpoint(State(doors): State<Arc<Doors>>) -> Json<StatusView> {
    let (documents, crawl) = tokio::join!(doors.documents(), doors.crawl_status());
    Json(StatusView {
        running: crawl.as_ref().is_some_and(|crawl| !crawl.broker.finished),
        documents,
        crawl,
    })
}
