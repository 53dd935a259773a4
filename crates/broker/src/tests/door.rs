//! Who gets through the HTTP door, and what is said to those who do not?

use super::yard::Yard;
use crate::http::{self, MAX_BODY};
use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use lycosa_model::BotId;
use lycosa_runtime::{Handle, Registry, RestartLimit, Seal, mailbox, spawn};
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};
use tempfile::TempDir;
use tower_service::Service;

const SECRET: &[u8] = b"the secret of both";
const SEED: &str = "http://a.test/";

struct Door {
    router: Router,
    seal: Seal,
    sequence: u64,
    _dir: TempDir,
    _handle: Handle,
}

fn micros() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_micros() as u64
}

impl Door {
    async fn open() -> Door {
        let mut yard = Yard::new();
        yard.seed(&[SEED]).await;
        let Yard { dir, broker, .. } = yard;
        let (mailbox, inbox) = mailbox(8);
        let mut broker = Some(broker);
        let handle = spawn(
            &Registry::default(),
            "broker",
            "broker-1".into(),
            (&mailbox, inbox),
            RestartLimit::default(),
            move || broker.take().expect("no panic"),
        );
        let router = http::router(mailbox, SECRET);
        Door { router, seal: Seal::new(SECRET), sequence: micros(), _dir: dir, _handle: handle }
    }

    async fn send(&self, request: Request<Body>) -> (StatusCode, Value) {
        let answer = self.router.clone().call(request).await.expect("infallible");
        let status = answer.status();
        let body = axum::body::to_bytes(answer.into_body(), MAX_BODY).await.expect("body");
        (status, serde_json::from_slice(&body).unwrap_or(Value::Null))
    }

    fn request(&self, call: &str, sender: &str, sequence: u64, body: &[u8]) -> Request<Body> {
        let path = format!("/broker/v1/{call}");
        Request::post(&path)
            .header("x-lycosa-bot", sender)
            .header("x-lycosa-sequence", sequence)
            .header("x-lycosa-signature", self.seal.sign(&path, sender, sequence, body))
            .body(Body::from(body.to_vec()))
            .expect("request")
    }

    /// Sends what a well-behaved bot would send.
    async fn call(&mut self, call: &str, sender: &str, body: &Value) -> (StatusCode, Value) {
        self.sequence += 1;
        let body = body.to_string();
        self.send(self.request(call, sender, self.sequence, body.as_bytes())).await
    }

    async fn hello(&mut self, name: &str) -> String {
        let (status, body) =
            self.call("authenticate", name, &json!({ "name": name, "pid": 7 })).await;
        assert_eq!(status, StatusCode::OK, "{body}");
        body["welcome"]["bot_id"].as_str().expect("bot_id").to_owned()
    }
}

fn page_report(url_id: &Value) -> Value {
    json!({ "reports": [{
        "url_id": url_id, "kind": "page", "outcome": "fetched", "status": 200,
        "links": [{ "url": "http://a.test/2" }],
    }] })
}

#[tokio::test]
async fn a_bot_authenticates_asks_and_reports() {
    let mut door = Door::open().await;
    let bot = door.hello("weaver").await;
    assert_eq!(bot, BotId::of("weaver", 7).to_string());

    let (status, body) = door.call("give_me_n", &bot, &json!({ "n": 32 })).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    let robots = body["leases"]["leases"][0].clone();
    assert_eq!(
        (&robots["kind"], &robots["url"]),
        (&json!("robots"), &json!("http://a.test/robots.txt"))
    );
    let report = json!({ "reports": [{
        "url_id": robots["url_id"], "kind": "robots", "outcome": "client_error", "status": 404,
    }] });
    let (status, body) = door.call("report", &bot, &report).await;
    assert_eq!((status, &body), (StatusCode::OK, &json!({ "acks": [{ "Ok": null }] })));

    // The delay of this crawl is zero, so its page is there at once.
    let (_, body) = door.call("give_me_n", &bot, &json!({ "n": 32 })).await;
    let lease = body["leases"]["leases"][0].clone();
    assert_eq!((&lease["kind"], &lease["url"]), (&json!("page"), &json!(SEED)));
    let (status, body) = door.call("renew", &bot, &json!({ "urls": [lease["url_id"]] })).await;
    assert_eq!((status, &body), (StatusCode::OK, &json!({ "renewed": [true] })));
    let mut report = page_report(&lease["url_id"]);
    report["marks"] = json!([{ "file": "weaver-1.warc.gz", "end": 99 }]);
    let (status, _) = door.call("report", &bot, &report).await;
    assert_eq!(status, StatusCode::OK);
    let (_, body) = door.call("marks", &bot, &json!({ "files": ["weaver-1.warc.gz", "x"] })).await;
    assert_eq!(body, json!({ "marks": [{ "file": "weaver-1.warc.gz", "end": 99 }] }));

    let (_, body) = door.call("give_me_n", &bot, &json!({ "n": 1 })).await;
    assert_eq!(body["leases"]["leases"][0]["url"], "http://a.test/2");
    let (status, body) = door.call("leave", &bot, &json!({})).await;
    assert_eq!((status, &body), (StatusCode::OK, &json!({ "done": null })));
    let (status, body) = door.call("give_me_n", &bot, &json!({ "n": 1 })).await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    assert_eq!(body["error"], "this bot was retired; authenticate again to go on");
}

#[tokio::test]
async fn an_unsigned_request_is_refused() {
    let door = Door::open().await;
    let bare = Request::post("/broker/v1/give_me_n").body(Body::from("{\"n\":1}"));
    let (status, body) = door.send(bare.expect("request")).await;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
    assert_eq!(body["error"], "this request is not signed");
    assert!(body["hint"].as_str().is_some_and(|hint| hint.contains("x-lycosa-signature")));
    for missing in ["x-lycosa-bot", "x-lycosa-sequence", "x-lycosa-signature"] {
        let mut request = door.request("authenticate", "weaver", micros(), b"{}");
        request.headers_mut().remove(missing);
        assert_eq!(door.send(request).await.0, StatusCode::UNAUTHORIZED, "{missing}");
    }
}

#[tokio::test]
async fn a_wrongly_signed_request_is_refused() {
    let mut door = Door::open().await;
    let body = json!({ "name": "weaver", "pid": 7 }).to_string();
    let now = micros();
    let right = |door: &Door| door.request("authenticate", "weaver", now, body.as_bytes());
    // Another secret, another body, another call, another sender.
    let mut requests = Vec::new();
    door.seal = Seal::new(b"guessed");
    requests.push(right(&door));
    door.seal = Seal::new(SECRET);
    let (parts, _) = right(&door).into_parts();
    requests.push(Request::from_parts(parts, Body::from("{}")));
    let mut other = right(&door);
    *other.uri_mut() = "/broker/v1/leave".parse().expect("uri");
    requests.push(other);
    let mut other = right(&door);
    other.headers_mut().insert("x-lycosa-bot", "intruder".parse().expect("value"));
    requests.push(other);
    let mut other = right(&door);
    other.headers_mut().insert("x-lycosa-signature", "no hex".parse().expect("value"));
    requests.push(other);
    for request in requests {
        let (status, body) = door.send(request).await;
        assert_eq!(
            (status, &body["error"]),
            (StatusCode::UNAUTHORIZED, &json!("the signature is wrong"))
        );
    }
    assert_eq!(door.send(right(&door)).await.0, StatusCode::OK);
}

#[tokio::test]
async fn a_replayed_or_outdated_sequence_is_refused() {
    let door = Door::open().await;
    let body = json!({ "name": "weaver", "pid": 7 }).to_string();
    let now = micros();
    let send = async |sequence: u64| {
        door.send(door.request("authenticate", "weaver", sequence, body.as_bytes())).await
    };
    assert_eq!(send(now).await.0, StatusCode::OK);
    for old in [now, now - 1] {
        let (status, body) = send(old).await;
        assert_eq!(status, StatusCode::UNAUTHORIZED);
        assert_eq!(body["error"], "the sequence number was used before");
    }
    for wrong in [now - 301_000_000, now + 400_000_000, 0, u64::MAX] {
        let (status, body) = send(wrong).await;
        assert_eq!(status, StatusCode::UNAUTHORIZED);
        assert_eq!(body["error"], "the sequence number is too old or too new");
    }
    assert_eq!(send(now + 1).await.0, StatusCode::OK);
}

#[tokio::test]
async fn a_name_that_did_not_sign_or_is_too_long_is_refused() {
    let mut door = Door::open().await;
    let (status, body) =
        door.call("authenticate", "weaver", &json!({ "name": "other", "pid": 7 })).await;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
    assert_eq!(body["error"], "the name is not the one that signed");
    let long = "w".repeat(129);
    let (status, body) = door.call("authenticate", &long, &json!({ "name": long, "pid": 7 })).await;
    assert_eq!(
        (status, &body["error"]),
        (StatusCode::BAD_REQUEST, &json!("a name has 1 to 128 bytes"))
    );
    door.hello(&"w".repeat(128)).await;
}

#[tokio::test]
async fn a_bot_that_did_not_authenticate_is_refused() {
    let mut door = Door::open().await;
    let error = "this bot_id has not authenticated; send authenticate first";
    let stranger = BotId::of("stranger", 7).to_string();
    for sender in ["weaver", stranger.as_str()] {
        for (call, body) in [
            ("give_me_n", json!({ "n": 1 })),
            ("report", json!({ "reports": [] })),
            ("renew", json!({ "urls": [] })),
            ("leave", json!({})),
        ] {
            let (status, body) = door.call(call, sender, &body).await;
            assert_eq!(
                (status, &body["error"]),
                (StatusCode::UNAUTHORIZED, &json!(error)),
                "{call}"
            );
        }
    }
}

#[tokio::test]
async fn a_foreign_report_is_refused_with_a_clear_error() {
    let mut door = Door::open().await;
    let (mine, other) = (door.hello("mine").await, door.hello("other").await);
    let (_, body) = door.call("give_me_n", &mine, &json!({ "n": 1 })).await;
    let robots = json!({ "reports": [{
        "url_id": body["leases"]["leases"][0]["url_id"], "kind": "robots",
        "outcome": "fetched", "status": 200, "robots": "User-agent: *\nDisallow: /",
    }] });
    let never = page_report(&json!(super::yard::id(SEED)));
    for report in [&robots, &never] {
        let (status, body) = door.call("report", &other, report).await;
        assert_eq!(status, StatusCode::FORBIDDEN);
        assert_eq!(body["acks"], json!([{ "Err": "not_yours" }]));
        assert_eq!(body["error"], "this URL was not leased to this bot, or the lease has expired");
    }
    assert_eq!(door.call("report", &mine, &robots).await.0, StatusCode::OK);
}

#[tokio::test]
async fn a_body_that_cannot_be_read_is_named() {
    let mut door = Door::open().await;
    let bot = door.hello("weaver").await;
    for (call, body) in [
        ("give_me_n", "{"),
        ("give_me_n", "{\"n\":-1}"),
        ("give_me_n", "\"n\""),
        ("report", "{\"reports\":[{\"url_id\":\"short\"}]}"),
        ("renew", "{\"urls\":[7]}"),
        ("marks", ""),
    ] {
        door.sequence += 1;
        let request = door.request(call, &bot, door.sequence, body.as_bytes());
        let (status, answer) = door.send(request).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{call} {body}");
        let error = answer["error"].as_str().unwrap_or_default();
        assert!(error.starts_with("the body cannot be read: "), "{error}");
    }
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused() {
    let door = Door::open().await;
    let request = door.request("report", "weaver", micros(), &vec![b' '; MAX_BODY + 1]);
    let (status, body) = door.send(request).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
    assert!(body["hint"].as_str().is_some_and(|hint| hint.contains("33554432 bytes")), "{body}");
}

#[tokio::test]
async fn an_unknown_call_is_not_found() {
    let mut door = Door::open().await;
    let bot = door.hello("weaver").await;
    let (status, body) = door.call("fly", &bot, &json!({})).await;
    assert_eq!((status, &body["error"]), (StatusCode::NOT_FOUND, &json!("no such call")));
    assert!(body["hint"].as_str().is_some_and(|hint| hint.contains("give_me_n")));
    let elsewhere = Request::post("/elsewhere").body(Body::empty()).expect("request");
    assert_eq!(door.send(elsewhere).await.0, StatusCode::NOT_FOUND);
    let get = Request::get("/broker/v1/give_me_n").body(Body::empty()).expect("request");
    assert_eq!(door.send(get).await.0, StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn a_broker_that_is_gone_is_said_to_be_gone() {
    let (mailbox, inbox) = mailbox(1);
    drop(inbox);
    let router = http::router(mailbox, SECRET);
    let mut door = Door { router, ..Door::open().await };
    let (status, body) =
        door.call("authenticate", "weaver", &json!({ "name": "weaver", "pid": 7 })).await;
    assert_eq!(
        (status, &body["error"]),
        (StatusCode::SERVICE_UNAVAILABLE, &json!("the agent has left"))
    );
}

#[tokio::test]
async fn a_secret_is_as_long_as_asked_and_never_the_same() {
    let (one, two) = (http::random_secret(32), http::random_secret(32));
    assert_eq!(one.as_ref().map(String::len), Some(64));
    assert_ne!(one, two);
}
