//! Who keeps watch while a server runs? One agent. It looks at watches when they are due, one after the other, and tells
//! what waits, each on a thread of its own, so that it always has an answer for whoever asks.

use super::{Env, Shelf, add, check, edit, go_on, now, rotate, send_due, view_of};
use crate::config::Config;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use lycosa_model::Tick;
use lycosa_model::message::{WatchFeed, WatchMessage, WatchReply, WatchView};
use lycosa_runtime::{Agent, Exit, Handle, Life, Mailbox, Registry, RestartLimit, mailbox, spawn};
use lycosa_watch::{Channel, feed};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

/// How often it looks whether something is due.
const LOOK: Duration = Duration::from_millis(500);

/// How long a watch that could not be looked at, or whose receivers could not be told, is left alone when not even
/// that could be written down.
const HOLD: Duration = Duration::from_secs(30);

/// Messages that may wait.
const MAILBOX: usize = 64;

/// The keeper.
pub(crate) struct Keeper {
    env: Env,
    known: BTreeMap<u64, Known>,
    checking: Option<(u64, JoinHandle<bool>)>,
    sending: Option<JoinHandle<bool>>,
    /// Until when nothing is told, after trouble that could not be written down.
    silent: Option<Instant>,
}

/// What of a watch says when there is something to do.
struct Known {
    stamp: (u64, SystemTime),
    due: Option<Tick>,
    next_delivery: Option<Tick>,
    held: Option<Instant>,
}

/// What it shows of itself.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct KeeperState {
    watches: usize,
    looking_at: Option<u64>,
    telling: bool,
}

/// Starts the keeper of a data folder on the present runtime. It leaves when the last clone of the mailbox is gone,
/// and waits for what is under way, which ends when the person at the terminal has enough.
pub(crate) fn open(
    registry: &Registry,
    data: &Path,
    config: &Config,
    interrupt: &Interrupt,
) -> Result<(Mailbox<WatchMessage>, Handle), Failure> {
    // Told at once when the shelf cannot be read.
    Shelf::new(data).ids()?;
    let (sender, inbox) = mailbox::<WatchMessage>(MAILBOX);
    let env = Env::new(data, config.clone(), interrupt.clone());
    let build = move || Keeper::new(env.clone());
    let name = "watches".to_owned();
    let channel = (&sender, inbox);
    let handle = spawn(registry, "interface", name, channel, RestartLimit::default(), build);
    Ok((sender, handle))
}

impl Keeper {
    fn new(env: Env) -> Keeper {
        Keeper { env, known: BTreeMap::new(), checking: None, sending: None, silent: None }
    }

    /// Reads what was written since it last looked, by whichever process.
    fn read(&mut self) -> Result<(), Failure> {
        let ids = self.env.shelf.ids()?;
        self.known.retain(|id, _| ids.binary_search(id).is_ok());
        for id in ids {
            let Some(stamp) = self.env.shelf.stamp(id) else { continue };
            let known = self.known.get(&id);
            if known.is_some_and(|known| known.stamp == stamp) {
                continue;
            }
            let held = known.and_then(|known| known.held);
            let (due, next_delivery) = match self.env.shelf.one(id) {
                Ok(Some(watch)) => ((!watch.paused).then_some(watch.due), watch.next_delivery()),
                Ok(None) => continue,
                Err(failure) => {
                    tracing::warn!("{failure}");
                    (None, None)
                }
            };
            self.known.insert(id, Known { stamp, due, next_delivery, held });
        }
        Ok(())
    }

    /// Begins whatever is due.
    fn look(&mut self) {
        self.gather();
        if self.env.interrupt.asked() {
            return;
        }
        if let Err(failure) = self.read() {
            tracing::warn!("{failure}");
            return;
        }
        let now = now();
        let is_due = |at: Option<Tick>| at.is_some_and(|at| at <= now);
        if self.checking.is_none() {
            let free = |known: &Known| known.held.is_none_or(|until| Instant::now() >= until);
            let due = self.known.iter().filter(|(_, known)| is_due(known.due) && free(known));
            let first = due.min_by_key(|(_, known)| known.due).map(|(id, _)| *id);
            if let Some(id) = first {
                self.begin_check(id);
            }
        }
        let silent = self.silent.is_some_and(|until| Instant::now() < until);
        if self.sending.is_none() && !silent {
            let due = self.known.iter().filter(|(_, known)| is_due(known.next_delivery));
            let ids: Vec<u64> = due.map(|(id, _)| *id).collect();
            if !ids.is_empty() {
                self.begin_sending(ids);
            }
        }
    }

    fn begin_check(&mut self, id: u64) {
        let env = self.env.clone();
        let work = move || match check(&env, id, false, Duration::ZERO) {
            Ok(checked) => {
                tracing::info!("watch {id}: {} changes", checked.entries.len());
                true
            }
            Err(failure) => {
                tracing::warn!("watch {id}: {failure}");
                false
            }
        };
        match std::thread::Builder::new().name(format!("watch-{id}")).spawn(work) {
            Ok(thread) => self.checking = Some((id, thread)),
            Err(error) => tracing::warn!("watch {id} cannot be looked at: {error}"),
        }
    }

    fn begin_sending(&mut self, ids: Vec<u64>) {
        let env = self.env.clone();
        let work = move || match send_due(&env, &ids, Duration::ZERO) {
            Ok(_) => true,
            Err(failure) => {
                tracing::warn!("what is new cannot be told: {failure}");
                false
            }
        };
        match std::thread::Builder::new().name("watch-tell".into()).spawn(work) {
            Ok(thread) => self.sending = Some(thread),
            Err(error) => tracing::warn!("what is new cannot be told: {error}"),
        }
    }

    /// Takes notice of what has ended.
    fn gather(&mut self) {
        if self.checking.as_ref().is_some_and(|(_, thread)| thread.is_finished())
            && let Some((id, thread)) = self.checking.take()
        {
            let went_well = thread.join().unwrap_or(false);
            if let Some(known) = self.known.get_mut(&id) {
                known.held = (!went_well).then(|| Instant::now() + HOLD);
            }
        }
        if self.sending.as_ref().is_some_and(JoinHandle::is_finished)
            && let Some(thread) = self.sending.take()
        {
            let went_well = thread.join().unwrap_or(false);
            self.silent = (!went_well).then(|| Instant::now() + HOLD);
        }
    }

    fn answer(&self, message: WatchMessage) -> Result<WatchReply, Failure> {
        let shelf = &self.env.shelf;
        let done = |told: Option<()>| told.map_or(WatchReply::Unknown, |()| WatchReply::Done);
        Ok(match message {
            WatchMessage::Add(order) => {
                let added = add(shelf, *order, &self.env.config)?;
                WatchReply::Added { id: added.id, feed: added.feed, secret: added.secret }
            }
            WatchMessage::List => {
                let watches = shelf.all()?;
                WatchReply::List(watches.iter().map(|watch| short(self.view(watch))).collect())
            }
            WatchMessage::Show { id } => match shelf.one(id)? {
                Some(watch) => WatchReply::Watch(Box::new(self.view(&watch))),
                None => WatchReply::Unknown,
            },
            WatchMessage::Edit { id, edit: new } => match shelf.one(id)? {
                Some(_) => WatchReply::Edited { secret: edit(shelf, id, *new, &self.env.config)? },
                None => WatchReply::Unknown,
            },
            WatchMessage::Remove { id } => done(shelf.remove(id)?.then_some(())),
            WatchMessage::Run { id } => {
                let at_once = |watch: &mut lycosa_watch::Watch| {
                    watch.due = now();
                    watch.paused
                };
                match shelf.change(id, at_once)? {
                    Some(true) => return Err(Failure::new("it rests").hint("let it go on first")),
                    told => done(told.map(drop)),
                }
            }
            WatchMessage::Pause { id } => done(shelf.change(id, |watch| watch.paused = true)?),
            WatchMessage::GoOn { id } => done(shelf.change(id, go_on)?),
            WatchMessage::Rotate { id } => match shelf.one(id)? {
                Some(_) => WatchReply::Secret(rotate(shelf, id)?),
                None => WatchReply::Unknown,
            },
            WatchMessage::Retry { id, delivery } => {
                let again =
                    |watch: &mut lycosa_watch::Watch| watch.retry(delivery.as_deref(), now());
                match shelf.change(id, again)? {
                    None => WatchReply::Unknown,
                    Some(0) => {
                        let failure =
                            Failure::new("nothing was given up that could be tried again");
                        return Err(failure.hint("look at its deliveries"));
                    }
                    Some(_) => WatchReply::Done,
                }
            }
            WatchMessage::Feeds { id } => self.feeds(id)?,
            WatchMessage::Feed { id, token, server } => match shelf.one(id)? {
                Some(watch) if token.is_none_or(|token| is_token(&watch, &token)) => {
                    WatchReply::Feed(feed::atom(&watch, &server))
                }
                _ => WatchReply::Unknown,
            },
            WatchMessage::Unsubscribe { id, token } => match shelf.one(id)? {
                Some(watch) if is_token(&watch, &token) => {
                    let why = "somebody asked for no more of it";
                    done(shelf.change(id, |watch| watch.switch_off(Channel::Mail, why))?)
                }
                _ => WatchReply::Unknown,
            },
        })
    }

    /// A watch as others may see it.
    fn view(&self, watch: &lycosa_watch::Watch) -> WatchView {
        let looking = self.checking.as_ref().is_some_and(|(id, _)| *id == watch.id);
        WatchView { looking, ..view_of(watch) }
    }

    fn feeds(&self, id: Option<u64>) -> Result<WatchReply, Failure> {
        let watches = match id {
            Some(id) => self.env.shelf.one(id)?.into_iter().collect(),
            None => self.env.shelf.all()?,
        };
        if id.is_some() && watches.is_empty() {
            return Ok(WatchReply::Unknown);
        }
        let feed = |watch: &lycosa_watch::Watch| WatchFeed {
            id: watch.id,
            name: watch.name().to_owned(),
            feed: watch.feed_with_token(),
        };
        Ok(WatchReply::Feeds(watches.iter().map(feed).collect()))
    }
}

/// Without what belongs to one watch alone.
fn short(view: WatchView) -> WatchView {
    let checks = view.checks.into_iter().take(1).collect();
    WatchView { entries: Vec::new(), deliveries: Vec::new(), checks, ..view }
}

/// Whether this is the token of the watch. Takes the same time for every wrong one of the same length.
fn is_token(watch: &lycosa_watch::Watch, token: &str) -> bool {
    let known = watch.token.0.as_bytes();
    let differing = known.iter().zip(token.as_bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
    !known.is_empty() && known.len() == token.len() && differing == 0
}

impl Agent for Keeper {
    type Message = WatchMessage;
    type State = KeeperState;

    fn observe(&self) -> KeeperState {
        KeeperState {
            watches: self.known.len(),
            looking_at: self.checking.as_ref().map(|(id, _)| *id),
            telling: self.sending.is_some(),
        }
    }

    async fn handle(&mut self, message: WatchMessage) -> WatchReply {
        self.answer(message).unwrap_or_else(|failure| WatchReply::Refused {
            error: failure.to_string(),
            hint: failure.hint_text().unwrap_or("change what is asked for").to_owned(),
        })
    }

    async fn run(&mut self, life: &Life<Self>) -> Exit {
        loop {
            tokio::select! {
                biased;
                envelope = life.inbox.next() => {
                    let Some(envelope) = envelope else { break };
                    let (message, reply) = envelope.open();
                    reply.send(self.handle(message).await);
                    self.look();
                    life.handled(self);
                }
                () = tokio::time::sleep(LOOK) => {
                    self.look();
                    life.publish(self);
                }
            }
        }
        let (checking, sending) = (self.checking.take(), self.sending.take());
        // They were told by the same interrupt.
        let wait = move || {
            drop(checking.map(|(_, thread)| thread.join()));
            drop(sending.map(JoinHandle::join));
        };
        drop(tokio::task::spawn_blocking(wait).await);
        Exit::Finished
    }
}
