//! Under which name does something lie, and is it that?

use crate::error::{Error, Result};
use data_encoding::HEXLOWER;
use lycosa_runtime::chance;
use ring::digest::{Context, SHA256};
use std::fmt;
use std::str::FromStr;

/// Longest key in bytes; stores allow 1,024, some of which are for a prefix.
const MAX_KEY: usize = 512;

/// Digits of the digest that are in a key: 64 bits.
const DIGITS: usize = 16;

/// Crockford's digits, of which a ULID is made.
const CROCKFORD: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// The SHA-256 of some content.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Digest {
        let mut hasher = Hasher::default();
        hasher.update(bytes);
        hasher.finish()
    }

    /// The digits that a key has.
    fn digits(&self) -> String {
        HEXLOWER.encode(&self.0[..DIGITS / 2])
    }

    /// All of it.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&HEXLOWER.encode(&self.0))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Makes a digest of what comes in parts.
#[derive(Clone)]
pub struct Hasher(Context);

impl Default for Hasher {
    fn default() -> Hasher {
        Hasher(Context::new(&SHA256))
    }
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hasher")
    }
}

impl Hasher {
    /// The next part.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of all parts.
    pub fn finish(self) -> Digest {
        let mut digest = [0; 32];
        digest.copy_from_slice(self.0.finish().as_ref());
        Digest(digest)
    }
}

/// A name that sorts by time: 48 bits of milliseconds since the epoch, and 80 bits of chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ulid(u128);

impl Ulid {
    /// The name of a moment; `chance` makes it another than that of somebody else.
    pub fn new(millis: u64, chance: u128) -> Ulid {
        Ulid((u128::from(millis) << 80) | (chance & ((1 << 80) - 1)))
    }

    /// One of now.
    pub fn now() -> Ulid {
        let millis = jiff::Timestamp::now().as_millisecond();
        let chance = u128::from(chance()) << 64 | u128::from(chance());
        Ulid::new(u64::try_from(millis).unwrap_or_default(), chance)
    }
}

impl fmt::Display for Ulid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for place in (0..26).rev() {
            let digit = (self.0 >> (5 * place)) & 31;
            write!(f, "{}", char::from(CROCKFORD[digit as usize]))?;
        }
        Ok(())
    }
}

/// The name of something in a store. Its last part tells a piece of its digest, so it can be under no other.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(String);

impl Key {
    /// A key: `FOLDER/ULID-DIGITS.ENDING`.
    ///
    /// # Errors
    /// When folder or ending have other signs than letters, digits, `.`, `_`, `=` and `-`, or it is too long.
    pub fn new(folder: &str, ulid: Ulid, digest: &Digest, ending: &str) -> Result<Key> {
        format!("{folder}/{ulid}-{}.{ending}", digest.digits()).parse()
    }

    /// The key of a file of the archive: `warc/CRAWL/yyyy/mm/dd/ULID-DIGITS.warc.gz`.
    ///
    /// # Errors
    /// When the name of the crawl is none.
    pub fn warc(crawl: &str, day: jiff::civil::Date, ulid: Ulid, digest: &Digest) -> Result<Key> {
        let (year, month, date) = (day.year(), day.month(), day.day());
        let folder = format!("warc/{crawl}/{year:04}/{month:02}/{date:02}");
        Key::new(&folder, ulid, digest, "warc.gz")
    }

    /// The key of a part of the index: `split/ULID-DIGITS.split`.
    ///
    /// # Errors
    /// Never.
    pub fn split(ulid: Ulid, digest: &Digest) -> Result<Key> {
        Key::new("split", ulid, digest, "split")
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The digits of the digest in it.
    fn digits(&self) -> &str {
        digits(&self.0).unwrap_or_default()
    }

    /// Whether something with this digest may lie here.
    pub fn fits(&self, digest: &Digest) -> bool {
        self.digits() == digest.digits()
    }

    /// Refuses what is not what the key says.
    pub(crate) fn check(&self, digest: &Digest) -> Result<()> {
        if self.fits(digest) {
            return Ok(());
        }
        let why = format!("the content has the digest {digest}");
        Err(Error::Damaged { key: self.clone(), why })
    }
}

/// The digits at the end of the name, before its ending.
fn digits(key: &str) -> Option<&str> {
    let name = key.rsplit('/').next()?;
    let (_, end) = name.rsplit_once('-')?;
    let digits = end.split('.').next()?;
    let good = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    (digits.len() == DIGITS && digits.bytes().all(good)).then_some(digits)
}

/// Whether this can be one part of a key, and the name of a file that is not hidden.
fn is_part(part: &str) -> bool {
    let good = |b: u8| b.is_ascii_alphanumeric() || b"._=-".contains(&b);
    !part.is_empty() && !part.starts_with('.') && part.bytes().all(good)
}

/// Whether a prefix of keys is one.
pub(crate) fn is_prefix(prefix: &str) -> bool {
    let whole = prefix.strip_suffix('/').unwrap_or(prefix);
    prefix.is_empty() || prefix.len() <= MAX_KEY && whole.split('/').all(is_part)
}

impl FromStr for Key {
    type Err = Error;

    fn from_str(text: &str) -> Result<Key> {
        let good = text.len() <= MAX_KEY && text.contains('/') && text.split('/').all(is_part);
        if good && digits(text).is_some() {
            return Ok(Key(text.to_owned()));
        }
        Err(Error::Key(text.to_owned()))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keys_are_as_documented() {
        let digest = Digest::of(b"abc");
        let hex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest.to_string(), hex);
        let ulid = Ulid::new(1_469_922_850_259, 0);
        assert_eq!(ulid.to_string(), "01ARZ3NDEK0000000000000000");
        let key = Key::warc("my-crawl", jiff::civil::date(2026, 3, 4), ulid, &digest).unwrap();
        let text = "warc/my-crawl/2026/03/04/01ARZ3NDEK0000000000000000-ba7816bf8f01cfea.warc.gz";
        assert_eq!(key.as_str(), text);
        assert!(key.fits(&digest) && !key.fits(&Digest::of(b"abd")));
        let key = Key::split(ulid, &digest).unwrap();
        assert_eq!(key.as_str(), "split/01ARZ3NDEK0000000000000000-ba7816bf8f01cfea.split");
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let digits = "-0123456789abcdef.x";
        for bad in ["", "a", "../a", "a//b", "/a/b", "a/.b", "a/b c", "a/ü", "a/b\\c"] {
            assert!(matches!(format!("{bad}{digits}").parse::<Key>(), Err(Error::Key(_))), "{bad}");
        }
        for bad in ["a/b", "a/b-0123.x", "a/b-0123456789abcdeF.x", "a/b-0123456789abcdef0.x"] {
            assert!(matches!(bad.parse::<Key>(), Err(Error::Key(_))), "{bad}");
        }
        assert!(format!("a/{}{digits}", "b".repeat(600)).parse::<Key>().is_err());
        let digest = Digest::of(b"");
        assert!(Key::warc("../..", jiff::civil::date(2026, 1, 1), Ulid::now(), &digest).is_err());
    }

    proptest! {
        #[test]
        fn names_of_time_sort_by_time(a in 0..1_u64 << 48, b in 0..1_u64 << 48, c: u128, d: u128) {
            let (x, y) = (Ulid::new(a, c).to_string(), Ulid::new(b, d).to_string());
            prop_assert_eq!(x.len(), 26);
            if a != b {
                prop_assert_eq!(a < b, x < y);
            }
        }

        #[test]
        fn a_key_is_read_as_it_was_written(bytes: Vec<u8>, folder in "[a-z0-9]{1,9}(/[a-z]{1,9}){0,3}") {
            let digest = Digest::of(&bytes);
            let key = Key::new(&folder, Ulid::now(), &digest, "tar.gz").unwrap();
            let read: Key = key.as_str().parse().unwrap();
            prop_assert!(read == key && read.fits(&digest));
        }
    }
}
