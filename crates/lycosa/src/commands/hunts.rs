//! `lycosa hunts`: what was hunted in this data folder, and what was found.

use crate::cli::{Common, Hunts};
use crate::commands::hunt;
use crate::failure::{Ending, Failure};
use crate::hunts::Shelf;
use crate::{output, tui};
use lycosa_interface::control;
use lycosa_model::Phase;
use lycosa_model::message::{HuntView, InterfaceMessage, InterfaceReply};

/// Results of one hunt that are shown.
const RESULTS: usize = 100;

pub(crate) fn run(common: &Common, args: &Hunts) -> Result<Ending, Failure> {
    let mut hunts = Shelf::new(&common.data()).all()?;
    ask(common, &mut hunts);
    let Some(id) = args.id else {
        return list(common, &hunts);
    };
    let Some(view) = hunts.iter().find(|view| view.id == id) else {
        return Err(Failure::new(format!("there is no hunt {id} in {}", common.data().display()))
            .hint("lycosa hunts lists them"));
    };
    if args.view.wanted() {
        watch(common, view)?;
    }
    if common.json {
        output::json(view)?;
    } else if !args.view.wanted() {
        output::line(line(view));
        hunt::describe(view, &view.results, RESULTS);
    }
    Ok(Ending::Done)
}

/// Shows a hunt full-screen, whether it is under way or has ended.
fn watch(common: &Common, view: &HuntView) -> Result<(), Failure> {
    tui::check(common.quiet)?;
    let Some(run) = view.run else {
        return Err(
            Failure::new(format!("hunt {} has not begun", view.id)).hint("lycosa hunts lists them")
        );
    };
    let about = tui::About {
        query: view.order.query.clone(),
        pages: view.order.pages,
        results: view.results.clone(),
        own: false,
    };
    tui::attach(&common.data(), run, about)
}

/// What a hunt under way says of itself. One that was cut off says nothing: it waits for somebody to go on
/// with it.
fn ask(common: &Common, hunts: &mut [HuntView]) {
    let told = control::ask(&common.data(), &InterfaceMessage::Status);
    let status = match told {
        Ok(InterfaceReply::Status(status)) => status,
        _ => None,
    };
    let run = status.as_ref().map(|status| status.broker.run);
    for view in hunts.iter_mut().filter(|view| view.state != Phase::Finished) {
        match &status {
            Some(status) if view.run.is_some() && view.run == run => {
                (view.state, view.pages) = (status.broker.state, status.broker.pages);
                let results = InterfaceMessage::Results { limit: RESULTS };
                if let Ok(InterfaceReply::Results(prey)) = control::ask(&common.data(), &results) {
                    view.results = prey;
                }
            }
            _ if view.state != Phase::Paused => view.state = Phase::Waiting,
            _ => {}
        }
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
