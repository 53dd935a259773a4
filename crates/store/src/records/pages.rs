//! What is known of pages beside their records: how they change, who else says the same, and which of
//! them have left the index.

use super::{Change, Records, StoreError, decode};
use fjall::Keyspace;
use lycosa_model::message::CopyOf;
use lycosa_model::{History, Tick, UrlId};
use serde::{Deserialize, Serialize};

/// What a page says, as a key. Made by [`ContentKey::payload`] and its sisters, so that the same bytes,
/// the same text and the same claim are never taken for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentKey([u8; 16]);

impl ContentKey {
    /// The same payload.
    pub fn payload(digest: &str) -> ContentKey {
        ContentKey::of("payload", digest)
    }

    /// The same text under the same title.
    pub fn text(digest: &str, shape: u64) -> ContentKey {
        ContentKey::of(&format!("text {shape:016x}"), digest)
    }

    /// The same title, and the same 16 bits of the simhash at one of its four places: of two simhashes that
    /// differ by three bits, one place at least is the same.
    pub fn near(title: u64, simhash: u64) -> [ContentKey; 4] {
        [0, 16, 32, 48].map(|place| {
            let bits = (simhash >> place) as u16;
            ContentKey::of(&format!("near {title:016x}"), &format!("{place} {bits:04x}"))
        })
    }

    /// The same shape on the same site.
    pub fn shape(site: &str, shape: u64) -> ContentKey {
        ContentKey::of(&format!("shape {shape:016x}"), site)
    }

    /// The claim to be the page at this address.
    pub fn claim(canonical: UrlId) -> ContentKey {
        ContentKey::of("claim", &canonical.to_string())
    }

    fn of(kind: &str, what: &str) -> ContentKey {
        // The digest of a text that is no address, so it meets no URL.
        ContentKey(UrlId::of(&format!("{kind}\n{what}")).0)
    }
}

/// Who said something first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// The page.
    pub url_id: UrlId,
    /// When.
    pub fetched: Tick,
    /// Pages that said the same later.
    pub copies: u32,
}

/// The keyspaces of this module.
#[derive(Clone)]
pub(super) struct Pages {
    history: Keyspace,
    contents: Keyspace,
    members: Keyspace,
    removals: Keyspace,
    due: Keyspace,
}

impl Pages {
    pub(super) fn open<E>(
        keyspace: impl Fn(&'static str) -> Result<Keyspace, E>,
    ) -> Result<Pages, E> {
        Ok(Pages {
            history: keyspace("history")?,
            contents: keyspace("contents")?,
            members: keyspace("members")?,
            removals: keyspace("removals")?,
            due: keyspace("due")?,
        })
    }
}

impl Records {
    /// What is remembered of a page that was fetched.
    pub fn history(&self, id: UrlId) -> Result<Option<History>, StoreError> {
        self.read(&self.pages.history, &id.0, "history of a page")
    }

    /// What a page is a copy of, if another stands for it.
    pub fn copy_of(&self, id: UrlId) -> Result<Option<CopyOf>, StoreError> {
        let Some(of) = self.history(id)?.and_then(|history| history.same_as) else {
            return Ok(None);
        };
        Ok(self.url(id)?.map(|record| CopyOf { url_id: id, url: record.url, of }))
    }

    /// Every page that was fetched, by id.
    pub fn histories(&self) -> impl Iterator<Item = Result<(UrlId, History), StoreError>> + use<> {
        self.pages.history.iter().map(|guard| {
            let what = "history of a page";
            let (key, value) = guard.into_inner().map_err(StoreError::read)?;
            let id = key.as_ref().try_into().map_err(|_| StoreError::CorruptKey { what })?;
            Ok((UrlId(id), decode(&value, what)?))
        })
    }

    /// Who said this first.
    pub fn content(&self, key: ContentKey) -> Result<Option<Content>, StoreError> {
        self.read(&self.pages.contents, &key.0, "content")
    }

    /// Who else says this, by id; at most so many.
    pub fn members(&self, key: ContentKey, most: usize) -> Result<Vec<UrlId>, StoreError> {
        let rows = self.pages.members.prefix(key.0).take(most);
        rows.map(|guard| {
            let key = guard.key().map_err(StoreError::read)?;
            let id = key.get(16..).and_then(|id| id.try_into().ok()).map(UrlId);
            id.ok_or(StoreError::CorruptKey { what: "member of a content" })
        })
        .collect()
    }

    /// Pages that are to be visited until this moment, earliest first; at most so many.
    pub fn due(&self, until: Tick, most: usize) -> Result<Vec<(Tick, UrlId)>, StoreError> {
        let range = due_key(Tick(0), UrlId([0; 16]))..=due_key(until, UrlId([255; 16]));
        let rows = self.pages.due.range(range).take(most);
        rows.map(|guard| {
            let key = guard.key().map_err(StoreError::read)?;
            due_of(&key).ok_or(StoreError::CorruptKey { what: "visit" })
        })
        .collect()
    }

    /// Pages that have left the index behind this place of the list, and theirs.
    pub fn removals(
        &self,
        after: u64,
    ) -> impl Iterator<Item = Result<(u64, UrlId), StoreError>> + use<> {
        let begin = due_key(Tick(after.saturating_add(1)), UrlId([0; 16]));
        self.pages.removals.range(begin..).map(|guard| {
            let key = guard.key().map_err(StoreError::read)?;
            let (at, id) = due_of(&key).ok_or(StoreError::CorruptKey { what: "removal" })?;
            Ok((at.0, id))
        })
    }

    /// The last place of the list of pages that have left the index.
    pub fn last_removal(&self) -> Result<u64, StoreError> {
        let Some(guard) = self.pages.removals.last_key_value() else {
            return Ok(0);
        };
        let key = guard.key().map_err(StoreError::read)?;
        let place = due_of(&key).map(|(at, _)| at.0);
        place.ok_or(StoreError::CorruptKey { what: "removal" })
    }
}

impl Change<'_> {
    /// Writes what is remembered of a page.
    pub fn put_history(&mut self, id: UrlId, history: &History) {
        self.put(|records| &records.pages.history, &id.0, history);
    }

    /// Writes who said this first.
    pub fn put_content(&mut self, key: ContentKey, content: &Content) {
        self.put(|records| &records.pages.contents, &key.0, content);
    }

    /// Notes that this page says this, too.
    pub fn put_member(&mut self, key: ContentKey, id: UrlId) {
        self.put(|records| &records.pages.members, &member_key(key, id), &());
    }

    /// Notes that it does no more.
    pub fn remove_member(&mut self, key: ContentKey, id: UrlId) {
        self.remove(|records| &records.pages.members, &member_key(key, id));
    }

    /// Has a page visited at this moment.
    pub fn put_due(&mut self, at: Tick, id: UrlId) {
        self.put(|records| &records.pages.due, &due_key(at, id), &());
    }

    /// Has it visited no more.
    pub fn remove_due(&mut self, at: Tick, id: UrlId) {
        self.remove(|records| &records.pages.due, &due_key(at, id));
    }

    /// Notes that a page has left the index, at this place of the list.
    pub fn put_removal(&mut self, place: u64, id: UrlId) {
        self.put(|records| &records.pages.removals, &due_key(Tick(place), id), &());
    }

    /// Notes that every index knows it.
    pub fn remove_removal(&mut self, place: u64, id: UrlId) {
        self.remove(|records| &records.pages.removals, &due_key(Tick(place), id));
    }
}

fn due_of(key: &[u8]) -> Option<(Tick, UrlId)> {
    let at = key.get(..8)?.try_into().ok().map(u64::from_be_bytes)?;
    let id = key.get(8..)?.try_into().ok()?;
    Some((Tick(at), UrlId(id)))
}

fn due_key(at: Tick, id: UrlId) -> [u8; 24] {
    let mut key = [0; 24];
    key[..8].copy_from_slice(&at.0.to_be_bytes());
    key[8..].copy_from_slice(&id.0);
    key
}

fn member_key(key: ContentKey, id: UrlId) -> [u8; 32] {
    let mut both = [0; 32];
    both[..16].copy_from_slice(&key.0);
    both[16..].copy_from_slice(&id.0);
    both
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_of_pages_outlasts_the_process() {
        let dir = tempfile::tempdir().expect("temp dir");
        let (one, two) = (UrlId::of("http://a.test/1"), UrlId::of("http://a.test/2"));
        let key = ContentKey::payload("ABC");
        let content = Content { url_id: one, fetched: Tick(7), copies: 1 };
        let history = History { visits: 3, same_as: Some(one), ..History::default() };
        {
            let records = Records::open(dir.path()).expect("open");
            let mut change = records.change();
            change.put_history(two, &history);
            change.put_content(key, &content);
            change.put_member(key, two);
            change.put_member(ContentKey::claim(one), one);
            change.put_removal(7, one);
            change.put_removal(8, two);
            change.commit().expect("commit");
        }
        let records = Records::open(dir.path()).expect("reopen");
        assert_eq!(records.history(two).expect("read"), Some(history));
        assert_eq!(records.histories().count(), 1);
        assert_eq!(records.content(key).expect("read"), Some(content));
        assert_eq!(records.members(key, 9).expect("read"), [two]);
        assert_eq!(records.members(key, 0).expect("read"), []);
        let removals =
            |after| records.removals(after).collect::<Result<Vec<_>, _>>().expect("read");
        assert_eq!(removals(0), [(7, one), (8, two)]);
        assert_eq!((removals(7), removals(8)), (vec![(8, two)], vec![]));
        assert_eq!(records.last_removal().expect("read"), 8);
        let mut change = records.change();
        change.remove_member(key, two);
        change.remove_removal(7, one);
        change.remove_removal(8, two);
        change.commit().expect("commit");
        assert_eq!(records.members(key, 9).expect("read"), []);
        assert_eq!((removals(0).len(), records.last_removal().expect("read")), (0, 0));
    }

    #[test]
    fn visits_come_in_the_order_of_their_moments() {
        let dir = tempfile::tempdir().expect("temp dir");
        let records = Records::open(dir.path()).expect("open");
        let id = |n: u8| UrlId([n; 16]);
        let mut change = records.change();
        for (at, n) in [(300, 1), (2, 2), (70_000, 3), (300, 4)] {
            change.put_due(Tick(at), id(n));
        }
        change.remove_due(Tick(300), id(4));
        change.commit().expect("commit");
        let due = |until, most| records.due(Tick(until), most).expect("read");
        assert_eq!(due(300, 9), [(Tick(2), id(2)), (Tick(300), id(1))]);
        assert_eq!(due(u64::MAX, 1), [(Tick(2), id(2))]);
    }

    #[test]
    fn keys_of_different_kinds_never_meet() {
        let id = UrlId::of("x");
        let keys = [
            ContentKey::payload("x"),
            ContentKey::text("x", 1),
            ContentKey::text("x", 2),
            ContentKey::shape("x", 1),
            ContentKey::claim(id),
        ];
        let different: std::collections::BTreeSet<_> = keys.iter().collect();
        assert_eq!(different.len(), keys.len());
    }
}
