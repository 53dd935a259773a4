//! How does a feed reader take all feeds in at once? As a list of them in OPML 2.0.

use super::{MOST_WORDS, unanswered};
use crate::graph::escaped;
use crate::web::api::Fault;
use crate::web::clean;
use crate::web::door::Doors;
use crate::web::guard;
use crate::web::opensearch::origin;
use crate::web::visit::Visit;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use lycosa_model::message::{WatchFeed, WatchMessage, WatchReply};
use std::fmt::Write as _;
use std::sync::Arc;

/// `GET /watches.opml`. It has the tokens of all feeds, so it is for whoever may change something.
pub(in crate::web) async fn export(
    State(doors): State<Arc<Doors>>,
    headers: HeaderMap,
    visit: Visit,
) -> Response {
    if !guard::may_change(&visit) {
        let hint = "sign in at /signin, or send Authorization: Bearer TOKEN";
        let fault =
            Fault::new(StatusCode::UNAUTHORIZED, "this needs the token of the server", hint);
        return fault.into_response();
    }
    let feeds = match doors.watches(WatchMessage::Feeds { id: None }).await {
        Ok(WatchReply::Feeds(feeds)) => feeds,
        Ok(_) => Vec::new(),
        Err(refusal) => return unanswered(&doors, &visit, &refusal),
    };
    let server = origin(&headers).unwrap_or_else(|| "http://localhost".into());
    let about = [
        (header::CONTENT_TYPE, "text/x-opml; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"watches.opml\""),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (about, opml(&doors.about.name, &server, &feeds)).into_response()
}

fn opml(name: &str, server: &str, feeds: &[WatchFeed]) -> String {
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<opml version=\"2.0\">\n<head><title>{}</title></head>\n<body>\n",
        escaped(name)
    );
    for WatchFeed { id, name, feed } in feeds {
        let (name, server) = (escaped(&clean::line(name, MOST_WORDS)), escaped(server));
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "<outline type=\"rss\" text=\"{name}\" title=\"{name}\" xmlUrl=\"{server}{}\" \
             htmlUrl=\"{server}/watches/{id}\"/>",
            escaped(feed)
        );
    }
    out.push_str("</body>\n</opml>\n");
    out
}
