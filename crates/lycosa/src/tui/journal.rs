//! What was worth telling? The major events of a run, in one line each: births and deaths, what a team says,
//! verdicts, states, and pages that did not come.

use crate::output::plain;
use lycosa_interface::events::words;
use lycosa_model::{AclMessage, Attempt, Deed, Event, Happening, Protocol, TeamContent};
use std::collections::VecDeque;

/// Lines that are kept; the oldest go.
const MOST_LINES: usize = 2_000;

/// Characters of a line at most.
const LONGEST: usize = 300;

/// What a line is about; it decides how it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The run, or what a person did.
    Run,
    Birth,
    Death,
    /// A message of a team.
    Said,
    /// A page that did not come, or a line that the program would have printed.
    Trouble,
}

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    /// Its number, from 1.
    pub(super) number: u64,
    /// When, in seconds of the run.
    pub(super) t: f64,
    pub(super) kind: Kind,
    pub(super) text: String,
    /// The conversation that it is part of.
    pub(super) conversation: Option<String>,
}

/// The last lines.
#[derive(Debug, Default)]
pub(super) struct Journal {
    entries: VecDeque<Entry>,
    count: u64,
}

impl Journal {
    /// The lines that are kept, the oldest first.
    pub(super) fn entries(&self) -> &VecDeque<Entry> {
        &self.entries
    }

    /// The line of a number, if it is kept.
    pub(super) fn entry(&self, number: u64) -> Option<&Entry> {
        let first = self.entries.front()?.number;
        self.entries.get(usize::try_from(number.checked_sub(first)?).ok()?)
    }

    /// Takes note of an event, if it is worth a line.
    pub(super) fn add(&mut self, event: &Event) {
        let told = match &event.what {
            Happening::Begun { run, strategy, .. } => {
                Some((Kind::Run, format!("run {run} with the strategy {strategy}")))
            }
            Happening::State { state } => Some((Kind::Run, state.name().to_owned())),
            Happening::Verdict { url, good: true } => Some((Kind::Run, format!("good: {url}"))),
            Happening::Verdict { url, good: false } => Some((Kind::Run, format!("bad: {url}"))),
            Happening::Limit(budget) => Some((Kind::Run, limits(budget.pages, budget.seconds))),
            Happening::Excluded { patterns } => {
                Some((Kind::Run, format!("left alone: {}", patterns.join(", "))))
            }
            Happening::Included { patterns, back } => {
                let patterns = patterns.join(", ");
                Some((Kind::Run, format!("left alone no more: {patterns}; {back} wait again")))
            }
            Happening::Page { attempt, .. } => fault(attempt).map(|text| (Kind::Trouble, text)),
            Happening::Agent { agent, deed, .. } => deed_line(agent, deed),
        };
        let Some((kind, text)) = told else { return };
        self.push(event.t, kind, &text, conversation(&event.what));
    }

    /// Takes note of a line that the program would have printed.
    pub(super) fn print(&mut self, t: f64, line: &str) {
        self.push(t, Kind::Trouble, &without_colours(line), None);
    }

    fn push(&mut self, t: f64, kind: Kind, text: &str, conversation: Option<String>) {
        self.count += 1;
        if self.entries.len() == MOST_LINES {
            self.entries.pop_front();
        }
        let text = plain(text, LONGEST);
        self.entries.push_back(Entry { number: self.count, t, kind, text, conversation });
    }
}

fn limits(pages: Option<u64>, seconds: Option<u64>) -> String {
    let pages = pages.map(|pages| format!("{pages} pages"));
    let seconds = seconds.map(|seconds| format!("{seconds} s"));
    let all: Vec<String> = [pages, seconds].into_iter().flatten().collect();
    format!("new limits: {}", all.join(", "))
}

/// What kept a page from coming.
fn fault(attempt: &Attempt) -> Option<String> {
    let came = ["fetched", "not_modified", "redirect"].contains(&&*attempt.outcome);
    (!came).then(|| format!("{}: {}", attempt.outcome.replace('_', " "), attempt.url))
}

fn deed_line(agent: &str, deed: &Deed) -> Option<(Kind, String)> {
    match deed {
        Deed::Born { parent, energy, keywords } => {
            let of = parent.as_ref().map(|parent| format!(" of {parent}")).unwrap_or_default();
            let wants = match keywords.is_empty() {
                true => String::new(),
                false => format!(", looks for {}", keywords.join(" ")),
            };
            Some((Kind::Birth, format!("{agent} is born{of} with energy {energy:.2}{wants}")))
        }
        Deed::Died { energy } => Some((Kind::Death, format!("{agent} dies, energy {energy:.2}"))),
        Deed::Tended(tended) => Some((Kind::Run, tended.explain(agent))),
        Deed::Said { message, arrives } if is_major(message) => {
            let lost = if arrives.is_none() { " (lost)" } else { "" };
            let (act, to) = (message.performative, message.receiver);
            let content = words(&message.content);
            Some((Kind::Said, format!("{agent} → {to}: {act}{lost}: {content}")))
        }
        Deed::Said { .. } | Deed::Visited { .. } => None,
    }
}

/// Whether a message is more than the small talk of a crawler with its assistant.
fn is_major(message: &AclMessage) -> bool {
    let stop = matches!(message.content, TeamContent::Stop | TeamContent::TooLate);
    stop || message.protocol == Protocol::FipaContractNet
}

fn conversation(what: &Happening) -> Option<String> {
    match what {
        Happening::Agent { deed: Deed::Said { message, .. }, .. } => {
            Some(message.conversation_id.to_string())
        }
        _ => None,
    }
}

/// A line without the sequences that colour it.
fn without_colours(line: &str) -> String {
    let mut parts = line.split("\u{1b}[");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text += part.split_once('m').map_or(part, |(_, rest)| rest);
    }
    text
}
