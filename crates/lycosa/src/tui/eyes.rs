//! Where do the facts come from? One thread reads the log of the run and asks its crawl how it is; another asks
//! it for what the person wants, so that no answer keeps the next wish waiting.

use super::facts::{MOST_RESULTS, Told};
use super::state::State;
use crate::output;
use lycosa_interface::control::{self, ControlError};
use lycosa_interface::events::Log;
use lycosa_model::message::{InterfaceMessage, InterfaceReply};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::{Duration, Instant};

/// How often the log is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// How often the crawl is asked, and how long it has to answer.
const ASK: Duration = Duration::from_millis(500);

/// Bytes of the log that are read at once.
const CHUNK: usize = 1 << 18;

/// Looks as long as somebody listens. Without a number, the run is that of the crawl that answers.
pub(super) fn look(data: &Path, run: Option<u32>, tell: &SyncSender<Told>) {
    let mut log = run.map(|run| Log::of_run(data, run));
    let (mut end, mut printed) = (0, 0);
    let mut due = Instant::now();
    loop {
        if Instant::now() >= due {
            due = Instant::now() + ASK;
            let Some(found) = ask(data, log.as_ref().map(Log::run), tell) else { return };
            if log.is_none() {
                log = found.map(|run| Log::of_run(data, run));
            }
        }
        for line in output::held(&mut printed) {
            if tell.send(Told::Printed(line)).is_err() {
                return;
            }
        }
        let read = log.as_ref().and_then(|log| log.read(end, CHUNK).ok()).unwrap_or_default();
        if read.text.is_empty() {
            std::thread::sleep(LOOK);
            continue;
        }
        let mut place = read.end - read.text.len() as u64;
        let mut events = Vec::new();
        for line in read.text.split_inclusive('\n') {
            place += line.len() as u64;
            if let Ok(event) = serde_json::from_str(line) {
                events.push((place, event));
            }
        }
        end = read.end;
        if tell.send(Told::Events(events)).is_err() {
            return;
        }
    }
}

/// Asks the crawl how it is; tells the number of its run, if it is the one that is looked at. Nothing at all
/// when nobody listens.
fn ask(data: &Path, run: Option<u32>, tell: &SyncSender<Told>) -> Option<Option<u32>> {
    let status = match control::ask_within(data, &InterfaceMessage::Status, ASK) {
        Ok(InterfaceReply::Status(status)) => status,
        Ok(_) | Err(ControlError::NotRunning) => None,
        // It is busy; what it said last holds.
        Err(_) => return Some(None),
    };
    let status = status.filter(|status| run.is_none_or(|run| run == status.broker.run));
    let found = status.as_ref().map(|status| status.broker.run);
    tell.send(Told::Status(status)).ok()?;
    if found.is_some() {
        let message = InterfaceMessage::Results { limit: MOST_RESULTS };
        if let Ok(InterfaceReply::Results(results)) = control::ask_within(data, &message, ASK) {
            tell.send(Told::Results(results)).ok()?;
        }
    }
    Some(found)
}

/// Asks for what the person wants, until nobody wants anything any more.
pub(super) fn ask_for(data: &Path, wishes: &Receiver<InterfaceMessage>, tell: &SyncSender<Told>) {
    for wish in wishes {
        let answer = match control::ask_within(data, &wish, State::PATIENCE) {
            Ok(_) => State::answer(&wish).to_owned(),
            Err(ControlError::Refused { error, hint }) => format!("{error} ({hint})"),
            Err(error) => error.to_string(),
        };
        if tell.send(Told::Answer(answer)).is_err() {
            return;
        }
    }
}
