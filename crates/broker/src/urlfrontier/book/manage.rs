//! How are queues looked at, slowed, blocked, limited and deleted?

use super::put::leave;
use super::rotation;
use super::{Book, Broken, Moment};
use lycosa_store::queues::{Place, QueueRecord, Sweep, UrlRow};
use lycosa_store::records::StoreError;
use std::ops::Bound;
use std::sync::Arc;

/// What is in a queue or a crawl.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    /// URLs that wait or are held.
    pub(crate) active: u64,
    /// URLs that are held.
    pub(crate) held: u64,
    /// URLs that are done for ever.
    pub(crate) completed: u64,
    /// Queues.
    pub(crate) queues: u64,
    /// Queues with something that waits or is held.
    pub(crate) active_queues: u64,
}

/// Which part of a list of queues is wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueuePage {
    /// Queues to pass over.
    pub(crate) start: usize,
    /// Queues at most.
    pub(crate) size: usize,
    /// Also those that give nothing now: empty or blocked.
    pub(crate) inactive: bool,
}

/// A URL and where it was found.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// The number of its queue.
    pub(crate) queue: u64,
    /// The queue's key.
    pub(crate) key: Arc<str>,
}

impl Book {
    /// Crawls that have queues.
    pub(crate) fn crawls(&self) -> Vec<String> {
        self.crawls.keys().map(|name| name.to_string()).collect()
    }

    /// Keys of a crawl's queues, by key.
    pub(crate) fn keys(&self, crawl: &str, page: QueuePage, now: Moment) -> Vec<String> {
        let Some(crawl) = self.crawls.get(crawl) else { return Vec::new() };
        let wanted = |record: &QueueRecord| {
            page.inactive || (record.active > 0 && !rotation::blocked(record, now))
        };
        let queues = crawl.queues.iter().filter_map(|(key, id)| Some((key, self.queues.get(id)?)));
        let matching = queues.filter(|(_, queue)| wanted(&queue.record));
        matching.skip(page.start).take(page.size).map(|(key, _)| key.to_string()).collect()
    }

    /// Queues of a crawl behind this key, so many at most; only the one of `only`, if that is given.
    pub(crate) fn found(
        &self,
        crawl: &str,
        only: Option<&str>,
        behind: Option<&str>,
        most: usize,
    ) -> Vec<Found> {
        let Some(crawl) = self.crawls.get(crawl) else { return Vec::new() };
        let found = |(key, id): (&Arc<str>, &u64)| Found { queue: *id, key: key.clone() };
        if let Some(only) = only {
            return crawl.queues.get_key_value(only).map(found).into_iter().collect();
        }
        let from = behind.map_or(Bound::Unbounded, Bound::Excluded);
        crawl.queues.range::<str, _>((from, Bound::Unbounded)).take(most).map(found).collect()
    }

    /// What is in a queue, or in all queues of a crawl.
    pub(crate) fn summary(
        &mut self,
        crawl: &str,
        key: Option<&str>,
        now: Moment,
    ) -> Result<Summary, Broken> {
        let ids: Vec<u64> = match key {
            Some(key) => self.find(crawl, key).into_iter().collect(),
            None => self
                .crawls
                .get(crawl)
                .map_or(Vec::new(), |crawl| crawl.queues.values().copied().collect()),
        };
        let mut summary = Summary::default();
        for id in ids {
            self.guard(|book| book.take_back(id, now))?;
            let Some(queue) = self.queues.get(&id) else { continue };
            summary.active += queue.record.active;
            summary.held += queue.record.held;
            summary.completed += queue.record.completed;
            summary.queues += 1;
            summary.active_queues += u64::from(queue.record.active > 0);
        }
        Ok(summary)
    }

    /// One URL.
    pub(crate) fn url(
        &mut self,
        crawl: &str,
        key: &str,
        url: &str,
    ) -> Result<Option<UrlRow>, Broken> {
        match self.find(crawl, key) {
            Some(id) => self.guard(|book| book.store.url(id, url)),
            None => Ok(None),
        }
    }

    /// Whether URLs are given out at all.
    pub(crate) fn set_active(&mut self, active: bool) -> Result<(), Broken> {
        self.guard(|book| {
            book.counters.active = active;
            book.write_counters()
        })
    }

    /// Sets the pause between two servings of a queue, or, without key, of all that have none of their
    /// own. An unknown queue has none.
    pub(crate) fn set_delay(
        &mut self,
        crawl: &str,
        key: Option<&str>,
        seconds: u32,
        now: Moment,
    ) -> Result<(), Broken> {
        if let Some(key) = key {
            let set = |record: &mut QueueRecord| record.delay = Some(seconds);
            return self.set(crawl, key, set, now).map(drop);
        }
        self.guard(|book| {
            book.counters.delay = seconds;
            book.write_counters()
        })?;
        let ids: Vec<u64> = self.queues.keys().copied().collect();
        for id in ids {
            self.place(id, now);
        }
        Ok(())
    }

    /// Blocks a queue up to and with this second; 0 frees it. An unknown queue has no block.
    pub(crate) fn block(
        &mut self,
        crawl: &str,
        key: &str,
        until: u64,
        now: Moment,
    ) -> Result<(), Broken> {
        self.set(crawl, key, |record| record.blocked_until = until, now).map(drop)
    }

    /// Sets after how many completed URLs a queue gives nothing more; 0 is no limit. False when there is
    /// no such queue.
    pub(crate) fn set_limit(
        &mut self,
        crawl: &str,
        key: &str,
        limit: u32,
        now: Moment,
    ) -> Result<bool, Broken> {
        self.set(crawl, key, |record| record.limit = limit, now)
    }

    fn set(
        &mut self,
        crawl: &str,
        key: &str,
        set: impl FnOnce(&mut QueueRecord),
        now: Moment,
    ) -> Result<bool, Broken> {
        let Some(id) = self.find(crawl, key) else { return Ok(false) };
        self.guard(|book| {
            let Some(queue) = book.queues.get_mut(&id) else { return Ok(()) };
            set(&mut queue.record);
            let mut change = book.store.change();
            change.put_queue(id, &queue.record);
            change.commit()
        })?;
        self.place(id, now);
        Ok(true)
    }

    /// Deletes a queue; tells how many URLs it had.
    pub(crate) fn delete_queue(&mut self, crawl: &str, key: &str) -> Result<u64, Broken> {
        let ids = self.find(crawl, key).into_iter().collect();
        self.delete(ids)
    }

    /// Deletes all queues of a crawl; tells how many URLs they had.
    pub(crate) fn delete_crawl(&mut self, crawl: &str) -> Result<u64, Broken> {
        let ids = self.crawls.get(crawl).map(|crawl| crawl.queues.values().copied().collect());
        self.delete(ids.unwrap_or_default())
    }

    fn delete(&mut self, ids: Vec<u64>) -> Result<u64, Broken> {
        self.guard(|book| {
            let mut change = book.store.change();
            for id in &ids {
                change.remove_queue(*id);
            }
            change.commit()?;
            Ok(ids.into_iter().map(|id| book.forget(id)).sum())
        })
    }

    fn forget(&mut self, id: u64) -> u64 {
        self.move_to(id, |_| rotation::Spot::Out);
        let Some(queue) = self.queues.remove(&id) else { return 0 };
        let record = queue.record;
        if let Some(crawl) = self.crawls.get_mut(&record.crawl) {
            crawl.queues.remove(&record.key);
            if crawl.queues.is_empty() {
                self.crawls.remove(&record.crawl);
            }
        }
        self.gone.push_back(Sweep::of(id));
        record.active + record.completed
    }

    /// Removes these URLs of a queue if they were created before this second; tells how many.
    pub(crate) fn purge(
        &mut self,
        queue: u64,
        urls: &[String],
        before: u64,
        now: Moment,
    ) -> Result<u64, Broken> {
        let removed = self.guard(|book| book.purge_rows(queue, urls, before))?;
        self.place(queue, now);
        Ok(removed)
    }

    fn purge_rows(&mut self, id: u64, urls: &[String], before: u64) -> Result<u64, StoreError> {
        let Some(queue) = self.queues.get_mut(&id) else { return Ok(0) };
        let mut change = self.store.change();
        let mut removed = 0;
        for url in urls {
            let Some(row) = self.store.url(id, url)?.filter(|row| row.created < before) else {
                continue;
            };
            match row.place {
                Place::Due { at, arrival } => change.remove_due(id, at, arrival),
                Place::Held { until, arrival, .. } => change.remove_held(id, until, arrival),
                Place::Done => {}
            }
            change.remove_url(id, url);
            leave(&mut queue.record, Some(row.place));
            removed += 1;
        }
        change.put_queue(id, &queue.record);
        change.commit()?;
        Ok(removed)
    }

    fn write_counters(&mut self) -> Result<(), StoreError> {
        let mut change = self.store.change();
        change.put_counters(&self.counters);
        change.commit()
    }
}
