//! Where does the person look, and what do the keys do? Pure: a key and what is known give the next state, and
//! sometimes a wish that somebody else fulfils.

use super::facts::Facts;
use super::family;
use lycosa_interface::control::BROKER_PATIENCE;
use lycosa_model::Phase;
use lycosa_model::message::InterfaceMessage;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::collections::HashSet;

/// Lines that PgUp and PgDn move by.
const LEAP: isize = 10;

/// The parts of the screen, in the order in which Tab visits them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Pane {
    #[default]
    Results,
    Agents,
    Log,
    Chart,
}

impl Pane {
    pub(super) const ALL: [Pane; 4] = [Pane::Results, Pane::Agents, Pane::Log, Pane::Chart];

    fn turned(self, by: usize) -> Pane {
        let here = Pane::ALL.iter().position(|pane| *pane == self).unwrap_or_default();
        Pane::ALL[(here + by) % Pane::ALL.len()]
    }
}

/// Something that is looked at closely.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Open {
    Page(String),
    Agent(u32),
    /// A line of the log, with its conversation.
    Line(u64),
}

/// What a person wants that the view cannot do itself.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Action {
    /// Something to ask of the crawl.
    Ask(InterfaceMessage),
    /// What Ctrl-C does elsewhere.
    Interrupt,
    /// Leave the view; what is looked at goes on.
    Leave,
    /// Draw everything anew.
    Redraw,
}

/// Which row of a list is chosen: by what it is, since rows move, and where it was, for when it is gone.
#[derive(Clone, Debug)]
pub(super) struct Cursor<T> {
    on: Option<T>,
    row: usize,
}

impl<T> Default for Cursor<T> {
    fn default() -> Cursor<T> {
        Cursor { on: None, row: 0 }
    }
}

impl<T: PartialEq + Clone> Cursor<T> {
    /// The row that is chosen now.
    pub(super) fn row(&self, rows: &[T]) -> usize {
        let known = self.on.as_ref().and_then(|on| rows.iter().position(|row| row == on));
        known.unwrap_or(self.row).min(rows.len().saturating_sub(1))
    }

    /// Chooses another row.
    fn step(&mut self, rows: &[T], by: isize) {
        let row = self.row(rows).saturating_add_signed(by).min(rows.len().saturating_sub(1));
        (self.on, self.row) = (rows.get(row).cloned(), row);
    }
}

/// Where the person looks.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) pane: Pane,
    pub(super) page: Cursor<String>,
    pub(super) agent: Cursor<u32>,
    /// Nothing is chosen in a log that is followed.
    pub(super) line: Option<Cursor<u64>>,
    pub(super) folded: HashSet<u32>,
    /// Whether only families are shown in which somebody lives.
    pub(super) living: bool,
    pub(super) open: Option<Open>,
    /// Lines above what is seen of something that is open.
    pub(super) scroll: u16,
    pub(super) help: bool,
    /// What the person should read until the next key.
    pub(super) notice: Option<String>,
}

impl State {
    /// What a key does.
    pub(super) fn press(&mut self, key: KeyEvent, facts: &Facts) -> Option<Action> {
        self.notice = None;
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return match key.code {
                KeyCode::Char('c') => self.interrupt(facts),
                KeyCode::Char('l') => Some(Action::Redraw),
                _ => None,
            };
        }
        match key.code {
            KeyCode::Char('q') if self.help || self.open.is_some() => self.close(),
            KeyCode::Esc | KeyCode::Backspace => self.close(),
            KeyCode::Char('?') => self.help = !self.help,
            _ if self.help => self.help = false,
            KeyCode::Char('q') if !facts.about.own => return Some(Action::Leave),
            KeyCode::Char('q' | 's') => return self.stop(facts),
            KeyCode::Char('p') => return self.pause(facts),
            KeyCode::Char('g') => return self.judge(facts, true),
            KeyCode::Char('b') => return self.judge(facts, false),
            KeyCode::Tab => self.turn(1),
            KeyCode::BackTab => self.turn(Pane::ALL.len() - 1),
            KeyCode::Char(digit @ '1'..='4') => {
                self.close();
                self.pane = Pane::ALL[digit as usize - '1' as usize];
            }
            code => self.move_by(code, facts),
        }
        None
    }

    fn turn(&mut self, by: usize) {
        self.close();
        self.pane = self.pane.turned(by);
    }

    fn close(&mut self) {
        (self.help, self.open, self.scroll) = (false, None, 0);
    }

    fn move_by(&mut self, code: KeyCode, facts: &Facts) {
        let by = match code {
            KeyCode::Down | KeyCode::Char('j') => 1,
            KeyCode::Up | KeyCode::Char('k') => -1,
            KeyCode::PageDown => LEAP,
            KeyCode::PageUp => -LEAP,
            KeyCode::Home => isize::MIN,
            KeyCode::End => isize::MAX,
            _ => return self.change(code, facts),
        };
        if self.open.is_some() {
            let by = by.clamp(-0x7fff, 0x7fff) as i16;
            self.scroll = self.scroll.saturating_add_signed(by);
            return;
        }
        match self.pane {
            Pane::Results => self.page.step(&pages(facts), by),
            Pane::Agents => self.agent.step(&self.agents(facts), by),
            Pane::Log => self.step_log(facts, by),
            Pane::Chart => {}
        }
    }

    /// Moves in the log; behind its last line it is followed again.
    fn step_log(&mut self, facts: &Facts, by: isize) {
        let rows = lines(facts);
        let last = rows.len().saturating_sub(1);
        let mut cursor = self.line.take().unwrap_or(Cursor { on: rows.last().copied(), row: last });
        cursor.step(&rows, by);
        self.line = (cursor.row(&rows) < last).then_some(cursor);
    }

    fn change(&mut self, code: KeyCode, facts: &Facts) {
        match code {
            KeyCode::Enter => self.enter(facts),
            KeyCode::Char('d') if self.pane == Pane::Agents => self.living = !self.living,
            KeyCode::Right | KeyCode::Char('l') if self.pane == Pane::Agents => {
                if let Some(agent) = self.chosen_agent(facts) {
                    self.folded.remove(&agent);
                }
            }
            KeyCode::Left | KeyCode::Char('h') if self.pane == Pane::Agents => {
                if let Some(agent) = self.chosen_agent(facts) {
                    self.folded.insert(agent);
                }
            }
            KeyCode::Char(' ') if self.pane == Pane::Agents => {
                if let Some(agent) = self.chosen_agent(facts)
                    && !self.folded.remove(&agent)
                {
                    self.folded.insert(agent);
                }
            }
            _ => {}
        }
    }

    /// Opens what is chosen, or closes what is open.
    fn enter(&mut self, facts: &Facts) {
        if self.open.is_some() {
            return self.close();
        }
        self.scroll = 0;
        self.open = match self.pane {
            Pane::Results => self.chosen_page(facts).map(Open::Page),
            Pane::Agents => self.chosen_agent(facts).map(Open::Agent),
            Pane::Log => {
                let rows = lines(facts);
                let line = self.line.as_ref().map(|cursor| cursor.row(&rows));
                let line = line.unwrap_or(rows.len().saturating_sub(1));
                rows.get(line).copied().map(Open::Line)
            }
            Pane::Chart => None,
        };
    }

    /// The agents in the order in which they are shown.
    fn agents(&self, facts: &Facts) -> Vec<u32> {
        let branches = family::branches(&facts.picture, &self.folded, self.living);
        branches.iter().map(|branch| branch.agent).collect()
    }

    fn chosen_agent(&self, facts: &Facts) -> Option<u32> {
        let agents = self.agents(facts);
        agents.get(self.agent.row(&agents)).copied()
    }

    fn chosen_page(&self, facts: &Facts) -> Option<String> {
        let pages = pages(facts);
        pages.get(self.page.row(&pages)).cloned()
    }

    /// Says whether the page that is open, or chosen, is what is wanted.
    fn judge(&mut self, facts: &Facts, good: bool) -> Option<Action> {
        let url = match &self.open {
            Some(Open::Page(url)) => Some(url.clone()),
            None if self.pane == Pane::Results => self.chosen_page(facts),
            _ => None,
        };
        let Some(url) = url else {
            self.notice = Some("choose a page first: 1, then the arrows".into());
            return None;
        };
        self.ask(facts, InterfaceMessage::Verdict { url, good })
    }

    fn pause(&mut self, facts: &Facts) -> Option<Action> {
        let message =
            if facts.is_paused() { InterfaceMessage::GoOn } else { InterfaceMessage::Pause };
        self.ask(facts, message)
    }

    fn stop(&mut self, facts: &Facts) -> Option<Action> {
        if facts.state() == Phase::Stopping.name() {
            self.notice = Some("it is stopping; Ctrl-C twice ends it at once".into());
            return None;
        }
        let action = self.ask(facts, InterfaceMessage::Stop)?;
        self.notice = Some("stopping: what is under way comes to its end".into());
        Some(action)
    }

    /// Only a crawl that runs can be asked for something.
    fn ask(&mut self, facts: &Facts, message: InterfaceMessage) -> Option<Action> {
        if facts.status.is_none() {
            let why = match facts.about.own {
                true => "not now: the crawl has not begun, or is ending",
                false => "no crawl is running here",
            };
            self.notice = Some(why.into());
            return None;
        }
        Some(Action::Ask(message))
    }

    fn interrupt(&mut self, facts: &Facts) -> Option<Action> {
        if !facts.about.own {
            return Some(Action::Leave);
        }
        self.notice = Some("stopping in order; Ctrl-C again ends at once".into());
        Some(Action::Interrupt)
    }

    /// What a person is told when a wish was fulfilled.
    pub(super) fn answer(message: &InterfaceMessage) -> &'static str {
        match message {
            InterfaceMessage::Pause => "paused: nothing new begins; p goes on",
            InterfaceMessage::GoOn => "going on",
            InterfaceMessage::Stop => "stopping: what is under way comes to its end",
            InterfaceMessage::Verdict { good: true, .. } => "good: more like this",
            InterfaceMessage::Verdict { good: false, .. } => "bad: fewer like this",
            _ => "done",
        }
    }

    /// How long the crawl has to answer a wish.
    pub(super) const PATIENCE: std::time::Duration = BROKER_PATIENCE;
}

/// The addresses of the pages in the list.
fn pages(facts: &Facts) -> Vec<String> {
    facts.found().into_iter().map(|found| found.url).collect()
}

/// The numbers of the lines of the log.
fn lines(facts: &Facts) -> Vec<u64> {
    facts.journal.entries().iter().map(|entry| entry.number).collect()
}
