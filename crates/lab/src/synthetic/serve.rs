//! How is this web served on loopback? One listener for all sites; the `Host` header says which.

use super::answer::plain;
use super::{Response, SyntheticWeb};
use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{ALLOW, HOST, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request};
use hyper_util::rt::{TokioIo, TokioTimer};
use lycosa_model::Headers;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::{JoinHandle, JoinSet};

/// Connections that are open at once; further ones wait in the listener's queue.
pub const MAX_CONNECTIONS: usize = 256;
/// How long a connection may stay without a (whole) request head.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// Largest request head.
const MAX_HEAD: usize = 16 * 1024;
/// How long connections may finish after the stop.
const GRACE: Duration = Duration::from_millis(500);
/// Pause after the system refused to accept a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A synthetic web that is being served.
pub struct Served {
    web: Arc<SyntheticWeb>,
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl Served {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The web that it serves.
    pub fn web(&self) -> &Arc<SyntheticWeb> {
        &self.web
    }

    /// Requests by address.
    pub fn requests(&self) -> BTreeMap<String, u64> {
        self.web.visits().all()
    }

    /// Whether this address was requested; exact as long as
    /// [`Visits::is_complete`](super::Visits::is_complete) holds.
    pub fn was_requested(&self, url: &str) -> bool {
        self.web.visits().count(url) > 0
    }

    /// Waits until the server has ended, which it does after its stop.
    pub async fn join(self) {
        // A cancelled runtime ends the server too.
        drop(self.task.await);
    }
}

/// Serves `web` on `listener` until `stop` is ready, from a task of its own. Must be called inside a
/// Tokio runtime. The port in the web's naming should be the listener's, or its links lead elsewhere.
pub fn serve(
    web: Arc<SyntheticWeb>,
    listener: TcpListener,
    stop: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<Served> {
    let address = listener.local_addr()?;
    let task = tokio::spawn(accept(Arc::clone(&web), listener, stop));
    Ok(Served { web, address, task })
}

async fn accept(web: Arc<SyntheticWeb>, listener: TcpListener, stop: impl Future<Output = ()>) {
    let mut stop = pin!(stop);
    let (closing, closed) = watch::channel(false);
    let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut open = JoinSet::new();
    loop {
        let next = async {
            // The semaphore is never closed.
            let slot = Arc::clone(&slots).acquire_owned().await;
            (slot, listener.accept().await)
        };
        tokio::select! {
            () = &mut stop => break,
            (slot, accepted) = next => match accepted {
                Ok((stream, _)) => {
                    let (web, closed) = (Arc::clone(&web), closed.clone());
                    open.spawn(async move {
                        connection(web, stream, closed).await;
                        drop(slot);
                    });
                }
                Err(error) => {
                    tracing::warn!("cannot accept: {error}");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            Some(_) = open.join_next() => {}
        }
    }
    drop(listener);
    // Nobody listens when no connection is open.
    let _ = closing.send(true);
    let finish = async { while open.join_next().await.is_some() {} };
    if tokio::time::timeout(GRACE, finish).await.is_err() {
        open.shutdown().await;
    }
}

async fn connection(web: Arc<SyntheticWeb>, stream: TcpStream, mut closed: watch::Receiver<bool>) {
    // Answers are small and waited for.
    drop(stream.set_nodelay(true));
    let service = service_fn(move |request| {
        let answer = respond(&web, &request);
        async move { Ok::<_, Infallible>(answer) }
    });
    let mut connection = pin!(
        hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(IDLE_TIMEOUT)
            .max_buf_size(MAX_HEAD)
            .serve_connection(TokioIo::new(stream), service)
    );
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = async { drop(closed.wait_for(|closed| *closed).await) } => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!("connection ended early: {error}");
    }
}

fn respond(web: &SyntheticWeb, request: &Request<Incoming>) -> hyper::Response<Full<Bytes>> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let mut refusal = into_http(plain(405, "only GET and HEAD are understood here\n"));
        let allowed = HeaderValue::from_static("GET, HEAD");
        refusal.headers_mut().insert(ALLOW, allowed);
        return refusal;
    }
    // A request that names its target in full overrides the header (RFC 9112, 3.2.2).
    let host = match request.uri().authority() {
        Some(authority) => authority.as_str(),
        None => request.headers().get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default(),
    };
    let host = host.to_ascii_lowercase();
    let path = request.uri().path();
    let Some(site) = web.naming.name(&host) else {
        let bare = host.split(':').next().unwrap_or_default();
        let people = matches!(bare, "localhost" | "127.0.0.1") && path == "/";
        return into_http(if people {
            web.directory()
        } else {
            plain(421, "no such site in this web\n")
        });
    };
    let target = request.uri().path_and_query().map_or(path, |full| full.as_str());
    web.visits.record(&format!("http://{host}{target}"));
    let mut headers = Headers::default();
    for (name, value) in request.headers() {
        headers.push(name.as_str(), Bytes::copy_from_slice(value.as_bytes()));
    }
    into_http(web.answer(site, path, &headers))
}

fn into_http(response: Response) -> hyper::Response<Full<Bytes>> {
    let mut builder = hyper::Response::builder().status(response.status);
    for header in response.headers.0 {
        builder = builder.header(header.name, &header.value[..]);
    }
    // Names and values are our own; if one were malformed, the client would see a plain failure.
    builder.body(Full::new(response.body)).unwrap_or_else(|error| {
        tracing::error!("response cannot be built: {error}");
        let mut failure = hyper::Response::new(Full::default());
        *failure.status_mut() = hyper::StatusCode::INTERNAL_SERVER_ERROR;
        failure
    })
}
