//! What does a person see who watches a run full-screen? The same events as the page has, and keys to steer.
//!
//! The pure part is `facts` (what is known), `state` (where the person looks, and what keys do) and `draw` (both
//! as a picture). Around it `eyes` look and ask, `terminal` takes the screen and gives it back, and this module
//! lets them work together.

mod detail;
mod draw;
mod eyes;
mod facts;
mod family;
mod journal;
mod look;
mod panes;
mod series;
mod state;
mod terminal;
#[cfg(test)]
mod tests;

pub(crate) use facts::About;
pub(crate) use terminal::restore;

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use facts::{Facts, Told};
use look::Look;
use lycosa_model::message::InterfaceMessage;
use ratatui::crossterm::event::{self, KeyEventKind};
use state::{Action, State};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// Between two pictures: ten a second at most.
const FRAME: Duration = Duration::from_millis(100);

/// What may wait to be shown; who brings more waits.
const WAITING: usize = 16;

/// Wishes that may wait to be fulfilled; more are not taken.
const WISHES: usize = 16;

/// Says why a full-screen view cannot be had here.
pub(crate) fn check(quiet: bool) -> Result<(), Failure> {
    if quiet {
        return Err(
            Failure::new("--tui is a view, and -q wants none").hint("leave one of them out")
        );
    }
    let simple = std::env::var("TERM").is_ok_and(|term| term == "dumb");
    if simple || !io::stderr().is_terminal() {
        return Err(Failure::new("--tui needs a terminal on standard error, and there is none")
            .hint("without --tui, progress and results are printed as lines"));
    }
    Ok(())
}

/// A view of this process's own crawl, until it is dropped.
pub(crate) struct View {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl View {
    /// Shows the crawl on a data folder, on threads of its own: a replay's clock is not the world's.
    pub(crate) fn start(data: &Path, about: About, interrupt: Interrupt) -> io::Result<View> {
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let watch = Watch { data: data.to_owned(), run: None, about, interrupt };
        let work = move || {
            if let Err(error) = watch.show(&flag) {
                tracing::warn!("the view has ended ({error}); the crawl goes on");
            }
        };
        let thread = Builder::new().name(terminal::THREAD.into()).spawn(work)?;
        Ok(View { stop, thread: Some(thread) })
    }
}

impl Drop for View {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A view that failed is no reason to stop; it was told.
            drop(thread.join());
        }
        restore();
    }
}

/// Shows a run of a data folder, that of another process or one that has ended, until the person leaves.
pub(crate) fn attach(data: &Path, run: u32, about: About) -> Result<(), Failure> {
    let interrupt = Interrupt::watch()?;
    let watch = Watch { data: data.to_owned(), run: Some(run), about, interrupt };
    let work = move || watch.show(&AtomicBool::new(false));
    let thread = Builder::new().name(terminal::THREAD.into()).spawn(work)?;
    let shown = thread.join();
    restore();
    match shown {
        Ok(shown) => Ok(shown?),
        Err(_) => Err(Failure::new("the view failed")),
    }
}

/// One view of one run.
struct Watch {
    data: PathBuf,
    run: Option<u32>,
    about: About,
    interrupt: Interrupt,
}

impl Watch {
    /// Takes the terminal, shows the run, and gives the terminal back.
    fn show(self, stop: &AtomicBool) -> io::Result<()> {
        let (tell, told) = sync_channel(WAITING);
        let (wish, wishes) = sync_channel(WISHES);
        // They end by themselves when nobody listens to them or has a wish, and are not waited for: the crawl may
        // be slow to answer.
        let (data, run, answers) = (self.data.clone(), self.run, tell.clone());
        Builder::new().name("lycosa-eyes".into()).spawn(move || eyes::look(&data, run, &tell))?;
        let data = self.data.clone();
        let fulfil = move || eyes::ask_for(&data, &wishes, &answers);
        Builder::new().name("lycosa-wishes".into()).spawn(fulfil)?;
        let shown = self.draw(told, wish, stop);
        restore();
        shown
    }

    /// Reads keys, takes what is told, and draws, until it is over.
    fn draw(
        &self,
        told: Receiver<Told>,
        wish: SyncSender<InterfaceMessage>,
        stop: &AtomicBool,
    ) -> io::Result<()> {
        let mut screen = terminal::enter()?;
        let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let look = Look { colour: !no_colour };
        let mut facts = Facts::new(self.about.clone());
        let mut state = State::default();
        let (mut next, mut changed) = (Instant::now(), true);
        let over = || stop.load(Ordering::Relaxed) || (!self.about.own && self.interrupt.asked());
        while !over() {
            if event::poll(next.saturating_duration_since(Instant::now()))? {
                changed = true;
                let read = event::read()?;
                let key = read.as_key_event().filter(|key| key.kind != KeyEventKind::Release);
                match key.and_then(|key| state.press(key, &facts)) {
                    Some(Action::Leave) => return Ok(()),
                    Some(Action::Interrupt) => self.interrupt.ask(),
                    Some(Action::Redraw) => terminal::draw(&mut screen, terminal::wipe)?,
                    Some(Action::Ask(message)) => {
                        let busy = wish.try_send(message).is_err();
                        let notice = busy.then(|| "the crawl is busy; try again".to_owned());
                        state.notice = notice.or(state.notice.take());
                    }
                    None => {}
                }
            }
            for told in told.try_iter().take(WAITING) {
                changed = true;
                state.notice = facts.take(told).or(state.notice.take());
            }
            if Instant::now() < next {
                continue;
            }
            next = Instant::now() + FRAME;
            if std::mem::take(&mut changed) {
                terminal::draw(&mut screen, |screen| {
                    let paint = |frame: &mut ratatui::Frame| {
                        draw::draw(frame.area(), frame.buffer_mut(), &facts, &state, look);
                    };
                    screen.draw(paint).map(drop)
                })?;
            }
        }
        Ok(())
    }
}
