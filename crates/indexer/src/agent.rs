//! What does the indexer answer?

use crate::group::{Group, IndexError, Settings};
use crate::timer::Timer;
use lycosa_model::ArchiveMark;
use lycosa_model::message::{IndexerMessage, IndexerReply};
use lycosa_runtime::{Agent, Exit, Life};
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// The indexer agent. Clones share one writer, so a supervisor that builds it anew after a panic goes on
/// with everything that was taken before.
///
/// Adding waits while tantivy is behind, on the thread of the caller: that is the back-pressure which
/// keeps a crawl from outrunning its index.
#[derive(Clone)]
pub struct Indexer {
    timer: Arc<Timer>,
}

/// What the indexer shows of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct IndexerState {
    /// Documents taken since the start.
    pub taken: u64,
    /// Documents that asked not to be indexed.
    pub skipped: u64,
    /// URLs that were taken out since the start, in the index or not.
    pub removed: u64,
    /// Documents committed since the start.
    pub committed: u64,
    /// Documents taken and not committed yet.
    pub pending: u64,
    /// Commits since the start.
    pub groups: u64,
    /// Documents in the index.
    pub documents: u64,
    /// How long the last commit took.
    pub last_commit_ms: u64,
    /// Why nothing is taken any more.
    pub broken: Option<String>,
}

impl Indexer {
    /// Opens the index of a data directory, or makes one. The marks are those of the last commit: what
    /// lies behind them in the archive is to be sent again.
    pub fn open(
        data: &Path,
        settings: Settings,
    ) -> Result<(Indexer, Vec<ArchiveMark>), IndexError> {
        let group = Group::open(data, settings)?;
        let marks = group.marks();
        let timer = Arc::new(Timer::start(group)?);
        Ok((Indexer { timer }, marks))
    }

    fn answer(&self, message: IndexerMessage) -> IndexerReply {
        let desk = &self.timer.desk;
        let reply = match message {
            IndexerMessage::Add { entries, marks } => {
                let added = desk.lock().add(entries, marks);
                added.map_or_else(IndexerReply::Broken, |()| IndexerReply::Taken)
            }
            IndexerMessage::Remove { urls, copies } => {
                let removed = desk.lock().remove(&urls, copies);
                removed.map_or_else(IndexerReply::Broken, |()| IndexerReply::Taken)
            }
            IndexerMessage::Commit => self.commit(),
        };
        desk.changed();
        reply
    }

    fn commit(&self) -> IndexerReply {
        let committed = self.timer.desk.lock().commit();
        committed
            .map_or_else(IndexerReply::Broken, |documents| IndexerReply::Committed { documents })
    }
}

impl Agent for Indexer {
    type Message = IndexerMessage;
    type State = IndexerState;

    fn observe(&self) -> IndexerState {
        let group = self.timer.desk.lock();
        let counts = group.counts;
        IndexerState {
            taken: counts.taken,
            skipped: counts.skipped,
            removed: counts.removed,
            committed: counts.committed,
            pending: counts.pending,
            groups: counts.groups,
            documents: counts.documents,
            last_commit_ms: counts.last_commit_ms,
            broken: group.broken.clone(),
        }
    }

    async fn handle(&mut self, message: IndexerMessage) -> IndexerReply {
        self.answer(message)
    }

    /// Answers until every sender is gone, then commits the rest.
    async fn run(&mut self, life: &Life<Self>) -> Exit {
        loop {
            let envelope = tokio::select! {
                biased;
                envelope = life.inbox.next() => envelope,
                () = self.timer.desk.committed.notified() => {
                    life.publish(self);
                    continue;
                }
            };
            let Some(envelope) = envelope else { break };
            let (message, reply) = envelope.open();
            reply.send(self.handle(message).await);
            life.handled(self);
        }
        match self.commit() {
            IndexerReply::Broken(why) => Exit::Failed(why),
            _ => Exit::Finished,
        }
    }
}
