//! How is a watch shown to a person?

use crate::cli::Common;
use crate::failure::{Ending, Failure};
use crate::output;
use crate::watches::{Checked, Shelf, unknown, view_of};
use jiff::tz::TimeZone;
use lycosa_model::Tick;
use lycosa_model::message::{DeliveryState, WatchCheck, WatchEntry, WatchView};
use lycosa_watch::diff::plain;

/// Changes and deliveries of one watch that are shown to a person.
const SHOWN: usize = 20;

/// A moment where the machine is.
pub(super) fn moment(tick: Tick) -> String {
    let moment = jiff::Timestamp::from_millisecond(tick.0 as i64).unwrap_or_default();
    moment.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string()
}

/// All watches.
pub(super) fn list(common: &Common, shelf: &Shelf) -> Result<Ending, Failure> {
    let views: Vec<WatchView> = shelf.all()?.iter().map(view_of).map(short).collect();
    if common.json {
        output::json(&views)?;
    } else if views.is_empty() {
        output::note("nothing is watched yet; see lycosa watch add --help");
    } else {
        views.iter().for_each(|view| output::line(line(view)));
    }
    Ok(if views.is_empty() { Ending::Partial } else { Ending::Done })
}

/// Without what belongs to one watch alone.
fn short(view: WatchView) -> WatchView {
    let checks = view.checks.into_iter().take(1).collect();
    WatchView { entries: Vec::new(), deliveries: Vec::new(), checks, ..view }
}

fn line(view: &WatchView) -> String {
    let state = match (view.paused, view.baseline) {
        (true, _) => "rests".to_owned(),
        (false, false) => "no baseline yet".to_owned(),
        (false, true) => output::counted(view.pages as u64, "page"),
    };
    let due = view.due.map(|due| format!("next {}", moment(due))).unwrap_or_default();
    let trouble = match view.checks.first() {
        Some(check) if check.failed => "  (it could not be looked at)",
        _ if view.hook_off.is_some() => "  (the webhook is off)",
        _ => "",
    };
    format!("{:4}  {state:15}  {due:21}  {:20}  {}{trouble}", view.id, view.schedule, view.name)
}

/// One watch.
pub(super) fn one(common: &Common, shelf: &Shelf, id: u64) -> Result<Ending, Failure> {
    let watch = shelf.one(id)?.ok_or_else(|| unknown(id))?;
    let view = view_of(&watch);
    if common.json {
        output::json(&view)?;
        return Ok(Ending::Done);
    }
    output::line(line(&view));
    output::line(format!("feed      {}", watch.feed_with_token()));
    if let Some(hook) = &view.order.hook {
        let off = view.hook_off.map(|why| format!("  (off: {why})")).unwrap_or_default();
        output::line(format!("webhook   {hook}{off}"));
    }
    for address in &view.order.mail {
        let off = view.mail_off.as_ref().map(|why| format!("  (off: {why})")).unwrap_or_default();
        output::line(format!("mail      {address}{off}"));
    }
    if let Some(last) = view.checks.first() {
        output::line(format!("looked at {}: {}", moment(last.at), summary(last)));
    }
    for (url, why) in &view.failing {
        output::line(format!("failing   {url}: {why}"));
    }
    for entry in view.entries.iter().take(SHOWN) {
        describe(entry);
    }
    for delivery in view.deliveries.iter().take(SHOWN) {
        let state = match delivery.state {
            DeliveryState::Waiting => format!("waits until {}", moment(delivery.next)),
            DeliveryState::Delivered => "was taken".to_owned(),
            DeliveryState::Dead => "was given up".to_owned(),
        };
        let last = Some(&delivery.last).filter(|last| !last.is_empty());
        let last = last.map(|last| format!(" ({last})")).unwrap_or_default();
        output::line(format!("{:8}  {} {state}{last}", delivery.channel, delivery.id));
    }
    Ok(Ending::Done)
}

/// What was found just now.
pub(super) fn checked(id: u64, name: &str, checked: &Checked) {
    output::line(format!("watch {id} ({name}): {}", summary(&checked.check)));
    for (url, why) in &checked.failing {
        output::line(format!("failing   {url}: {why}"));
    }
    checked.entries.iter().for_each(describe);
}

fn summary(check: &WatchCheck) -> String {
    let pages = output::counted(check.pages as u64, "page");
    let note = check.note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
    if check.failed {
        return format!("it could not be looked at{note}");
    }
    if check.baseline {
        return format!("the baseline, {pages}{note}");
    }
    let WatchCheck { new, changed, gone, errors, .. } = check;
    let failed = if *errors > 0 { format!(", {errors} could not be read") } else { String::new() };
    format!("{new} new, {changed} changed, {gone} gone of {pages}{failed}{note}")
}

fn describe(entry: &WatchEntry) {
    let change = entry.change.name();
    output::line(format!("\n{change:8}  {}  {}", moment(entry.at), entry.title));
    output::line(format!("          {}", entry.url));
    let text = if entry.diff.is_empty() { entry.text.clone() } else { plain(&entry.diff) };
    for said in [&text, &entry.why] {
        if !said.is_empty() {
            output::line(format!("          {}", said.replace('\n', "\n          ")));
        }
    }
}
