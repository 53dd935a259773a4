//! How are times and sizes written? As a person says them: `2s`, `5m`, `10MiB`.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A length of time, as in `500ms`, `2s`, `5m`, `1h` or `7d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span(pub(crate) Duration);

/// A number of bytes, as in `512KiB`, `10MiB`, `1GB` or `4096`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size(pub(crate) u64);

const SPANS: [(&str, f64); 5] =
    [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3_600.0), ("d", 86_400.0)];

const SIZES: [(&str, f64); 7] = [
    ("B", 1.0),
    ("kB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
];

/// Longest time and largest size that make sense; more is a mistake.
const MOST: f64 = 1e15;

fn parse(text: &str, units: &[(&str, f64)], bare: Option<f64>) -> Option<f64> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number: f64 = number.parse().ok()?;
    let factor = match unit.trim() {
        "" => bare?,
        unit => units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?.1,
    };
    Some(number * factor).filter(|value| (0.0..=MOST).contains(value))
}

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Span, String> {
        let zero = (text.trim() == "0").then_some(0.0);
        parse(text, &SPANS, None)
            .or(zero)
            .map(|seconds| Span(Duration::from_secs_f64(seconds)))
            .ok_or_else(|| format!("`{text}` is no length of time; write 500ms, 2s, 5m, 1h or 7d"))
    }
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Size, String> {
        parse(text, &SIZES, Some(1.0))
            .map(|bytes| Size(bytes as u64))
            .ok_or_else(|| format!("`{text}` is no size; write 512KiB, 10MiB or 1GB"))
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
        let exact = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]
            .into_iter()
            .find(|(_, factor)| self.0 != 0 && self.0.is_multiple_of(*factor));
        match exact {
            Some((unit, factor)) => write!(f, "{}{unit}", self.0 / factor),
            None => write!(f, "{}", self.0),
        }
    }
}

macro_rules! text_serde {
    ($name:ident) => {
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                String::deserialize(d)?.parse().map_err(D::Error::custom)
            }
        }
    };
}

text_serde!(Span);
text_serde!(Size);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_are_read_as_a_person_writes_them() {
        let seconds = |text: &str| text.parse::<Span>().map(|span| span.0.as_secs_f64());
        assert_eq!(seconds("500ms"), Ok(0.5));
        assert_eq!(seconds("1.5 h"), Ok(5_400.0));
        assert_eq!(seconds("0"), Ok(0.0));
        assert_eq!("10MiB".parse(), Ok(Size(10 << 20)));
        assert_eq!("4096".parse(), Ok(Size(4096)));
        assert_eq!("1 gb".parse(), Ok(Size(1_000_000_000)));
    }

    #[test]
    fn nonsense_is_refused_with_examples() {
        for text in ["", "2", "-1s", "fast", "1e99d", "2 parsecs"] {
            let error = text.parse::<Span>().expect_err(text);
            assert!(error.contains("500ms"), "{error}");
        }
        for text in ["", "-1", "many", "1.2.3"] {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        for text in ["0s", "1500ms", "90s"] {
            assert_eq!(text.parse::<Span>().map(|span| span.to_string()), Ok(text.to_owned()));
        }
        for text in ["10MiB", "1GiB", "1000", "0"] {
            assert_eq!(text.parse::<Size>().map(|size| size.to_string()), Ok(text.to_owned()));
        }
    }
}
