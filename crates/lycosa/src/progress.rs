//! How far is it? A line that is drawn anew while the crawl runs, from what the agents show of
//! themselves.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lycosa_runtime::Registry;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Drawn so often on a terminal.
const FRAME: Duration = Duration::from_millis(100);

/// Written so often where there is no terminal.
const REPORT: Duration = Duration::from_secs(10);

/// The display, on a thread of its own: a replay's clock is not the world's.
pub(crate) struct Progress {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Shows the crawl of this registry until it is dropped; nothing when it shall be quiet.
    pub(crate) fn start(registry: Registry, pages: Option<u64>, quiet: bool) -> Progress {
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let work = move || show(&registry, pages, &flag);
        let thread = (!quiet).then(|| std::thread::spawn(work));
        Progress { stop, thread }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // A display that failed is no reason to stop.
            drop(thread.join());
        }
    }
}

fn show(registry: &Registry, pages: Option<u64>, stop: &AtomicBool) {
    let terminal = std::io::stderr().is_terminal();
    let bar = match pages {
        Some(pages) => ProgressBar::new(pages),
        None => ProgressBar::no_length(),
    };
    bar.set_draw_target(if terminal {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    });
    let template = match pages {
        Some(_) => "{spinner} [{bar:30}] {pos}/{len} pages  {msg}",
        None => "{spinner} {pos} pages  {msg}",
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    let began = Instant::now();
    let mut reported = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        let (position, message) = observe(registry, began);
        bar.set_position(position);
        bar.set_message(message.clone());
        bar.tick();
        if !terminal && reported.elapsed() >= REPORT {
            reported = Instant::now();
            crate::output::note(format!("{position} pages  {message}"));
        }
        std::thread::park_timeout(FRAME);
    }
    bar.finish_and_clear();
}

fn observe(registry: &Registry, began: Instant) -> (u64, String) {
    let views = registry.agents();
    let seen = |community: &str, field: &str| -> u64 {
        views
            .iter()
            .filter(|view| view.community == community)
            .filter_map(|view| view.observed.get(field)?.as_u64())
            .sum()
    };
    let pages = seen("broker", "pages");
    let bytes = seen("bot", "bytes");
    let rate = seen("bot", "pages") as f64 / began.elapsed().as_secs_f64().max(0.001);
    let scheduled = seen("broker", "scheduled");
    let fresh = match scheduled {
        0 => String::new(),
        _ => format!("  {scheduled} to revisit, {} % fresh", seen("broker", "fresh_percent")),
    };
    let message = format!(
        "{rate:.0}/s  {:.1} MB  {} queued  {} fetching  {} indexed{fresh}",
        bytes as f64 / 1e6,
        seen("broker", "queued"),
        seen("bot", "fetching"),
        seen("indexer", "documents"),
    );
    (pages, message)
}
