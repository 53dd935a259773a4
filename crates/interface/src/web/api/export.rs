//! `GET /api/v1/hunts/ID/export?format=`: what a hunt has found, for other programs.

use super::{Fault, hunts};
use crate::graph::{Column, Form, GraphWriter};
use crate::web::door::Doors;
use crate::web::feed::prey_csv;
use crate::web::visit::Visit;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use lycosa_model::Prey;
use lycosa_model::message::{HuntMessage, HuntReply};
use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

/// Its forms, by name.
pub(super) const FORMS: &[&str] = &["csv", "jsonl", "graphml", "gexf"];
/// Their media types.
pub(super) const MEDIA: &[&str] =
    &["text/csv", "application/jsonl", "application/graphml+xml", "application/gexf+xml"];
/// Pages at most.
const MOST: usize = 100_000;

const PAGES: &[Column] = &[("title", false), ("agent", false), ("relevance", true)];

pub(in crate::web) async fn endpoint(
    State(doors): State<Arc<Doors>>,
    Path(id): Path<String>,
    visit: Visit,
) -> Result<Response, Fault> {
    let number = hunts::number(&id)?;
    let prey = match doors.hunts(HuntMessage::Results { id: number, limit: MOST }).await? {
        HuntReply::Results(prey) => prey,
        _ => return Err(hunts::no_such_hunt()),
    };
    let form = visit.params.get("format").unwrap_or(FORMS[0]);
    let (media, body) = match form {
        "jsonl" => (MEDIA[1], lines(&prey)),
        "graphml" => (MEDIA[2], drawn(&prey, Form::GraphMl)),
        "gexf" => (MEDIA[3], drawn(&prey, Form::Gexf)),
        _ => (MEDIA[0], Ok(prey_csv(&prey))),
    };
    let body = body.map_err(|error| {
        Fault::new(StatusCode::SERVICE_UNAVAILABLE, error.to_string(), "try again")
    })?;
    let name = format!("attachment; filename=\"hunt-{number}.{form}\"");
    let name = HeaderValue::from_str(&name).unwrap_or(HeaderValue::from_static("attachment"));
    Ok((
        [
            (header::CONTENT_TYPE, HeaderValue::from_static(media)),
            (header::CONTENT_DISPOSITION, name),
        ],
        body,
    )
        .into_response())
}

fn lines(prey: &[Prey]) -> io::Result<String> {
    let rows: Result<Vec<String>, _> = prey.iter().map(serde_json::to_string).collect();
    Ok(rows?.into_iter().map(|row| row + "\n").collect())
}

/// Which page led to which, and what each was worth.
fn drawn(prey: &[Prey], form: Form) -> io::Result<String> {
    let mut graph = GraphWriter::begin(Vec::new(), form, PAGES, &[])?;
    let known: BTreeSet<&str> = prey.iter().map(|prey| prey.url.as_str()).collect();
    for prey in prey {
        let relevance = prey.relevance.to_string();
        graph.page(&prey.url, &prey.title, &[&prey.title, &prey.agent, &relevance])?;
    }
    // Pages on the way that are not among the results.
    let between: BTreeSet<&str> = prey.iter().filter_map(|prey| prey.via.as_deref()).collect();
    for url in between.difference(&known) {
        graph.page(url, url, &[])?;
    }
    for prey in prey {
        if let Some(via) = &prey.via {
            graph.link(via, &prey.url, &[])?;
        }
    }
    String::from_utf8(graph.end()?).map_err(io::Error::other)
}
