//! Which segments are merged?

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use tantivy::SegmentMeta;
use tantivy::index::SegmentId;
use tantivy::merge_policy::{LogMergePolicy, MergeCandidate, MergePolicy};

/// Segments of one size that are merged into one.
const MERGE_AT: usize = 8;
/// Segments below this many documents count as one size.
const SMALL_SEGMENT: u32 = 10_000;
/// A segment with more than this share of replaced documents is rewritten.
const REPLACED_SHARE: f32 = 0.3;
/// Bytes that one merge reads at most. All of them are mapped while it runs, so this bounds the memory
/// that it seems to hold, and the disk that it needs for a while.
const MAX_MERGE: u64 = 384 << 20;

/// tantivy's logarithmic policy with our figures: eight segments of a size become one, so a page is
/// rewritten about once per eightfold growth of the index, up to a size that is left alone.
#[derive(Debug)]
pub(crate) struct Merging {
    policy: LogMergePolicy,
    folder: PathBuf,
}

impl Merging {
    /// The policy for the index in this folder.
    pub(crate) fn in_folder(folder: &Path) -> Merging {
        let mut policy = LogMergePolicy::default();
        policy.set_min_num_segments(MERGE_AT);
        policy.set_min_layer_size(SMALL_SEGMENT);
        policy.set_max_docs_before_merge(usize::MAX);
        policy.set_del_docs_ratio_before_merge(REPLACED_SHARE);
        Merging { policy, folder: folder.to_owned() }
    }

    /// Bytes on disk by the name of a segment, which its files begin with. What cannot be read counts
    /// nothing.
    fn sizes(&self) -> HashMap<String, u64> {
        let mut sizes = HashMap::new();
        for file in std::fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let name = file.file_name();
            let segment = name.to_str().and_then(|name| name.split('.').next());
            if let (Some(segment), Ok(data)) = (segment, file.metadata()) {
                *sizes.entry(segment.to_owned()).or_default() += data.len();
            }
        }
        sizes
    }
}

impl MergePolicy for Merging {
    fn compute_merge_candidates(&self, segments: &[SegmentMeta]) -> Vec<MergeCandidate> {
        let candidates = self.policy.compute_merge_candidates(segments);
        if candidates.is_empty() {
            return candidates;
        }
        let sizes = self.sizes();
        let sized = candidates.into_iter().map(|MergeCandidate(ids)| {
            let size = |id: &SegmentId| sizes.get(&id.uuid_string()).copied().unwrap_or_default();
            within(ids.into_iter().map(|id| (size(&id), id)).collect(), MAX_MERGE)
        });
        sized.filter(|ids| !ids.is_empty()).map(MergeCandidate).collect()
    }
}

/// The smallest of these segments, as many as are not too large together. One alone is meant to be
/// rewritten; of several, fewer than two are not worth it.
fn within<T: Ord>(mut segments: Vec<(u64, T)>, limit: u64) -> Vec<T> {
    if segments.len() < 2 {
        return segments.into_iter().map(|(_, id)| id).collect();
    }
    segments.sort_unstable();
    let mut sum = 0_u64;
    segments.retain(|(bytes, _)| {
        sum = sum.saturating_add(*bytes);
        sum <= limit
    });
    if segments.len() < 2 { Vec::new() } else { segments.into_iter().map(|(_, id)| id).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_merge_takes_the_smallest_and_no_more_than_allowed() {
        assert_eq!(within(vec![(5, 'a'), (1, 'b'), (3, 'c'), (2, 'd')], 6), ['b', 'd', 'c']);
        assert_eq!(within(vec![(5, 'a'), (1, 'b')], 6), ['b', 'a']);
        assert_eq!(within(vec![(5, 'a'), (4, 'b')], 6), [' '; 0], "they are left as they are");
        assert_eq!(within(vec![(9, 'a')], 6), ['a'], "replaced documents make room");
    }
}
