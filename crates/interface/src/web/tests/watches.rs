//! Who may see and change what is watched, and what does a feed reader get?

mod pages;

use super::*;
use lycosa_model::message::{WatchFeed, WatchMessage, WatchReply, WatchView};
use serde_json::{Value, json};

/// A keeper that knows one watch, and what it was told.
#[derive(Clone, Default)]
struct OneWatch {
    view: Arc<Mutex<WatchView>>,
    heard: Arc<Mutex<Vec<WatchMessage>>>,
}

impl Agent for OneWatch {
    type Message = WatchMessage;
    type State = u8;

    fn observe(&self) -> u8 {
        1
    }

    async fn handle(&mut self, message: WatchMessage) -> WatchReply {
        self.heard.lock().unwrap().push(message.clone());
        let view = WatchView { id: 3, ..self.view.lock().unwrap().clone() };
        match message {
            WatchMessage::Add(order) if order.query.is_none() => {
                WatchReply::Refused { error: "nothing to watch".into(), hint: "say what".into() }
            }
            WatchMessage::Add(order) if order.name.as_deref() == Some("feed alone") => {
                WatchReply::Added { id: 3, feed: "/watches/3/feed.atom".into(), secret: None }
            }
            WatchMessage::Add(_) => WatchReply::Added {
                id: 3,
                feed: "/watches/3/feed.atom?token=t".into(),
                secret: Some("whsec_x".into()),
            },
            WatchMessage::List => WatchReply::List(vec![view]),
            WatchMessage::Show { id: 3 } => WatchReply::Watch(Box::new(view)),
            WatchMessage::Edit { id: 3, edit } => match edit.schedule.as_deref() {
                Some("sometimes") => {
                    WatchReply::Refused { error: "sometimes?".into(), hint: "say when".into() }
                }
                _ => WatchReply::Edited { secret: edit.hook.map(|_| "whsec_z".into()) },
            },
            WatchMessage::Feeds { id: None | Some(3) } => {
                let feed = "/watches/3/feed.atom?token=t".into();
                WatchReply::Feeds(vec![WatchFeed { id: 3, name: view.name, feed }])
            }
            WatchMessage::Rotate { id: 3 } => WatchReply::Secret("whsec_y".into()),
            WatchMessage::Feed { id: 3, token, server }
                if token.as_deref().is_none_or(|it| it == "t") =>
            {
                WatchReply::Feed(format!("<feed>{server}</feed>"))
            }
            WatchMessage::Unsubscribe { id: 3, token } if token == "t" => WatchReply::Done,
            WatchMessage::Retry { id: 3, delivery } if delivery.as_deref() == Some("none") => {
                WatchReply::Refused { error: "nothing was given up".into(), hint: "look".into() }
            }
            WatchMessage::Run { id: 3 }
            | WatchMessage::Pause { id: 3 }
            | WatchMessage::GoOn { id: 3 }
            | WatchMessage::Retry { id: 3, .. }
            | WatchMessage::Remove { id: 3 } => WatchReply::Done,
            _ => WatchReply::Unknown,
        }
    }
}

fn with_watches(reach: Reach) -> Router {
    with_keeper(reach, &OneWatch::default())
}

fn with_keeper(reach: Reach, keeper: &OneWatch) -> Router {
    let keeper = keeper.clone();
    let registry = Registry::default();
    let (query, _) = mailbox(1);
    let (watches, inbox) = mailbox(4);
    spawn_pool(&registry, "keeper", 1, (&watches, inbox), move |_| keeper.clone());
    let desk = Desk {
        query,
        registry,
        crawl: Crawl::None,
        crawl_patience: CRAWL_PATIENCE,
        hunts: None,
        watches: Some(watches),
    };
    let (query, _) = mailbox(1);
    let doors = doors(query, Registry::default(), Crawl::None);
    router(Doors { interface: crate::open(desk).0, guard: guard(reach), ..doors })
}

async fn send(
    router: &Router,
    (method, path): (&str, &str),
    headers: &[(&str, &str)],
    body: &str,
) -> (u16, HeaderMap, String) {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Body::from(body.to_owned())).unwrap();
    let response = router.clone().call(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, 1 << 20).await.unwrap();
    (parts.status.as_u16(), parts.headers, String::from_utf8(body.to_vec()).unwrap())
}

const JSON: (&str, &str) = ("content-type", "application/json");
const BEARER: (&str, &str) = ("authorization", "Bearer a-token-of-the-tests");
const HERE: (&str, &str) = ("host", "127.0.0.1:8080");

#[tokio::test]
async fn a_program_of_this_machine_watches_and_steers() {
    let router = with_watches(Reach::ThisMachine);
    let say = async |method: &str, path: &str, body: &str| {
        let (status, _, body) = send(&router, (method, path), &[JSON, HERE, BEARER], body).await;
        (status, serde_json::from_str::<Value>(&body).unwrap())
    };
    let added = say("POST", "/api/v1/watches", r#"{"query":"herons"}"#).await;
    assert_eq!((added.0, &added.1["id"], &added.1["secret"]), (201, &3.into(), &"whsec_x".into()));
    assert_eq!(say("GET", "/api/v1/watches", "").await.1[0]["id"], 3);
    assert_eq!(say("GET", "/api/v1/watches/3", "").await.0, 200);
    assert_eq!(say("POST", "/api/v1/watches/3/rotate", "").await.1, json!({"secret": "whsec_y"}));
    for what in ["run", "pause", "resume", "retry"] {
        let done = say("POST", &format!("/api/v1/watches/3/{what}"), "").await;
        assert_eq!(done, (200, json!({"done": true})), "{what}");
    }
    let edited = say("PATCH", "/api/v1/watches/3", r#"{"schedule":"hourly"}"#).await;
    assert_eq!(edited, (200, json!({"secret": null})));
    let edited = say("PATCH", "/api/v1/watches/3", r#"{"hook":"https://h.test/"}"#).await;
    assert_eq!(edited, (200, json!({"secret": "whsec_z"})));
    assert_eq!(say("DELETE", "/api/v1/watches/3", "").await.0, 200);
    for (method, path, body, status) in [
        ("POST", "/api/v1/watches", "{}", 422),
        ("POST", "/api/v1/watches", r#"{"qery":"x"}"#, 400),
        ("PATCH", "/api/v1/watches/3", r#"{"schedule":"sometimes"}"#, 422),
        ("PATCH", "/api/v1/watches/3", r#"{"query":"another"}"#, 400),
        ("PATCH", "/api/v1/watches/4", "{}", 404),
        ("POST", "/api/v1/watches/3/retry", r#"{"delivery":"none"}"#, 409),
        ("POST", "/api/v1/watches/3/dance", "", 404),
        ("GET", "/api/v1/watches/4", "", 404),
        ("GET", "/api/v1/watches/three", "", 404),
        ("GET", "/api/v1/watches/%ff", "", 404),
        ("GET", "/api/v1/watches?page=2", "", 400),
    ] {
        let (got, told) = say(method, path, body).await;
        assert_eq!(got, status, "{path} {body}");
        assert!(told["error"].is_string() && told["hint"].is_string(), "{told}");
    }
}

#[tokio::test]
async fn pages_of_others_and_other_machines_neither_see_nor_change_anything() {
    let evil = ("origin", "http://evil.test");
    let rebound = ("host", "rebound.evil.test:8080");
    for (reach, headers, answer) in [
        (Reach::ThisMachine, vec![JSON, HERE, evil], 403),
        (Reach::ThisMachine, vec![JSON, rebound], 403),
        (Reach::Others, vec![JSON, HERE], 401),
    ] {
        let router = with_watches(reach);
        for request in [
            ("POST", "/api/v1/watches"),
            ("PATCH", "/api/v1/watches/3"),
            ("DELETE", "/api/v1/watches/3"),
            ("POST", "/api/v1/watches/3/rotate"),
        ] {
            let body = r#"{"query":"x"}"#;
            assert_eq!(
                send(&router, request, &headers, body).await.0,
                answer,
                "{request:?} {headers:?}"
            );
        }
    }
    let router = with_watches(Reach::Others);
    for path in [
        "/api/v1/watches",
        "/api/v1/watches/3",
        "/watches/3/feed.atom",
        "/watches",
        "/watches/3",
        "/watches.opml",
    ] {
        assert_eq!(send(&router, ("GET", path), &[HERE], "").await.0, 401, "{path}");
    }
}

#[tokio::test]
async fn a_feed_is_read_with_its_token_and_sent_again_only_when_it_changed() {
    let router = with_watches(Reach::Others);
    let path = "/watches/3/feed.atom?token=t";
    let named = ("host", "search.example");
    let (status, headers, body) = send(&router, ("GET", path), &[named], "").await;
    assert_eq!((status, body.as_str()), (200, "<feed>http://search.example</feed>"));
    assert_eq!(headers[header::CONTENT_TYPE], "application/atom+xml; charset=utf-8");
    let tag = headers[header::ETAG].to_str().unwrap().to_owned();
    for (known, status) in [
        (tag.clone(), 304),
        (format!("\"other\", W/{tag}"), 304),
        ("*".into(), 304),
        ("\"other\"".into(), 200),
    ] {
        let got = send(&router, ("GET", path), &[named, ("if-none-match", &known)], "").await;
        assert_eq!(got.0, status, "{known}");
        assert_eq!(got.2.is_empty(), status == 304);
        assert_eq!(got.1[header::ETAG].to_str().unwrap(), tag);
    }
    for path in ["/watches/3/feed.atom?token=x", "/watches/4/feed.atom?token=t"] {
        assert_eq!(send(&router, ("GET", path), &[named], "").await.0, 404, "{path}");
    }
}

#[tokio::test]
async fn whoever_has_the_token_can_stop_the_mail() {
    let router = with_watches(Reach::Others);
    let form = ("content-type", "application/x-www-form-urlencoded");
    let body = "List-Unsubscribe=One-Click";
    for (path, status) in [
        ("/watches/3/unsubscribe?token=t", 200),
        ("/watches/3/unsubscribe?token=x", 404),
        ("/watches/3/unsubscribe", 401),
    ] {
        assert_eq!(send(&router, ("POST", path), &[form], body).await.0, status, "{path}");
    }
    let got = send(&router, ("GET", "/watches/3/unsubscribe?token=t"), &[], "").await;
    assert_eq!(got.0, 200);
    assert!(got.2.contains("method=\"post\""), "looking at a link changes nothing: {}", got.2);
}
