//! Who hunts, and what has one of them done?

use super::{escaped, missing, name, place, unanswered};
use crate::events::{Life, Picture, Touch};
use crate::web::api::picture::biography;
use crate::web::clean::{self, Address};
use crate::web::door::Doors;
use crate::web::guard;
use crate::web::shell::{Shell, respond};
use crate::web::visit::Visit;
use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use lycosa_model::Phase;
use lycosa_model::message::HuntView;
use std::collections::HashMap;
use std::sync::Arc;

/// Agents on the page; those that live come first among those that are left out.
const SHOWN: usize = 500;
/// How deep families are shown as such.
const DEEPEST: usize = 24;
/// Pages of a history on the page.
const MOST_HISTORY: usize = 200;

/// A line of the family tree.
#[derive(Clone, Debug)]
pub(super) struct AgentRow {
    pub(super) depth: usize,
    pub(super) name: String,
    pub(super) href: String,
    pub(super) alive: bool,
    /// What it is called, and how much it has.
    pub(super) energy: Option<(&'static str, String)>,
    pub(super) pages: String,
    pub(super) messages: Option<String>,
    pub(super) keywords: String,
    pub(super) at: Option<String>,
    /// What a person may do about it now.
    pub(super) can_feed: bool,
    pub(super) can_stop: bool,
    /// What was last done to it by hand.
    pub(super) touched: Option<String>,
}

/// Whether an agent can be fed, and whether it can be stopped, by the strategy that it belongs to. Bots, assistants
/// and facilitators are nobody's to tend.
fn tendable(strategy: &str, name: &str) -> (bool, bool) {
    match strategy {
        "infospiders" | "walkers:cloning" | "walkers:immune" => (true, true),
        "walkers:single" | "walkers:multiple" => (false, true),
        "contract-net" | "xiangdan" | "wyy" if name.starts_with("crawler-") => (true, true),
        _ => (false, false),
    }
}

/// Whether agents of a hunt can be tended at all: it is at work, here.
pub(super) fn is_at_work(view: &HuntView) -> bool {
    view.served && matches!(view.state, Phase::Running | Phase::Pausing | Phase::Paused)
}

/// Agents as a tree, parents before their children.
pub(super) fn rows(visit: &Visit, id: u64, picture: &Picture) -> Vec<AgentRow> {
    let agents = picture.agents();
    let numbers: HashMap<&str, usize> =
        agents.iter().enumerate().map(|(number, life)| (life.name.as_str(), number)).collect();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); agents.len()];
    let mut tops = Vec::new();
    for (number, life) in agents.iter().enumerate() {
        let parent = life.parent.as_deref().and_then(|parent| numbers.get(parent));
        match parent.filter(|parent| **parent != number) {
            Some(parent) => children[*parent].push(number),
            None => tops.push(number),
        }
    }
    let mut next: Vec<(usize, usize)> = tops.into_iter().rev().map(|number| (0, number)).collect();
    let mut rows = Vec::new();
    while let Some((depth, number)) = next.pop() {
        if rows.len() == SHOWN {
            break;
        }
        rows.push(row(visit, id, depth.min(DEEPEST), &picture.strategy, &agents[number]));
        next.extend(children[number].iter().rev().map(|child| (depth + 1, *child)));
    }
    rows
}

fn row(visit: &Visit, id: u64, depth: usize, strategy: &str, life: &Life) -> AgentRow {
    let t = &visit.ui.texts().hunt;
    let (feed, stop) = tendable(strategy, &life.name);
    // Members of a team talk, and have an ability where spiders have energy.
    let measure = if life.messages > 0 { t.ability } else { t.energy };
    AgentRow {
        depth,
        href: place(visit, id, &format!("/agents/{}", escaped(&life.name))),
        name: clean::line(&life.name, 60),
        alive: life.died.is_none(),
        energy: life.energy.map(|energy| (measure, format!("{energy:.2}"))),
        pages: (t.read)(life.pages),
        messages: (life.messages > 0).then(|| (t.said)(life.messages)),
        keywords: clean::line(&life.keywords.join(" "), 120),
        at: life.address.as_deref().and_then(Address::new).map(|address| address.words()),
        can_feed: feed && life.died.is_none(),
        can_stop: stop && life.died.is_none(),
        touched: life.tended.last().map(|touch| (t.tended)(&touch.what)),
    }
}

struct Read {
    when: String,
    title: String,
    href: Option<String>,
    relevance: String,
    way: String,
}

#[derive(Template)]
#[template(path = "hunt-agent.html")]
struct AgentPage {
    shell: Shell,
    hunt: String,
    hunt_href: String,
    agent: AgentRow,
    parent: Option<(String, String)>,
    children: Vec<(String, String)>,
    born: String,
    died: Option<String>,
    /// What people did to it: when, and what.
    touches: Vec<(String, String)>,
    history: Vec<Read>,
    id: u64,
    form_token: Option<String>,
}

/// `GET /hunts/ID/agents/NAME`
pub(in crate::web) async fn page(
    State(doors): State<Arc<Doors>>,
    Path((id, agent)): Path<(String, String)>,
    visit: Visit,
) -> Response {
    let Ok(id) = id.parse::<u64>() else { return missing(&doors, &visit) };
    let view = match doors.hunt(id).await {
        Ok(Some(view)) => view,
        Ok(None) => return missing(&doors, &visit),
        Err(refusal) => return unanswered(&doors, &visit, &refusal),
    };
    let Some(run) = view.run else { return missing(&doors, &visit) };
    let look = move |picture: &Picture| biography(picture, &agent);
    let Some(Some(found)) = doors.runs.look(run, look).await else {
        return missing(&doors, &visit);
    };
    let t = &visit.ui.texts().hunt;
    let link = |name: &String| {
        let href = place(&visit, id, &format!("/agents/{}", escaped(name)));
        (clean::line(name, 60), href)
    };
    let history = found.history.iter().take(MOST_HISTORY).map(|read| {
        let address = Address::new(&read.url);
        let title = clean::line(&read.title, clean::MAX_TITLE);
        let words = address.as_ref().map_or_else(|| clean::line(&read.url, 100), Address::words);
        Read {
            when: (t.seconds)(read.t),
            title: if title.is_empty() { words } else { title },
            href: address.map(|address| address.href),
            relevance: format!("{:.2}", read.relevance),
            way: place(&visit, id, &format!("?view=ways&url={}", escaped(&read.url))),
        }
    });
    let touch = |touch: &Touch| ((t.seconds)(touch.t), clean::line(&(t.tended)(&touch.what), 200));
    let may = guard::may_change(&visit) && is_at_work(&view);
    let page = AgentPage {
        shell: Shell::new(&doors, &visit, Some(&clean::line(&found.life.name, 60))),
        hunt: name(&view),
        hunt_href: place(&visit, id, ""),
        parent: found.life.parent.as_ref().map(link),
        children: found.children.iter().map(link).collect(),
        born: (t.seconds)(found.life.born),
        died: found.life.died.map(t.seconds),
        history: history.collect(),
        form_token: may.then(|| guard::form_token(&visit).to_owned()),
        id,
        touches: found.life.tended.iter().rev().map(touch).collect(),
        agent: row(&visit, id, 0, &view.strategy, &found.life),
    };
    respond(StatusCode::OK, visit.ui, &page)
}
