//! How does a bot in another process speak with the broker? i-Bot's protocol over HTTP with JSON.
//!
//! Every request is a POST to `/broker/v1/NAME` with three headers: `x-lycosa-bot` (the bot_id, or the
//! bot's name before it has one), `x-lycosa-sequence` (microseconds since the epoch, growing) and
//! `x-lycosa-signature` (HMAC-SHA256 in hexadecimal, under the shared secret, of path, bot and sequence,
//! each followed by a line feed, and then the body). The names are `authenticate`, `give_me_n`,
//! `report`, `renew`, `leave` and `marks`. See `docs/guide/bots.md`.

use crate::urlfrontier::Metrics;
use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::{get, post};
use lycosa_model::message::{BrokerMessage, BrokerReply, Finding, Refusal, Report};
use lycosa_model::{ArchiveMark, BotId, Door, UrlId, parse_hex16};
use lycosa_runtime::{Mailbox, Seal};
use ring::rand::{SecureRandom, SystemRandom};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Largest request.
pub const MAX_BODY: usize = 32 << 20;

/// How far a sender's clock may be off, and how long a sequence number is remembered at least.
const MAX_SKEW_MICROS: u64 = 300_000_000;

/// Senders remembered. Those not heard of for longer than the skew are forgotten, since a replay of
/// theirs is too old anyway; when there are still this many, new ones must wait.
const MAX_SENDERS: usize = 10_000;

/// Longest name of a bot, in bytes.
const MAX_NAME: usize = 128;

#[derive(Clone)]
struct DoorState {
    broker: Mailbox<BrokerMessage>,
    seal: Seal,
    sequences: Arc<Mutex<HashMap<String, u64>>>,
}

/// The routes of the door.
pub fn router(broker: Mailbox<BrokerMessage>, secret: &[u8]) -> Router {
    let state = DoorState { broker, seal: Seal::new(secret), sequences: Arc::default() };
    Router::new()
        .route("/broker/v1/{call}", post(call))
        .fallback(|| async {
            let hint = "POST to /broker/v1/authenticate, give_me_n, report, renew, leave or marks";
            problem(StatusCode::NOT_FOUND, "no such call", hint)
        })
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .with_state(state)
}

/// Serves these routes until `stop` is ready.
pub async fn serve(
    listener: tokio::net::TcpListener,
    routes: Router,
    stop: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    axum::serve(listener, routes).with_graceful_shutdown(stop).await
}

/// `GET /metrics`, for Prometheus: the numbers of the URLFrontier door.
pub fn metrics(numbers: Arc<Metrics>) -> Router {
    let kind = [(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    Router::new().route("/metrics", get(move || async move { (kind, numbers.text()) }))
}

/// A fresh secret of so many random bytes, in hexadecimal; `None` when the system has no randomness.
pub fn random_secret(bytes: usize) -> Option<String> {
    let mut secret = vec![0; bytes];
    SystemRandom::new().fill(&mut secret).ok()?;
    Some(data_encoding::HEXLOWER.encode(&secret))
}

#[derive(Deserialize)]
struct Authenticate {
    name: String,
    pid: u32,
}

#[derive(Deserialize)]
struct GiveMeN {
    n: usize,
}

#[derive(Deserialize)]
struct Reports {
    reports: Vec<Report>,
    #[serde(default)]
    marks: Vec<ArchiveMark>,
}

#[derive(Deserialize)]
struct May {
    urls: Vec<String>,
}

#[derive(Deserialize)]
struct Removals {
    after: u64,
}

#[derive(Deserialize)]
struct Renew {
    urls: Vec<UrlId>,
}

#[derive(Deserialize)]
struct Judge {
    findings: Vec<Finding>,
}

#[derive(Deserialize)]
struct Marks {
    files: Vec<String>,
}

async fn call(
    State(door): State<DoorState>,
    Path(call): Path<String>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let body = match body {
        Ok(body) => body,
        Err(rejection) => {
            let hint = format!("a request has at most {MAX_BODY} bytes; send several");
            return problem(rejection.status(), &rejection.body_text(), &hint);
        }
    };
    let sender = match door.prove(&call, &headers, &body) {
        Ok(sender) => sender,
        Err(refusal) => return *refusal,
    };
    let message = match read(&call, &sender, &body) {
        Ok(message) => message,
        Err(refusal) => return *refusal,
    };
    match door.broker.ask(message).await {
        Ok(reply) => answer(reply),
        Err(error) => {
            problem(StatusCode::SERVICE_UNAVAILABLE, &error.to_string(), "try again in a moment")
        }
    }
}

impl DoorState {
    /// Checks signature and freshness; tells who the sender is.
    fn prove(&self, call: &str, headers: &HeaderMap, body: &[u8]) -> Result<String, Box<Response>> {
        let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let sender = header("x-lycosa-bot");
        let sequence = header("x-lycosa-sequence").and_then(|text| text.parse::<u64>().ok());
        let signature = header("x-lycosa-signature");
        let (Some(sender), Some(sequence), Some(signature)) = (sender, sequence, signature) else {
            return Err(unauthenticated(
                "this request is not signed",
                "send x-lycosa-bot, x-lycosa-sequence and x-lycosa-signature",
            ));
        };
        let path = format!("/broker/v1/{call}");
        if !self.seal.verify(&path, sender, sequence, body, signature) {
            return Err(unauthenticated(
                "the signature is wrong",
                "both sides must use the same secret",
            ));
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
        if (now as u64).abs_diff(sequence) > MAX_SKEW_MICROS {
            return Err(unauthenticated(
                "the sequence number is too old or too new",
                "it must be the present time in microseconds; are the clocks right?",
            ));
        }
        let mut sequences = self.sequences.lock().unwrap_or_else(PoisonError::into_inner);
        if sequences.len() >= MAX_SENDERS && !sequences.contains_key(sender) {
            sequences.retain(|_, last| (now as u64).abs_diff(*last) <= MAX_SKEW_MICROS);
            if sequences.len() >= MAX_SENDERS {
                return Err(Box::new(problem(
                    StatusCode::TOO_MANY_REQUESTS,
                    "too many bots at once",
                    "try again in a few minutes",
                )));
            }
        }
        let last = sequences.entry(sender.to_owned()).or_default();
        if sequence <= *last {
            return Err(unauthenticated(
                "the sequence number was used before",
                "each request needs a larger one",
            ));
        }
        *last = sequence;
        Ok(sender.to_owned())
    }
}

fn read(call: &str, sender: &str, body: &[u8]) -> Result<BrokerMessage, Box<Response>> {
    if call == "authenticate" {
        let Authenticate { name, pid } = parse(body)?;
        if name != sender {
            return Err(unauthenticated(
                "the name is not the one that signed",
                "send the same name",
            ));
        }
        if name.is_empty() || name.len() > MAX_NAME {
            let error = format!("a name has 1 to {MAX_NAME} bytes");
            return Err(Box::new(problem(StatusCode::BAD_REQUEST, &error, "choose another")));
        }
        return Ok(BrokerMessage::Authenticate { name, pid, door: Door::Http });
    }
    let Some(bot) = parse_hex16(sender).map(BotId) else {
        return Err(unauthenticated(Refusal::UnknownBot.explain(), "x-lycosa-bot is the bot_id"));
    };
    Ok(match call {
        "give_me_n" => BrokerMessage::GiveMe { bot, n: parse::<GiveMeN>(body)?.n },
        "report" => {
            let Reports { reports, marks } = parse(body)?;
            BrokerMessage::Report { bot, reports, marks }
        }
        "judge" => BrokerMessage::Judge { bot, findings: parse::<Judge>(body)?.findings },
        "renew" => BrokerMessage::Renew { bot, urls: parse::<Renew>(body)?.urls },
        "may" => BrokerMessage::May { bot, urls: parse::<May>(body)?.urls },
        "removals" => BrokerMessage::Removals { bot, after: parse::<Removals>(body)?.after },
        "leave" => BrokerMessage::Leave { bot },
        "marks" => BrokerMessage::Marks { files: parse::<Marks>(body)?.files },
        _ => {
            let hint = "authenticate, give_me_n, judge, report, renew, may, removals, leave, marks";
            return Err(Box::new(problem(StatusCode::NOT_FOUND, "no such call", hint)));
        }
    })
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Box<Response>> {
    serde_json::from_slice(body).map_err(|error| {
        let text = format!("the body cannot be read: {error}");
        Box::new(problem(StatusCode::BAD_REQUEST, &text, "see docs/guide/bots.md"))
    })
}

fn answer(reply: BrokerReply) -> Response {
    let (status, error) = match &reply {
        BrokerReply::Refused(why @ Refusal::UnknownBot) => {
            (StatusCode::UNAUTHORIZED, Some(why.explain()))
        }
        BrokerReply::Refused(why) => (StatusCode::FORBIDDEN, Some(why.explain())),
        BrokerReply::Acks(acks) if !acks.is_empty() && acks.iter().all(Result::is_err) => {
            let why = acks.iter().find_map(|ack| ack.err());
            (StatusCode::FORBIDDEN, why.map(Refusal::explain))
        }
        BrokerReply::Broken(_) => (StatusCode::SERVICE_UNAVAILABLE, Some("the store failed")),
        _ => (StatusCode::OK, None),
    };
    let mut body = serde_json::to_value(&reply).unwrap_or(Value::Null);
    if let Value::String(name) = body {
        // A reply without content is an object like the others.
        body = json!({ name: Value::Null });
    }
    if let (Some(error), Value::Object(fields)) = (error, &mut body) {
        fields.insert("error".into(), error.into());
    }
    (status, Json(body)).into_response()
}

fn unauthenticated(error: &str, hint: &str) -> Box<Response> {
    Box::new(problem(StatusCode::UNAUTHORIZED, error, hint))
}

fn problem(status: StatusCode, error: &str, hint: &str) -> Response {
    (status, Json(json!({ "error": error, "hint": hint }))).into_response()
}
