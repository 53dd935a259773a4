//! What is watched, and what else is to be?

use super::form::{SUBJECTS, Typed};
use super::{
    MOST_TROUBLE, MOST_WORDS, Moment, State, Wrong, missing, name, outcome, place, schedule,
    secret_page, unanswered, zone,
};
use crate::web::clean::{self, Address};
use crate::web::door::Doors;
use crate::web::guard::{self, Fields};
use crate::web::shell::{Shell, respond};
use crate::web::visit::Visit;
use askama::Template;
use axum::extract::State as Shared;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use lycosa_model::message::{ChangeKind, WatchMessage, WatchOrder, WatchReply, WatchView};
use std::sync::Arc;

/// Watches on the page; the newest come first.
const SHOWN: usize = 200;

/// A line of the list.
struct Row {
    href: String,
    name: String,
    state: &'static str,
    looking: bool,
    subject: Subject,
    schedule: String,
    last: Option<Moment>,
    next: Option<Moment>,
    found: Option<String>,
    changes: String,
    deliveries: Option<String>,
    trouble: Vec<String>,
}

/// What is watched, for a person to read.
pub(super) struct Subject {
    pub(super) kind: &'static str,
    pub(super) words: String,
    pub(super) href: Option<String>,
}

impl Subject {
    pub(super) fn of(visit: &Visit, order: &WatchOrder) -> Subject {
        let t = &visit.ui.texts().watch;
        let kinds = [&order.query, &order.page, &order.site];
        let found = kinds.into_iter().zip(t.subjects).find(|(what, _)| what.is_some());
        let (what, kind) =
            found.map_or(("", ""), |(what, kind)| (what.as_deref().unwrap_or_default(), kind));
        let address = Address::new(what).filter(|_| order.query.is_none());
        let words = address.as_ref().map(Address::words);
        Subject {
            kind,
            words: words.unwrap_or_else(|| clean::line(what, MOST_WORDS)),
            href: address.map(|address| address.href),
        }
    }
}

#[derive(Template)]
#[template(path = "watches.html")]
struct ListPage {
    shell: Shell,
    rows: Vec<Row>,
    left_out: Option<String>,
    live: bool,
    /// Whether whoever looks may have something watched, and what proves it.
    form_token: Option<String>,
    typed: Typed,
    /// Names of what can be watched, and words for them.
    subjects: Vec<(&'static str, &'static str)>,
    kinds: [(ChangeKind, &'static str); 4],
    is_new: bool,
    wrong: Option<Wrong>,
}

/// `GET /watches`
pub(in crate::web) async fn page(Shared(doors): Shared<Arc<Doors>>, visit: Visit) -> Response {
    show(&doors, &visit, Typed::fresh(&visit), None).await
}

/// `POST /watches`
pub(in crate::web) async fn add(
    Shared(doors): Shared<Arc<Doors>>,
    visit: Visit,
    fields: Fields,
) -> Response {
    let typed = Typed::of(&fields);
    let order = match typed.order(visit.ui) {
        Ok(order) => order,
        Err(wrong) => return show(&doors, &visit, typed, Some(wrong)).await,
    };
    match doors.watches(WatchMessage::Add(Box::new(order))).await {
        Ok(WatchReply::Added { id, secret: Some(secret), .. }) => {
            secret_page(&doors, &visit, id, secret)
        }
        Ok(WatchReply::Added { id, .. }) => Redirect::to(&place(&visit, id, "")).into_response(),
        Ok(WatchReply::Refused { error, hint }) => {
            show(&doors, &visit, typed, Some(Wrong::said(&error, &hint))).await
        }
        Ok(_) => missing(&doors, &visit),
        Err(refusal) => unanswered(&doors, &visit, &refusal),
    }
}

async fn show(doors: &Doors, visit: &Visit, typed: Typed, wrong: Option<Wrong>) -> Response {
    let t = &visit.ui.texts().watch;
    let views = match doors.watches(WatchMessage::List).await {
        Ok(WatchReply::List(views)) => views,
        Ok(_) => Vec::new(),
        Err(refusal) => return unanswered(doors, visit, &refusal),
    };
    let left_out = views.len().saturating_sub(SHOWN);
    let page = ListPage {
        shell: Shell::new(doors, visit, Some(t.title)),
        rows: views.iter().rev().take(SHOWN).map(|view| row(visit, view)).collect(),
        left_out: (left_out > 0).then(|| (t.left_out)(left_out)),
        live: views.iter().any(|view| State::of(view).is_passing()),
        form_token: guard::may_change(visit).then(|| guard::form_token(visit).to_owned()),
        typed,
        subjects: SUBJECTS.into_iter().zip(t.subject_choices).collect(),
        kinds: kinds(visit),
        is_new: true,
        wrong,
    };
    let refused = StatusCode::UNPROCESSABLE_ENTITY;
    let status = if page.wrong.is_some() { refused } else { StatusCode::OK };
    respond(status, visit.ui, &page)
}

/// What can be told, with words for it.
pub(super) fn kinds(visit: &Visit) -> [(ChangeKind, &'static str); 4] {
    let t = &visit.ui.texts().watch;
    [ChangeKind::New, ChangeKind::Changed, ChangeKind::Gone, ChangeKind::Error]
        .map(|kind| (kind, (t.change)(kind)))
}

fn row(visit: &Visit, view: &WatchView) -> Row {
    let (ui, t) = (visit.ui, &visit.ui.texts().watch);
    let zone = zone(&view.order);
    let state = State::of(view);
    let last = view.checks.first();
    Row {
        href: place(visit, view.id, ""),
        name: name(view),
        state: (t.state)(state),
        looking: state.is_passing(),
        subject: Subject::of(visit, &view.order),
        schedule: schedule(ui, &view.schedule),
        last: last.and_then(|check| Moment::of(ui, check.at, &zone)),
        next: view.due.and_then(|due| Moment::of(ui, due, &zone)),
        found: last.map(|check| outcome(ui, check)),
        changes: (t.changes_so_far)(view.changes),
        deliveries: deliveries(visit, view),
        trouble: trouble(visit, view),
    }
}

/// How the telling is, if there is something to say of it.
pub(super) fn deliveries(visit: &Visit, view: &WatchView) -> Option<String> {
    let t = &visit.ui.texts().watch;
    let any = view.waiting + view.given_up > 0;
    any.then(|| (t.deliveries)(view.waiting, view.given_up))
}

/// What does not go well.
pub(super) fn trouble(visit: &Visit, view: &WatchView) -> Vec<String> {
    let t = &visit.ui.texts().watch;
    let with = |words: &str, why: &str| clean::line(&format!("{words}: {why}"), MOST_TROUBLE);
    let last = view.checks.first();
    let failed = last.filter(|check| check.failed);
    let failed = failed.map(|check| with(t.look_failed, check.note.as_deref().unwrap_or("?")));
    let hook = view.hook_off.as_deref().map(|why| with(t.hook_off, why));
    let mail = view.mail_off.as_deref().map(|why| with(t.mail_off, why));
    let failing = (!view.failing.is_empty()).then(|| (t.failing)(view.failing.len()));
    failed.into_iter().chain(failing).chain(hook).chain(mail).collect()
}
