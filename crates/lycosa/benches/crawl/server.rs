//! Who answers? A static server with everything in memory, on one thread, in a process of its own.
//!
//! It writes down what it was asked for; `GET /.asked` tells that, one `STATUS PATH` a line, and
//! forgets it.

use crate::folder::{self, File};
use anyhow::{Context, Result};
use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HOST, HeaderValue};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};

/// The address that tells what was asked for.
pub(crate) const ASKED: &str = "/.asked";

/// What was asked for since the last look.
#[derive(Default)]
struct Asked {
    paths: BTreeMap<(u16, String), u64>,
    first: Option<Instant>,
    last: Option<Instant>,
}

/// What is served, and to whom.
enum Content {
    Files(HashMap<String, File>),
    /// Every host is a site of so many pages, all named by its root.
    Sites {
        pages: usize,
    },
}

struct Site {
    content: Content,
    latency: Duration,
    asked: Mutex<Asked>,
}

pub(crate) fn serve_folders(folders: &[&str]) -> Result<()> {
    let folders: Vec<PathBuf> = folders.iter().map(PathBuf::from).collect();
    serve(Content::Files(folder::load(&folders)?), Duration::ZERO, "127.0.0.1:0")
}

pub(crate) fn serve_slow(latency_ms: &str, pages: &str) -> Result<()> {
    let content = Content::Sites { pages: pages.parse()? };
    serve(content, Duration::from_millis(latency_ms.parse()?), "0.0.0.0:0")
}

/// Serves until it is killed. The first line of standard output is the port.
fn serve(content: Content, latency: Duration, address: &str) -> Result<()> {
    let site = Arc::new(Site { content, latency, asked: Mutex::default() });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(address).await.context("listen")?;
        println!("{}", listener.local_addr()?.port());
        std::io::stdout().flush()?;
        loop {
            let (stream, _) = listener.accept().await?;
            tokio::spawn(connection(Arc::clone(&site), stream));
        }
    })
}

async fn connection(site: Arc<Site>, stream: TcpStream) {
    drop(stream.set_nodelay(true));
    let service = service_fn(move |request| {
        let site = Arc::clone(&site);
        async move {
            if !site.latency.is_zero() && request.uri().path() != ASKED {
                tokio::time::sleep(site.latency).await;
            }
            Ok::<_, Infallible>(site.respond(&request))
        }
    });
    let http = hyper::server::conn::http1::Builder::new();
    // A crawler that hangs up is no fault of the server.
    drop(http.serve_connection(TokioIo::new(stream), service).await);
}

impl Site {
    fn respond(&self, request: &Request<Incoming>) -> Response<Full<Bytes>> {
        let path = request.uri().path();
        if path == ASKED {
            return answer(200, "text/plain", self.take().into());
        }
        let host = request.headers().get(HOST).and_then(|host| host.to_str().ok());
        let response = match &self.content {
            Content::Files(files) => match files.get(path) {
                Some(file) => answer(200, file.content_type, file.body.clone()),
                None => answer(404, "text/plain", Bytes::from_static(b"no such file\n")),
            },
            Content::Sites { pages } => made_up(host.unwrap_or_default(), path, *pages),
        };
        let target = match self.content {
            Content::Files(_) => request.uri().to_string(),
            Content::Sites { .. } => format!("{}{path}", host.unwrap_or_default()),
        };
        let now = Instant::now();
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        *asked.paths.entry((response.status().as_u16(), target)).or_default() += 1;
        // The request came before its answer was held back.
        asked.first.get_or_insert_with(|| now.checked_sub(self.latency).unwrap_or(now));
        asked.last = Some(now);
        response
    }

    /// The seconds from the first request to the last answer, then what was asked for.
    fn take(&self) -> String {
        let asked = std::mem::take(&mut *self.asked.lock().unwrap_or_else(PoisonError::into_inner));
        let span = match (asked.first, asked.last) {
            (Some(first), Some(last)) => last.duration_since(first).as_secs_f64(),
            _ => 0.0,
        };
        let mut text = format!("{span}\n");
        for ((status, path), count) in &asked.paths {
            text.push_str(&format!("{status} {count} {path}\n"));
        }
        text
    }
}

/// A page of a made-up site: the root names all others, every other one names its neighbours. Each says
/// where it is, or the sites would be mirrors of one another.
fn made_up(host: &str, path: &str, pages: usize) -> Response<Full<Bytes>> {
    let number = match path {
        "/" => 0,
        path => match path.strip_prefix("/p").and_then(|rest| rest.parse::<usize>().ok()) {
            Some(number) if number < pages => number,
            _ => return answer(404, "text/plain", Bytes::from_static(b"no such page\n")),
        },
    };
    let linked = if number == 0 { 1..pages } else { number.saturating_sub(3)..number + 3 };
    let mut page = format!(
        "<!doctype html><title>Page {number} of {host}</title><p>A short page of {host}.</p>"
    );
    for other in linked.filter(|other| (1..pages).contains(other)) {
        page.push_str(&format!("<a href=\"/p{other}\">page {other}</a> "));
    }
    answer(200, "text/html; charset=utf-8", page.into())
}

fn answer(status: u16, content_type: &'static str, body: Bytes) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or_default();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}
