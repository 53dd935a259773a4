//! What is the least that a crawl can cost? Fetch, look for `<a … href="…">` in the bytes, resolve,
//! remember what was seen: no parser, no broker, nothing kept.

use crate::CONNECTIONS;
use anyhow::{Context, Result};
use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::Request;
use hyper::client::conn::http1::SendRequest;
use hyper::header::HOST;
use hyper_util::rt::TokioIo;
use std::cell::RefCell;
use std::collections::{HashSet, VecDeque};
use std::rc::Rc;
use tokio::net::TcpStream;
use tokio::sync::Notify;
use url::{Position, Url};

/// What the connections share.
#[derive(Default)]
struct Shared {
    seen: HashSet<String>,
    queue: VecDeque<Url>,
    busy: usize,
    pages: u64,
    finished: bool,
}

/// Crawls one site and prints the number of pages.
pub(crate) fn run(url: &str) -> Result<()> {
    let url = Url::parse(url)?;
    let shared = Rc::new((RefCell::new(Shared::default()), Notify::new()));
    shared.0.borrow_mut().seen.insert(url.as_str().to_owned());
    shared.0.borrow_mut().queue.push_back(url.clone());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let tasks = tokio::task::LocalSet::new();
    tasks.block_on(&runtime, async {
        let workers: Vec<_> = (0..CONNECTIONS)
            .map(|_| tokio::task::spawn_local(work(Rc::clone(&shared), url.clone())))
            .collect();
        for worker in workers {
            worker.await??;
        }
        Ok::<_, anyhow::Error>(())
    })?;
    println!("{}", shared.0.borrow().pages);
    Ok(())
}

/// One connection: takes an address, fetches it, adds what it names.
async fn work(shared: Rc<(RefCell<Shared>, Notify)>, site: Url) -> Result<()> {
    let (state, change) = &*shared;
    let authority = site[Position::BeforeHost..Position::AfterPort].to_owned();
    let stream = TcpStream::connect(&authority).await?;
    stream.set_nodelay(true)?;
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    tokio::task::spawn_local(async move { drop(connection.await) });
    loop {
        let next = {
            let mut state = state.borrow_mut();
            let next = state.queue.pop_front();
            state.busy += usize::from(next.is_some());
            state.finished |= next.is_none() && state.busy == 0;
            next
        };
        let Some(url) = next else {
            if state.borrow().finished {
                change.notify_waiters();
                return Ok(());
            }
            change.notified().await;
            continue;
        };
        let body = fetch(&mut sender, &url, &authority).await?;
        {
            let mut state = state.borrow_mut();
            state.busy -= 1;
            state.pages += u64::from(body.is_some());
            links(&body.unwrap_or_default(), |href| {
                let Ok(mut found) = url.join(href) else { return };
                found.set_fragment(None);
                if found.origin() == site.origin() && !state.seen.contains(found.as_str()) {
                    state.seen.insert(found.as_str().to_owned());
                    state.queue.push_back(found);
                }
            });
        }
        change.notify_waiters();
    }
}

/// The body, if it is a page.
async fn fetch(
    sender: &mut SendRequest<Empty<Bytes>>,
    url: &Url,
    authority: &str,
) -> Result<Option<Bytes>> {
    let request = Request::get(&url[Position::BeforePath..])
        .header(HOST, authority)
        .body(Empty::new())
        .context("request")?;
    sender.ready().await?;
    let response = sender.send_request(request).await?;
    let kind = response.headers().get(hyper::header::CONTENT_TYPE);
    let is_page = response.status() == 200
        && kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    let body = response.into_body().collect().await?.to_bytes();
    Ok(is_page.then_some(body))
}

/// The value of `href` of every `<a …>`.
fn links(page: &[u8], mut take: impl FnMut(&str)) {
    let mut rest = page;
    while let Some(at) = rest.iter().position(|byte| *byte == b'<') {
        rest = &rest[at + 1..];
        if !(rest.starts_with(b"a ") || rest.starts_with(b"a\n") || rest.starts_with(b"A ")) {
            continue;
        }
        let end = rest.iter().position(|byte| *byte == b'>').unwrap_or(rest.len());
        let (tag, after) = rest.split_at(end);
        rest = after;
        let Some(at) = tag.windows(6).position(|window| window == b"href=\"") else { continue };
        let value = tag[at + 6..].split(|byte| *byte == b'"').next().unwrap_or_default();
        if let Ok(href) = std::str::from_utf8(value) {
            if href.contains('&') {
                take(&href.replace("&amp;", "&"));
            } else {
                take(href);
            }
        }
    }
}
