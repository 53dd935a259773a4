//! What does a page become in a browser? One visit: load it, let its time pass, click around, read it.

use super::cdp::{Cdp, CdpError, Event};
use super::policy::{Paused, Verdict, is_web, shown};
use super::{Fetched, Need, RenderSettings, Rendered, Unrendered, Visit};
use data_encoding::BASE64;
use lycosa_model::LinkKind;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, timeout, timeout_at};

/// Time to read a page whose own time is over.
const HARVEST: Duration = Duration::from_secs(4);
/// Time for a page to go away before the browser is thought to be sick.
const CLOSE: Duration = Duration::from_secs(3);
/// Letters of a rendered page.
const MAX_HTML: usize = 16 << 20;
/// Addresses that one visit may find besides those in the page.
const MAX_FOUND: usize = 1_000;
/// Addresses in variables that are noted.
const MAX_GLOBALS: usize = 200;
/// Requests of a page that may wait to be made; further ones are refused.
const QUEUE: usize = 256;
/// The window: tall, so that what is loaded when it comes into view is loaded.
const WINDOW: (u32, u32) = (1_280, 4_096);
/// Tasks without progress of time after which the page's clock goes on all the same.
const STARVATION: u32 = 10_000;

/// Reads the page as it stands. What hangs in open shadow trees is moved to where it is seen; a base
/// tells against what addresses are meant when the page has changed its own.
const READ: &str = include_str!("read.js");

/// Lists the addresses in variables that all scripts of the page see.
const GLOBALS: &str = include_str!("globals.js");

/// A visit under way.
pub(super) struct Sitting<'a> {
    pub(super) cdp: &'a Cdp,
    pub(super) settings: &'a RenderSettings,
    visit: &'a Visit,
    needs: &'a mpsc::Sender<Need>,
    context: &'a str,
    pub(super) session: String,
    /// The main frame has the name of its target.
    frame: String,
    notes: Mutex<Notes>,
    /// Spans of the page's time that are over.
    spans: watch::Sender<u64>,
}

/// What was seen during a visit.
#[derive(Default)]
struct Notes {
    served: bool,
    found: Vec<(String, LinkKind)>,
    known: HashSet<String>,
}

/// How a visit ended, and whether the browser let go of the page.
pub(super) async fn visit(
    cdp: &Cdp,
    settings: &RenderSettings,
    visit: &Visit,
    needs: &mpsc::Sender<Need>,
) -> (Result<Rendered, Unrendered>, bool) {
    let deadline = Instant::now() + settings.timeout + HARVEST;
    let made = cdp.call("", "Target.createBrowserContext", json!({ "disposeOnDetach": true }));
    let context = match timeout_at(deadline, made).await {
        Ok(Ok(made)) => made["browserContextId"].as_str().unwrap_or_default().to_owned(),
        Ok(Err(_)) => return (Err(Unrendered::Crashed), false),
        Err(_) => return (Err(Unrendered::Timeout), false),
    };
    let rendered = tokio::select! {
        rendered = timeout_at(deadline, sit(cdp, settings, visit, needs, &context)) => {
            rendered.unwrap_or(Err(Unrendered::Timeout))
        }
        // Nobody waits for it any more.
        () = needs.closed() => Err(Unrendered::Timeout),
    };
    let close =
        cdp.call("", "Target.disposeBrowserContext", json!({ "browserContextId": context }));
    let closed = matches!(timeout(CLOSE, close).await, Ok(Ok(_)));
    (rendered, closed)
}

async fn sit(
    cdp: &Cdp,
    settings: &RenderSettings,
    visit: &Visit,
    needs: &mpsc::Sender<Need>,
    context: &str,
) -> Result<Rendered, Unrendered> {
    let blank = json!({ "url": "about:blank", "browserContextId": context });
    let target = cdp.call("", "Target.createTarget", blank).await?;
    let frame = target["targetId"].as_str().unwrap_or_default().to_owned();
    let attach = json!({ "targetId": frame, "flatten": true });
    let attached = cdp.call("", "Target.attachToTarget", attach).await?;
    let session = attached["sessionId"].as_str().unwrap_or_default().to_owned();
    let events = cdp.listen(&session);
    let sitting = Sitting {
        cdp,
        settings,
        visit,
        needs,
        context,
        session,
        frame,
        notes: Mutex::default(),
        spans: watch::Sender::new(0),
    };
    let (queue, queued) = mpsc::channel(QUEUE);
    let rendered = tokio::select! {
        rendered = sitting.go() => rendered,
        ended = sitting.follow(events, queue) => Err(ended),
        () = sitting.fetch(queued) => Err(Unrendered::Crashed),
    };
    cdp.ignore(&sitting.session);
    rendered
}

impl Sitting<'_> {
    /// The visit itself.
    async fn go(&self) -> Result<Rendered, Unrendered> {
        let deadline = Instant::now() + self.settings.timeout;
        self.prepare().await?;
        let acted = timeout_at(deadline, async {
            let address = json!({ "url": self.visit.url });
            let (arrived, passed) = tokio::join!(
                self.page("Page.navigate", address),
                self.pass(self.settings.patience)
            );
            arrived.and(passed)?;
            self.click_around().await?;
            self.note_globals().await
        })
        .await;
        let whole = match acted {
            Ok(Ok(())) => true,
            // A click that went wrong leaves a page that can be read.
            Ok(Err(CdpError::Refused(_))) => false,
            Ok(Err(CdpError::Gone)) => return Err(Unrendered::Crashed),
            Err(_) => {
                self.page("Runtime.terminateExecution", json!({})).await?;
                false
            }
        };
        if !self.notes().served {
            return Err(Unrendered::Crashed);
        }
        let html = timeout(HARVEST, self.harvest()).await.map_err(|_| Unrendered::Timeout)??;
        let found = std::mem::take(&mut self.notes().found);
        Ok(Rendered { html, found, whole })
    }

    async fn prepare(&self) -> Result<(), CdpError> {
        let deny = json!({ "behavior": "deny", "browserContextId": self.context });
        self.cdp.call("", "Browser.setDownloadBehavior", deny).await?;
        self.page("Page.enable", json!({})).await?;
        self.page("Network.setBypassServiceWorker", json!({ "bypass": true })).await?;
        let all = json!({ "patterns": [{ "urlPattern": "*", "requestStage": "Request" }] });
        self.page("Fetch.enable", all).await?;
        let (width, height) = WINDOW;
        let window =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.page("Emulation.setDeviceMetricsOverride", window).await?;
        let now = self.visit.now.0 as f64 / 1_000.0;
        let still = json!({ "policy": "pause", "initialVirtualTime": now });
        self.page("Emulation.setVirtualTimePolicy", still).await?;
        Ok(())
    }

    /// A command to the page.
    pub(super) async fn page(&self, method: &str, params: Value) -> Result<Value, CdpError> {
        self.cdp.call(&self.session, method, params).await
    }

    /// Lets the page's own time pass: timers fire at once, and the clock stands still while the page
    /// waits for data.
    pub(super) async fn pass(&self, time: Duration) -> Result<(), CdpError> {
        let mut spans = self.spans.subscribe();
        let policy = json!({
            "policy": "pauseIfNetworkFetchesPending",
            "budget": time.as_millis() as u64,
            "maxVirtualTimeTaskStarvationCount": STARVATION,
        });
        self.page("Emulation.setVirtualTimePolicy", policy).await?;
        spans.changed().await.map_err(|_| CdpError::Gone)
    }

    /// A world of scripts that the page's own cannot reach.
    pub(super) async fn world(&self) -> Result<u64, CdpError> {
        let world = json!({ "frameId": self.frame });
        let world = self.page("Page.createIsolatedWorld", world).await?;
        world["executionContextId"]
            .as_u64()
            .ok_or_else(|| CdpError::Refused("no world of its own".into()))
    }

    /// Notes the addresses that the page's scripts hold in variables for all.
    async fn note_globals(&self) -> Result<(), CdpError> {
        let names = self.page("Runtime.globalLexicalScopeNames", json!({})).await?;
        let names = names["names"].as_array().into_iter().flatten().filter_map(Value::as_str);
        // A variable that has no value yet must not hide the others.
        let reads: Vec<String> =
            names.take(MAX_FOUND).map(|name| format!("() => {name}")).collect();
        let ask = json!({
            "expression": format!("({GLOBALS})([{}], {MAX_GLOBALS})", reads.join(", ")),
            "returnByValue": true,
        });
        let found = self.page("Runtime.evaluate", ask).await?;
        for url in found["result"]["value"].as_array().into_iter().flatten().take(MAX_GLOBALS) {
            self.note(url, LinkKind::Inline);
        }
        Ok(())
    }

    async fn harvest(&self) -> Result<String, CdpError> {
        self.page("Emulation.setScriptExecutionDisabled", json!({ "value": true })).await?;
        let address = Value::from(self.visit.url.as_str());
        let read = json!({
            "expression": format!("({READ})({address}, {MAX_HTML})"),
            "contextId": self.world().await?,
            "returnByValue": true,
        });
        let read = self.page("Runtime.evaluate", read).await?;
        match read["result"]["value"].as_str() {
            Some(html) => Ok(html.to_owned()),
            None => Err(CdpError::Refused("the page cannot be read".into())),
        }
    }

    /// Answers what the browser asks and notes where the page leads, until the page is gone.
    async fn follow(
        &self,
        mut events: mpsc::Receiver<Event>,
        queue: mpsc::Sender<Paused>,
    ) -> Unrendered {
        while let Some(Event { method, params }) = events.recv().await {
            let done = match method.as_str() {
                "Fetch.requestPaused" => self.decide(&params, &queue).await,
                "Page.javascriptDialogOpening" => {
                    // A page that wants to keep its reader is left.
                    let accept = json!({ "accept": params["type"] == "beforeunload" });
                    self.page("Page.handleJavaScriptDialog", accept).await.map(drop)
                }
                "Emulation.virtualTimeBudgetExpired" => {
                    self.spans.send_modify(|spans| *spans += 1);
                    Ok(())
                }
                "Page.windowOpen" => {
                    self.note(&params["url"], LinkKind::Script);
                    Ok(())
                }
                "Page.navigatedWithinDocument" if params["frameId"] == *self.frame => {
                    self.note(&params["url"], LinkKind::Script);
                    Ok(())
                }
                "Page.frameRequestedNavigation" if params["frameId"] == *self.frame => {
                    let reason = params["reason"].as_str().unwrap_or_default();
                    let form = reason.starts_with("formSubmission");
                    let kind = if form { LinkKind::Form } else { LinkKind::Script };
                    self.note(&params["url"], kind);
                    Ok(())
                }
                "Inspector.targetCrashed" | "Inspector.detached" => return Unrendered::Crashed,
                _ => Ok(()),
            };
            if done == Err(CdpError::Gone) {
                return Unrendered::Crashed;
            }
        }
        if self.cdp.is_gone() { Unrendered::Crashed } else { Unrendered::Flood }
    }

    async fn decide(&self, params: &Value, queue: &mpsc::Sender<Paused>) -> Result<(), CdpError> {
        let Some(paused) = Paused::of(params) else { return Ok(()) };
        if paused.is_navigation(&self.frame) && !std::mem::replace(&mut self.notes().served, true) {
            let Visit { status, headers, body, .. } = self.visit;
            return self.fulfil(&paused, *status, shown(headers), body).await;
        }
        match paused.verdict(&self.frame) {
            Verdict::Drop => {}
            Verdict::Note(kind) => self.note(&paused.url.as_str().into(), kind),
            Verdict::Fetch => {
                self.note(&paused.url.as_str().into(), LinkKind::Resource);
                match queue.try_send(paused) {
                    Ok(()) => return Ok(()),
                    Err(full) => return self.refuse(&full.into_inner()).await,
                }
            }
        }
        self.refuse(&paused).await
    }

    /// Makes the page's requests, one at a time.
    async fn fetch(&self, mut queue: mpsc::Receiver<Paused>) {
        let mut made = 0;
        while let Some(paused) = queue.recv().await {
            made += 1;
            let fetched = if made > self.settings.requests {
                None
            } else {
                let (reply, fetched) = oneshot::channel();
                let need =
                    Need::Fetch { url: paused.url.clone(), accept: paused.accept.clone(), reply };
                // Without anybody who fetches there is nothing to be had.
                match self.needs.send(need).await {
                    Ok(()) => fetched.await.ok().flatten(),
                    Err(_) => None,
                }
            };
            let answered = match fetched {
                Some(Fetched { status, headers, body }) => {
                    self.fulfil(&paused, status, shown(&headers), &body).await
                }
                None => self.refuse(&paused).await,
            };
            if answered == Err(CdpError::Gone) {
                break;
            }
        }
        // The end of the page is noticed where its events are read.
        std::future::pending::<()>().await;
    }

    async fn fulfil(
        &self,
        paused: &Paused,
        status: u16,
        headers: Vec<Value>,
        body: &[u8],
    ) -> Result<(), CdpError> {
        let answer = json!({
            "requestId": paused.id,
            "responseCode": status,
            "responseHeaders": headers,
            "body": BASE64.encode(body),
        });
        tolerate(self.page("Fetch.fulfillRequest", answer).await)
    }

    async fn refuse(&self, paused: &Paused) -> Result<(), CdpError> {
        // An aborted navigation leaves the page where it is.
        let navigation = paused.is_navigation(&self.frame);
        let reason = if navigation { "Aborted" } else { "BlockedByClient" };
        let refusal = json!({ "requestId": paused.id, "errorReason": reason });
        tolerate(self.page("Fetch.failRequest", refusal).await)
    }

    fn note(&self, url: &Value, kind: LinkKind) {
        let Some(url) = url.as_str().filter(|url| is_web(url)) else { return };
        let url = url.split('#').next().unwrap_or(url);
        let mut notes = self.notes();
        if url == self.visit.url || notes.found.len() >= MAX_FOUND {
            return;
        }
        if notes.known.insert(url.to_owned()) {
            notes.found.push((url.to_owned(), kind));
        }
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request that its page has given up cannot be answered any more, and need not.
fn tolerate(answer: Result<Value, CdpError>) -> Result<(), CdpError> {
    match answer {
        Err(CdpError::Gone) => Err(CdpError::Gone),
        Ok(_) | Err(CdpError::Refused(_)) => Ok(()),
    }
}
