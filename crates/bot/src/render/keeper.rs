//! Who looks after the browser? A thread with a clock of its own: it starts the browser, gives it pages,
//! watches its memory, and replaces it when it is worn, sick or gone.

use super::cdp::Cdp;
use super::process::Browser;
use super::visit::visit;
use super::watch::Watch;
use super::{Need, Order, RenderError, RenderSettings, Unrendered};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::time::Duration;
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;
use tokio::time::Instant;

/// Pages after which a browser is replaced: it does not give all memory back.
const WORN: usize = 500;
/// Starts in a row that may fail before no more are tried.
const MAX_FAILURES: usize = 5;
/// How often the memory is looked at.
const WATCH: Duration = Duration::from_millis(250);

/// Keeps the browser until no more orders can come. Tells once whether it could be started.
pub(super) fn keep(
    program: &Path,
    settings: Arc<RenderSettings>,
    watch: &Arc<Watch>,
    orders: mpsc::Receiver<Order>,
    ready: &SyncSender<Result<(), RenderError>>,
) {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            // Whoever started us waits for this message; if not, nobody needs it.
            let _ = ready.send(Err(RenderError::Start(error.to_string())));
            return;
        }
    };
    runtime.block_on(async {
        match House::open(program, &settings).await {
            Ok(house) => {
                watch.opened();
                let _ = ready.send(Ok(()));
                work(program, &settings, watch, orders, house).await;
                watch.closed();
            }
            Err(error) => {
                let _ = ready.send(Err(error));
            }
        }
    });
}

/// A browser and what goes with it.
struct House {
    browser: Arc<Mutex<Option<Browser>>>,
    cdp: Cdp,
    tasks: JoinSet<()>,
    visits: usize,
    sick: Arc<AtomicBool>,
}

impl House {
    async fn open(program: &Path, settings: &RenderSettings) -> Result<House, RenderError> {
        let browser = Browser::start(program, settings).await?;
        let cdp = browser.cdp.clone();
        let mut tasks = JoinSet::new();
        tasks.spawn(close_popups(cdp.clone()));
        let browser = Arc::new(Mutex::new(Some(browser)));
        tasks.spawn(watch_memory(Arc::clone(&browser), settings.memory));
        Ok(House { browser, cdp, tasks, visits: 0, sick: Arc::default() })
    }

    fn is_fit(&self) -> bool {
        !self.cdp.is_gone() && !self.sick.load(Ordering::Relaxed) && self.visits < WORN
    }

    async fn close(mut self) {
        self.tasks.shutdown().await;
        if let Some(browser) = self.browser.lock().await.take() {
            browser.end().await;
        }
    }
}

async fn work(
    program: &Path,
    settings: &Arc<RenderSettings>,
    watch: &Arc<Watch>,
    mut orders: mpsc::Receiver<Order>,
    house: House,
) {
    let mut house = Some(house);
    let mut visits = JoinSet::new();
    let mut failures = 0;
    while let Some(Order { visit: page, needs }) = orders.recv().await {
        while visits.try_join_next().is_some() {}
        if !house.as_ref().is_some_and(House::is_fit) {
            // Whoever is still inside is let out first, however that ends.
            while visits.join_next().await.is_some() {}
            if let Some(old) = house.take() {
                watch.closed();
                old.close().await;
            }
            if failures < MAX_FAILURES {
                match House::open(program, settings).await {
                    Ok(new) => {
                        watch.opened();
                        house = Some(new);
                        failures = 0;
                    }
                    Err(error) => {
                        failures += 1;
                        tracing::warn!("{error}");
                    }
                }
            }
        }
        let Some(house) = &mut house else {
            let end = Err(Unrendered::NoBrowser);
            watch.ended(&end, Duration::ZERO);
            let _ = needs.send(Need::Done(end)).await;
            continue;
        };
        house.visits += 1;
        let (cdp, sick) = (house.cdp.clone(), Arc::clone(&house.sick));
        let (settings, watch) = (Arc::clone(settings), Arc::clone(watch));
        visits.spawn(async move {
            let begun = Instant::now();
            let (rendered, closed) = visit(&cdp, &settings, &page, &needs).await;
            watch.ended(&rendered, begun.elapsed());
            if !closed {
                sick.store(true, Ordering::Relaxed);
            }
            // Who ordered it may have left.
            let _ = needs.send(Need::Done(rendered)).await;
        });
    }
    visits.shutdown().await;
    if let Some(house) = house {
        house.close().await;
    }
}

/// Windows that pages open are closed; where they lead is noted by the visit.
async fn close_popups(cdp: Cdp) {
    let mut events = cdp.listen("");
    let all = json!({ "discover": true, "filter": [{ "type": "page" }] });
    if cdp.call("", "Target.setDiscoverTargets", all).await.is_err() {
        return;
    }
    while let Some(event) = events.recv().await {
        let target = &event.params["targetInfo"];
        if event.method == "Target.targetCreated" && target["openerId"].is_string() {
            let close = json!({ "targetId": target["targetId"] });
            // It may be gone with its page.
            let _ = cdp.call("", "Target.closeTarget", close).await;
        }
    }
}

async fn watch_memory(browser: Arc<Mutex<Option<Browser>>>, limit: u64) {
    loop {
        tokio::time::sleep(WATCH).await;
        if let Some(browser) = &*browser.lock().await
            && browser.keep_within(limit)
        {
            tracing::debug!("a page was ended because it took too much memory");
        }
    }
}
