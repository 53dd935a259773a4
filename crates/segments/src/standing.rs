//! What do other pages say of a page? Its rank, that of its site, and the words of the links to it.
//!
//! Kept in a file of its own beside the segments, because links to a page come up long after it was indexed. It
//! is made from the links in the index, all at once (see the indexer), and read whole by whoever asks.

use crate::sealed::Sealed;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;
use std::time::SystemTime;

/// The file in the folder of the index. It begins otherwise when what is in it changes, or the analysis.
const FILE: Sealed = Sealed { name: "standing.bin", magic: b"lycosa standing 3\n" };

/// Where a word stands in the anchors that lead to pages: the place of the page, and how much it counts.
pub type AnchorPlaces = Vec<(u32, u8)>;

/// What is known of all pages that are linked to. Pages go by their place in `ties`, which rises.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// The commit whose links tell it.
    pub commit: u64,
    /// Pages that were looked at, also those that nobody links to.
    pub pages: u64,
    /// The first 64 bits of the ids of the pages.
    pub ties: Vec<u64>,
    /// Rank of each page, from 0 to 255.
    pub page_ranks: Vec<u8>,
    /// Rank of the site of each page, from 0 to 255.
    pub site_ranks: Vec<u8>,
    /// Pages that lead to each.
    pub inlinks: Vec<u32>,
    /// How long the anchors of each page are together, in words.
    pub anchor_lengths: Vec<u16>,
    /// Forms of the words in anchors, rising, each with the pages.
    pub anchors: Vec<(String, AnchorPlaces)>,
}

impl Standing {
    /// The place of a page, if it is linked to.
    pub fn place(&self, tie: u64) -> Option<u32> {
        self.ties.binary_search(&tie).ok().map(|place| place as u32)
    }

    /// The pages that a form stands in the anchors of.
    pub fn with_anchor(&self, form: &str) -> &[(u32, u8)] {
        match self.anchors.binary_search_by(|(known, _)| known.as_str().cmp(form)) {
            Ok(place) => &self.anchors[place].1,
            Err(_) => &[],
        }
    }

    /// Whether every list is as long as it must be.
    fn is_whole(&self) -> bool {
        let pages = self.ties.len();
        let lists = [self.page_ranks.len(), self.site_ranks.len(), self.inlinks.len()];
        lists.iter().all(|length| *length == pages)
            && self.anchor_lengths.len() == pages
            && self.ties.is_sorted()
            && self.anchors.is_sorted_by(|a, b| a.0 < b.0)
            && self
                .anchors
                .iter()
                .flat_map(|(_, pages)| pages)
                .all(|(page, _)| (*page as usize) < pages)
    }
}

/// Writes the file of an index in one step.
pub(crate) fn write(folder: &Path, standing: &Standing) -> io::Result<()> {
    FILE.write(folder, standing)
}

/// When the file of an index was written; `None` where there is none.
pub(crate) fn written_at(folder: &Path) -> Option<SystemTime> {
    FILE.written_at(folder)
}

/// Reads the file of an index. One that is not whole, or of another time, says nothing.
pub(crate) fn read(folder: &Path) -> Option<Standing> {
    FILE.read(folder).filter(Standing::is_whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path()), None);
        let standing = Standing {
            commit: 7,
            pages: 5,
            ties: vec![3, 9],
            page_ranks: vec![1, 255],
            site_ranks: vec![0, 7],
            inlinks: vec![2, 1],
            anchor_lengths: vec![4, 0],
            anchors: vec![("lobo".into(), vec![(0, 2)]), ("wolf".into(), vec![(0, 1), (1, 1)])],
        };
        write(folder.path(), &standing).unwrap();
        assert_eq!(read(folder.path()).as_ref(), Some(&standing));
        assert_eq!((standing.place(9), standing.place(4)), (Some(1), None));
        assert_eq!(standing.with_anchor("wolf").len(), 2);
        assert!(standing.with_anchor("x").is_empty());
        let wrong = Standing { ties: vec![9, 3], ..standing };
        write(folder.path(), &wrong).unwrap();
        assert_eq!(read(folder.path()), None, "places would be wrong");
    }
}
