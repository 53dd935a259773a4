//! Does a part of a site lead nowhere but on?
//!
//! Pages that people read lead back, if only to the front page, or they are an end. In a maze that is made
//! up for crawlers every page has links and all of them are new, for ever. One page like that is nothing;
//! hundreds in a row are a maze. Rows are counted for each top folder of a site, so that a maze is noticed
//! behind honest pages beside it, and for the site as a whole, for one whose folders are all new too.

use super::slots::{digest, slot};
use crate::normal::Address;
use lycosa_model::{PatternCount, Trap};

/// A page with fewer links to its own site does not lead on.
const LEADS_ON: usize = 2;

/// A row grows by so many pages between two moments at which it is worth to be kept.
const KEEP_EACH: u32 = 50;

/// Links of a page to its own site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Onward {
    /// To what was not met before.
    pub new: usize,
    /// To what was.
    pub known: usize,
}

/// Counts a page. Tells whether the counts have changed so far that they should be kept.
pub(super) fn count(rows: &mut Vec<PatternCount>, address: &Address, links: Onward) -> bool {
    let on = links.known == 0 && links.new >= LEADS_ON;
    if !on && rows.is_empty() {
        return false;
    }
    let mut keep = false;
    for part in parts(address).into_iter().flatten() {
        if on {
            let Some(row) = slot(rows, part) else { continue };
            row.count = row.count.saturating_add(1);
            keep |= row.count.is_multiple_of(KEEP_EACH);
        } else {
            let ended = rows.extract_if(.., |row| row.pattern == part);
            keep |= ended.map(|row| row.count).max() >= Some(KEEP_EACH);
        }
    }
    keep
}

/// Whether the address is in a part of its site that has led on for `most` pages.
pub(super) fn verdict(rows: &[PatternCount], address: &Address, most: u32) -> Result<(), Trap> {
    if rows.iter().all(|row| row.count < most) {
        return Ok(());
    }
    let is_long = |part: u64| rows.iter().any(|row| row.pattern == part && row.count >= most);
    let maze = parts(address).into_iter().flatten().any(is_long);
    if maze { Err(Trap::Maze) } else { Ok(()) }
}

/// The site as a whole, and the top folder that the address is in.
fn parts(address: &Address) -> [Option<u64>; 2] {
    let folder = address.path().strip_prefix('/').and_then(|path| path.split_once('/'));
    [Some(digest("")), folder.map(|(folder, _)| digest(folder))]
}
