//! Where do people see what is watched, and have more of it watched?
//!
//! Every view is a page that is complete without a script; while somebody looks at a watch, the same page is fetched
//! again every other moment, by a script or by the browser itself.

mod changes;
mod form;
mod list;
mod opml;
mod texts;
mod view;

pub(super) use list::{add, page as list};
pub(super) use opml::export;
pub(super) use texts::{EN, ES, WatchTexts};
pub(super) use view::{page, steer};

use super::clean;
use super::door::{Doors, Refusal};
use super::error;
use super::shell::{Shell, respond};
use super::ui::Ui;
use super::visit::Visit;
use askama::Template;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use lycosa_model::Tick;
use lycosa_model::message::{WatchCheck, WatchOrder, WatchView};

/// Characters of a name or of a subject that are shown.
const MOST_WORDS: usize = 200;
/// Characters of what the keeper says of trouble.
const MOST_TROUBLE: usize = 300;

/// How a watch is at this moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::web) enum State {
    /// Somebody looks at it.
    Looking,
    /// It is due.
    Soon,
    /// It rests.
    Resting,
    /// It waits for its time.
    Waiting,
}

impl State {
    fn of(view: &WatchView) -> State {
        let now = u64::try_from(Timestamp::now().as_millisecond()).unwrap_or(0);
        match view.due {
            _ if view.looking => State::Looking,
            _ if view.paused => State::Resting,
            Some(due) if due.0 <= now => State::Soon,
            _ => State::Waiting,
        }
    }

    /// Whether it will be another one in a moment.
    fn is_passing(self) -> bool {
        matches!(self, State::Looking | State::Soon)
    }
}

/// A moment for programs and for people.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Moment {
    machine: String,
    human: String,
}

impl Moment {
    /// `None` for the epoch itself, which stands for "never".
    fn of(ui: Ui, tick: Tick, zone: &TimeZone) -> Option<Moment> {
        let millis = i64::try_from(tick.0).ok().filter(|millis| *millis > 0)?;
        let moment = Timestamp::from_millisecond(millis).ok()?;
        let here = moment.to_zoned(zone.clone());
        let month = ui.texts().months.get(usize::try_from(here.month() - 1).ok()?)?;
        let day = (ui.texts().date)(here.day(), month, here.year());
        let human = format!("{day}, {}", here.strftime("%H:%M %Z"));
        Some(Moment { machine: moment.to_string(), human })
    }
}

/// The zone in which a watch counts its hours.
fn zone(order: &WatchOrder) -> TimeZone {
    let named = order.zone.as_deref().and_then(|name| TimeZone::get(name).ok());
    named.unwrap_or_else(TimeZone::system)
}

/// What a watch is called.
fn name(view: &WatchView) -> String {
    let name = clean::line(&view.name, MOST_WORDS);
    if name.is_empty() { format!("#{}", view.id) } else { name }
}

/// A schedule as people say it, where it is a usual one.
fn schedule(ui: Ui, text: &str) -> String {
    let known = ui.texts().watch.schedules.iter().find(|(value, _)| *value == text);
    known.map_or_else(|| clean::line(text, MOST_WORDS), |(_, words)| (*words).to_owned())
}

/// What was found when it was looked at.
fn outcome(ui: Ui, check: &WatchCheck) -> String {
    let t = &ui.texts().watch;
    match check {
        WatchCheck { failed: true, .. } => t.look_failed.to_owned(),
        WatchCheck { baseline: true, pages, .. } => (t.baseline)(*pages as u64),
        WatchCheck { new, changed, gone, .. } => (t.counts)(*new, *changed, *gone),
    }
}

/// The page of a watch, or of something below it, in the language that was chosen.
fn place(visit: &Visit, id: u64, below: &str) -> String {
    let mark = if below.contains('?') { '&' } else { '?' };
    match visit.form.ui {
        Some(ui) => format!("/watches/{id}{below}{mark}ui={}", ui.code()),
        None => format!("/watches/{id}{below}"),
    }
}

/// What was refused, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Wrong {
    error: String,
    hint: String,
    /// The language of both.
    lang: &'static str,
}

impl Wrong {
    /// In the words of the keeper, who speaks English.
    fn said(error: &str, hint: &str) -> Wrong {
        let (error, hint) = (clean::line(error, MOST_TROUBLE), clean::line(hint, MOST_TROUBLE));
        Wrong { error, hint, lang: Ui::En.code() }
    }
}

#[derive(Template)]
#[template(path = "watch-secret.html")]
struct SecretPage {
    shell: Shell,
    secret: String,
    back: String,
}

/// The secret of a webhook, shown this once and kept nowhere on the way.
fn secret_page(doors: &Doors, visit: &Visit, id: u64, secret: String) -> Response {
    let page = SecretPage {
        shell: Shell::new(doors, visit, Some(visit.ui.texts().watch.secret_title)),
        secret,
        back: place(visit, id, "?view=settings"),
    };
    let mut response = respond(StatusCode::OK, visit.ui, &page);
    let never = HeaderValue::from_static("no-store");
    response.headers_mut().insert(header::CACHE_CONTROL, never);
    response
}

/// There is no such watch.
fn missing(doors: &Doors, visit: &Visit) -> Response {
    let t = visit.ui.texts();
    error::plain(doors, visit, StatusCode::NOT_FOUND, t.not_found_title, t.watch.unknown)
}

/// Whoever keeps watch has no answer now.
fn unanswered(doors: &Doors, visit: &Visit, refusal: &Refusal) -> Response {
    tracing::warn!("no answer about watches: {}", refusal.error);
    let t = visit.ui.texts();
    let status = StatusCode::SERVICE_UNAVAILABLE;
    error::plain(doors, visit, status, t.unavailable_title, t.try_again)
}
