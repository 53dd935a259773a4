//! What a hunt looks like by now, for programs and for the pictures of the pages.
//!
//! | request | answers |
//! |---|---|
//! | `GET /api/v1/hunts/ID/agents` | the agents, in order of birth |
//! | `GET /api/v1/hunts/ID/agents/NAME` | one of them, with the pages that it read, the last ones first |
//! | `GET /api/v1/hunts/ID/path?url=` | how one came to a page |
//! | `GET /api/v1/hunts/ID/graph?nodes=` | pages and the links that led to them, with who went when |
//! | `GET /api/v1/hunts/ID/conversations` | what was talked about |
//! | `GET /api/v1/hunts/ID/conversations/CID` | what was said in one conversation |

use super::Fault;
use super::events::known;
use super::hunts::number;
use crate::events::{Conversation, Life, Picture, Reading, Seen};
use crate::web::door::Doors;
use crate::web::visit::Visit;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use lycosa_model::{AclMessage, Deed, Happening, Tick};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Agents and conversations of one answer.
const MOST_ROWS: usize = 10_000;
/// Pages of a history.
const MOST_HISTORY: usize = 1_000;
/// Nodes of a graph.
pub(in crate::web) const NODES: usize = 2_000;
pub(super) const MOST_NODES: usize = 10 * NODES;
/// Messages of a conversation.
const MOST_MESSAGES: usize = 1_000;

/// An agent with its history.
#[derive(Serialize, JsonSchema)]
pub(in crate::web) struct Biography {
    #[serde(flatten)]
    pub(in crate::web) life: Life,
    pub(in crate::web) history: Vec<Reading>,
    pub(in crate::web) children: Vec<String>,
}

/// A step on the way to a page.
#[derive(Serialize, JsonSchema)]
pub(in crate::web) struct Step {
    pub(in crate::web) url: String,
    pub(in crate::web) title: String,
    pub(in crate::web) t: f64,
    pub(in crate::web) agent: String,
    pub(in crate::web) score: f32,
    pub(in crate::web) relevance: f32,
    /// The energy of the agent when it chose the page, and when it had read it.
    pub(in crate::web) energy_before: Option<f32>,
    /// See `energy_before`.
    pub(in crate::web) energy_after: Option<f32>,
    /// The pheromone where it was chosen.
    pub(in crate::web) pheromone: Option<f32>,
    /// The conversation in which it passed to its agent by contract.
    pub(in crate::web) contract: Option<String>,
    /// The bid by which the agent got that contract.
    pub(in crate::web) bid: Option<f32>,
}

/// Something that was said.
#[derive(Clone, Serialize, JsonSchema)]
pub(in crate::web) struct Said {
    pub(in crate::web) t: f64,
    pub(in crate::web) arrives: Option<Tick>,
    pub(in crate::web) sender: String,
    pub(in crate::web) receiver: String,
    pub(in crate::web) performative: &'static str,
    pub(in crate::web) message: AclMessage,
}

/// Pages and who went there.
#[derive(Serialize, JsonSchema)]
pub(in crate::web) struct Graph {
    /// Seconds of the run by now.
    t: f64,
    /// The number of the last event that is in it.
    end: u64,
    nodes: Vec<Node>,
    agents: Vec<Walker>,
}

#[derive(Serialize, JsonSchema)]
struct Node {
    url: String,
    title: String,
    t: f64,
    /// The place of the node that led here.
    via: Option<usize>,
    /// The place of the agent that went here.
    agent: usize,
    relevance: f32,
    came: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pheromone: Option<f32>,
    /// What energy its agent had left behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    energy: Option<f32>,
    /// Pages that were found on this one and are left out.
    more: u32,
}

#[derive(Serialize, JsonSchema)]
struct Walker {
    name: String,
    parent: Option<String>,
    born: f64,
    died: Option<f64>,
    energy: Option<f32>,
}

async fn look<T: Send + 'static>(
    doors: &Doors,
    id: &str,
    look: impl FnOnce(&Picture) -> T + Send + 'static,
) -> Result<T, Fault> {
    let view = known(doors, number(id)?).await?;
    let run = view.run.ok_or_else(not_yet)?;
    doors.runs.look(run, look).await.ok_or_else(not_yet)
}

fn not_yet() -> Fault {
    Fault::new(StatusCode::CONFLICT, "it has not begun yet", "ask again in a moment")
}

fn nobody() -> Fault {
    let hint = "GET /api/v1/hunts/ID/agents lists them";
    Fault::new(StatusCode::NOT_FOUND, "there is no such agent", hint)
}

/// `GET /api/v1/hunts/ID/agents`
pub(in crate::web) async fn agents(
    State(doors): State<Arc<Doors>>,
    Path(id): Path<String>,
) -> Result<Json<Vec<Life>>, Fault> {
    let take = |picture: &Picture| picture.agents().iter().take(MOST_ROWS).cloned().collect();
    Ok(Json(look(&doors, &id, take).await?))
}

/// `GET /api/v1/hunts/ID/agents/NAME`
pub(in crate::web) async fn agent(
    State(doors): State<Arc<Doors>>,
    Path((id, name)): Path<(String, String)>,
) -> Result<Json<Biography>, Fault> {
    let found = look(&doors, &id, move |picture| biography(picture, &name)).await?;
    found.map(Json).ok_or_else(nobody)
}

/// An agent with its history, if there is one of that name.
pub(in crate::web) fn biography(picture: &Picture, name: &str) -> Option<Biography> {
    let children = picture.agents().iter().filter(|life| life.parent.as_deref() == Some(name));
    Some(Biography {
        life: picture.agent(name)?.clone(),
        history: picture.history(name, MOST_HISTORY),
        children: children.map(|life| life.name.clone()).collect(),
    })
}

/// `GET /api/v1/hunts/ID/path?url=`
pub(in crate::web) async fn path(
    State(doors): State<Arc<Doors>>,
    Path(id): Path<String>,
    visit: Visit,
) -> Result<Json<Vec<Step>>, Fault> {
    let Some(url) = visit.params.get("url").map(str::to_owned) else {
        let hint = "add ?url= with the address of a page";
        return Err(Fault::new(StatusCode::BAD_REQUEST, "the way to what?", hint));
    };
    let steps = look(&doors, &id, move |picture| steps(picture, &url)).await?;
    steps.map(Json).ok_or_else(|| {
        let hint = "GET /api/v1/hunts/ID/results lists pages";
        Fault::new(StatusCode::NOT_FOUND, "this hunt has not been there", hint)
    })
}

/// How one came to a page.
pub(in crate::web) fn steps(picture: &Picture, url: &str) -> Option<Vec<Step>> {
    let path = picture.path(url)?;
    Some(path.into_iter().map(|page| step(picture, page)).collect())
}

pub(in crate::web) fn step(picture: &Picture, page: &Seen) -> Step {
    let agent = picture.agents().get(page.agent as usize);
    let contract = page.contract.as_deref();
    Step {
        url: page.url.clone(),
        title: page.title.clone(),
        t: page.t,
        agent: agent.map(|life| life.name.clone()).unwrap_or_default(),
        score: page.score,
        relevance: page.relevance,
        energy_before: page.energy.0,
        energy_after: page.energy.1,
        pheromone: page.pheromone,
        contract: contract.map(str::to_owned),
        bid: contract.and_then(|id| picture.conversation(id)).and_then(|of| of.bid),
    }
}

/// `GET /api/v1/hunts/ID/graph`
pub(in crate::web) async fn graph(
    State(doors): State<Arc<Doors>>,
    Path(id): Path<String>,
    visit: Visit,
) -> Result<Json<Graph>, Fault> {
    let nodes = visit.params.number("nodes", NODES, 1, MOST_NODES);
    Ok(Json(look(&doors, &id, move |picture| draw(picture, nodes)).await?))
}

/// The most relevant pages and the way to them; what is left out is counted where it was found.
fn draw(picture: &Picture, most: usize) -> Graph {
    let pages = picture.pages();
    let chosen = choose(pages, most);
    let places: BTreeMap<u32, usize> =
        chosen.iter().enumerate().map(|(place, page)| (*page, place)).collect();
    let mut nodes: Vec<Node> = chosen
        .iter()
        .map(|number| {
            let page = &pages[*number as usize];
            Node {
                url: page.url.clone(),
                title: page.title.clone(),
                t: page.t,
                via: page.via.and_then(|via| places.get(&via).copied()),
                agent: page.agent as usize,
                relevance: page.relevance,
                came: page.came,
                pheromone: page.pheromone,
                energy: page.energy.1,
                more: 0,
            }
        })
        .collect();
    for (number, page) in pages.iter().enumerate() {
        if !places.contains_key(&(number as u32))
            && let Some(place) = page.via.and_then(|via| places.get(&via))
        {
            nodes[*place].more += 1;
        }
    }
    let agents = picture.agents().iter().map(|life| Walker {
        name: life.name.clone(),
        parent: life.parent.clone(),
        born: life.born,
        died: life.died,
        energy: life.energy,
    });
    Graph { t: picture.t, end: picture.end, nodes, agents: agents.collect() }
}

/// The numbers of the pages that a graph of this size shows, in the order in which they were read.
pub(in crate::web) fn choose(pages: &[Seen], most: usize) -> Vec<u32> {
    if pages.len() <= most {
        return (0..pages.len() as u32).collect();
    }
    let mut order: Vec<u32> = (0..pages.len() as u32).collect();
    order.sort_by(|a, b| {
        let worth = |number: &u32| pages[*number as usize].relevance;
        worth(b).total_cmp(&worth(a)).then(a.cmp(b))
    });
    let mut chosen = std::collections::BTreeSet::new();
    for number in order {
        // A page is shown with the way to it.
        let mut way = vec![number];
        while let Some(via) = way.last().and_then(|last| pages[*last as usize].via)
            && !chosen.contains(&via)
            && way.last().is_some_and(|last| via < *last)
        {
            way.push(via);
        }
        if chosen.len() + way.len() > most {
            break;
        }
        chosen.extend(way);
    }
    chosen.into_iter().collect()
}

/// `GET /api/v1/hunts/ID/conversations`
pub(in crate::web) async fn conversations(
    State(doors): State<Arc<Doors>>,
    Path(id): Path<String>,
) -> Result<Json<Vec<Conversation>>, Fault> {
    let rows = look(&doors, &id, |picture| {
        let rows = picture.conversations();
        rows[rows.len().saturating_sub(MOST_ROWS)..].to_vec()
    });
    Ok(Json(rows.await?))
}

/// `GET /api/v1/hunts/ID/conversations/CID`
pub(in crate::web) async fn conversation(
    State(doors): State<Arc<Doors>>,
    Path((id, conversation)): Path<(String, String)>,
) -> Result<Json<Vec<Said>>, Fault> {
    let view = known(&doors, number(&id)?).await?;
    let run = view.run.ok_or_else(not_yet)?;
    let said = said_in(&doors, run, conversation).await.ok_or_else(not_yet)?;
    match said.is_empty() {
        false => Ok(Json(said)),
        true => {
            let hint = "GET /api/v1/hunts/ID/conversations lists them";
            Err(Fault::new(StatusCode::NOT_FOUND, "there is no such conversation", hint))
        }
    }
}

/// What was said in a conversation.
pub(in crate::web) async fn said_in(
    doors: &Doors,
    run: u32,
    conversation: String,
) -> Option<Vec<Said>> {
    let log = doors.runs.log(run)?;
    let read = move || {
        let mut said = Vec::new();
        // Lines that cannot be read are those of others.
        let _ = log.each(0, |_, event| {
            if let Happening::Agent { agent, deed: Deed::Said { arrives, message }, .. } =
                event.what
                && *message.conversation_id == *conversation
                && said.len() < MOST_MESSAGES
            {
                said.push(Said {
                    t: event.t,
                    arrives,
                    sender: agent,
                    receiver: message.receiver.to_string(),
                    performative: message.performative.name(),
                    message: *message,
                });
            }
        });
        said
    };
    tokio::task::spawn_blocking(read).await.ok()
}
