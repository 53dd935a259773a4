//! Which part of a site fits into a grant?
//!
//! When the whole does not, the engine asks for some folders, and leaves the rest to a later job or to ordinary
//! crawling. Estimates come from earlier visits.

use crate::limits::Limits;
use crate::terms::{MAX_PREFIX_BYTES, MAX_PREFIXES};
use std::collections::BTreeMap;

/// Sites grow: an estimate is multiplied by this before it is compared with a grant.
pub const MARGIN: f64 = 1.3;
/// Folders deeper than this are counted with the one above.
pub const MAX_DEPTH: usize = 8;

const MIB: f64 = 1024.0 * 1024.0;

/// What one page of an earlier visit weighed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page<'a> {
    /// Path, with or without query.
    pub path: &'a str,
    /// Bytes of its body, as they would come back.
    pub bytes: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Weight {
    pages: f64,
    bytes: f64,
}

impl Weight {
    fn fits(self, room: Weight) -> bool {
        self.pages * MARGIN <= room.pages && self.bytes * MARGIN <= room.bytes
    }
}

#[derive(Debug, Default)]
struct Folder<'a> {
    total: Weight,
    below: BTreeMap<&'a str, Folder<'a>>,
}

/// The folders, as prefixes that end in `/`, whose pages fit into the limits. `/` when everything fits; nothing when
/// nothing is known or nothing fits.
///
/// The heaviest folder that fits is taken first; one that does not is looked into. Pages that lie directly in a
/// folder which does not fit are left out: no prefix names them alone.
pub fn choose<'a>(pages: impl IntoIterator<Item = Page<'a>>, limits: &Limits) -> Vec<String> {
    let mut root = Folder::default();
    for page in pages {
        root.add(page);
    }
    if root.total.pages == 0.0 {
        return Vec::new();
    }
    let most =
        |limit: u32, unit: f64| if limit == 0 { f64::INFINITY } else { f64::from(limit) * unit };
    let mut room = Weight { pages: most(limits.pages, 1.0), bytes: most(limits.out_mib, MIB) };
    let mut chosen = Vec::new();
    root.take("/", &mut room, &mut chosen);
    chosen
}

impl<'a> Folder<'a> {
    fn add(&mut self, page: Page<'a>) {
        let path = page.path.split(['?', '#']).next().unwrap_or_default();
        let folder = path.rfind('/').map_or("", |end| &path[..end]);
        let mut at = self;
        at.weigh(page.bytes);
        for name in folder.split('/').skip(1).take(MAX_DEPTH) {
            at = at.below.entry(name).or_default();
            at.weigh(page.bytes);
        }
    }

    fn weigh(&mut self, bytes: u64) {
        self.total.pages += 1.0;
        self.total.bytes += bytes as f64;
    }

    fn take(&self, prefix: &str, room: &mut Weight, chosen: &mut Vec<String>) {
        if chosen.len() >= MAX_PREFIXES || prefix.len() > MAX_PREFIX_BYTES {
            return;
        }
        if self.total.fits(*room) {
            room.pages -= self.total.pages * MARGIN;
            room.bytes -= self.total.bytes * MARGIN;
            chosen.push(prefix.to_owned());
            return;
        }
        let mut below: Vec<_> = self.below.iter().collect();
        // The order of names where they weigh the same.
        below.sort_by(|one, two| two.1.total.pages.total_cmp(&one.1.total.pages));
        for (name, folder) in below {
            folder.take(&format!("{prefix}{name}/"), room, chosen);
        }
    }
}
