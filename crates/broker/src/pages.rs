//! What will be different about pages after this message? The part of a draft that tells how pages
//! change and who says the same.

use lycosa_model::{History, Tick, UrlId};
use lycosa_store::records::{Change, Content, ContentKey, Records, StoreError};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// Pages that are known to say the same as one that changes or leaves; more are found by their own
/// next visits.
pub(crate) const MAX_MEMBERS: usize = 256;

/// Who said something first, if anybody did.
struct Said {
    content: Option<Content>,
    changed: bool,
}

/// Changes under way.
#[derive(Default)]
pub(crate) struct PageDraft {
    histories: BTreeMap<UrlId, History>,
    /// What was read or changed; what nobody has said is remembered as such.
    contents: BTreeMap<ContentKey, Said>,
    /// Whether a page is to be among those that say this.
    members: BTreeMap<(ContentKey, UrlId), bool>,
    removals: BTreeSet<(u64, UrlId)>,
    /// Whether a page is to be visited at this moment.
    due: BTreeMap<(Tick, UrlId), bool>,
}

impl PageDraft {
    /// What is remembered of a page, as it will be; changes to it count.
    pub(crate) fn history(
        &mut self,
        records: &Records,
        id: UrlId,
    ) -> Result<Option<&mut History>, StoreError> {
        match self.histories.entry(id) {
            Entry::Occupied(entry) => Ok(Some(entry.into_mut())),
            Entry::Vacant(entry) => Ok(records.history(id)?.map(|history| entry.insert(history))),
        }
    }

    pub(crate) fn put_history(&mut self, id: UrlId, history: History) {
        self.histories.insert(id, history);
    }

    pub(crate) fn content(
        &mut self,
        records: &Records,
        key: ContentKey,
    ) -> Result<Option<Content>, StoreError> {
        match self.contents.entry(key) {
            Entry::Occupied(entry) => Ok(entry.get().content),
            Entry::Vacant(entry) => {
                let content = records.content(key)?;
                Ok(entry.insert(Said { content, changed: false }).content)
            }
        }
    }

    pub(crate) fn put_content(&mut self, key: ContentKey, content: Content) {
        self.contents.insert(key, Said { content: Some(content), changed: true });
    }

    /// Pages that say this, as they will be.
    pub(crate) fn members(
        &self,
        records: &Records,
        key: ContentKey,
    ) -> Result<Vec<UrlId>, StoreError> {
        let mut members: BTreeSet<UrlId> = records.members(key, MAX_MEMBERS)?.into_iter().collect();
        let ours = (key, UrlId([0; 16]))..=(key, UrlId([255; 16]));
        for ((_, id), stays) in self.members.range(ours) {
            if *stays {
                members.insert(*id);
            } else {
                members.remove(id);
            }
        }
        Ok(members.into_iter().collect())
    }

    pub(crate) fn put_member(&mut self, key: ContentKey, id: UrlId) {
        self.members.insert((key, id), true);
    }

    pub(crate) fn remove_member(&mut self, key: ContentKey, id: UrlId) {
        self.members.insert((key, id), false);
    }

    /// Notes that a page leaves the index, at this place of the list.
    pub(crate) fn put_removal(&mut self, place: u64, id: UrlId) {
        self.removals.insert((place, id));
    }

    pub(crate) fn put_due(&mut self, at: Tick, id: UrlId) {
        self.due.insert((at, id), true);
    }

    pub(crate) fn remove_due(&mut self, at: Tick, id: UrlId) {
        self.due.insert((at, id), false);
    }

    pub(crate) fn write(&self, change: &mut Change<'_>) {
        for (id, history) in &self.histories {
            change.put_history(*id, history);
        }
        for (key, said) in self.contents.iter().filter(|(_, said)| said.changed) {
            said.content.iter().for_each(|content| change.put_content(*key, content));
        }
        for ((key, id), stays) in &self.members {
            if *stays {
                change.put_member(*key, *id);
            } else {
                change.remove_member(*key, *id);
            }
        }
        for ((at, id), stays) in &self.due {
            if *stays {
                change.put_due(*at, *id);
            } else {
                change.remove_due(*at, *id);
            }
        }
        for (place, id) in &self.removals {
            change.put_removal(*place, *id);
        }
    }
}
