//! What is in each pane? The results, the family or team, the log, and how it went over time.

use super::draw::clock;
use super::facts::{Facts, Found};
use super::family::{self, Branch};
use super::journal::{Entry, Kind};
use super::look::{Look, Pen};
use super::series::Step;
use super::state::{Pane, State};
use lycosa_interface::events::Life;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::{Sparkline, Widget};

/// Below this width a result is its relevance and its title alone.
const ROOM_FOR_FINDER: u16 = 44;

/// What stands above a pane.
pub(super) fn title(pane: Pane, facts: &Facts, state: &State) -> String {
    match pane {
        Pane::Results if facts.is_ranked() => format!("Results {}", facts.found().len()),
        Pane::Results => "Pages, the last first".into(),
        Pane::Agents if state.living => "Agents, families that live".into(),
        Pane::Agents => format!("Agents {}", facts.picture.agents().len()),
        Pane::Log if state.line.is_some() => "Log, End to follow".into(),
        Pane::Log => "Log".into(),
        Pane::Chart => "Over time".into(),
    }
}

/// The part of a list that is on the screen: the chosen row stays in the middle as far as that is possible.
fn window(chosen: usize, rows: usize, height: u16) -> std::ops::Range<usize> {
    let height = usize::from(height);
    let begin = chosen.saturating_sub(height / 2).min(rows.saturating_sub(height));
    begin..rows.min(begin + height)
}

/// The style under a row.
fn row_style(chosen: bool, here: bool, look: Look) -> Style {
    match (chosen, here) {
        (true, true) => look.chosen(),
        (true, false) => look.strong(),
        (false, _) => look.plain(),
    }
}

pub(super) fn results(area: Rect, buffer: &mut Buffer, facts: &Facts, state: &State, look: Look) {
    let found = facts.found();
    if found.is_empty() {
        let nothing = match facts.pages() {
            0 => "no page has come yet",
            _ => "nothing that has to do with it yet",
        };
        Pen::on(buffer, area, 0).put(nothing, look.faint());
        return;
    }
    let urls: Vec<String> = found.iter().map(|found| found.url.clone()).collect();
    let chosen = state.page.row(&urls);
    let shown = window(chosen, found.len(), area.height);
    for (line, place) in (0..).zip(shown) {
        let style = row_style(place == chosen, state.pane == Pane::Results, look);
        let pen = Pen::on(buffer, area, line).under(style);
        result(pen, place + 1, &found[place], look);
    }
}

fn result(pen: Pen, rank: usize, found: &Found, look: Look) {
    let full = pen.room() >= ROOM_FOR_FINDER;
    let (mark, marked) = match found.verdict {
        Some(true) => ("+", look.good()),
        Some(false) => ("-", look.bad()),
        None => (" ", look.plain()),
    };
    let relevance = found.relevance.map_or(String::new(), |relevance| format!("{relevance:.2}"));
    let mut pen = pen;
    if full {
        pen = pen.column(format!("{rank:3}"), 3, look.faint());
    }
    if found.relevance.is_some() {
        pen = pen.column(relevance, 4, look.strong());
    }
    pen = pen.column(mark, 1, marked);
    if full {
        pen = pen.column(&found.finder, 12, look.name());
    }
    let title = if found.title.trim().is_empty() { &found.url } else { &found.title };
    pen.put(title, look.plain());
}

pub(super) fn agents(area: Rect, buffer: &mut Buffer, facts: &Facts, state: &State, look: Look) {
    let branches = family::branches(&facts.picture, &state.folded, state.living);
    if branches.is_empty() {
        Pen::on(buffer, area, 0).put("nobody yet", look.faint());
        return;
    }
    let numbers: Vec<u32> = branches.iter().map(|branch| branch.agent).collect();
    let chosen = state.agent.row(&numbers);
    for (line, place) in (0..).zip(window(chosen, branches.len(), area.height)) {
        let branch = branches[place];
        let Some(life) = facts.picture.agents().get(branch.agent as usize) else { continue };
        let style = row_style(place == chosen, state.pane == Pane::Agents, look);
        let pen = Pen::on(buffer, area, line).under(style);
        agent(pen, branch, life, look);
    }
}

fn agent(pen: Pen, branch: Branch, life: &Life, look: Look) {
    let fold = match (branch.has_more, branch.is_open) {
        (true, true) => "▾",
        (true, false) => "▸",
        (false, _) => " ",
    };
    let (mark, style) = match life.died {
        Some(_) => ("† ", look.faint()),
        None => ("", look.name()),
    };
    let pen = pen.skip(branch.depth as u16).put(fold, look.plain()).skip(1);
    let pen = pen.put(mark, style).put(&life.name, style).skip(1);
    let energy = life.energy.map_or(String::new(), |energy| format!("{energy:.2}"));
    let pen = pen.put(format!("{} p", life.pages), look.plain()).skip(1);
    let pen = pen.put(energy, look.strong()).skip(1);
    pen.put(life.keywords.join(" "), look.faint());
}

pub(super) fn log(area: Rect, buffer: &mut Buffer, facts: &Facts, state: &State, look: Look) {
    let entries = facts.journal.entries();
    let numbers: Vec<u64> = entries.iter().map(|entry| entry.number).collect();
    let here = state.pane == Pane::Log;
    let followed = here && state.line.is_none();
    let last = entries.len().saturating_sub(1);
    let chosen = state.line.as_ref().map_or(last, |cursor| cursor.row(&numbers));
    // A log that is followed shows its last lines.
    let middle = if state.line.is_some() { chosen } else { entries.len() };
    for (line, place) in (0..).zip(window(middle, entries.len(), area.height)) {
        let is_chosen = place == chosen && (state.line.is_some() || followed);
        let pen = Pen::on(buffer, area, line).under(row_style(is_chosen, here, look));
        entry(pen, &entries[place], look);
    }
}

fn entry(pen: Pen, entry: &Entry, look: Look) {
    let style = match entry.kind {
        Kind::Run => look.strong(),
        Kind::Birth => look.good(),
        Kind::Death => look.faint(),
        Kind::Said => look.plain(),
        Kind::Trouble => look.bad(),
    };
    pen.put(clock(entry.t), look.faint()).skip(1).put(&entry.text, style);
}

/// What a chart shows of a step.
type Measure = fn(&Step) -> u64;

pub(super) fn chart(area: Rect, buffer: &mut Buffer, facts: &Facts, look: Look) {
    let (columns, seconds) = facts.series.columns(usize::from(area.width));
    let last = columns.last().copied().unwrap_or_default();
    let most = columns.iter().map(|step| step.pages).max().unwrap_or_default();
    let step = clock(seconds);
    let mut charts: Vec<(String, Measure)> =
        vec![(format!("pages in {step}: {}, at most {most}", last.pages), |step| step.pages)];
    if facts.is_ranked() {
        // Where no page came, the last one that did tells how it goes.
        let mean = columns.iter().rev().find(|step| step.pages > 0).map_or(0.0, Step::mean);
        charts.push((format!("relevance per page: {mean:.2}"), |step| (step.mean() * 1e3) as u64));
    }
    if facts.picture.births > 0 {
        charts.push((format!("alive: {}", last.alive), |step| step.alive));
    }
    let share = area.height / charts.len() as u16;
    let share = share.max(2);
    for (place, (title, value)) in (0..).zip(charts) {
        Pen::on(buffer, area, place * share).put(title, look.faint());
        let below = Rect { y: area.y.saturating_add(place * share + 1), height: share - 1, ..area };
        let below = below.intersection(area);
        let data: Vec<u64> = columns.iter().map(value).collect();
        Sparkline::default().data(data).style(look.name()).render(below, buffer);
    }
}
