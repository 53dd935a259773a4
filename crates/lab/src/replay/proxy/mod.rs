//! How does another program crawl the archive? Through a forward proxy: any address, http or https,
//! answered from the archive and from nowhere else.
//!
//! `CONNECT` is answered by the proxy itself, with a certificate that its own [`Ca`] signs for the host
//! that was asked for; the program has to trust `ca.pem`.

mod ca;
mod respond;

pub use ca::{Ca, CaError};

use super::Replay;
use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::upgrade::OnUpgrade;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

/// Connections served at a time; further ones wait.
pub const MAX_CONNECTIONS: usize = 256;
/// Time for the head of a request, also between requests on one connection.
pub const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// Time for a TLS handshake.
pub const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// Pause after the operating system refused a connection, for instance for want of file handles.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Whom a tunnel leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Target {
    /// Host as asked for, IPv6 without brackets.
    host: String,
    /// `scheme://authority` of everything asked inside.
    origin: String,
    tls: bool,
}

/// What the requests of one connection share.
struct Context {
    replay: Arc<Replay>,
    /// Set inside a tunnel.
    origin: Option<String>,
    /// A tunnel that was asked for; the connection turns into it.
    tunnel: Mutex<Option<(OnUpgrade, Target)>>,
}

/// Serves until `stop` is ready; connections that are open then are closed. The answers should come at
/// once: give a [`Replay`] without latency.
pub async fn serve(
    replay: Arc<Replay>,
    listener: TcpListener,
    ca: Ca,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let ca = Arc::new(ca);
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut connections = JoinSet::new();
    tokio::pin!(stop);
    loop {
        let accepted = tokio::select! {
            () = &mut stop => return Ok(()),
            accepted = async {
                // Never closed, so always granted.
                let place = Arc::clone(&places).acquire_owned().await;
                (place, listener.accept().await)
            } => accepted,
        };
        while connections.try_join_next().is_some() {}
        match accepted {
            (place, Ok((stream, peer))) => {
                let (replay, ca) = (Arc::clone(&replay), Arc::clone(&ca));
                connections.spawn(async move {
                    if let Err(error) = connection(replay, ca, stream).await {
                        tracing::debug!(%peer, %error, "proxy connection ended");
                    }
                    drop(place);
                });
            }
            (_, Err(error)) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn connection(replay: Arc<Replay>, ca: Arc<Ca>, stream: TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let Some((upgrade, target)) = http1(Arc::clone(&replay), None, stream).await? else {
        return Ok(());
    };
    let inside = TokioIo::new(upgrade.await.map_err(io::Error::other)?);
    let origin = Some(target.origin);
    if target.tls {
        let config = ca.config_for(&target.host).map_err(io::Error::other)?;
        let handshake = TlsAcceptor::from(config).accept(inside);
        let stream = tokio::time::timeout(HANDSHAKE_TIMEOUT, handshake).await??;
        http1(replay, origin, stream).await?;
    } else {
        http1(replay, origin, inside).await?;
    }
    Ok(())
}

/// Serves HTTP/1 on a connection; returns the tunnel that it turned into, if it did.
async fn http1<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    replay: Arc<Replay>,
    origin: Option<String>,
    stream: S,
) -> io::Result<Option<(OnUpgrade, Target)>> {
    let context = Arc::new(Context { replay, origin, tunnel: Mutex::new(None) });
    let service = {
        let context = Arc::clone(&context);
        service_fn(move |request| handle(Arc::clone(&context), request))
    };
    hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades()
        .await
        .map_err(io::Error::other)?;
    let tunnel = context.tunnel.lock();
    Ok(tunnel.unwrap_or_else(PoisonError::into_inner).take())
}

async fn handle(
    context: Arc<Context>,
    mut request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    if request.method() == Method::CONNECT {
        // A tunnel in a tunnel leads nowhere that the first one does not.
        let target = target_of(&request).filter(|_| context.origin.is_none());
        let Some(target) = target else {
            let why = "CONNECT needs host:port";
            return Ok(respond::text(StatusCode::BAD_REQUEST, why));
        };
        let upgrade = hyper::upgrade::on(&mut request);
        let mut tunnel = context.tunnel.lock().unwrap_or_else(PoisonError::into_inner);
        *tunnel = Some((upgrade, target));
        return Ok(Response::new(Full::default()));
    }
    let head_only = request.method() == Method::HEAD;
    if !head_only && request.method() != Method::GET {
        return Ok(respond::not_allowed());
    }
    let Some(url) = address_of(&request, context.origin.as_deref()) else {
        let why = "this is a proxy: ask for an absolute address, or send Host";
        return Ok(respond::text(StatusCode::BAD_REQUEST, why));
    };
    let headers = respond::headers_of(&request);
    let replay = Arc::clone(&context.replay);
    // Reading and inflating a large capture must not hold up other connections.
    let answer = tokio::task::spawn_blocking(move || replay.answer(&url, &headers)).await;
    Ok(match answer {
        Ok(Ok(answer)) => respond::answer(answer, head_only),
        _ => respond::text(StatusCode::BAD_GATEWAY, "the capture cannot be read"),
    })
}

/// The absolute address of a request: in a tunnel that of the tunnel, else its own or that of `Host`.
fn address_of(request: &Request<Incoming>, origin: Option<&str>) -> Option<String> {
    let uri = request.uri();
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    if let Some(origin) = origin {
        return Some(format!("{origin}{path}"));
    }
    if uri.scheme().is_some() && uri.authority().is_some() {
        return Some(uri.to_string());
    }
    let host = request.headers().get(hyper::header::HOST)?.to_str().ok()?;
    (!host.is_empty()).then(|| format!("http://{host}{path}"))
}

fn target_of(request: &Request<Incoming>) -> Option<Target> {
    let authority = request.uri().authority()?;
    let port = authority.port_u16().unwrap_or(443);
    // Some programs tunnel plain HTTP, too; by custom it is on port 80.
    let tls = port != 80;
    let host = authority.host();
    let origin = match port {
        80 => format!("http://{host}"),
        443 => format!("https://{host}"),
        port => format!("https://{host}:{port}"),
    };
    Some(Target { host: host.trim_matches(['[', ']']).to_owned(), origin, tls })
}

#[cfg(test)]
mod tests;
