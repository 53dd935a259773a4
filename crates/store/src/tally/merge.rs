//! Which runs become one, and how?

use super::format::Entry;
use super::run::{Run, Walk};
use crate::records::StoreError;
use std::sync::Arc;

/// Which runs to merge: all from the returned place on. `counts` are their sizes, largest first.
///
/// The first run that is not larger than all behind it together is merged with them. So sizes at least
/// double from run to run, n flushed tables are at most about log2(n) + 1 runs, and an entry is
/// written about log2(n) times at most.
pub(super) fn choose(counts: &[u64]) -> Option<usize> {
    let total: u64 = counts.iter().sum();
    let mut behind = total;
    counts.iter().position(|count| {
        behind -= count;
        behind > 0 && *count <= behind
    })
}

/// The sum of several sorted runs, told in order.
pub(super) struct Merge {
    /// Each walk with the entry that it stands at.
    heads: Vec<(Entry, Walk)>,
}

impl Merge {
    pub(super) fn of(runs: Vec<Arc<Run>>) -> Result<Merge, StoreError> {
        let mut heads = Vec::with_capacity(runs.len());
        for run in runs {
            let mut walk = Walk::new(run);
            if let Some(entry) = walk.next()? {
                heads.push((entry, walk));
            }
        }
        Ok(Merge { heads })
    }

    /// The next fingerprint with the sum of what the runs have for it. A sum of zero is told as well.
    pub(super) fn next(&mut self) -> Result<Option<Entry>, StoreError> {
        // There are few runs, so looking at all of them is quicker than a heap.
        let Some(fingerprint) = self.heads.iter().map(|(entry, _)| entry.0).min() else {
            return Ok(None);
        };
        let mut sum = 0_i32;
        let mut place = 0;
        while let Some((entry, walk)) = self.heads.get_mut(place) {
            if entry.0 == fingerprint {
                sum = sum.saturating_add(entry.1);
                match walk.next()? {
                    Some(next) => *entry = next,
                    None => {
                        self.heads.swap_remove(place);
                        continue;
                    }
                }
            }
            place += 1;
        }
        Ok(Some((fingerprint, sum)))
    }
}
