//! What does a page look like once its scripts have run? A browser (Chromium) runs them and gives back
//! the page and the addresses that it leads to.
//!
//! The browser never uses the network. Whatever a page asks for goes through the bot's own Web port,
//! with its guard and its limits, or is refused; so rendering works from an archive as well. A page that
//! cannot be rendered is read as it came: that is an outcome, not an error.

mod cdp;
mod clicks;
mod keeper;
mod policy;
mod process;
mod shelf;
mod visit;
mod watch;

use bytes::Bytes;
use cdp::CdpError;
use lycosa_model::{Headers, LinkKind, Render, Tick};
use shelf::Shelf;
use std::future::Future;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{JoinHandle, Thread};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use watch::Watch;
pub use watch::{BrowserState, Ends};

/// What a rendered page may cost.
#[derive(Clone, Debug)]
pub struct RenderSettings {
    /// Which pages are rendered.
    pub mode: Render,
    /// The browser; `None` is the first on the path.
    pub chromium: Option<PathBuf>,
    /// What the browser says it is.
    pub user_agent: String,
    /// Pages at the same time.
    pub tabs: usize,
    /// Time for a page to load, to run and to be clicked.
    pub timeout: Duration,
    /// The page's own time that passes: timers up to here fire. It costs no real time.
    pub patience: Duration,
    /// Clicks on what is no link.
    pub clicks: usize,
    /// Requests that are made for one page.
    pub requests: usize,
    /// Bytes of their answers, as received.
    pub max_bytes: u64,
    /// Memory of all processes of the browser.
    pub memory: u64,
    /// Whether waiting for the browser must stop the thread, because the clock is virtual and would
    /// run ahead.
    pub inline: bool,
}

impl Default for RenderSettings {
    fn default() -> RenderSettings {
        RenderSettings {
            mode: Render::Never,
            chromium: None,
            user_agent: concat!("lycosa/", env!("CARGO_PKG_VERSION")).into(),
            tabs: 2,
            timeout: Duration::from_secs(20),
            patience: Duration::from_secs(10),
            clicks: 20,
            requests: 64,
            max_bytes: 32 << 20,
            memory: 2 << 30,
            inline: false,
        }
    }
}

/// Why there is no browser.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// It is not installed.
    #[error("there is no browser to render pages with: {0} was not found")]
    Missing(String),
    /// It does not start.
    #[error("the browser does not start: {0}")]
    Start(String),
}

/// A page to look at, decoded.
#[derive(Clone, Debug)]
pub(crate) struct Visit {
    pub(crate) url: String,
    pub(crate) status: u16,
    pub(crate) headers: Headers,
    pub(crate) body: Bytes,
    /// The time that the page's scripts see.
    pub(crate) now: Tick,
}

/// What became of a page.
#[derive(Clone, Debug)]
pub(crate) struct Rendered {
    pub(crate) html: String,
    /// Addresses besides those in the page: where scripts led, and what they asked for.
    pub(crate) found: Vec<(String, LinkKind)>,
    /// Whether the page came to rest by itself.
    pub(crate) whole: bool,
}

/// Why a page was not rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unrendered {
    /// The page took its process down, or was ended for its size.
    Crashed,
    /// It could not be read in time.
    Timeout,
    /// More happened in it than we can follow.
    Flood,
    /// No browser can be started any more.
    NoBrowser,
}

impl From<CdpError> for Unrendered {
    fn from(_: CdpError) -> Unrendered {
        Unrendered::Crashed
    }
}

/// An answer for the browser, decoded.
#[derive(Clone, Debug)]
pub(crate) struct Fetched {
    pub(crate) status: u16,
    pub(crate) headers: Headers,
    pub(crate) body: Bytes,
}

/// What a visit needs next from whoever ordered it.
pub(crate) enum Need {
    /// An answer to a request of the page; `None` refuses it.
    Fetch { url: String, accept: Option<String>, reply: oneshot::Sender<Option<Fetched>> },
    /// Nothing more.
    Done(Result<Rendered, Unrendered>),
}

/// A visit that somebody ordered.
struct Order {
    visit: Visit,
    needs: mpsc::Sender<Need>,
}

/// The renderer of a process: one browser, kept by a thread of its own. Shared by all bots.
pub struct Renderer {
    settings: Arc<RenderSettings>,
    tabs: Arc<Semaphore>,
    room: usize,
    watch: Arc<Watch>,
    orders: Option<mpsc::Sender<Order>>,
    keeper: Option<JoinHandle<()>>,
    shelf: Mutex<Shelf>,
}

impl Renderer {
    /// Finds and starts the browser. Takes about a second and blocks.
    pub fn start(settings: RenderSettings) -> Result<Renderer, RenderError> {
        let program = process::find(settings.chromium.as_deref())?;
        let tabs = if settings.inline { 1 } else { settings.tabs.max(1) };
        let settings = Arc::new(settings);
        let (orders, inbox) = mpsc::channel(tabs);
        let (ready, started) = std::sync::mpsc::sync_channel(1);
        let watch = Arc::new(Watch::default());
        let keeper = std::thread::Builder::new().name("render".into()).spawn({
            let (settings, watch) = (Arc::clone(&settings), Arc::clone(&watch));
            move || keeper::keep(&program, settings, &watch, inbox, &ready)
        });
        let keeper = keeper.map_err(|error| RenderError::Start(error.to_string()))?;
        let gone = |_| RenderError::Start("its keeper is gone".into());
        started.recv().map_err(gone).and_then(|started| started)?;
        Ok(Renderer {
            settings,
            tabs: Arc::new(Semaphore::new(tabs)),
            room: tabs,
            watch,
            orders: Some(orders),
            keeper: Some(keeper),
            shelf: Mutex::default(),
        })
    }

    pub(crate) fn settings(&self) -> &RenderSettings {
        &self.settings
    }

    /// What the browser is doing, and what became of its pages.
    pub fn state(&self) -> BrowserState {
        self.watch.state(self.room, self.tabs.available_permits())
    }

    /// A page was not looked at because there was no room in time.
    pub(crate) fn had_no_room(&self) {
        self.watch.no_room();
    }

    /// Begins to look at a page, as soon as there is room for it. `None` when there is no browser.
    pub(crate) async fn begin(&self, visit: Visit) -> Option<Looking> {
        let permit = Arc::clone(&self.tabs).acquire_owned().await.ok()?;
        let (needs, inbox) = mpsc::channel(1);
        self.orders.as_ref()?.send(Order { visit, needs }).await.ok()?;
        Some(Looking { inbox, inline: self.settings.inline, _permit: permit })
    }

    /// An answer that another page got, if it is still good.
    pub(crate) fn shelved(&self, url: &str) -> Option<Fetched> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner).get(url)
    }

    /// Keeps an answer for other pages.
    pub(crate) fn shelve(&self, url: &str, fetched: &Fetched) {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner).put(url, fetched);
    }
}

impl Drop for Renderer {
    fn drop(&mut self) {
        drop(self.orders.take());
        // The thread ends the browser first. If it panicked, the browser went with it.
        if let Some(keeper) = self.keeper.take() {
            let _ = keeper.join();
        }
    }
}

/// A visit under way, as the one who ordered it sees it. Dropping it ends the visit.
pub(crate) struct Looking {
    inbox: mpsc::Receiver<Need>,
    inline: bool,
    _permit: OwnedSemaphorePermit,
}

impl Looking {
    /// What the visit needs next.
    pub(crate) async fn next(&mut self) -> Need {
        let need = if self.inline {
            // The budget of the task does not count here: it would never be filled up again.
            wait_here(tokio::task::unconstrained(self.inbox.recv()))
        } else {
            self.inbox.recv().await
        };
        need.unwrap_or(Need::Done(Err(Unrendered::NoBrowser)))
    }
}

/// Waits for a future with the whole thread.
fn wait_here<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

#[cfg(test)]
mod tests;
