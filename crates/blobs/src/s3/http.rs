//! How are requests to a store sent, and answers that are not quite right mended?
//!
//! The client of the store knows the protocol; the sockets are ours, with the TLS that the project has. Here, and
//! nowhere else, it is seen which answers are worth another try.

use crate::error::{At, Result};
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Frame;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::{TokioExecutor, TokioIo};
use lycosa_runtime::chain;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody,
    HttpResponse, HttpResponseBody, HttpService,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use std::io;
use std::ops::Range;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);

/// Connections to one server that are kept for the next request.
const IDLE: usize = 16;

/// What went wrong below the protocol of the store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Trouble {
    /// It may pass.
    #[error("{0}")]
    Passing(String),
    /// The range begins behind the end.
    #[error("the range begins behind the end")]
    Range,
    /// The server does not do what is needed, and never will.
    #[error("{0}")]
    Unfit(String),
}

impl From<Trouble> for HttpError {
    fn from(trouble: Trouble) -> HttpError {
        HttpError::new(HttpErrorKind::Unknown, trouble)
    }
}

/// What an error of the store's client has at its bottom, if it is one of ours.
pub(super) fn trouble(error: &object_store::Error) -> Option<Trouble> {
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        if let Some(trouble) = inner.downcast_ref::<Trouble>() {
            return Some(trouble.clone());
        }
        source = inner.source();
    }
    None
}

fn passing(error: impl std::fmt::Display) -> HttpError {
    Trouble::Passing(error.to_string()).into()
}

/// The client for requests, by the project's own HTTP and TLS.
#[derive(Clone)]
pub(super) struct Hyper {
    client: Client<Connector, HttpRequestBody>,
    stall: Duration,
}

impl std::fmt::Debug for Hyper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Hyper")
    }
}

impl Hyper {
    /// A client whose requests may take this long. `authorities` is a file of certificates that are trusted in
    /// place of Mozilla's list.
    pub(super) fn new(stall: Duration, authorities: Option<&str>) -> Result<Hyper> {
        let mut roots = rustls::RootCertStore::empty();
        match authorities {
            None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
            Some(file) => {
                let path = Path::new(file);
                let unfit = |e: &dyn std::fmt::Display| io::Error::other(e.to_string());
                let found = CertificateDer::pem_file_iter(path).map_err(|e| unfit(&e)).at(path)?;
                for certificate in found {
                    let certificate = certificate.map_err(|e| unfit(&e)).at(path)?;
                    roots.add(certificate).map_err(|e| unfit(&e)).at(path)?;
                }
            }
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|e| crate::Error::Rejected(e.to_string()))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let connector = Connector { tls: TlsConnector::from(Arc::new(config)) };
        let client =
            Client::builder(TokioExecutor::new()).pool_max_idle_per_host(IDLE).build(connector);
        Ok(Hyper { client, stall })
    }

    async fn exchange(&self, request: HttpRequest) -> std::result::Result<HttpResponse, HttpError> {
        let (method, range) = (request.method().clone(), wanted(request.headers()));
        let answer = tokio::time::timeout(self.stall, self.client.request(request)).await;
        let answer = answer.map_err(|_| passing("the store does not answer"))?;
        let answer = answer.map_err(|error| passing(chain(&error)))?;
        let (mut head, body) = answer.into_parts();
        let status = head.status;
        // 409 to a conditional write: another one is under way.
        if status.is_server_error()
            || matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT)
            || status == StatusCode::CONFLICT && method == Method::PUT
        {
            return Err(passing(format!("the store answers {status}")));
        }
        if status == StatusCode::RANGE_NOT_SATISFIABLE {
            return Err(Trouble::Range.into());
        }
        let body = HttpResponseBody::new(body.map_err(|error| passing(chain(&error))));
        match range {
            Some(range) if status == StatusCode::OK && method == Method::GET => {
                mend(&mut head.headers, &mut head.status, range, body)
                    .map(|body| HttpResponse::from_parts(head, body))
            }
            _ => Ok(HttpResponse::from_parts(head, body)),
        }
    }
}

/// The range that a request asks for.
fn wanted(headers: &HeaderMap) -> Option<Range<u64>> {
    let text = headers.get(header::RANGE)?.to_str().ok()?;
    let (start, end) = text.strip_prefix("bytes=")?.split_once('-')?;
    let end: u64 = end.parse().ok()?;
    Some(start.parse().ok()?..end.checked_add(1)?)
}

/// Makes the partial answer that a range should have got out of a 200. Some servers send the range and only the
/// status is wrong (`Content-Range` tells); others send everything, of which the range is cut out as it comes.
fn mend(
    headers: &mut HeaderMap,
    status: &mut StatusCode,
    range: Range<u64>,
    body: HttpResponseBody,
) -> std::result::Result<HttpResponseBody, HttpError> {
    *status = StatusCode::PARTIAL_CONTENT;
    if headers.contains_key(header::CONTENT_RANGE) {
        return Ok(body);
    }
    let length = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    let Some(length) = length.and_then(|text| text.parse::<u64>().ok()) else {
        let why = "the server ignores ranges and does not tell the size".to_owned();
        return Err(Trouble::Unfit(why).into());
    };
    if range.start >= length {
        return Err(Trouble::Range.into());
    }
    let range = range.start..range.end.min(length);
    let told = format!("bytes {}-{}/{length}", range.start, range.end - 1);
    let told = HeaderValue::from_str(&told).map_err(passing)?;
    headers.insert(header::CONTENT_RANGE, told);
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(range.end - range.start));
    let mut at = 0;
    let parts = body.into_data_stream().map(move |part| {
        let part: Bytes = part?;
        let (begin, end) = (at, at + part.len() as u64);
        at = end;
        let cut = |place: u64| (place.clamp(begin, end) - begin) as usize;
        Ok(Frame::data(part.slice(cut(range.start)..cut(range.end))))
    });
    // What comes behind the range is still read, and thrown away, so that a body that breaks off is noticed.
    Ok(HttpResponseBody::new(StreamBody::new(parts)))
}

impl HttpService for Hyper {
    fn call<'life0, 'async_trait>(
        &'life0 self,
        request: HttpRequest,
    ) -> Pin<
        Box<
            dyn Future<Output = std::result::Result<HttpResponse, HttpError>> + Send + 'async_trait,
        >,
    >
    where
        'life0: 'async_trait,
        Self: 'async_trait,
    {
        Box::pin(self.exchange(request))
    }
}

impl HttpConnector for Hyper {
    fn connect(&self, _options: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}

/// Opens connections, with TLS where the address says so.
#[derive(Clone)]
struct Connector {
    tls: TlsConnector,
}

impl Connector {
    async fn open(self, uri: Uri) -> io::Result<Stream> {
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let secure = uri.scheme_str() == Some("https");
        let port = uri.port_u16().unwrap_or(if secure { 443 } else { 80 });
        let open = async {
            let stream = TcpStream::connect((host.as_str(), port)).await?;
            stream.set_nodelay(true)?;
            if !secure {
                return Ok(Stream(TokioIo::new(Box::new(stream) as Box<dyn Io>)));
            }
            let name = ServerName::try_from(host.clone()).map_err(io::Error::other)?;
            let stream = self.tls.connect(name, stream).await?;
            Ok(Stream(TokioIo::new(Box::new(stream) as Box<dyn Io>)))
        };
        match tokio::time::timeout(CONNECT, open).await {
            Ok(stream) => stream,
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

impl tower_service::Service<Uri> for Connector {
    type Response = Stream;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<Stream>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        Box::pin(self.clone().open(uri))
    }
}

/// A socket, or TLS on one.
trait Io: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}

/// A connection as hyper wants it.
struct Stream(TokioIo<Box<dyn Io>>);

impl Connection for Stream {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl Read for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl Write for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, buffer)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
