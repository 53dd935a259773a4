//! `GET /api/v1/page?url=`: what the index keeps of a page, to be read.

use super::Fault;
use super::url::address;
use crate::web::door::Doors;
use crate::web::visit::Visit;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use lycosa_model::StoredPage;
use std::sync::Arc;

pub(in crate::web) async fn endpoint(
    State(doors): State<Arc<Doors>>,
    visit: Visit,
) -> Result<Json<StoredPage>, Fault> {
    match doors.page(address(&visit)?).await? {
        Some(page) => Ok(Json(*page)),
        None => {
            let hint = "GET /api/v1/url says whether it is known";
            Err(Fault::new(StatusCode::NOT_FOUND, "this page is not in the index", hint))
        }
    }
}
