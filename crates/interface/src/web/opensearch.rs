//! How does a browser search here from its address bar? By an OpenSearch description.

use super::door::Doors;
use super::error;
use super::visit::Visit;
use askama::Template;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// Characters of a host name that can stand in an address.
const HOST: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:-[]";

#[derive(Template)]
#[template(path = "opensearch.xml", escape = "html")]
struct Description {
    name: String,
    words: &'static str,
    origin: String,
}

/// `GET /opensearch.xml`. The addresses in it are on the host that was asked.
pub(super) async fn page(
    State(doors): State<Arc<Doors>>,
    headers: HeaderMap,
    visit: Visit,
) -> Response {
    let Some(origin) = origin(&headers) else {
        return error::not_found(State(doors), visit).await;
    };
    let description =
        Description { name: doors.about.name.clone(), words: visit.ui.texts().tagline, origin };
    let xml = description.render().unwrap_or_default();
    ([(header::CONTENT_TYPE, "application/opensearchdescription+xml; charset=utf-8")], xml)
        .into_response()
}

/// Scheme and host under which we were asked, where these can stand in an address.
pub(super) fn origin(headers: &HeaderMap) -> Option<String> {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let plain = |host: &&str| !host.is_empty() && host.bytes().all(|b| HOST.contains(&b));
    let secure = headers.get("x-forwarded-proto").is_some_and(|scheme| scheme == "https");
    let scheme = if secure { "https" } else { "http" };
    host.filter(plain).map(|host| format!("{scheme}://{host}"))
}
