//! `/api/v1/hunts`: starts, watches, steers and ends hunts.
//!
//! | request | does |
//! |---|---|
//! | `GET /api/v1/hunts` | all hunts, the newest first |
//! | `POST /api/v1/hunts` with an order | starts one; answers 201 with its number |
//! | `GET /api/v1/hunts/ID` | one hunt with its parameters and its status |
//! | `GET /api/v1/hunts/ID/results?limit=` | what it has found so far, the most relevant first |
//! | `POST /api/v1/hunts/ID/pause`, `…/resume`, `…/stop` | as it says |
//! | `POST /api/v1/hunts/ID/limit` with `pages`, `seconds` | changes its limits |
//! | `POST /api/v1/hunts/ID/verdict` with `url`, `good` | says whether a page is what is wanted |

use super::Fault;
use crate::web::door::{Doors, Refusal};
use crate::web::visit::Visit;
use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use lycosa_model::message::{Budget, HuntMessage, HuntOrder, HuntReply};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// Results of one answer.
const RESULTS: usize = 20;
const MOST_RESULTS: usize = 1_000;

/// What a person says of a page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Verdict {
    url: String,
    good: bool,
}

/// `GET /api/v1/hunts`
pub(in crate::web) async fn list(
    State(doors): State<Arc<Doors>>,
    headers: HeaderMap,
) -> Result<Response, Fault> {
    may_look(&doors, &headers)?;
    answer(&doors, HuntMessage::List).await
}

/// `POST /api/v1/hunts`
pub(in crate::web) async fn start(
    State(doors): State<Arc<Doors>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Fault> {
    let order: HuntOrder = read(&doors, &headers, &body)?;
    answer(&doors, HuntMessage::Start(Box::new(order))).await.map_err(Fault::of_the_request)
}

/// `GET /api/v1/hunts/ID`
pub(in crate::web) async fn show(
    State(doors): State<Arc<Doors>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Fault> {
    may_look(&doors, &headers)?;
    answer(&doors, HuntMessage::Show { id: number(&id)? }).await
}

/// `GET /api/v1/hunts/ID/results`
pub(in crate::web) async fn results(
    State(doors): State<Arc<Doors>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    visit: Visit,
) -> Result<Response, Fault> {
    may_look(&doors, &headers)?;
    let limit = visit.params.number("limit", RESULTS, 1, MOST_RESULTS);
    answer(&doors, HuntMessage::Results { id: number(&id)?, limit }).await
}

/// `POST /api/v1/hunts/ID/WHAT`
pub(in crate::web) async fn steer(
    State(doors): State<Arc<Doors>>,
    Path((id, what)): Path<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Fault> {
    let id = number(&id)?;
    let message = match what.as_str() {
        "pause" | "resume" | "stop" => {
            may_change(&doors, &headers)?;
            match what.as_str() {
                "pause" => HuntMessage::Pause { id },
                "resume" => HuntMessage::GoOn { id },
                _ => HuntMessage::Stop { id },
            }
        }
        "limit" => {
            let budget: Budget = read(&doors, &headers, &body)?;
            HuntMessage::Limit { id, budget }
        }
        "verdict" => {
            let Verdict { url, good } = read(&doors, &headers, &body)?;
            HuntMessage::Verdict { id, url, good }
        }
        _ => {
            let hint = "pause, resume, stop, limit or verdict";
            return Err(Fault::new(StatusCode::NOT_FOUND, "a hunt cannot do that", hint));
        }
    };
    answer(&doors, message).await
}

fn number(id: &str) -> Result<u64, Fault> {
    id.parse().map_err(|_| no_such_hunt())
}

fn no_such_hunt() -> Fault {
    Fault::new(StatusCode::NOT_FOUND, "there is no such hunt", "GET /api/v1/hunts lists them")
}

/// The body of a request that changes something.
fn read<T: DeserializeOwned>(doors: &Doors, headers: &HeaderMap, body: &[u8]) -> Result<T, Fault> {
    may_change(doors, headers)?;
    serde_json::from_slice(body).map_err(|error| {
        Fault::new(StatusCode::BAD_REQUEST, error.to_string(), "see docs/guide/hunting.md")
    })
}

/// Whether whoever asks may change something. The server must be for this machine alone, and the request
/// must come from a program or from our own pages: a page of anybody else that is open in a browser here
/// can send a request, but not one that says it is JSON, and not under our name.
fn may_change(doors: &Doors, headers: &HeaderMap) -> Result<(), Fault> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !doors.for_this_machine {
        let error = "hunts are started and steered from this machine only";
        return Err(Fault::new(StatusCode::FORBIDDEN, error, "serve on 127.0.0.1"));
    }
    let kind = text(header::CONTENT_TYPE).split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        let hint = "send Content-Type: application/json";
        return Err(Fault::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "this is no JSON", hint));
    }
    let origin = text(header::ORIGIN);
    let is_ours = origin.is_empty() || origin.strip_prefix("http://") == Some(text(header::HOST));
    if !is_ours {
        return Err(another_site());
    }
    may_look(doors, headers)
}

fn another_site() -> Fault {
    let error = "this request comes from another site";
    Fault::new(StatusCode::FORBIDDEN, error, "use the pages of this server")
}

/// Whether whoever asks may look. What is for this machine alone is not for a name that somebody else has
/// let lead here.
fn may_look(doors: &Doors, headers: &HeaderMap) -> Result<(), Fault> {
    let host = headers.get(header::HOST).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, port)| match port.parse::<u16>() {
        Ok(_) => name,
        Err(_) => host,
    });
    let address = name.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    let is_here = name == "localhost" || address.is_ok_and(|address| address.is_loopback());
    if doors.for_this_machine && !is_here { Err(another_site()) } else { Ok(()) }
}

async fn answer(doors: &Doors, message: HuntMessage) -> Result<Response, Fault> {
    let reply = doors.hunts(message).await.map_err(|Refusal { error, hint, .. }| {
        Fault::new(StatusCode::SERVICE_UNAVAILABLE, error, hint)
    })?;
    match reply {
        HuntReply::Started(id) => {
            let place = [(header::LOCATION, format!("/api/v1/hunts/{id}"))];
            let body = Json(serde_json::json!({ "id": id }));
            Ok((StatusCode::CREATED, place, body).into_response())
        }
        HuntReply::List(hunts) => Ok(Json(hunts).into_response()),
        HuntReply::Hunt(hunt) => Ok(Json(hunt).into_response()),
        HuntReply::Results(results) => {
            Ok(Json(serde_json::json!({ "results": results })).into_response())
        }
        HuntReply::Done => Ok(Json(serde_json::json!({ "done": true })).into_response()),
        HuntReply::Unknown => Err(no_such_hunt()),
        HuntReply::Refused { error, hint } => Err(Fault::new(StatusCode::CONFLICT, error, hint)),
    }
}
