//! Who starts, watches and ends hunts? One agent for a data folder. Hunts have their turns one after the
//! other, since one crawl at a time works on a folder; each lives on a thread and a runtime of its own, and is
//! spoken to through the control door of its crawl, as by anybody else.

use super::shelf::{Kept, Shelf};
use super::{hunt, job_of, last_run};
use crate::commands::crawl::Job;
use crate::config::Config;
use crate::crew;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use lycosa_interface::control::{self, ControlError};
use lycosa_model::Phase;
use lycosa_model::message::{
    HuntMessage, HuntOrder, HuntReply, HuntView, InterfaceMessage, InterfaceReply,
};
use lycosa_runtime::{Agent, Exit, Handle, Life, Mailbox, Registry, RestartLimit, mailbox, spawn};
use lycosa_store::folder::{DataFolder, FolderError};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How often it looks whether a hunt has ended and another has its turn.
const LOOK: Duration = Duration::from_millis(200);

/// How long it waits for a folder that somebody else works on before it tries again.
const BUSY: Duration = Duration::from_secs(2);

/// How long a crawl has to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Hunts that may wait for their turn.
const MOST_WAITING: usize = 100;

/// Messages that may wait.
const MAILBOX: usize = 64;

/// Hunts of a list at most, the newest ones.
const MOST_LISTED: usize = 1_000;

/// The manager.
pub(crate) struct Manager {
    config: Config,
    data: PathBuf,
    shelf: Shelf,
    /// Numbers of hunts that were ordered here and have not ended, as far as is known.
    open: BTreeSet<u64>,
    pub(super) at_work: Option<Work>,
    /// When the folder is tried again.
    again: Instant,
    interrupt: Interrupt,
}

/// The hunt whose turn it is.
pub(super) struct Work {
    pub(super) id: u64,
    kept: Kept,
    thread: JoinHandle<Turn>,
    /// Ends it before it has begun; then its crawl is told.
    pub(super) stop: watch::Sender<bool>,
}

/// What it shows of itself.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct ManagerState {
    open: usize,
    at_work: Option<u64>,
}

/// How a turn ended.
enum Turn {
    Over,
    /// Somebody else works on the folder.
    Busy,
}

/// Starts the manager of a data folder on the present runtime. It leaves when the last clone of the mailbox is
/// gone, and waits for the hunt at work, which ends when the person at the terminal has enough.
pub(crate) fn open(
    registry: &Registry,
    data: &Path,
    config: &Config,
    interrupt: &Interrupt,
) -> Result<(Mailbox<HuntMessage>, Handle), Failure> {
    // Told at once when the shelf cannot be read.
    Shelf::new(data).all()?;
    let (sender, inbox) = mailbox::<HuntMessage>(MAILBOX);
    let (data, config, interrupt) = (data.to_owned(), config.clone(), interrupt.clone());
    let build = move || Manager::new(&data, &config, &interrupt);
    let name = "hunts".to_owned();
    let channel = (&sender, inbox);
    // It is one of those who speak with people.
    let handle = spawn(registry, "interface", name, channel, RestartLimit::default(), build);
    Ok((sender, handle))
}

impl Manager {
    fn new(data: &Path, config: &Config, interrupt: &Interrupt) -> Manager {
        let shelf = Shelf::new(data);
        let known = shelf.all().unwrap_or_default();
        // What was started at a terminal is gone on with there.
        let ours = known.iter().filter(|view| view.served && view.state != Phase::Finished);
        Manager {
            config: config.clone(),
            data: data.to_owned(),
            open: ours.map(|view| view.id).collect(),
            shelf,
            at_work: None,
            again: Instant::now(),
            interrupt: interrupt.clone(),
        }
    }

    /// Lets the next one have its turn.
    fn look(&mut self) {
        if self.at_work.as_ref().is_some_and(|work| work.thread.is_finished())
            && let Some(work) = self.at_work.take()
        {
            match work.thread.join() {
                Ok(Turn::Over) => {}
                Ok(Turn::Busy) => self.again = Instant::now() + BUSY,
                Err(_) => fail(&work.kept, "it failed; see the log of the server"),
            }
        }
        if self.at_work.is_some() || self.interrupt.asked() || Instant::now() < self.again {
            return;
        }
        let Some((kept, view)) = self.next() else { return };
        let job = job_of(&view.order, &self.config, &self.data, (&self.shelf, view.id));
        let started = job.and_then(|job| Ok(self.start(kept.clone(), job)?));
        match started {
            Ok(work) => self.at_work = Some(work),
            Err(failure) => fail(&kept, &failure.to_string()),
        }
    }

    /// Whose turn it is.
    fn next(&mut self) -> Option<(Kept, HuntView)> {
        let mut waiting = Vec::new();
        for id in self.open.clone() {
            let kept = self.shelf.one(id);
            match kept.map(|kept| (kept.view(), kept)) {
                None => drop(self.open.remove(&id)),
                Some((view, _)) if view.state == Phase::Finished => drop(self.open.remove(&id)),
                Some((view, kept)) if view.state == Phase::Stopping => {
                    // It was told to stop, and the server ended before it had; unless another one is at it.
                    if DataFolder::lock(&self.data).is_ok() {
                        note(&kept, |view| view.state = Phase::Finished);
                    }
                }
                Some((view, kept)) => waiting.push((kept, view)),
            }
        }
        // The run of one that was cut off would be lost if another began.
        let cut_off = waiting.iter().position(|(_, view)| view.run.is_some());
        let first = waiting.iter().position(|(_, view)| view.state != Phase::Paused);
        let next = waiting.swap_remove(cut_off.or(first)?);
        Some(next).filter(|(_, view)| view.state != Phase::Paused)
    }

    fn start(&self, kept: Kept, job: Job) -> std::io::Result<Work> {
        let (interrupt, stop) = self.interrupt.of_one();
        let id = kept.view().id;
        let shared = kept.clone();
        let thread = std::thread::Builder::new()
            .name(format!("hunt-{id}"))
            .spawn(move || work(&shared, job, &interrupt))?;
        Ok(Work { id, kept, thread, stop })
    }

    fn add(&mut self, order: &HuntOrder) -> Result<u64, Failure> {
        if self.open.len() >= MOST_WAITING {
            return Err(Failure::new(format!("{MOST_WAITING} hunts are waiting already"))
                .hint("stop some of them"));
        }
        let kept = self.shelf.add(order.clone(), "", true)?;
        let id = kept.view().id;
        // Whatever is wrong with the order is said at once.
        match job_of(order, &self.config, &self.data, (&self.shelf, id)) {
            Ok(job) => {
                let strategy = job.config.crawl.strategy().to_owned();
                kept.change(|view| view.strategy = strategy)?;
                self.open.insert(id);
                Ok(id)
            }
            Err(failure) => {
                self.shelf.remove(id);
                Err(failure)
            }
        }
    }

    /// The data folder that it hunts in.
    pub(super) fn folder(&self) -> &Path {
        &self.data
    }

    /// The hunt of a number: the one at work, or what is on the shelf.
    pub(super) fn find(&self, id: u64) -> Option<Kept> {
        match &self.at_work {
            Some(work) if work.id == id => Some(work.kept.clone()),
            _ => self.shelf.one(id),
        }
    }

    /// Whether the crawl that answers at the door of the folder is that of this hunt.
    pub(super) fn has_begun(&self, id: u64) -> bool {
        self.at_work.as_ref().is_some_and(|work| work.id == id && work.kept.has_begun())
    }

    /// Whether another process that serves the same folder is at work on a hunt.
    pub(super) async fn is_at_work_elsewhere(&self, view: &HuntView) -> bool {
        let status = match view.run {
            Some(_) => self.ask(InterfaceMessage::Status).await,
            None => return false,
        };
        let run = match status {
            Ok(InterfaceReply::Status(Some(status))) => Some(status.broker.run),
            _ => None,
        };
        run.is_some() && run == view.run
    }

    /// A hunt as it is now, with what its crawl says.
    async fn show(&self, mut view: HuntView) -> HuntView {
        if view.state != Phase::Finished
            && let Ok(InterfaceReply::Status(Some(status))) =
                self.ask(InterfaceMessage::Status).await
            && view.run == Some(status.broker.run)
        {
            // The crawl is done before its index is, and before the record of the hunt is written.
            view.state = match status.broker.state {
                Phase::Finished => Phase::Stopping,
                state => state,
            };
            view.pages = status.broker.pages;
            // Whoever else speaks with the crawl may have changed it.
            view.order.exclude.clone_from(&status.broker.excluded);
            view.status = Some(status);
        }
        view
    }

    /// Asks the crawl that works on the folder.
    pub(super) async fn ask(&self, message: InterfaceMessage) -> Result<InterfaceReply, HuntReply> {
        let dir = self.data.clone();
        let asked = move || control::ask_within(&dir, &message, PATIENCE);
        match tokio::task::spawn_blocking(asked).await {
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(ControlError::NotRunning)) => {
                Err(refused("it has not begun yet", "ask again in a moment"))
            }
            Ok(Err(ControlError::Refused { error, hint })) => Err(refused(error, hint)),
            Ok(Err(error)) => Err(refused(error.to_string(), "ask again in a moment")),
            Err(_) => Err(refused("nobody could be asked", "ask again in a moment")),
        }
    }

    /// Ends a hunt whose results nobody wants.
    async fn cancel(&self, id: u64) -> HuntReply {
        let reply = self.tell(id, InterfaceMessage::Stop).await;
        if reply == HuntReply::Done
            && let Some(kept) = self.find(id)
        {
            note(&kept, |view| {
                view.cancelled = true;
                view.results.clear();
            });
        }
        reply
    }

    async fn results(&self, id: u64, limit: usize) -> HuntReply {
        let Some(kept) = self.find(id) else { return HuntReply::Unknown };
        let view = self.show(kept.view()).await;
        if view.cancelled {
            return HuntReply::Results(Vec::new());
        }
        if view.status.is_some()
            && let Ok(InterfaceReply::Results(prey)) =
                self.ask(InterfaceMessage::Results { limit }).await
        {
            return HuntReply::Results(prey);
        }
        HuntReply::Results(view.results.into_iter().take(limit).collect())
    }

    /// All hunts, the newest first.
    async fn list(&self) -> HuntReply {
        let views = match self.shelf.all() {
            Ok(views) => views,
            Err(failure) => return refused(failure.to_string(), "see the log of the server"),
        };
        let mut list = Vec::new();
        for view in views.into_iter().rev().take(MOST_LISTED) {
            let view = self.show(view).await;
            list.push(HuntView { results: Vec::new(), status: None, ..view });
        }
        HuntReply::List(list)
    }
}

fn fail(kept: &Kept, why: &str) {
    note(kept, |view| {
        view.state = Phase::Finished;
        view.error = Some(why.to_owned());
    });
}

/// Writes a change down; that the disk refuses it is told and is no reason to stop.
pub(super) fn note(kept: &Kept, change: impl FnOnce(&mut HuntView)) {
    if let Err(failure) = kept.change(change) {
        tracing::warn!("{failure}");
    }
}

pub(super) fn refused(error: impl Into<String>, hint: impl Into<String>) -> HuntReply {
    HuntReply::Refused { error: error.into(), hint: hint.into() }
}

/// One turn, on its own thread.
fn work(kept: &Kept, mut job: Job, interrupt: &Interrupt) -> Turn {
    let folder = match DataFolder::lock(&job.data) {
        Ok(folder) => folder,
        Err(FolderError::InUse { .. }) => return Turn::Busy,
        Err(error) => {
            fail(kept, &error.to_string());
            return Turn::Over;
        }
    };
    match kept.take_up() {
        Ok(true) => {}
        Ok(false) => return Turn::Over,
        Err(failure) => {
            tracing::warn!("{failure}");
            return Turn::Over;
        }
    }
    if let Some(run) = kept.view().run {
        match last_run(&folder) {
            Ok(last) if last == run => {
                job.resume = true;
                // The run itself knows what it leaves alone by now.
                job.config.crawl.exclude.clear();
            }
            Ok(_) => {
                fail(kept, "it was cut off, and another crawl has begun since");
                return Turn::Over;
            }
            Err(failure) => {
                fail(kept, &failure.to_string());
                return Turn::Over;
            }
        }
    }
    let outcome = crew::runtime(&job.config)
        .and_then(|runtime| runtime.block_on(hunt(kept, job, &folder, interrupt)));
    if let Err(failure) = outcome {
        tracing::warn!("hunt {}: {failure}", kept.view().id);
    }
    Turn::Over
}

impl Agent for Manager {
    type Message = HuntMessage;
    type State = ManagerState;

    fn observe(&self) -> ManagerState {
        ManagerState { open: self.open.len(), at_work: self.at_work.as_ref().map(|work| work.id) }
    }

    async fn handle(&mut self, message: HuntMessage) -> HuntReply {
        match message {
            HuntMessage::Start(order) => match self.add(&order) {
                Ok(id) => HuntReply::Started(id),
                Err(failure) => {
                    let hint = failure.hint_text().unwrap_or("change the order").to_owned();
                    refused(failure.to_string(), hint)
                }
            },
            HuntMessage::List => self.list().await,
            HuntMessage::Show { id } => match self.find(id) {
                Some(kept) => HuntReply::Hunt(Box::new(self.show(kept.view()).await)),
                None => HuntReply::Unknown,
            },
            HuntMessage::Results { id, limit } => self.results(id, limit).await,
            HuntMessage::Pause { id } => self.tell(id, InterfaceMessage::Pause).await,
            HuntMessage::GoOn { id } => self.tell(id, InterfaceMessage::GoOn).await,
            HuntMessage::Stop { id } => self.tell(id, InterfaceMessage::Stop).await,
            HuntMessage::Cancel { id } => self.cancel(id).await,
            HuntMessage::Limit { id, budget } => {
                self.tell(id, InterfaceMessage::Limit(budget)).await
            }
            HuntMessage::Exclude { id, patterns } => {
                self.tell(id, InterfaceMessage::Exclude { patterns }).await
            }
            HuntMessage::Include { id, patterns } => {
                self.tell(id, InterfaceMessage::Include { patterns }).await
            }
            HuntMessage::Tend { id, agent, how } => {
                self.tell(id, InterfaceMessage::Tend { agent, how }).await
            }
            HuntMessage::Verdict { id, url, good } => {
                self.tell(id, InterfaceMessage::Verdict { url, good }).await
            }
        }
    }

    async fn run(&mut self, life: &Life<Self>) -> Exit {
        loop {
            tokio::select! {
                biased;
                envelope = life.inbox.next() => {
                    let Some(envelope) = envelope else { break };
                    let (message, reply) = envelope.open();
                    reply.send(self.handle(message).await);
                    // Whoever asks without a pause must not keep the next one from its turn.
                    self.look();
                    life.handled(self);
                }
                () = tokio::time::sleep(LOOK) => {
                    self.look();
                    life.publish(self);
                }
            }
        }
        if let Some(work) = self.at_work.take() {
            // The crawl was told by the same interrupt.
            drop(tokio::task::spawn_blocking(move || work.thread.join()).await);
        }
        Exit::Finished
    }
}
