//! Who is there?
//!
//! Everyone says so every two seconds, with all there is to know of it, so that a newcomer needs no other source.
//! Silence is a hint only: leases decide who may still do something.

use crate::bus::Bus;
use crate::error::{Error, Result};
use crate::subject::is_word;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{Instant, MissedTickBehavior};

/// Members that a roster remembers; further ones are not seen.
const MAX_MEMBERS: usize = 100_000;

/// How long one who left or fell silent is still listed.
const REMEMBERED: Duration = Duration::from_secs(60);

/// Where a newcomer asks everyone to speak up.
const WHO: &str = "who";

/// How often members say that they are there, and how many misses mean what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// Time between two signs of life.
    pub every: Duration,
    /// Misses after which a member is suspect.
    pub suspect: u32,
    /// Misses after which it is gone.
    pub gone: u32,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace { every: Duration::from_secs(2), suspect: 3, gone: 5 }
    }
}

/// What a member tells of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Card {
    /// Its name, one word that nobody else has.
    pub id: String,
    /// What it is: `bot`, `indexer`.
    pub role: String,
    /// Version of its program.
    pub version: String,
    /// What it can do, by name.
    pub capabilities: BTreeMap<String, String>,
}

/// How it is with a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It spoke lately.
    Here,
    /// It missed some signs of life.
    Suspect,
    /// It missed too many.
    Gone,
    /// It said goodbye.
    Left,
}

/// A member as others see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// What it tells of itself.
    pub card: Card,
    /// How it is with it.
    pub state: State,
    /// How long it has been silent.
    pub silent: Duration,
}

/// What a silence means.
fn judge(silent: Duration, pace: Pace) -> State {
    // The sign that is due now is not missed yet.
    match silent {
        _ if silent > pace.every * pace.gone => State::Gone,
        _ if silent > pace.every * pace.suspect => State::Suspect,
        _ => State::Here,
    }
}

/// A sign of life on the wire.
#[derive(Serialize, Deserialize)]
struct Sign {
    card: Card,
    every_ms: u64,
    suspect: u32,
    gone: u32,
    leaves: bool,
}

impl Sign {
    fn new(card: &Card, pace: Pace, leaves: bool) -> Sign {
        let every_ms = u64::try_from(pace.every.as_millis()).unwrap_or(u64::MAX);
        Sign { card: card.clone(), every_ms, suspect: pace.suspect, gone: pace.gone, leaves }
    }

    fn pace(&self) -> Pace {
        let every = Duration::from_millis(self.every_ms);
        Pace { every, suspect: self.suspect, gone: self.gone }
    }
}

/// A member's own presence. Dropping it is dying: others see it in time. [`Presence::leave`] says goodbye.
#[derive(Debug)]
pub struct Presence {
    task: AbortHandle,
    bus: Bus,
    card: Card,
    pace: Pace,
}

impl Presence {
    /// Says goodbye.
    ///
    /// # Errors
    /// When the bus is disturbed; then others see it by the silence.
    pub async fn leave(self) -> Result<()> {
        self.task.abort();
        say(&self.bus, &Sign::new(&self.card, self.pace, true)).await?;
        self.bus.flush().await
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn say(bus: &Bus, sign: &Sign) -> Result<()> {
    let bytes = serde_json::to_vec(sign).map_err(|e| Error::Rejected(e.to_string()))?;
    bus.publish(&format!("hb.{}", sign.card.id), bytes).await
}

/// What is known of one member.
struct Seen {
    card: Card,
    pace: Pace,
    at: Instant,
    left: bool,
}

type Seens = Arc<Mutex<BTreeMap<String, Seen>>>;

/// Who is there, kept up to date until it goes.
#[derive(Clone)]
pub struct Roster {
    seen: Seens,
    changed: watch::Receiver<u64>,
    _task: Arc<Guard>,
}

struct Guard(AbortHandle);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl std::fmt::Debug for Roster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.list()).finish()
    }
}

impl Roster {
    /// Everyone who is there or was lately, by name.
    pub fn list(&self) -> Vec<Member> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        seen.retain(|_, one| {
            now.duration_since(one.at) < REMEMBERED.max(one.pace.every * (one.pace.gone + 1))
        });
        let members = seen.values().map(|one| {
            let silent = now.duration_since(one.at);
            let state = if one.left { State::Left } else { judge(silent, one.pace) };
            Member { card: one.card.clone(), state, silent }
        });
        members.collect()
    }

    /// Those of a role who are not gone.
    pub fn of_role(&self, role: &str) -> Vec<Member> {
        let mut members = self.list();
        members.retain(|one| {
            one.card.role == role && matches!(one.state, State::Here | State::Suspect)
        });
        members
    }

    /// Waits until the list is as wanted.
    ///
    /// # Errors
    /// [`Error::NoAnswer`] when it is not so in time.
    pub async fn wait_for(
        &self,
        timeout: Duration,
        wanted: impl Fn(&[Member]) -> bool,
    ) -> Result<Vec<Member>> {
        let end = Instant::now() + timeout;
        let mut changed = self.changed.clone();
        loop {
            let members = self.list();
            if wanted(&members) {
                return Ok(members);
            }
            if Instant::now() >= end {
                return Err(Error::NoAnswer { subject: WHO.to_owned(), timeout });
            }
            // Silence is no event: look again after a while.
            let soon = (Instant::now() + Duration::from_millis(50)).min(end);
            drop(tokio::time::timeout_at(soon, changed.changed()).await);
        }
    }
}

impl Bus {
    /// Says from now on that a member is there, and says it at once when a newcomer asks.
    ///
    /// # Errors
    /// When the card's `id` is not one word, or the bus is disturbed.
    pub async fn announce(&self, card: Card, pace: Pace) -> Result<Presence> {
        if !is_word(&card.id) {
            return Err(Error::Subject(card.id));
        }
        let mut asked = self.subscribe(WHO).await?;
        let sign = Sign::new(&card, pace, false);
        let bus = self.clone();
        let task = tokio::spawn(async move {
            let mut beat = tokio::time::interval(pace.every);
            beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                tokio::select! {
                    _ = beat.tick() => {}
                    question = asked.next() => if question.is_none() { return },
                }
                if let Err(error) = say(&bus, &sign).await {
                    tracing::warn!(%error, "a sign of life was not sent");
                }
            }
        });
        Ok(Presence { task: task.abort_handle(), bus: self.clone(), card, pace })
    }

    /// Looks from now on who is there. Those who are there are asked to speak up, so the list is soon complete.
    ///
    /// # Errors
    /// When the bus is disturbed.
    pub async fn roster(&self) -> Result<Roster> {
        let mut signs = self.subscribe("hb.*").await?;
        let seen = Seens::default();
        let (change, changed) = watch::channel(0);
        let table = Arc::clone(&seen);
        let task = tokio::spawn(async move {
            while let Some(news) = signs.next().await {
                let Ok(sign) = serde_json::from_slice::<Sign>(&news.bytes) else { continue };
                let mut table = table.lock().unwrap_or_else(PoisonError::into_inner);
                if table.len() >= MAX_MEMBERS && !table.contains_key(&sign.card.id) {
                    continue;
                }
                let (pace, left) = (sign.pace(), sign.leaves);
                let one = Seen { pace, at: Instant::now(), left, card: sign.card };
                table.insert(one.card.id.clone(), one);
                drop(table);
                change.send_modify(|count| *count += 1);
            }
        });
        self.publish(WHO, "").await?;
        Ok(Roster { seen, changed, _task: Arc::new(Guard(task.abort_handle())) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_misses_are_suspect_and_five_are_gone() {
        let pace = Pace::default();
        for (seconds, state) in [(0, State::Here), (6, State::Here), (7, State::Suspect)] {
            assert_eq!(judge(Duration::from_secs(seconds), pace), state, "{seconds} s");
        }
        assert_eq!(judge(Duration::from_secs(10), pace), State::Suspect);
        assert_eq!(judge(Duration::from_secs(11), pace), State::Gone);
    }
}
