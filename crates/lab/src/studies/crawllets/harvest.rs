//! What did a crawl bring, and what did it cost?

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Linux counts time of the processor for other processes in hundredths of a second, on every architecture.
const MS_PER_TICK: u64 = 10;

/// Time of the processor, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Cpu {
    pub(super) user_ms: u64,
    pub(super) system_ms: u64,
}

impl Cpu {
    /// Of a process so far, with its children that ended; `self` for this one.
    pub(super) fn of(process: &str) -> Cpu {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        Cpu::parse(&stat)
    }

    fn parse(stat: &str) -> Cpu {
        // After the name in parentheses, which may hold anything: user, system, and those of children are the
        // fields 12 to 15.
        let rest = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        let fields: Vec<u64> = rest
            .split_whitespace()
            .skip(11)
            .take(4)
            .filter_map(|field| field.parse().ok())
            .collect();
        let of = |place: usize| fields.get(place).copied().unwrap_or_default() * MS_PER_TICK;
        Cpu { user_ms: of(0) + of(2), system_ms: of(1) + of(3) }
    }

    pub(super) fn since(self, before: Cpu) -> Cpu {
        Cpu {
            user_ms: self.user_ms.saturating_sub(before.user_ms),
            system_ms: self.system_ms.saturating_sub(before.system_ms),
        }
    }

    pub(super) fn and(self, other: Cpu) -> Cpu {
        Cpu { user_ms: self.user_ms + other.user_ms, system_ms: self.system_ms + other.system_ms }
    }

    pub(super) fn seconds(self) -> f64 {
        (self.user_ms + self.system_ms) as f64 / 1_000.0
    }
}

/// What one crawl brought.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Harvest {
    /// By the clock, from the first connection to the last page.
    pub(super) wall_ms: f64,
    /// Of the crawler's own process.
    pub(super) cpu: Cpu,
    /// Requests over the line.
    pub(super) requests: u64,
    /// SHA-256 of every HTML page, by path.
    pub(super) pages: BTreeMap<String, String>,
    /// Bytes of these pages.
    pub(super) page_bytes: u64,
    /// Answers that are no page: other files, and what is not there.
    pub(super) others: u64,
    /// Records that a host read from files.
    pub(super) files: u64,
    /// Different addresses on other sites.
    pub(super) out_links: usize,
}

impl Harvest {
    /// Takes in an answer.
    pub(super) fn take(&mut self, path: &str, status: u16, kind: &str, digest: &str, bytes: usize) {
        if status == 200 && kind.starts_with("text/html") {
            self.pages.insert(path.to_owned(), digest.to_owned());
            self.page_bytes += bytes as u64;
        } else {
            self.others += 1;
        }
    }

    /// Where two crawls of one site differ, in a line; nothing when they brought the same.
    pub(super) fn differs(&self, other: &Harvest) -> Option<String> {
        let mut all: Vec<&String> = self.pages.keys().chain(other.pages.keys()).collect();
        all.sort_unstable();
        all.dedup();
        let odd: Vec<&&String> =
            all.iter().filter(|path| self.pages.get(**path) != other.pages.get(**path)).collect();
        let first = odd.first()?;
        let is_missing = !self.pages.contains_key(**first) || !other.pages.contains_key(**first);
        let how = if is_missing { "is missing in one" } else { "has different content" };
        let (one, two) = (self.pages.len(), other.pages.len());
        Some(format!("{} of {one} and {two} pages: {first} {how}", odd.len()))
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// SHA-256 as text.
pub(super) fn sha256_text(content: &[u8]) -> String {
    hex(&Sha256::digest(content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_read_after_a_name_that_may_hold_anything() {
        let stat = "7 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 11 22 33 44 20 0";
        assert_eq!(Cpu::parse(stat), Cpu { user_ms: 440, system_ms: 660 });
        assert_eq!(Cpu::parse("gone"), Cpu::default());
        let more = Cpu { user_ms: 500, system_ms: 600 };
        assert_eq!(more.since(Cpu::parse(stat)), Cpu { user_ms: 60, system_ms: 0 });
    }

    #[test]
    fn crawls_are_the_same_only_with_the_same_pages_of_the_same_content() {
        let harvest = |pages: &[(&str, &str)]| {
            let mut harvest = Harvest::default();
            pages.iter().for_each(|(path, digest)| harvest.take(path, 200, "text/html", digest, 1));
            harvest
        };
        let one = harvest(&[("/", "a"), ("/b", "b")]);
        assert_eq!(one.differs(&one.clone()), None);
        let said = one.differs(&harvest(&[("/", "a"), ("/b", "x")])).unwrap();
        assert!(said.contains("/b has different content"), "{said}");
        let said = one.differs(&harvest(&[("/", "a")])).unwrap();
        assert!(said.contains("1 of 2 and 1 pages: /b is missing"), "{said}");
        let mut other = one.clone();
        other.take("/style.css", 200, "text/css", "c", 1);
        assert_eq!((one.differs(&other), other.others), (None, 1));
    }
}
