//! What is known of one page, one agent or one conversation?

use super::draw::clock;
use super::facts::Facts;
use super::family;
use super::look::{Look, Pen};
use super::state::Open;
use lycosa_interface::events::Life;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Pages of a history.
const MOST_HISTORY: usize = 500;

/// Steps of the way to a page.
const MOST_STEPS: usize = 200;

/// Children that are named.
const MOST_CHILDREN: usize = 50;

/// A label, a text and how it looks.
type Row = (String, String, Style);

/// What stands above it.
pub(super) fn title(open: &Open) -> String {
    match open {
        Open::Page(_) => "Page".into(),
        Open::Agent(_) => "Agent".into(),
        Open::Line(_) => "Line of the log".into(),
    }
}

/// Draws what is known, from the line `scroll` on.
pub(super) fn draw(
    area: Rect,
    buffer: &mut Buffer,
    facts: &Facts,
    open: &Open,
    scroll: u16,
    look: Look,
) {
    let rows = match open {
        Open::Page(url) => page(facts, url, look),
        Open::Agent(number) => agent(facts, *number, look),
        Open::Line(number) => line(facts, *number, look),
    };
    // The last lines stay in sight, however far one scrolls.
    let most = rows.len().saturating_sub(usize::from(area.height));
    let rows = rows.into_iter().skip(usize::from(scroll).min(most)).take(area.height.into());
    for (line, (label, text, style)) in (0..).zip(rows) {
        Pen::on(buffer, area, line).column(label, 10, look.faint()).put(text, style);
    }
}

fn page(facts: &Facts, url: &str, look: Look) -> Vec<Row> {
    let row = |label: &str, text: String| (label.to_owned(), text, look.plain());
    let mut rows = Vec::new();
    if let Some(found) = facts.found().into_iter().find(|found| found.url == url) {
        rows.push(("title".into(), found.title, look.strong()));
        if let Some(relevance) = found.relevance {
            rows.push(row("relevance", format!("{relevance:.3}")));
        }
        rows.push(("finder".into(), found.finder, look.name()));
        rows.push(row("after", clock(found.t)));
        let verdict = match found.verdict {
            Some(true) => "good",
            Some(false) => "bad",
            None => "nobody has judged it: g is good, b is bad",
        };
        rows.push(row("verdict", verdict.into()));
    }
    rows.insert(0, row("address", url.to_owned()));
    let Some(path) = facts.picture.path(url) else { return rows };
    rows.push(row("", String::new()));
    rows.push((String::new(), "The way to it, by whom, score and relevance".into(), look.strong()));
    for seen in path.iter().rev().take(MOST_STEPS).rev() {
        let agent = facts.picture.agents().get(seen.agent as usize);
        let who = agent.map(|life| life.name.as_str()).unwrap_or_default();
        let text = format!("{who}  {:.2}  {:.2}  {}", seen.score, seen.relevance, seen.url);
        rows.push((clock(seen.t), text, look.plain()));
    }
    rows
}

fn agent(facts: &Facts, number: u32, look: Look) -> Vec<Row> {
    let Some(life) = facts.picture.agents().get(number as usize) else { return Vec::new() };
    let row = |label: &str, text: String| (label.to_owned(), text, look.plain());
    let mut rows = vec![("name".to_owned(), life.name.clone(), look.name())];
    let of = life.parent.as_ref().map(|parent| format!(" of {parent}")).unwrap_or_default();
    let died = life.died.map_or("lives".into(), |t| format!("died after {}", clock(t)));
    rows.push(row("born", format!("after {}{of}, {died}", clock(life.born))));
    if let Some(energy) = life.energy {
        rows.push(row(energy_word(facts), format!("{energy:.3}")));
    }
    let mean = if life.pages == 0 { 0.0 } else { life.relevance / life.pages as f32 };
    rows.push(row("pages", format!("{}, mean relevance {mean:.3}", life.pages)));
    if life.messages > 0 {
        rows.push(row("said", crate::output::counted(life.messages, "message")));
    }
    if !life.keywords.is_empty() {
        rows.push(row("looks for", life.keywords.join(" ")));
    }
    if let Some(address) = &life.address {
        rows.push(row("is at", address.clone()));
    }
    let children = family::children_of(&facts.picture, number);
    if !children.is_empty() {
        let name =
            |child: &u32| facts.picture.agents().get(*child as usize).map(|life| &*life.name);
        let names: Vec<&str> = children.iter().take(MOST_CHILDREN).filter_map(name).collect();
        rows.push(row("below it", format!("{}: {}", children.len(), names.join(" "))));
    }
    rows.extend(history(facts, life, look));
    rows
}

/// What a strategy calls what its agents live on.
fn energy_word(facts: &Facts) -> &'static str {
    let team = facts.picture.strategy == "contract-net";
    if team { "ability" } else { "energy" }
}

fn history(facts: &Facts, life: &Life, look: Look) -> Vec<Row> {
    let read = facts.picture.history(&life.name, MOST_HISTORY);
    if read.is_empty() {
        return Vec::new();
    }
    let heading = "Pages that it read, the last first".to_owned();
    let mut rows =
        vec![(String::new(), String::new(), look.plain()), (String::new(), heading, look.strong())];
    rows.extend(read.into_iter().map(|page| {
        let text = format!("{:.2}  {}  {}", page.relevance, page.title, page.url);
        (clock(page.t), text, look.plain())
    }));
    rows
}

fn line(facts: &Facts, number: u64, look: Look) -> Vec<Row> {
    let Some(entry) = facts.journal.entry(number) else {
        return vec![(String::new(), "it is no longer kept".into(), look.faint())];
    };
    let Some(conversation) = &entry.conversation else {
        return vec![(clock(entry.t), entry.text.clone(), look.plain())];
    };
    let mut rows = vec![("talk".to_owned(), conversation.clone(), look.strong())];
    let all = facts.journal.entries().iter();
    let of_it = all.filter(|other| other.conversation.as_ref() == Some(conversation));
    rows.extend(of_it.map(|other| {
        let style = if other.number == number { look.strong() } else { look.plain() };
        (clock(other.t), other.text.clone(), style)
    }));
    rows
}
