//! Who is alive, and what is it doing? Every agent's observable state in one place.

use crate::load::Load;
use serde::Serialize;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What a person sees of one agent.
#[derive(Clone, Debug, Serialize)]
pub struct AgentView {
    /// Unique name, as in `filter-2`.
    pub name: String,
    /// Community, as in `filter`.
    pub community: &'static str,
    /// `running`, `restarting`, `finished` or `failed`.
    pub state: &'static str,
    /// Messages handled.
    pub handled: u64,
    /// Times it was restarted after a panic.
    pub restarts: u64,
    /// Messages waiting in its mailbox.
    pub waiting: usize,
    /// Messages that may wait there.
    pub capacity: usize,
    /// What it tells of itself.
    pub observed: serde_json::Value,
}

const STATES: [&str; 4] = ["running", "restarting", "finished", "failed"];

/// The part of an agent that others may read while it works.
pub(crate) struct Cell {
    name: String,
    community: &'static str,
    state: AtomicU8,
    handled: AtomicU64,
    restarts: AtomicU64,
    mailbox: Box<dyn Fn() -> (usize, usize) + Send + Sync>,
    observed: Box<dyn Fn() -> serde_json::Value + Send + Sync>,
    load: Arc<Load>,
}

impl Cell {
    /// Counts a message that was handled.
    pub(crate) fn count(&self) {
        self.handled.fetch_add(1, Ordering::Relaxed);
        self.load.tick();
    }

    pub(crate) fn set_state(&self, state: &'static str) {
        let index = STATES.iter().position(|known| *known == state).unwrap_or(0);
        self.state.store(index as u8, Ordering::Relaxed);
    }

    pub(crate) fn restarted(&self) -> u64 {
        self.restarts.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    fn view(&self) -> AgentView {
        let (waiting, capacity) = (self.mailbox)();
        AgentView {
            name: self.name.clone(),
            community: self.community,
            state: STATES[usize::from(self.state.load(Ordering::Relaxed))],
            handled: self.handled.load(Ordering::Relaxed),
            restarts: self.restarts.load(Ordering::Relaxed),
            waiting,
            capacity,
            observed: (self.observed)(),
        }
    }
}

/// All agents of a process. Cheap to clone.
#[derive(Clone, Default)]
pub struct Registry {
    cells: Arc<Mutex<Vec<Arc<Cell>>>>,
    load: Arc<Load>,
}

impl Registry {
    /// A snapshot of everyone, in order of birth.
    pub fn agents(&self) -> Vec<AgentView> {
        self.lock().iter().map(|cell| cell.view()).collect()
    }

    /// Messages handled by all agents so far.
    pub fn messages(&self) -> u64 {
        self.lock().iter().map(|cell| cell.handled.load(Ordering::Relaxed)).sum()
    }

    /// The share of the available cores that this process kept busy (or waited for) in the last ten
    /// seconds, from 0 to 1; nothing where the system does not tell.
    pub fn cpu(&self) -> Option<f64> {
        self.load.share()
    }

    pub(crate) fn enter(
        &self,
        name: String,
        community: &'static str,
        mailbox: Box<dyn Fn() -> (usize, usize) + Send + Sync>,
        observed: Box<dyn Fn() -> serde_json::Value + Send + Sync>,
    ) -> Arc<Cell> {
        let cell = Arc::new(Cell {
            name,
            community,
            state: AtomicU8::new(0),
            handled: AtomicU64::new(0),
            restarts: AtomicU64::new(0),
            mailbox,
            observed,
            load: Arc::clone(&self.load),
        });
        self.lock().push(Arc::clone(&cell));
        cell
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Cell>>> {
        self.cells.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
