//! Who works for us now? The bots that said hello and were not retired since.

use lycosa_model::{BotId, BotRecord, Tick, UrlId};
use std::collections::{BTreeMap, BTreeSet};

/// A bot from its last hello until it leaves or is retired.
#[derive(Debug)]
pub(crate) struct Session {
    /// When it said hello, or when this broker took it over from the store.
    since: Tick,
    /// What it had reported by then.
    reported_before: u64,
    /// What it holds.
    pub(crate) held: BTreeSet<UrlId>,
}

/// Every bot on record, and a session for each that works.
#[derive(Debug, Default)]
pub(crate) struct Bots {
    /// All bots, also those of earlier runs.
    pub(crate) records: BTreeMap<BotId, BotRecord>,
    sessions: BTreeMap<BotId, Session>,
}

impl Bots {
    /// Begins a session; what the bot held before must have been taken back.
    pub(crate) fn enter(&mut self, id: BotId, record: BotRecord, now: Tick) {
        let reported_before = record.reported;
        self.records.insert(id, record);
        self.sessions.insert(id, Session { since: now, reported_before, held: BTreeSet::new() });
    }

    /// Ends a session; what the bot held must have been taken back.
    pub(crate) fn retire(&mut self, id: BotId, why: String) -> Option<&BotRecord> {
        self.sessions.remove(&id);
        let record = self.records.get_mut(&id)?;
        record.kissed = Some(why);
        Some(record)
    }

    /// The session of a bot that works.
    pub(crate) fn session(&mut self, id: BotId) -> Option<&mut Session> {
        self.sessions.get_mut(&id)
    }

    /// How many URLs the bot holds.
    pub(crate) fn held(&self, id: BotId) -> usize {
        self.sessions.get(&id).map_or(0, |session| session.held.len())
    }

    /// Bots that work.
    pub(crate) fn live(&self) -> usize {
        self.sessions.len()
    }

    /// Bots that work, as on record.
    pub(crate) fn working(&self) -> impl Iterator<Item = (BotId, &BotRecord)> {
        self.sessions.keys().filter_map(|id| Some((*id, self.records.get(id)?)))
    }

    /// The bot as if its session were all there is of it: a bot that comes back after a week is not
    /// slow because of that week.
    pub(crate) fn this_session(&self, id: BotId) -> Option<BotRecord> {
        let (record, session) = (self.records.get(&id)?, self.sessions.get(&id)?);
        let reported = record.reported.saturating_sub(session.reported_before);
        Some(BotRecord { dinit: session.since, reported, ..record.clone() })
    }
}
