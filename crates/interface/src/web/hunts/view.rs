//! How is a hunt, and what is to become of it?

use super::agents::{self, AgentRow};
use super::results::{ResultRow, SHOWN};
use super::talk::{self, Diagram, TalkRow};
use super::ways::{self, WayRow};
use super::{escaped, missing, name, place, unanswered};
use crate::events::Picture;
use crate::web::api::picture::said_in;
use crate::web::clean::{self, Address};
use crate::web::door::Doors;
use crate::web::guard::{self, Fields};
use crate::web::shell::{Shell, respond};
use crate::web::visit::Visit;
use askama::Template;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use lycosa_model::message::{Budget, HuntMessage, HuntReply, HuntView};
use lycosa_model::{Care, Phase, Prey};
use std::sync::Arc;

/// Lines of the log on the page, the last ones.
const LOG_BYTES: u64 = 32 * 1024;
const LOG_LINES: usize = 80;
/// Seeds that are named.
const SEEDS: usize = 10;

/// The views, by their names in addresses.
const VIEWS: [&str; 6] = ["results", "agents", "ways", "talk", "map", "log"];

struct Tab {
    words: &'static str,
    href: String,
    current: bool,
}

/// Something that can be done about the hunt.
struct Button {
    what: &'static str,
    words: &'static str,
}

/// What the chosen view shows.
enum Shown {
    Results(Vec<ResultRow>),
    Agents { rows: Vec<AgentRow>, lived: Option<String> },
    Ways { rows: Vec<WayRow>, left_out: Option<String>, to: Vec<WayRow> },
    Talk { rows: Vec<TalkRow>, diagram: Diagram },
    Map { others: Vec<(u64, String)> },
    Log(Vec<String>),
}

#[derive(Template)]
#[template(path = "hunt.html")]
struct HuntPage {
    shell: Shell,
    id: u64,
    name: String,
    state: &'static str,
    /// For the style: the state in English.
    state_mark: &'static str,
    live: bool,
    /// Where in the log a watcher goes on.
    after: u64,
    facts: Vec<String>,
    slow: Option<String>,
    fault: Option<String>,
    seeds: Vec<(String, Option<String>)>,
    engines: Vec<String>,
    tabs: Vec<Tab>,
    view: &'static str,
    shown: Shown,
    form_token: Option<String>,
    buttons: Vec<Button>,
    can_cancel: bool,
    pages: String,
    minutes: String,
    refused: Option<String>,
    exclusions: Vec<Exclusion>,
    /// Whether they are shown at once.
    open_exclusions: bool,
    /// Whether its agents can be tended.
    can_tend: bool,
}

/// Something that is left alone.
struct Exclusion {
    /// As it is sent back.
    pattern: String,
    /// As it is shown.
    words: String,
}

/// `GET /hunts/ID`
pub(in crate::web) async fn page(
    State(doors): State<Arc<Doors>>,
    Path(id): Path<String>,
    visit: Visit,
) -> Response {
    show(&doors, &visit, &id).await
}

/// `POST /hunts/ID/WHAT`
pub(in crate::web) async fn steer(
    State(doors): State<Arc<Doors>>,
    Path((id, what)): Path<(String, String)>,
    visit: Visit,
    fields: Fields,
) -> Response {
    let Ok(number) = id.parse::<u64>() else { return missing(&doors, &visit) };
    let id = number;
    let text = |name: &str| fields.0.get(name).unwrap_or_default().to_owned();
    let number = |name: &str| fields.0.get(name).and_then(|text| text.parse::<u64>().ok());
    let message = match what.as_str() {
        "pause" => HuntMessage::Pause { id },
        "resume" => HuntMessage::GoOn { id },
        "stop" => HuntMessage::Stop { id },
        "cancel" => HuntMessage::Cancel { id },
        "limit" => {
            let seconds = number("minutes").map(|minutes| minutes.saturating_mul(60));
            HuntMessage::Limit { id, budget: Budget { pages: number("pages"), seconds } }
        }
        "good" | "bad" => HuntMessage::Verdict { id, url: text("url"), good: what == "good" },
        "exclude" => HuntMessage::Exclude { id, patterns: vec![text("pattern")] },
        "include" => HuntMessage::Include { id, patterns: vec![text("pattern")] },
        "feed" => HuntMessage::Tend { id, agent: text("agent"), how: Care::Feed },
        "stop-agent" => HuntMessage::Tend { id, agent: text("agent"), how: Care::Stop },
        _ => return missing(&doors, &visit),
    };
    doors.forget_hunt(id).await;
    let view = VIEWS.into_iter().find(|view| *view == text("view")).unwrap_or(VIEWS[0]);
    match doors.hunts(message).await {
        Ok(HuntReply::Tended(_)) if text("back") == "agent" => {
            let agent = format!("/agents/{}", escaped(&text("agent")));
            Redirect::to(&place(&visit, id, &agent)).into_response()
        }
        Ok(HuntReply::Done | HuntReply::Tended(_)) => {
            // What was changed there is seen there.
            let open = matches!(what.as_str(), "exclude" | "include").then_some("&open=exclusions");
            let back = format!("?view={view}{}", open.unwrap_or_default());
            Redirect::to(&place(&visit, id, &back)).into_response()
        }
        Ok(HuntReply::Refused { error, hint }) => {
            let told = escaped(&format!("{error}: {hint}"));
            let back = place(&visit, id, &format!("?view={view}&refused={told}"));
            Redirect::to(&back).into_response()
        }
        Ok(_) => missing(&doors, &visit),
        Err(refusal) => unanswered(&doors, &visit, &refusal),
    }
}

async fn show(doors: &Doors, visit: &Visit, id: &str) -> Response {
    let Ok(id) = id.parse::<u64>() else { return missing(doors, visit) };
    let view = match doors.hunt(id).await {
        Ok(Some(view)) => view,
        Ok(None) => return missing(doors, visit),
        Err(refusal) => return unanswered(doors, visit, &refusal),
    };
    let asked = visit.params.get("view").unwrap_or(VIEWS[0]);
    let chosen = VIEWS.into_iter().find(|view| *view == asked).unwrap_or(VIEWS[0]);
    let t = &visit.ui.texts().hunt;
    // Where the log ends is asked first: what happens meanwhile comes twice rather than never.
    let after = view.run.and_then(|run| doors.runs.log(run)).map_or(0, |log| log.len());
    let shown = match chosen {
        "agents" => of_agents(doors, visit, &view).await,
        "ways" => of_ways(doors, visit, &view).await,
        "talk" => of_talk(doors, visit, &view).await,
        "map" => of_map(doors, &view).await,
        "log" => Shown::Log(last_lines(doors, &view).await),
        _ => Shown::Results(results(doors, visit, &view).await),
    };
    let tabs = VIEWS.into_iter().zip(t.views).map(|(view, words)| Tab {
        words,
        href: place(visit, id, &format!("?view={view}")),
        current: view == chosen,
    });
    let status = view.status.as_deref();
    let mut facts = vec![view.strategy.clone(), (t.read)(view.pages)];
    if let Some(status) = status {
        facts.push((t.waiting)(status.broker.queued));
        facts.push((t.rate)(status.pages_per_second));
    }
    let may = guard::may_change(visit);
    let page = HuntPage {
        shell: Shell::new(doors, visit, Some(&name(&view))),
        id,
        name: name(&view),
        state: (t.state)(view.state),
        state_mark: view.state.name(),
        live: view.state != Phase::Finished,
        after,
        facts,
        slow: status.map(|status| status.broker.limited_by.clone()),
        fault: view.error.clone(),
        seeds: seeds(&view),
        engines: engines(visit, &view),
        tabs: tabs.collect(),
        view: chosen,
        shown,
        form_token: may.then(|| guard::form_token(visit).to_owned()),
        buttons: buttons(visit, &view),
        can_cancel: view.served && view.state != Phase::Finished,
        pages: view.order.pages.map(|pages| pages.to_string()).unwrap_or_default(),
        minutes: view.order.seconds.map(|s| s.div_ceil(60).to_string()).unwrap_or_default(),
        refused: visit.params.get("refused").map(|told| clean::line(told, 300)),
        exclusions: exclusions(&view),
        open_exclusions: visit.params.get("open") == Some("exclusions"),
        can_tend: may && agents::is_at_work(&view),
    };
    respond(StatusCode::OK, visit.ui, &page)
}

fn exclusions(view: &HuntView) -> Vec<Exclusion> {
    let all = view.order.exclude.iter();
    all.map(|pattern| Exclusion { pattern: pattern.clone(), words: clean::line(pattern, 200) })
        .collect()
}

/// What can be done now.
fn buttons(visit: &Visit, view: &HuntView) -> Vec<Button> {
    let t = &visit.ui.texts().hunt;
    let pause = Button { what: "pause", words: t.pause };
    let resume = Button { what: "resume", words: t.resume };
    let stop = Button { what: "stop", words: t.stop };
    match view.state {
        _ if !view.served => Vec::new(),
        Phase::Waiting | Phase::Starting | Phase::Running => vec![pause, stop],
        Phase::Pausing | Phase::Paused => vec![resume, stop],
        Phase::Stopping | Phase::Finished => Vec::new(),
    }
}

fn seeds(view: &HuntView) -> Vec<(String, Option<String>)> {
    let named = view.seeds.iter().map(|seed| &seed.url);
    let all = named.chain(&view.order.urls).take(SEEDS);
    all.map(|url| match Address::new(url) {
        Some(address) => (address.words(), Some(address.href)),
        None => (clean::line(url, 100), None),
    })
    .collect()
}

fn engines(visit: &Visit, view: &HuntView) -> Vec<String> {
    let t = &visit.ui.texts().hunt;
    let told = view.engines.iter().map(|answer| match &answer.error {
        Some(error) => format!("{}: {error}", answer.engine),
        None => (t.named_by)(&answer.engine, answer.results),
    });
    told.map(|line| clean::line(&line, 200)).collect()
}

async fn results(doors: &Doors, visit: &Visit, view: &HuntView) -> Vec<ResultRow> {
    let reply = doors.hunts(HuntMessage::Results { id: view.id, limit: SHOWN }).await;
    let prey: Vec<Prey> = match reply {
        Ok(HuntReply::Results(prey)) => prey,
        _ => Vec::new(),
    };
    prey.iter().map(|prey| ResultRow::of(visit, view.id, prey)).collect()
}

/// Looks at the picture of a hunt that has begun.
async fn look<T: Default + Send + 'static>(
    doors: &Doors,
    view: &HuntView,
    look: impl FnOnce(&Picture) -> T + Send + 'static,
) -> T {
    match view.run {
        Some(run) => doors.runs.look(run, look).await.unwrap_or_default(),
        None => T::default(),
    }
}

async fn of_agents(doors: &Doors, visit: &Visit, view: &HuntView) -> Shown {
    let (asked, id) = (visit.clone(), view.id);
    let (rows, born, died) = look(doors, view, move |picture| {
        (agents::rows(&asked, id, picture), picture.births, picture.deaths)
    })
    .await;
    let t = &visit.ui.texts().hunt;
    Shown::Agents { rows, lived: (born > 0).then(|| (t.births)(born, died)) }
}

async fn of_ways(doors: &Doors, visit: &Visit, view: &HuntView) -> Shown {
    let (asked, id) = (visit.clone(), view.id);
    let url = visit.params.get("url").map(str::to_owned);
    let (rows, left_out, to) = look(doors, view, move |picture| match url {
        Some(url) => (Vec::new(), 0, ways::to(&asked, id, picture, &url)),
        None => {
            let (rows, left_out) = ways::tree(&asked, id, picture);
            (rows, left_out, Vec::new())
        }
    })
    .await;
    let t = &visit.ui.texts().hunt;
    Shown::Ways { rows, left_out: (left_out > 0).then(|| (t.more_pages)(left_out)), to }
}

async fn of_talk(doors: &Doors, visit: &Visit, view: &HuntView) -> Shown {
    let (asked, id) = (visit.clone(), view.id);
    let (rows, current) =
        look(doors, view, move |picture| talk::rows(&asked, id, picture, asked.params.get("with")))
            .await;
    let said = match (view.run, &current) {
        (Some(run), Some(with)) => said_in(doors, run, with.clone()).await.unwrap_or_default(),
        _ => Vec::new(),
    };
    let diagram = Diagram::of(visit, current.unwrap_or_default(), &said);
    Shown::Talk { rows, diagram }
}

/// Other hunts that could be laid beside this one.
async fn of_map(doors: &Doors, view: &HuntView) -> Shown {
    let others = match doors.hunts(HuntMessage::List).await {
        Ok(HuntReply::List(hunts)) => hunts,
        _ => Vec::new(),
    };
    let others = others.iter().filter(|other| other.id != view.id && other.run.is_some());
    let named = others
        .map(|other| (other.id, format!("{} · {} · {}", other.id, name(other), other.strategy)));
    Shown::Map { others: named.take(50).collect() }
}

async fn last_lines(doors: &Doors, view: &HuntView) -> Vec<String> {
    let Some(log) = view.run.and_then(|run| doors.runs.log(run)) else { return Vec::new() };
    let read = tokio::task::spawn_blocking(move || log.tail(LOG_BYTES)).await;
    let Ok(Ok(chunk)) = read else { return Vec::new() };
    chunk.text.lines().rev().take(LOG_LINES).map(|line| clean::line(line, 400)).collect()
}
