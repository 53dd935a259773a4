//! How does one speak with a browser? JSON messages over two pipes, each ended by a zero byte (the
//! pipe form of the Chrome DevTools Protocol): no port is opened, and the browser ends when we do.

use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{mpsc, oneshot};

/// Largest message of the browser: a rendered page in JSON, with room to spare.
const MAX_MESSAGE: u64 = 192 << 20;
/// Messages to the browser that may wait.
const OUTBOX: usize = 256;
/// Events of one page that may wait; a page that makes more is left.
const EVENTS: usize = 8_192;

/// Why the browser gave no answer to a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum CdpError {
    /// It is gone.
    #[error("the browser is gone")]
    Gone,
    /// It refused.
    #[error("the browser refused: {0}")]
    Refused(String),
}

/// Something that happened in a page or in the browser.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) method: String,
    pub(super) params: Value,
}

type Answer = Result<Value, CdpError>;

#[derive(Default)]
struct State {
    next: u64,
    pending: HashMap<u64, oneshot::Sender<Answer>>,
    /// Who listens to which session; the browser itself has the empty name.
    listeners: HashMap<String, mpsc::Sender<Event>>,
    gone: bool,
}

/// A connection to a browser. Cheap to clone.
#[derive(Clone)]
pub(super) struct Cdp {
    out: mpsc::Sender<Vec<u8>>,
    state: Arc<Mutex<State>>,
}

impl Cdp {
    /// Speaks over these pipes until one of them closes.
    pub(super) fn start(
        mut to: impl AsyncWrite + Unpin + Send + 'static,
        from: impl AsyncRead + Unpin + Send + 'static,
    ) -> Cdp {
        let (out, mut outbox) = mpsc::channel::<Vec<u8>>(OUTBOX);
        let cdp = Cdp { out, state: Arc::default() };
        tokio::spawn(async move {
            while let Some(message) = outbox.recv().await {
                if to.write_all(&message).await.is_err() || to.flush().await.is_err() {
                    return;
                }
            }
        });
        let state = Arc::clone(&cdp.state);
        tokio::spawn(async move {
            let mut from = BufReader::new(from);
            let mut message = Vec::new();
            loop {
                message.clear();
                let read = (&mut from).take(MAX_MESSAGE).read_until(0, &mut message).await;
                if read.is_err() || message.pop() != Some(0) {
                    break;
                }
                if let Ok(message) = serde_json::from_slice(&message) {
                    lock(&state).take(message);
                }
            }
            lock(&state).close();
        });
        cdp
    }

    /// Gives a command and waits for its answer. The empty session is the browser itself.
    pub(super) async fn call(&self, session: &str, method: &str, params: Value) -> Answer {
        let (reply, answer) = oneshot::channel();
        let id = {
            let mut state = lock(&self.state);
            if state.gone {
                return Err(CdpError::Gone);
            }
            state.next += 1;
            let id = state.next;
            state.pending.insert(id, reply);
            id
        };
        let mut message = json!({ "id": id, "method": method, "params": params });
        if !session.is_empty() {
            message["sessionId"] = session.into();
        }
        let mut message = message.to_string().into_bytes();
        message.push(0);
        if self.out.send(message).await.is_err() {
            lock(&self.state).pending.remove(&id);
            return Err(CdpError::Gone);
        }
        answer.await.unwrap_or(Err(CdpError::Gone))
    }

    /// What happens in a session from now on. The stream ends when the browser is gone, or when more
    /// happens than anybody can follow.
    pub(super) fn listen(&self, session: &str) -> mpsc::Receiver<Event> {
        let (listener, events) = mpsc::channel(EVENTS);
        let mut state = lock(&self.state);
        if !state.gone {
            state.listeners.insert(session.to_owned(), listener);
        }
        events
    }

    /// Stops listening.
    pub(super) fn ignore(&self, session: &str) {
        lock(&self.state).listeners.remove(session);
    }

    /// Whether the browser is gone.
    pub(super) fn is_gone(&self) -> bool {
        lock(&self.state).gone
    }
}

impl State {
    fn take(&mut self, mut message: Value) {
        if let Some(id) = message["id"].as_u64() {
            let Some(reply) = self.pending.remove(&id) else { return };
            let answer = match message["error"]["message"].as_str() {
                Some(why) => Err(CdpError::Refused(why.to_owned())),
                None => Ok(message["result"].take()),
            };
            // Who asked may have stopped waiting.
            let _ = reply.send(answer);
            return;
        }
        let session = message["sessionId"].as_str().unwrap_or_default().to_owned();
        let Some(method) = message["method"].as_str().map(str::to_owned) else { return };
        let Some(listener) = self.listeners.get(&session) else { return };
        let event = Event { method, params: message["params"].take() };
        if listener.try_send(event).is_err() {
            self.listeners.remove(&session);
        }
    }

    fn close(&mut self) {
        self.gone = true;
        self.pending.clear();
        self.listeners.clear();
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::duplex;

    #[tokio::test]
    async fn answers_find_their_question_and_events_their_listener() {
        let (ours, mut outgoing) = duplex(4_096);
        let (mut incoming, theirs) = duplex(4_096);
        let cdp = Cdp::start(ours, theirs);
        let mut events = cdp.listen("s1");
        let asking = tokio::spawn({
            let cdp = cdp.clone();
            async move { cdp.call("s1", "Page.enable", json!({})).await }
        });
        let mut sent = Vec::new();
        let mut reader = BufReader::new(&mut outgoing);
        reader.read_until(0, &mut sent).await.expect("a command");
        assert_eq!(sent.pop(), Some(0));
        let sent: Value = serde_json::from_slice(&sent).expect("JSON");
        assert_eq!((&sent["method"], &sent["sessionId"]), (&json!("Page.enable"), &json!("s1")));
        let event = json!({ "method": "Page.x", "sessionId": "s1", "params": { "a": 1 } });
        let other = json!({ "method": "Page.y", "sessionId": "s2", "params": {} });
        let answer = json!({ "id": sent["id"], "result": { "b": 2 } });
        let broken = "{\0";
        let text = format!("{other}\0{broken}{event}\0{answer}\0");
        incoming.write_all(text.as_bytes()).await.expect("written");
        assert_eq!(asking.await.expect("ended"), Ok(json!({ "b": 2 })));
        let event = events.recv().await.expect("an event");
        assert_eq!((event.method.as_str(), &event.params["a"]), ("Page.x", &json!(1)));
        drop(incoming);
        assert!(events.recv().await.is_none(), "the browser is gone");
        assert!(cdp.is_gone());
        assert_eq!(cdp.call("", "Browser.close", json!({})).await, Err(CdpError::Gone));
    }

    #[tokio::test]
    async fn a_refused_command_tells_why() {
        let (ours, _outgoing) = duplex(4_096);
        let (mut incoming, theirs) = duplex(4_096);
        let cdp = Cdp::start(ours, theirs);
        let answer = json!({ "id": 1, "error": { "code": -32000, "message": "no such page" } });
        let asking = cdp.call("", "Target.closeTarget", json!({}));
        let text = format!("{answer}\0");
        let telling = incoming.write_all(text.as_bytes());
        // The command is registered before anything is awaited, so the order of the two is free.
        let (said, told) = tokio::join!(asking, telling);
        told.expect("written");
        assert_eq!(said, Err(CdpError::Refused("no such page".into())));
    }
}
