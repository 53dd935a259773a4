//! What does the web server offer, and on what terms?
//!
//! One module per page and per endpoint. Every page is complete without a script, and the headers below
//! forbid all but our own files: text from crawled pages is hostile, and nothing of it may ever run here.

mod about;
mod api;
mod asset;
mod cached;
mod clean;
mod door;
mod error;
mod feed;
mod form;
mod guard;
mod home;
mod hunts;
mod language;
mod listener;
mod opensearch;
mod preferences;
mod runs;
mod search;
mod shell;
#[cfg(test)]
mod tests;
mod texts;
mod theme;
mod ui;
mod unsubscribe;
mod visit;
mod watches;

pub use door::{About, CRAWL_PATIENCE, Doors, KeyDirectory, KeyList};
pub use guard::{Guard, MAX_BODY, Reach, Terms, Token};
pub use listener::{IDLE_LIMIT, MAX_CONNECTIONS};
pub use runs::Runs;

use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Router, middleware};
use listener::{Bounded, Client};
use std::future::{Future, IntoFuture};
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// How long requests under way may go on after the server was told to stop.
const GRACE: Duration = Duration::from_secs(1);

/// The headers of every response. The policy allows our own files, and forms that lead back here; it allows no
/// script but those in files of ours, so that nothing on a page can be one.
const HEADERS: [(HeaderName, HeaderValue); 5] = [
    (
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; \
             img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        ),
    ),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    // The sites that were found need not learn what was asked; our own server must learn where a form was.
    (header::REFERRER_POLICY, HeaderValue::from_static("same-origin")),
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
        .route("/healthz", get(api::healthz));
    serve_router(listener, guarded(routes, doors), stop).await
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
    let routes = routes.into_make_service_with_connect_info::<Client>();
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

/// All routes.
pub fn router(doors: Doors) -> Router {
    let routes = Router::new()
        .route("/", get(home::page))
        .route("/search", get(search::page))
        .route("/about", get(about::page))
        .route("/cached", get(cached::page))
        .route("/theme", get(theme::choose))
        .route("/preferences", post(preferences::change))
        .merge(api::table::routes())
        .route("/mcp", crate::mcp::route(doors.interface.clone()))
        .route("/hunts", get(hunts::list).post(hunts::start))
        .route("/hunts/{id}", get(hunts::page))
        .route("/hunts/{id}/{what}", post(hunts::steer))
        .route("/hunts/{id}/agents/{name}", get(hunts::agent_page))
        .route("/assets/{name}", get(asset::script))
        .route("/watches", get(watches::list).post(watches::add))
        .route("/watches.opml", get(watches::export))
        .route("/watches/{id}", get(watches::page))
        .route("/watches/{id}/{what}", post(watches::steer))
        .route("/watches/{id}/feed.atom", get(api::watches::feed))
        .route("/watches/{id}/unsubscribe", get(unsubscribe::page).post(api::watches::unsubscribe))
        .route("/metrics", get(api::metrics::endpoint))
        .route("/healthz", get(api::healthz))
        .route("/readyz", get(api::readyz))
        .route("/style.css", get(asset::style))
        .route("/favicon.svg", get(asset::favicon))
        .route("/favicon.ico", get(asset::favicon))
        .route("/robots.txt", get(asset::robots))
        .route(asset::KEY_DIRECTORY, get(asset::key_directory))
        .route("/opensearch.xml", get(opensearch::page))
        .route("/signin", get(guard::sign_in_page).post(guard::sign_in))
        .route("/signout", post(guard::leave))
        .fallback(error::not_found)
        .method_not_allowed_fallback(error::wrong_method);
    guarded(routes, doors)
}

/// Routes behind the guard, with the headers that every response carries.
fn guarded(routes: Router<Arc<Doors>>, doors: Doors) -> Router {
    let doors = Arc::new(doors);
    routes
        .layer(middleware::from_fn_with_state(Arc::clone(&doors), guard::watch))
        .layer(middleware::map_response(with_headers))
        .with_state(doors)
}

async fn with_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.extend(HEADERS);
    // Answers change with every crawl; the assets say otherwise for themselves.
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("private, no-cache"));
    response
}
