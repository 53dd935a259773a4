//! What does it change when a crawler tells of a URL?

use super::{Book, Broken, Moment};
use lycosa_store::queues::{Metadata, Place, QueueRecord, UrlRow};
use lycosa_store::records::StoreError;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

/// A URL that a crawler tells of. Names and sizes were checked.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Put {
    /// The crawl.
    pub(crate) crawl: String,
    /// The queue.
    pub(crate) key: String,
    /// The address.
    pub(crate) url: String,
    /// To be remembered.
    pub(crate) metadata: Metadata,
    /// What the crawler knows of it.
    pub(crate) news: News,
    /// When it was first met, if it is brought from elsewhere, in seconds.
    pub(crate) created: Option<u64>,
}

/// What a crawler knows of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// It was found.
    Discovered,
    /// It was visited, and is wanted again from this date (in seconds) on; 0 is never.
    Known(u64),
}

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is in the store.
    Taken,
    /// It was known, or can never be taken.
    Skipped,
    /// There is no room for it now.
    Failed,
}

/// A row before and after this change.
struct Draft {
    before: Option<Place>,
    row: Option<UrlRow>,
    changed: bool,
}

impl Book {
    /// Takes all of these in one change, in order; one verdict for each.
    pub(crate) fn put(&mut self, puts: Vec<Put>, now: Moment) -> Result<Vec<Verdict>, Broken> {
        self.guard(|book| book.put_all(puts, now))
    }

    fn put_all(&mut self, puts: Vec<Put>, now: Moment) -> Result<Vec<Verdict>, StoreError> {
        let mut drafts: HashMap<(u64, String), Draft> = HashMap::with_capacity(puts.len());
        let verdicts = puts.into_iter().map(|put| self.draft(put, &mut drafts, now));
        let verdicts = verdicts.collect::<Result<Vec<Verdict>, StoreError>>()?;
        let store = self.store.clone();
        let mut change = store.change();
        let mut touched = BTreeSet::new();
        for ((id, url), draft) in drafts {
            let (Some(row), true) = (draft.row, draft.changed) else { continue };
            touched.insert(id);
            change.put_url(id, &url, &row);
            match draft.before {
                Some(Place::Due { at, arrival }) => change.remove_due(id, at, arrival),
                Some(Place::Held { arrival, until, .. }) => change.remove_held(id, until, arrival),
                Some(Place::Done) | None => {}
            }
            if let Place::Due { at, arrival } = row.place {
                change.put_due(id, at, arrival, &url);
            }
        }
        if touched.is_empty() {
            return Ok(verdicts);
        }
        for id in &touched {
            if let Some(queue) = self.queues.get(id) {
                change.put_queue(*id, &queue.record);
            }
        }
        change.put_counters(&self.counters);
        change.commit()?;
        for id in touched {
            self.place(id, now);
        }
        Ok(verdicts)
    }

    fn draft(
        &mut self,
        put: Put,
        drafts: &mut HashMap<(u64, String), Draft>,
        now: Moment,
    ) -> Result<Verdict, StoreError> {
        let Some(id) = self.find_or_make(&put.crawl, &put.key) else {
            return Ok(Verdict::Failed);
        };
        let draft = match drafts.entry((id, put.url)) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let row = self.store.url(id, &entry.key().1)?;
                let before = row.as_ref().map(|row| row.place);
                entry.insert(Draft { before, row, changed: false })
            }
        };
        let at = match put.news {
            News::Discovered if draft.row.is_some() => return Ok(Verdict::Skipped),
            News::Discovered => Some(now.seconds()),
            News::Known(0) => None,
            News::Known(date) => Some(date),
        };
        let place = match at {
            Some(at) => Place::Due { at, arrival: self.next_arrival() },
            None => Place::Done,
        };
        let old = draft.row.as_ref();
        let created = put.created.or(old.map(|row| row.created)).unwrap_or(now.seconds());
        if let Some(queue) = self.queues.get_mut(&id) {
            leave(&mut queue.record, old.map(|row| row.place));
            enter(&mut queue.record, place);
        }
        draft.row = Some(UrlRow { created, place, metadata: put.metadata });
        draft.changed = true;
        Ok(Verdict::Taken)
    }
}

/// Counts a URL out of the place where it stood.
pub(super) fn leave(record: &mut QueueRecord, place: Option<Place>) {
    match place {
        None => {}
        Some(Place::Done) => record.completed = record.completed.saturating_sub(1),
        Some(Place::Due { .. }) => record.active = record.active.saturating_sub(1),
        Some(Place::Held { .. }) => {
            record.active = record.active.saturating_sub(1);
            record.held = record.held.saturating_sub(1);
        }
    }
}

/// Counts a URL into the place where it stands.
pub(super) fn enter(record: &mut QueueRecord, place: Place) {
    match place {
        Place::Done => record.completed += 1,
        Place::Due { at, arrival } => {
            record.active += 1;
            record.first_due = record.first_due.min((at, arrival));
        }
        Place::Held { until, .. } => {
            record.active += 1;
            record.held += 1;
            record.first_end = record.first_end.min(until);
        }
    }
}
