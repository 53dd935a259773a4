//! When are links ranked?

use std::path::PathBuf;

/// Documents up to which it is done at the end of every crawl and import; beyond, it takes memory and time
/// that somebody should ask for.
const MAX_RANKED: u64 = 200_000;

/// Ranks the links of the index in a data folder, if there is one that has changed since that was done last.
pub(super) fn rank_links(dir: Option<PathBuf>, documents: u64) {
    let old = |dir: &PathBuf| documents <= MAX_RANKED && lycosa_indexer::is_standing_old(dir);
    let Some(dir) = dir.filter(old) else { return };
    if let Err(error) = lycosa_indexer::find_standing(&dir) {
        // The index is whole without it, and `lycosa rank` tries again.
        tracing::warn!("the links could not be ranked: {error}");
    }
}
