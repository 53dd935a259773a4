//! How are URLs told apart quickly? Their names are digests, which need no second hash.
//!
//! Who makes up addresses whose digests begin alike can make a set slow, so this is for sets of few: the
//! links of one page. At the most that are read of a page it costs milliseconds.

use lycosa_model::UrlId;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// A small set of URLs.
pub(crate) type DigestSet = HashSet<UrlId, BuildHasherDefault<Head>>;

/// The first bytes of a digest.
#[derive(Default)]
pub(crate) struct Head(u64);

impl Hasher for Head {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        let head = bytes.first_chunk().map_or(0, |head| u64::from_le_bytes(*head));
        self.0 ^= head;
    }

    /// The length says nothing: all digests are of one length.
    fn write_usize(&mut self, _: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_digests_tells_them_apart_also_when_they_begin_alike() {
        let id = |last: u8| UrlId([[7; 8], [last; 8]].concat().try_into().expect("16 bytes"));
        let mut set = DigestSet::default();
        assert!(set.insert(id(1)));
        assert!(set.insert(id(2)));
        assert!(!set.insert(id(1)));
        assert_eq!(set.len(), 2);
    }

    #[test]
    fn different_digests_have_different_hashes() {
        use std::hash::BuildHasher;
        let hasher = BuildHasherDefault::<Head>::default();
        let hashes: HashSet<u64> =
            (0..1000).map(|n| hasher.hash_one(UrlId::of(&format!("http://a.test/{n}")))).collect();
        assert_eq!(hashes.len(), 1000);
    }
}
