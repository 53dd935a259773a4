//! How alike are two lattices? Formica's similarity of concepts, and the mean of the best matches.

use super::matching::Matching;
use super::{Concept, Lattice, bits};
use hashbrown::HashMap;

/// How well the concepts of one lattice are found in another one: the mean, over the concepts of `of`, of
/// the best match in `among`; from 0 to 1, and 0 when there is nothing to compare.
///
/// Two concepts are alike by the pages they share (their part is `extents`, from 0 to 1) and by the best
/// matching of their keywords, where `closeness` tells what a pair counts. Concepts without pages or
/// without keywords say nothing and do not count.
pub fn similarity(
    of: &Lattice,
    among: &Lattice,
    extents: f32,
    mut closeness: impl FnMut(&str, &str) -> f32,
) -> f32 {
    let says = |concept: &&Concept| concept.extent != 0 && concept.intent != 0;
    let ours: Vec<&Concept> = of.concepts.iter().filter(says).collect();
    let theirs: Vec<&Concept> = among.concepts.iter().filter(says).collect();
    if ours.is_empty() || theirs.is_empty() {
        return 0.0;
    }
    let (rows, columns) = (of.context.keywords(), among.context.keywords());
    let mut matching = Matching::new(rows.len(), columns.len(), &mut |row, column| {
        closeness(&rows[row], &columns[column])
    });
    let extents = extents.clamp(0.0, 1.0);
    let pages = Pages::new(of, among);
    let mut sum = 0.0;
    for one in &ours {
        let extent = if extents > 0.0 { pages.translated(one.extent) } else { 0 };
        let rows = matching.rows(one.intent);
        let mut best = 0.0_f32;
        for other in &theirs {
            let (few, many) = min_max(one.intent.count_ones(), other.intent.count_ones());
            let bound = (1.0 - extents) * few / many + extents;
            if bound <= best {
                continue;
            }
            let keywords = matching.best(rows, other.intent) / many;
            let mut alike = (1.0 - extents) * keywords;
            if extents > 0.0 {
                let (_, pages) = min_max(one.extent.count_ones(), other.extent.count_ones());
                alike += extents * (extent & other.extent).count_ones() as f32 / pages;
            }
            best = best.max(alike);
        }
        sum += best;
    }
    sum / ours.len() as f32
}

fn min_max(a: u32, b: u32) -> (f32, f32) {
    (a.min(b) as f32, a.max(b) as f32)
}

/// Where the pages of one lattice are in the other.
struct Pages(Vec<Option<usize>>);

impl Pages {
    fn new(of: &Lattice, among: &Lattice) -> Pages {
        let there: HashMap<&str, usize> =
            among.context.pages().iter().enumerate().map(|(n, page)| (page.as_str(), n)).collect();
        Pages(of.context.pages().iter().map(|page| there.get(page.as_str()).copied()).collect())
    }

    fn translated(&self, extent: u64) -> u64 {
        let there = bits(extent).filter_map(|page| self.0.get(page).copied().flatten());
        there.fold(0, |set, page| set | 1 << page)
    }
}
