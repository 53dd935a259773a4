//! `/api/v1/hunts`: starts, watches, steers and ends hunts.
//!
//! | request | does |
//! |---|---|
//! | `GET /api/v1/hunts` | all hunts, the newest first |
//! | `POST /api/v1/hunts` with an order | starts one; answers 201 with its number |
//! | `GET /api/v1/hunts/ID` | one hunt with its parameters and its status |
//! | `GET /api/v1/hunts/ID/results?limit=` | what it has found so far, the most relevant first |
//! | `POST /api/v1/hunts/ID/pause`, `…/resume`, `…/stop`, `…/cancel` | as it says; what a cancelled one has found is thrown away |
//! | `POST /api/v1/hunts/ID/limit` with `pages`, `seconds` | changes its limits |
//! | `POST /api/v1/hunts/ID/verdict` with `url`, `good` | says whether a page is what is wanted |
//! | `POST /api/v1/hunts/ID/exclude`, `…/include` with `patterns` | leaves these alone, or no more |
//! | `POST /api/v1/hunts/ID/agents/NAME/feed`, `…/stop` | feeds or ends one agent |

use super::Fault;
use crate::web::door::Doors;
use crate::web::visit::Visit;
use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use lycosa_frontier::{Exclusions, NoExclusion};
use lycosa_model::message::{HuntMessage, HuntOrder, HuntReply};
use lycosa_model::{Care, Prey};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Results of one answer.
pub(super) const RESULTS: usize = 20;
pub(super) const MOST_RESULTS: usize = 1_000;

/// What a person says of a page.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::web) struct Verdict {
    /// Its address.
    url: String,
    /// Whether it is what is wanted.
    good: bool,
}

/// What is to be left alone, or no more.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::web) struct Patterns {
    /// Hosts (`example.org`), beginnings of addresses (`example.org/shop/`), patterns (`*/print/*`).
    patterns: Vec<String>,
}

/// The number of a hunt that was started.
#[derive(Serialize, JsonSchema)]
pub(in crate::web) struct Started {
    id: u64,
}

/// What a hunt has found so far.
#[derive(Serialize, JsonSchema)]
pub(in crate::web) struct Results {
    /// The most relevant first.
    results: Vec<Prey>,
}

/// It was done.
#[derive(Serialize, JsonSchema)]
pub(in crate::web) struct Done {
    pub(super) done: bool,
}

/// `GET /api/v1/hunts`
pub(in crate::web) async fn list(State(doors): State<Arc<Doors>>) -> Result<Response, Fault> {
    answer(&doors, HuntMessage::List).await
}

/// `POST /api/v1/hunts`
pub(in crate::web) async fn start(
    State(doors): State<Arc<Doors>>,
    body: Bytes,
) -> Result<Response, Fault> {
    let order: HuntOrder = read(&body)?;
    answer(&doors, HuntMessage::Start(Box::new(order))).await.map_err(Fault::of_the_request)
}

/// `GET /api/v1/hunts/ID`
pub(in crate::web) async fn show(
    State(doors): State<Arc<Doors>>,
    Path(id): Path<String>,
) -> Result<Response, Fault> {
    answer(&doors, HuntMessage::Show { id: number(&id)? }).await
}

/// `GET /api/v1/hunts/ID/results`
pub(in crate::web) async fn results(
    State(doors): State<Arc<Doors>>,
    Path(id): Path<String>,
    visit: Visit,
) -> Result<Response, Fault> {
    let limit = visit.params.number("limit", RESULTS, 1, MOST_RESULTS);
    answer(&doors, HuntMessage::Results { id: number(&id)?, limit }).await
}

/// `POST /api/v1/hunts/ID/pause`
pub(in crate::web) async fn pause(state: State<Arc<Doors>>, id: Path<String>) -> Told {
    told(state, id, |id| Ok(HuntMessage::Pause { id })).await
}

/// `POST /api/v1/hunts/ID/resume`
pub(in crate::web) async fn resume(state: State<Arc<Doors>>, id: Path<String>) -> Told {
    told(state, id, |id| Ok(HuntMessage::GoOn { id })).await
}

/// `POST /api/v1/hunts/ID/stop`
pub(in crate::web) async fn stop(state: State<Arc<Doors>>, id: Path<String>) -> Told {
    told(state, id, |id| Ok(HuntMessage::Stop { id })).await
}

/// `POST /api/v1/hunts/ID/cancel`
pub(in crate::web) async fn cancel(state: State<Arc<Doors>>, id: Path<String>) -> Told {
    told(state, id, |id| Ok(HuntMessage::Cancel { id })).await
}

/// `POST /api/v1/hunts/ID/limit`
pub(in crate::web) async fn limit(state: State<Arc<Doors>>, id: Path<String>, body: Bytes) -> Told {
    told(state, id, |id| Ok(HuntMessage::Limit { id, budget: read(&body)? })).await
}

/// `POST /api/v1/hunts/ID/verdict`
pub(in crate::web) async fn verdict(
    state: State<Arc<Doors>>,
    id: Path<String>,
    body: Bytes,
) -> Told {
    let message = |id| {
        let Verdict { url, good } = read(&body)?;
        Ok(HuntMessage::Verdict { id, url, good })
    };
    told(state, id, message).await
}

/// `POST /api/v1/hunts/ID/exclude`
pub(in crate::web) async fn exclude(
    state: State<Arc<Doors>>,
    id: Path<String>,
    body: Bytes,
) -> Told {
    told(state, id, |id| Ok(HuntMessage::Exclude { id, patterns: patterns(&body)? })).await
}

/// `POST /api/v1/hunts/ID/include`
pub(in crate::web) async fn include(
    state: State<Arc<Doors>>,
    id: Path<String>,
    body: Bytes,
) -> Told {
    told(state, id, |id| Ok(HuntMessage::Include { id, patterns: patterns(&body)? })).await
}

/// Exclusions, all of which can be read.
fn patterns(body: &[u8]) -> Result<Vec<String>, Fault> {
    let Patterns { patterns } = read(body)?;
    let unread = match patterns.is_empty() {
        true => Some(NoExclusion::Empty),
        false => Exclusions::of(&patterns).err(),
    };
    match unread {
        None => Ok(patterns),
        Some(error) => {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            Err(Fault::new(status, error.to_string(), error.hint()))
        }
    }
}

/// `POST /api/v1/hunts/ID/agents/NAME/feed`
pub(in crate::web) async fn feed(
    State(doors): State<Arc<Doors>>,
    Path((id, agent)): Path<(String, String)>,
) -> Told {
    answer(&doors, HuntMessage::Tend { id: number(&id)?, agent, how: Care::Feed }).await
}

/// `POST /api/v1/hunts/ID/agents/NAME/stop`
pub(in crate::web) async fn stop_agent(
    State(doors): State<Arc<Doors>>,
    Path((id, agent)): Path<(String, String)>,
) -> Told {
    answer(&doors, HuntMessage::Tend { id: number(&id)?, agent, how: Care::Stop }).await
}

type Told = Result<Response, Fault>;

async fn told(
    State(doors): State<Arc<Doors>>,
    Path(id): Path<String>,
    message: impl FnOnce(u64) -> Result<HuntMessage, Fault>,
) -> Told {
    answer(&doors, message(number(&id)?)?).await
}

pub(super) fn number(id: &str) -> Result<u64, Fault> {
    id.parse().map_err(|_| no_such_hunt())
}

pub(super) fn no_such_hunt() -> Fault {
    Fault::new(StatusCode::NOT_FOUND, "there is no such hunt", "GET /api/v1/hunts lists them")
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Fault> {
    super::read(body, "see docs/guide/hunting.md")
}

async fn answer(doors: &Doors, message: HuntMessage) -> Result<Response, Fault> {
    match doors.hunts(message).await? {
        HuntReply::Started(id) => {
            let place = [(header::LOCATION, format!("/api/v1/hunts/{id}"))];
            let body = Json(Started { id });
            Ok((StatusCode::CREATED, place, body).into_response())
        }
        HuntReply::List(hunts) => Ok(Json(hunts).into_response()),
        HuntReply::Hunt(hunt) => Ok(Json(hunt).into_response()),
        HuntReply::Results(results) => Ok(Json(Results { results }).into_response()),
        HuntReply::Tended(tended) => Ok(Json(tended).into_response()),
        HuntReply::Done => Ok(Json(Done { done: true }).into_response()),
        HuntReply::Unknown => Err(no_such_hunt()),
        HuntReply::Refused { error, hint } => Err(Fault::new(StatusCode::CONFLICT, error, hint)),
    }
}
