//! Which files does the server carry?

use super::door::{Doors, KeyList};
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use std::sync::Arc;

/// The one stylesheet.
pub(super) const STYLE: &str = include_str!("../../assets/style.css");
/// The wolf spider on a tile, for browser tabs.
pub(super) const FAVICON: &str = include_str!("../../assets/favicon.svg");
/// Other crawlers have nothing to find here: our results are their pages.
const ROBOTS: &str = "User-agent: *\nDisallow: /search\nDisallow: /api/\n";

/// The scripts, by name. Pages are complete without them.
const SCRIPTS: [(&str, &str); 5] = [
    ("complete.js", include_str!("../../assets/complete.js")),
    ("keys.js", include_str!("../../assets/keys.js")),
    ("hunt.js", include_str!("../../assets/hunt.js")),
    ("watch.js", include_str!("../../assets/watch.js")),
    ("map.js", include_str!("../../assets/map.js")),
];

/// Where sites look for the keys of those who sign their requests (Web Bot Auth).
pub(super) const KEY_DIRECTORY: &str = "/.well-known/http-message-signatures-directory";

const KEY_DIRECTORY_TYPE: &str = "application/http-message-signatures-directory+json";

/// The list of our keys; there is none without one.
pub(super) async fn key_directory(State(doors): State<Arc<Doors>>) -> Response {
    let Some(list) = &doors.about.key_directory else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let headers =
        [(header::CONTENT_TYPE, KEY_DIRECTORY_TYPE), (header::CACHE_CONTROL, "max-age=86400")];
    let KeyList { json, signature } = (list.0)();
    (headers, AppendHeaders(signature), json).into_response()
}

const STYLE_MARK: u64 = mark(STYLE.as_bytes());

/// FNV-1a: a new stylesheet gets a new address, so that a browser never mixes old and new.
pub(super) const fn mark(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    hash
}

/// The address of the stylesheet.
pub(super) fn style_href() -> String {
    format!("/style.css?v={STYLE_MARK:016x}")
}

pub(super) async fn style() -> Response {
    asset(STYLE, "text/css; charset=utf-8")
}

/// The address of a script.
pub(super) fn script_href(name: &str) -> String {
    let known = SCRIPTS.iter().find(|(known, _)| *known == name);
    format!("/assets/{name}?v={:016x}", known.map_or(0, |(_, text)| mark(text.as_bytes())))
}

/// `GET /assets/NAME`
pub(super) async fn script(Path(name): Path<String>) -> Response {
    match SCRIPTS.iter().find(|(known, _)| *known == name) {
        Some((_, text)) => asset(text, "text/javascript; charset=utf-8"),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

pub(super) async fn favicon() -> Response {
    asset(FAVICON, "image/svg+xml")
}

pub(super) async fn robots() -> Response {
    asset(ROBOTS, "text/plain; charset=utf-8")
}

fn asset(body: &'static str, media_type: &'static str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
        (header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=86400")),
    ];
    (headers, body).into_response()
}
