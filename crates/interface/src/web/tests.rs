//! The pages and the API, asked as a browser would.

mod api;
mod feeds;
mod forms;
mod guard;
mod hostile;
mod hunts;
mod language;
mod looks;
mod openapi;
mod preferences;
mod serving;
mod watches;
mod watching;

use super::{About, CRAWL_PATIENCE, Doors, Guard, Reach, Terms, Token, router};
use crate::{Crawl, Desk};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode, header};
use lycosa_model::message::{QueryMessage, QueryReply};
use lycosa_model::{
    Explain, FacetRow, Facets, Hit, Lang, QueryNote, SearchRequest, SearchResponse, Tick, UrlId,
};
use lycosa_runtime::{Agent, Mailbox, Registry, mailbox, spawn_pool};
use serde::Serialize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tower_service::Service;

/// What a query agent in these tests is about to do.
#[derive(Clone)]
enum Deed {
    Find(SearchResponse),
    Break,
    /// Panics on this many messages, and finds something after that.
    Panic(usize),
}

/// A query agent without an index, under the real supervision.
struct Scripted {
    deed: Deed,
    asked: Arc<Mutex<Vec<SearchRequest>>>,
    panics: Arc<AtomicUsize>,
}

#[derive(Clone, Default, Serialize)]
struct Seen {
    asked: usize,
}

impl Agent for Scripted {
    type Message = QueryMessage;
    type State = Seen;

    fn observe(&self) -> Seen {
        Seen { asked: self.asked.lock().unwrap().len() }
    }

    async fn handle(&mut self, message: QueryMessage) -> QueryReply {
        let request = match message {
            QueryMessage::Search(request) => request,
            QueryMessage::Lexicon(_) => return QueryReply::Lexicon(Vec::new()),
            QueryMessage::Complete(query) => return QueryReply::Completions(vec![query]),
            QueryMessage::Page(_) => return QueryReply::Page(None),
            QueryMessage::Size => return QueryReply::Size(12_345),
        };
        self.asked.lock().unwrap().push(request);
        match &self.deed {
            Deed::Find(response) => QueryReply::Found(response.clone()),
            Deed::Break => QueryReply::Broken("/secret/path: no such file".into()),
            Deed::Panic(times) => {
                if self.panics.fetch_add(1, Ordering::SeqCst) < *times {
                    panic!("a query agent of a test fails, as it should");
                }
                QueryReply::Found(one(hit("https://example.org/", "After the panic")))
            }
        }
    }
}

/// A server whose query agents do as told, and what they were asked.
struct Stage {
    router: Router,
    registry: Registry,
    asked: Arc<Mutex<Vec<SearchRequest>>>,
}

/// The word that opens all doors of these tests.
const TOKEN: &str = "a-token-of-the-tests";

/// A guard that also answers to the name that a browser in these tests uses.
fn guard(reach: Reach) -> Arc<Guard> {
    let terms = Terms { hosts: vec!["search.example".into()], ..Terms::new(reach) };
    Arc::new(Guard::new(&Token::new(TOKEN).unwrap(), terms))
}

/// Doors with interface agents that ask these. Must be called inside a runtime.
fn doors(query: Mailbox<QueryMessage>, registry: Registry, crawl: Crawl) -> Doors {
    let desk =
        Desk { query, registry, crawl, crawl_patience: CRAWL_PATIENCE, hunts: None, watches: None };
    Doors {
        interface: crate::open(desk).0,
        runs: Arc::default(),
        guard: guard(Reach::ThisMachine),
        about: About {
            name: "Lycosa".into(),
            user_agent: "Lycosa/0.1 (+https://example.org/bot)".into(),
            robots_name: "lycosa".into(),
            contact: Some("mailto:bot@example.org".into()),
            key_directory: None,
        },
    }
}

/// Must be called inside a runtime.
fn stage(deed: Deed) -> Stage {
    let registry = Registry::default();
    let (mailbox, inbox) = mailbox(8);
    let asked = Arc::new(Mutex::new(Vec::new()));
    let panics = Arc::new(AtomicUsize::new(0));
    let heard = Arc::clone(&asked);
    spawn_pool(&registry, "query", 2, (&mailbox, inbox), move |_| Scripted {
        deed: deed.clone(),
        asked: Arc::clone(&heard),
        panics: Arc::clone(&panics),
    });
    Stage { router: router(doors(mailbox, registry.clone(), Crawl::None)), registry, asked }
}

struct Got {
    status: StatusCode,
    headers: HeaderMap,
    body: String,
}

impl Stage {
    async fn get(&self, path: &str) -> Got {
        self.ask("GET", path, None).await
    }

    async fn ask(&self, method: &str, path: &str, accept_language: Option<&str>) -> Got {
        let mut request =
            Request::builder().method(method).uri(path).header(header::HOST, "search.example");
        if method != "GET" {
            request = request.header(header::AUTHORIZATION, format!("Bearer {TOKEN}"));
        }
        if let Some(accepted) = accept_language {
            request = request.header(header::ACCEPT_LANGUAGE, accepted);
        }
        let request = request.body(Body::empty()).unwrap();
        let response = self.router.clone().call(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, 1 << 22).await.unwrap();
        Got {
            status: parts.status,
            headers: parts.headers,
            body: String::from_utf8(body.to_vec()).unwrap(),
        }
    }

    fn last_asked(&self) -> SearchRequest {
        self.asked.lock().unwrap().last().cloned().expect("something was asked")
    }
}

fn hit(url: &str, title: &str) -> Hit {
    Hit {
        rank: 1,
        url_id: UrlId::of(url),
        url: url.into(),
        title: title.into(),
        snippet: "A <mark>passage</mark> &amp; more".into(),
        score: 1.5,
        site: "example.org".into(),
        lang: Some(Lang::ES),
        agent: "bot-2".into(),
        fetched: Tick(1_741_600_000_000),
        date: Tick(1_741_600_000_000),
        more_from_site: 0,
        also_at: Vec::new(),
        positions: Vec::new(),
        explain: None,
    }
}

fn one(hit: Hit) -> SearchResponse {
    SearchResponse {
        query: "passage".into(),
        total: 1,
        took_ms: 2.5,
        suggestion: None,
        results: vec![hit],
        complete: 1,
        ..SearchResponse::default()
    }
}

#[tokio::test]
async fn a_result_shows_all_that_is_known_of_it() {
    let mut shown = hit("https://example.org/wiki/Espa%C3%B1a", "España");
    shown.also_at = (1..=7).map(|n| format!("https://mirror{n}.example/")).collect();
    shown.more_from_site = 4;
    let leaf = Explain { what: "passage in title".into(), value: 1.5, parts: Vec::new() };
    shown.explain = Some(Explain { what: "score".into(), value: 1.5, parts: vec![leaf] });
    let row = |value: &str, pages| FacetRow { value: value.into(), pages };
    let mut found = one(shown);
    (found.total, found.complete) = (9, 2);
    found.notes = vec![QueryNote::OpenQuote];
    found.facets = Some(Facets {
        counted: 9,
        sites: vec![row("example.org", 6), row("other.example", 3)],
        languages: vec![row("es", 9)],
        years: vec![row("2025", 8), row("1999", 1)],
    });
    let stage = stage(Deed::Find(found));
    let page = stage.get("/search?q=passage").await;
    assert_eq!(page.status, StatusCode::OK);
    for part in [
        r#"<a href="https://example.org/wiki/Espa%C3%B1a" rel="noopener nofollow" lang="es""#,
        ">España</a>",
        "A <mark>passage</mark> &amp; more",
        r#"title="Spanish">es</abbr>"#,
        r#"<time datetime="2025-03-10">10 Mar 2025</time>"#,
        "<bdi>bot-2</bdi>",
        "9 pages in 2.5 ms, 2 with every word",
        "The open quote was closed at the end.",
        "4 more from this site",
        r#"<li class="depth-1"><span class="value">1.5</span> <bdi>passage in title</bdi></li>"#,
        r#"<bdi>other.example</bdi> <span class="pages-with">3</span>"#,
        "/search?q=after%3A1999+before%3A2000+passage",
        "The same text at 7 other addresses",
        "and 2 more",
        "/search?q=passage&#38;site=example.org",
        "/search?q=passage&#38;lang=es",
    ] {
        assert!(page.body.contains(part), "{part} is missing in {}", page.body);
    }
    let long = stage.get(&format!("/search?q={}", "passage+".repeat(49))).await;
    assert!(!long.body.contains("after%3A1999"), "with a year the query would be cut");
}

#[tokio::test]
async fn a_query_agent_that_fails_is_asked_once_more() {
    let stage = stage(Deed::Panic(1));
    let page = stage.get("/search?q=passage").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.body.contains("After the panic"));
    assert_eq!(stage.asked.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn a_query_that_fails_twice_is_given_up() {
    let stage = stage(Deed::Panic(5));
    let page = stage.get("/search?q=passage&ui=es").await;
    assert_eq!(page.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(page.body.contains("el segundo intento también"));
    assert_eq!(stage.asked.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn an_index_that_cannot_be_read_is_said_without_its_secrets() {
    let stage = stage(Deed::Break);
    let page = stage.get("/search?q=passage").await;
    assert_eq!(page.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(page.body.contains("The index cannot be read at the moment."));
    assert!(page.body.contains(r#"href="/search?q=passage""#), "there is a way to try again");
    assert!(!page.body.contains("secret"));
}

#[tokio::test]
async fn nothing_found_offers_a_way_on() {
    let stage = stage(Deed::Find(SearchResponse {
        suggestion: Some("wolf & spider".into()),
        ..SearchResponse::default()
    }));
    let page = stage.get("/search?q=volf&lang=es&site=example.org").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.body.contains("Nothing found for “volf”"));
    assert!(page.body.contains(r#"href="/search?q=volf">"#), "without the filters");
    assert!(page.body.contains("/search?q=wolf+%26+spider&#38;lang=es&#38;site=example.org"));
}

#[tokio::test]
async fn pages_can_be_turned_and_end_where_the_results_do() {
    let mut response = one(hit("https://example.org/", "One of many"));
    response.total = 35;
    let stage = stage(Deed::Find(response));
    let page = stage.get("/search?q=a&page=2").await.body;
    assert_eq!(stage.last_asked().offset, 10);
    assert!(page.contains(r#"rel="prev" href="/search?q=a""#));
    assert!(page.contains(r#"rel="next" href="/search?q=a&#38;page=3""#));
    assert!(page.contains(r#"<ol class="results" start="11">"#));
    let page = stage.get("/search?q=a&page=4").await.body;
    assert!(!page.contains(r#"rel="next""#));
    assert!(!page.contains("page=5"));
}

#[tokio::test]
async fn past_the_last_result_there_is_a_way_back() {
    let stage = stage(Deed::Find(SearchResponse { total: 3, ..SearchResponse::default() }));
    let page = stage.get("/search?q=a&page=9").await.body;
    assert!(page.contains("There are no more results on this page."));
    assert!(page.contains(r#"<a href="/search?q=a">"#));
}

#[tokio::test]
async fn home_tells_the_size_of_the_index() {
    let stage = stage(Deed::Break);
    let english = stage.get("/").await;
    assert!(english.body.contains("12,345 pages in the index"));
    assert!(!english.body.contains("crawl is running"));
    assert!(stage.get("/?ui=es").await.body.contains("12\u{202f}345 páginas en el índice"));
}

#[tokio::test]
async fn about_tells_how_to_keep_the_crawler_out() {
    let stage = stage(Deed::Break);
    let page = stage.get("/about").await.body;
    assert!(page.contains("User-Agent: Lycosa/0.1 (+https://example.org/bot)"));
    assert!(page.contains("User-agent: lycosa\nDisallow: /</code>"));
    assert!(
        page.contains(r#"<a href="mailto:bot@example.org" rel="noopener">bot@example.org</a>"#)
    );
}
