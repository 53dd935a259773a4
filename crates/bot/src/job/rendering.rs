//! What does a page say once its scripts have run? The renderer's side of a job: which pages are
//! rendered, what their scripts get to see of the web, and what becomes of the result.

use super::Bench;
use super::keeping::Known;
use crate::decode::decode;
use crate::render::{Fetched, Need, Rendered, Renderer, Visit};
use crate::request;
use bytes::Bytes;
use lycosa_model::message::{BrokerMessage, BrokerReply, FilterMessage, FilterReply};
use lycosa_model::{Document, Headers, Lease, Link, LinkKind, Page, Render};
use lycosa_page::script;
use lycosa_runtime::{Answer, Ask};
use lycosa_store::archive::{Encoded, RecordIds};
use ring::rand::SecureRandom;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

/// Time for one request of a page.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest wait for room in the browser, however long the lease is.
const MAX_WAIT: Duration = Duration::from_secs(10 * 60);
/// Media type of a rendered page.
pub(super) const RENDERED_TYPE: &str = "text/html; charset=utf-8";

/// What rendering a page has brought.
#[derive(Default)]
pub(super) struct Look {
    /// The page as its scripts left it.
    pub(super) html: Option<String>,
    /// What was fetched for it, for the archive.
    pub(super) parts: Vec<Encoded>,
    /// Whether it was rendered, if it was tried.
    pub(super) rendered: Option<bool>,
    /// Whether it was not tried because it could not have changed anything.
    pub(super) vain: bool,
    /// Bytes that were fetched for it.
    bytes: u64,
}

impl Bench {
    /// Renders a page if the settings want it. What cannot be rendered stays as it came.
    pub(super) async fn render(
        &self,
        lease: &Lease,
        answer: &Answer,
        body: &Bytes,
        document: &mut Document,
    ) -> Look {
        let mut look = Look::default();
        let Some(renderer) = &self.renderer else { return look };
        match wants(renderer.settings().mode, answer, body, document) {
            Wish::No => return look,
            Wish::Vain => {
                look.vain = true;
                return look;
            }
            Wish::Yes => {}
        }
        look.rendered = Some(false);
        let visit = Visit {
            url: lease.url.clone(),
            status: answer.status,
            headers: answer.headers.clone(),
            body: body.clone(),
            now: self.clock.now(),
        };
        let Some(rendered) = self.visit(renderer, lease, visit, &mut look).await else {
            return look;
        };
        let mut headers = answer.headers.clone();
        headers.0.retain(|header| !header.name.eq_ignore_ascii_case("content-type"));
        headers.push("Content-Type", RENDERED_TYPE);
        let page = Page {
            url_id: lease.url_id,
            url: lease.url.clone(),
            status: answer.status,
            headers,
            body: Bytes::from(rendered.html.clone()),
            fetched: self.clock.now(),
            took: answer.took,
        };
        if let Ok(FilterReply::Document(new)) =
            self.filter.ask(FilterMessage::Read(Arc::new(page), self.parts)).await
        {
            let old = std::mem::replace(document, *new);
            join(document, old, &rendered.found);
            look.html = Some(rendered.html);
            look.rendered = Some(true);
        }
        look
    }

    /// Looks at the page in the browser and fetches what it needs, one after the other.
    async fn visit(
        &self,
        renderer: &Renderer,
        lease: &Lease,
        visit: Visit,
        look: &mut Look,
    ) -> Option<Rendered> {
        let left = Duration::from_millis(lease.until.0.saturating_sub(self.clock.now().0));
        let wait = (left / 2).min(MAX_WAIT);
        let looking = tokio::time::timeout(wait, renderer.begin(visit)).await;
        let Ok(looking) = looking else {
            renderer.had_no_room();
            return None;
        };
        let mut looking = looking?;
        loop {
            match looking.next().await {
                Need::Fetch { url, accept, reply } => {
                    let fetched = self.fetch_part(renderer, &url, accept, look).await;
                    // The page may have been left meanwhile.
                    let _ = reply.send(fetched);
                }
                Need::Done(Ok(rendered)) => {
                    if !rendered.whole {
                        tracing::debug!(url = lease.url, "rendered as far as it came");
                    }
                    return Some(rendered);
                }
                Need::Done(Err(why)) => {
                    tracing::debug!(url = lease.url, ?why, "not rendered");
                    return None;
                }
            }
        }
    }

    /// Something that a page asks for: from the shelf, or from the web within the limits of the page.
    async fn fetch_part(
        &self,
        renderer: &Renderer,
        url: &str,
        accept: Option<String>,
        look: &mut Look,
    ) -> Option<Fetched> {
        if let Some(fetched) = renderer.shelved(url) {
            return Some(fetched);
        }
        let room = renderer.settings().max_bytes.saturating_sub(look.bytes);
        if room == 0 || !self.may(url).await {
            return None;
        }
        let headers = request::part_headers(&self.user_agent, accept);
        let head = request::head(url, &headers);
        let ask = Ask {
            url: url.to_owned(),
            headers,
            max_body: self.settings.max_body.min(room),
            cut: false,
            timeout: self.settings.timeout.min(REQUEST_TIMEOUT),
        };
        let answer = self.web.get(ask).await.ok()?;
        look.bytes += answer.body.len() as u64;
        let ids = self.fresh_id().zip(self.fresh_id());
        if let Some((response, request)) = ids {
            let ids = RecordIds { response, request };
            let kept = self.capture(url, &head, &answer, ids, Known::default());
            look.parts.extend(kept.map(|kept| kept.encoded));
        }
        let body = decode(&answer.headers, &answer.body, &self.settings.decode).ok()?;
        let fetched = Fetched { status: answer.status, headers: answer.headers, body };
        renderer.shelve(url, &fetched);
        Some(fetched)
    }

    /// Whether robots.txt allows it. Without an answer it does not.
    async fn may(&self, url: &str) -> bool {
        let ask = BrokerMessage::May { bot: self.bot, urls: vec![url.to_owned()] };
        match self.broker.ask(ask).await {
            Ok(BrokerReply::May(answers)) => answers.first() == Some(&true),
            _ => false,
        }
    }

    /// A name for a record; `None` when the system has no random numbers.
    pub(super) fn fresh_id(&self) -> Option<[u8; 16]> {
        let mut id = [0; 16];
        self.random.fill(&mut id).ok().map(|()| id)
    }
}

/// Whether a page is to be rendered.
enum Wish {
    No,
    /// It would be, if that could change anything.
    Vain,
    Yes,
}

/// Whether this page is to be rendered.
fn wants(mode: Render, answer: &Answer, body: &[u8], document: &Document) -> Wish {
    if !script::is_html(content_type(&answer.headers), body) {
        return Wish::No;
    }
    match mode {
        Render::Auto if script::seems_made_by_scripts(body, document) => Wish::Yes,
        Render::Never | Render::Auto => Wish::No,
        Render::Always if script::may_change(body) => Wish::Yes,
        Render::Always => Wish::Vain,
    }
}

fn content_type(headers: &Headers) -> Option<&str> {
    headers.get("content-type")
}

/// Adds to a rendered page what the page said before and where its scripts led. What it asked of
/// robots before still holds.
fn join(new: &mut Document, old: Document, found: &[(String, LinkKind)]) {
    new.robots.join(old.robots);
    new.canonical = new.canonical.take().or(old.canonical);
    let mut known: HashSet<String> = new.links.iter().map(|link| link.url.clone()).collect();
    let scripts = found.iter().map(|(url, kind)| Link {
        url: url.clone(),
        anchor: String::new(),
        context: String::new(),
        tag_path: String::new(),
        rel: String::new(),
        kind: *kind,
    });
    for link in old.links.into_iter().chain(scripts) {
        if known.insert(link.url.clone()) {
            new.links.push(link);
        }
    }
}
