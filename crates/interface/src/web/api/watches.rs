//! `/api/v1/watches`: what is watched, what was found, and who is told. And the feed of each watch.
//!
//! | request | does |
//! |---|---|
//! | `GET /api/v1/watches` | all watches |
//! | `POST /api/v1/watches` with an order | begins to watch; answers 201 with number, feed and secret |
//! | `GET /api/v1/watches/ID` | one watch with its last changes and deliveries |
//! | `PATCH /api/v1/watches/ID` with what is to be otherwise | goes on watching by it; answers the secret of a new webhook |
//! | `DELETE /api/v1/watches/ID` | forgets it |
//! | `POST /api/v1/watches/ID/run`, `…/pause`, `…/resume` | as it says |
//! | `POST /api/v1/watches/ID/rotate` | a new secret for its webhook |
//! | `POST /api/v1/watches/ID/retry` with `delivery` or nothing | tries again what was given up |
//! | `GET /watches/ID/feed.atom?token=` | its feed; on this machine also without the token |
//! | `POST /watches/ID/unsubscribe?token=` | no more mail (RFC 8058) |

use super::Fault;
use super::hunts::Done;
use crate::web::door::{Doors, Refusal};
use crate::web::opensearch::origin;
use crate::web::visit::Visit;
use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use lycosa_model::message::{WatchEdit, WatchMessage, WatchOrder, WatchReply};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Which delivery is tried again.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Again {
    /// Its id; all that were given up if nothing is said.
    delivery: Option<String>,
}

/// A watch that was added.
#[derive(Serialize, JsonSchema)]
pub(super) struct Added {
    /// Its number.
    id: u64,
    /// Where its feed is, with its token.
    feed: String,
    /// The secret of its webhook, which is told only now.
    secret: Option<String>,
}

/// The new secret of a webhook.
#[derive(Serialize, JsonSchema)]
pub(super) struct NewSecret {
    /// It is told only now.
    secret: String,
}

/// A watch that is kept otherwise.
#[derive(Serialize, JsonSchema)]
pub(super) struct Edited {
    /// The secret of its webhook, if that has a new one, which is told only now.
    secret: Option<String>,
}

/// `GET /api/v1/watches`
pub(in crate::web) async fn list(State(doors): State<Arc<Doors>>) -> Result<Response, Fault> {
    answer(&doors, WatchMessage::List).await
}

/// `POST /api/v1/watches`
pub(in crate::web) async fn add(
    State(doors): State<Arc<Doors>>,
    body: Bytes,
) -> Result<Response, Fault> {
    let order: WatchOrder = read(&body)?;
    answer(&doors, WatchMessage::Add(Box::new(order))).await.map_err(Fault::of_the_request)
}

/// `GET /api/v1/watches/ID`
pub(in crate::web) async fn show(
    State(doors): State<Arc<Doors>>,
    Path(id): Path<String>,
) -> Result<Response, Fault> {
    answer(&doors, WatchMessage::Show { id: number(&id)? }).await
}

/// `PATCH /api/v1/watches/ID`
pub(in crate::web) async fn edit(
    State(doors): State<Arc<Doors>>,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Response, Fault> {
    let (id, edit) = (number(&id)?, read::<WatchEdit>(&body)?);
    let message = WatchMessage::Edit { id, edit: Box::new(edit) };
    answer(&doors, message).await.map_err(Fault::of_the_request)
}

/// `DELETE /api/v1/watches/ID`
pub(in crate::web) async fn remove(
    State(doors): State<Arc<Doors>>,
    Path(id): Path<String>,
) -> Result<Response, Fault> {
    answer(&doors, WatchMessage::Remove { id: number(&id)? }).await
}

/// `POST /api/v1/watches/ID/run`
pub(in crate::web) async fn run(state: State<Arc<Doors>>, id: Path<String>) -> Told {
    told(state, id, |id| Ok(WatchMessage::Run { id })).await
}

/// `POST /api/v1/watches/ID/pause`
pub(in crate::web) async fn pause(state: State<Arc<Doors>>, id: Path<String>) -> Told {
    told(state, id, |id| Ok(WatchMessage::Pause { id })).await
}

/// `POST /api/v1/watches/ID/resume`
pub(in crate::web) async fn resume(state: State<Arc<Doors>>, id: Path<String>) -> Told {
    told(state, id, |id| Ok(WatchMessage::GoOn { id })).await
}

/// `POST /api/v1/watches/ID/rotate`
pub(in crate::web) async fn rotate(state: State<Arc<Doors>>, id: Path<String>) -> Told {
    told(state, id, |id| Ok(WatchMessage::Rotate { id })).await
}

/// `POST /api/v1/watches/ID/retry`
pub(in crate::web) async fn retry(state: State<Arc<Doors>>, id: Path<String>, body: Bytes) -> Told {
    let message = |id| {
        let Again { delivery } = if body.is_empty() { Again::default() } else { read(&body)? };
        Ok(WatchMessage::Retry { id, delivery })
    };
    told(state, id, message).await
}

type Told = Result<Response, Fault>;

async fn told(
    State(doors): State<Arc<Doors>>,
    Path(id): Path<String>,
    message: impl FnOnce(u64) -> Result<WatchMessage, Fault>,
) -> Told {
    answer(&doors, message(number(&id)?)?).await
}

/// `GET /watches/ID/feed.atom`. Whoever has the token of the feed may read it, and nothing else; the guard lets a request
/// with such a token in.
pub(in crate::web) async fn feed(
    State(doors): State<Arc<Doors>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    visit: Visit,
) -> Result<Response, Fault> {
    let token = visit.params.get("token").map(str::to_owned);
    let server = origin(&headers).unwrap_or_else(|| "http://localhost".into());
    let message = WatchMessage::Feed { id: number(&id)?, token, server };
    let WatchReply::Feed(atom) = ask(&doors, message).await? else { return Err(no_such_watch()) };
    let tag = tag_of(&atom);
    let known = headers.get_all(header::IF_NONE_MATCH).iter();
    let known = known.filter_map(|value| value.to_str().ok()).flat_map(|list| list.split(','));
    let is_known = known
        .map(|known| known.trim())
        .any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag);
    let about = [(header::ETAG, tag)];
    if is_known {
        return Ok((StatusCode::NOT_MODIFIED, about).into_response());
    }
    let kind = [(header::CONTENT_TYPE, "application/atom+xml; charset=utf-8")];
    Ok((about, kind, atom).into_response())
}

/// `POST /watches/ID/unsubscribe`, as programs for mail send it.
pub(in crate::web) async fn unsubscribe(
    State(doors): State<Arc<Doors>>,
    Path(id): Path<String>,
    visit: Visit,
) -> Result<Response, Fault> {
    let Some(token) = visit.params.get("token").map(str::to_owned) else {
        return Err(no_such_watch());
    };
    answer(&doors, WatchMessage::Unsubscribe { id: number(&id)?, token }).await
}

/// What a feed reader compares to know whether it has this already.
fn tag_of(text: &str) -> String {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    format!("\"{:016x}-{:x}\"", hasher.finish(), text.len())
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Fault> {
    super::read(body, "see docs/guide/watching.md")
}

fn number(id: &str) -> Result<u64, Fault> {
    id.parse().map_err(|_| no_such_watch())
}

fn no_such_watch() -> Fault {
    Fault::new(StatusCode::NOT_FOUND, "there is no such watch", "GET /api/v1/watches lists them")
}

async fn ask(doors: &Doors, message: WatchMessage) -> Result<WatchReply, Fault> {
    doors.watches(message).await.map_err(|Refusal { error, hint, .. }| {
        Fault::new(StatusCode::SERVICE_UNAVAILABLE, error, hint)
    })
}

async fn answer(doors: &Doors, message: WatchMessage) -> Result<Response, Fault> {
    match ask(doors, message).await? {
        WatchReply::Added { id, feed, secret } => {
            let place = [(header::LOCATION, format!("/api/v1/watches/{id}"))];
            let body = Json(Added { id, feed, secret });
            Ok((StatusCode::CREATED, place, body).into_response())
        }
        WatchReply::List(watches) => Ok(Json(watches).into_response()),
        WatchReply::Watch(watch) => Ok(Json(watch).into_response()),
        WatchReply::Secret(secret) => Ok(Json(NewSecret { secret }).into_response()),
        WatchReply::Edited { secret } => Ok(Json(Edited { secret }).into_response()),
        WatchReply::Feeds(feeds) => Ok(Json(feeds).into_response()),
        WatchReply::Feed(atom) => Ok(atom.into_response()),
        WatchReply::Done => Ok(Json(Done { done: true }).into_response()),
        WatchReply::Unknown => Err(no_such_watch()),
        WatchReply::Refused { error, hint } => Err(Fault::new(StatusCode::CONFLICT, error, hint)),
    }
}
