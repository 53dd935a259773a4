//! Who stands out among pages and sites, as far as the links that went into the index tell by now?
//!
//! Every page that goes in hands its cash on (see [`lycosa_knowledge::opic`]), and so does its site to other
//! sites. That is put down now and then with a commit, so a kill loses what was learnt since then: pages of that time
//! count as if nobody had come by. The exact ranks of a whole index are another matter (see [`crate::Standing`]).

use crate::outlinks::tie;
use crate::sealed::Sealed;
use lycosa_knowledge::graph::scaled;
use lycosa_knowledge::opic::{Opic, Purse, shares};
use lycosa_model::UrlId;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// The file in the folder of the index.
const FILE: Sealed = Sealed { name: "importance.bin", magic: b"lycosa importance 1\n" };
/// It is written at most so often.
const EVERY: Duration = Duration::from_secs(30);
/// And so that writing takes at most this share of the time.
const REST: u32 = 50;

/// The links of a page, as far as they count here.
#[derive(Default)]
pub(crate) struct Visit {
    /// The first 64 bits of its id.
    pub(crate) page: u64,
    /// Pages that it leads to, by the same.
    pub(crate) pages: Vec<u64>,
    /// Its site, by [`site_key`].
    pub(crate) site: u64,
    /// Sites that it leads to, its own as well.
    pub(crate) sites: Vec<u64>,
}

impl Visit {
    /// A page without links yet.
    pub(crate) fn begin(&mut self, id: UrlId, site: &str) {
        (self.page, self.site) = (tie(id), site_key(site));
        self.pages.clear();
        self.sites.clear();
    }
}

/// What stands for a site, from its name as [`crate::site_name`] has it.
pub(crate) fn site_key(name: &str) -> u64 {
    // FNV-1a: a few steps for a short name, and the same for ever.
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// What is in the file.
#[derive(Default, Serialize, Deserialize)]
struct Saved {
    pages: Vec<(u64, f32, f32)>,
    sites: Vec<(u64, f32, f32)>,
}

fn rows(opic: &Opic) -> Vec<(u64, f32, f32)> {
    let mut rows: Vec<_> =
        opic.purses().map(|(key, purse)| (key, purse.cash, purse.spent)).collect();
    rows.sort_unstable_by_key(|(key, ..)| *key);
    rows
}

fn opic(rows: Vec<(u64, f32, f32)>) -> Opic {
    Opic::with(rows.into_iter().map(|(key, cash, spent)| (key, Purse { cash, spent })))
}

/// Keeps count, for the writer of the index.
pub(crate) struct Importance {
    folder: PathBuf,
    pages: Opic,
    sites: Opic,
    changed: bool,
    /// When it may be written again.
    due: Instant,
}

impl Importance {
    /// Goes on with what was put down.
    pub(crate) fn open(folder: &Path) -> Importance {
        FILE.sweep(folder);
        let saved: Saved = FILE.read(folder).unwrap_or_default();
        Importance {
            folder: folder.to_owned(),
            pages: opic(saved.pages),
            sites: opic(saved.sites),
            changed: false,
            due: Instant::now() + EVERY,
        }
    }

    pub(crate) fn visit(&mut self, visit: &mut Visit) {
        self.changed = true;
        self.pages.visit(visit.page, &mut visit.pages);
        self.sites.visit(visit.site, &mut visit.sites);
    }

    /// Puts it down if it is time. What cannot be written is tried again later: nothing but an estimate is lost.
    pub(crate) fn save_if_due(&mut self) {
        if Instant::now() >= self.due {
            self.save();
        }
    }

    /// Puts it down.
    pub(crate) fn save(&mut self) {
        if !self.changed {
            return;
        }
        let start = Instant::now();
        let saved = Saved { pages: rows(&self.pages), sites: rows(&self.sites) };
        self.changed = FILE.write(&self.folder, &saved).is_err();
        self.due = Instant::now() + EVERY.max(start.elapsed() * REST);
    }
}

/// The ranks that follow from it, on a scale from 0 to 255. Whoever is not above the average has 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranks {
    pages: Vec<u64>,
    page_ranks: Vec<u8>,
    sites: Vec<u64>,
    site_ranks: Vec<u8>,
}

impl Ranks {
    /// The rank of a page, by the first 64 bits of its id.
    pub fn page(&self, tie: u64) -> u8 {
        found(&self.pages, &self.page_ranks, tie)
    }

    /// The rank of a site, by its name.
    pub fn site(&self, name: &str) -> u8 {
        found(&self.sites, &self.site_ranks, site_key(name))
    }
}

fn found(keys: &[u64], ranks: &[u8], key: u64) -> u8 {
    keys.binary_search(&key).map_or(0, |place| ranks[place])
}

fn ranked(mut rows: Vec<(u64, f32, f32)>) -> (Vec<u64>, Vec<u8>) {
    rows.retain(|(_, _, spent)| *spent > 0.0);
    rows.sort_unstable_by_key(|(key, ..)| *key);
    let purses: Vec<Purse> =
        rows.iter().map(|(_, cash, spent)| Purse { cash: *cash, spent: *spent }).collect();
    let ranks = scaled(&shares(&purses));
    let ranks = ranks.into_iter().map(|rank| (rank * f32::from(u8::MAX)).round() as u8);
    rows.into_iter()
        .zip(ranks)
        .filter(|(_, rank)| *rank > 0)
        .map(|(row, rank)| (row.0, rank))
        .unzip()
}

/// Reads the ranks of an index, if any were put down.
pub(crate) fn read(folder: &Path) -> Option<Ranks> {
    let saved: Saved = FILE.read(folder)?;
    let (pages, page_ranks) = ranked(saved.pages);
    let (sites, site_ranks) = ranked(saved.sites);
    Some(Ranks { pages, page_ranks, sites, site_ranks })
}

/// When they were put down.
pub(crate) fn written_at(folder: &Path) -> Option<SystemTime> {
    FILE.written_at(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visit(page: u64, pages: &[u64], site: &str, sites: &[&str]) -> Visit {
        let sites = sites.iter().map(|name| site_key(name)).collect();
        Visit { page, pages: pages.to_vec(), site: site_key(site), sites }
    }

    #[test]
    fn ranks_are_those_of_all_visits_of_all_writers() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path()), None);
        for page in 1..=9 {
            // Each time another writer.
            let mut importance = Importance::open(folder.path());
            let site = format!("s{page}.test");
            importance.visit(&mut visit(page, &[10, page + 20], &site, &[&site, "hub.test"]));
            importance.save();
        }
        let mut importance = Importance::open(folder.path());
        importance.visit(&mut visit(10, &[], "hub.test", &[]));
        importance.save();
        let ranks = read(folder.path()).unwrap();
        assert_eq!((ranks.page(10), ranks.page(1), ranks.page(21)), (255, 0, 0));
        assert_eq!((ranks.site("hub.test"), ranks.site("s1.test")), (255, 0));
    }

    #[test]
    fn it_is_not_put_down_with_every_commit() {
        let folder = tempfile::tempdir().unwrap();
        let mut importance = Importance::open(folder.path());
        importance.visit(&mut visit(1, &[2], "a.test", &["b.test"]));
        importance.save_if_due();
        assert_eq!(written_at(folder.path()), None);
        importance.due = Instant::now();
        importance.save_if_due();
        assert!(written_at(folder.path()).is_some());
    }
}
