//! Who may start and steer hunts, and what do other search engines see of us?

use super::*;
use lycosa_model::message::{HuntMessage, HuntReply, HuntView};
use lycosa_model::{Prey, Tended};
use serde_json::{Value, json};

/// A manager of hunts that knows one of them.
struct OneHunt;

impl Agent for OneHunt {
    type Message = HuntMessage;
    type State = u8;

    fn observe(&self) -> u8 {
        1
    }

    async fn handle(&mut self, message: HuntMessage) -> HuntReply {
        match message {
            HuntMessage::Start(order) if order.query == "nonsense" => {
                HuntReply::Refused { error: "no".into(), hint: "say something else".into() }
            }
            HuntMessage::Start(_) => HuntReply::Started(7),
            HuntMessage::List => HuntReply::List(vec![HuntView { id: 7, ..HuntView::default() }]),
            HuntMessage::Show { id: 7 } => HuntReply::Hunt(Box::default()),
            HuntMessage::Results { id: 7, limit: 5 } => HuntReply::Results(Vec::new()),
            HuntMessage::Results { id: 7, .. } => HuntReply::Results(vec![Prey {
                rank: 1,
                url: "http://b.test/".into(),
                via: Some("http://a.test/".into()),
                ..Prey::default()
            }]),
            HuntMessage::Pause { id: 7 } | HuntMessage::Verdict { id: 7, .. } => HuntReply::Done,
            HuntMessage::Exclude { id: 7, .. } => HuntReply::Done,
            HuntMessage::Include { id: 7, patterns } if patterns == ["a.test"] => HuntReply::Done,
            HuntMessage::Include { id: 7, .. } => {
                HuntReply::Refused { error: "not excluded".into(), hint: "see the list".into() }
            }
            HuntMessage::Tend { id: 7, agent, how } if agent == "Ada" => {
                let (before, after) = (Some(0.5), Some(1.5));
                HuntReply::Tended(Tended { how, before, after, other: None, links: 0 })
            }
            HuntMessage::Tend { id: 7, .. } => {
                HuntReply::Refused { error: "no agent".into(), hint: "see the list".into() }
            }
            HuntMessage::Stop { id: 7 } => {
                HuntReply::Refused { error: "it has ended".into(), hint: "start another".into() }
            }
            _ => HuntReply::Unknown,
        }
    }
}

/// A server with that manager.
pub(super) fn with_hunts(reach: Reach) -> Router {
    let registry = Registry::default();
    let (query, _) = mailbox(1);
    let (hunts, inbox) = mailbox(4);
    spawn_pool(&registry, "manager", 1, (&hunts, inbox), |_| OneHunt);
    let crawl = Crawl::None;
    let desk = Desk {
        query,
        registry,
        crawl,
        crawl_patience: CRAWL_PATIENCE,
        hunts: Some(hunts),
        watches: None,
    };
    let (query, _) = mailbox(1);
    let doors = doors(query, Registry::default(), Crawl::None);
    router(Doors { interface: crate::open(desk).0, guard: guard(reach), ..doors })
}

/// Sends a request with these headers.
pub(super) async fn send(
    router: &Router,
    (method, path): (&str, &str),
    headers: &[(&str, &str)],
    body: &str,
) -> (u16, Value) {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Body::from(body.to_owned())).unwrap();
    let response = router.clone().call(request).await.unwrap();
    let status = response.status().as_u16();
    let body = to_bytes(response.into_body(), 1 << 20).await.unwrap();
    (status, serde_json::from_slice(&body).unwrap_or_default())
}

const JSON: (&str, &str) = ("content-type", "application/json; charset=utf-8");
const HERE: (&str, &str) = ("host", "127.0.0.1:8080");
const BEARER: (&str, &str) = ("authorization", "Bearer a-token-of-the-tests");
const START: (&str, &str) = ("POST", "/api/v1/hunts");
const ORDER: &str = r#"{"query":"wolf spider"}"#;

#[tokio::test]
async fn a_program_of_this_machine_starts_watches_and_steers() {
    let router = with_hunts(Reach::ThisMachine);
    let say = async |method: &str, path: &str, body: &str| {
        send(&router, (method, path), &[JSON, HERE, BEARER], body).await
    };
    assert_eq!(say("POST", "/api/v1/hunts", ORDER).await, (201, json!({"id": 7})));
    assert_eq!(say("GET", "/api/v1/hunts", "").await.1[0]["id"], 7);
    assert_eq!(say("GET", "/api/v1/hunts/7", "").await.1["state"], "running");
    let results = say("GET", "/api/v1/hunts/7/results?limit=5", "").await;
    assert_eq!(results, (200, json!({"results": []})));
    assert_eq!(say("POST", "/api/v1/hunts/7/pause", "").await, (200, json!({"done": true})));
    let verdict = r#"{"url":"http://a.test/","good":true}"#;
    assert_eq!(say("POST", "/api/v1/hunts/7/verdict", verdict).await.0, 200);
    let patterns = r#"{"patterns":["a.test","*/print/*"]}"#;
    assert_eq!(
        say("POST", "/api/v1/hunts/7/exclude", patterns).await,
        (200, json!({"done": true}))
    );
    assert_eq!(say("POST", "/api/v1/hunts/7/include", r#"{"patterns":["a.test"]}"#).await.0, 200);
    let fed = json!({"how": "feed", "before": 0.5, "after": 1.5, "links": 0});
    assert_eq!(say("POST", "/api/v1/hunts/7/agents/Ada/feed", "").await, (200, fed));
    assert_eq!(say("POST", "/api/v1/hunts/7/agents/Ada/stop", "").await.1["how"], "stop");
    for (method, path, body, status) in [
        ("POST", "/api/v1/hunts", r#"{"query":"nonsense"}"#, 422),
        ("POST", "/api/v1/hunts", r#"{"qery":"x"}"#, 400),
        ("POST", "/api/v1/hunts", "{", 400),
        ("POST", "/api/v1/hunts/7/stop", "", 409),
        ("POST", "/api/v1/hunts/7/dance", "", 404),
        ("POST", "/api/v1/hunts/7/verdict", r#"{"url":"http://a.test/"}"#, 400),
        ("POST", "/api/v1/hunts/7/exclude", r#"{"patterns":["a.test","*/*"]}"#, 422),
        ("POST", "/api/v1/hunts/7/exclude", r#"{"patterns":[]}"#, 422),
        ("POST", "/api/v1/hunts/7/exclude", r#"{"pattern":"a.test"}"#, 400),
        ("POST", "/api/v1/hunts/7/include", r#"{"patterns":["b.test"]}"#, 409),
        ("POST", "/api/v1/hunts/8/exclude", r#"{"patterns":["a.test"]}"#, 404),
        ("POST", "/api/v1/hunts/7/agents/Bob/feed", "", 409),
        ("POST", "/api/v1/hunts/7/agents/Ada/dance", "", 404),
        ("POST", "/api/v1/hunts/8/pause", "", 404),
        ("GET", "/api/v1/hunts/8", "", 404),
        ("GET", "/api/v1/hunts/seven", "", 404),
    ] {
        let (got, told) = say(method, path, body).await;
        assert_eq!(got, status, "{path} {body}");
        assert!(told["error"].is_string() && told["hint"].is_string(), "{told}");
    }
}

#[tokio::test]
async fn a_page_of_another_site_cannot_start_anything() {
    let router = with_hunts(Reach::ThisMachine);
    let plain = ("content-type", "text/plain");
    let rebound = ("host", "rebound.evil.test:8080");
    let evil = ("origin", "http://evil.test");
    let null = ("origin", "null");
    for (headers, status) in [
        (vec![plain, HERE], 415),
        (vec![HERE], 415),
        (vec![JSON, HERE, evil], 403),
        (vec![JSON, HERE, null], 403),
        (vec![JSON, rebound], 403),
        (vec![JSON, rebound, ("origin", "http://rebound.evil.test:8080")], 403),
        (vec![JSON], 403),
        (vec![JSON, HERE, ("origin", "http://127.0.0.1:8080")], 201),
        (vec![JSON, ("host", "localhost:8080")], 201),
        (vec![JSON, ("host", "[::1]:8080")], 201),
    ] {
        let with_token = [&headers[..], &[BEARER]].concat();
        assert_eq!(send(&router, START, &with_token, ORDER).await.0, status, "{headers:?}");
        let without = send(&router, START, &headers, ORDER).await.0;
        assert!([401, 403].contains(&without), "{headers:?}");
    }
    for path in ["/api/v1/hunts", "/api/v1/hunts/7", "/api/v1/hunts/7/results"] {
        assert_eq!(send(&router, ("GET", path), &[rebound], "").await.0, 403, "{path}");
    }
    let steered =
        send(&router, ("POST", "/api/v1/hunts/7/pause"), &[plain, HERE, BEARER], "").await;
    assert_eq!(steered.0, 415);
}

#[tokio::test]
async fn a_server_for_others_shows_and_does_nothing_without_the_token() {
    let router = with_hunts(Reach::Others);
    for host in [HERE, ("host", "search.example")] {
        assert_eq!(send(&router, START, &[JSON, host], ORDER).await.0, 401);
        assert_eq!(send(&router, ("GET", "/api/v1/hunts"), &[host], "").await.0, 401);
        assert_eq!(send(&router, START, &[JSON, host, BEARER], ORDER).await.0, 201);
        assert_eq!(send(&router, ("GET", "/api/v1/hunts"), &[host, BEARER], "").await.0, 200);
    }
}

#[tokio::test]
async fn a_process_without_a_manager_says_so() {
    let stage = stage(Deed::Find(SearchResponse::default()));
    let got = send(&stage.router, ("GET", "/api/v1/hunts"), &[HERE], "").await;
    assert_eq!(got.0, 503);
}

#[tokio::test]
async fn who_can_ask_searxng_can_ask_us() {
    let mut found = hit("https://example.org/", "A title");
    found.snippet = "a <mark>wolf</mark> &lt;script&gt; &amp;amp;".into();
    let stage = stage(Deed::Find(one(found)));
    let got = stage.get("/search?q=wolf&format=json&pageno=3&language=es").await;
    assert_eq!(got.headers[header::CONTENT_TYPE], "application/json");
    let body: Value = serde_json::from_str(&got.body).unwrap();
    assert_eq!(body["results"][0]["engine"], "lycosa");
    assert_eq!(body["results"][0]["url"], "https://example.org/");
    assert_eq!(body["results"][0]["content"], "a wolf <script> &amp;");
    let asked = stage.last_asked();
    assert_eq!((asked.offset, asked.limit, asked.lang), (20, 10, Some(Lang::ES)));
    let nothing = stage.get("/search?format=json").await;
    assert_eq!(nothing.status, StatusCode::BAD_REQUEST);
    assert!(stage.get("/search?q=wolf&format=pdf").await.body.contains("<html"));
}
