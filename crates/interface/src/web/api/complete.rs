//! `GET /api/complete?q=`: what a query may become, in the form that browsers ask search engines for: the
//! query, then a list of whole queries.

use crate::web::door::Doors;
use crate::web::visit::Visit;
use axum::Json;
use axum::extract::State;
use std::sync::Arc;

pub(in crate::web) async fn endpoint(
    State(doors): State<Arc<Doors>>,
    visit: Visit,
) -> Json<(String, Vec<String>)> {
    // As it was typed: a space at the end says that the last word is whole.
    let typed = visit.params.0.iter().find(|(name, _)| name == "q");
    let typed = typed.map(|(_, value)| value.clone()).unwrap_or_default();
    let queries = match typed.is_empty() {
        true => Vec::new(),
        false => doors.completions(typed.clone()).await,
    };
    Json((typed, queries))
}
