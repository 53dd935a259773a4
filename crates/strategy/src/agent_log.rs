//! What did the agents of a strategy do since somebody asked? The oldest is forgotten when nobody does.

use lycosa_model::{AgentEvent, Deed, Tick};
use std::collections::VecDeque;

/// Events that are kept for whoever asks.
const MOST_EVENTS: usize = 10_000;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct AgentLog(VecDeque<AgentEvent>);

impl AgentLog {
    pub(crate) fn tell(&mut self, at: Tick, agent: String, deed: Deed) {
        if self.0.len() >= MOST_EVENTS {
            self.0.pop_front();
        }
        self.0.push_back(AgentEvent { at, agent, deed });
    }

    pub(crate) fn take(&mut self, out: &mut Vec<AgentEvent>) {
        out.extend(self.0.drain(..));
    }
}
