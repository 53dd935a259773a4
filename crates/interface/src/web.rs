//! What does the web server offer, and on what terms?
//!
//! One module per page and per endpoint. Every page is complete without a script, and the headers below
//! forbid all of them: text from crawled pages is hostile, and nothing of it may ever run here.

mod about;
mod api;
mod asset;
mod clean;
mod door;
mod error;
mod form;
mod home;
mod language;
mod listener;
mod opensearch;
mod search;
mod shell;
#[cfg(test)]
mod tests;
mod texts;
mod ui;
mod visit;

pub use door::{About, CRAWL_PATIENCE, Doors};
pub use listener::{IDLE_LIMIT, MAX_CONNECTIONS};

use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Router, middleware};
use listener::Bounded;
use std::future::{Future, IntoFuture};
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// How long requests under way may go on after the server was told to stop.
const GRACE: Duration = Duration::from_secs(1);

/// The headers of every response. The policy allows our own stylesheet and our own images, and forms
/// that lead back here; it allows no script at all.
const HEADERS: [(HeaderName, HeaderValue); 5] = [
    (
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; \
             base-uri 'none'; frame-ancestors 'none'",
        ),
    ),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    // The sites that were found need not learn what was asked.
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    ),
];

/// Serves the pages and the API on `listener` until `stop` completes; requests under way then have a
/// second to end. Where to listen, and who may reach that address, is the caller's business. Needs a
/// runtime with real time.
pub async fn serve(
    listener: tokio::net::TcpListener,
    doors: Doors,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    serve_router(listener, router(doors), stop).await
}

/// Serves nothing but `/metrics` (and `/healthz`), on the same terms as [`serve`]: for a process that
/// has no search page.
pub async fn serve_metrics(
    listener: tokio::net::TcpListener,
    doors: Doors,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let routes = Router::new()
        .route("/metrics", get(api::metrics::endpoint))
        .route("/healthz", get(api::healthz))
        .layer(middleware::map_response(with_headers))
        .with_state(Arc::new(doors));
    serve_router(listener, routes, stop).await
}

async fn serve_router(
    listener: tokio::net::TcpListener,
    routes: Router,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let (told, stopped) = tokio::sync::oneshot::channel::<()>();
    let stop = async move {
        stop.await;
        drop(told);
    };
    let server = axum::serve(Bounded::new(listener), routes).with_graceful_shutdown(stop);
    let patience = async {
        // Both ways of ending mean the same: the sender is gone.
        drop(stopped.await);
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        ended = server.into_future() => ended,
        () = patience => Ok(()),
    }
}

/// All routes, with the headers that every response carries.
pub fn router(doors: Doors) -> Router {
    Router::new()
        .route("/", get(home::page))
        .route("/search", get(search::page))
        .route("/about", get(about::page))
        .route("/api/search", get(api::search::endpoint))
        .route("/api/complete", get(api::complete::endpoint))
        .route("/api/status", get(api::status::endpoint))
        .route("/api/agents", get(api::agents::endpoint))
        .route("/api/v1/hunts", get(api::hunts::list).post(api::hunts::start))
        .route("/api/v1/hunts/{id}", get(api::hunts::show))
        .route("/api/v1/hunts/{id}/results", get(api::hunts::results))
        .route("/api/v1/hunts/{id}/{what}", post(api::hunts::steer))
        .route("/metrics", get(api::metrics::endpoint))
        .route("/healthz", get(api::healthz))
        .route("/style.css", get(asset::style))
        .route("/favicon.svg", get(asset::favicon))
        .route("/favicon.ico", get(asset::favicon))
        .route("/robots.txt", get(asset::robots))
        .route("/opensearch.xml", get(opensearch::page))
        .fallback(error::not_found)
        .method_not_allowed_fallback(error::wrong_method)
        .layer(middleware::map_response(with_headers))
        .with_state(Arc::new(doors))
}

async fn with_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.extend(HEADERS);
    // Answers change with every crawl; the assets say otherwise for themselves.
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("private, no-cache"));
    response
}
