//! How does a bot reach a broker in another process? Through this agent, which takes the broker's place
//! in the bot's process and carries each message over HTTP.

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use lycosa_model::message::{BrokerMessage, BrokerReply};
use lycosa_runtime::{Agent, Seal};
use serde::Serialize;
use serde_json::{Value, json};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Largest answer.
const MAX_ANSWER: usize = 32 << 20;

/// How long a broker may be away before the bot gives up.
const PATIENCE: Duration = Duration::from_secs(60);

/// Pause between two tries.
const PAUSE: Duration = Duration::from_millis(500);

/// Time for one request.
const TIMEOUT: Duration = Duration::from_secs(30);

/// What the proxy shows of itself.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RemoteState {
    /// Address of the broker.
    pub broker: String,
    /// Requests answered.
    pub answered: u64,
    /// Tries that failed.
    pub failed: u64,
}

/// Speaks i-Bot's protocol with a broker elsewhere.
pub struct RemoteBroker {
    client: Client<HttpConnector, Full<Bytes>>,
    base: String,
    seal: Seal,
    /// The bot's name until it has an id.
    sender: String,
    sequence: u64,
    state: RemoteState,
}

/// Why a try gave no reply.
enum Failure {
    /// Worth another try.
    Passing(String),
    /// The broker said no.
    Final(String),
}

impl RemoteBroker {
    /// A line to the broker at `base` (as in `http://127.0.0.1:7060`) for the bot `name`.
    pub fn new(base: &str, secret: &[u8], name: &str) -> RemoteBroker {
        RemoteBroker {
            client: Client::builder(TokioExecutor::new()).build_http(),
            base: base.trim_end_matches('/').to_owned(),
            seal: Seal::new(secret),
            sender: name.to_owned(),
            sequence: 0,
            state: RemoteState { broker: base.to_owned(), ..RemoteState::default() },
        }
    }

    async fn carry(&mut self, message: BrokerMessage) -> BrokerReply {
        let Some((call, body)) = wire(&message) else {
            return BrokerReply::Broken("this message does not travel".into());
        };
        let began = tokio::time::Instant::now();
        loop {
            // A bot that says hello signs with its name, also when an earlier one had an id here.
            if let BrokerMessage::Authenticate { name, .. } = &message {
                self.sender = name.clone();
            }
            match tokio::time::timeout(TIMEOUT, self.try_once(call, &body)).await {
                Ok(Ok(reply)) => {
                    self.state.answered += 1;
                    if let BrokerReply::Welcome(welcome) = &reply {
                        self.sender = welcome.bot_id.to_string();
                    }
                    return reply;
                }
                Ok(Err(Failure::Final(why))) => return BrokerReply::Broken(why),
                Ok(Err(Failure::Passing(why))) if began.elapsed() >= PATIENCE => {
                    return BrokerReply::Broken(why);
                }
                Err(_) if began.elapsed() >= PATIENCE => {
                    return BrokerReply::Broken(format!("{} does not answer", self.base));
                }
                Ok(Err(Failure::Passing(_))) | Err(_) => {
                    self.state.failed += 1;
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    async fn try_once(&mut self, call: &str, body: &[u8]) -> Result<BrokerReply, Failure> {
        let path = format!("/broker/v1/{call}");
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
        self.sequence = (self.sequence + 1).max(now as u64);
        let signature = self.seal.sign(&path, &self.sender, self.sequence, body);
        let request = http::Request::post(format!("{}{path}", self.base))
            .header("content-type", "application/json")
            .header("x-lycosa-bot", &self.sender)
            .header("x-lycosa-sequence", self.sequence)
            .header("x-lycosa-signature", signature)
            .body(Full::new(Bytes::copy_from_slice(body)))
            .map_err(|error| Failure::Final(format!("{} is no address: {error}", self.base)))?;
        let unreachable =
            |error: String| Failure::Passing(format!("cannot reach the broker: {error}"));
        let response =
            self.client.request(request).await.map_err(|error| unreachable(error.to_string()))?;
        let status = response.status();
        let body = Limited::new(response.into_body(), MAX_ANSWER)
            .collect()
            .await
            .map_err(|error| unreachable(error.to_string()))?
            .to_bytes();
        let mut value: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
        let (error, hint) = match &mut value {
            Value::Object(fields) => (fields.remove("error"), fields.remove("hint")),
            _ => (None, None),
        };
        if let Ok(reply) = serde_json::from_value::<BrokerReply>(unwrap_empty(value)) {
            return Ok(reply);
        }
        let told: Vec<String> = [error, hint]
            .into_iter()
            .flatten()
            .filter_map(|text| text.as_str().map(str::to_owned))
            .collect();
        let why = format!("the broker refused ({status}): {}", told.join("; "));
        if status.is_server_error() { Err(Failure::Passing(why)) } else { Err(Failure::Final(why)) }
    }
}

/// `{"done": null}` is how a reply without content travels.
fn unwrap_empty(value: Value) -> Value {
    match &value {
        Value::Object(fields) if fields.len() == 1 => match fields.iter().next() {
            Some((name, Value::Null)) => Value::String(name.clone()),
            _ => value,
        },
        _ => value,
    }
}

/// Call and body of the messages that a bot sends.
fn wire(message: &BrokerMessage) -> Option<(&'static str, Vec<u8>)> {
    let (call, body) = match message {
        BrokerMessage::Authenticate { name, pid, .. } => {
            ("authenticate", json!({ "name": name, "pid": pid }))
        }
        BrokerMessage::GiveMe { n, .. } => ("give_me_n", json!({ "n": n })),
        BrokerMessage::Report { reports, marks, .. } => {
            ("report", json!({ "reports": reports, "marks": marks }))
        }
        BrokerMessage::Judge { findings, .. } => ("judge", json!({ "findings": findings })),
        BrokerMessage::Renew { urls, .. } => ("renew", json!({ "urls": urls })),
        BrokerMessage::May { urls, .. } => ("may", json!({ "urls": urls })),
        BrokerMessage::Removals { after, .. } => ("removals", json!({ "after": after })),
        BrokerMessage::Leave { .. } => ("leave", json!({})),
        BrokerMessage::Marks { files } => ("marks", json!({ "files": files })),
        // What people ask and say is no business of bots.
        BrokerMessage::Seeds { .. }
        | BrokerMessage::Named { .. }
        | BrokerMessage::Url { .. }
        | BrokerMessage::Status
        | BrokerMessage::Results { .. }
        | BrokerMessage::Population
        | BrokerMessage::Verdict { .. }
        | BrokerMessage::Limit(_)
        | BrokerMessage::Pause
        | BrokerMessage::GoOn
        | BrokerMessage::Exclude { .. }
        | BrokerMessage::Include { .. }
        | BrokerMessage::Tend { .. }
        | BrokerMessage::Stop => return None,
    };
    Some((call, body.to_string().into_bytes()))
}

impl Agent for RemoteBroker {
    type Message = BrokerMessage;
    type State = RemoteState;

    fn observe(&self) -> RemoteState {
        self.state.clone()
    }

    async fn handle(&mut self, message: BrokerMessage) -> BrokerReply {
        self.carry(message).await
    }
}
