//! Whose is the terminal? Ours while the view is on it, and again as it was however the view ends.

use crate::output;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::layout::Rect;
use std::io::{self, BufWriter, Stderr, Write};
use std::sync::{Mutex, MutexGuard, Once, TryLockError};
use std::time::{Duration, Instant};

/// The thread that draws. When it panics, the terminal is given back before the panic is told.
pub(super) const THREAD: &str = "lycosa-view";

/// How long a picture that is being drawn is waited for when the program ends at once.
const PATIENCE: Duration = Duration::from_millis(300);

/// Bytes that are collected before they are written: a whole picture in most cases.
const PICTURE: usize = 1 << 16;

/// Whether the view is on the terminal. Whoever draws holds it.
static ON: Mutex<bool> = Mutex::new(false);

/// The screen. It is standard error, so that standard output stays for results.
pub(super) type Screen = Terminal<CrosstermBackend<BufWriter<Stderr>>>;

/// Takes the terminal. From now on what the program prints on standard error is held back.
pub(super) fn enter() -> io::Result<Screen> {
    static HOOK: Once = Once::new();
    HOOK.call_once(hook);
    let out = BufWriter::with_capacity(PICTURE, io::stderr());
    let mut on = wait();
    enable_raw_mode()?;
    if let Some(on) = on.as_deref_mut() {
        *on = true;
    }
    output::hold();
    drop(on);
    let entered = execute!(io::stderr(), EnterAlternateScreen, Hide);
    let screen = entered.and_then(|()| Terminal::new(CrosstermBackend::new(out)));
    screen.inspect_err(|_| restore())
}

/// Draws, unless the terminal was given back meanwhile.
pub(super) fn draw(
    screen: &mut Screen,
    draw: impl FnOnce(&mut Screen) -> io::Result<()>,
) -> io::Result<()> {
    match wait().as_deref() {
        Some(true) => draw(screen),
        _ => Ok(()),
    }
}

/// Lets everything be drawn anew. The terminal is not asked for its cursor, as some do not answer.
pub(super) fn wipe(screen: &mut Screen) -> io::Result<()> {
    let size = screen.size()?;
    screen.resize(Rect::new(0, 0, size.width, size.height))
}

/// Gives the terminal back as it was, and prints what was held back. Does nothing when it is not ours.
pub(crate) fn restore() {
    let on = wait();
    let ours = match on {
        Some(mut on) => std::mem::replace(&mut *on, false),
        // It is being drawn on by a thread that does not come to an end.
        None => true,
    };
    if ours {
        // There is nobody left to tell.
        drop(execute!(io::stderr(), LeaveAlternateScreen, Show));
        drop(io::stderr().flush());
        drop(disable_raw_mode());
        output::release();
    }
}

/// Waits for whoever draws; a thread that panics while it draws would wait for itself.
fn wait() -> Option<MutexGuard<'static, bool>> {
    let begun = Instant::now();
    loop {
        match ON.try_lock() {
            Ok(on) => return Some(on),
            Err(TryLockError::Poisoned(on)) => return Some(on.into_inner()),
            Err(TryLockError::WouldBlock) if begun.elapsed() > PATIENCE => return None,
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

/// Agents that panic are built anew, and the view goes on: that is told like everything else that is printed.
fn hook() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().name() == Some(THREAD) {
            restore();
        }
        if output::is_holding() {
            output::note(panic.to_string());
        } else {
            before(panic);
        }
    }));
}
