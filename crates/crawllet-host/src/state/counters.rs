//! Who came how often, and was this message here before?

use super::State;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::net::IpAddr;

/// First messages from all addresses in a minute: each costs some processor before anybody is known.
pub(super) const MAX_HELLOS_PER_MINUTE: u32 = 1_200;

/// How far the engine's clock may be from ours, in milliseconds.
const MAX_SKEW_MS: u64 = 120_000;

/// First messages that are remembered: more cannot come from engines that are known.
const MAX_NONCES: usize = 4_096;

/// Addresses that are counted: buckets, and places in each.
const BUCKETS: u64 = 128;
const PLACES: usize = 8;
const PLACE: usize = 16;

/// Engines that are counted by name in a day.
const MAX_ENGINES: usize = 1_000;

/// The largest file of counters that is read.
const MAX_FILE: u64 = 1 << 20;

/// Whether an address may send another first message in this minute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// It may.
    Fine,
    /// It, or all together, sent enough.
    TooMany,
}

/// What was used on one day.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Day {
    /// Days since 1970.
    pub day: u64,
    /// Jobs.
    pub jobs: u32,
    /// Time of the processor.
    pub cpu_ms: u64,
    /// Jobs of each engine.
    pub engines: BTreeMap<String, u32>,
}

impl State {
    /// Counts a first message from `address`.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn pace(&self, address: Option<IpAddr>, per_minute: u32, now_ms: u64) -> io::Result<Pace> {
        let minute = u32::try_from(now_ms / 60_000).unwrap_or(u32::MAX);
        let mut file = self.locked("hellos")?;
        let key = key_of(address);
        let (all, own) = (BUCKETS, key % BUCKETS);
        let total = count(&mut file, all, u64::MAX, minute)?;
        // Beyond the limit of all nobody else is counted: the answer is the same.
        if total > MAX_HELLOS_PER_MINUTE {
            return Ok(Pace::TooMany);
        }
        let ours = count(&mut file, own, key, minute)?;
        Ok(if ours > per_minute { Pace::TooMany } else { Pace::Fine })
    }

    /// Whether the first message of this time and number is new. One of another time than now is none.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn is_new(&self, nonce: &[u8; 16], time_ms: u64, now_ms: u64) -> io::Result<bool> {
        if time_ms.abs_diff(now_ms) > MAX_SKEW_MS {
            return Ok(false);
        }
        let mut file = self.locked("nonces")?;
        let mut bytes = Vec::new();
        (&mut file).take(MAX_FILE).read_to_end(&mut bytes)?;
        let (places, _) = bytes.as_chunks::<24>();
        let fresh = |place: &&[u8; 24]| {
            let (time, _) = place.split_first_chunk::<8>().unwrap_or((&[0; 8], &[]));
            u64::from_le_bytes(*time).abs_diff(now_ms) <= MAX_SKEW_MS
        };
        let mut kept: Vec<[u8; 24]> = places.iter().filter(fresh).copied().collect();
        let seen = kept.iter().any(|place| place.ends_with(nonce));
        // Full: whoever forgets could be fooled, so nobody gets in until some are too old.
        if seen || kept.len() >= MAX_NONCES {
            return Ok(false);
        }
        let mut place = [0; 24];
        place[..8].copy_from_slice(&time_ms.to_le_bytes());
        place[8..].copy_from_slice(nonce);
        kept.push(place);
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(kept.as_flattened())?;
        Ok(true)
    }

    /// What was used today.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn today(&self, now_ms: u64) -> io::Result<Day> {
        read_day(&mut self.locked("day")?, now_ms)
    }

    /// Adds to what was used today.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn spend(&self, engine: &str, jobs: u32, cpu_ms: u64, now_ms: u64) -> io::Result<()> {
        let mut file = self.locked("day")?;
        let mut day = read_day(&mut file, now_ms)?;
        day.jobs += jobs;
        day.cpu_ms += cpu_ms;
        if day.engines.len() < MAX_ENGINES || day.engines.contains_key(engine) {
            *day.engines.entry(engine.to_owned()).or_default() += jobs;
        }
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&serde_json::to_vec(&day)?)
    }
}

fn read_day(file: &mut File, now_ms: u64) -> io::Result<Day> {
    let today = now_ms / 86_400_000;
    let mut bytes = Vec::new();
    file.take(MAX_FILE).read_to_end(&mut bytes)?;
    // A torn file is a new day for its engines; the machine fell, so little was used.
    let day: Day = serde_json::from_slice(&bytes).unwrap_or_default();
    Ok(if day.day == today { day } else { Day { day: today, ..Day::default() } })
}

/// One number for an address; a network of IPv6 is one address.
fn key_of(address: Option<IpAddr>) -> u64 {
    let mut hasher = DefaultHasher::new();
    match address.map(|address| address.to_canonical()) {
        Some(IpAddr::V6(address)) => address.segments()[..4].hash(&mut hasher),
        other => other.hash(&mut hasher),
    }
    hasher.finish()
}

/// Counts in one bucket, and gives the count of `key` in this minute.
fn count(file: &mut File, bucket: u64, key: u64, minute: u32) -> io::Result<u32> {
    let at = bucket * (PLACES * PLACE) as u64;
    file.seek(SeekFrom::Start(at))?;
    let mut bytes = Vec::new();
    (&mut *file).take((PLACES * PLACE) as u64).read_to_end(&mut bytes)?;
    bytes.resize(PLACES * PLACE, 0);
    let (places, _) = bytes.as_chunks_mut::<PLACE>();
    let read = |place: &[u8; PLACE]| {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = *place;
        let key = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
        (key, u32::from_le_bytes([i, j, k, l]), u32::from_le_bytes([m, n, o, p]))
    };
    let own = places.iter().position(|place| read(place).0 == key);
    // Otherwise the place of who was not here for longest, or came least.
    let victim = || (0..PLACES).min_by_key(|at| places.get(*at).map(|p| (read(p).1, read(p).2)));
    let Some(place) = own.or_else(victim).and_then(|at| places.get_mut(at)) else { return Ok(0) };
    let (known, when, before) = read(place);
    let now = if known == key && when == minute { before.saturating_add(1) } else { 1 };
    place[..8].copy_from_slice(&key.to_le_bytes());
    place[8..12].copy_from_slice(&minute.to_le_bytes());
    place[12..].copy_from_slice(&now.to_le_bytes());
    file.seek(SeekFrom::Start(at))?;
    file.write_all(&bytes)?;
    Ok(now)
}
