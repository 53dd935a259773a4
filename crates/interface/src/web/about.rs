//! Who crawls here, and how is it kept out?

use super::clean;
use super::door::Doors;
use super::shell::{Shell, respond};
use super::visit::Visit;
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "about.html")]
struct AboutPage {
    shell: Shell,
    user_agent: String,
    robots_name: String,
    /// Address and words of the operator's contact.
    contact: Option<(String, String)>,
}

/// `GET /about`
pub(super) async fn page(State(doors): State<Arc<Doors>>, visit: Visit) -> Response {
    let about = &doors.about;
    let contact = about.contact.as_deref().and_then(|address| {
        let words = address.strip_prefix("mailto:").unwrap_or(address).to_owned();
        Some((clean::contact(address)?, words))
    });
    let page = AboutPage {
        shell: Shell::new(&doors, &visit, Some(visit.ui.texts().about_title)),
        user_agent: about.user_agent.clone(),
        robots_name: about.robots_name.clone(),
        contact,
    };
    respond(StatusCode::OK, visit.ui, &page)
}
