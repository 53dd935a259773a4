//! Who starts, watches and ends hunts? One agent for a data folder. Hunts have their turns one after the
//! other, since one crawl at a time works on a folder; each lives on a thread and a runtime of its own, and is
//! spoken to through the control door of its crawl, as by anybody else.

use super::shelf::{Kept, Shelf};
use super::{hunt, job_of};
use crate::commands::crawl::Job;
use crate::config::Config;
use crate::crew;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use lycosa_interface::control::{self, ControlError};
use lycosa_model::Phase;
use lycosa_model::message::{
    Budget, HuntMessage, HuntOrder, HuntReply, HuntView, InterfaceMessage, InterfaceReply,
};
use lycosa_runtime::{Agent, Exit, Handle, Life, Mailbox, Registry, RestartLimit, mailbox, spawn};
use lycosa_store::folder::{DataFolder, FolderError};
use lycosa_store::records::Records;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

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

/// The manager.
pub(crate) struct Manager {
    config: Config,
    data: PathBuf,
    shelf: Shelf,
    hunts: BTreeMap<u64, Kept>,
    at_work: Option<(u64, JoinHandle<Turn>)>,
    /// When the folder is tried again.
    again: Instant,
    interrupt: Interrupt,
}

/// What it shows of itself.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct ManagerState {
    hunts: usize,
    waiting: usize,
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
    let handle = spawn(registry, "manager", name, channel, RestartLimit::default(), build);
    Ok((sender, handle))
}

impl Manager {
    fn new(data: &Path, config: &Config, interrupt: &Interrupt) -> Manager {
        let shelf = Shelf::new(data);
        let known = shelf.all().unwrap_or_default();
        let hunts = known.into_iter().map(|view| (view.id, shelf.keep(view))).collect();
        Manager {
            config: config.clone(),
            data: data.to_owned(),
            shelf,
            hunts,
            at_work: None,
            again: Instant::now(),
            interrupt: interrupt.clone(),
        }
    }

    /// Lets the next one have its turn.
    fn look(&mut self) {
        if self.at_work.as_ref().is_some_and(|(_, thread)| thread.is_finished())
            && let Some((id, thread)) = self.at_work.take()
        {
            match thread.join() {
                Ok(Turn::Over) => {}
                Ok(Turn::Busy) => self.again = Instant::now() + BUSY,
                Err(_) => self.fail(id, "it failed; see the log of the server"),
            }
        }
        if self.at_work.is_some() || self.interrupt.asked() || Instant::now() < self.again {
            return;
        }
        let views = self.hunts.values().map(|kept| (kept, kept.view()));
        let mut open = views.filter(|(_, view)| view.state != Phase::Finished);
        // The run of one that was cut off would be lost if another began.
        let cut_off = open.clone().find(|(_, view)| view.run.is_some());
        let next = cut_off.or_else(|| open.find(|(_, view)| view.state != Phase::Paused));
        let Some((kept, view)) = next.filter(|(_, view)| view.state != Phase::Paused) else {
            return;
        };
        let kept = kept.clone();
        let job = job_of(&view.order, &self.config, &self.data, (&self.shelf, view.id));
        let started = job.and_then(|job| Ok(self.start(&kept, job)?));
        match started {
            Ok(thread) => self.at_work = Some((view.id, thread)),
            Err(failure) => self.fail(view.id, &failure.to_string()),
        }
    }

    fn start(&self, kept: &Kept, job: Job) -> std::io::Result<JoinHandle<Turn>> {
        let (kept, interrupt) = (kept.clone(), self.interrupt.clone());
        let name = format!("hunt-{}", kept.view().id);
        std::thread::Builder::new().name(name).spawn(move || work(&kept, job, &interrupt))
    }

    fn fail(&self, id: u64, why: &str) {
        if let Some(kept) = self.hunts.get(&id) {
            note(kept, |view| {
                view.state = Phase::Finished;
                view.error = Some(why.to_owned());
            });
        }
    }

    fn add(&mut self, order: &HuntOrder) -> Result<u64, Failure> {
        let waiting = self.hunts.values().filter(|kept| kept.view().state == Phase::Waiting);
        if waiting.count() >= MOST_WAITING {
            return Err(Failure::new(format!("{MOST_WAITING} hunts are waiting already"))
                .hint("stop some of them"));
        }
        let kept = self.shelf.add(order.clone(), "")?;
        let id = kept.view().id;
        // Whatever is wrong with the order is said at once.
        match job_of(order, &self.config, &self.data, (&self.shelf, id)) {
            Ok(job) => {
                let strategy = job.config.crawl.strategy().to_owned();
                kept.change(|view| view.strategy = strategy)?;
                self.hunts.insert(id, kept);
                self.look();
                Ok(id)
            }
            Err(failure) => {
                self.shelf.remove(id);
                Err(failure)
            }
        }
    }

    /// A hunt as it is now, with what its crawl says.
    async fn show(&self, kept: &Kept) -> HuntView {
        let mut view = kept.view();
        let at_work = self.at_work.as_ref().is_some_and(|(id, _)| *id == view.id);
        if at_work
            && view.run.is_some()
            && let Ok(InterfaceReply::Status(Some(status))) =
                self.ask(InterfaceMessage::Status).await
        {
            // The crawl is done before its index is, and before the record of the hunt is written.
            view.state = match status.broker.state {
                Phase::Finished => Phase::Stopping,
                state => state,
            };
            view.pages = status.broker.pages;
            view.status = Some(status);
        }
        view
    }

    /// Asks the crawl that works on the folder.
    async fn ask(&self, message: InterfaceMessage) -> Result<InterfaceReply, HuntReply> {
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

    /// Tells the crawl of a hunt something.
    async fn tell(&self, id: u64, message: InterfaceMessage) -> HuntReply {
        let Some(kept) = self.hunts.get(&id) else { return HuntReply::Unknown };
        let at_work = self.at_work.as_ref().is_some_and(|(work, _)| *work == id);
        match (at_work, kept.view().state, &message) {
            (true, ..) => {
                let state = match message {
                    InterfaceMessage::Pause => Some(Phase::Paused),
                    InterfaceMessage::GoOn => Some(Phase::Running),
                    _ => None,
                };
                let limits = match message {
                    InterfaceMessage::Limit(budget) => budget,
                    _ => Budget::default(),
                };
                match self.ask(message).await {
                    Ok(_) => {
                        // So that it is the same after a restart of the server.
                        note(kept, |view| {
                            view.state = state.unwrap_or(view.state);
                            view.order.pages = limits.pages.or(view.order.pages);
                            view.order.seconds = limits.seconds.or(view.order.seconds);
                        });
                        HuntReply::Done
                    }
                    Err(refused) => refused,
                }
            }
            (false, Phase::Finished, _) => refused("it has ended", "start another one"),
            (false, _, InterfaceMessage::Stop) => {
                note(kept, |view| view.state = Phase::Finished);
                HuntReply::Done
            }
            (false, _, InterfaceMessage::Pause) => {
                note(kept, |view| view.state = Phase::Paused);
                HuntReply::Done
            }
            (false, _, InterfaceMessage::GoOn) => {
                note(kept, |view| view.state = Phase::Waiting);
                HuntReply::Done
            }
            _ => refused("it waits for its turn", "say it again when it runs"),
        }
    }

    async fn results(&self, id: u64, limit: usize) -> HuntReply {
        let Some(kept) = self.hunts.get(&id) else { return HuntReply::Unknown };
        let view = kept.view();
        if self.at_work.as_ref().is_some_and(|(work, _)| *work == id)
            && view.run.is_some()
            && let Ok(InterfaceReply::Results(prey)) =
                self.ask(InterfaceMessage::Results { limit }).await
        {
            return HuntReply::Results(prey);
        }
        HuntReply::Results(view.results.into_iter().take(limit).collect())
    }
}

/// Writes a change down; that the disk refuses it is told and is no reason to stop.
fn note(kept: &Kept, change: impl FnOnce(&mut HuntView)) {
    if let Err(failure) = kept.change(change) {
        tracing::warn!("{failure}");
    }
}

fn refused(error: impl Into<String>, hint: impl Into<String>) -> HuntReply {
    HuntReply::Refused { error: error.into(), hint: hint.into() }
}

/// One turn, on its own thread.
fn work(kept: &Kept, mut job: Job, interrupt: &Interrupt) -> Turn {
    let folder = match DataFolder::lock(&job.data) {
        Ok(folder) => folder,
        Err(FolderError::InUse { .. }) => return Turn::Busy,
        Err(error) => {
            note(kept, |view| {
                view.state = Phase::Finished;
                view.error = Some(error.to_string());
            });
            return Turn::Over;
        }
    };
    if let Some(run) = kept.view().run {
        match last_run(&folder) {
            Ok(last) if last == run => job.resume = true,
            Ok(_) => {
                note(kept, |view| {
                    view.state = Phase::Finished;
                    view.error = Some("it was cut off, and another crawl has begun since".into());
                });
                return Turn::Over;
            }
            Err(failure) => tracing::warn!("{failure}"),
        }
    }
    let outcome = crew::runtime(&job.config)
        .and_then(|runtime| runtime.block_on(hunt(kept, job, &folder, interrupt)));
    if let Err(failure) = outcome {
        tracing::warn!("hunt {}: {failure}", kept.view().id);
        note(kept, |view| {
            view.state = Phase::Finished;
            view.error.get_or_insert(failure.to_string());
        });
    }
    Turn::Over
}

fn last_run(folder: &DataFolder) -> Result<u32, Failure> {
    let run = Records::open(&folder.broker())?.run()?;
    Ok(run.map_or(0, |run| run.number))
}

impl Agent for Manager {
    type Message = HuntMessage;
    type State = ManagerState;

    fn observe(&self) -> ManagerState {
        let waiting = self.hunts.values().filter(|kept| kept.view().state == Phase::Waiting);
        ManagerState {
            hunts: self.hunts.len(),
            waiting: waiting.count(),
            at_work: self.at_work.as_ref().map(|(id, _)| *id),
        }
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
            HuntMessage::List => {
                let mut views = Vec::new();
                for kept in self.hunts.values().rev() {
                    let view = self.show(kept).await;
                    views.push(HuntView { results: Vec::new(), status: None, ..view });
                }
                HuntReply::List(views)
            }
            HuntMessage::Show { id } => match self.hunts.get(&id) {
                Some(kept) => HuntReply::Hunt(Box::new(self.show(kept).await)),
                None => HuntReply::Unknown,
            },
            HuntMessage::Results { id, limit } => self.results(id, limit).await,
            HuntMessage::Pause { id } => self.tell(id, InterfaceMessage::Pause).await,
            HuntMessage::GoOn { id } => self.tell(id, InterfaceMessage::GoOn).await,
            HuntMessage::Stop { id } => self.tell(id, InterfaceMessage::Stop).await,
            HuntMessage::Limit { id, budget } => {
                self.tell(id, InterfaceMessage::Limit(budget)).await
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
        if let Some((_, thread)) = self.at_work.take() {
            // The crawl was told by the same interrupt.
            drop(tokio::task::spawn_blocking(move || thread.join()).await);
        }
        Exit::Finished
    }
}
