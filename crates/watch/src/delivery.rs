//! Who is to be told what, when is it tried again, and when is it given up?
//!
//! A delivery is made in the same step in which its changes are written down, and has one name for ever. It is
//! tried until the receiver has answered and the answer is written down. A kill between these two leads to one
//! more attempt under the same name, by which the receiver knows it.

#[cfg(test)]
mod tests;

use crate::watch::Watch;
use lycosa_model::Tick;
use lycosa_model::message::{DeliveryState, DeliveryView, WatchEntry};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Changes that one webhook tells of.
pub const HOOK_ENTRIES: usize = 20;
/// Changes that one mail tells of; there are further mails for more.
pub const MAIL_ENTRIES: usize = 200;
/// Pauses after failed attempts, as Standard Webhooks suggests; then it is given up.
pub const PAUSES: [Duration; 9] = [
    Duration::from_secs(5),
    Duration::from_secs(5 * 60),
    Duration::from_secs(30 * 60),
    Duration::from_secs(2 * 3_600),
    Duration::from_secs(5 * 3_600),
    Duration::from_secs(10 * 3_600),
    Duration::from_secs(14 * 3_600),
    Duration::from_secs(20 * 3_600),
    Duration::from_secs(24 * 3_600),
];
/// Longest pause that a receiver can ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(24 * 3_600);
/// How long the others of a channel wait at most because one of them failed.
const HOLD: Duration = Duration::from_secs(5 * 60);
/// Deliveries of a watch that wait; more are given up, the oldest first.
const MOST_WAITING: usize = 500;
/// Deliveries of a watch that were given up and can be repeated; older ones are forgotten.
const MOST_DEAD: usize = 100;
/// Deliveries of a watch that were taken and are still shown.
const MOST_DELIVERED: usize = 50;
/// Longest word on how an attempt ended.
const MAX_LAST: usize = 200;

/// By which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// An HTTP request.
    #[default]
    Webhook,
    /// A mail.
    Mail,
}

impl Channel {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Channel::Webhook => "webhook",
            Channel::Mail => "mail",
        }
    }
}

/// One message to somebody.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Delivery {
    /// Its name, the same for every attempt.
    pub id: String,
    /// By which way.
    pub channel: Channel,
    /// How it is.
    pub state: DeliveryState,
    /// Attempts that failed.
    pub attempts: u32,
    /// When it was made.
    pub made: Tick,
    /// When it is tried next.
    pub next: Tick,
    /// How the last attempt ended.
    pub last: String,
    /// Numbers of the changes.
    pub numbers: Vec<u64>,
    /// The changes, until it was taken.
    pub entries: Vec<WatchEntry>,
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// It was taken.
    Taken(String),
    /// It was not; perhaps another time, but not before this pause.
    Failed(String, Option<Duration>),
    /// It cannot be, however often it is tried.
    Hopeless(String),
    /// The receiver wants nothing any more.
    Unwanted(String),
}

impl Delivery {
    /// As others may see it.
    pub fn view(&self) -> DeliveryView {
        DeliveryView {
            id: self.id.clone(),
            channel: self.channel.name().into(),
            state: self.state,
            attempts: self.attempts,
            made: self.made,
            next: self.next,
            last: self.last.clone(),
            entries: self.numbers.clone(),
        }
    }
}

impl Watch {
    /// Makes deliveries of new changes.
    pub(crate) fn tell(&mut self, entries: &[WatchEntry], now: Tick) {
        if self.order.hook.is_some() && self.hook_off.is_none() {
            for part in entries.chunks(HOOK_ENTRIES) {
                self.deliver(Channel::Webhook, part, now, now);
            }
        }
        if !self.order.mail.is_empty() && self.mail_off.is_none() && !entries.is_empty() {
            self.mail(entries, now);
        }
        self.tidy();
    }

    /// Puts changes into the mail that waits to be sent, or into a new one.
    fn mail(&mut self, entries: &[WatchEntry], now: Tick) {
        let pause = Duration::from_secs(self.order.mail_every.unwrap_or(0));
        let earliest = self.mailed.map_or(now, |mailed| mailed.after(pause)).max(now);
        let mut rest = entries;
        // One that was tried already is kept as it is: it may have arrived.
        let waits = self.deliveries.iter_mut().rev().find(|delivery| {
            let open = delivery.state == DeliveryState::Waiting && delivery.last.is_empty();
            delivery.channel == Channel::Mail && open && delivery.next > now
        });
        if let Some(delivery) = waits {
            let room = MAIL_ENTRIES.saturating_sub(delivery.entries.len()).min(rest.len());
            let (fits, others) = rest.split_at(room);
            delivery.numbers.extend(fits.iter().map(|entry| entry.number));
            delivery.entries.extend(fits.iter().cloned());
            rest = others;
        }
        for part in rest.chunks(MAIL_ENTRIES) {
            self.deliver(Channel::Mail, part, now, earliest);
        }
    }

    fn deliver(&mut self, channel: Channel, entries: &[WatchEntry], now: Tick, next: Tick) {
        self.delivered += 1;
        self.deliveries.push(Delivery {
            id: format!("msg_{}_{}", self.uid, self.delivered),
            channel,
            state: DeliveryState::Waiting,
            attempts: 0,
            made: now,
            next,
            last: String::new(),
            numbers: entries.iter().map(|entry| entry.number).collect(),
            entries: entries.to_vec(),
        });
    }

    /// What is to be tried now, the oldest first.
    pub fn due_deliveries(&self, now: Tick) -> impl Iterator<Item = &Delivery> {
        let waits = |delivery: &&Delivery| delivery.state == DeliveryState::Waiting;
        self.deliveries.iter().filter(waits).filter(move |delivery| delivery.next <= now)
    }

    /// When the next one is to be tried.
    pub fn next_delivery(&self) -> Option<Tick> {
        let waiting = self.deliveries.iter().filter(|it| it.state == DeliveryState::Waiting);
        waiting.map(|delivery| delivery.next).min()
    }

    /// Takes over that an attempt begins.
    pub fn attempting(&mut self, id: &str) {
        if let Some(delivery) = self.deliveries.iter_mut().find(|delivery| delivery.id == id) {
            delivery.last = "an attempt was begun, and how it ended is not known".into();
        }
    }

    /// Takes over how an attempt ended.
    pub fn attempted(&mut self, id: &str, attempt: Attempt, now: Tick) {
        let Some(delivery) = self.deliveries.iter_mut().find(|delivery| delivery.id == id) else {
            return;
        };
        let channel = delivery.channel;
        let mut hold = None;
        match attempt {
            Attempt::Taken(how) => {
                delivery.state = DeliveryState::Delivered;
                delivery.last = bounded(&how);
                delivery.entries.clear();
                if channel == Channel::Mail {
                    self.mailed = Some(now);
                }
            }
            Attempt::Failed(why, asked) => {
                delivery.attempts += 1;
                delivery.last = bounded(&why);
                match PAUSES.get(delivery.attempts as usize - 1) {
                    Some(pause) => {
                        let pause = (*pause).max(asked.unwrap_or_default()).min(LONGEST_PAUSE);
                        delivery.next = now.after(pause);
                        hold = Some(now.after(pause.min(HOLD)));
                    }
                    None => delivery.state = DeliveryState::Dead,
                }
            }
            Attempt::Hopeless(why) => {
                delivery.attempts += 1;
                delivery.last = bounded(&why);
                delivery.state = DeliveryState::Dead;
            }
            Attempt::Unwanted(why) => {
                delivery.attempts += 1;
                delivery.last = bounded(&why);
                self.switch_off(channel, &bounded(&why));
            }
        }
        if let Some(until) = hold {
            // A receiver that has trouble is not asked for everything at once.
            let others = self.deliveries.iter_mut().filter(|it| it.channel == channel);
            others.for_each(|other| other.next = other.next.max(until));
        }
        self.tidy();
    }

    /// Tells nobody anything by this way any more.
    pub fn switch_off(&mut self, channel: Channel, why: &str) {
        match channel {
            Channel::Webhook => self.hook_off = Some(why.to_owned()),
            Channel::Mail => self.mail_off = Some(why.to_owned()),
        }
        for delivery in self.deliveries.iter_mut().filter(|it| it.channel == channel) {
            if delivery.state == DeliveryState::Waiting {
                delivery.state = DeliveryState::Dead;
                if delivery.last.is_empty() {
                    delivery.last = why.to_owned();
                }
            }
        }
        self.tidy();
    }

    /// Lets what was given up be tried again, from the beginning: one of them, or all. Tells how many.
    pub fn retry(&mut self, id: Option<&str>, now: Tick) -> usize {
        let mut count = 0;
        for delivery in &mut self.deliveries {
            let is_meant = id.is_none_or(|id| delivery.id == id);
            if is_meant && delivery.state == DeliveryState::Dead {
                (delivery.state, delivery.attempts) = (DeliveryState::Waiting, 0);
                delivery.next = now;
                count += 1;
            }
        }
        count
    }

    /// Nothing must wait while it is quiet.
    pub fn hold_until(&mut self, until: Tick) {
        let waiting = self.deliveries.iter_mut().filter(|it| it.state == DeliveryState::Waiting);
        waiting.for_each(|delivery| delivery.next = delivery.next.max(until));
    }

    /// Keeps the list within its bounds.
    fn tidy(&mut self) {
        let count = |list: &[Delivery], state| list.iter().filter(|it| it.state == state).count();
        let waiting = count(&self.deliveries, DeliveryState::Waiting);
        let mut surplus = waiting.saturating_sub(MOST_WAITING);
        for delivery in &mut self.deliveries {
            if surplus > 0 && delivery.state == DeliveryState::Waiting {
                delivery.state = DeliveryState::Dead;
                delivery.last = "too many were waiting".into();
                surplus -= 1;
            }
        }
        for (state, most) in
            [(DeliveryState::Dead, MOST_DEAD), (DeliveryState::Delivered, MOST_DELIVERED)]
        {
            let mut surplus = count(&self.deliveries, state).saturating_sub(most);
            self.deliveries.retain(|delivery| {
                let leaves = surplus > 0 && delivery.state == state;
                surplus -= usize::from(leaves);
                !leaves
            });
        }
    }
}

fn bounded(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(MAX_LAST).collect()
}
