//! `GET /api/search?q=&limit=&offset=&lang=&site=&raise=&lower=&block=&explain=`: the fields of `lycosa search
//! --json`. What a browser keeps of sites does not count here: a program gets what its address says.

use super::Fault;
use crate::web::door::Doors;
use crate::web::form::{MAX_LIMIT, MAX_OFFSET, Note, PAGE_SIZE};
use crate::web::visit::Visit;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use lycosa_model::{QueryNote, SearchRequest, SearchResponse};
use std::sync::Arc;

pub(in crate::web) async fn endpoint(
    State(doors): State<Arc<Doors>>,
    visit: Visit,
) -> Result<Json<SearchResponse>, Fault> {
    let request = SearchRequest {
        limit: visit.params.number("limit", PAGE_SIZE, 1, MAX_LIMIT),
        offset: visit.params.number("offset", 0, 0, MAX_OFFSET),
        explain: visit.params.flag("explain"),
        ..visit.form.request()
    };
    if request.query.is_empty() {
        let hint = "put the words into q, as in /api/search?q=wolf+spider";
        return Err(Fault::new(StatusCode::BAD_REQUEST, "nothing was asked", hint));
    }
    match doors.search(request).await {
        Ok(mut response) => {
            let left_out = [Note::OddPreference, Note::TooManyPreferences];
            if visit.form.notes.iter().any(|note| left_out.contains(note)) {
                response.notes.push(QueryNote::SitesLeftOut);
            }
            Ok(Json(response))
        }
        Err(refusal) => Err(refusal.into()),
    }
}
