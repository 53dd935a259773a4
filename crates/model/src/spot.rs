//! Where does a URL wait? Its rank among the URLs of its site, and the order of discovery among equals.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a strategy thinks of a link: the smaller, the sooner. Ranks lie on disk and are compared there,
/// so what a strategy wants to order by must fit in.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(transparent)]
pub struct Rank(pub u64);

/// The bit that tells links of other pages from those found on pages of the wanted language.
const OTHER_LANGUAGE: u64 = 1 << 32;

impl Rank {
    /// Of a link that no strategy has judged yet.
    pub const UNJUDGED: Rank = Rank(u64::MAX);

    /// Links found on pages of the wanted language before all others, and then by `key`.
    pub fn new(wanted_language: bool, key: u32) -> Rank {
        Rank(u64::from(key) | if wanted_language { 0 } else { OTHER_LANGUAGE })
    }

    /// Whether the link was found on a page of the wanted language.
    pub fn is_wanted(self) -> bool {
        self.0 < OTHER_LANGUAGE
    }

    /// The key that the rank was made of.
    pub fn key(self) -> u32 {
        self.0 as u32
    }
}

/// Where a URL waits. No two URLs of a crawl have the same spot, so the order of spots is total.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
pub struct Spot {
    /// See [`Rank`].
    pub rank: Rank,
    /// Place in the order of discovery.
    pub place: u64,
}
