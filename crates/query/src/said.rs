//! What do other pages say of each, by the newest that was put down?

use lycosa_segments::{Ranks, Segments, Standing};
use std::sync::Arc;
use std::time::SystemTime;

/// What other pages say of each.
#[derive(Clone, Default)]
pub(crate) struct Said {
    /// As it was found out from all links together.
    pub(crate) standing: Arc<Standing>,
    /// As it was estimated while pages went in, where that tells more.
    pub(crate) ranks: Option<Arc<Ranks>>,
    /// Whether the exact ranks are taken.
    is_exact: bool,
    standing_since: Option<SystemTime>,
    ranks_since: Option<SystemTime>,
}

impl Said {
    /// What there is to an index with so many pages; what has not changed is taken from `before`. The exact ranks
    /// are taken where they are those of this commit, or were made from at least half as many pages.
    pub(crate) fn read(segments: &Segments, pages: u64, before: &Said) -> Said {
        let (standing_since, ranks_since) = (segments.standing_since(), segments.ranks_since());
        let standing = match standing_since == before.standing_since {
            true => Arc::clone(&before.standing),
            false => Arc::new(segments.standing().unwrap_or_default()),
        };
        let is_of_now = segments.last_commit().is_ok_and(|commit| commit == standing.commit);
        let is_exact = is_of_now || 2 * standing.pages >= pages;
        let ranks = match &before.ranks {
            _ if is_exact => None,
            Some(ranks) if ranks_since == before.ranks_since => Some(Arc::clone(ranks)),
            _ => segments.ranks().map(Arc::new),
        };
        Said { standing, ranks, is_exact, standing_since, ranks_since }
    }

    /// Whether nothing newer was put down that counts.
    pub(crate) fn is_newest(&self, segments: &Segments) -> bool {
        self.standing_since == segments.standing_since()
            && (self.is_exact || self.ranks_since == segments.ranks_since())
    }

    /// Whether it is what another says.
    pub(crate) fn is(&self, other: &Said) -> bool {
        let same_ranks = match (&self.ranks, &other.ranks) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            (None, None) => true,
            _ => false,
        };
        same_ranks && Arc::ptr_eq(&self.standing, &other.standing)
    }
}
