//! How does a crawllet run, from the upload to the last frame?
//!
//! Two threads. One stands at the desk: it hears the sandbox and answers it. The other, the caller's, sends: what
//! the first hands over, a sign of life every few seconds, and at the end why it ended. The sender also watches
//! clock, switch and budget, and ends the sandbox when one of them says so; nothing the sandbox does or omits
//! delays that.

mod tray;

use crate::budget::{Budget, FUEL_PER_MS, MAX_PACKING, Short, Stop, Tally};
use crate::front::Reply;
use crate::host::Host;
use crate::sandbox::compiled::Compiled;
use crate::sandbox::pipe::{Failure, Left, MAX_STATE, Message, RECORD, STATE};
use crate::sandbox::{Fate, Killer, Sandbox, Terms};
use crate::site::desk::{Desk, Verdict};
use lycosa_crawllet::engine::Reason;
use lycosa_crawllet::host::{ResultWriter, SessionFile};
use lycosa_crawllet::limits::Limits;
use lycosa_crawllet::record::MAX_RECORD_BYTES;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};
use tray::Tray;

/// A sign of life is sent when nothing else was for so long.
const PROGRESS: Duration = Duration::from_secs(4);

/// Records wait so long for company in a frame.
const FLUSH: Duration = Duration::from_secs(1);

/// How often clock, switch and budget are looked at.
const LOOK: Duration = Duration::from_millis(100);

/// Hand-overs between the two threads that may wait.
const WAITING: usize = 4;

/// Bytes of records in one hand-over.
const TOGETHER: usize = 64 << 10;

/// What a child says that is no honest one.
const OUT_OF_TURN: &str = "the sandbox spoke out of turn";

/// How long the desk may take to close after the sandbox was ended.
const CLOSING: Duration = Duration::from_millis(500);

/// What is run.
pub struct Job {
    /// The module.
    pub module: Vec<u8>,
    /// The same, compiled before.
    pub compiled: Option<Compiled>,
    /// What it is started with.
    pub init: Vec<u8>,
    /// What it may use.
    pub limits: Limits,
    /// Whether what it emits is packed.
    pub compressed: bool,
    /// SHA-256 of the robots.txt in force.
    pub robots: Option<[u8; 32]>,
}

/// What became of it.
pub struct Outcome {
    /// Why it ended; none if the engine was gone.
    pub reason: Option<Reason>,
    /// What it used.
    pub tally: Arc<Tally>,
    /// Time of the processor.
    pub cpu_ms: u64,
    /// What the owner should know.
    pub notes: Vec<String>,
}

enum Out {
    Records(Vec<Vec<u8>>),
    State(Vec<u8>),
    Log(Vec<u8>),
    Over(Ending),
}

struct Ending {
    reason: Reason,
    text: String,
    cpu_ms: u64,
    notes: Vec<String>,
}

/// The grant in numbers of the sandbox.
pub fn fuel(limits: &Limits) -> u64 {
    let most = limits.cpu_ms.saturating_mul(FUEL_PER_MS);
    if limits.fuel == 0 { most } else { limits.fuel.min(most.saturating_mul(4)) }
}

/// The budget of a job that begins now.
pub fn budget(limits: &Limits, soft: u8, compressed: bool) -> Budget {
    Budget {
        pages: limits.pages.into(),
        out: u64::from(limits.out_mib) << 20,
        fuel: fuel(limits),
        wall: Duration::from_secs(limits.wall_s.into()),
        packing: if compressed { MAX_PACKING } else { 1 },
        soft: if soft == 0 { 90 } else { soft.into() },
        started: Instant::now(),
    }
}

/// Runs `job` at `desk` and sends what comes of it.
///
/// # Errors
/// If the sandbox cannot be started, or the writer fails. That the engine hung up is an outcome.
pub fn run(
    host: &Host,
    session: &SessionFile,
    job: Job,
    desk: Desk,
    reply: &mut dyn Reply,
) -> io::Result<Outcome> {
    let (budget, tally, stop) = (desk.budget, desk.tally.clone(), desk.stop.clone());
    tally.fuel_left.store(budget.fuel, Ordering::Relaxed);
    let (writer, head) = ResultWriter::new(session, job.compressed).map_err(io::Error::other)?;
    let terms = Terms {
        fuel: budget.fuel,
        memory: u64::from(job.limits.mem_mib) << 20,
        wall_ms: u64::try_from(budget.wall.as_millis()).unwrap_or(u64::MAX),
        cpu_ms: job.limits.cpu_ms,
        max_emit: MAX_RECORD_BYTES as u64,
    };
    let mut sender =
        Sender { writer, reply, tally: tally.clone(), sent: Instant::now(), due: None };
    sender.raw(&head)?;
    let started =
        sender.writer.started(&job.limits, job.robots.as_ref()).map_err(io::Error::other)?;
    sender.raw(&started)?;

    let sandbox = Sandbox::start(&host.program, terms, job.module, job.compiled, job.init)?;
    let killer = sandbox.killer();
    let (to, from) = sync_channel(WAITING);
    std::thread::scope(|scope| {
        // The sandbox dies with the thread at the desk, on all ways out.
        let at_desk =
            std::thread::Builder::new().spawn_scoped(scope, || stand(sandbox, desk, to))?;
        let watch = Watch { host, budget, tally: tally.clone(), killer };
        let (mut ending, gone) = watch.over(&mut sender, &from)?;
        stop.say();
        if !ending.text.is_empty() {
            ending.notes.push(ending.text.clone());
        }
        let outcome = Outcome {
            reason: (!gone).then_some(ending.reason),
            tally: tally.clone(),
            cpu_ms: ending.cpu_ms,
            notes: std::mem::take(&mut ending.notes),
        };
        if !gone {
            sender.end(&ending, &budget)?;
        }
        drop(from);
        let _ = at_desk.join();
        Ok(outcome)
    })
}

/// The desk: hears the sandbox until it is over.
fn stand(mut sandbox: Sandbox, mut desk: Desk, to: SyncSender<Out>) {
    // Where pages come with a pause, so do records.
    let most = if desk.pause.is_zero() { TOGETHER } else { 0 };
    let mut to = Tray::new(to, most);
    let (reason, text) = serve(&mut sandbox, &mut desk, &mut to);
    let cpu_ms = sandbox.cpu_ms();
    let notes = std::mem::take(&mut desk.notes);
    // Nobody there: the sender had other reasons.
    to.give(Out::Over(Ending { reason, text, cpu_ms, notes }));
}

fn left(desk: &Desk) -> Left {
    desk.budget.left(&desk.tally, Instant::now())
}

fn serve(sandbox: &mut Sandbox, desk: &mut Desk, to: &mut Tray) -> (Reason, String) {
    let mut has_state = false;
    loop {
        let message = match sandbox.hear() {
            Ok(Some(message)) => message,
            Ok(None) => return fate(sandbox.fate()),
            Err(error) => return (Reason::Trap, error.to_string()),
        };
        let burnt = match &message {
            Message::Fetch(fuel, _) | Message::Emit(fuel, _) | Message::Budget(fuel) => Some(*fuel),
            Message::Finished(fuel, _) | Message::Failed(fuel, ..) => Some(*fuel),
            _ => None,
        };
        if let Some(fuel) = burnt {
            // A child that gains fuel lies.
            desk.tally.fuel_left.fetch_min(fuel, Ordering::Relaxed);
        }
        let answer = match message {
            Message::Locked(locks) => {
                if !locks.landlock || !locks.seccomp {
                    let has = |on| if on { "on" } else { "off" };
                    desk.notes.push(format!(
                        "the kernel gave less than all locks: landlock {}, seccomp {}",
                        has(locks.landlock),
                        has(locks.seccomp)
                    ));
                }
                continue;
            }
            Message::Ready(kept) => {
                desk.tally.kept.store(kept, Ordering::Relaxed);
                continue;
            }
            Message::Log(line) => {
                if !to.give(Out::Log(line)) {
                    return over();
                }
                continue;
            }
            Message::Fetch(_, argument) => match desk.fetch(&argument) {
                Ok(Ok((meta, body))) => Message::Page(left(desk), meta, body),
                Ok(Err(code)) => Message::Status(left(desk), code as i32),
                Err(Verdict::Scope) => {
                    return (Reason::Scope, "it asks for nothing it may have".into());
                }
                Err(Verdict::Stopped) => return (Reason::HostShutdown, String::new()),
                Err(Verdict::Exhausted(short)) => {
                    return (exhausted(short), "it did not stop".into());
                }
            },
            Message::Emit(_, mut payload) => {
                let is_state = payload.first() == Some(&STATE);
                // The child has looked at it before; one that lets it through lies.
                let is_fine = match payload.first() {
                    Some(&STATE) => !has_state && payload.len() <= MAX_STATE,
                    mark => mark == Some(&RECORD),
                };
                if !is_fine {
                    return (Reason::Trap, OUT_OF_TURN.to_owned());
                }
                payload.remove(0);
                if is_state {
                    has_state = true;
                    if !to.give(Out::State(payload)) {
                        return over();
                    }
                    continue;
                }
                Tally::add(&desk.tally.emitted, payload.len() as u64);
                if desk.budget.is_over(&desk.tally) {
                    return (Reason::Output, "more output than granted".into());
                }
                if !to.record(payload) {
                    return over();
                }
                continue;
            }
            Message::Budget(_) => Message::Left(left(desk)),
            Message::Finished(_, 0) => return (Reason::Done, String::new()),
            Message::Finished(_, 1) => return (Reason::Suspended, String::new()),
            Message::Finished(_, value) => return (Reason::Trap, format!("clp_run gave {value}")),
            Message::Failed(_, failure, text) => return (failed(failure), text),
            _ => return (Reason::Trap, OUT_OF_TURN.to_owned()),
        };
        if sandbox.say(&answer).is_err() {
            return fate(sandbox.fate());
        }
    }
}

fn over() -> (Reason, String) {
    (Reason::HostShutdown, String::new())
}

fn failed(failure: Failure) -> Reason {
    match failure {
        Failure::Module | Failure::Trap => Reason::Trap,
        Failure::Fuel => Reason::Fuel,
        Failure::Time => Reason::Time,
        Failure::Memory => Reason::Memory,
    }
}

fn fate(fate: Fate) -> (Reason, String) {
    let (reason, text) = match fate {
        Fate::Cpu => (Reason::Time, "all time of the processor is used"),
        Fate::Memory => (Reason::Memory, "the sandbox got no more memory"),
        Fate::Forbidden => (Reason::Trap, "the sandbox made a forbidden system call"),
        // Ours, at the deadline, has another text; any other is the processor's hard limit.
        Fate::Killed => (Reason::Time, "the sandbox was ended"),
        Fate::Other => (Reason::Trap, "the sandbox ended without a word"),
    };
    (reason, text.to_owned())
}

fn exhausted(short: Short) -> Reason {
    match short {
        Short::Pages => Reason::Pages,
        Short::Output => Reason::Output,
        Short::Fuel => Reason::Fuel,
        Short::Time => Reason::Time,
    }
}

/// Who watches clock, switch and budget.
struct Watch<'a> {
    host: &'a Host,
    budget: Budget,
    tally: Arc<Tally>,
    killer: Killer,
}

impl Watch<'_> {
    /// Sends until it is over. True if the engine is gone.
    fn over(&self, sender: &mut Sender<'_>, from: &Receiver<Out>) -> io::Result<(Ending, bool)> {
        let mut looked = Instant::now();
        loop {
            let heard = from.recv_timeout(LOOK);
            let sent = match heard {
                Ok(Out::Over(ending)) => return Ok((ending, false)),
                Ok(out) => sender.take(out),
                Err(RecvTimeoutError::Timeout) => sender.tick(),
                Err(RecvTimeoutError::Disconnected) => {
                    return Ok((ending(Reason::Trap, "the desk is closed"), false));
                }
            };
            if let Err(fault) = sent {
                self.killer.kill();
                let text = fault.to_string();
                let (last, _) = closing(None, from);
                let cpu_ms = last.map_or(0, |last| last.cpu_ms);
                let gone = matches!(fault, Broken::Gone(_));
                return Ok((Ending { reason: Reason::Trap, text, cpu_ms, notes: vec![] }, gone));
            }
            if looked.elapsed() >= LOOK {
                looked = Instant::now();
                if let Some((reason, text)) = self.look() {
                    self.killer.kill();
                    // What was emitted before is still sent, unless there was too much of it.
                    let into = if reason == Reason::Output { None } else { Some(&mut *sender) };
                    let (last, gone) = closing(into, from);
                    let mut ending = last.unwrap_or_else(|| ending(reason, ""));
                    // It may have ended by itself in the last moment.
                    if !matches!(ending.reason, Reason::Done | Reason::Suspended) {
                        (ending.reason, ending.text) = (reason, text.to_owned());
                    }
                    return Ok((ending, gone));
                }
            }
        }
    }

    fn look(&self) -> Option<(Reason, &'static str)> {
        if self.host.stop.is_said() {
            Some((Reason::HostShutdown, "the host ends"))
        } else if self.host.is_off() {
            Some((Reason::HostShutdown, "the owner switched it off"))
        } else if Instant::now() >= self.budget.until() {
            Some((Reason::Time, "the time is over"))
        } else if self.budget.is_over(&self.tally) {
            Some((Reason::Output, "more output than granted"))
        } else {
            None
        }
    }
}

fn ending(reason: Reason, text: &str) -> Ending {
    Ending { reason, text: text.to_owned(), cpu_ms: 0, notes: Vec::new() }
}

/// Takes what the desk still hands over. True if the engine is gone.
fn closing(mut into: Option<&mut Sender<'_>>, from: &Receiver<Out>) -> (Option<Ending>, bool) {
    let until = Instant::now() + CLOSING;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        match from.recv_timeout(left) {
            Ok(Out::Over(ending)) => return (Some(ending), false),
            Ok(out) => {
                if into
                    .as_mut()
                    .is_some_and(|sender| matches!(sender.take(out), Err(Broken::Gone(_))))
                {
                    return (None, true);
                }
            }
            Err(_) => return (None, false),
        }
    }
}

/// Why nothing more can be sent.
#[derive(Debug, thiserror::Error)]
enum Broken {
    #[error("the engine hung up: {0}")]
    Gone(io::Error),
    #[error("what it emitted is no record: {0}")]
    Record(lycosa_crawllet::Fault),
}

struct Sender<'a> {
    writer: ResultWriter,
    reply: &'a mut dyn Reply,
    tally: Arc<Tally>,
    /// When something was sent last.
    sent: Instant,
    /// When records that wait are sent at the latest.
    due: Option<Instant>,
}

impl Sender<'_> {
    fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.reply.send(bytes)?;
        Tally::add(&self.tally.out, bytes.len() as u64);
        self.sent = Instant::now();
        Ok(())
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        self.raw(bytes).map_err(Broken::Gone)
    }

    fn take(&mut self, out: Out) -> Result<(), Broken> {
        let bytes = match out {
            Out::Records(records) => {
                for record in &records {
                    let bytes = self.writer.record(record).map_err(Broken::Record)?;
                    self.due = match (bytes.is_empty(), self.due) {
                        (false, _) => None,
                        (true, None) => Some(Instant::now() + FLUSH),
                        (true, due) => due,
                    };
                    self.send(&bytes)?;
                }
                Vec::new()
            }
            Out::State(state) => self.writer.state(&state).map_err(Broken::Record)?,
            Out::Log(line) => {
                let line: String =
                    String::from_utf8_lossy(&line).chars().filter(|c| !c.is_control()).collect();
                self.writer.log(&line).map_err(Broken::Record)?
            }
            Out::Over(_) => Vec::new(),
        };
        self.send(&bytes)?;
        self.tick()
    }

    /// What time demands.
    fn tick(&mut self) -> Result<(), Broken> {
        let now = Instant::now();
        if self.due.is_some_and(|due| now >= due) {
            self.due = None;
            let bytes = self.writer.flush().map_err(Broken::Record)?;
            self.send(&bytes)?;
        }
        if now.duration_since(self.sent) >= PROGRESS {
            let (pages, bytes) = (Tally::get(&self.tally.pages), Tally::get(&self.tally.bytes));
            let left = Tally::get(&self.tally.fuel_left);
            let bytes = self.writer.progress(pages, bytes, left).map_err(Broken::Record)?;
            self.send(&bytes)?;
        }
        Ok(())
    }

    /// The last frames. That the engine hangs up now is no matter.
    fn end(&mut self, ending: &Ending, budget: &Budget) -> io::Result<()> {
        let mut bytes = Vec::new();
        if !ending.text.is_empty() {
            bytes = self.writer.log(&format!("host: {}", ending.text)).map_err(io::Error::other)?;
        }
        let used = budget.fuel.saturating_sub(Tally::get(&self.tally.fuel_left));
        let end = self.writer.end(ending.reason, used, ending.cpu_ms);
        bytes.extend(end.map_err(io::Error::other)?);
        let _ = self.raw(&bytes);
        Ok(())
    }
}

/// For the desk of a job: stops when the job does.
pub fn stop() -> Arc<Stop> {
    Arc::default()
}
