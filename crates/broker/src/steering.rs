//! How does a person steer a run? By pausing it, letting it go on, changing its limits, and feeding or stopping one
//! of its agents.

use crate::ledger::{Ledger, LedgerError};
use lycosa_model::message::{BrokerReply, Budget};
use lycosa_model::{Care, Happening, Phase};
use lycosa_strategy::Untended;
use std::time::Duration;

/// How soon a bot asks again while the crawl is paused.
const PAUSED: Duration = Duration::from_millis(200);

impl Ledger {
    pub(crate) fn pause(&mut self) -> Result<BrokerReply, LedgerError> {
        let now = self.now();
        self.paused.get_or_insert(now);
        self.write_events()?;
        Ok(BrokerReply::Done)
    }

    pub(crate) fn go_on(&mut self) -> Result<BrokerReply, LedgerError> {
        let now = self.now();
        if let Some(since) = self.paused.take() {
            self.run.idle_ms += now.since(since).as_millis() as u64;
        }
        self.write_events()?;
        Ok(BrokerReply::Done)
    }

    /// Changes the limits of the run.
    pub(crate) fn limit(&mut self, budget: Budget) -> Result<BrokerReply, LedgerError> {
        let settings = &mut self.plan.settings;
        settings.max_pages = budget.pages.or(settings.max_pages);
        settings.max_time = budget.seconds.map(Duration::from_secs).or(settings.max_time);
        self.note(Happening::Limit(budget));
        self.write_events()?;
        Ok(BrokerReply::Done)
    }

    /// Feeds or stops an agent of the strategy. It is written down before it is said to be done.
    pub(crate) fn tend(&mut self, agent: &str, how: Care) -> Result<BrokerReply, LedgerError> {
        let tended = match self.strategy.tend(self.now(), agent, how) {
            Ok(tended) => tended,
            Err(Untended { error, hint }) => return Ok(BrokerReply::Declined { error, hint }),
        };
        self.write_events()?;
        self.memorise_now();
        Ok(BrokerReply::Tended(tended))
    }

    /// What the crawl is doing, in words that people know.
    pub(crate) fn phase(&self) -> Phase {
        let under_way = !self.leases.is_empty();
        match (self.finished(), self.stopping, self.paused) {
            (true, ..) => Phase::Finished,
            (false, true, _) => Phase::Stopping,
            (false, false, Some(_)) if under_way => Phase::Pausing,
            (false, false, Some(_)) => Phase::Paused,
            (false, false, None) => Phase::Running,
        }
    }

    /// Whether nothing is given out at the moment.
    pub(crate) fn is_paused(&self) -> bool {
        self.paused.is_some() && !self.stopping
    }

    /// The answer to a bot while the crawl is paused.
    pub(crate) fn nothing_now(&self) -> BrokerReply {
        // A virtual clock would run on without end while nobody does anything.
        if self.clock.is_ahead() {
            std::thread::sleep(PAUSED / 10);
        }
        BrokerReply::Leases {
            leases: Vec::new(),
            ask_again_ms: PAUSED.as_millis() as u64,
            finished: self.finished(),
            removed: Vec::new(),
            copies: Vec::new(),
            removals: self.fresh.last_removal,
        }
    }
}
