//! Does somebody want no more mail of a watch? A link in a mail leads here; nothing ends by looking at it.

use super::door::Doors;
use super::shell::{Shell, respond};
use super::visit::Visit;
use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "unsubscribe.html")]
struct UnsubscribePage {
    shell: Shell,
    action: String,
}

/// `GET /watches/ID/unsubscribe?token=`
pub(super) async fn page(
    State(doors): State<Arc<Doors>>,
    Path(id): Path<String>,
    visit: Visit,
) -> Response {
    let part =
        |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let token = part(visit.params.get("token").unwrap_or_default());
    let page = UnsubscribePage {
        shell: Shell::new(&doors, &visit, Some(visit.ui.texts().no_more_mail)),
        action: format!("/watches/{}/unsubscribe?token={token}", part(&id)),
    };
    respond(StatusCode::OK, visit.ui, &page)
}
