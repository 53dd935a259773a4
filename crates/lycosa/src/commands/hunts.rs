//! `lycosa hunts`: what was hunted in this data folder, and what was found.

use crate::cli::{Common, Hunts};
use crate::commands::hunt;
use crate::failure::{Ending, Failure};
use crate::hunts::Shelf;
use crate::output;
use lycosa_interface::control;
use lycosa_model::Phase;
use lycosa_model::message::{HuntView, InterfaceMessage, InterfaceReply};

/// Results of one hunt that are shown.
const RESULTS: usize = 100;

pub(crate) fn run(common: &Common, args: &Hunts) -> Result<Ending, Failure> {
    let mut hunts = Shelf::new(&common.data()).all()?;
    if let Some(last) = hunts.iter_mut().rev().find(|view| view.state == Phase::Running) {
        ask(common, last);
    }
    let Some(id) = args.id else {
        return list(common, &hunts);
    };
    let Some(view) = hunts.iter().find(|view| view.id == id) else {
        return Err(Failure::new(format!("there is no hunt {id} in {}", common.data().display()))
            .hint("lycosa hunts lists them"));
    };
    if common.json {
        output::json(view)?;
    } else {
        output::line(line(view));
        hunt::describe(view, &view.results, RESULTS);
    }
    Ok(Ending::Done)
}

/// What a hunt under way says of itself; one that was cut off says nothing.
fn ask(common: &Common, view: &mut HuntView) {
    match control::ask(&common.data(), &InterfaceMessage::Status) {
        Ok(InterfaceReply::Status(Some(status))) => {
            (view.state, view.pages) = (status.broker.state, status.broker.pages);
        }
        _ => view.state = Phase::Waiting,
    }
    let results = InterfaceMessage::Results { limit: RESULTS };
    if let Ok(InterfaceReply::Results(prey)) = control::ask(&common.data(), &results) {
        view.results = prey;
    }
}

fn list(common: &Common, hunts: &[HuntView]) -> Result<Ending, Failure> {
    if common.json {
        output::json(&hunts)?;
    } else if hunts.is_empty() {
        output::note(format!("nothing was hunted in {} yet", common.data().display()));
    }
    if !common.json {
        hunts.iter().for_each(|view| output::line(line(view)));
    }
    Ok(if hunts.is_empty() { Ending::Partial } else { Ending::Done })
}

fn line(view: &HuntView) -> String {
    let error = view.error.as_ref().map(|error| format!("  ({error})")).unwrap_or_default();
    format!(
        "{:4}  {:9}  {:>7}  {:14}  {}{error}",
        view.id,
        view.state.name(),
        output::counted(view.pages, "page"),
        view.strategy,
        view.order.query
    )
}
