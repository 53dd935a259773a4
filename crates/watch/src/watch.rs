//! What is kept of a watch? One value that is written down as a whole, so that what is known, what was found
//! and who is to be told never disagree.

use crate::compare::Found;
use crate::delivery::Delivery;
use crate::hook::HookSecret;
use lycosa_model::Tick;
use lycosa_model::message::{DeliveryState, WatchCheck, WatchEntry, WatchOrder, WatchView};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Changes that are kept, and so the most that a feed has.
pub const KEPT_ENTRIES: usize = 200;
/// Times that it was looked at, of which something is kept.
pub const KEPT_CHECKS: usize = 50;

/// Text that is never shown.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(pub String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// A page that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// Of its text.
    pub fingerprint: String,
    /// Its title.
    pub title: String,
}

/// A watch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Watch {
    /// Its number.
    pub id: u64,
    /// A name that no other watch ever has, for feeds and hooks.
    pub uid: String,
    /// What was wanted.
    pub order: WatchOrder,
    /// When it was made.
    pub made: Tick,
    /// Whether it rests.
    pub paused: bool,
    /// Whether it knows what was there to begin with.
    pub baseline: bool,
    /// When it is looked at next.
    pub due: Tick,
    /// What is known, by address.
    pub items: BTreeMap<String, Item>,
    /// The number of the file with the texts of what is known.
    pub texts: u64,
    /// What could not be read, and why, by address.
    pub failing: BTreeMap<String, String>,
    /// The last changes, the oldest first.
    pub entries: Vec<WatchEntry>,
    /// Changes so far.
    pub counted: u64,
    /// Who is to be told what, the oldest first.
    pub deliveries: Vec<Delivery>,
    /// Deliveries so far.
    pub delivered: u64,
    /// The last times that it was looked at, the oldest first.
    pub checks: Vec<WatchCheck>,
    /// What its webhook signs with, the newest first.
    pub secrets: Vec<HookSecret>,
    /// Why its webhook is off, if it is.
    pub hook_off: Option<String>,
    /// Why its mail is off, if it is.
    pub mail_off: Option<String>,
    /// When mail was last sent.
    pub mailed: Option<Tick>,
    /// Who knows it may read the feed.
    pub token: Secret,
}

impl Watch {
    /// What it is called.
    pub fn name(&self) -> &str {
        let order = &self.order;
        let names = [&order.name, &order.query, &order.page, &order.site];
        names.into_iter().flatten().find(|name| !name.trim().is_empty()).map_or("", String::as_str)
    }

    /// Where its feed is on a server.
    pub fn feed_path(&self) -> String {
        format!("/watches/{}/feed.atom", self.id)
    }

    /// The same for somebody who may read nothing else.
    pub fn feed_with_token(&self) -> String {
        format!("{}?token={}", self.feed_path(), self.token.0)
    }

    /// Takes over what was found: everything that follows from it, or nothing, once it is written down.
    pub fn take(&mut self, found: Found, now: Tick, due: Tick) {
        let Found { items, failing, entries, check, texts: _ } = found;
        self.due = due;
        self.baseline |= check.baseline;
        (self.items, self.failing) = (items, failing);
        self.counted += entries.len() as u64;
        self.tell(&entries, now);
        self.entries.extend(entries);
        let old = self.entries.len().saturating_sub(KEPT_ENTRIES);
        self.entries.drain(..old);
        self.note_check(check);
    }

    /// Takes over that nothing could be compared.
    pub fn take_failure(&mut self, why: String, now: Tick, due: Tick) {
        self.due = due;
        self.note_check(WatchCheck {
            at: now,
            note: Some(why),
            failed: true,
            ..WatchCheck::default()
        });
    }

    fn note_check(&mut self, check: WatchCheck) {
        self.checks.push(check);
        let old = self.checks.len().saturating_sub(KEPT_CHECKS);
        self.checks.drain(..old);
    }

    /// As others may see it. `schedule` is in words.
    pub fn view(&self, schedule: &str) -> WatchView {
        let count = |state| self.deliveries.iter().filter(|it| it.state == state).count();
        WatchView {
            id: self.id,
            name: self.name().to_owned(),
            order: self.order.clone(),
            schedule: schedule.to_owned(),
            paused: self.paused,
            looking: false,
            baseline: self.baseline,
            made: self.made,
            due: (!self.paused).then_some(self.due),
            pages: self.items.len(),
            changes: self.counted,
            waiting: count(DeliveryState::Waiting),
            given_up: count(DeliveryState::Dead),
            failing: self.failing.iter().map(|(url, why)| (url.clone(), why.clone())).collect(),
            hook_off: self.hook_off.clone(),
            mail_off: self.mail_off.clone(),
            feed: self.feed_path(),
            checks: self.checks.iter().rev().cloned().collect(),
            entries: self.entries.iter().rev().cloned().collect(),
            deliveries: self.deliveries.iter().rev().map(Delivery::view).collect(),
        }
    }
}
