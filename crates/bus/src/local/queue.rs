//! How does a queue of work live in memory?

use super::{fits, lock};
use crate::error::{Error, Result};
use crate::work::{Counts, Delivery, Entry, Lane, Pushed, Queue, Settle, WorkSettings};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::sync::Mutex;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// Names that are remembered at most; the oldest are forgotten first.
const MAX_MARKS: usize = 1_000_000;

/// A queue in memory.
#[derive(Default)]
pub(super) struct LocalQueue {
    state: Mutex<State>,
    news: Notify,
}

#[derive(Default)]
struct State {
    settings: WorkSettings,
    next: u64,
    todo: BTreeMap<u64, Item>,
    /// Places in `todo` that may be handed out now.
    ready: BTreeSet<u64>,
    /// Places in `todo` that may be handed out at a moment.
    held: BTreeSet<(Instant, u64)>,
    parked: BTreeMap<u64, Entry>,
    marks: HashSet<String>,
    /// When each mark was made, the oldest first.
    ages: VecDeque<(Instant, String)>,
}

struct Item {
    entry: Entry,
    attempt: u32,
    /// Until when it is held, if it is.
    until: Option<Instant>,
}

impl State {
    /// Whether a mark is new; then it is remembered.
    fn mark(&mut self, mark: &str) -> bool {
        let now = Instant::now();
        while let Some((at, _)) = self.ages.front()
            && (now.duration_since(*at) >= self.settings.dedup || self.ages.len() >= MAX_MARKS)
            && let Some((_, old)) = self.ages.pop_front()
        {
            self.marks.remove(&old);
        }
        if !self.marks.insert(mark.to_owned()) {
            return false;
        }
        self.ages.push_back((now, mark.to_owned()));
        true
    }

    fn push(&mut self, lane: Lane, mark: &str, entry: Entry) -> Result<Pushed> {
        let count = match lane {
            Lane::Todo => self.todo.len(),
            Lane::Parked => self.parked.len(),
        };
        if self.marks.contains(mark) && !self.mark(mark) {
            return Ok(Pushed::Known);
        }
        if count >= self.settings.max_messages as usize {
            self.marks.remove(mark);
            return Err(Error::Full(String::new()));
        }
        self.mark(mark);
        let place = self.next;
        self.next += 1;
        match lane {
            Lane::Todo => {
                self.todo.insert(place, Item { entry, attempt: 0, until: None });
                self.ready.insert(place);
            }
            Lane::Parked => drop(self.parked.insert(place, entry)),
        }
        Ok(Pushed::Stored)
    }

    fn pull(&mut self, most: usize) -> Vec<Delivery> {
        let now = Instant::now();
        while let Some((until, place)) = self.held.first().copied()
            && until <= now
        {
            self.held.pop_first();
            self.ready.insert(place);
        }
        let mut deliveries = Vec::new();
        while deliveries.len() < most
            && let Some(place) = self.ready.pop_first()
        {
            let Some(item) = self.todo.get_mut(&place) else { continue };
            let until = now + self.settings.ack_wait;
            item.attempt += 1;
            item.until = Some(until);
            self.held.insert((until, place));
            deliveries.push(Delivery {
                id: item.entry.id.clone(),
                bytes: item.entry.bytes.clone(),
                attempt: item.attempt,
                handed: now,
                place,
                ticket: format!("{place}.{}", item.attempt),
            });
        }
        deliveries
    }

    fn settle(&mut self, ticket: &str, settle: Settle) {
        let numbers = ticket.split_once('.').and_then(|(place, attempt)| {
            Some((place.parse::<u64>().ok()?, attempt.parse::<u32>().ok()?))
        });
        let Some((place, attempt)) = numbers else { return };
        let Some(item) = self.todo.get_mut(&place) else { return };
        let wait = match settle {
            // Done is done, even if it was handed out again meanwhile.
            Settle::Done => {
                if let Some(until) = item.until {
                    self.held.remove(&(until, place));
                }
                self.ready.remove(&place);
                self.todo.remove(&place);
                return;
            }
            Settle::Again(delay) => delay,
            Settle::Keep => self.settings.ack_wait,
        };
        // What somebody else holds now is theirs.
        let Some(until) = item.until.filter(|_| item.attempt == attempt) else { return };
        if self.held.remove(&(until, place)) {
            let until = Instant::now() + wait;
            item.until = Some(until);
            self.held.insert((until, place));
        }
    }
}

impl LocalQueue {
    pub(super) fn set(&self, settings: WorkSettings) {
        lock(&self.state).settings = settings;
    }
}

impl Queue for LocalQueue {
    fn push<'a>(
        &'a self,
        lane: Lane,
        mark: &'a str,
        entry: Entry,
    ) -> BoxFuture<'a, Result<Pushed>> {
        let pushed = fits(&entry.bytes).and_then(|()| lock(&self.state).push(lane, mark, entry));
        self.news.notify_one();
        async {
            // Who makes a lot of work lets others do it.
            tokio::task::yield_now().await;
            pushed
        }
        .boxed()
    }

    fn pull(&self, most: usize, wait: Duration) -> BoxFuture<'_, Result<Vec<Delivery>>> {
        async move {
            let end = Instant::now() + wait;
            loop {
                let (deliveries, next, more) = {
                    let mut state = lock(&self.state);
                    let deliveries = state.pull(most);
                    let next = state.held.first().map(|(until, _)| *until);
                    (deliveries, next, !state.ready.is_empty())
                };
                if more {
                    // The one who was told of a message may have been told of several.
                    self.news.notify_one();
                }
                if !deliveries.is_empty() || Instant::now() >= end {
                    return Ok(deliveries);
                }
                let until = next.map_or(end, |next| next.min(end));
                drop(tokio::time::timeout_at(until, self.news.notified()).await);
            }
        }
        .boxed()
    }

    fn settle<'a>(&'a self, ticket: &'a str, settle: Settle) -> BoxFuture<'a, Result<()>> {
        lock(&self.state).settle(ticket, settle);
        self.news.notify_one();
        async { Ok(()) }.boxed()
    }

    fn parked(&self, most: usize) -> BoxFuture<'_, Result<Vec<(u64, Entry)>>> {
        let state = lock(&self.state);
        let parked = state.parked.iter().take(most);
        let parked = parked.map(|(place, entry)| (*place, entry.clone())).collect();
        async { Ok(parked) }.boxed()
    }

    fn remove(&self, place: u64) -> BoxFuture<'_, Result<()>> {
        lock(&self.state).parked.remove(&place);
        async { Ok(()) }.boxed()
    }

    fn counts(&self) -> BoxFuture<'_, Result<Counts>> {
        let state = lock(&self.state);
        let counts = Counts { waiting: state.todo.len() as u64, parked: state.parked.len() as u64 };
        async move { Ok(counts) }.boxed()
    }
}
