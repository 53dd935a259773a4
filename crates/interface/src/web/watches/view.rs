//! How is a watch, what has it found, and what is to become of it?

use super::changes::{Change, Look, Told};
use super::form::Typed;
use super::list::{Subject, deliveries, kinds, trouble};
use super::{
    MOST_TROUBLE, Moment, State, Wrong, missing, name, outcome, place, schedule, secret_page,
    unanswered, zone,
};
use crate::web::clean::{self, Address};
use crate::web::door::Doors;
use crate::web::guard::{self, Fields};
use crate::web::opensearch::origin;
use crate::web::shell::{Shell, respond};
use crate::web::visit::Visit;
use askama::Template;
use axum::extract::{Path, State as Shared};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use lycosa_model::message::{
    ChangeKind, PieceKind, WatchMessage, WatchOrder, WatchReply, WatchView,
};
use std::sync::Arc;

/// Changes on one page.
const CHANGES: usize = 20;
/// Deliveries on the page.
const DELIVERIES: usize = 100;
/// Pages that are named because they cannot be read.
const FAILING: usize = 20;

/// The views, by their names in addresses.
const VIEWS: [&str; 4] = ["changes", "looks", "deliveries", "settings"];

struct Tab {
    words: &'static str,
    href: String,
    current: bool,
}

/// Something that can be done about the watch.
struct Button {
    what: &'static str,
    words: &'static str,
}

/// What the chosen view shows.
enum Shown {
    Changes { rows: Vec<Change>, newer: Option<String>, older: Option<String> },
    Looks(Vec<Look>),
    Deliveries(Vec<Told>),
    Settings { rows: Vec<(&'static str, String)>, has_hook: bool },
}

#[derive(Template)]
#[template(path = "watch.html")]
struct WatchPage {
    shell: Shell,
    id: u64,
    name: String,
    state: &'static str,
    live: bool,
    subject: Subject,
    schedule: String,
    last: Option<Moment>,
    found: Option<String>,
    next: Option<Moment>,
    facts: Vec<String>,
    trouble: Vec<String>,
    failing: Vec<(String, Option<String>, String)>,
    /// Where its feed is, and the whole address of it.
    feed: (String, String),
    has_token: bool,
    tabs: Vec<Tab>,
    view: &'static str,
    shown: Shown,
    form_token: Option<String>,
    buttons: Vec<Button>,
    /// Whether there is something to try again.
    given_up: bool,
    typed: Typed,
    kinds: [(ChangeKind, &'static str); 4],
    is_new: bool,
    wrong: Option<Wrong>,
}

/// `GET /watches/ID`
pub(in crate::web) async fn page(
    Shared(doors): Shared<Arc<Doors>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    visit: Visit,
) -> Response {
    let Ok(id) = id.parse::<u64>() else { return missing(&doors, &visit) };
    let view = visit.params.get("view").unwrap_or(VIEWS[0]).to_owned();
    show(&doors, &visit, &headers, id, &view, None).await
}

/// `POST /watches/ID/WHAT`
pub(in crate::web) async fn steer(
    Shared(doors): Shared<Arc<Doors>>,
    Path((id, what)): Path<(String, String)>,
    headers: HeaderMap,
    visit: Visit,
    fields: Fields,
) -> Response {
    let Ok(id) = id.parse::<u64>() else { return missing(&doors, &visit) };
    let view = fields.0.get("view").unwrap_or(VIEWS[0]).to_owned();
    let typed = Typed::of(&fields);
    let message = match what.as_str() {
        "run" => WatchMessage::Run { id },
        "pause" => WatchMessage::Pause { id },
        "resume" => WatchMessage::GoOn { id },
        "rotate" => WatchMessage::Rotate { id },
        "remove" => WatchMessage::Remove { id },
        "retry" => {
            WatchMessage::Retry { id, delivery: fields.0.get("delivery").map(str::to_owned) }
        }
        "edit" => match typed.edit(visit.ui) {
            Ok(edit) => WatchMessage::Edit { id, edit: Box::new(edit) },
            Err(wrong) => {
                let wrong = Some((wrong, Some(typed)));
                return show(&doors, &visit, &headers, id, "settings", wrong).await;
            }
        },
        _ => return missing(&doors, &visit),
    };
    match doors.watches(message).await {
        Ok(WatchReply::Done) if what == "remove" => {
            Redirect::to(&Shell::new(&doors, &visit, None).watches).into_response()
        }
        Ok(WatchReply::Secret(secret) | WatchReply::Edited { secret: Some(secret) }) => {
            secret_page(&doors, &visit, id, secret)
        }
        Ok(WatchReply::Done | WatchReply::Edited { secret: None }) => {
            let below = format!("?view={}", known(&view));
            Redirect::to(&place(&visit, id, &below)).into_response()
        }
        Ok(WatchReply::Refused { error, hint }) => {
            let typed = (what == "edit").then_some(typed);
            let wrong = Some((Wrong::said(&error, &hint), typed));
            show(&doors, &visit, &headers, id, &view, wrong).await
        }
        Ok(_) => missing(&doors, &visit),
        Err(refusal) => unanswered(&doors, &visit, &refusal),
    }
}

/// The view of this name; the first if there is none.
fn known(view: &str) -> &'static str {
    VIEWS.into_iter().find(|known| *known == view).unwrap_or(VIEWS[0])
}

/// Shows it; with what could not be done, and what was typed then.
async fn show(
    doors: &Doors,
    visit: &Visit,
    headers: &HeaderMap,
    id: u64,
    chosen: &str,
    wrong: Option<(Wrong, Option<Typed>)>,
) -> Response {
    let view = match doors.watches(WatchMessage::Show { id }).await {
        Ok(WatchReply::Watch(view)) => *view,
        Ok(_) => return missing(doors, visit),
        Err(refusal) => return unanswered(doors, visit, &refusal),
    };
    let may = guard::may_change(visit);
    let secret_feed = if may { feed_with_token(doors, id).await } else { None };
    let has_token = secret_feed.is_some();
    let feed = secret_feed.unwrap_or_else(|| format!("/watches/{id}/feed.atom"));
    let server = origin(headers).unwrap_or_default();
    let status = match &wrong {
        None => StatusCode::OK,
        Some((_, None)) => StatusCode::CONFLICT,
        Some((_, Some(_))) => StatusCode::UNPROCESSABLE_ENTITY,
    };
    let (wrong, typed) = wrong.map_or((None, None), |(wrong, typed)| (Some(wrong), typed));
    let now = Typed::showing(&view.order, &view.schedule);
    // What is watched cannot be changed, whatever a form says.
    let typed =
        typed.map(|typed| Typed { kind: now.kind.clone(), what: now.what.clone(), ..typed });
    let (ui, t) = (visit.ui, &visit.ui.texts().watch);
    let zone = zone(&view.order);
    let chosen = known(chosen);
    let tabs = VIEWS.into_iter().zip(t.views).map(|(view, words)| Tab {
        words,
        href: place(visit, id, &format!("?view={view}")),
        current: view == chosen,
    });
    let last = view.checks.first();
    let page = WatchPage {
        shell: Shell::new(doors, visit, Some(&name(&view))),
        id,
        name: name(&view),
        state: (t.state)(State::of(&view)),
        live: State::of(&view).is_passing(),
        subject: Subject::of(visit, &view.order),
        schedule: schedule(ui, &view.schedule),
        last: last.and_then(|check| Moment::of(ui, check.at, &zone)),
        found: last.map(|check| outcome(ui, check)),
        next: view.due.and_then(|due| Moment::of(ui, due, &zone)),
        facts: facts(visit, &view),
        trouble: trouble(visit, &view),
        failing: failing(&view),
        feed: (feed.clone(), format!("{server}{feed}")),
        has_token,
        tabs: tabs.collect(),
        view: chosen,
        shown: shown(visit, &view, chosen),
        form_token: may.then(|| guard::form_token(visit).to_owned()),
        buttons: buttons(visit, &view),
        given_up: view.given_up > 0,
        typed: typed.unwrap_or(now),
        kinds: kinds(visit),
        is_new: false,
        wrong,
    };
    respond(status, ui, &page)
}

/// Where the feed is for somebody who may read nothing else.
async fn feed_with_token(doors: &Doors, id: u64) -> Option<String> {
    match doors.watches(WatchMessage::Feeds { id: Some(id) }).await {
        Ok(WatchReply::Feeds(feeds)) => feeds.into_iter().next().map(|feed| feed.feed),
        _ => None,
    }
}

fn facts(visit: &Visit, view: &WatchView) -> Vec<String> {
    let t = &visit.ui.texts().watch;
    let mut facts = vec![(t.pages_known)(view.pages as u64), (t.changes_so_far)(view.changes)];
    facts.extend(deliveries(visit, view));
    facts
}

fn failing(view: &WatchView) -> Vec<(String, Option<String>, String)> {
    let named = view.failing.iter().take(FAILING).map(|(url, why)| {
        let why = clean::line(why, MOST_TROUBLE);
        match Address::new(url) {
            Some(address) => (address.words(), Some(address.href), why),
            None => (clean::line(url, 100), None, why),
        }
    });
    named.collect()
}

/// What can be done now.
fn buttons(visit: &Visit, view: &WatchView) -> Vec<Button> {
    let t = &visit.ui.texts().watch;
    let run = Button { what: "run", words: t.look_now };
    let resume = Button { what: "resume", words: t.resume };
    let is_off = view.hook_off.is_some() || view.mail_off.is_some();
    match view.paused {
        true => vec![resume],
        false if is_off => vec![run, resume, Button { what: "pause", words: t.pause }],
        false => vec![run, Button { what: "pause", words: t.pause }],
    }
}

fn shown(visit: &Visit, view: &WatchView, chosen: &str) -> Shown {
    let (ui, zone) = (visit.ui, zone(&view.order));
    match chosen {
        "looks" => Shown::Looks(view.checks.iter().map(|it| Look::of(ui, &zone, it)).collect()),
        "deliveries" => {
            let told = view.deliveries.iter().take(DELIVERIES);
            Shown::Deliveries(told.map(|it| Told::of(ui, &zone, it)).collect())
        }
        "settings" => Shown::Settings {
            rows: settings(visit, &view.order),
            has_hook: view.order.hook.is_some(),
        },
        _ => {
            let most = view.entries.len();
            let from = visit.params.number("from", 0, 0, most) / CHANGES * CHANGES;
            let to = |from: usize| place(visit, view.id, &format!("?from={from}"));
            let rows = view.entries.iter().skip(from).take(CHANGES);
            Shown::Changes {
                rows: rows.map(|entry| Change::of(ui, &zone, entry)).collect(),
                newer: from.checked_sub(CHANGES).map(to),
                older: (from + CHANGES < most).then(|| to(from + CHANGES)),
            }
        }
    }
}

/// What was wanted, for somebody who may not change it.
fn settings(visit: &Visit, order: &WatchOrder) -> Vec<(&'static str, String)> {
    let t = &visit.ui.texts().watch;
    let Typed {
        name,
        zone,
        quiet,
        require,
        ignore,
        part,
        lang,
        best,
        min_score,
        pages,
        refresh,
        hook,
        mail,
        mail_every,
        ..
    } = Typed::showing(order, "");
    let all = [
        (t.name, name),
        (t.zone, zone),
        (t.quiet, quiet),
        (t.require, require),
        (t.ignore, ignore),
        (t.part, part),
        (t.lang, lang),
        (t.best, best),
        (t.min_score, min_score),
        (t.pages, pages),
        (t.refresh, refresh),
        (t.hook, hook),
        (t.mail, mail),
        (t.mail_every, mail_every),
    ];
    let said = all.into_iter().filter(|(_, text)| !text.is_empty());
    said.map(|(label, text)| (label, clean::text(&text))).collect()
}
