//! How does a model keep watch? It orders a watch, lets it be looked at, and reads what has changed.

mod answers;
mod arguments;

use super::answers::{UNTRUSTED, date};
use super::tools::{LONGEST_WAIT, LOOK, adds, read, reads, tells, tool, written};
use super::{Mcp, Trouble, out_of_turn};
use answers::{Change, Changes, Check, Created, Deleted, Updated, Watch, Watches};
use lycosa_model::message::{WatchEdit, WatchMessage, WatchOrder, WatchReply, WatchView};
use rmcp::model::{JsonObject, Tool};
use serde_json::Value;
use std::time::Duration;
use tokio::time::Instant;

const MOST_WATCHES: usize = 50;
const CHANGES: usize = 20;
const MOST_CHANGES: usize = 100;
/// Times of one answer that a watch was looked at.
const MOST_CHECKS: usize = 20;
/// Seconds to wait until a watch was looked at, when nobody says how long.
const RUN_WAIT: u64 = 20;

/// The tools.
pub(super) fn table() -> Vec<Tool> {
    vec![
        tool::<arguments::Create, Created>(
            "watch_create",
            "Watch something",
            "Looks at a query, a page or a site again and again, by schedule, and remembers what is new, changed or \
             gone. The first time is the baseline, of which nothing is told. Example: {\"page\": \
             \"https://example.org/prices\", \"schedule\": \"daily 08:00\", \"part\": \"#price\"}",
            adds(),
        ),
        tool::<arguments::List, Watches>(
            "watch_list",
            "What is watched?",
            "Lists the watches, with when each was last looked at and when it will be.",
            reads(),
        ),
        tool::<arguments::One, Watch>(
            "watch_get",
            "How is a watch?",
            "Tells how a watch is: what it watches, when it is due, what cannot be read, who cannot be told.",
            reads(),
        ),
        tool::<arguments::Update, Updated>(
            "watch_update",
            "Watch otherwise, rest or go on",
            "Gives a watch another schedule, threshold, filter or receiver; lets it rest, or go on, also with a webhook \
             or mail that was switched off. Where other pages or texts count than before, the next time is a new \
             baseline. Another query, page or site: create another. Example: {\"watch_id\": 1, \"schedule\": \
             \"daily 08:00\"}",
            tells(),
        ),
        tool::<arguments::One, Deleted>(
            "watch_delete",
            "Forget a watch",
            "Forgets a watch and all that it has found.",
            tells().destructive(true),
        ),
        tool::<arguments::Run, Watch>(
            "watch_run",
            "Look now",
            "Looks at a watch now and not when it is due. watch_checks tells what was found.",
            tells().open_world(true),
        ),
        tool::<arguments::Checks, Changes>(
            "watch_checks",
            "What has changed?",
            "Gives the last times that a watch was looked at and what was found, the latest first, with the \
             difference. Example: {\"watch_id\": 1, \"since\": 7}",
            reads(),
        ),
    ]
}

/// Calls one by its name.
pub(super) async fn call(mcp: &Mcp, name: &str, said: JsonObject) -> Result<Value, Trouble> {
    match name {
        "watch_create" => written(&create(mcp, read(said)?).await?),
        "watch_list" => written(&list(mcp, read(said)?).await?),
        "watch_get" => written(&get(mcp, read(said)?).await?),
        "watch_update" => written(&update(mcp, read(said)?).await?),
        "watch_delete" => written(&delete(mcp, read(said)?).await?),
        "watch_run" => written(&run(mcp, read(said)?).await?),
        "watch_checks" => written(&checks(mcp, read(said)?).await?),
        _ => Err(Trouble::new(format!("there is no tool `{name}`"), "tools/list lists them")),
    }
}

async fn view(mcp: &Mcp, id: u64) -> Result<WatchView, Trouble> {
    match mcp.watches(WatchMessage::Show { id }).await? {
        WatchReply::Watch(view) => Ok(*view),
        _ => Err(out_of_turn()),
    }
}

async fn create(mcp: &Mcp, said: arguments::Create) -> Result<Created, Trouble> {
    let order = WatchOrder {
        name: said.name,
        query: said.query,
        page: said.page,
        site: said.site,
        schedule: said.schedule,
        zone: said.timezone,
        quiet: said.quiet_hours,
        require: said.require,
        ignore: said.ignore,
        part: said.part,
        lang: said.lang,
        whole: said.whole.unwrap_or(false),
        best: said.max_results,
        min_score: said.min_score,
        pages: said.max_pages,
        refresh: None,
        tell: said.notify,
        hook: said.webhook,
        mail: said.email,
        mail_every: None,
    };
    match mcp.watches(WatchMessage::Add(Box::new(order))).await? {
        WatchReply::Added { id, feed, secret } => Ok(Created { watch_id: id, feed, secret }),
        _ => Err(out_of_turn()),
    }
}

async fn list(mcp: &Mcp, _: arguments::List) -> Result<Watches, Trouble> {
    let WatchReply::List(views) = mcp.watches(WatchMessage::List).await? else {
        return Err(out_of_turn());
    };
    let truncated = views.len() > MOST_WATCHES;
    // The newest are asked for most.
    let watches = views.into_iter().rev().take(MOST_WATCHES).map(Watch::new).collect();
    Ok(Watches { watches, truncated })
}

async fn get(mcp: &Mcp, said: arguments::One) -> Result<Watch, Trouble> {
    Ok(Watch::new(view(mcp, said.watch_id).await?))
}

async fn update(mcp: &Mcp, said: arguments::Update) -> Result<Updated, Trouble> {
    let id = said.watch_id;
    let paused = said.paused;
    let edit = WatchEdit {
        name: said.name,
        schedule: said.schedule,
        zone: said.timezone,
        quiet: said.quiet_hours,
        require: said.require,
        ignore: said.ignore,
        part: said.part,
        lang: said.lang,
        whole: said.whole,
        best: said.max_results,
        min_score: said.min_score,
        pages: said.max_pages,
        refresh: None,
        tell: said.notify,
        hook: said.webhook,
        mail: said.email,
        mail_every: None,
    };
    let mut secret = None;
    if edit != WatchEdit::default() {
        match mcp.watches(WatchMessage::Edit { id, edit: Box::new(edit) }).await? {
            WatchReply::Edited { secret: new } => secret = new,
            _ => return Err(out_of_turn()),
        }
    }
    match paused {
        Some(true) => drop(mcp.watches(WatchMessage::Pause { id }).await?),
        Some(false) => drop(mcp.watches(WatchMessage::GoOn { id }).await?),
        None => {}
    }
    Ok(Updated { watch: Watch::new(view(mcp, id).await?), secret })
}

async fn delete(mcp: &Mcp, said: arguments::One) -> Result<Deleted, Trouble> {
    mcp.watches(WatchMessage::Remove { id: said.watch_id }).await?;
    Ok(Deleted { watch_id: said.watch_id, deleted: true })
}

async fn run(mcp: &Mcp, said: arguments::Run) -> Result<Watch, Trouble> {
    let id = said.watch_id;
    let wait = said.wait_seconds.unwrap_or(RUN_WAIT).min(LONGEST_WAIT);
    let until = Instant::now() + Duration::from_secs(wait);
    let last = |view: &WatchView| view.checks.first().map(|check| check.at);
    let before = last(&view(mcp, id).await?);
    mcp.watches(WatchMessage::Run { id }).await?;
    loop {
        let view = view(mcp, id).await?;
        if last(&view) != before || Instant::now() >= until {
            return Ok(Watch::new(view));
        }
        tokio::time::sleep_until(until.min(Instant::now() + LOOK)).await;
    }
}

async fn checks(mcp: &Mcp, said: arguments::Checks) -> Result<Changes, Trouble> {
    let view = view(mcp, said.watch_id).await?;
    let limit = said.max_results.unwrap_or(CHANGES).clamp(1, MOST_CHANGES);
    let (from, since) = (said.cursor.unwrap_or(0), said.since.unwrap_or(0));
    let found = view.entries.into_iter().filter(|entry| entry.number > since).skip(from);
    let mut changes: Vec<Change> = found.take(limit + 1).map(Change::new).collect();
    let truncated = changes.len() > limit;
    changes.truncate(limit);
    Ok(Changes {
        notice: UNTRUSTED,
        watch_id: view.id,
        due: view.due.and_then(date),
        checks: view.checks.into_iter().take(MOST_CHECKS).map(Check::new).collect(),
        changes,
        truncated,
        next_cursor: truncated.then_some(from + limit),
    })
}
