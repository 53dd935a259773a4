//! `/api/v1/hunts/ID/events`: what happens in a hunt, as it happens (server-sent events).
//!
//! | event | data |
//! |---|---|
//! | `log` | a list of lines of the log, in order; the id is where the last of them ends in the log |
//! | `status` | the hunt as `GET /api/v1/hunts/ID` has it, without results, when it has changed; at most one a second |
//! | `end` | the hunt has ended, and all of its log was sent |
//!
//! Whoever comes back with `Last-Event-ID` (or `?after=`) gets what came since: nothing twice, nothing left out.
//! There are at most ten frames a second. Nothing is kept for a watcher but the place in the log where it is, so a
//! slow one costs no memory and misses no line.

use super::Fault;
use super::hunts::{no_such_hunt, number};
use crate::events::{Chunk, Log};
use crate::web::door::{Doors, Refusal};
use crate::web::visit::Visit;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream};
use lycosa_model::Phase;
use lycosa_model::message::HuntView;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until};

/// Between two frames.
const FRAME: Duration = Duration::from_millis(100);
/// Between two looks at the hunt.
const STATUS: Duration = Duration::from_secs(1);
/// A connection on which nothing is said is taken for dead long after this.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// Bytes of the log in one frame, about.
pub(super) const FRAME_BYTES: usize = 64 * 1024;
/// Bytes of the log in one answer to `/log`, at most.
pub(super) const MOST_BYTES: usize = 4 * 1024 * 1024;

/// A watcher.
struct Watcher {
    doors: Arc<Doors>,
    id: u64,
    after: u64,
    log: Option<Log>,
    next_frame: Instant,
    next_status: Instant,
    told: Option<String>,
    /// Whether all of the log was sent when it was last looked at.
    drained: bool,
    over: bool,
}

/// `GET /api/v1/hunts/ID/events`
pub(in crate::web) async fn stream(
    State(doors): State<Arc<Doors>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    visit: Visit,
) -> Result<Response, Fault> {
    let id = number(&id)?;
    known(&doors, id).await?;
    let came_back =
        headers.get("last-event-id").and_then(|value| value.to_str().ok()?.parse().ok());
    let asked = visit.params.get("after").and_then(|text| text.parse().ok());
    let watcher = Watcher {
        doors,
        id,
        after: came_back.or(asked).unwrap_or(0),
        log: None,
        next_frame: Instant::now(),
        next_status: Instant::now(),
        told: None,
        drained: true,
        over: false,
    };
    let alive = KeepAlive::new().interval(HEARTBEAT).text("still here");
    let mut response = Sse::new(frames(watcher)).keep_alive(alive).into_response();
    // Proxies must not collect frames.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

/// `GET /api/v1/hunts/ID/log?after=&bytes=&tail=`: lines of the log, one event each; with `tail` the last ones.
pub(in crate::web) async fn log(
    State(doors): State<Arc<Doors>>,
    Path(id): Path<String>,
    visit: Visit,
) -> Result<Response, Fault> {
    let view = known(&doors, number(&id)?).await?;
    let after = visit.params.get("after").and_then(|text| text.parse().ok()).unwrap_or(0);
    let most = visit.params.number("bytes", FRAME_BYTES, 1, MOST_BYTES);
    let tail = visit.params.flag("tail");
    let log = view.run.and_then(|run| doors.runs.log(run));
    let chunk = match log {
        None => Chunk { text: String::new(), end: after },
        Some(log) => {
            let read = move || if tail { log.tail(most as u64) } else { log.read(after, most) };
            match tokio::task::spawn_blocking(read).await {
                Ok(Ok(chunk)) => chunk,
                _ => return Err(unreadable()),
            }
        }
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson")),
        (header::HeaderName::from_static("lycosa-next"), HeaderValue::from(chunk.end)),
    ];
    Ok((headers, chunk.text).into_response())
}

fn unreadable() -> Fault {
    let error = "the log of this hunt cannot be read";
    Fault::new(StatusCode::SERVICE_UNAVAILABLE, error, "see the log of the server")
}

/// The hunt of a number.
pub(in crate::web) async fn known(doors: &Doors, id: u64) -> Result<Arc<HuntView>, Fault> {
    let view = doors.hunt(id).await.map_err(|Refusal { error, hint, .. }| {
        Fault::new(StatusCode::SERVICE_UNAVAILABLE, error, hint)
    })?;
    view.ok_or_else(no_such_hunt)
}

fn frames(watcher: Watcher) -> impl Stream<Item = Result<Event, Infallible>> {
    stream::unfold(watcher, |mut watcher| async move {
        let frame = watcher.frame().await?;
        Some((Ok(frame), watcher))
    })
}

impl Watcher {
    /// The next frame, when there is something to tell; nothing after the end.
    async fn frame(&mut self) -> Option<Event> {
        if self.over {
            return None;
        }
        sleep_until(self.next_frame).await;
        loop {
            // A log that never runs dry must not keep the state from being told.
            let overdue = Instant::now() >= self.next_status + STATUS && !self.drained;
            let frame = match if overdue { None } else { self.lines().await } {
                Some(lines) => Some(lines),
                None => self.status().await,
            };
            if frame.is_some() {
                self.next_frame = Instant::now() + FRAME;
                return frame;
            }
            sleep(FRAME).await;
        }
    }

    async fn lines(&mut self) -> Option<Event> {
        let log = self.log.clone()?;
        let after = self.after;
        let read = tokio::task::spawn_blocking(move || log.read(after, FRAME_BYTES));
        let Ok(Ok(chunk)) = read.await else {
            // Not the end: it is tried again.
            self.drained = false;
            return None;
        };
        // A log that is shorter than what the watcher has is another one.
        self.after = chunk.end;
        self.drained = chunk.text.is_empty();
        if self.drained {
            return None;
        }
        let lines = chunk.text.trim_end().replace('\n', ",");
        Some(Event::default().event("log").id(chunk.end.to_string()).data(format!("[{lines}]")))
    }

    async fn status(&mut self) -> Option<Event> {
        if Instant::now() < self.next_status {
            return None;
        }
        self.next_status = Instant::now() + STATUS;
        let Ok(Some(view)) = self.doors.hunt(self.id).await else { return None };
        if self.log.is_none() {
            self.log = view.run.and_then(|run| self.doors.runs.log(run));
            if self.log.is_some() {
                // There may be lines, which come first.
                self.next_status = Instant::now();
                return None;
            }
        }
        let text =
            serde_json::to_string(&HuntView { results: Vec::new(), ..(*view).clone() }).ok()?;
        if self.told.as_ref() != Some(&text) {
            self.told = Some(text.clone());
            return Some(Event::default().event("status").data(text));
        }
        // The log had nothing more when the hunt had ended already.
        if view.state == Phase::Finished && self.drained {
            self.over = true;
            return Some(Event::default().event("end").data("{}"));
        }
        None
    }
}
