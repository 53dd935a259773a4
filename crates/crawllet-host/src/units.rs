//! How are times and sizes written? As a person says them: `2s`, `5m`, `10MiB`.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A length of time, as in `500ms`, `2s`, `5m`, `1h` or `7d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span(pub Duration);

/// A number of bytes, as in `512KiB` or `10MiB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub u64);

const SPANS: [(&str, u64); 5] =
    [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];

const SIZES: [(&str, u64); 3] = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)];

/// Longest time (ms) and largest size that make sense; more is a mistake.
const MOST: u64 = 1 << 50;

fn parse(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number: u64 = number.parse().ok()?;
    if number == 0 && unit.is_empty() {
        return Some(0);
    }
    let (_, factor) = units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit.trim()))?;
    number.checked_mul(*factor).filter(|value| *value <= MOST)
}

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Span, String> {
        parse(text, &SPANS)
            .map(|ms| Span(Duration::from_millis(ms)))
            .ok_or_else(|| format!("`{text}` is no length of time; write 500ms, 2s, 5m, 1h or 7d"))
    }
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Size, String> {
        parse(text, &SIZES)
            .map(Size)
            .ok_or_else(|| format!("`{text}` is no size; write 512KiB, 10MiB or 1GiB"))
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = self.0.as_millis();
        if ms.is_multiple_of(1000) { write!(f, "{}s", ms / 1000) } else { write!(f, "{ms}ms") }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact = SIZES.iter().rev().find(|(_, factor)| self.0.is_multiple_of(*factor));
        match exact.filter(|_| self.0 != 0) {
            Some((unit, factor)) => write!(f, "{}{unit}", self.0 / factor),
            // Rounded up: a limit that is shown is never lower than it is.
            None => write!(f, "{}KiB", self.0.div_ceil(1 << 10)),
        }
    }
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl Serialize for Size {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        String::deserialize(d)?.parse().map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        String::deserialize(d)?.parse().map_err(D::Error::custom)
    }
}
