//! Which URLs does a crawler get now, and until when are they its own?

use super::put::{enter, leave};
use super::rotation::{self, Spot};
use super::{Book, Broken, Moment};
use lycosa_store::queues::{Metadata, Place, QueueChange};
use lycosa_store::records::StoreError;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// URLs of one queue in one answer when the asker sets no limit.
pub(super) const MAX_URLS: usize = 100_000;

/// Bytes of URLs and metadata of one queue in one answer; the URL that passes it is the last.
const MAX_BYTES: usize = 32 << 20;

/// After so many URLs a part of the answer is complete; the rest follows in further parts.
const PART_URLS: usize = 1_000;

/// After so many bytes a part of the answer is complete.
const PART_BYTES: usize = 4 << 20;

/// Leases that have ended, taken back at once.
const TAKEN_BACK: usize = 10_000;

/// Which crawls are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    /// All of them.
    Any,
    /// This one.
    One(String),
}

/// What somebody asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ask {
    /// From which crawls.
    pub(crate) crawls: Which,
    /// From this queue of one crawl only.
    pub(crate) key: Option<String>,
    /// URLs per queue; 0 is no limit.
    pub(crate) urls: u32,
    /// Queues; 0 is no limit.
    pub(crate) queues: u32,
    /// Milliseconds until a URL that nobody reports comes back.
    pub(crate) lease: u64,
}

/// How far an answer is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pass {
    /// Turns from here on were given in this answer.
    boundary: Option<u64>,
    /// Queues that gave something.
    queues: u32,
    /// Whether nothing more follows.
    pub(crate) finished: bool,
}

/// A URL that is given out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Given {
    /// Its crawl.
    pub(crate) crawl: Arc<str>,
    /// Its queue.
    pub(crate) key: Arc<str>,
    /// The address.
    pub(crate) url: String,
    /// What was to be remembered.
    pub(crate) metadata: Metadata,
}

impl Given {
    fn bytes(&self) -> usize {
        let values = |row: &(String, Vec<String>)| {
            row.0.len() + row.1.iter().map(String::len).sum::<usize>()
        };
        self.url.len() + self.metadata.iter().map(values).sum::<usize>()
    }
}

impl Book {
    /// Whether URLs are given out at all.
    pub(crate) fn active(&self) -> bool {
        self.counters.active
    }

    /// The next part of an answer, leased in one change. At the end the pass is finished.
    pub(crate) fn give(
        &mut self,
        ask: &Ask,
        pass: &mut Pass,
        now: Moment,
    ) -> Result<Vec<Given>, Broken> {
        let part = self.guard(|book| book.part(ask, pass, now));
        pass.finished |= part.is_err();
        part
    }

    fn part(&mut self, ask: &Ask, pass: &mut Pass, now: Moment) -> Result<Vec<Given>, StoreError> {
        let boundary = *pass.boundary.get_or_insert(self.counters.next_turn);
        let mut given = Vec::new();
        pass.finished = true;
        if !self.counters.active {
            return Ok(given);
        }
        let store = self.store.clone();
        let mut change = store.change();
        if let Some(key) = &ask.key {
            let Which::One(crawl) = &ask.crawls else { return Ok(given) };
            let Some(id) = self.find(crawl, key) else { return Ok(given) };
            self.place(id, now);
            if self.queues.get(&id).is_some_and(|queue| matches!(queue.spot, Spot::Ready(_))) {
                self.serve(id, ask, &mut given, &mut change, now)?;
            }
        } else {
            let mut turns = self.turns(ask, now);
            let mut bytes = 0;
            while let Some(Reverse((turn, id))) = turns.pop() {
                if turn >= boundary || (ask.queues > 0 && pass.queues >= ask.queues) {
                    break;
                }
                if given.len() >= PART_URLS || bytes >= PART_BYTES {
                    pass.finished = false;
                    break;
                }
                let crawl = self.queues.get(&id).map(|queue| queue.record.crawl.clone());
                let before = given.len();
                self.serve(id, ask, &mut given, &mut change, now)?;
                if given.len() > before {
                    pass.queues += 1;
                    bytes += given.iter().skip(before).map(Given::bytes).sum::<usize>();
                }
                let next = crawl.and_then(|crawl| self.crawls.get(&crawl)?.rotation.first());
                turns.extend(next.map(Reverse));
            }
        }
        if !given.is_empty() {
            change.put_counters(&self.counters);
            change.commit()?;
        }
        Ok(given)
    }

    /// The first ready queue of each crawl that is asked for, after waking those whose moment has come.
    fn turns(&mut self, ask: &Ask, now: Moment) -> BinaryHeap<Reverse<(u64, u64)>> {
        let names: Vec<Arc<str>> = match &ask.crawls {
            Which::Any => self.crawls.keys().cloned().collect(),
            Which::One(name) => self
                .crawls
                .get_key_value(name.as_str())
                .map(|(name, _)| name.clone())
                .into_iter()
                .collect(),
        };
        let mut turns = BinaryHeap::new();
        for name in names {
            let wakes = |book: &Book| {
                let rotation = &book.crawls.get(&name)?.rotation;
                rotation.due(now).or_else(|| rotation.not_full_for(ask.urls))
            };
            while let Some(id) = wakes(self) {
                self.place(id, now);
            }
            let first = self.crawls.get(&name).and_then(|crawl| crawl.rotation.first());
            turns.extend(first.map(Reverse));
        }
        turns
    }

    /// Serves one ready queue if it may be served, and puts it where it belongs then.
    fn serve(
        &mut self,
        id: u64,
        ask: &Ask,
        given: &mut Vec<Given>,
        change: &mut QueueChange<'_>,
        now: Moment,
    ) -> Result<(), StoreError> {
        self.take_back(id, now)?;
        let delay = self.counters.delay;
        let Some(queue) = self.queues.get(&id) else { return Ok(()) };
        let record = &queue.record;
        if rotation::earliest(record, delay) > now.0 {
            self.place(id, now);
            return Ok(());
        }
        if ask.urls > 0 && record.held >= u64::from(ask.urls) {
            self.move_to(id, |record| Spot::Full(record.held, record.first_end));
            return Ok(());
        }
        let before = given.len();
        self.lease(id, ask, given, change, now)?;
        let turn = (given.len() > before).then(|| self.next_turn());
        if let (Some(turn), Some(queue)) = (turn, self.queues.get_mut(&id)) {
            queue.record.turn = turn;
            queue.record.served = now.0;
            change.put_queue(id, &queue.record);
        }
        self.place(id, now);
        Ok(())
    }

    /// Leases what waits and whose date has come, in order.
    fn lease(
        &mut self,
        id: u64,
        ask: &Ask,
        given: &mut Vec<Given>,
        change: &mut QueueChange<'_>,
        now: Moment,
    ) -> Result<(), StoreError> {
        let most = if ask.urls == 0 { MAX_URLS } else { MAX_URLS.min(ask.urls as usize) };
        let until = now.0.saturating_add(ask.lease);
        let Some(queue) = self.queues.get_mut(&id) else { return Ok(()) };
        let record = &mut queue.record;
        let (mut count, mut bytes) = (0, 0);
        let mut first = (u64::MAX, u64::MAX);
        for row in self.store.due(id, record.first_due) {
            let (at, arrival, url) = row?;
            if at > now.seconds() || count >= most || bytes >= MAX_BYTES {
                first = (at, arrival);
                break;
            }
            let Some(mut row) = self.store.url(id, &url)? else {
                change.remove_due(id, at, arrival);
                continue;
            };
            leave(record, Some(row.place));
            row.place = Place::Held { at, arrival, until };
            enter(record, row.place);
            change.remove_due(id, at, arrival);
            change.put_held(id, until, arrival, &url);
            change.put_url(id, &url, &row);
            let one = Given {
                crawl: record.crawl.clone(),
                key: record.key.clone(),
                url,
                metadata: row.metadata,
            };
            count += 1;
            bytes += one.bytes();
            given.push(one);
        }
        record.first_due = first;
        Ok(())
    }

    /// Leases of a queue that have ended: their URLs wait again where they waited before.
    pub(super) fn take_back(&mut self, id: u64, now: Moment) -> Result<(), StoreError> {
        loop {
            let Some(queue) = self.queues.get_mut(&id) else { return Ok(()) };
            let record = &mut queue.record;
            if record.held == 0 || record.first_end > now.0 {
                return Ok(());
            }
            let mut change = self.store.change();
            let mut first = u64::MAX;
            for (count, row) in self.store.held(id, record.first_end).enumerate() {
                let (until, arrival, url) = row?;
                if until > now.0 || count >= TAKEN_BACK {
                    first = until;
                    break;
                }
                change.remove_held(id, until, arrival);
                let Some(mut row) = self.store.url(id, &url)? else { continue };
                leave(record, Some(row.place));
                row.place = Place::Due { at: row.next_fetch(), arrival };
                enter(record, row.place);
                change.put_due(id, row.next_fetch(), arrival, &url);
                change.put_url(id, &url, &row);
            }
            record.first_end = first;
            change.put_queue(id, record);
            change.commit()?;
        }
    }
}
