//! Who serves the pages? A small web server for files: HTTP/1.1 and HTTP/2 without TLS, gzip where it is
//! accepted. It is a process of its own in the study, so that its time can be told from the crawler's.

use super::site::gzip;
use bytes::Bytes;
use http::header::{
    ACCEPT_ENCODING, ACCEPT_RANGES, CONTENT_ENCODING, CONTENT_TYPE, ETAG, LAST_MODIFIED, VARY,
};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};

/// How a connection begins that speaks HTTP/2 from the start (RFC 9113, 3.4).
const PREFACE: &[u8] = b"PRI";
/// The largest file that is served.
const MAX_FILE: u64 = 64 << 20;

/// Serves the files below `docroot` on a free port of loopback until standard input ends. `ready` is told
/// where.
///
/// # Errors
/// If there is no port.
pub fn serve_site(docroot: &Path, ready: impl FnOnce(SocketAddr)) -> io::Result<()> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let docroot = Arc::new(docroot.to_owned());
    runtime.block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        ready(listener.local_addr()?);
        let accepting = tokio::spawn(accept(listener, docroot));
        // An end is an end, however it comes.
        let _ = super::input_ends().await;
        accepting.abort();
        Ok(())
    })
}

pub(super) async fn accept(listener: TcpListener, docroot: Arc<PathBuf>) {
    loop {
        // A client that is gone already wants nothing more.
        let Ok((stream, _)) = listener.accept().await else { continue };
        let docroot = docroot.clone();
        tokio::spawn(async move {
            // A connection that breaks is the crawler's to tell.
            let _ = connection(stream, docroot).await;
        });
    }
}

async fn connection(stream: TcpStream, docroot: Arc<PathBuf>) -> Result<(), hyper::Error> {
    let _ = stream.set_nodelay(true);
    let mut first = [0; PREFACE.len()];
    let is_http2 = stream.peek(&mut first).await.is_ok_and(|_| first == PREFACE);
    let service = service_fn(move |request| {
        let answer = answer(&docroot, &request);
        async move { Ok::<_, Infallible>(answer) }
    });
    let stream = TokioIo::new(stream);
    match is_http2 {
        true => {
            let server = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
            server.serve_connection(stream, service).await
        }
        false => hyper::server::conn::http1::Builder::new().serve_connection(stream, service).await,
    }
}

fn answer(docroot: &Path, request: &Request<Incoming>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    let Some((file, content, seconds)) = look(docroot, request.uri().path()) else {
        *response.status_mut() = StatusCode::NOT_FOUND;
        return response;
    };
    let kind = media_type(&file);
    let accepts = request.headers().get_all(ACCEPT_ENCODING).iter();
    let mut accepts = accepts.filter_map(|value| value.to_str().ok());
    let packs = accepts.any(|value| value.contains("gzip"));
    let is_text = kind.starts_with("text/") || kind.ends_with("xml");
    let headers = response.headers_mut();
    let mut set = |name, value: &str| {
        if let Ok(value) = value.parse() {
            headers.insert(name, value);
        }
    };
    set(CONTENT_TYPE, kind);
    set(ETAG, &format!("\"{:x}-{seconds:x}\"", content.len()));
    set(ACCEPT_RANGES, "bytes");
    let time = jiff::Timestamp::from_second(seconds).ok();
    let printer = jiff::fmt::rfc2822::DateTimePrinter::new();
    if let Some(date) = time.and_then(|time| printer.timestamp_to_rfc9110_string(&time).ok()) {
        set(LAST_MODIFIED, &date);
    }
    let content = match packs && is_text {
        true => {
            set(CONTENT_ENCODING, "gzip");
            set(VARY, "Accept-Encoding");
            gzip(&content)
        }
        false => content,
    };
    *response.body_mut() = Full::new(Bytes::from(content));
    response
}

/// The file of a path, its content and when it was changed.
fn look(docroot: &Path, path: &str) -> Option<(PathBuf, Vec<u8>, i64)> {
    let relative = PathBuf::from(path.trim_start_matches('/'));
    if relative.components().any(|part| !matches!(part, Component::Normal(_))) {
        return None;
    }
    let mut file = docroot.join(relative);
    if path.ends_with('/') {
        file.push("index.html");
    }
    let known = std::fs::metadata(&file).ok()?;
    if !known.is_file() || known.len() > MAX_FILE {
        return None;
    }
    let changed = known.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    let seconds = i64::try_from(changed.as_secs()).ok()?;
    let content = std::fs::read(&file).ok()?;
    Some((file, content, seconds))
}

fn media_type(file: &Path) -> &'static str {
    match file.extension().and_then(|ending| ending.to_str()) {
        Some("html" | "htm") => "text/html",
        Some("css") => "text/css",
        Some("txt") => "text/plain",
        Some("xml") => "text/xml",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("gif") => "image/gif",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("js") => "text/javascript",
        Some("pdf") => "application/pdf",
        _ => "application/octet-stream",
    }
}
