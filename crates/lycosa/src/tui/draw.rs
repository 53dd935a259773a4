//! What is on the screen? The state of the run above, the panes below it, the keys at the bottom; on a small
//! screen one pane at a time.

use super::facts::Facts;
use super::look::{Look, Pen};
use super::state::{Pane, State};
use super::{detail, panes};
use crate::output::counted;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::widgets::{Block, Clear, Widget};

/// From this size on all panes are beside each other.
const WIDE: u16 = 80;
const HIGH: u16 = 16;

/// Columns of the bar that shows how far it is.
const BAR: usize = 20;

/// Keys and what they do.
const KEYS: [(&str, &str); 12] = [
    ("Tab, 1 2 3 4", "results, agents, log, chart"),
    ("j k, arrows", "move; PgUp PgDn Home End"),
    ("Enter", "open a page, an agent, a conversation"),
    ("Esc", "close it"),
    ("h l, ← →, space", "fold and unfold a family"),
    ("d", "agents: only families in which somebody lives"),
    ("g, b", "this page is good, or bad"),
    ("p", "pause, go on"),
    ("s", "stop in order; what was found is kept"),
    ("q", "the same; leave, when another process crawls"),
    ("Ctrl-C", "stop, to go on later; twice: end at once"),
    ("Ctrl-L", "draw anew"),
];

/// Draws everything.
pub(super) fn draw(area: Rect, buffer: &mut Buffer, facts: &Facts, state: &State, look: Look) {
    let head = match area.height {
        0..6 => 1,
        6..12 => 2,
        _ => 3,
    };
    let rows = [Constraint::Length(head), Constraint::Min(0), Constraint::Length(1)];
    let [header, body, footer] = Layout::vertical(rows).areas(area);
    draw_header(header, buffer, facts, look);
    match &state.open {
        _ if state.help => draw_help(body, buffer, look),
        Some(open) => {
            let inner = frame(body, buffer, &detail::title(open), true, look);
            detail::draw(inner, buffer, facts, open, state.scroll, look);
        }
        None if area.width >= WIDE && area.height >= HIGH => {
            draw_all(body, buffer, facts, state, look)
        }
        None => draw_pane(state.pane, body, buffer, facts, state, look),
    }
    draw_footer(footer, buffer, facts, state, look);
}

fn draw_header(area: Rect, buffer: &mut Buffer, facts: &Facts, look: Look) {
    let state = facts.state();
    let marked = if facts.is_paused() { look.notice() } else { look.strong() };
    let pages = match facts.about.pages {
        Some(most) => format!("{} of {}", facts.pages(), counted(most, "page")),
        None => counted(facts.pages(), "page"),
    };
    if area.height == 1 {
        let pen = Pen::on(buffer, area, 0).put(state, marked).skip(1);
        pen.put(pages, look.plain()).skip(2).put(&facts.about.query, look.faint());
        return;
    }
    let strategy = match &facts.status {
        Some(status) => &status.broker.strategy,
        None => &facts.picture.strategy,
    };
    let pen = Pen::on(buffer, area, 0).put(state, marked).skip(2);
    let pen = pen.put(&facts.about.query, look.strong()).skip(2);
    pen.put(strategy, look.name());
    let mut figures = pages;
    if let Some(bar) = facts.about.pages.map(|most| bar(facts.pages(), most)) {
        figures = format!("[{bar}] {figures}");
    }
    if let Some(status) = &facts.status {
        figures += &format!(
            "  {} waiting  {:.1} pages/s",
            status.broker.queued, status.broker.pace.pages_per_second
        );
    }
    let (births, deaths) = (facts.picture.births, facts.picture.deaths);
    if births > 0 {
        figures += &format!("  {} alive  {births} born  {deaths} dead", alive(facts));
    }
    if facts.picture.messages > 0 {
        figures += &format!("  {} said", counted(facts.picture.messages, "message"));
    }
    figures += &format!("  {}", clock(facts.seconds()));
    Pen::on(buffer, area, 1).put(figures, look.plain());
    let why = match &facts.status {
        Some(status) => format!("limited by {}", status.broker.limited_by),
        None if facts.about.own => "no answer from the crawl at the moment".into(),
        None => "what is seen is from the log; no crawl is running on it".into(),
    };
    if area.height > 2 {
        Pen::on(buffer, area, 2).put(why, look.faint());
    }
}

fn alive(facts: &Facts) -> usize {
    facts.picture.agents().iter().filter(|life| life.died.is_none()).count()
}

/// How far it is, as a bar.
fn bar(pages: u64, most: u64) -> String {
    let share = pages as f64 / most.max(1) as f64;
    let full = ((share * BAR as f64) as usize).min(BAR);
    format!("{}{}", "=".repeat(full), " ".repeat(BAR - full))
}

/// Seconds as a person reads them.
pub(super) fn clock(seconds: f64) -> String {
    let all = seconds.max(0.0) as u64;
    match (all / 3600, all / 60 % 60, all % 60) {
        (0, minutes, seconds) => format!("{minutes}:{seconds:02}"),
        (hours, minutes, seconds) => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

fn draw_all(area: Rect, buffer: &mut Buffer, facts: &Facts, state: &State, look: Look) {
    let rows = [Constraint::Fill(3), Constraint::Fill(2)];
    let [above, below] = Layout::vertical(rows).areas(area);
    let columns = [Constraint::Fill(3), Constraint::Fill(2)];
    let [results, agents] = Layout::horizontal(columns).areas(above);
    let [log, chart] = Layout::horizontal(columns).areas(below);
    let places =
        [(Pane::Results, results), (Pane::Agents, agents), (Pane::Log, log), (Pane::Chart, chart)];
    for (pane, place) in places {
        draw_pane(pane, place, buffer, facts, state, look);
    }
}

fn draw_pane(
    pane: Pane,
    area: Rect,
    buffer: &mut Buffer,
    facts: &Facts,
    state: &State,
    look: Look,
) {
    let here = pane == state.pane;
    let inner = frame(area, buffer, &panes::title(pane, facts, state), here, look);
    match pane {
        Pane::Results => panes::results(inner, buffer, facts, state, look),
        Pane::Agents => panes::agents(inner, buffer, facts, state, look),
        Pane::Log => panes::log(inner, buffer, facts, state, look),
        Pane::Chart => panes::chart(inner, buffer, facts, look),
    }
}

/// A frame with a title, where there is room for one, and what is inside of it.
fn frame(area: Rect, buffer: &mut Buffer, title: &str, here: bool, look: Look) -> Rect {
    let style = if here { look.strong() } else { look.faint() };
    let title = if here { format!(" ▸ {title} ") } else { format!(" {title} ") };
    if area.height < 5 || area.width < 30 {
        Pen::on(buffer, area, 0).under(style).put(title.trim_start(), style);
        return Rect {
            y: area.y + 1.min(area.height),
            height: area.height.saturating_sub(1),
            ..area
        };
    }
    let block = Block::bordered().title(title).border_style(style).title_style(style);
    let inner = block.inner(area);
    block.render(area, buffer);
    inner
}

fn draw_footer(area: Rect, buffer: &mut Buffer, facts: &Facts, state: &State, look: Look) {
    let pen = Pen::on(buffer, area, 0);
    if let Some(notice) = &state.notice {
        pen.put(notice, look.notice());
        return;
    }
    let pause = if facts.is_paused() { "p go on" } else { "p pause" };
    let leave = if facts.about.own { "q stop" } else { "q leave  s stop" };
    let keys = match &state.open {
        Some(_) => "Esc back  j k scroll  g good  b bad".to_owned(),
        None => format!("? help  Tab  Enter open  {pause}  {leave}  g good  b bad"),
    };
    pen.put(keys, look.faint());
}

fn draw_help(area: Rect, buffer: &mut Buffer, look: Look) {
    Clear.render(area.intersection(buffer.area), buffer);
    let inner = frame(area, buffer, "Keys", true, look);
    for (line, (keys, what)) in (0..).zip(KEYS) {
        Pen::on(buffer, inner, line).column(keys, 16, look.strong()).put(what, look.plain());
    }
}
