//! How does a crawler from outside get the pages? One request for each, over connections of some kind; links are
//! found by our own reader of pages.

use super::harvest::{Harvest, sha256_text};
use bytes::Bytes;
use flate2::read::GzDecoder;
use http::header::{ACCEPT, ACCEPT_ENCODING, CONNECTION, CONTENT_ENCODING, HOST, USER_AGENT};
use http_body_util::{BodyExt, Empty, Limited};
use hyper::client::conn::{http1, http2};
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use lycosa_model::message::Parts;
use lycosa_model::{Headers, UrlId};
use lycosa_page::{Input, Limits, Reading};
use std::collections::{HashSet, VecDeque};
use std::io::Read as _;
use std::net::SocketAddr;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// The largest body that is read.
const MAX_BODY: usize = 64 << 20;
/// The name of the crawler in its requests.
pub(super) const AGENT: &str = "lycosa-lab/1 (a study of crawllets)";

/// How connections are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lines {
    /// A new one for each page, one page at a time.
    PerPage,
    /// So many that stay open.
    Kept(usize),
    /// One, with so many requests at a time, and gzip.
    Http2(usize),
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// One place for a request.
enum Line {
    PerPage,
    Kept(Option<http1::SendRequest<Empty<Bytes>>>),
    Stream(http2::SendRequest<Empty<Bytes>>),
}

/// An answer, unpacked.
struct Answer {
    path: String,
    status: u16,
    headers: Headers,
    body: Vec<u8>,
}

/// Bytes of the text that a reader of a page sees.
pub(super) fn visible(html: &[u8]) -> usize {
    let parts = Parts { text: true, ..Parts::LINKS };
    let input = Input::new(UrlId([0; 16]), "http://site.test/", html).for_parts(parts);
    match lycosa_page::read(&Input { content_type: Some("text/html"), ..input }, &Limits::default())
    {
        Reading::Document(document) => document.text.len(),
        Reading::NotText { .. } => 0,
    }
}

/// Crawls the site that answers at `address`, from its front page to the last page that a link leads to.
pub(super) async fn crawl(
    address: SocketAddr,
    authority: &str,
    lines: Lines,
) -> Result<Harvest, Failure> {
    let mut idle: Vec<Line> = match lines {
        Lines::PerPage => vec![Line::PerPage],
        Lines::Kept(count) => (0..count).map(|_| Line::Kept(None)).collect(),
        Lines::Http2(count) => {
            let stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            let io = TokioIo::new(stream);
            let (sender, connection) = http2::handshake(TokioExecutor::new(), io).await?;
            tokio::spawn(connection);
            (0..count).map(|_| Line::Stream(sender.clone())).collect()
        }
    };
    let mut harvest = Harvest::default();
    let mut outgoing: HashSet<String> = HashSet::new();
    // Robots first, as everywhere.
    let mut waiting = VecDeque::from(["/robots.txt".to_owned()]);
    let mut known: HashSet<String> = HashSet::from(["/robots.txt".to_owned()]);
    let mut under_way = JoinSet::new();
    let origin = format!("http://{authority}");
    loop {
        while let Some(line) = idle.pop() {
            let Some(path) = waiting.pop_front() else {
                idle.push(line);
                break;
            };
            let authority = authority.to_owned();
            under_way.spawn(fetch(line, address, authority, path));
        }
        let Some(joined) = under_way.join_next().await else { break };
        let (line, answer) = joined??;
        idle.push(line);
        harvest.requests += 1;
        if answer.path == "/robots.txt" {
            if answer.status != 200 {
                return Err("the site has no robots.txt".into());
            }
            known.insert("/".to_owned());
            waiting.push_back("/".to_owned());
            continue;
        }
        for link in links(&origin, &answer) {
            match link.strip_prefix(&origin).filter(|path| path.starts_with('/')) {
                Some(path) => {
                    if known.insert(path.to_owned()) {
                        waiting.push_back(path.to_owned());
                    }
                }
                None => {
                    outgoing.insert(link);
                }
            }
        }
        let kind = answer.headers.get("content-type").unwrap_or_default();
        harvest.take(
            &answer.path,
            answer.status,
            kind,
            &sha256_text(&answer.body),
            answer.body.len(),
        );
    }
    harvest.out_links = outgoing.len();
    Ok(harvest)
}

/// Where an answer leads, as far as its author lets robots go.
fn links(origin: &str, answer: &Answer) -> Vec<String> {
    let url = format!("{origin}{}", answer.path);
    if !(200..300).contains(&answer.status) {
        return Vec::new();
    }
    let input = Input::new(UrlId([0; 16]), &url, &answer.body);
    let input = input.with_headers(&answer.headers).for_parts(Parts::LINKS);
    let links = match lycosa_page::read(&input, &Limits::default()) {
        Reading::Document(document) if document.robots.nofollow => Vec::new(),
        Reading::Document(document) => document.links,
        Reading::NotText { links, .. } => links,
    };
    links.into_iter().filter(|link| !link.nofollow()).map(|link| link.url).collect()
}

async fn fetch(
    mut line: Line,
    address: SocketAddr,
    authority: String,
    path: String,
) -> Result<(Line, Answer), Failure> {
    let request = Request::get(match line {
        Line::Stream(_) => format!("http://{authority}{path}"),
        _ => path.clone(),
    });
    let request = request.header(USER_AGENT, AGENT).header(ACCEPT, "text/html,*/*;q=0.5");
    let request = match line {
        Line::PerPage => request.header(HOST, &authority).header(CONNECTION, "close"),
        Line::Kept(_) => request.header(HOST, &authority),
        Line::Stream(_) => request.header(ACCEPT_ENCODING, "gzip"),
    };
    let request = request.body(Empty::new())?;
    let response = match &mut line {
        Line::PerPage => connect(address).await?.send_request(request).await?,
        Line::Kept(kept) => {
            let is_open = match kept {
                Some(sender) => sender.ready().await.is_ok(),
                None => false,
            };
            if !is_open {
                *kept = None;
            }
            let sender = match kept {
                Some(sender) => sender,
                None => kept.insert(connect(address).await?),
            };
            sender.send_request(request).await?
        }
        Line::Stream(sender) => {
            sender.ready().await?;
            sender.send_request(request).await?
        }
    };
    let answer = read(path, response).await?;
    Ok((line, answer))
}

async fn connect(address: SocketAddr) -> Result<http1::SendRequest<Empty<Bytes>>, Failure> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    Ok(sender)
}

async fn read(path: String, response: Response<hyper::body::Incoming>) -> Result<Answer, Failure> {
    let status = response.status().as_u16();
    let is_packed = response.headers().get(CONTENT_ENCODING).is_some_and(|coding| coding == "gzip");
    let mut headers = Headers::default();
    for (name, value) in response.headers() {
        headers.push(name.as_str(), Bytes::copy_from_slice(value.as_bytes()));
    }
    let body = Limited::new(response.into_body(), MAX_BODY).collect().await?.to_bytes();
    let body = match is_packed {
        true => {
            let mut unpacked = Vec::new();
            GzDecoder::new(&body[..]).take(MAX_BODY as u64).read_to_end(&mut unpacked)?;
            unpacked
        }
        false => body.to_vec(),
    };
    Ok(Answer { path, status, headers, body })
}
