//! Which hunts are there, and what is a new one to look for?

use super::{missing, name, place, unanswered};
use crate::web::door::Doors;
use crate::web::guard::{self, Fields};
use crate::web::language;
use crate::web::shell::{Shell, respond};
use crate::web::visit::Visit;
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use lycosa_model::Phase;
use lycosa_model::message::{HuntMessage, HuntOrder, HuntReply};
use std::sync::Arc;

/// Strategies that a person may choose from.
const STRATEGIES: [&str; 15] = [
    "learned",
    "infospiders",
    "contract-net",
    "walkers:cloning",
    "walkers:multiple",
    "walkers:single",
    "walkers:immune",
    "best-first",
    "shark",
    "fish",
    "mean-of-parents",
    "tag-path",
    "xiangdan",
    "wyy",
    "breadth-first",
];

/// What people type at most.
const MOST_LINES: usize = 200;

struct Row {
    href: String,
    name: String,
    state: &'static str,
    running: bool,
    strategy: String,
    pages: String,
    error: Option<String>,
}

#[derive(Template)]
#[template(path = "hunts.html")]
struct ListPage {
    shell: Shell,
    rows: Vec<Row>,
    /// Whether whoever looks may start one, and what proves it.
    form_token: Option<String>,
    /// What was typed before, when it could not be used.
    order: HuntOrder,
    strategies: [&'static str; 15],
    fault: Option<(String, String)>,
}

impl ListPage {
    fn chosen(&self, strategy: &str) -> bool {
        self.order.strategy.as_deref() == Some(strategy)
    }

    fn in_scope(&self, scope: &str) -> bool {
        self.order.scope.as_deref() == Some(scope)
    }

    fn lines(&self, lines: &[String]) -> String {
        lines.join("\n")
    }

    fn number<T: ToString + Copy>(&self, number: &Option<T>) -> String {
        number.map(|number| number.to_string()).unwrap_or_default()
    }
}

/// `GET /hunts`
pub(in crate::web) async fn page(State(doors): State<Arc<Doors>>, visit: Visit) -> Response {
    let order = HuntOrder { query: visit.form.query.clone(), ..HuntOrder::default() };
    show(&doors, &visit, order, None).await
}

/// `POST /hunts`
pub(in crate::web) async fn start(
    State(doors): State<Arc<Doors>>,
    visit: Visit,
    fields: Fields,
) -> Response {
    let order = order(&fields);
    match doors.hunts(HuntMessage::Start(Box::new(order.clone()))).await {
        Ok(HuntReply::Started(id)) => Redirect::to(&place(&visit, id, "")).into_response(),
        Ok(HuntReply::Refused { error, hint }) => {
            show(&doors, &visit, order, Some((error, hint))).await
        }
        Ok(_) => missing(&doors, &visit),
        Err(refusal) => unanswered(&doors, &visit, &refusal),
    }
}

/// The order that a form is.
fn order(fields: &Fields) -> HuntOrder {
    let text = |name: &str| fields.0.get(name).map(str::to_owned);
    let lines = |name: &str| {
        let all = text(name).unwrap_or_default();
        let lines = all.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.take(MOST_LINES).map(str::to_owned).collect::<Vec<String>>()
    };
    let number = |name: &str| fields.0.get(name).and_then(|text| text.parse::<u64>().ok());
    HuntOrder {
        query: text("query").unwrap_or_default(),
        urls: lines("urls"),
        examples: lines("examples"),
        strategy: text("strategy"),
        agents: number("agents").and_then(|number| usize::try_from(number).ok()),
        pages: number("pages"),
        seconds: number("minutes").map(|minutes| minutes.saturating_mul(60)),
        depth: number("depth").and_then(|number| u32::try_from(number).ok()),
        scope: text("scope"),
        lang: text("lang").filter(|code| language::known(code).is_some()),
        exclude: lines("exclude"),
        parameters: None,
    }
}

async fn show(
    doors: &Doors,
    visit: &Visit,
    order: HuntOrder,
    fault: Option<(String, String)>,
) -> Response {
    let t = &visit.ui.texts().hunt;
    let hunts = match doors.hunts(HuntMessage::List).await {
        Ok(HuntReply::List(hunts)) => hunts,
        Ok(_) => Vec::new(),
        Err(refusal) => return unanswered(doors, visit, &refusal),
    };
    let rows = hunts.iter().map(|view| Row {
        href: place(visit, view.id, ""),
        name: name(view),
        state: (t.state)(view.state),
        running: view.state == Phase::Running,
        strategy: view.strategy.clone(),
        pages: (t.read)(view.pages),
        error: view.error.clone(),
    });
    let token = guard::form_token(visit);
    let status = if fault.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    let page = ListPage {
        shell: Shell::new(doors, visit, Some(t.title)),
        rows: rows.collect(),
        form_token: guard::may_change(visit).then(|| token.to_owned()),
        order,
        strategies: STRATEGIES,
        fault,
    };
    respond(status, visit.ui, &page)
}
